"""The command palette: all of the menus, and what is in the trace, by a few letters."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.actions.menu_tree import entries
from app.actions.palette import Palette
from app.shell.window import MainWindow
from tests.app.windows import LEFT, settle

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def palette(qtbot: QtBot, same_window: MainWindow) -> Iterator[Palette]:
    qtbot.keyClick(same_window, Qt.Key.Key_P, CONTROL | SHIFT)
    palette = QApplication.activePopupWidget()
    assert isinstance(palette, Palette)
    yield palette
    QApplication.processEvents()


def shown(palette: Palette) -> list[tuple[str, str, str]]:
    """Name, menus and keys of each line."""
    rows = [palette.list.topLevelItem(row) for row in range(palette.list.topLevelItemCount())]
    return [(row.text(0), row.text(1), row.text(2)) for row in rows]


def test_everything_in_the_menus_is_there_with_its_keys(
    qtbot: QtBot, palette: Palette, same_window: MainWindow
) -> None:
    lines = shown(palette)
    for line in [
        ("Fit all", "View", ""),
        ("Add a run", "Runs", "Ctrl+N"),
        ("✓ Processors", "View › Gantt rows", ""),
        ("Light", "View › Theme", ""),
        ("Command palette", "Help", "Ctrl+Shift+P"),
    ]:
        assert line in lines or (f"✓ {line[0]}", *line[1:]) in lines, line
    room, metrics = palette.list.columnWidth(0) - 16, palette.list.fontMetrics()
    assert max(metrics.horizontalAdvance(name) for name, *_ in lines) <= room  # no name is cut
    usable = [entry for entry in entries(same_window.menuBar()) if entry.action.isEnabled()]
    assert [name.removeprefix("✓ ") for name, *_ in lines] == [entry.name for entry in usable]
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)
    assert not QApplication.activePopupWidget()


def test_letters_find_an_action_and_enter_does_it(
    qtbot: QtBot, palette: Palette, same_window: MainWindow
) -> None:
    same_window.clock.set_window(1000, 9000)
    qtbot.keyClicks(palette.line, "fit all")
    assert shown(palette)[0][:2] == ("Fit all", "View")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert not QApplication.activePopupWidget()
    assert same_window.clock.window == same_window.clock.bounds


def test_arrows_choose_while_the_line_is_typed_in(
    qtbot: QtBot, palette: Palette, same_window: MainWindow
) -> None:
    qtbot.keyClicks(palette.line, "gantt rows")
    names = [name.removeprefix("✓ ") for name, *_ in shown(palette)]
    assert {"Processors", "Nodes"} <= set(names)
    for _ in range(names.index("Nodes")):
        qtbot.keyClick(palette.line, Qt.Key.Key_Down)
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert same_window.view.options.rows == "nodes"
    same_window.view.choose(rows="processors")
    settle(same_window)


def test_a_click_does_it_too(qtbot: QtBot, palette: Palette, same_window: MainWindow) -> None:
    same_window.selection.select_user(2)
    qtbot.keyClicks(palette.line, "clear selection")
    position = palette.list.visualItemRect(palette.list.topLevelItem(0)).center()
    qtbot.mouseClick(palette.list.viewport(), LEFT, pos=QPoint(position))
    assert same_window.selection.value.empty


def test_what_is_not_there_is_reported(qtbot: QtBot, palette: Palette) -> None:
    qtbot.keyClicks(palette.line, "xyzzy")
    assert palette.nothing.isVisible()
    assert shown(palette) == []
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert not QApplication.activePopupWidget()


def test_rows_do_not_touch(qtbot: QtBot, palette: Palette) -> None:
    first = palette.list.topLevelItem(0)
    assert palette.list.visualItemRect(first).height() >= 22
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)
    assert not QApplication.activePopupWidget()


@pytest.mark.parametrize("typed", ["difference", "diff", "timeline", "sweep"])
def test_to_show_something_goes_before_to_export_it(qtbot: QtBot, palette: Palette, typed: str) -> None:
    qtbot.keyClicks(palette.line, typed)
    menus = [menus for _, menus, _ in shown(palette)]
    assert menus[0].startswith("View")
    assert any("Export" in name for name in menus)
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)


def test_what_fits_far_worse_than_the_best_is_left_out(qtbot: QtBot, palette: Palette) -> None:
    qtbot.keyClicks(palette.line, "heatmap")
    assert shown(palette)
    assert all("heatmap" in f"{name} {menus}".lower() for name, menus, _ in shown(palette))
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)


def test_things_in_the_trace_stand_behind_commands(
    qtbot: QtBot, palette: Palette, same_window: MainWindow
) -> None:
    qtbot.keyClicks(palette.line, "queue short")
    assert ("queue short", "135 jobs", "") in shown(palette)
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)
