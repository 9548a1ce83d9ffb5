"""The table of commands: one entry is in menu, palette and key list, and says why it cannot be used."""

from collections.abc import Callable

from app.actions.menu_tree import entries
from app.shell.window import MainWindow

MakeWindow = Callable[..., MainWindow]


def test_every_command_lies_in_a_menu_once(same_window: MainWindow) -> None:
    in_menus = [id(entry.action) for entry in entries(same_window.menuBar())]
    offered = same_window.menus.offered.actions
    shown = {name: action for name, action in offered.items() if action.isVisible()}
    assert len(shown) > 100
    assert {name for name, action in shown.items() if in_menus.count(id(action)) != 1} == set()


def test_a_command_that_needs_a_trace_says_so_before_one_is_open(make_window: MakeWindow) -> None:
    offered = make_window().menus.offered
    save, leave = offered.actions["save"], offered.actions["quit"]
    assert not save.isEnabled()
    assert save.toolTip() == "Trace, runs and view (Ctrl+S)\nOpen a trace first"
    assert save.statusTip() == "Open a trace first"
    assert leave.isEnabled()
    assert leave.toolTip() == "Close all windows (Ctrl+Q)"


def test_what_two_runs_in_comparison_decide_cannot_be_chosen_meanwhile(same_window: MainWindow) -> None:
    colour = same_window.menus.offered.actions["colours=user"]
    before = colour.toolTip()
    same_window.show_view("difference")
    try:
        assert not colour.isEnabled()
        assert "Two runs are compared" in colour.toolTip()
    finally:
        same_window.show_view("all")
    assert colour.isEnabled()
    assert colour.toolTip() == before
