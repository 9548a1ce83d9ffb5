"""Figures and tables written from the window."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.input import read_text
from engine.metrics.catalog import METRICS
from tests.app.windows import schedule_of, settle, trace_of
from views.state.filter import Filter

MAGIC = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}
ABOUT = ["trace", "machine", "filter", "measured_from", "measured_to"]
RUNS = ["fcfs", "fairshare-fcfs", "easy", "fairshare-easy"]


@pytest.fixture
def window(same_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return same_window


def test_charts_are_written_as_png_svg_and_pdf(window: MainWindow, tmp_path: Path) -> None:
    names = (
        "gantt.svg",
        "heatmap.png",
        "distributions.pdf",
        "scatter.png",
        "sizes.svg",
        "timeline.pdf",
        "radar.png",
        "gains.svg",
        "fairshare.svg",
    )
    paths = [tmp_path / name for name in names]
    for path in paths:  # all are asked for at once; none of them is lost
        window.menus.exporter.write_chart(path.stem, path)
    settle(window)
    assert not window.messages.shown
    for path in paths:
        data = path.read_bytes()
        assert data.startswith(MAGIC[path.suffix]), path.name
        assert len(data) > 5_000, path.name
        picture = QImage(str(path)) if path.suffix == ".png" else None
        assert picture is None or (picture.width() > 800 and picture.height() > 300)
    assert not list(tmp_path.glob("*.part*"))
    for name in RUNS:
        assert name in (tmp_path / "gantt.svg").read_text("utf-8")


def test_the_figure_of_fairshare_is_of_the_chosen_run_and_user(window: MainWindow, tmp_path: Path) -> None:
    window.view.choose(fairshare_run=3)
    window.selection.select_user(2)
    window.menus.exporter.write_chart("fairshare", tmp_path / "one.svg")
    settle(window)
    window.view.choose(fairshare_run=None)
    window.selection.clear()
    text = (tmp_path / "one.svg").read_text("utf-8")
    assert "Fairshare under easy" in text
    assert f"Share of user {trace_of(window).user.names[2]}" in text


def test_searches_are_drawn_where_a_run_makes_some(window: MainWindow) -> None:
    window.menus.exporter.export_chart("planning")
    assert "No run searches for better plans" in window.messages.shown[0].text.text()
    window.messages.clear()


def test_a_chart_shows_the_time_that_the_window_shows(window: MainWindow, tmp_path: Path) -> None:
    window.menus.exporter.write_chart("gantt", tmp_path / "whole.png")
    settle(window)
    window.clock.set_window(100_000, 120_000)
    window.menus.exporter.write_chart("gantt", tmp_path / "part.png")
    settle(window)
    assert (tmp_path / "whole.png").read_bytes() != (tmp_path / "part.png").read_bytes()


def test_the_gantt_figure_follows_the_charts(window: MainWindow, tmp_path: Path) -> None:
    window.view.choose(rows="users")
    window.view.choose(colours="wait")
    window.selection.select_instant(110_000)
    window.menus.exporter.write_chart("gantt", tmp_path / "users.svg")
    settle(window)
    window.view.choose(rows="processors")
    window.view.choose(colours="user")
    window.selection.clear()
    figure = (tmp_path / "users.svg").read_text("utf-8")
    for text in ("≤ 10 min", "≤ 7 d", "Marked:"):
        assert text in figure, text
    assert "Faded" not in figure


@pytest.mark.parametrize(("jobs", "expected"), [((3,), "job = 4"), (range(9), "9 selected jobs")])
def test_the_gantt_figure_says_which_jobs_were_selected(
    window: MainWindow, tmp_path: Path, jobs: Iterable[int], expected: str
) -> None:
    window.selection.select_jobs(trace_of(window), frozenset(jobs))
    for kind in ("gantt", "heatmap"):
        window.menus.exporter.write_chart(kind, tmp_path / f"{kind}.svg")
    settle(window)
    window.selection.clear()
    assert f"Faded: all but {expected}." in (tmp_path / "gantt.svg").read_text("utf-8")
    assert "Faded" not in (tmp_path / "heatmap.svg").read_text("utf-8")  # all of it is drawn


def test_a_key_asks_for_a_name_and_the_status_line_tells_of_the_file(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def choose(parent: object, title: str, name: str, filters: str) -> tuple[str, str]:
        asked.append((title, name, filters))
        return str(tmp_path / "chosen.svg"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    qtbot.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    settle(window)
    assert asked == [("Export gantt", "site-gantt.pdf", "PDF (*.pdf);;SVG (*.svg);;PNG (*.png)")]
    assert (tmp_path / "chosen.svg").exists()
    assert window.statusBar().currentMessage() == f"Wrote {tmp_path / 'chosen.svg'}"


def test_the_metrics_are_those_of_the_runs(window: MainWindow, tmp_path: Path) -> None:
    window.menus.exporter.write_table("metrics", tmp_path / "metrics.csv")
    settle(window)
    table = pd.read_csv(tmp_path / "metrics.csv", index_col="metric")
    assert list(table.columns) == ["unit", *RUNS, *ABOUT]
    assert table["unit"][["wait_mean", "utilization", "loss_of_capacity_fit", "wt_total"]].tolist() == [
        "s", "%", "%", "processor-s",
    ]  # fmt: skip
    shares = [100 if METRICS[name].share else 1 for name in table.index]
    for run in window.workbench.finished():
        summary = run.result.summary
        assert list(table.index) == list(summary)
        expected = [np.nan if value is None else float(value) for value in summary.values()]
        np.testing.assert_array_equal(table[run.result.name], np.multiply(expected, shares))


def test_queues_are_measured_like_users_and_under_the_filter(window: MainWindow, tmp_path: Path) -> None:
    window.filter.set(Filter(parse_filter("procs > 1"), hides=True))
    settle(window)
    window.menus.exporter.write_table("queues", tmp_path / "queues.csv")
    settle(window)
    window.menus.exporter.write_table("schedule", tmp_path / "plan.csv")
    window.menus.exporter.write_chart("gantt", tmp_path / "gantt.svg")
    window.menus.exporter.write_chart("timeline", tmp_path / "timeline.svg")
    settle(window)
    table = pd.read_csv(tmp_path / "queues.csv")
    jobs = pd.read_csv(tmp_path / "plan-easy.csv")
    assert set(table["filter"]) == set(jobs["filter"]) == {"procs > 1"}
    assert set(table["machine"]) == {"2x8c16g+2x4c8g"}
    np.testing.assert_array_equal(jobs["measured"], jobs["procs"] > 1)
    first, last = jobs["submit"][jobs["measured"]].iloc[[0, -1]]
    assert set(zip(table["measured_from"], table["measured_to"], strict=True)) == {(first, last)}
    figure = (tmp_path / "gantt.svg").read_text("utf-8")
    assert "Only jobs with procs > 1" in re.sub(r"\s+", " ", figure).replace("&gt;", ">")
    assert "on 2x8c16g+2x4c8g: fcfs, fairshare-fcfs, easy, fairshare-easy" in figure
    lines = (tmp_path / "timeline.svg").read_text("utf-8")
    assert "Of all jobs" in lines
    assert "procs" not in lines  # they are lines of all jobs
    window.filter.reset()
    settle(window)
    trace = trace_of(window)
    large = trace.procs > 1
    for name in RUNS:
        own = table[table["policy"] == name].set_index("queue")
        for code, queue in enumerate(trace.queue.names):
            assert own["jobs"][queue] == (large & (trace.queue.codes == code)).sum()


def test_the_users_are_those_of_the_runs(window: MainWindow, tmp_path: Path) -> None:
    window.menus.exporter.write_table("users", tmp_path / "users.csv")
    settle(window)
    table = pd.read_csv(tmp_path / "users.csv", dtype={"user": str})
    assert list(table.columns) == [
        "policy", "user", "jobs", "wait_mean (s)", "bounded_slowdown_mean", "area (processor-s)",
        "violated_jobs", "veet (%)", "wt (processor-s)", "fair_slowdown_mean", "nuwt (s/processor-s)",
        "value", "value_lost", "revenue", "prediction_error_mean (s)", "preempted", "backfilled",
        "walltime_used (%)",
        *ABOUT,
    ]  # fmt: skip
    for run in window.workbench.finished():
        own, users = table[table["policy"] == run.result.name], run.result.users
        assert list(own["user"]) == list(trace_of(window).user.names)
        np.testing.assert_array_equal(own["jobs"], users.jobs)
        for column in ("wait_mean", "bounded_slowdown_mean", "area", "violated_jobs", "veet", "wt"):
            heading = next(name for name in own.columns if name.split(" (")[0] == column)
            np.testing.assert_array_equal(own[heading], users[column], err_msg=column)


def test_each_schedule_gets_a_file_of_its_own(window: MainWindow, tmp_path: Path) -> None:
    window.menus.exporter.write_table("schedule", tmp_path / "plan.csv")
    settle(window)
    assert not (tmp_path / "plan.csv").exists()
    for run, name in enumerate(RUNS, 1):
        table, schedule = pd.read_csv(tmp_path / f"plan-{name}.csv"), schedule_of(window, run)
        trace = schedule.trace
        expected = {
            "job_id": trace.job_id,
            "submit": trace.submit,
            "start": schedule.start,
            "end": schedule.end,
            "procs": schedule.procs,
        }
        for column, values in expected.items():
            np.testing.assert_array_equal(table[column], values, err_msg=column)
        assert f"plan-{name}.csv" in window.statusBar().currentMessage()


def test_schedules_of_runs_with_like_names_do_not_replace_one_another(
    window: MainWindow, tmp_path: Path
) -> None:
    for run, title in ((1, "a/b"), (2, "a b")):
        window.workbench.rename_run(run, title)
    settle(window)
    window.menus.exporter.write_table("schedule", tmp_path / "plan.csv")
    settle(window)
    for run in (1, 2):
        window.workbench.edits.undo()
        table = pd.read_csv(tmp_path / f"plan-a_b-{run}.csv")
        np.testing.assert_array_equal(table["start"], schedule_of(window, run).start)
    settle(window)
    assert len(list(tmp_path.glob("*.csv"))) == 4


def test_no_schedule_replaces_a_file_that_was_read(window: MainWindow, tmp_path: Path) -> None:
    log = tmp_path / "plan-easy.csv"
    log.write_text("a log", "utf-8")
    read_text(log, 100)
    window.menus.exporter.write_table("schedule", tmp_path / "plan.csv")
    settle(window)
    assert "this file is an input; write to another file" in window.messages.newest.text.text()
    assert log.read_text("utf-8") == "a log"
    assert list(tmp_path.glob("*.csv")) == [log]


@pytest.mark.parametrize(
    ("kind", "name"), [("gantt", "no/gantt.pdf"), ("gantt", "gantt.bmp"), ("users", "no/u.csv")]
)
def test_what_cannot_be_written_is_reported(window: MainWindow, tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / name
    if kind == "gantt":
        window.menus.exporter.write_chart(kind, path)
    else:
        window.menus.exporter.write_table(kind, path)
    settle(window)
    assert window.messages.isVisible()
    text = window.messages.newest.text.text()
    assert text.startswith(f"{path}: ")
    assert "Errno" not in text
    assert not window.messages.newest.more.isVisible()
    assert not list(tmp_path.rglob("*.csv"))


def test_the_log_that_is_open_is_never_replaced(window: MainWindow) -> None:
    session = window.keeper.session()
    assert session is not None
    log = Path(session.source.path)
    before = log.read_bytes()
    window.menus.exporter.write_table("users", log)
    settle(window)
    assert window.messages.newest.text.text() == f"{log}: this file is an input; write to another file"
    assert log.read_bytes() == before


def test_before_a_run_is_done_there_is_nothing_to_export(
    make_window: Callable[..., MainWindow], site: Path
) -> None:
    window = make_window()
    window.open_path(site)
    settle(window)
    for run in list(window.page.runs.panels):
        window.workbench.remove_run(run)
    settle(window)
    window.menus.exporter.export_chart("gantt")
    assert window.messages.newest.text.text() == "There is nothing to export before a run is done."
