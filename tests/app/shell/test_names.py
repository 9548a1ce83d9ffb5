"""Names of files, users and policies are shown as they are, whatever they look like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.model.settings import Settings
from app.shell.window import MainWindow
from tests.app.windows import settle

MARKUP = "<h1>big<img src=x>"


def test_nothing_in_a_window_takes_a_name_for_markup(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path, tmp_path: Path
) -> None:
    log, shares = tmp_path / f"{MARKUP}.swf", tmp_path / f"{MARKUP}.csv"
    site.rename(log)
    shares.write_text("user,share\n1,2\n")
    policies = ["easy", f"fairshare-easy:shares={shares}"]
    window = make_window(Settings(theme="light", policies=policies, recent=[str(log)]))
    window.open_path(log)
    settle(window)
    window.show_view("all")
    settle(window)
    labels = [label for label in window.findChildren(QLabel) if MARKUP in label.text()]
    assert window.status.trace in labels
    for label in labels:
        assert label.textFormat() == Qt.TextFormat.PlainText or plain(label.text()).count(MARKUP), label
    tips = [part.toolTip() for part in window.findChildren(QWidget) if "img src" in part.toolTip()]
    assert tips
    for tip in tips:
        assert MARKUP in plain(tip), tip


def plain(rich: str) -> str:
    """What Qt shows of a text with markup."""
    document = QTextDocument()
    document.setHtml(rich)
    return document.toPlainText()
