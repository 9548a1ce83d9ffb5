"""Closing the window, whatever goes on, ends all work and leaves nothing behind."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.model.settings import Settings, load_settings
from app.shell.window import MainWindow
from app.work.kernel_compilation import KernelCompilation
from tests.app.windows import settle, show, site_log, slow_simulations
from tests.paths import ROOT


def test_windows_come_and_go_without_a_word(kernels: None, site: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.app.shell.many_windows", str(site)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_logs_that_were_open_at_once_give_their_memory_back(kernels: None, tmp_path: Path) -> None:
    """After the first round no more is held than what the heap does not give back at once."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.app.shell.many_logs", str(tmp_path), "3", "3", "100"],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    first, _, last = map(int, done.stdout.split())
    assert last - first < 24


def test_closing_stops_what_runs_at_once(
    qtbot: QtBot, make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    window = make_window()
    window.open_path(site_log(tmp_path, jobs=40_000))
    qtbot.waitUntil(lambda: 3 in window.run_list.rows and bool(window.workbench.open_study.drawn))
    assert window.workbench.busy
    began = time.monotonic()
    window.close()
    assert time.monotonic() - began < 20
    assert not window.workbench.executor.busy
    assert load_settings().recent[0].endswith("site.swf")


def test_quit_closes_the_window_while_runs_wait(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    with slow_simulations(monkeypatch) as gate:
        qtbot.keyClick(window, Qt.Key.Key_F5)
        qtbot.waitUntil(gate.arrived.is_set)
        qtbot.keyClick(window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
        assert not window.isVisible()
        assert not window.workbench.busy


def test_a_closed_window_starts_nothing_any_more(window: MainWindow, site: Path) -> None:
    window.close()
    window.workbench.start_run(1)
    window.open_path(site)
    assert not window.workbench.busy
    settle(window)


def test_a_window_that_is_destroyed_asks_nothing_of_its_parts(
    qtbot: QtBot, kernels: None, tuned: None, look: None, monkeypatch: pytest.MonkeyPatch, site: Path
) -> None:
    """Its edits are destroyed after the menu bar that has the focus, and send a signal then."""
    monkeypatch.setattr(KernelCompilation, "needed", False)
    window = MainWindow(Settings(theme="light"), keep_settings=False)
    show(window)
    window.open_path(site)
    settle(window)
    window.workbench.remove_run(window.workbench.study.runs[-1].id)
    assert window.messages.shown
    window.menuBar().setFocus()
    window.close()
    with qtbot.captureExceptions() as errors:
        shiboken6.delete(window)
    assert not errors
