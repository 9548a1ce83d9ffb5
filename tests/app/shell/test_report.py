"""A report from the File menu."""

from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.session.archive import read_session
from app.shell.window import MainWindow
from tests.app.windows import settle


@pytest.fixture
def window(same_window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr("app.report.make.FIGURES", ("heatmap",))
    return same_window


def ask(window: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(folder), ""))
    (action,) = [
        each_action
        for each_action in window.findChildren(QAction)
        if each_action.text() == "Write a &report…"
    ]
    action.trigger()


def test_the_menu_writes_what_the_window_shows(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "report"
    monkeypatch.setattr("app.report.make.FIGURES", ("radar",))  # each is drawn by other tests too
    ask(window, folder, monkeypatch)
    qtbot.waitUntil((folder / "index.html").is_file, timeout=60_000)
    settle(window)
    assert not window.messages.shown
    runs = [run.result.schedule.policy.spelling for run in window.models.workbench.finished()]
    session = read_session(folder / "session.batchscope")
    assert [run.policy for run in session.runs] == runs
    text = (folder / "index.html").read_text("utf-8")
    assert all(name in text for name in runs)
    assert (folder / "figures" / "radar.pdf").is_file()
    assert (folder / "figures" / "difference-2.pdf").is_file()


def test_a_folder_with_other_things_is_left_alone(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    ask(window, tmp_path, monkeypatch)
    settle(window)
    assert "not empty" in window.messages.newest.text.text()
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    window.messages.clear()
