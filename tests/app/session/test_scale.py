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
from engine.filter import parse_filter
from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.search.typed_question import TypedQuestion
from engine.trace.scale import parallelism
from tests.app.panels.sliders import drag
from tests.app.session.sessions import save_as
from tests.app.windows import EASY, FCFS, click, compared, open_dialog, settle
from views.state.filter import Filter


def choose_scale(window: MainWindow, theta: float = 1, rho: float = 1) -> None:
    (entry,) = (e for e in entries(window.menuBar()) if e.name == "What if: scale load, widths and requests")
    entry.action.trigger()
    (dialog,) = (each_dialog for each_dialog in window.findChildren(ScaleDialog) if each_dialog.isVisible())
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


def test_a_wrong_scale_is_reported_and_changes_nothing(
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


def undo(qtbot: QtBot, window: MainWindow, times: int = 1) -> None:
    for _ in range(times):
        qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        settle(window)


def redo(qtbot: QtBot, window: MainWindow, times: int = 1) -> None:
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    for _ in range(times):
        qtbot.keyClick(window, Qt.Key.Key_Z, keys)
        settle(window)


def shown(window: MainWindow) -> tuple[str, tuple[tuple[int, str, str, bool], ...], str]:
    """The scale of the trace, the runs, and the filter."""
    runs = tuple(
        (run.id, str(run.policy), run.cluster.spelling, run.schedule is not None)
        for run in window.workbench.study.runs
    )
    return window.workbench.open_study.scale, runs, str(window.filter.value.expression)


def test_undo_goes_back_through_a_what_if(qtbot: QtBot, window: MainWindow) -> None:
    """The log is read again for it, and all edits before and after it stay."""
    edits = window.workbench.edits
    larger = parse_cluster("2x8c16g+6x4c8g")
    states = [shown(window)]
    for step in (
        lambda: window.workbench.change_run(EASY, parse_policy("easy"), larger),
        lambda: choose_scale(window, 0.5),
        lambda: window.filter.set(Filter(parse_filter("user = 3"))),
        lambda: window.workbench.remove_run(FCFS),
        lambda: choose_scale(window, 0.5, 2),
        lambda: window.workbench.add_run(parse_policy("saf-easy")),
    ):
        step()
        settle(window)
        states.append(shown(window))
    assert [edits.text(index) for index in range(edits.count())] == [
        "the change of easy to easy on 2x8c16g+6x4c8g",
        "the what-if: theta 0.5",
        "the filter user = 3",
        "the removal of fcfs",
        "the what-if: theta 0.5, rho 2",
        "the addition of saf-easy",
    ]
    assert len(set(states)) == 7
    for state in reversed(states[:-1]):
        undo(qtbot, window)
        assert shown(window) == state
    assert not edits.canUndo()
    assert edits.redoText() == "the change of easy to easy on 2x8c16g+6x4c8g"
    for state in states[1:]:
        redo(qtbot, window)
        assert shown(window) == state
    assert not edits.canRedo()


def test_quick_undo_and_redo_end_where_the_last_of_them_says(qtbot: QtBot, window: MainWindow) -> None:
    edits, before = window.workbench.edits, shown(window)
    window.workbench.change_run(EASY, parse_policy("saf-easy"))
    choose_scale(window, 0.5)
    settle(window)
    after = shown(window)
    edits.undo()  # while this is read, the edit before it is undone
    edits.undo()
    settle(window)
    assert shown(window) == before
    edits.redo()
    edits.redo()
    edits.undo()  # before it is read
    edits.redo()
    settle(window)
    assert shown(window) == after
    edits.undo()
    edits.redo()  # nothing needs to be read
    settle(window)
    assert shown(window) == after
    assert edits.undoText() == "the what-if: theta 0.5"


def test_a_what_if_that_is_not_read_leaves_the_edits_as_they_were(
    qtbot: QtBot, window: MainWindow, site: Path
) -> None:
    edits, before = window.workbench.edits, shown(window)
    choose_scale(window, 0.5)
    settle(window)
    after = shown(window)
    edits.undo()
    window.workbench.log_opening.cancel()
    settle(window)
    assert (shown(window), edits.undoText()) == (after, "the what-if: theta 0.5")
    moved = site.rename(site.with_name("moved.swf"))
    edits.undo()
    qtbot.waitUntil(lambda: bool(window.messages.shown))
    assert "site.swf: no such file" in window.messages.shown[-1].text.text()
    assert (shown(window), edits.undoText()) == (after, "the what-if: theta 0.5")
    choose_scale(window, 0.5, 2)
    assert not window.messages.shown
    qtbot.waitUntil(lambda: bool(window.messages.shown))
    assert (shown(window), edits.undoText()) == (after, "the what-if: theta 0.5")
    moved.rename(site)
    undo(qtbot, window)
    assert (shown(window), edits.canUndo()) == (before, False)


def test_undoing_a_what_if_makes_a_session_as_it_was_saved(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_as(qtbot, window, tmp_path / "a", monkeypatch)
    choose_scale(window, 0.5)
    settle(window)
    assert window.isWindowModified()
    undo(qtbot, window)
    assert not window.isWindowModified()


def test_an_explored_run_is_explored_further_after_a_what_if(qtbot: QtBot, window: MainWindow) -> None:
    click(qtbot, window.run_list.rows[EASY].name)
    field = window.explore.fields["max_user_jobs"]
    before = window.workbench.study.run(EASY)
    assert field.on is not None
    field.on.click()
    (number,) = (number for number in field.numbers.values() if number.isVisible())
    drag(number.slider, 0.0)
    settle(window)
    choose_scale(window, 0.5)
    settle(window)
    explored = window.workbench.study.run(EASY)
    assert before is not None
    assert explored is not None
    assert explored.policy != before.policy
    assert window.explore.restore.isEnabled()
    click(qtbot, window.explore.keep)
    undo(qtbot, window, 3)  # the other load, the drag, and the limit that was switched on
    assert [str(run.policy) for run in window.workbench.study.runs if run.id == EASY] == [str(before.policy)]


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


def test_a_search_asks_the_same_at_another_scale_and_nothing_of_another_trace(window: MainWindow) -> None:
    window.show_view("search")
    settle(window)
    form = window.page.views["search"].form
    form.bounds.setText("veet_q3 <= 20")
    form.trials.setValue(33)
    asked = form.asked
    choose_scale(window, 0.5)
    settle(window)
    assert window.workbench.open_study.scale == "theta=0.5"
    assert form.asked == asked
    window.workbench.edits.setClean()
    window.opener.open_example()
    settle(window)
    assert form.asked == TypedQuestion()
