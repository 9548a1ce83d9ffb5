"""Another trace is opened in two turns of the event loop: whatever comes between them is right."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.session.closed_sessions import closed_paths
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from tests.app.windows import EASY, FCFS, settle, site_log, trace_of

Act = Callable[[MainWindow], object]


def open_meanwhile(window: MainWindow, path: Path, act: Act) -> None:
    """Open a trace, and `act` after the trace is there and before its runs are shown."""
    workbench, turns = window.workbench, list[str]()

    def between() -> None:
        workbench.executor.changed.disconnect(between)
        workbench.study_changed.disconnect(shown)
        turns.append("between")
        assert workbench.busy
        act(window)

    def opened(_: object) -> None:
        workbench.opened.disconnect(opened)
        turns.append("opened")
        workbench.executor.changed.connect(between)  # which is sent at the end of the first turn

    def shown() -> None:
        turns.append("shown")

    workbench.opened.connect(opened)
    workbench.study_changed.connect(shown)
    window.open_path(path)
    settle(window)
    assert turns == ["opened", "between"]


def is_whole(window: MainWindow) -> bool:
    """True if all parts show the same runs, and these are done."""
    workbench = window.workbench
    runs, combo = [run.id for run in workbench.study.runs], window.explore.runs
    shown = [list(window.run_list.rows), list(window.page.runs.panels)]
    shown.append([combo.itemData(index) for index in range(combo.count())])
    text = window.status.trace.text()
    done = [run.result.run_id for run in workbench.finished()]
    return shown == [runs] * 3 and done == runs and trace_of(window).name in text and not workbench.busy


def drag_and_restore(window: MainWindow) -> None:
    field = window.explore.fields["max_user_jobs"]
    assert field.on is not None
    field.on.click()
    window.explore.restore.click()
    window.explore.keep.click()


def change_runs(window: MainWindow) -> None:
    window.workbench.remove_run(FCFS)
    window.workbench.cancel_run(EASY)
    window.workbench.start_run(EASY)
    window.workbench.change_run(EASY, parse_policy("conservative"))


@pytest.mark.parametrize(
    "act",
    [
        drag_and_restore,
        change_runs,
        lambda window: window.workbench.log_opening.cancel(),
        lambda window: window.show_view("difference"),
        lambda window: window.set_theme("dark"),
    ],
    ids=["explored", "runs changed", "cancelled", "another view", "another theme"],
)
def test_what_is_done_between_the_turns_is_right(window: MainWindow, tmp_path: Path, act: Act) -> None:
    other = site_log(tmp_path, "other.swf", jobs=120)
    window.explore.choose(EASY)
    window.workbench.explore(EASY, parse_policy("easy:max_user_jobs=3"))
    settle(window)
    open_meanwhile(window, other, act)
    assert len(trace_of(window)) == 120
    assert is_whole(window)


def test_a_third_trace_may_be_opened_between_the_turns(window: MainWindow, tmp_path: Path) -> None:
    other, third = (site_log(tmp_path, f"{jobs}.swf", jobs=jobs) for jobs in (120, 140))
    open_meanwhile(window, other, lambda window: window.open_path(third))
    assert len(trace_of(window)) == 140
    assert is_whole(window)


def test_the_window_may_be_closed_between_the_turns(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.workbench.remove_run(FCFS)
    settle(window)
    shown: list[bool] = []
    workbench = window.workbench
    workbench.opened.connect(lambda _: workbench.study_changed.connect(lambda: shown.append(True)))
    open_meanwhile(window, site_log(tmp_path, "other.swf", jobs=120), MainWindow.close)
    qtbot.wait(50)
    assert shown == []
    assert not window.workbench.busy
    assert len(closed_paths()) == 2  # the trace that was left, and the other


def test_views_are_seen_whole_after_the_second_turn(window: MainWindow, tmp_path: Path) -> None:
    """The page is painted again, also if no run is there to be shown."""
    for run in window.workbench.study.runs:
        window.workbench.remove_run(run.id)
    settle(window)
    open_meanwhile(window, site_log(tmp_path, "other.swf", jobs=120), lambda _: None)
    assert window.page.updatesEnabled()
    assert is_whole(window)
