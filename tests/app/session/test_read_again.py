"""The log that is open is read with other options as an edit, which keeps the runs and can be undone."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.reading.options import Reading
from engine.search.typed_question import TypedQuestion
from tests.app.panels.sliders import drag
from tests.app.session.sessions import save_as
from tests.app.windows import EASY, FCFS, click, settle
from views.data.marks import TimeMark
from views.state.filter import Filter

READ = "the reading with other options"


def read_part(window: MainWindow, log: Path, jobs: int) -> None:
    """Read the log once more, so many jobs of it."""
    assert window.opener.open_as(log, Reading(jobs=f"0:{jobs}"))


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
    """The jobs that are read, the runs, and the filter."""
    runs = tuple(
        (run.id, str(run.policy), run.cluster.spelling, run.schedule is not None)
        for run in window.workbench.study.runs
    )
    return window.workbench.open_study.reading.jobs, runs, str(window.filter.value.expression)


def test_undo_goes_back_through_readings(qtbot: QtBot, window: MainWindow, site: Path) -> None:
    """The log is read again for it, and all edits before and after it stay."""
    edits = window.workbench.edits
    larger = parse_cluster("2x8c16g+6x4c8g")
    states = [shown(window)]
    # Edits of runs, readings and filters in turn; the state after each is noted.
    for step in (
        lambda: window.workbench.change_run(EASY, parse_policy("easy"), larger),
        lambda: read_part(window, site, 100),
        lambda: window.filter.set(Filter(parse_filter("user = 3"))),
        lambda: window.workbench.remove_run(FCFS),
        lambda: read_part(window, site, 200),
        lambda: window.workbench.add_run(parse_policy("saf-easy")),
    ):
        step()
        settle(window)
        states.append(shown(window))
    assert [edits.text(index) for index in range(edits.count())] == [
        "the change of easy to easy on 2x8c16g+6x4c8g",
        "the reading with other options",
        "the filter user = 3",
        "the removal of fcfs",
        "the reading with other options",
        "the addition of saf-easy",
    ]
    assert len(set(states)) == 7
    # Back through all of them, and forward again.
    for state in reversed(states[:-1]):
        undo(qtbot, window)
        assert shown(window) == state
    assert not edits.canUndo()
    assert edits.redoText() == "the change of easy to easy on 2x8c16g+6x4c8g"
    for state in states[1:]:
        redo(qtbot, window)
        assert shown(window) == state
    assert not edits.canRedo()


def test_quick_undo_and_redo_end_where_the_last_of_them_says(
    qtbot: QtBot, window: MainWindow, site: Path
) -> None:
    edits, before = window.workbench.edits, shown(window)
    window.workbench.change_run(EASY, parse_policy("saf-easy"))
    read_part(window, site, 100)
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
    assert edits.undoText() == READ


def test_what_cannot_be_read_leaves_the_edits_as_they_were(
    qtbot: QtBot, window: MainWindow, site: Path
) -> None:
    edits, before = window.workbench.edits, shown(window)
    read_part(window, site, 100)
    settle(window)
    after = shown(window)
    edits.undo()
    window.workbench.log_opening.cancel()
    settle(window)
    assert (shown(window), edits.undoText()) == (after, READ)
    moved = site.rename(site.with_name("moved.swf"))
    edits.undo()
    qtbot.waitUntil(lambda: bool(window.messages.shown))
    assert "site.swf: no such file" in window.messages.shown[-1].text.text()
    assert (shown(window), edits.undoText()) == (after, READ)
    read_part(window, site, 200)
    assert not window.messages.shown
    qtbot.waitUntil(lambda: bool(window.messages.shown))
    assert (shown(window), edits.undoText()) == (after, READ)
    moved.rename(site)
    undo(qtbot, window)
    assert (shown(window), edits.canUndo()) == (before, False)


def test_undoing_a_reading_makes_a_session_as_it_was_saved(
    qtbot: QtBot, window: MainWindow, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_as(qtbot, window, tmp_path / "a", monkeypatch)
    read_part(window, site, 100)
    settle(window)
    assert window.isWindowModified()
    undo(qtbot, window)
    assert not window.isWindowModified()


def test_an_explored_run_is_explored_further_after_a_reading(
    qtbot: QtBot, window: MainWindow, site: Path
) -> None:
    click(qtbot, window.run_list.rows[EASY].name)
    field = window.explore.fields["max_user_jobs"]
    before = window.workbench.study.run(EASY)
    assert field.on is not None
    field.on.click()
    (number,) = (number for number in field.numbers.values() if number.isVisible())
    drag(number.slider, 0.0)
    settle(window)
    read_part(window, site, 100)
    settle(window)
    explored = window.workbench.study.run(EASY)
    assert before is not None
    assert explored is not None
    assert explored.policy != before.policy
    assert window.explore.restore.isEnabled()
    click(qtbot, window.explore.keep)
    undo(qtbot, window, 3)  # the reading, the drag, and the limit that was switched on
    assert [str(run.policy) for run in window.workbench.study.runs if run.id == EASY] == [str(before.policy)]


def test_a_search_asks_the_same_of_a_log_read_again_and_nothing_of_another_trace(
    window: MainWindow, site: Path
) -> None:
    window.show_view("search")
    settle(window)
    form = window.page.views["search"].form
    form.bounds.setText("veet_q3 <= 20")
    form.trials.setValue(33)
    asked = form.asked
    read_part(window, site, 100)
    settle(window)
    assert window.workbench.open_study.reading.jobs == "0:100"
    assert form.asked == asked
    window.workbench.edits.setClean()
    window.opener.open_example()
    settle(window)
    assert form.asked == TypedQuestion()


def what_is_kept(window: MainWindow) -> tuple[object, ...]:
    """The runs, the filter and the marks."""
    runs = [(run.id, run.policy, run.title) for run in window.workbench.study.runs]
    return runs, window.filter.value, window.view.options.marks


def test_runs_filter_and_marks_stay(qtbot: QtBot, window: MainWindow, site: Path) -> None:
    workbench = window.workbench
    workbench.add_run(parse_policy("saf-easy"))
    window.filter.set(Filter(parse_filter("user = 3")))
    window.view.choose(marks=(TimeMark("here", "", 50_000.0, 50_000.0),))
    settle(window)
    before = what_is_kept(window)
    read_part(window, site, 100)
    settle(window)
    assert len(workbench.study.trace) == 100
    assert what_is_kept(window) == before
    window.filter.clear()
    received = []
    for _ in range(5):
        received.append(workbench.edits.undoText())
        undo(qtbot, window)
    assert received == [
        "the end of the filter user = 3",
        READ,
        "the mark here",
        "the filter user = 3",
        "the addition of saf-easy",
    ]
    assert len(workbench.study.trace) == 300
    assert what_is_kept(window) == (before[0][:-1], Filter(), ())  # type: ignore[index]  # a list of runs
    redo(qtbot, window, 4)
    assert len(workbench.study.trace) == 100
    assert what_is_kept(window) == before


def test_options_that_leave_nothing_are_no_edit(window: MainWindow, site: Path) -> None:
    failures: list[str] = []
    window.workbench.failed.disconnect(window.show_failed)
    window.workbench.failed.connect(lambda text, _: failures.append(text))
    assert window.opener.open_as(site, Reading(users="nobody"))
    settle(window)
    assert len(failures) == 1
    assert len(window.workbench.study.trace) == 300
    assert not window.workbench.edits.canUndo()
    assert window.opener.open_as(site, Reading())  # as it is read already: opened anew
    settle(window)
    assert len(window.workbench.study.trace) == 300
