"""The log that is open is read with other options as an edit, which keeps the runs and can be undone."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.policy.policy import parse_policy
from engine.reading.options import Reading
from tests.app.session.sessions import CONTROL, SHIFT
from tests.app.windows import settle
from views.data.marks import Mark
from views.state.filter import Filter


def what_is_kept(window: MainWindow) -> tuple[object, ...]:
    """The runs, the filter and the marks."""
    runs = [(run.id, run.policy, run.title) for run in window.workbench.study.runs]
    return runs, window.filter.value, window.view.options.marks


def test_undo_goes_back_through_other_options_of_reading(
    qtbot: QtBot, window: MainWindow, site: Path
) -> None:
    def undo() -> None:
        qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL)
        settle(window)

    workbench, few = window.workbench, Reading(jobs="0:100")
    workbench.add_run(parse_policy("saf-easy"))
    window.filter.set(Filter(parse_filter("user = 3")))
    window.view.choose(marks=(Mark("here", "", 50_000.0, 50_000.0),))
    settle(window)
    before = what_is_kept(window)
    assert window.opener.open_as(site, few)
    settle(window)
    assert len(workbench.study.trace) == 100
    assert what_is_kept(window) == before
    window.filter.clear()
    received = []
    for _ in range(5):
        received.append(workbench.edits.undoText())
        undo()
    assert received == [
        "the end of the filter user = 3",
        "the reading with other options",
        "the mark here",
        "the filter user = 3",
        "the addition of saf-easy",
    ]
    assert len(workbench.study.trace) == 300
    assert what_is_kept(window) == (before[0][:-1], Filter(), ())  # type: ignore[index]  # a list of runs
    for _ in range(4):
        qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL | SHIFT)
        settle(window)
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
