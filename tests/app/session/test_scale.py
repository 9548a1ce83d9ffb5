"""The trace of a window under more load, and of wider jobs: asked for, kept in sessions, taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.actions.menu_tree import entries
from app.panels.scale_choice import ScaleDialog
from app.session.archive import read_session, write_session
from app.shell.window import MainWindow
from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.trace.scale import parallelism
from tests.app.session.sessions import save_as
from tests.app.windows import click, compared, open_dialog, settle


def choose_scale(window: MainWindow, theta: float = 1, rho: float = 1) -> None:
    (entry,) = (e for e in entries(window.menuBar()) if e.name == "What if: scale load, widths and requests")
    entry.action.trigger()
    (dialog,) = (one for one in window.findChildren(ScaleDialog) if one.isVisible())
    dialog.theta.setValue(theta)
    dialog.rho.setValue(rho)
    dialog.accept()
    window.activateWindow()


def test_scaling_simulates_all_runs_anew_and_is_kept_in_the_session(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = window.workbench.study
    assert before is not None
    runs = [name for name in compared(window) if name != "recorded"]
    choose_scale(window, 0.5, 2)
    settle(window)
    after = window.workbench.study
    assert after is not None
    assert after.trace.name == f"{before.trace.name}, theta 0.5, rho 2"
    assert (
        0
        <= 0.5 * (before.trace.submit[-1] - before.trace.submit[0])
        - (after.trace.submit[-1] - after.trace.submit[0])
        <= 0.5 + 1
    )
    assert parallelism(after.trace) > parallelism(before.trace)
    assert [name for name in compared(window) if name != "recorded"] == runs
    save_as(qtbot, window, tmp_path / "a", monkeypatch)
    assert read_session(tmp_path / "a.batchscope").scale == "theta=0.5,rho=2"
    window.open_path(tmp_path / "a.batchscope")
    settle(window)
    assert window.workbench.open_study.scale == "theta=0.5,rho=2"
    choose_scale(window)
    settle(window)
    assert window.workbench.study.trace.name == before.trace.name
    assert window.isWindowModified()
    monkeypatch.setattr(QMessageBox, "question", lambda *_, **__: QMessageBox.StandardButton.Discard)


def test_what_is_no_scale_is_reported_and_changes_nothing(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = window.workbench.study
    with pytest.raises(InputError, match="theta cannot be '0'"):
        window.opener.scale("theta=0")
    assert window.workbench.study is study
    save_as(qtbot, window, tmp_path / "a", monkeypatch)
    file = tmp_path / "a.batchscope"
    write_session(file, replace(read_session(file), scale="rho=x"))
    window.messages.clear()
    window.open_path(file)
    qtbot.waitUntil(lambda: bool(window.messages.shown))
    assert "rho cannot be 'x'" in window.messages.shown[-1].text.text()
    assert window.workbench.study is study


def test_scaling_is_undone_and_done_again(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs that were added before stay, those after it are edits by themselves."""
    first = window.workbench.study.trace
    window.workbench.add_run(parse_policy("saf-easy"))
    settle(window)
    choose_scale(window, 0.5)
    settle(window)
    edits = window.workbench.edits
    assert edits.undoText() == "the what-if: theta 0.5"
    window.workbench.add_run(parse_policy("just"))
    settle(window)
    assert compared(window)[-2:] == ["saf-easy", "just"]
    for _ in range(2):
        qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        settle(window)
    assert window.workbench.open_study.scale == ""
    assert window.workbench.study.trace.name == first.name
    assert window.workbench.study.trace.submit.tolist() == first.submit.tolist()
    assert "saf-easy" in compared(window)
    assert (edits.canUndo(), edits.redoText()) == (False, "the what-if: theta 0.5")
    edits.redo()
    settle(window)
    assert window.workbench.open_study.scale == "theta=0.5"
    choose_scale(window, 0.5, 2)
    settle(window)
    edits.undo()
    settle(window)
    assert window.workbench.open_study.scale == "theta=0.5"
    monkeypatch.setattr(QMessageBox, "question", lambda *_, **__: QMessageBox.StandardButton.Discard)


def test_a_cap_and_smaller_requests_are_asked_for_named_and_undone(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = window.workbench.study.trace
    window.explore_dock.show()
    settle(window)
    click(qtbot, window.explore.scale)
    dialog = open_dialog(window)
    assert isinstance(dialog, ScaleDialog)
    dialog.cap.setText("ten hours")
    dialog.accept()
    assert dialog.isVisible()
    assert "cannot read the duration" in dialog.problem.text()
    dialog.cap.setText("2h")
    dialog.requests.setCurrentIndex(dialog.requests.findData(0.95))
    dialog.accept()
    settle(window)
    trace = window.workbench.study.trace
    assert trace.name == f"{before.name}, walltime cap 2h, requests right-sized at 0.95"
    assert int(trace.walltime.max()) == 2 * 3600
    assert trace.runtime.tolist() == before.runtime.tolist()
    assert trace.has_recorded_schedule == before.has_recorded_schedule
    assert any(note.rule == "overruns" for note in trace.notes)
    window.workbench.edits.undo()
    settle(window)
    assert window.workbench.study.trace.walltime.tolist() == before.walltime.tolist()
    monkeypatch.setattr(QMessageBox, "question", lambda *_, **__: QMessageBox.StandardButton.Discard)
