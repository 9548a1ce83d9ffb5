"""The status line: what the engine does, memory, and frame times when they are asked for."""

import sys
import time

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.system import resident_bytes
from tests.app.windows import settle, slow_simulations


@pytest.fixture
def window(restored_window: MainWindow) -> MainWindow:
    """The window of the file: these tests change only what is shown."""
    return restored_window


def test_what_runs_is_reported(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    with slow_simulations(monkeypatch) as gate:
        qtbot.keyClick(window, Qt.Key.Key_F5)
        qtbot.waitUntil(gate.arrived.is_set)
        qtbot.waitUntil(lambda: window.status.engine.text().startswith("Simulating 4 runs, "))
    settle(window)
    qtbot.waitUntil(lambda: window.status.engine.text() == "Ready")


def test_memory_is_reported(window: MainWindow) -> None:
    held = resident_bytes()
    assert held is not None
    assert held > 2**25
    found = int(window.status.memory.text().removesuffix(" MB").replace("\u202f", ""))
    assert found == pytest.approx(held / 2**20, rel=0.5)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take it back by themselves")
def test_freed_memory_is_given_back_when_the_window_rests(qtbot: QtBot, window: MainWindow) -> None:
    pieces = [b"x" * 60_000 for _ in range(2000)]
    pieces = pieces[-1:]  # keeps the end of the heap in use
    held = resident_bytes()
    window.workbench.start_run(1)
    qtbot.waitUntil(lambda: resident_bytes() < held - 80_000_000)
    assert pieces


def test_frame_times_are_measured_only_on_demand(qtbot: QtBot, window: MainWindow) -> None:
    status = window.status
    assert not status.frames.isVisible()
    status.show_frames(True)
    time.sleep(0.08)  # holds the window
    qtbot.waitUntil(lambda: bool(status.frames.text()))
    held = int(status.frames.text().split("window blocked ")[1].split(" ms")[0])
    assert 60 <= held <= 60_000
    assert status.frames.text().startswith("frame ")
    status.show_frames(False)
    assert not status.frames.isVisible()
