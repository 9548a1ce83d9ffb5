"""Schedules of other programs in the window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.schedule.write import write_swf
from tests.app.windows import EASY, schedule_of, settle


@pytest.fixture
def window(qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path) -> MainWindow:
    """A window with a log and four runs."""
    window = make_window()
    window.open_path(site)
    qtbot.waitUntil(lambda: len(window.page.runs.panels) == 4)
    settle(window)
    return window


def _choose(window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    found = (
        each_action
        for each_action in window.findChildren(QAction)
        if each_action.text() == "Add a &schedule from a file…"
    )
    (action,) = found
    action.trigger()


def test_a_schedule_from_a_file_is_a_run_beside_the_others(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    easy = schedule_of(window, EASY)
    path = tmp_path / "other.swf"
    write_swf(easy, path)
    _choose(window, path, monkeypatch)
    qtbot.waitUntil(lambda: len(window.page.runs.panels) == 5)
    settle(window)
    added = window.workbench.study.runs[-1]
    assert added.policy.file == str(path)
    assert schedule_of(window, added.id).start.tolist() == easy.start.tolist()
    assert window.workbench.study.name(added) == "other.swf"
    again = tmp_path / "again" / "other.swf"
    again.parent.mkdir()
    path.rename(again)
    _choose(window, again, monkeypatch)
    qtbot.waitUntil(lambda: len(window.page.runs.panels) == 6)
    settle(window)
    assert window.workbench.study.name(window.workbench.study.runs[-1]) == "again/other.swf"


def test_what_it_breaks_is_reported(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = window.workbench.study.trace
    rows = "".join(f"{job},{trace.submit[0]}\n" for job in trace.job_id)
    path = tmp_path / "other.csv"
    path.write_text(f"job_id,start\n{rows}")
    received: list[str] = []
    monkeypatch.setattr(window.models.messages, "show_message", lambda text, *_, **__: received.append(text))
    _choose(window, path, monkeypatch)
    qtbot.waitUntil(lambda: any(text.startswith("other.csv is not a valid schedule") for text in received))
    _choose(window, tmp_path / "other.txt", monkeypatch)
    assert received[-1].endswith("a schedule is a CSV, Parquet or SWF file, by its name.")
    settle(window)
