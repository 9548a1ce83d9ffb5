"""Sessions in the window: saved, opened again as they were, and never lost without a question."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app.actions.menu_tree import entries
from app.model.documents.document import SavedRun, Session, Source, View
from app.session.archive import read_session, write_session
from app.shell.window import MainWindow
from engine.errors import InputError
from engine.filter import parse_filter
from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from tests.app.session.sessions import CONTROL, answer, save_as
from tests.app.windows import EASY, panel, schedule_of, seen, settle, site_log, trace_of
from views.data.gantt.shown_layers import GanttLayers
from views.data.marks import TimeMark
from views.data.plot_choices import DistributionChoices
from views.data.view_options import ShownCharts
from views.state.filter import Filter
from views.state.selection import Selection

MakeWindow = Callable[..., MainWindow]
BUTTON = QMessageBox.StandardButton


@pytest.fixture
def question(monkeypatch: pytest.MonkeyPatch) -> list[QMessageBox.StandardButton]:
    """The answers to the questions about unsaved changes; an unexpected question fails."""
    answers: list[QMessageBox.StandardButton] = []
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers.pop(0))
    return answers


def spellings(window: MainWindow) -> list[tuple[int, str]]:
    study = window.workbench.study
    return [(run.id, study.name(run)) for run in study.runs]


def choose_runs(qtbot: QtBot, window: MainWindow) -> None:
    """In the views that show runs choose some by hand."""
    views = window.page.views
    for box, index in ((views["scores"].baseline, 3), (views["scatter"].choosers.boxes["run"], 2)):
        box.setCurrentIndex(index)
        box.activated.emit(index)
    views["timeline"].runs[3].click()
    assert window.view.options.gains_over == 5
    assert window.view.options.scattered == 4
    assert window.view.options.timeline_hidden == (3,)
    assert window.settings.view.timeline_hidden == ()


def test_a_session_is_opened_as_it_was_saved(
    qtbot: QtBot, make_window: MakeWindow, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench, page = window.workbench, window.page
    workbench.remove_run(2)
    workbench.add_run(parse_policy("conservative:estimate=actual"), parse_cluster("4x8c16g"))
    workbench.set_share("1/10")
    settle(window)
    trace = trace_of(window)
    job = int(np.argmax(schedule_of(window, EASY).wait))
    window.selection.select_job(trace, job)
    window.selection.select_time_range(100_000, 200_000)
    window.filter.set(Filter(parse_filter("procs > 1"), hides=True))
    window.view.choose(columns=1, rows="nodes")
    end = window.clock.bounds[1]
    window.clock.set_window(end - 100_000, end + 500, (0.5, 1.0))  # beyond the end of the log itself
    window.view.choose(charts=ShownCharts(heatmap=False))
    window.view.choose(compared=(4, 1), layers=GanttLayers(waits=True), baseline=3)
    choose_runs(qtbot, window)
    page.tabs.setCurrentWidget(page.views["users"])
    window.view.choose(distributions=DistributionChoices("wait", "job", "histogram").spelling)
    window.runs_dock.hide()
    window.messages.clear()
    settle(window)
    picture = seen(panel(window, EASY).gantt)
    save_as(qtbot, window, tmp_path / "study", monkeypatch)
    path = tmp_path / "study.batchscope"
    assert window.windowTitle() == "study[*] (site) – Batchscope"
    assert not window.isWindowModified()
    assert window.settings.recent[0] == str(path)
    assert window.messages.newest.text.text() == f"Saved in {path}."

    other = make_window()
    other.open_path(path)
    settle(other)
    assert other.windowTitle() == window.windowTitle()
    assert not other.isWindowModified()
    assert spellings(other) == spellings(window)
    assert other.workbench.share == "1/10"
    assert other.selection.value == window.selection.value
    assert other.selection.value.jobs == {job}
    assert other.filter.value == Filter(parse_filter("procs > 1"), hides=True)
    assert (other.clock.window, other.clock.rows) == (window.clock.window, (0.5, 1.0))
    assert (other.view.options.columns, other.view.options.rows) == (1, "nodes")
    assert not other.runs_dock.isVisible()
    assert other.page.tabs.currentWidget() is other.page.views["users"]
    assert other.page.views["boxplots"].choices == DistributionChoices("wait", "job", "histogram")
    assert other.page.views["difference"].run_ids == (4, 1)
    assert other.view.options.layers == GanttLayers(waits=True)
    assert other.page.runs.baseline == 3
    views = other.page.views
    assert views["scores"].baseline.currentText() == "conservative:estimate=actual on 4x8c16g"
    assert views["scatter"].result.run_id == 4
    assert [series.run_id for series in views["timeline"].shown_runs] == [1, 4, 5]
    assert not panel(other, EASY).heatmap.isVisible()
    other.resize(window.size())
    settle(other)
    assert np.array_equal(seen(panel(other, EASY).gantt), picture)
    assert not other.messages.shown


def test_the_title_marks_what_is_not_saved(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.batchscope"
    window.workbench.remove_run(1)
    settle(window)
    assert window.isWindowModified()
    assert window.windowTitle() == "site[*] – Batchscope"
    save_as(qtbot, window, path, monkeypatch)
    window.workbench.remove_run(2)
    assert window.isWindowModified()
    qtbot.keyClick(window, Qt.Key.Key_S, CONTROL)
    settle(window)
    assert not window.isWindowModified()
    assert [run.id for run in read_session(path).runs] == [3, 4]
    window.selection.select_user(2)  # how it is looked at does no harm to lose
    window.keeper.autosave()
    assert not window.isWindowModified()


def test_changes_to_a_file_are_asked_about_before_they_are_lost(
    qtbot: QtBot,
    window: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    question: list[QMessageBox.StandardButton],
) -> None:
    path, other = tmp_path / "a.batchscope", site_log(tmp_path, "other.swf", jobs=40)
    save_as(qtbot, window, path, monkeypatch)
    window.workbench.remove_run(1)
    question.append(BUTTON.Cancel)
    window.close()
    assert window.isVisible()
    question.append(BUTTON.Cancel)
    window.open_path(other)
    settle(window)
    assert trace_of(window).name == "site"
    question.append(BUTTON.Save)
    window.close()
    assert not window.isVisible()
    assert [run.id for run in read_session(path).runs] == [2, 3, 4]
    assert not question


def test_discarded_changes_leave_the_file(
    qtbot: QtBot,
    window: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    question: list[QMessageBox.StandardButton],
) -> None:
    path = tmp_path / "a.batchscope"
    save_as(qtbot, window, path, monkeypatch)
    before = path.read_bytes()
    window.workbench.remove_run(1)
    question.append(BUTTON.Discard)
    window.close()
    assert path.read_bytes() == before


def test_two_windows_that_save_one_session_notice_each_other(
    qtbot: QtBot,
    window: MainWindow,
    make_window: MakeWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    question: list[QMessageBox.StandardButton],
) -> None:
    path = tmp_path / "a.batchscope"
    save_as(qtbot, window, path, monkeypatch)
    other = make_window()
    other.open_path(path)
    settle(other)
    other.workbench.remove_run(1)
    qtbot.keyClick(other, Qt.Key.Key_S, CONTROL)
    settle(other)
    theirs = path.read_bytes()

    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.workbench.remove_run(2)
    question.append(BUTTON.Cancel)
    qtbot.keyClick(window, Qt.Key.Key_S, CONTROL)
    settle(window)
    assert path.read_bytes() == theirs
    assert window.isWindowModified()
    question += [BUTTON.Save, BUTTON.Cancel]  # save the changes, but not over the other's
    window.close()
    assert window.isVisible()
    assert path.read_bytes() == theirs
    question.append(BUTTON.Save)
    qtbot.keyClick(window, Qt.Key.Key_S, CONTROL)
    settle(window)
    assert [run.id for run in read_session(path).runs] == [1, 3, 4]
    qtbot.keyClick(window, Qt.Key.Key_S, CONTROL)
    settle(window)
    assert not question, "its own file is no other's"


def test_a_session_that_cannot_be_saved_is_reported(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "no such folder" / "a.batchscope"
    save_as(qtbot, window, path, monkeypatch)
    assert window.messages.newest.text.text() == (
        f"{path}: cannot save the session here: the folder {path.parent} does not exist"
    )
    assert window.keeper.file is None
    assert window.windowTitle() == "site – Batchscope"


def test_a_session_moves_with_its_trace(make_window: MakeWindow, tmp_path: Path) -> None:
    folder = tmp_path / "before"
    folder.mkdir()
    site_log(folder)
    source = Source(path="/nowhere/site.swf", relative="site.swf")
    write_session(folder / "a.batchscope", Session(source=source, runs=(SavedRun(7, "easy"),)))
    folder.rename(tmp_path / "after")
    window = make_window()
    window.open_path(tmp_path / "after" / "a.batchscope")
    settle(window)
    assert spellings(window) == [(7, "easy")]
    assert not window.messages.shown


def test_where_a_trace_has_gone_is_asked(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, moved = tmp_path / "a.batchscope", site_log(tmp_path, "moved.swf", jobs=60)
    source = Source(path="/nowhere/gone.swf", sha256="0" * 64)
    runs = (SavedRun(1, "easy"), SavedRun(2, "easy:unheard=of"))
    write_session(path, Session(source=source, runs=runs))
    window.open_path(path)
    with pytest.raises(InputError, match=r"gone\.swf is not there any more"):
        settle(window)
    assert trace_of(window).name == "site"  # what is open stays open
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(moved), ""))
    answer(qtbot, window, "Find it…")
    qtbot.waitUntil(lambda: trace_of(window).name == "moved")
    window._failure = ""
    settle(window)
    assert spellings(window) == [(1, "easy")]
    lines = [message.text.text() for message in window.messages.shown]
    assert lines[0].startswith("moved.swf is not the trace that this session was saved with")
    assert lines[1].startswith("a run was left out: ")
    assert window.isWindowModified()  # its file lacks where the trace is, and has a run more
    qtbot.keyClick(window, Qt.Key.Key_S, CONTROL)
    settle(window)
    assert not window.isWindowModified()
    window.open_path(path)
    settle(window)
    assert trace_of(window).name == "moved"
    assert not window.isWindowModified()


def test_a_trace_that_was_found_again_is_not_asked_for_once_the_session_is_saved(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.batchscope"
    save_as(qtbot, window, path, monkeypatch)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("site.swf", "site.swf.machines"):
        (tmp_path / name).rename(moved / name)
    window.open_path(path)
    with pytest.raises(InputError, match="is not there any more"):
        settle(window)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(moved / "site.swf"), ""))
    answer(qtbot, window, "Find it…")
    qtbot.waitUntil(window.isWindowModified)
    window._failure = ""
    qtbot.keyClick(window, Qt.Key.Key_S, CONTROL)
    settle(window)
    assert not window.isWindowModified()
    window.open_path(path)
    settle(window)


def test_a_bad_session_leaves_what_is_open(window: MainWindow, tmp_path: Path) -> None:
    bad = tmp_path / "bad.batchscope"
    bad.write_bytes(b"PK no zip at all")
    window.selection.select_user(2)
    window.open_path(bad)
    with pytest.raises(InputError, match="damaged or cut off"):
        settle(window)
    assert window.messages.newest.text.text().startswith(f"{bad}: ")
    assert trace_of(window).name == "site"
    assert window.selection.value == Selection(users=frozenset({2}))
    assert window.keeper.file is None


def palette_names(window: MainWindow) -> list[str]:
    return [entry.name for entry in entries(window.menuBar()) if entry.action.isEnabled()]


def test_a_removed_run_is_brought_back(qtbot: QtBot, window: MainWindow) -> None:
    before = spellings(window)
    window.workbench.remove_run(2)
    window.workbench.remove_run(4)
    settle(window)
    assert "Undo the removal of fairshare-easy" in palette_names(window)
    shown = [message.text.text() for message in window.messages.shown]
    assert shown == ["fairshare-easy was removed."]  # the one that Undo brings back, not both
    answer(qtbot, window, "Undo")
    window.workbench.remove_run(4)
    assert window.messages.isVisible()
    for _ in range(2):
        qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL)
    assert not window.messages.isVisible()  # nothing is left of what it offers to undo
    settle(window)
    assert spellings(window) == before
    assert [each_run.result.run_id for each_run in window.workbench.finished()] == [1, 2, 3, 4]
    corners = {run: panel.mapTo(window, QPoint()) for run, panel in window.page.runs.panels.items()}
    assert sorted(corners, key=lambda run: (corners[run].y(), corners[run].x())) == [1, 2, 3, 4]
    assert not any("Undo" in name for name in palette_names(window))  # nothing is left to be undone
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL)
    assert spellings(window) == before


def test_a_filter_that_cannot_be_read_is_reported_in_a_few_lines(
    window: MainWindow, site: Path, tmp_path: Path
) -> None:
    view = View(filter="user = 1 or " * 5000, hides=True)
    write_session(tmp_path / "a.batchscope", Session(source=Source(path=str(site)), view=view))
    window.open_path(tmp_path / "a.batchscope")
    settle(window)
    (message,) = window.messages.shown
    assert message.text.text() == (
        f"The filter {'user = 1 or ' * 6}user =… cannot be read, at character 4001: "
        "a filter has at most 4,000 characters"
    )
    assert window.messages.height() < 100


def test_of_a_session_without_runs_nothing_is_said_to_be_compared(
    window: MainWindow, site: Path, tmp_path: Path
) -> None:
    window.filter.set(Filter(parse_filter("procs = 1"), hides=True))
    settle(window)
    assert window.run_list.common.isVisible()
    write_session(tmp_path / "a.batchscope", Session(source=Source(path=str(site))))
    window.open_path(tmp_path / "a.batchscope")
    settle(window)
    assert not window.run_list.common.isVisible()


def test_a_machine_that_cannot_be_read_is_reported_with_its_session(
    window: MainWindow, site: Path, tmp_path: Path
) -> None:
    path = tmp_path / "a.batchscope"
    write_session(path, Session(source=Source(path=str(site)), cluster="0x8c"))
    window.open_path(path)
    with pytest.raises(InputError, match=r"a\.batchscope: 0x8c: a node group has 1 to"):
        settle(window)
    assert spellings(window)  # what is open stays open


def test_what_is_picked_in_one_trace_is_never_looked_up_in_the_next(
    make_window: MakeWindow, window: MainWindow, tmp_path: Path
) -> None:
    """The next session wants fair starts, whose signal comes while the window changes traces."""
    small = site_log(tmp_path, "small.swf", jobs=3)
    other = make_window()
    other.open_path(small)
    settle(other)
    session = other.keeper.session()
    assert session is not None
    write_session(tmp_path / "small.batchscope", replace(session, fair_starts=True))
    trace = trace_of(window)
    assert len(trace_of(other).user.names) < len(trace.user.names)
    # What is picked here means nobody, or somebody else, in the smaller trace.
    window.selection.select(
        Selection(users=frozenset({len(trace.user.names) - 1}), jobs=frozenset({200}), queues=frozenset({1}))
    )
    window.filter.set(Filter(parse_filter("user = 1"), hides=True))
    window.view.choose(marks=(TimeMark("A", "", 0.0, 1.0, (1,), (), ()),), measured=(0, 100_000))
    seen_while_changing: list[tuple[Selection, Filter, tuple[TimeMark, ...], object]] = []

    def look() -> None:
        options = window.view.options
        seen_while_changing.append(
            (window.selection.value, window.filter.value, options.marks, options.measured)
        )

    window.workbench.fair_starts_changed.connect(look)
    window.open_path(tmp_path / "small.batchscope")
    settle(window)
    assert window.workbench.fair_starts
    assert seen_while_changing == [(Selection(), Filter(), (), None)]
    assert window.selection.value == Selection()
    assert window.view.options.marks == ()


def test_views_forget_the_runs_of_a_trace_as_soon_as_another_is_open(
    window: MainWindow, tmp_path: Path
) -> None:
    """Otherwise a hidden page would look for a selected user in the trace that was open before."""
    small = site_log(tmp_path, "small.swf", jobs=3)
    window.open_path(small)
    settle(window)
    fairshare = window.page.views["fairshare"]
    assert fairshare.result is not None
    shown: list[object] = []

    def select_a_new_user(_: object) -> None:
        shown.append(fairshare.result)
        window.selection.select_user(len(trace_of(window).user.names) - 1)

    window.workbench.opened.connect(select_a_new_user)
    window.open_path(site_log(tmp_path, "large.swf"))
    settle(window)
    assert shown == [None]
    assert window.selection.value.users == {11}
