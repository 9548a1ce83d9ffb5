"""Rows are cached under all that they depend on, and runs are what they are called."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.outages import Outages
from engine.policy.policy import parse_policy
from engine.run_source import schedule_of
from engine.search.question import Question, parse_objective
from engine.search.search import search
from engine.search.space import parse_space
from engine.simulation.run import simulate
from engine.sweep.carry_out import carry_out, kept_rows
from engine.sweep.digest import digest_of
from engine.sweep.run_input import RunInput, trace_digest
from engine.sweep.study_file import StudyFile, read_study_file
from engine.trace import Trace
from engine.trace.names import Names
from engine.trace.trace import Pieces
from tests.paths import SHARED, needs
from tests.traces import make_trace

BROKEN = SHARED / "cases" / "broken"
POOL = Cluster.pool(8)
RANDOM = np.random.default_rng(2)
TRACE = make_trace(
    np.cumsum(RANDOM.integers(0, 30, 60)), RANDOM.integers(1, 90, 60), RANDOM.integers(1, 8, 60), cluster=POOL
)


def study_of(folder: Path, policy: str, more: str = "") -> StudyFile:
    path = folder / "study.toml"
    path.write_text(f"policies = [{json.dumps(policy)}]\nmetrics = ['wait_mean']\n{more}", "utf-8")
    return read_study_file(path)


def schedule_file(folder: Path, late: int) -> Path:
    """A schedule in which each job starts `late` s after its submission."""
    path = folder / "given.csv"
    rows = "".join(
        f"{job},{submit},{submit + late},{submit + late + runtime}\n"
        for job, submit, runtime in zip(TRACE.job_id, TRACE.submit, TRACE.runtime, strict=True)
    )
    path.write_text(f"job_id,submit,start,end\n{rows}", "utf-8")
    return path


def test_a_schedule_of_a_file_is_that_of_the_file_in_a_study(tmp_path: Path) -> None:
    file = schedule_file(tmp_path, 1000)
    (row,) = carry_out(study_of(tmp_path, f"recorded:{file}"), TRACE, POOL, tmp_path / "out")
    assert (row["wait_mean"], row["error"]) == (1000.0, "")
    schedule_file(tmp_path, 500)
    (row,) = carry_out(study_of(tmp_path, f"recorded:{file}"), TRACE, POOL, tmp_path / "out")
    assert row["wait_mean"] == 500.0


def test_a_schedule_of_a_file_says_nothing_of_a_scaled_log_or_another_machine(tmp_path: Path) -> None:
    file = schedule_file(tmp_path, 1000)
    for more in ("theta = [0.5]", "machines = ['16c']"):
        (row,) = carry_out(study_of(tmp_path, f"recorded:{file}", more), TRACE, POOL, tmp_path / "out")
        assert row["wait_mean"] is None
        assert "not of a scaled log or of another machine" in str(row["error"])


def test_a_missing_schedule_is_named_before_any_run(tmp_path: Path) -> None:
    study = study_of(tmp_path, f"recorded:{tmp_path / 'gone.csv'}")
    with pytest.raises(InputError, match=r"gone\.csv"):
        carry_out(study, TRACE, POOL, tmp_path / "out")
    assert kept_rows(study, TRACE, POOL, tmp_path / "out") == {}


def test_a_schedule_of_a_file_is_never_simulated(tmp_path: Path) -> None:
    policy = parse_policy(f"recorded:{schedule_file(tmp_path, 7)}")
    with pytest.raises(ValueError, match="is read, not simulated"):
        simulate(TRACE, POOL, policy)
    assert (schedule_of(TRACE, POOL, policy).wait == 7).all()


def test_the_baseline_of_a_search_may_be_a_schedule_of_a_file(tmp_path: Path) -> None:
    count = 240
    submit, runtime = np.cumsum(RANDOM.integers(0, 30, count)), RANDOM.integers(1, 90, count)
    trace = make_trace(submit, runtime, np.ones(count, np.int64), cluster=POOL)
    path = tmp_path / "given.csv"
    rows = "".join(
        f"{job},{submit},{submit + 4242}\n" for job, submit in zip(trace.job_id, trace.submit, strict=True)
    )
    path.write_text(f"job_id,submit,start\n{rows}", "utf-8")
    easy, given = parse_policy("easy"), parse_policy(f"recorded:{path}")
    question = Question(
        easy, parse_space(["order=fcfs|sjf"]), (parse_objective("wait_mean", False),), (), given
    )
    assert search(trace, POOL, question, trials=4).baseline.values["wait_mean"] == 4242.0


def changed_traces() -> dict[str, Trace]:
    """The trace with each of its fields changed, by the name of the field."""
    # All that may be missing is there, so that each field can be changed.
    named = Names(np.arange(len(TRACE), dtype=np.int32) % 2, ("a", "b"))
    full = replace(
        TRACE,
        gpus=TRACE.procs,
        qos=named,
        reason=named,
        reservation=named,
        priority=TRACE.procs,
        held=TRACE.procs,
        recorded_nodes=TRACE.tasks,
    )
    found = {"": full}
    for field in fields(Trace):
        # One change for each type of field: the digest of a run has to notice all of them.
        value: Any = getattr(full, field.name)
        if isinstance(value, np.ndarray):
            value = np.array(value)
            value[-1] = value[-1] + 1
        elif isinstance(value, Names):
            value = Names(value.codes, tuple(f"{name}2" for name in value.names))
        elif isinstance(value, Pieces):
            columns = {name: column + (name == "node") + 1 for name, column in value.columns.items()}
            value = Pieces(value.offset, columns)
        elif isinstance(value, Cluster):
            value = Cluster.pool(9)
        elif isinstance(value, bool):
            value = not value
        elif isinstance(value, int):
            value += 1
        elif isinstance(value, str):
            value += "2"
        elif isinstance(value, dict) or field.name == "header":
            value = {"MaxProcs": "9"}
        elif field.name in ("constraints", "features", "task_queues"):
            value = ("", "cl_x")
        else:
            continue
        found[field.name] = replace(full, **{field.name: value})
    return found


def test_every_field_of_a_trace_is_part_of_its_digest_but_quality_notes() -> None:
    changed = changed_traces()
    digests = {name: trace_digest(trace) for name, trace in changed.items()}
    known = {field.name for field in fields(Trace)}
    optional = {name for name in known if getattr(changed[""], name) is None}
    assert set(digests) - {""} == known - {"notes"} - optional
    assert len(set(digests.values())) == len(digests)


def test_what_has_no_digest_is_an_error_and_neighbours_do_not_run_into_each_other() -> None:
    with pytest.raises(TypeError, match="object has no digest"):
        digest_of((1, object()))
    values: list[object] = [
        ("ab", "c"),
        ("a", "bc"),
        ("abc",),
        "abc",
        (),
        "",
        None,
        0,
        False,
        0.0,
        (("a",), "b"),
        ("a", ("b",)),
        {"a": 1},
        {"a": 2},
        np.array([1, 2]),
        np.array([[1, 2]]),
        np.array([1, 2], np.int32),
        np.array([]),
    ]
    assert len({digest_of(value) for value in values}) == len(values)


def test_failures_shares_and_metrics_are_part_of_the_name(tmp_path: Path) -> None:
    (tmp_path / "shares.csv").write_text("user,share\n0,1\n1,2\n", "utf-8")
    text = f"fairshare-easy:shares={tmp_path / 'shares.csv'}"
    nodes = parse_cluster("2x4c")
    down = [Outages(*(np.array([k], np.int64) for k in row)) for row in ((0, 5, 9), (1, 5, 9), (0, 5, 8))]
    (run,) = study_of(tmp_path, text).runs
    before = RunInput.of(run, nodes, ["wait_mean"]).name("")
    names = {
        before,
        RunInput.of(run, nodes, ["wait_max"]).name(""),
        RunInput.of(run, nodes, ["wait_mean"]).name("1"),
    }
    names |= {RunInput.of(run, replace(nodes, failures=failure), ["wait_mean"]).name("") for failure in down}
    (tmp_path / "shares.csv").write_text("user,share\n0,1\n1,3\n", "utf-8")
    (run,) = study_of(tmp_path, text).runs
    names.add(RunInput.of(run, nodes, ["wait_mean"]).name(""))
    assert len(names) == 7


@pytest.mark.parametrize(
    "damage",
    [
        {"wait_mean": "1"}, {"wait_mean": True}, {"wait_mean": [1]}, {"wait_mean": float("nan")},
        {"wait_mean": float("inf")}, {"wait_mean": 10**400}, {"seconds": -1}, {"seconds": None},
        {"error": "x"}, {"more": 1},
    ],
)  # fmt: skip
def test_a_cached_row_with_anything_but_numbers_is_made_again(tmp_path: Path, damage: dict[str, Any]) -> None:
    study, folder = study_of(tmp_path, "easy"), tmp_path / "out"
    (right,) = carry_out(study, TRACE, POOL, folder)
    (file,) = (folder / "runs").iterdir()
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | damage), "utf-8")
    assert kept_rows(study, TRACE, POOL, folder) == {}
    (again,) = carry_out(study, TRACE, POOL, folder)
    assert {**again, "seconds": 0} == {**right, "seconds": 0}


def test_of_a_cached_row_only_numbers_are_taken(tmp_path: Path) -> None:
    study, folder = study_of(tmp_path, "easy"), tmp_path / "out"
    (right,) = carry_out(study, TRACE, POOL, folder)
    (file,) = (folder / "runs").iterdir()
    lie = {"policy": "fcfs\x1b[31m", "trace": "other", "theta": 2.0, "wait_mean": 1.5}
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | lie), "utf-8")
    assert kept_rows(study, TRACE, POOL, folder)[0] == {**right, "wait_mean": 1.5}
    file.write_text("[" * 100_000, "utf-8")
    assert kept_rows(study, TRACE, POOL, folder) == {}


@needs(BROKEN / "stale")
@pytest.mark.parametrize(
    ("study", "logs", "metric", "right"),
    [
        ("s1.toml", ("stale/g1/a.swf", "stale/g2/a.swf"), "wait_mean", (4883.42, 5014.53)),
        ("s2.toml", ("stale/r1/a.swf", "stale/r2/a.swf"), "utilization", (3.48, 0.74)),
        ("s4.toml", ("a.swf",), "wait_mean", (7090.03,)),
    ],
    ids=["groups", "recorded runtimes", "another program's schedule"],
)
def test_cached_rows_of_another_log_are_not_taken(
    study: str, logs: tuple[str, ...], metric: str, right: tuple[float, ...], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(BROKEN / "stale")
    found = []
    for log in logs:
        trace = read_trace(BROKEN / log)
        (row,) = carry_out(read_study_file(Path(study)), trace, trace.cluster, tmp_path / "out")
        found.append(round(float(row[metric] or 0), 2))
    assert tuple(found) == right
