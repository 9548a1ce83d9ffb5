"""Other load and requests: of runs beside the others, asked for, kept in sessions, taken back."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.panels.policies.scale_choice import ScaleDialog
from app.panels.policies.what_if_dialog import WhatIfDialog
from app.session.archive import read_session, write_session
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from tests.app.session.sessions import save_as
from tests.app.windows import EASY, click, open_dialog, schedule_of, settle


def spellings(window: MainWindow) -> list[str]:
    return [run.policy.spelling for run in window.workbench.study.runs]


def ask(window: MainWindow) -> ScaleDialog:
    """The dialog, by the command of the Runs menu and the palette."""
    window.explore.choose(EASY)
    window.menus.offered.actions["load"].trigger()
    dialog = open_dialog(window)
    assert isinstance(dialog, ScaleDialog)
    assert dialog.run.currentData() == EASY
    return dialog


def test_a_cap_and_smaller_requests_stand_beside_what_is(qtbot: QtBot, window: MainWindow) -> None:
    before, trace = spellings(window), window.workbench.study.trace
    window.explore_dock.show()
    window.explore.choose(EASY)
    settle(window)
    click(qtbot, window.explore.scale)
    dialog = open_dialog(window)
    assert isinstance(dialog, ScaleDialog)
    assert dialog.run.currentText() == "easy"
    dialog.cap.setText("ten hours")
    dialog.accept()
    assert dialog.isVisible()
    assert "cannot read the duration" in dialog.problem.text()
    dialog.cap.setText("2h")
    dialog.requests.setCurrentIndex(dialog.requests.findData(0.95))
    dialog.accept()
    settle(window)
    added = "easy with walltime_cap=2h,rightsize=0.95"
    assert spellings(window) == [*before, added]
    assert window.workbench.study.trace is trace  # the other runs stay what they are
    run = window.workbench.study.runs[-1]
    own = schedule_of(window, run.id).trace
    assert int(own.walltime.max()) == 2 * 3600
    assert own.runtime.tolist() == trace.runtime.tolist()
    assert window.view.options.compared == (EASY, run.id)  # the difference is of what it changes
    window.workbench.edits.undo()
    settle(window)
    assert spellings(window) == before


def test_all_simulated_runs_get_one_beside_them_in_one_step(window: MainWindow) -> None:
    before = spellings(window)
    dialog = ask(window)
    dialog.run.setCurrentIndex(dialog.run.count() - 1)
    dialog.theta.setValue(0.5)
    dialog.rho.setValue(2)
    dialog.accept()
    settle(window)
    simulated = [text for text in before if text != "recorded"]
    assert spellings(window) == [*before, *(f"{text} with theta=0.5,rho=2" for text in simulated)]
    assert window.workbench.edits.undoText() == "the what-if: theta 0.5, rho 2"
    window.workbench.edits.undo()
    settle(window)
    assert spellings(window) == before


def test_a_workload_is_changed_further_and_added_once(window: MainWindow) -> None:
    window.workbench.add_run(parse_policy("easy with walltime_cap=2h,users=-1"))
    settle(window)
    run = window.workbench.study.runs[-1]
    window.menus.offered.actions["what ifs"].trigger()
    what_ifs = open_dialog(window)
    assert isinstance(what_ifs, WhatIfDialog)
    what_ifs.run.setCurrentIndex(what_ifs.run.findData(run.id))
    what_ifs.other.click()
    QApplication.processEvents()
    dialog = open_dialog(window)
    assert isinstance(dialog, ScaleDialog)
    assert (dialog.run.currentData(), dialog.cap.text()) == (run.id, "2h")
    dialog.accept()  # nothing else is asked for
    assert len(spellings(window)) == 5
    dialog = ask(window)
    dialog.run.setCurrentIndex(dialog.run.findData(run.id))
    assert dialog.cap.text() == "2h"
    dialog.cap.setText("3h")
    dialog.accept()
    settle(window)
    assert spellings(window)[-1] == "easy with walltime_cap=3h,users=-1"


def test_a_session_keeps_the_workloads_of_runs(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("easy with users=-3;-4,shift=-2h;2", "easy with queues=-long,theta=0.9"):
        window.workbench.add_run(parse_policy(text))
    settle(window)
    waits = [schedule_of(window, run.id).wait.tolist() for run in window.workbench.study.runs]
    before = spellings(window)
    save_as(qtbot, window, tmp_path / "a", monkeypatch)
    window.open_path(tmp_path / "a.batchscope")
    settle(window)
    assert spellings(window) == before
    assert not window.isWindowModified()
    assert [schedule_of(window, run.id).wait.tolist() for run in window.workbench.study.runs] == waits


def test_a_scale_of_an_earlier_session_is_the_workload_of_its_runs(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = spellings(window)
    save_as(qtbot, window, tmp_path / "a", monkeypatch)
    file = tmp_path / "a.batchscope"
    write_session(file, replace(read_session(file), scale="theta=0.5,rho=2"))
    window.open_path(file)
    settle(window)
    assert spellings(window) == [f"{text} with theta=0.5,rho=2" for text in before]
    write_session(file, replace(read_session(file), scale="rho=x"))
    window.messages.clear()
    window.open_path(file)
    qtbot.waitUntil(lambda: bool(window.messages.shown))
    assert "rho cannot be 'x'" in window.messages.shown[-1].text.text()
