"""Where the keys go: they stay with the charts, whatever comes and goes around them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.filter import parse_filter
from tests.app.session.sessions import answer
from tests.app.windows import EASY, FCFS, click, panel, settle, show_tab
from views.state.filter import Filter
from views.tables.groups_table import GroupsTable

HIDES = Filter(parse_filter("procs > 1"), hides=True)


def press(qtbot: QtBot, key: Qt.Key) -> None:
    """A key goes to whatever has the keys."""
    focused = QApplication.focusWidget()
    assert focused is not None
    qtbot.keyClick(focused, key)


@pytest.mark.parametrize("label", ["Undo", "Close"])
def test_keys_go_back_to_the_chart_when_a_message_was_answered(
    qtbot: QtBot, window: MainWindow, label: str
) -> None:
    window.filter.set(HIDES)
    chart = panel(window, FCFS).heatmap
    chart.setFocus()
    window.workbench.remove_run(EASY)
    settle(window)
    answer(qtbot, window, label)
    settle(window)
    assert chart.hasFocus()
    before = window.clock.window
    press(qtbot, Qt.Key.Key_W)
    press(qtbot, Qt.Key.Key_D)
    assert window.clock.window != before
    press(qtbot, Qt.Key.Key_Backspace)
    assert window.filter.value == HIDES
    assert window.page.filter_bar.line.text() == "procs > 1"


def test_keys_mean_what_they_mean_in_charts_where_what_had_them_is_gone(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.filter.set(HIDES)
    show_tab(qtbot, window, "Users").setFocus()
    window.messages.show_message("Something is wrong.", "its details")
    click(qtbot, window.messages.newest.more)
    window.page.tabs.setCurrentIndex(0)
    (close,) = (b for b in window.messages.newest.findChildren(QPushButton) if b.text() == "Close")
    close.setFocus(Qt.FocusReason.TabFocusReason)
    press(qtbot, Qt.Key.Key_Space)
    before = window.clock.window
    press(qtbot, Qt.Key.Key_W)
    assert window.clock.window != before
    assert not window.page.filter_bar.line.hasFocus()


def test_keys_go_to_the_charts_when_a_trace_is_there(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path
) -> None:
    window = make_window()
    window.open_path(site)
    settle(window)
    before = window.clock.window
    press(qtbot, Qt.Key.Key_W)
    assert window.clock.window != before


def test_the_list_of_the_worst_served_takes_the_keys(qtbot: QtBot, same_window: MainWindow) -> None:
    window = same_window
    panel(window, FCFS).gantt.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    settle(window)
    users = window.page.views["users"]
    assert isinstance(users, GroupsTable)
    assert users.view.hasFocus()
    (worst,) = window.selection.value.users
    for _ in range(2):  # onto the first row, who is the worst served, and to the next
        press(qtbot, Qt.Key.Key_Down)
    assert window.selection.value.users - {worst}
