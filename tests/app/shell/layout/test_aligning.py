"""Runs aligned at an event: charts are shifted, a second axis says by how much, and it is undone."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.session.sessions import save_as
from tests.app.shell.test_context import choose, right_click
from tests.app.shell.test_undo import offers, undo
from tests.app.windows import (
    EASY,
    FAIR_EASY,
    FCFS,
    box_of,
    inspected,
    large_jobs,
    panel,
    plot_of,
    schedule_of,
    settle,
    trace_of,
)
from views.data.marks import TimeMark
from views.text.values import duration
from views.timechart.offset_axis import format_offset


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


def late_job(window: MainWindow) -> int:
    """A large job that starts at three different times."""
    for job in large_jobs(window, FCFS):
        starts = {int(schedule_of(window, run).start[job]) for run in (FCFS, EASY, FAIR_EASY)}
        if len(starts) == 3:
            return job
    raise AssertionError("all start at the same times")


def align(qtbot: QtBot, window: MainWindow, job: int) -> None:
    """By the menu of the job in the Gantt chart of FCFS."""
    start, end = schedule_of(window, FCFS).start[job], schedule_of(window, FCFS).end[job]
    window.clock.fit_range(float(start), float(end), margin=2.0)
    settle(window)
    gantt = panel(window, FCFS).gantt
    menu = right_click(window, gantt, box_of(window, FCFS, job).center())
    choose(qtbot, menu, f"Job {trace_of(window).job_id[job]}", "Align runs")
    window.activateWindow()  # which a window manager does
    qtbot.waitUntil(window.isActiveWindow)
    settle(window)


def test_runs_are_aligned_at_the_start_of_a_job_and_a_second_axis_says_by_how_much(
    qtbot: QtBot, window: MainWindow
) -> None:
    job = late_job(window)
    align(qtbot, window, job)
    xs = set()
    for run in (FCFS, EASY, FAIR_EASY):
        chart, start = panel(window, run), float(schedule_of(window, run).start[job])
        offset = start - float(schedule_of(window, FCFS).start[job])
        assert chart.clock.window == pytest.approx(tuple(edge + offset for edge in window.clock.window))
        assert chart.offset_axis.isVisible() is (run != FCFS)
        xs.add(round(chart.gantt.frame().scale.x(start) - plot_of(chart.gantt).left()))
        if run != FCFS:
            assert format_offset(offset)[1:] == duration(abs(offset))
            left = chart.offset_axis.grab(chart.offset_axis.rect().adjusted(0, 0, -chart.width() + 80, 0))
            assert len(np.unique(left.toImage().constBits())) > 2  # something is written there
    assert len(xs) == 1  # the job starts below itself
    assert [name.split(" (")[0] for name in offers(window)] == ["Undo the alignment of runs"]
    undo(qtbot, window)
    assert not any(panel(window, run).offset_axis.isVisible() for run in (FCFS, EASY, FAIR_EASY))
    assert panel(window, EASY).clock.window == window.clock.window


def test_a_shifted_chart_picks_and_shows_its_own_time(qtbot: QtBot, window: MainWindow) -> None:
    job = late_job(window)
    align(qtbot, window, job)
    shifted, base = panel(window, EASY).gantt, panel(window, FCFS).gantt
    middle = QPointF(plot_of(shifted).center())
    time = shifted.frame().scale.time(middle.x())
    qtbot.mouseMove(shifted, middle.toPoint())
    qtbot.waitUntil(lambda: window.clock.pointed == pytest.approx(time, rel=1e-3))
    assert base.clock.hover == pytest.approx(time - shifted.clock.shift, rel=1e-3)
    qtbot.keyClick(shifted, Qt.Key.Key_I)
    assert window.selection.value.instant == pytest.approx(time, rel=1e-3)
    assert inspected(window)
    window.selection.select_job(trace_of(window), job)
    window.clock.fit()
    qtbot.keyClick(shifted, Qt.Key.Key_F)
    start, end = shifted.clock.window
    assert start < schedule_of(window, EASY).start[job] < end


def test_a_time_is_aligned_with_a_mark_and_the_menu_of_the_mark_with_its_job(
    qtbot: QtBot, window: MainWindow
) -> None:
    job = late_job(window)
    number = int(trace_of(window).job_id[job])
    window.view.choose(marks=(TimeMark("noon", start=50_000.0, end=50_000.0),))
    settle(window)
    gantt = panel(window, EASY).gantt
    spot = QPointF(plot_of(gantt).center())
    time = gantt.frame().scale.time(spot.toPoint().x())
    choose(qtbot, right_click(window, gantt, spot), "Align this time with", "noon")
    settle(window)
    assert gantt.clock.shift == pytest.approx(time - 50_000)
    axis = window.page.runs.axes[0]
    window.view.choose(marks=(TimeMark(f"job {number}", start=60_000.0, end=70_000.0, jobs=(number,)),))
    settle(window)
    flag = QPointF(axis.frame().scale.x(60_000.0), axis.frame().axis.top() + 3)
    choose(qtbot, right_click(window, axis, flag), "Mark job", "Align runs")
    start, end = (float(schedule_of(window, run).start[job]) for run in (FCFS, EASY))
    assert gantt.clock.shift == end - start
    choose(qtbot, right_click(window, axis, flag), "End the alignment")
    assert window.view.options.offsets == ()


def test_an_alignment_is_kept_in_sessions(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    align(qtbot, window, late_job(window))
    offsets = window.view.options.offsets
    file = tmp_path / "aligned.batchscope"
    save_as(qtbot, window, file, monkeypatch)
    choose(qtbot, right_click(window, panel(window, EASY).gantt, QPointF(300, 60)), "End the alignment")
    assert window.view.options.offsets == ()
    window.open_path(file)
    settle(window)
    assert window.view.options.offsets == offsets
    assert panel(window, EASY).clock.shift == dict(offsets)[EASY]
