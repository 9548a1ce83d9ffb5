"""Tables of runs: metrics by run, quantities by job, and the parameters of both."""

import numpy as np
import pytest

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.metrics.evaluation import evaluate
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.simulation.run import reference_schedule, simulate
from engine.sweep.run_table import MeasuredRun, metrics_to_compute, table_of_runs
from tests.traces import make_trace


@pytest.fixture(scope="module")
def runs() -> list[MeasuredRun]:
    """Five jobs of two users on a pool, under two depths of reservations."""
    trace = make_trace(
        [0, 1, 2, 3, 4],
        [100, 100, 10, 100, 10],
        [8, 4, 2, 8, 2],
        user=["a", "b", "a", "b", "a"],
    )
    spelled = ("easy:depth=1", "easy:depth=2")
    schedules = [simulate(trace, Cluster.pool(8), parse_policy(text)) for text in spelled]
    reference = reference_schedule(trace, schedules[0].cluster, schedules)
    evaluations = evaluate(schedules, parse_share("fair"), reference, None, ["value:delta=5"], None)
    return [MeasuredRun("log", text, one) for text, one in zip(spelled, evaluations, strict=True)]


def test_metrics_have_a_row_a_run(runs: list[MeasuredRun]) -> None:
    table = table_of_runs(runs, ["wait_mean", "value:delta=5"], ["depth"])
    assert table.parameters["policy"] == ("easy:depth=1", "easy:depth=2")
    assert table.parameters["depth"] == ("1", "2")
    waits = [run.evaluation.schedule.wait.mean() for run in runs]
    assert table.measures["wait_mean"].tolist() == pytest.approx(waits)
    (first, *_) = table.observations("value")
    assert first.at["delta"] == "5"
    assert table.counted == "run"
    assert metrics_to_compute(["wait_mean", "value:delta=5"]) == ("value:delta=5",)


def test_quantities_have_a_row_a_job_with_its_user(runs: list[MeasuredRun]) -> None:
    table = table_of_runs(runs, ["wait", "procs"], ["user"])
    assert len(table.words) == 10
    assert table.counted == "job"
    assert table.measures["wait"].tolist() == [w for run in runs for w in run.evaluation.schedule.wait]
    of_a = [found.value for found in table.observations("procs") if found.at["user"] == "a"]
    assert of_a == [8.0, 2.0, 2.0] * 2
    assert np.isfinite(table.measures["wait"]).all()


@pytest.mark.parametrize(
    ("measures", "expected"),
    [
        (["wait_mean", "wait"], "wait_mean is a metric of runs, wait a quantity of jobs"),
        (["wait_men"], "wait_mean"),
        (["user"], "user.* numbers|numbers of user"),
    ],
)
def test_what_is_no_measure_is_named(runs: list[MeasuredRun], measures: list[str], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        table_of_runs(runs, measures, [])
