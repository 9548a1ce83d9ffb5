"""The first start on a computer: kernels are compiled by a child while the window answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from app.work.warmup import EngineWarmup
from tests.app.windows import PATIENCE_S, click, settle

MakeWindow = Callable[..., MainWindow]


@pytest.fixture
def cold_window(make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window that believes that nothing is compiled yet."""
    monkeypatch.setattr(EngineWarmup, "needed", True)
    return make_window()


def says_so(window: MainWindow) -> bool:
    labels = window.start_page.findChildren(QLabel)
    return any(label.isVisible() and label.text().startswith("Preparing the engine") for label in labels)


def test_a_trace_is_opened_as_soon_as_the_engine_is_ready(
    qtbot: QtBot, cold_window: MainWindow, site: Path
) -> None:
    window = cold_window
    assert window.status.engine.text().startswith("Preparing")
    assert window.status.progress.isVisible()
    window.open_path(site)
    qtbot.waitUntil(lambda: says_so(window))
    task = window.workbench.opening_task()
    assert task is not None
    assert task.began is None
    qtbot.waitUntil(lambda: window.status.engine.text() == "Ready", timeout=int(PATIENCE_S * 1000))
    settle(window)
    assert len(window.workbench.finished()) == 4
    assert not window.status.progress.isVisible()


def test_what_waits_for_the_engine_can_be_cancelled(
    qtbot: QtBot, cold_window: MainWindow, site: Path
) -> None:
    window = cold_window
    window.open_path(site)
    qtbot.waitUntil(window.start_page.cancel.isVisible)
    click(qtbot, window.start_page.cancel)
    qtbot.waitUntil(lambda: not says_so(window))
    assert not window.workbench.busy
    assert window.start_page.isVisible()
    assert window.status.engine.text().startswith("Preparing")  # it goes on for whatever is opened next


def test_closing_the_window_ends_the_child(qtbot: QtBot, cold_window: MainWindow) -> None:
    (child,) = cold_window.warmup.findChildren(QProcess)
    qtbot.waitUntil(lambda: child.state() == QProcess.ProcessState.Running)
    cold_window.close()
    assert child.state() == QProcess.ProcessState.NotRunning
