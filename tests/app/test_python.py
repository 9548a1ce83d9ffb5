"""What Python does as the command line does: the same numbers, and sentences for what is wrong."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import batchscope
from engine.errors import InputError
from tests.app.cli.commands import small_log


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_log(tmp_path_factory.mktemp("log"))


@pytest.fixture(scope="module")
def log(path: Path) -> batchscope.Log:
    return batchscope.read(path)


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "job_id": [1, 2, 3],
            "submit": [0, 5, 9],
            "runtime": [10, 20, 30],
            "walltime": [60, 60, 60],
            "procs": [2, 3, 1],
            "user": ["ann", "bob", "ann"],
        }
    )


def test_a_table_of_pandas_is_a_log() -> None:
    log = batchscope.read(frame(), machine="4c")
    assert log.trace.submit.tolist() == [0, 5, 9]
    assert [log.trace.user.names[code] for code in log.trace.user.codes] == ["ann", "bob", "ann"]
    runs = batchscope.compare(log, ["fcfs"])
    assert runs["fcfs"].schedule.start.tolist() == [0, 10, 10]
    assert len(batchscope.read(frame(), machine="4c", users=["ann"])) == 2


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (frame().drop(columns="submit"), "submit"),
        (frame().assign(user=[1, "x", b"y"]), "the DataFrame cannot be written as a table"),
        ([1, 2], "a log is a path or a DataFrame, not list"),
    ],
)
def test_a_table_that_is_no_log_is_said_without_a_path(table: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        batchscope.read(table, machine="4c")  # type: ignore[arg-type]
    assert "/tmp" not in str(caught.value)


def test_the_load_is_changed_as_by_options(path: Path, log: batchscope.Log) -> None:
    heavier = batchscope.read(path, theta=0.5, walltime_cap="1h")
    first = log.trace.submit[0]
    assert heavier.trace.submit.tolist() == [first + round((time - first) / 2) for time in log.trace.submit]
    assert heavier.trace.walltime.max() <= 3600
    with pytest.raises(InputError, match="theta=None: give a number"):
        batchscope.read(path, theta=None)  # type: ignore[arg-type]


def test_estimates_and_fair_starts_are_asked_for_by_name(log: batchscope.Log) -> None:
    runs = batchscope.compare(log, ["easy"], estimate="actual", fair_starts=True)
    spelled = batchscope.compare(log, ["easy:estimate=actual"])
    assert runs["easy"].schedule.start.tolist() == spelled.runs[0].schedule.start.tolist()
    assert runs["easy"].metrics["unfair_jobs"] is not None
    assert spelled.runs[0].metrics["unfair_jobs"] is None


def test_a_difference_has_a_sentence_and_tables(log: batchscope.Log) -> None:
    runs = batchscope.compare(log, ["fcfs", "easy"])
    found = batchscope.difference(log, "fcfs", "easy")
    change = runs["easy"].schedule.start - runs["fcfs"].schedule.start
    assert found.moved.change.tolist() == change.tolist()
    assert found.sentence.endswith(".")
    users = found.by("user")
    assert users["net"].sum() == -change.sum()
    assert users["jobs"].sum() == len(log)
    assert found.given_up().empty  # no node of this machine fails
    with pytest.raises(InputError, match="jobs are not grouped by 'usr'; did you mean 'user'"):
        found.by("usr")


def test_an_explanation_adds_up(log: batchscope.Log) -> None:
    waits = batchscope.compare(log, ["fcfs"])["fcfs"].schedule.wait
    job = log.trace.job_id[int(np.argmax(waits))]
    found = batchscope.explain(log, "fcfs", job)
    assert sum(cause.seconds for cause in found.of.explanation.summary) == waits.max()
    with pytest.raises(InputError, match="has no job none"):
        batchscope.explain(log, "fcfs", "none")


STUDY = """
title = "Two orders"
source = "a test"
metrics = ["wait_mean"]
policies = ["fcfs", "easy"]
"""


def test_a_study_is_carried_out_on_a_log(log: batchscope.Log, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    found = batchscope.sweep(tmp_path / "study.toml", log, tmp_path / "rows")
    runs = batchscope.compare(log, ["fcfs", "easy"])
    assert found.table["wait_mean"].tolist() == [run.metrics["wait_mean"] for run in runs.values()]
    assert [mean.value for mean in found.means] == found.table["wait_mean"].tolist()
    with pytest.raises(InputError, match="there is no study 'planing'; did you mean 'planning'"):
        batchscope.sweep("planing", log, tmp_path)


def test_a_generated_log_is_read(tmp_path: Path) -> None:
    log = batchscope.generate(tmp_path / "made.swf", jobs=120, machine="64c", seed=3)
    assert len(log) == 120
    assert log.cluster.cpus == 64
    like = batchscope.generate(tmp_path / "like.swf", like=log, jobs=20)
    assert len(like) == 20
    with pytest.raises(InputError, match="there is no model 'lubin'; did you mean 'lublin'"):
        batchscope.generate(tmp_path / "x.swf", model="lubin")


def test_a_report_is_a_page_in_a_folder(log: batchscope.Log, tmp_path: Path) -> None:
    page = batchscope.report(batchscope.compare(log, ["fcfs", "easy"]), tmp_path / "report")
    assert "easy" in page.read_text("utf-8")
    table = batchscope.read(frame(), machine="4c")
    with pytest.raises(InputError, match="read the log from a file"):
        batchscope.report(batchscope.compare(table, ["easy"]), tmp_path / "other")


def test_a_figure_has_its_data(log: batchscope.Log) -> None:
    data = batchscope.compare(log, ["fcfs", "easy"]).figure("gantt").data
    assert isinstance(data, pd.DataFrame)
    assert len(data) == 2 * len(log)
    assert {"job_id", "start", "end"} <= {*data.columns}


def test_a_run_that_is_not_there_is_told_and_missing(log: batchscope.Log) -> None:
    runs = batchscope.compare(log, ["easy"])
    assert "eazy" not in runs
    assert runs.get("eazy") is None
    with pytest.raises(KeyError) as caught:
        runs["eazy"]
    assert str(caught.value) == "there is no run 'eazy'; did you mean 'easy'?"


FUNCTIONS = [name for name in batchscope.__all__ if inspect.isfunction(getattr(batchscope, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_names_of_options_are_completed(name: str) -> None:
    function = getattr(batchscope, name)
    parameters = inspect.signature(function).parameters.values()
    assert all(each.annotation == "Never" for each in parameters if each.kind is each.VAR_KEYWORD)
    assert not any(each.kind is each.VAR_POSITIONAL for each in parameters)
    assert inspect.getdoc(function)


@pytest.mark.parametrize(
    "ask",
    [
        lambda log: batchscope.compare(log, ["easy"]),
        lambda log: batchscope.change(log, "0", "easy", "fcfs"),
        lambda log: batchscope.twin(log, "site"),
        lambda log: batchscope.queue(log, "easy", 0),
        lambda log: batchscope.search(log),
        lambda log: batchscope.waits(log),
        lambda log: batchscope.env(log),
        lambda log: batchscope.explain(log, "easy", 1),
        lambda log: batchscope.difference(log, "easy", "fcfs"),
        lambda log: batchscope.sweep("weights", log, "rows"),
    ],
)
def test_the_path_of_a_log_is_no_log_yet(ask: Callable[[Any], object]) -> None:
    expected = (
        r"a log is what batchscope.read returns, not str: read it first, log = batchscope.read\('a.swf'\)"
    )
    with pytest.raises(InputError, match=expected):
        ask("a.swf")
    with pytest.raises(InputError, match=r"a log is what batchscope\.read returns, not NoneType"):
        batchscope.compare(None, ["easy"])  # type: ignore[arg-type]


def test_answers_are_shown_as_what_they_say(log: batchscope.Log, tmp_path: Path) -> None:
    """A notebook shows the last value of a cell: a sentence, and not all arrays of a log."""
    answer = batchscope.explain(log, "easy", 1)
    assert repr(answer) == answer.text
    assert repr(batchscope.waits(log, "easy")).startswith("<waits by account: ")
    assert repr(batchscope.queue(log, "easy", 10)).startswith("<queue of ")
    drawn = batchscope.generate(tmp_path / "drawn.swf", model="lublin", jobs=600, machine="64c", seed=1)
    found = batchscope.search(drawn, keys="backfill=queue|sjf", trials=2)
    assert repr(found) == f"<search on drawn: {found.verdict}>"


def test_the_packages_tell_checkers_that_they_have_types() -> None:
    import app
    import engine
    import views

    for package in (app, engine, views):
        assert (Path(package.__path__[0]) / "py.typed").is_file()
