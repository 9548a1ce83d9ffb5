"""Keys of the charts that other parts would take for themselves."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.windows import EASY, FCFS, LEFT, open_tabs, schedule_of, settle, trace_of

PART = (1000.0, 9000.0)


def pressed(qtbot: QtBot, window: MainWindow, part: QWidget, key: Qt.Key) -> tuple[float, float]:
    """The time that is shown after a key was pressed while a part had the focus."""
    window.clock.set_window(*PART)
    part.setFocus()
    qtbot.keyClick(part, key)
    return window.clock.window


def moved(window: tuple[float, float]) -> bool:
    return window != PART


@pytest.mark.parametrize("view", ["users", "jobs", "metrics"])
def test_letters_move_the_charts_after_a_click_in_a_table(
    qtbot: QtBot, same_window: MainWindow, view: str
) -> None:
    table = same_window.page.views["table"] if view == "metrics" else same_window.page.views[view]
    same_window.page.tabs.setCurrentWidget(table)
    open_tabs(same_window)
    qtbot.mouseClick(table.view.viewport(), LEFT, pos=table.view.viewport().rect().center())
    for key in (Qt.Key.Key_W, Qt.Key.Key_A, Qt.Key.Key_S, Qt.Key.Key_D):
        assert moved(pressed(qtbot, same_window, table.view, key)), key
    assert pressed(qtbot, same_window, table.view, Qt.Key.Key_Home) == same_window.clock.bounds
    window = pressed(qtbot, same_window, table.view, Qt.Key.Key_Down)
    assert not moved(window)  # the next row
    same_window.selection.clear()


def test_home_and_arrows_move_the_charts_after_a_click_in_the_inspector(
    qtbot: QtBot, same_window: MainWindow
) -> None:
    browser = same_window.inspector.browser
    assert pressed(qtbot, same_window, browser, Qt.Key.Key_Home) == same_window.clock.bounds
    assert moved(pressed(qtbot, same_window, browser, Qt.Key.Key_Left))
    assert moved(pressed(qtbot, same_window, browser, Qt.Key.Key_W))
    assert not moved(pressed(qtbot, same_window, browser, Qt.Key.Key_Down))  # the next line


def test_letters_do_not_choose_another_measure(qtbot: QtBot, same_window: MainWindow) -> None:
    box = same_window.page.views["boxplots"].choosers.boxes["measure"]
    same_window.page.tabs.setCurrentWidget(same_window.page.views["boxplots"])
    settle(same_window)
    before = box.currentIndex()
    for key in (Qt.Key.Key_W, Qt.Key.Key_S, Qt.Key.Key_Home):
        assert moved(pressed(qtbot, same_window, box, key)), key
    assert box.currentIndex() == before


def test_f_shows_a_job_as_it_is_under_every_run(qtbot: QtBot, same_window: MainWindow) -> None:
    first, other = schedule_of(same_window, FCFS), schedule_of(same_window, EASY)
    job = int(abs(first.start - other.start).argmax())
    assert first.start[job] != other.start[job]
    same_window.selection.select_job(trace_of(same_window), job)
    settle(same_window)
    pressed(qtbot, same_window, same_window.inspector.browser, Qt.Key.Key_F)
    start, end = same_window.clock.window
    for run in (FCFS, EASY):
        schedule = schedule_of(same_window, run)
        assert start <= schedule.start[job] < schedule.end[job] <= end
    same_window.selection.clear()
    same_window.clock.fit()
