"""The answer for the user of a job, from the inspector and the menus to the clipboard."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.actions.menu_tree import entries
from app.panels.answer_dialog import AnswerDialog
from app.shell.window import MainWindow
from engine.answer import answer
from engine.answer.brief import MOST_WORDS, brief_answer
from engine.policy.policy import parse_policy
from tests.app.windows import EASY, FCFS, click, open_dialog, schedule_of, settle, trace_of

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


def answered(window: MainWindow) -> AnswerDialog:
    """The dialog that is open, when all is measured."""
    dialog = open_dialog(window)
    assert isinstance(dialog, AnswerDialog)
    settle(window)
    return dialog


def test_an_answer_is_measured_and_copied(qtbot: QtBot, window: MainWindow) -> None:
    schedule = schedule_of(window, FCFS)
    job = int(np.argmax(schedule.start - schedule.submit))
    window.selection.select_job(trace_of(window), job)
    settle(window)
    assert window.inspector.answer.isVisible()
    click(qtbot, window.inspector.answer)
    dialog = answered(window)
    assert not dialog.state.isVisible()
    click(qtbot, dialog.copy)
    found = QGuiApplication.clipboard().text()
    assert found == brief_answer(answer(schedule, job))
    assert len(found.split()) <= MOST_WORDS
    assert not dialog.whole.isVisible()
    click(qtbot, dialog.method)
    assert dialog.whole.isVisible()
    assert "What would have helped" in dialog.whole.toPlainText()
    # Another run has another answer.
    dialog.run.setCurrentText("easy")
    settle(window)
    assert dialog.text.toPlainText().startswith("Under easy, ")
    dialog.close()
    window.activateWindow()
    (entry,) = (
        each_entry for each_entry in entries(window.menuBar()) if each_entry.name == "Answer for the user"
    )
    entry.action.trigger()
    answered(window).close()


def test_the_run_that_was_looked_at_comes_first(qtbot: QtBot, window: MainWindow) -> None:
    window.selection.select_job(trace_of(window), 0)
    window.view.choose(looked_at=EASY)
    settle(window)
    click(qtbot, window.inspector.answer)
    dialog = answered(window)
    assert dialog.run.currentText() == "easy"
    dialog.close()
    window.activateWindow()
    window.view.choose(looked_at=None)


def test_closing_stops_the_work_and_no_job_is_asked_for(qtbot: QtBot, window: MainWindow) -> None:
    schedule = schedule_of(window, FCFS)
    window.selection.select_job(trace_of(window), int(np.argmax(schedule.start - schedule.submit)))
    settle(window)
    click(qtbot, window.inspector.answer)
    dialog = open_dialog(window)
    dialog.close()
    window.activateWindow()
    QApplication.processEvents()
    assert not window.workbench.executor.busy
    window.selection.clear()
    settle(window)
    assert not window.inspector.answer.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_A, CONTROL | SHIFT)
    assert window.messages.newest.text.text().startswith("Select a single job")


def test_the_recorded_run_says_where_help_is_measured(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.add_run(parse_policy("recorded"))
    settle(window)
    window.selection.select_job(trace_of(window), 0)
    settle(window)
    click(qtbot, window.inspector.answer)
    dialog = answered(window)
    dialog.run.setCurrentText("recorded")
    settle(window)
    assert "What would have helped" not in dialog.text.toPlainText()
    assert dialog.state.isVisible()
    assert "choose a simulated run" in dialog.state.text()
    dialog.run.setCurrentText("easy")
    settle(window)
    assert not dialog.state.isVisible()
    dialog.close()
    window.activateWindow()
