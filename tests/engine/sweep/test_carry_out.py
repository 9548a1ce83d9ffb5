import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from engine.machine.cluster import Cluster, parse_cluster
from engine.metrics.evaluation import evaluate
from engine.metrics.summary import summary
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.schedule.value import total_value
from engine.simulation.control import Cancelled, Control
from engine.simulation.run import reference_schedule, simulate
from engine.sweep.carry_out import RUNS, carry_out, kept_rows
from engine.sweep.conditions import Conditions
from engine.sweep.findings import answers, means
from engine.sweep.paper_claim import ClaimResult
from engine.sweep.result_table import RESULTS
from engine.sweep.row import row_of
from engine.sweep.row_cache import Row, forget_rows
from engine.sweep.runners import thread_runner
from engine.sweep.study_file import StudyFile, read_study_file
from engine.sweep.study_results import StudyResults
from engine.trace.scale import Scaling, scaled
from tests.traces import make_trace

POOL = Cluster.pool(8)
RANDOM = np.random.default_rng(1)
TRACE = make_trace(
    np.cumsum(RANDOM.integers(0, 30, 60)), RANDOM.integers(1, 90, 60), RANDOM.integers(1, 8, 60), cluster=POOL
)


@pytest.fixture
def study(tmp_path: Path) -> StudyFile:
    path = tmp_path / "study.toml"
    path.write_text(
        """
        policies = ["queues:n=1", "queues:n=3", "auction"]
        metrics = ["value:delta=5", "value:delta=20"]
        theta = [1.0, 0.5]
        against = "auction"
        keys = { seed = [0, 1] }
        findings = [
            { text = "three queues do", policy = "queues:n=3", least = 1 },
            { text = "one queue does", policy = "queues:n=1", theta = 0.5, least = 100.1 },
        ]
        """,
        "utf-8",
    )
    return read_study_file(path)


def test_a_row_a_run_with_what_it_is_worth(study: StudyFile, tmp_path: Path) -> None:
    heard: list[float] = []
    rows = carry_out(study, TRACE, POOL, tmp_path / "out", report=heard.append)
    assert len(rows) == 12
    assert heard[-1] == 1.0
    for run, row in zip(study.runs, rows, strict=True):
        schedule = simulate(scaled(TRACE, run.conditions.scaling), POOL, run.policy)
        assert row["value:delta=20"] == total_value(schedule, schedule.ran, "linear", 20)
        assert (row["theta"], row["policy"], row["seed"]) == (
            run.conditions.scaling.theta,
            run.base,
            str(run.policy.seed),
        )
        assert row["error"] == ""
    assert parquet.read_table(tmp_path / "out" / RESULTS).to_pylist() == rows


def test_machines_and_shares_change_what_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        """
        policies = ["easy"]
        metrics = ["wait_mean", "veet_mean"]
        machines = ["own", "100000c"]
        shares = ["fair", "1/2"]
        """,
        "utf-8",
    )
    study = read_study_file(path)
    rows = carry_out(study, TRACE, POOL, tmp_path / "out")
    schedule = simulate(TRACE, POOL, study.runs[0].policy)
    for row in rows:
        large = row["machine"] != "own"
        cluster = parse_cluster("100000c") if large else POOL
        single = simulate(TRACE, cluster, study.runs[0].policy) if large else schedule
        reference = reference_schedule(TRACE, cluster, [single])
        (found,) = evaluate([single], parse_share(str(row["share"])), reference)
        assert (row["wait_mean"], row["veet_mean"]) == (
            found.summary["wait_mean"],
            found.summary["veet_mean"],
        )
    assert len({(row["wait_mean"], row["veet_mean"]) for row in rows}) >= 3
    assert "machine" in StudyResults(study, tuple(rows)).table.parameters


