"""What tests of sessions in the window need."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.windows import click, settle

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def save_as(qtbot: QtBot, window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Save the session of a window under a name that is asked for."""
    with monkeypatch.context() as patch:
        patch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
        qtbot.keyClick(window, Qt.Key.Key_S, CONTROL | SHIFT)
    settle(window)


def answer(qtbot: QtBot, window: MainWindow, label: str) -> None:
    """Click on a button of the newest message."""
    (button,) = (b for b in window.messages.newest.findChildren(QPushButton) if b.text() == label)
    click(qtbot, button)
