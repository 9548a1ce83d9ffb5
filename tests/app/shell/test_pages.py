"""Pages are entered and left by the switch, by their keys, and by Esc and Back."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.windows import FCFS, click, panel, settle
from views.catalog import ALL, PLACES

ALT, CONTROL, NONE = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.NoModifier,
)
KEYS = {
    "difference": (Qt.Key.Key_D, CONTROL),
    "search": (Qt.Key.Key_3, ALT),
    "study": (Qt.Key.Key_4, ALT),
    "sweep": (Qt.Key.Key_5, ALT),
    "now": (Qt.Key.Key_6, ALT),
    "twin": (Qt.Key.Key_7, ALT),
    "change": (Qt.Key.Key_8, ALT),
}


def press(qtbot: QtBot, window: MainWindow, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
    """Press a key where the keys are, and wait."""
    qtbot.keyClick(QApplication.focusWidget() or window, key, modifier)
    settle(window)


def shown(window: MainWindow) -> tuple[str, list[str]]:
    """The view, and which buttons of the switch are pressed."""
    buttons = window.menus.switch.buttons
    return window.view.options.view, [name for name, button in buttons.items() if button.isChecked()]


@pytest.mark.parametrize("name", PLACES)
def test_a_page_is_left_the_way_it_was_entered(qtbot: QtBot, module_window: MainWindow, name: str) -> None:
    window = module_window
    window.messages.clear()
    window.selection.clear()
    window.view.choose(view=ALL)
    window.page.setFocus()
    settle(window)
    key = KEYS[name]
    press(qtbot, window, *key)
    assert shown(window) == (name, [name])
    assert window.page.views[name].isVisible()
    press(qtbot, window, *key)
    assert shown(window) == (ALL, [ALL])
    press(qtbot, window, *key)
    press(qtbot, window, Qt.Key.Key_Escape)
    assert shown(window) == (ALL, [ALL])
    press(qtbot, window, *key)
    press(qtbot, window, Qt.Key.Key_Left, ALT)
    assert shown(window) == (ALL, [ALL])
    buttons = window.menus.switch.buttons
    click(qtbot, buttons[name])
    assert shown(window) == (name, [name])
    click(qtbot, buttons[ALL])
    assert shown(window) == (ALL, [ALL])
    assert panel(window, FCFS).isVisible()


def test_esc_closes_a_message_then_clears_the_selection_then_leaves(
    qtbot: QtBot, module_window: MainWindow
) -> None:
    window = module_window
    window.view.choose(view="difference")
    window.selection.select_user(0)
    window.messages.show_message("Something to read.")
    settle(window)
    window.setFocus()
    steps = []
    for _ in range(3):
        press(qtbot, window, Qt.Key.Key_Escape)
        steps.append((len(window.messages.shown), window.selection.value.empty, window.view.options.view))
    assert steps == [(0, False, "difference"), (0, True, "difference"), (0, True, ALL)]


def test_a_view_alone_has_a_button_while_it_is_shown(qtbot: QtBot, module_window: MainWindow) -> None:
    window, switch = module_window, module_window.menus.switch
    assert not switch.other.isVisible()
    window.show_view("timeline")
    settle(window)
    assert (switch.other.isVisible(), switch.other.text(), switch.other.isChecked()) == (
        True,
        "Timeline",
        True,
    )
    click(qtbot, switch.buttons[ALL])
    settle(window)
    assert (window.view.options.view, switch.other.isVisible()) == (ALL, False)


def test_a_chart_that_was_maximised_is_left_by_esc(qtbot: QtBot, module_window: MainWindow) -> None:
    window = module_window
    window.view.choose(solo=(FCFS, "gantt"))
    settle(window)
    panel(window, FCFS).gantt.setFocus()
    press(qtbot, window, Qt.Key.Key_Escape)
    assert window.view.options.solo is None
