"""Grids of policies, and their simulation in several threads."""

import threading

import numpy as np
import pytest

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.metrics.evaluation import evaluate
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.simulation.control import Cancelled, Control
from engine.simulation.run import reference_schedule, simulate
from engine.sweep.grid import make_grid
from engine.sweep.run import Cell, sweep
from engine.trace import Trace
from tests.traces import make_trace

METRIC = parse_policy("metric")
FAIR = parse_share("fair")
MACHINE = Cluster.pool(16)


def busy_trace(jobs: int = 200) -> Trace:
    """Jobs that wait a good deal."""
    rng = np.random.default_rng(3)
    runtime = rng.integers(10, 2000, jobs)
    return make_trace(
        np.sort(rng.integers(0, 60 * jobs, jobs)),
        runtime,
        rng.integers(1, 9, jobs),
        walltime=runtime * 2,
        user=[int(u) for u in rng.integers(0, 5, jobs)],
    )


def test_a_grid_has_every_combination_row_by_row() -> None:
    grid = make_grid(METRIC, ("bf", "0, .5 1"), ("window", "1,2;2"))
    assert grid.rows.values == ("0", "0.5", "1")
    assert grid.columns.values == ("1", "2")
    assert [str(policy) for policy in grid.policies] == [
        "metric:bf=0",
        "metric:bf=0,window=2",
        "metric:bf=0.5",
        "metric:bf=0.5,window=2",
        "metric",
        "metric:window=2",
    ]
    assert grid.policies[grid.index(1, 1)].bf == 0.5


@pytest.mark.parametrize(
    ("rows", "columns", "why"),
    [
        (("bf", "0"), ("bf", "1"), "two different keys"),
        (("order", "fcfs"), ("bf", "1"), "cannot vary 'order'"),
        (("bf", "2"), ("window", "1"), "bf"),
        (("bf", "x"), ("window", "1"), "bf"),
        (("bf", " , "), ("window", "1"), "at least one value"),
        (("window", "2"), ("max_user_jobs", "3"), "windows place jobs together"),
        (("queue_depth", ",".join(map(str, range(101)))), ("window", "1,2,3,4"), "at most 400"),
    ],
)
def test_grids_that_make_no_sense(rows: tuple[str, str], columns: tuple[str, str], why: str) -> None:
    with pytest.raises(InputError, match=why):
        make_grid(METRIC, rows, columns)


def test_durations_and_none_can_be_varied() -> None:
    grid = make_grid(parse_policy("saf-easy"), ("threshold", "none 2h 1d"), ("depth", "1 2"))
    assert [policy.threshold for policy in grid.policies[::2]] == [None, 7200, 86_400]


def test_a_cell_is_what_its_policy_gives_alone_whatever_the_threads() -> None:
    trace = busy_trace()
    grid = make_grid(METRIC, ("bf", "0, 0.5, 1"), ("window", "1, 3"))
    values: dict[int, Cell] = {}
    cells = sweep(trace, MACHINE, grid.policies, FAIR, report=values.__setitem__, threads=3)
    assert [cell.policy for cell in cells] == list(grid.policies)
    assert values == dict(enumerate(cells))
    again = sweep(trace, MACHINE, grid.policies, FAIR, threads=1)
    reference = reference_schedule(trace, MACHINE)
    for cell, other, policy in zip(cells, again, grid.policies, strict=True):
        (alone,) = evaluate([simulate(trace, MACHINE, policy)], FAIR, reference)
        for name, value in alone.summary.items():
            assert cell.summary[name] == value == other.summary[name], name
    assert len({cell.summary["wait_mean"] for cell in cells}) > 3


def test_fair_starts_and_the_decision_log_where_they_are_asked_for() -> None:
    trace = busy_trace()
    policies = make_grid(METRIC, ("bf", "0.5"), ("window", "1, 2")).policies
    for asked, known in (("unfair_jobs", True), ("wait_mean", False)):
        for cell in sweep(trace, MACHINE, policies, FAIR, metrics=[asked]):
            alone = simulate(trace, MACHINE, cell.policy, fair_starts=True)
            assert alone.fair_start is not None
            late = int((alone.start > alone.fair_start).sum()) if known else None
            assert cell.summary["unfair_jobs"] == late
    (cell,) = sweep(trace, MACHINE, policies[:1], FAIR, metrics=["backfilled"])
    assert cell.summary["backfilled"] is not None
    assert cell.summary["prediction_late"] is not None
    (cell,) = sweep(trace, MACHINE, policies[:1], FAIR)
    assert cell.summary["backfilled"] is None


def test_a_sweep_that_is_cancelled_stops_and_leaves_no_thread() -> None:
    trace, control = busy_trace(2000), Control()
    grid = make_grid(METRIC, ("bf", "0, 0.25, 0.5, 0.75, 1"), ("window", "5, 6"))
    before = threading.active_count()
    received: list[int] = []

    def tell(number: int, cell: Cell) -> None:
        received.append(number)
        control.cancel()

    with pytest.raises(Cancelled):
        sweep(trace, MACHINE, grid.policies, FAIR, control=control, report=tell, threads=2)
    assert 1 <= len(received) < len(grid.policies)
    assert 0 < control.progress < 1
    assert threading.active_count() == before


def test_an_error_of_one_cell_ends_the_sweep() -> None:
    wrong = parse_policy("easy:queue_nodes=nowhere@1")
    with pytest.raises(InputError, match="queue_nodes"):
        sweep(busy_trace(), MACHINE, [METRIC, wrong], FAIR)
