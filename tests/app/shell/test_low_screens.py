"""Dialogs on low screens with large letters: what has no room scrolls, and the buttons stay in reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QWidget

from app.actions.open_options import open_with_options
from app.panels.dialogs import HighArea, room_for, show_dialog
from app.panels.scale_choice import ScaleDialog
from app.panels.settings_page import SettingsPage
from app.shell.window import MainWindow
from resources import example_path
from tests.app.windows import open_dialog, settle

LOW = QSize(960, 540)


@pytest.fixture
def large(qapp: QApplication) -> Iterator[None]:
    """Letters of 14 points; those of the program are put back."""
    before, font = QApplication.font(), QApplication.font()
    font.setPointSize(14)
    QApplication.setFont(QFont(font))
    yield
    QApplication.setFont(before)


def export(window: MainWindow) -> None:
    window.menus.exporter.ask()


def options(window: MainWindow) -> None:
    open_with_options(window.models, window.opener, example_path(), window)


def settings(window: MainWindow) -> None:
    show_dialog(SettingsPage(window.models, window, window))


def what_if(window: MainWindow) -> None:
    show_dialog(ScaleDialog("", 0.1, ("walltime", "ram"), lambda _: None, window))


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


def place(widget: QWidget, dialog: QDialog) -> QRect:
    return QRect(widget.mapTo(dialog, QPoint(0, 0)), widget.size())
