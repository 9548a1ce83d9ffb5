"""Dialogs on low screens with large letters: what has no room scrolls, and the buttons stay in reach."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QFont, QTextTable
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QWidget

from app.actions.key_sheet import KeySheet
from app.actions.open_options import open_with_options
from app.actions.palette import Palette
from app.panels.dialogs import HighArea, room_for, show_dialog
from app.panels.opening.open_dialog import OpenDialog
from app.panels.policies.scale_choice import ScaleDialog
from app.panels.settings_page import SettingsPage
from app.shell.window import MainWindow
from resources import example_path
from tests.app.windows import open_dialog, settle

LOW = QSize(960, 540)


@pytest.fixture
def large(qapp: QApplication) -> Iterator[None]:
    """A font of 14 points; afterwards the font of the program is restored."""
    before, font = QApplication.font(), QApplication.font()
    font.setPointSize(14)
    QApplication.setFont(QFont(font))
    yield
    QApplication.setFont(before)


def export(window: MainWindow) -> None:
    window.menus.exporter.ask()


def options(window: MainWindow) -> None:
    open_with_options(window.models, window.opener, example_path(), window)
    settle(window)


def settings(window: MainWindow) -> None:
    show_dialog(SettingsPage(window.models, window, window))


def what_if(window: MainWindow) -> None:
    show_dialog(ScaleDialog(window.workbench, None, window))


def add_a_run(window: MainWindow) -> None:
    window.editor.add()


@pytest.mark.parametrize("ask", [export, options, settings, what_if, add_a_run])
def test_a_dialog_scrolls_and_its_buttons_stay(
    same_window: MainWindow,
    large: None,
    monkeypatch: pytest.MonkeyPatch,
    ask: Callable[[MainWindow], None],
) -> None:
    monkeypatch.setattr("app.panels.dialogs.screen_size", lambda _: LOW)
    ask(same_window)
    settle(same_window)
    dialog = open_dialog(same_window)
    assert dialog.width() <= room_for(dialog).width()
    assert dialog.height() <= room_for(dialog).height()
    assert dialog.height() < LOW.height()
    buttons = dialog.findChild(QDialogButtonBox)
    assert buttons is not None
    for button in buttons.buttons():
        assert dialog.rect().contains(place(button, dialog)), button.text()
    for area in dialog.findChildren(HighArea):
        hidden = area.widget().height() - area.viewport().height()
        assert area.verticalScrollBar().maximum() >= hidden
    dialog.reject()
    settle(same_window)


def test_names_are_read_whole_in_a_narrow_palette(same_window: MainWindow, large: None) -> None:
    same_window.resize(760, 540)
    same_window.menus.offered.actions["palette"].trigger()
    palette = open_dialog(same_window)
    assert isinstance(palette, Palette)
    assert palette.width() < 740
    room = palette.list.header().sectionSize(0)
    names = [palette.list.topLevelItem(row).text(0) for row in range(10)]
    wide = {name: palette.list.fontMetrics().horizontalAdvance(name) for name in names}
    assert [name for name in names if wide[name] >= room] == []
    palette.reject()
    same_window.resize(1280, 800)


def test_names_and_menus_are_read_whole_where_there_is_room(same_window: MainWindow) -> None:
    same_window.menus.offered.actions["palette"].trigger()
    palette = open_dialog(same_window)
    assert isinstance(palette, Palette)
    wide = [palette.list.sizeHintForColumn(column) for column in range(3)]
    assert sum(wide) < palette.list.viewport().width()
    assert [palette.list.header().sectionSize(column) >= wide[column] for column in range(3)] == [True] * 3
    palette.reject()


def test_the_form_of_options_has_one_column_where_two_do_not_fit(
    same_window: MainWindow, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for width, beside in ((1000, False), (1920, True)):
        monkeypatch.setattr("app.panels.dialogs.screen_size", lambda _, width=width: QSize(width, 540))
        options(same_window)
        settle(same_window)
        dialog = open_dialog(same_window)
        assert isinstance(dialog, OpenDialog)
        area = dialog.pages.widget(0)
        assert isinstance(area, HighArea)
        assert not area.horizontalScrollBar().isVisible()
        machine, zone = (place(dialog.form.fields[name], dialog) for name in ("machine", "timezone"))
        assert (zone.left() > machine.right()) == beside
        dialog.reject()
        settle(same_window)


def test_keys_are_in_one_column_in_a_narrow_window(same_window: MainWindow, large: None) -> None:
    for width, columns in ((683, 1), (960, 1), (1400, 2)):
        same_window.resize(width, 540)
        same_window.menus.offered.actions["keys"].trigger()
        sheet = open_dialog(same_window)
        assert isinstance(sheet, KeySheet)
        assert sheet.sheet.document().toHtml().count("<h4") >= 5
        (table, *_) = (
            f for f in sheet.sheet.document().rootFrame().childFrames() if isinstance(f, QTextTable)
        )
        assert table.columns() == columns
        sheet.reject()
        settle(same_window)


def place(widget: QWidget, dialog: QDialog) -> QRect:
    return QRect(widget.mapTo(dialog, QPoint(0, 0)), widget.size())
