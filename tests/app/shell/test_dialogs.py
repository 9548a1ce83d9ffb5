"""Title, status line, key sheet, quality notes, share and about."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from app.actions.key_sheet import KeySheet
from app.panels.notes_dialog import NotesDialog
from app.panels.policies.policy_dialog import PolicyDialog
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from engine.schedule.explain import explain
from engine.simulation.quality_notes import over_commitment
from engine.simulation.recorded_run import recorded_schedule
from tests.app.windows import (
    EASY,
    FCFS,
    click,
    inspected,
    open_dialog,
    schedule_of,
    settle,
    site_log,
    trace_of,
)
from views.inspector.wait_plot import ReasonLanes

ALT, CONTROL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(restored_window: MainWindow) -> MainWindow:
    """The window of the file: these tests change only what is shown."""
    return restored_window


def no_dialog(window: MainWindow) -> bool:
    QApplication.processEvents()
    return not any(
        box.isVisible() for kind in (QMessageBox, NotesDialog, KeySheet) for box in window.findChildren(kind)
    )


def test_title_and_status_line_tell_of_the_trace(window: MainWindow) -> None:
    assert window.windowTitle() == "site – Batchscope"
    assert window.status.trace.text() == "site: 300 jobs, 12 users, 2x8c16g+2x4c8g = 24 processors"
    assert window.status.notes.isVisible()
    assert window.status.engine.text() == "Ready"
    assert not window.status.progress.isVisible()
    assert not window.status.cancel.isVisible()


def test_the_log_s_own_schedule_is_judged_among_the_quality_notes(qtbot: QtBot, window: MainWindow) -> None:
    trace = trace_of(window)
    over = over_commitment(recorded_schedule(trace, trace.cluster))
    assert [note.rule for note in over] == ["over_cpus", "over_ram"]
    notes = window.workbench.open_study.notes
    assert notes == (*trace.notes, *over)
    assert window.status.notes.text() == f"{len(notes)} quality notes"

    click(qtbot, window.status.notes)
    dialog = open_dialog(window)
    assert isinstance(dialog, NotesDialog)
    table = dialog.table
    assert table.rowCount() == len(notes)
    for row, note in enumerate(notes):
        assert table.item(row, 0).text() == str(note.count)
        found = table.item(row, 1).text()
        assert re.sub("[ ,\u202f]", "", found) == re.sub("[ ,]", "", note.text)
        assert not re.search(r"\d,\d|\d%", found), "numbers are written as in the rest of the window"
    assert "at most 16\u202f777\u202f216 KB" in table.item(0, 1).text()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert no_dialog(window)


def test_of_a_log_without_waits_only_the_reading_is_noted(
    make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    window = make_window()
    window.open_path(site_log(tmp_path, jobs=40, waits=False))
    settle(window)
    assert window.workbench.open_study.notes == trace_of(window).notes
    assert window.status.notes.text() == f"{len(trace_of(window).notes)} quality notes"


def test_the_key_sheet_opens_and_closes_by_keyboard(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window, Qt.Key.Key_Question)
    sheet = open_dialog(window)
    assert isinstance(sheet, KeySheet)
    found = sheet.sheet.toPlainText()
    for word in (
        "In a chart",
        "Wheel",
        "Shift+drag",
        "Home",
        "Esc",
        "Runs",
        "F5",
        "Ctrl+E",
        "Add a run",
        "Keys",
    ):
        assert word in found, word
    assert "&" not in found
    qtbot.keyClick(sheet.line, Qt.Key.Key_Escape)
    assert no_dialog(window)


def test_the_key_sheet_is_searched(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window, Qt.Key.Key_Question)
    sheet = open_dialog(window)
    assert isinstance(sheet, KeySheet)
    qtbot.keyClicks(sheet.line, "zoom back")
    found = sheet.sheet.toPlainText()
    assert "to the previous zoom" in found
    assert "Backspace" in found
    assert "Quit" not in found
    qtbot.keyClicks(sheet.line, " xyzzy")
    assert sheet.sheet.toPlainText() == "No key has this function. Try the command palette."
    qtbot.keyClick(sheet.line, Qt.Key.Key_Escape)


def test_every_key_on_the_sheet_belongs_to_one_action_in_a_menu(window: MainWindow) -> None:
    menus = window.menuBar().findChildren(QMenu)
    actions = {action for menu in menus for action in menu.actions() if not action.shortcut().isEmpty()}
    keys = [action.shortcut().toString() for action in actions]
    assert len(keys) == len(set(keys))
    assert {"Ctrl+O", "Ctrl+N", "F5", "?", "Ctrl+Q"} <= set(keys)
    for action in actions:
        assert action.shortcut().toString() in action.toolTip()


def test_about_opens_from_the_menu_by_keyboard(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window, Qt.Key.Key_H, ALT)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    qtbot.keyClick(menu, Qt.Key.Key_A)
    box = open_dialog(window)
    assert isinstance(box, QMessageBox)
    assert box.windowTitle() == "About Batchscope"
    assert "Klusacek" in box.text()
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert no_dialog(window)


def test_the_expected_share_is_asked_for_and_all_runs_are_judged_anew(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([("1c", True), ("one twelfth", True), ("1/10", False)])
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: next(answers))

    def ask() -> int | float | None:
        action = window.menus.offered.actions["share"]
        action.trigger()
        settle(window)
        return window.workbench.finished()[FCFS - 1].result.summary["violated_jobs"]

    before = window.workbench.finished()[FCFS - 1].result.summary["violated_jobs"]
    assert ask() != before
    assert window.settings.share == "1c"
    ask()
    assert "one twelfth" in window.messages.newest.text.text()
    assert window.settings.share == "1c"
    ask()
    assert window.workbench.share == "1c"


def test_a_run_is_edited_in_the_form_without_leaving_the_window(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1280, 800)
    click(qtbot, window.run_list.rows[EASY].edit)
    dialog = open_dialog(window)
    assert isinstance(dialog, PolicyDialog)
    assert window.rect().contains(dialog.rect())
    assert dialog.spelling.text() == "easy"
    dialog.fields["relaxed"].setFocus()
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Space)  # the check box
    assert dialog.spelling.text() == "easy:relaxed=1"
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    settle(window)
    assert schedule_of(window, EASY).policy == parse_policy("easy:relaxed=1")


def test_the_inspector_tells_why_a_job_waited_under_each_run(qtbot: QtBot, window: MainWindow) -> None:
    waits = [schedule_of(window, run).wait for run in (FCFS, EASY)]
    job = int(np.argmax(np.minimum(*waits)))
    window.selection.select_job(trace_of(window), job)
    settle(window)
    found = inspected(window)
    plot = window.inspector.waits.plot.plot
    assert isinstance(plot, ReasonLanes)
    assert len(plot.lanes) == 4
    for run, wait in ((FCFS, waits[0]), (EASY, waits[1])):
        explanation = explain(schedule_of(window, run), job)
        assert sum(span.seconds for span in explanation.intervals) == wait[job]
        for cause in explanation.summary:
            assert cause.text.replace("\u202f", "\u00a0") in found
