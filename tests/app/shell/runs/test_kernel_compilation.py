"""The first start on a computer: kernels are compiled by a child while the window answers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.model.live_run import Phase
from app.shell.window import MainWindow
from app.work import kernel_compilation
from app.work.kernel_compilation import KERNELS, KernelCompilation
from engine.compiler.cache import filled_or_filling
from tests.app.windows import PATIENCE_S, click, panel, settle, site_log

MakeWindow = Callable[..., MainWindow]


@pytest.fixture
def cold_window(make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window that believes that nothing is compiled yet."""
    monkeypatch.setattr(KernelCompilation, "needed", True)
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
    task = window.workbench.log_opening.task
    assert task is not None
    assert task.began is None
    qtbot.waitUntil(lambda: window.status.engine.text() == "Ready", timeout=int(PATIENCE_S * 1000))
    settle(window)
    assert len(window.workbench.finished()) == 4
    assert not window.status.progress.isVisible()


def test_the_recorded_schedule_is_shown_while_kernels_are_compiled(
    qtbot: QtBot, cold_window: MainWindow, tmp_path: Path
) -> None:
    window = cold_window
    compilation, workbench = window.compilation, window.workbench
    with qtbot.waitSignal(compilation.shows_recorded, timeout=int(PATIENCE_S * 1000)):
        window.open_path(site_log(tmp_path, longest_wait=7200))
    compilation.shutdown()  # it is soon done here
    qtbot.waitUntil(lambda: len(workbench.finished()) == 1, timeout=int(PATIENCE_S * 1000))
    names = [workbench.study.name(run) for run in workbench.study.runs]
    assert names == ["recorded", "fcfs", "fairshare-fcfs", "easy", "fairshare-easy"]
    assert [run.result.name for run in workbench.finished()] == ["recorded"]
    qtbot.waitUntil(lambda: panel(window, 1).gantt.schedule is not None)
    assert all(workbench.open_study.live[run].phase is Phase.HELD for run in (2, 3, 4, 5))
    qtbot.waitUntil(lambda: 2 in window.page.runs.panels)  # panels are made one after another
    assert panel(window, 2).gantt.schedule is None
    compilation.finished.emit()
    settle(window)
    assert [run.result.name for run in workbench.finished()] == names


def test_how_many_kernels_are_compiled_is_reported(
    qtbot: QtBot, cold_window: MainWindow, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a bar that grows: one without an end looks full, for a minute."""
    window, folder = cold_window, tmp_path / "kernels"
    for name in ("_end", "_hear"):  # of the child, which is soon done here
        monkeypatch.setattr(KernelCompilation, name, lambda *_: None)
    monkeypatch.setattr(kernel_compilation, "filled_or_filling", lambda: folder)
    folder.mkdir()
    bars = window.status.progress, window.start_page.progress
    window.open_path(site)
    for many, value in ((0, 0), (KERNELS // 4, 250), (KERNELS // 2, 500), (2 * KERNELS, 990)):
        for number in range(many):
            (folder / f"{number}.kernel").touch()
        qtbot.waitUntil(lambda value=value: {bar.value() for bar in bars} == {value})
        assert {bar.maximum() for bar in bars} == {1000}
        assert all(bar.isVisible() for bar in bars)


def test_as_many_kernels_are_expected_as_there_are(kernels: None) -> None:
    there = sum(1 for _ in filled_or_filling().glob("*.kernel"))
    assert 0.9 * KERNELS <= there <= 1.5 * KERNELS  # tests have some of their own


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
    (child,) = cold_window.compilation.findChildren(QProcess)
    qtbot.waitUntil(lambda: child.state() == QProcess.ProcessState.Running)
    cold_window.close()
    assert child.state() == QProcess.ProcessState.NotRunning