def test_rows_are_reported_as_they_come_and_kept_rows_are_found_again(
    study: StudyFile, tmp_path: Path
) -> None:
    folder, control = tmp_path / "out", Control()
    came: dict[int, object] = {}
    assert kept_rows(study, TRACE, POOL, folder) == {}
    rows = carry_out(study, TRACE, POOL, folder, control=control, came=came.__setitem__)
    assert [came[index] for index in range(12)] == rows
    assert control.progress == 1.0
    assert kept_rows(study, TRACE, POOL, folder) == came
    next((folder / "runs").iterdir()).unlink()
    again: list[int] = []
    carry_out(study, TRACE, POOL, folder, control=control, came=lambda index, _: again.append(index))
    assert sorted(again) == list(range(12))
    assert control.jobs == len(TRACE)


def test_what_was_run_is_not_run_again_and_what_is_half_written_is(study: StudyFile, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    before = carry_out(study, TRACE, POOL, folder)
    kept = sorted((folder / "runs").iterdir())
    assert len(kept) == 12
    marked = json.loads(kept[0].read_text("utf-8")) | {"seconds": 99.0}
    kept[0].write_text(json.dumps(marked), "utf-8")
    kept[1].write_text('{"policy": "au', "utf-8")
    kept[2].unlink()
    (folder / RESULTS).write_bytes(b"PAR1 and no more")
    after = carry_out(study, TRACE, POOL, folder)
    assert 99.0 in [row["seconds"] for row in after]

    def values(rows: list[dict[str, object]]) -> list[list[object]]:
        return [[value for name, value in row.items() if name != "seconds"] for row in rows]

    assert values(after) == values(before)
    assert values(parquet.read_table(folder / RESULTS).to_pylist()) == values(before)
    other = scaled(TRACE, Scaling(theta=2))
    assert values(carry_out(study, other, POOL, folder)) != values(before)
    assert len(list((folder / "runs").iterdir())) == 24


def test_a_study_that_was_stopped_goes_on(
    study: StudyFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    control, stopped = Control(), threading.Event()

    def stop(done: float) -> None:
        if done > 0:
            control.cancel()
            stopped.set()

    def at_first_alone(*arguments: Any) -> Row:
        """A run; those behind the first wait until the study is stopped, however fast they are."""
        if not first.acquire(blocking=False):
            assert stopped.wait(30)
        return row_of(*arguments)

    first = threading.Semaphore(1)
    monkeypatch.setattr("engine.sweep.carry_out.row_of", at_first_alone)
    with thread_runner(1) as schedule, pytest.raises(Cancelled):
        carry_out(study, TRACE, POOL, tmp_path, control=control, report=stop, runner=schedule)
    made = len(list((tmp_path / "runs").iterdir()))
    assert 0 < made < 12
    assert len(carry_out(study, TRACE, POOL, tmp_path)) == 12


def test_a_run_that_fails_is_a_row_with_its_error(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        'policies = ["easy", "easy:queue_nodes=no@1"]\nmetrics = ["wait_mean", "psf:alpha=1.5"]', "utf-8"
    )
    study = read_study_file(path)
    rows = carry_out(study, TRACE, POOL, tmp_path / "out")
    assert rows[0]["wait_mean"] == simulate(TRACE, POOL, parse_policy("easy")).wait.mean()
    assert rows[0]["error"] == ""
    assert "no" in str(rows[1]["error"])
    assert rows[1]["wait_mean"] is None
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 1  # it may succeed another time
    assert [mean.value for mean in means(study, rows) if mean.policy != "easy"] == [None, None]


def test_means_are_in_percent_of_the_auction_with_the_same_seed(study: StudyFile, tmp_path: Path) -> None:
    rows = carry_out(study, TRACE, POOL, tmp_path)
    found = means(study, rows)
    assert len(found) == 2 * 3 * 2
    first = next(match for match in found if (match.policy, match.metric) == ("queues:n=3", "value:delta=20"))
    own, best = ([row["value:delta=20"] for row in rows[k : k + 2]] for k in (2, 4))
    parts = [100 * a / b for a, b in zip(own, best, strict=True)]  # type: ignore[operator]
    assert first.value == pytest.approx(sum(parts) / 2)
    assert first.spread == pytest.approx(abs(parts[0] - parts[1]) / 2)
    assert {match.value for match in found if match.policy == "auction"} == {100.0}
    three, schedule = answers(study, rows)
    assert three.verdict is ClaimResult.REPRODUCED
    assert three.value == min(
        m.value for m in found if (m.policy, m.conditions) == ("queues:n=3", Conditions()) and m.value
    )
    assert schedule.verdict is ClaimResult.NOT
    assert str(schedule).startswith("not reproduced (")
    failed = [{**row, "value:delta=5": None} for row in rows]
    assert answers(study, failed)[0].verdict is None


def test_findings_name_their_metrics_and_hold_between_two_numbers(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        """
policies = ["easy"]
metrics = ["wait_mean", "jobs"]
findings = [
    { text = "all jobs", policy = "easy", metrics = ["jobs"], least = 1, most = 1000000 },
    { text = "none", policy = "easy", metrics = ["jobs"], most = 0 },
    { text = "both", policy = "easy", least = 1e9 },
]
""",
        "utf-8",
    )
    study = read_study_file(path)
    rows = carry_out(study, TRACE, POOL, tmp_path / "out")
    every, none, both = answers(study, rows)
    assert (every.verdict, every.value, every.metric) == (ClaimResult.REPRODUCED, float(len(TRACE)), "jobs")
    assert str(none) == f"not reproduced (easy, jobs: {len(TRACE):,.2f}, paper: at most 0): none"
    assert (both.verdict, both.value) == (
        ClaimResult.NOT,
        min(float(rows[0]["jobs"] or 0), float(rows[0]["wait_mean"] or 0)),
    )


def test_a_finding_is_reported_against_a_policy_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        """
policies = ["easy", "fcfs", "easy:order=sjf"]
metrics = ["response_mean"]
against = "easy"
findings = [
    { text = "usual", policy = "easy:order=sjf", least = 0 },
    { text = "other", policy = "easy:order=sjf", against = "fcfs", least = 0 },
    { text = "plain", policy = "easy:order=sjf", against = "nothing", most = 0 },
]
""",
        "utf-8",
    )
    study = read_study_file(path)
    rows = carry_out(study, TRACE, POOL, tmp_path / "out")
    easy, fcfs, sjf = (float(row["response_mean"] or 0) for row in rows)
    usual, other, plain = answers(study, rows)
    assert usual.value == pytest.approx(100 * sjf / easy)
    assert other.value == pytest.approx(100 * sjf / fcfs)
    assert plain.value == sjf
    assert str(other) == (
        f"reproduced (easy:order=sjf, response_mean: {other.value:,.2f} % of fcfs, paper: at least 0): other"
    )
    least = f"not reproduced (easy:order=sjf, response_mean: {sjf:,.2f} s, paper: at most 0): plain"
    assert str(plain) == least


def test_unfair_jobs_are_counted_where_a_study_asks_for_them(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text('policies = ["easy:order=sjf"]\nmetrics = ["unfair_jobs"]', "utf-8")
    (row,) = carry_out(read_study_file(path), TRACE, POOL, tmp_path / "out")
    schedule = simulate(TRACE, POOL, parse_policy("easy:order=sjf"), fair_starts=True)
    assert row["unfair_jobs"] == summary(schedule)["unfair_jobs"] is not None


def test_old_rows_are_forgotten_and_nothing_else(study: StudyFile, tmp_path: Path) -> None:
    carry_out(study, TRACE, POOL, tmp_path)
    rows = sorted((tmp_path / RUNS).iterdir())
    other = tmp_path / RUNS / "notes.txt"
    other.write_text("mine", "utf-8")
    for path in (*rows[:2], other):
        os.utime(path, (1000.0, 1000.0))
    forget_rows(tmp_path / RUNS, 2000.0)
    assert sorted((tmp_path / RUNS).iterdir()) == sorted([*rows[2:], other])
    forget_rows(tmp_path / "missing", 2000.0)
