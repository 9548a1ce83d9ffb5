"""Find and Go to a time: typed, picked with Enter, selected and zoomed to."""

from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.actions.palette import Palette
from app.shell.window import MainWindow
from tests.app.windows import EASY, FCFS, panel, schedule_of, settle, trace_of

CONTROL = Qt.KeyboardModifier.ControlModifier
DAY = 86_400.0


def type_into(qtbot: QtBot, window: MainWindow, key: Qt.Key, typed: str) -> Palette:
    """Open the palette by its key and type."""
    window.activateWindow()  # offscreen no window is active after a popup has gone
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, key, CONTROL)
    palette = QApplication.activePopupWidget()
    assert isinstance(palette, Palette)
    qtbot.keyClicks(palette.line, typed)
    return palette


def pick(qtbot: QtBot, window: MainWindow, typed: str, key: Qt.Key = Qt.Key.Key_F) -> None:
    """Type, and take the first that is found."""
    qtbot.keyClick(type_into(qtbot, window, key, typed).line, Qt.Key.Key_Return)
    assert not QApplication.activePopupWidget()
    settle(window)


def time_of(window: MainWindow, *wall: int) -> float:
    """Seconds from the zero of the log to a time on a clock in Prague."""
    moment = datetime(*wall, tzinfo=ZoneInfo("Europe/Prague"))  # type: ignore[arg-type, misc]
    return moment.timestamp() - trace_of(window).zero


def test_a_job_is_selected_and_zoomed_to(qtbot: QtBot, same_window: MainWindow) -> None:
    trace = trace_of(same_window)
    same_window.selection.select_time_range(0, 100)
    pick(qtbot, same_window, "job 20")
    (job,) = np.flatnonzero(trace.job_id == 20)
    value = same_window.selection.value
    assert (value.jobs, value.time_range) == ({job}, None)
    starts, ends = zip(
        *(
            (schedule_of(same_window, run).start[job], schedule_of(same_window, run).end[job])
            for run in (1, 4)
        ),
        strict=True,
    )
    clock = same_window.clock
    assert clock.start <= trace.submit[job] <= min(starts)
    assert max(ends) <= clock.end
    assert clock.span < 0.5 * (clock.bounds[1] - clock.bounds[0])


@pytest.mark.parametrize(("typed", "kind"), [("user 3", "user"), ("queue sho", "queue"), ("SHORT", "queue")])
def test_users_and_queues_are_selected(qtbot: QtBot, same_window: MainWindow, typed: str, kind: str) -> None:
    pick(qtbot, same_window, typed)
    names = getattr(trace_of(same_window), kind).names
    (code,) = getattr(same_window.selection.value, f"{kind}s")
    assert names[code] == ("3" if kind == "user" else "short")


def test_a_node_is_brought_into_sight_with_the_jobs_that_ran_on_it(
    qtbot: QtBot, same_window: MainWindow
) -> None:
    pick(qtbot, same_window, "small 1")  # the last of two nodes of eight processors and two of four
    pieces = schedule_of(same_window, FCFS).pieces
    rows = np.flatnonzero(pieces["node"] == 3)
    jobs = set((np.searchsorted(pieces.offset, rows, "right") - 1).tolist())
    assert same_window.selection.value.jobs == jobs
    low, high = same_window.clock.rows
    assert low <= 20 / 24 < high == 1
    assert low > 0
    same_window.view.choose(rows="users")
    pick(qtbot, same_window, "big 0")
    assert same_window.view.options.rows == "nodes"
    assert same_window.clock.rows[0] == 0
    same_window.view.choose(rows="processors")
    settle(same_window)


def test_a_run_is_picked_and_its_charts_are_seen(qtbot: QtBot, same_window: MainWindow) -> None:
    same_window.view.choose(columns=1)
    settle(same_window)
    pick(qtbot, same_window, "run easy")
    assert same_window.explore.run_id == EASY
    gantt = panel(same_window, EASY).gantt
    assert gantt.visibleRegion().boundingRect().height() > gantt.height() / 2
    same_window.view.choose(columns=0)
    same_window.explore_dock.hide()


def test_an_instant_is_inspected_within_its_day(qtbot: QtBot, same_window: MainWindow) -> None:
    pick(qtbot, same_window, "2 Jan 14:30", Qt.Key.Key_G)
    time = time_of(same_window, 2013, 1, 2, 14, 30)
    assert same_window.selection.value.instant == time
    assert same_window.clock.window == (time - DAY / 2, time + DAY / 2)


def test_a_range_is_typed(qtbot: QtBot, same_window: MainWindow) -> None:
    pick(qtbot, same_window, "2013-01-02 8:00 to 3 Jan", Qt.Key.Key_G)
    start, end = time_of(same_window, 2013, 1, 2, 8), time_of(same_window, 2013, 1, 4)
    assert same_window.selection.value.time_range == (start, end)
    assert same_window.clock.start < start < end < same_window.clock.end
    assert same_window.clock.span < 1.2 * (end - start)


def test_go_to_a_time_finds_times_alone(qtbot: QtBot, same_window: MainWindow) -> None:
    palette = type_into(qtbot, same_window, Qt.Key.Key_G, "12")
    assert palette.list.topLevelItemCount() == 0
    assert "2013-02" in palette.nothing.text()
    assert palette.nothing.isVisible()
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)


def test_an_empty_line_says_what_can_be_typed(qtbot: QtBot, same_window: MainWindow) -> None:
    palette = type_into(qtbot, same_window, Qt.Key.Key_F, "")
    assert not palette.nothing.isVisible()
    assert "21 Mar 14:00" in palette.line.placeholderText()
    qtbot.keyClicks(palette.line, "xyzzy")
    assert palette.nothing.isVisible()
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)
