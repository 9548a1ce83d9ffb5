"""Runs: added, changed, removed, run again, cancelled, and how far each is."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.panels.policies.policy_dialog import PolicyDialog
from app.panels.policies.policy_field import NUMBER
from app.panels.run_list import RunRow
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from tests.app.windows import (
    EASY,
    FAIR_FCFS,
    FCFS,
    click,
    compared,
    inspected,
    open_dialog,
    open_tabs,
    panel,
    schedule_of,
    seen,
    settle,
    site_log,
    slow_simulations,
)
from views.theme.palette import run_colour


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


def row(window: MainWindow, run: int) -> RunRow:
    return window.run_list.rows[run]


def names(window: MainWindow) -> list[str]:
    """The runs as the strip shows them, from the left."""
    rows = sorted(window.run_list.rows.values(), key=lambda row: (row.y(), row.x()))
    return [row.name.text() for row in rows]


def choose(qtbot: QtBot, window: MainWindow, spelling: str) -> None:
    """Type a policy into the dialog that is open, and accept it."""
    dialog = open_dialog(window)
    assert isinstance(dialog, PolicyDialog)
    dialog.spelling.selectAll()
    qtbot.keyClicks(dialog.spelling, spelling)
    click(qtbot, dialog.buttons.button(QDialogButtonBox.StandardButton.Ok))


def test_the_runs_of_a_new_trace_are_listed_in_their_colours(window: MainWindow) -> None:
    assert names(window) == ["fcfs", "fairshare-fcfs", "easy", "fairshare-easy"]
    for run, shown in window.run_list.rows.items():
        assert shown.state.text().startswith("done in ")
        assert shown.state.text().endswith(" ms")
        assert not shown.bar.isVisible()
        colour = int(run_colour(run).removeprefix("#"), 16) | 0xFF000000
        assert (seen(shown) == colour).sum() >= 100
        assert (seen(panel(window, run).gantt) == colour).sum() >= 100
        assert panel(window, run).gantt.title == shown.name.text()


def test_a_run_is_added_through_the_dialog(qtbot: QtBot, window: MainWindow) -> None:
    click(qtbot, window.run_list.add)
    choose(qtbot, window, "easy:order=saf")
    settle(window)
    assert names(window) == ["fcfs", "fairshare-fcfs", "easy", "fairshare-easy", "easy:order=saf"]
    assert len(window.workbench.finished()) == 5
    assert window.page.runs.panels[5].isVisible()
    assert window.page.views["table"].model.columnCount() == 5
    assert compared(window) == names(window)


def test_a_run_that_is_added_is_explored(qtbot: QtBot, window: MainWindow) -> None:
    window.explore_dock.close()
    click(qtbot, window.run_list.add)
    choose(qtbot, window, "metric:bf=0.5")
    settle(window)
    assert window.explore.run_id == 5
    assert window.explore.isVisible()
    slider = window.explore.fields["bf"].numbers[NUMBER].slider
    assert slider.isVisible()
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_End)
    settle(window)
    assert names(window)[-1] == "metric"
    window.explore_dock.close()
    window.workbench.add_run(parse_policy("metric:bf=0.2"))  # as a sweep does: what was closed stays
    settle(window)
    assert window.explore.run_id == 6
    assert not window.explore.isVisible()


def test_a_dialog_that_is_dismissed_changes_nothing(qtbot: QtBot, window: MainWindow) -> None:
    study = window.workbench.study
    qtbot.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(open_dialog(window), Qt.Key.Key_Escape)
    click(qtbot, row(window, EASY).edit)
    choose(qtbot, window, "easy")  # as it is
    assert window.workbench.study is study
    assert not window.workbench.busy


def test_an_edited_run_keeps_its_place_and_colour(qtbot: QtBot, window: MainWindow) -> None:
    before = seen(panel(window, EASY).gantt)
    ends = schedule_of(window, EASY).end
    click(qtbot, row(window, EASY).edit)
    assert open_dialog(window).policy == parse_policy("easy")
    choose(qtbot, window, "aggressive:order=ljf")
    settle(window)
    assert names(window) == ["fcfs", "fairshare-fcfs", "aggressive:order=ljf", "fairshare-easy"]
    assert panel(window, EASY).gantt.title == "aggressive:order=ljf"
    assert (seen(panel(window, EASY).gantt) != before).mean() > 0.05
    assert not np.array_equal(schedule_of(window, EASY).end, ends)
    assert [run.result.run_id for run in window.workbench.finished()] == [1, 2, 3, 4]


def test_a_removed_run_is_gone_everywhere(qtbot: QtBot, window: MainWindow) -> None:
    gone = panel(window, FCFS)
    click(qtbot, row(window, FCFS).remove)
    qtbot.waitUntil(lambda: FCFS not in window.run_list.rows)
    settle(window)
    assert names(window) == ["fairshare-fcfs", "easy", "fairshare-easy"]
    assert FCFS not in window.page.runs.panels
    assert not isValid(gone)
    assert window.page.views["table"].model.columnCount() == 3
    assert compared(window) == names(window)


def test_the_last_run_can_be_removed_and_another_added(qtbot: QtBot, window: MainWindow) -> None:
    for run in list(window.run_list.rows):
        click(qtbot, row(window, run).remove)
        qtbot.waitUntil(lambda run=run: run not in window.run_list.rows)
    open_tabs(window)
    assert window.page.views["boxplots"].empty.isVisible()
    window.selection.select_instant(0.0)
    assert inspected(window)
    click(qtbot, window.run_list.add)
    choose(qtbot, window, "easy")
    settle(window)
    assert names(window) == ["easy"]
    assert not window.page.views["boxplots"].empty.isVisible()


def test_a_run_tells_how_far_it_is_and_how_long_it_will_take(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one run is under way the charts of the others, and its own of before, stay."""
    before = seen(panel(window, EASY).gantt)
    with slow_simulations(monkeypatch):
        click(qtbot, row(window, EASY).go)
        qtbot.waitUntil(lambda: row(window, EASY).state.text().startswith("40 %, "))
        assert row(window, EASY).state.text().endswith(" left")
        assert row(window, EASY).bar.isVisible()
        assert row(window, EASY).bar.value() == 400
        assert row(window, EASY).go.toolTip() == "Cancel this run"
        assert np.array_equal(seen(panel(window, EASY).gantt), before)
    settle(window)
    assert row(window, EASY).state.text().startswith("done in ")
    assert row(window, EASY).go.toolTip() == "Run again"
    assert not row(window, EASY).bar.isVisible()
    assert np.array_equal(seen(panel(window, EASY).gantt), before)  # the same schedule again


def test_runs_wait_for_a_processor_and_all_are_cancelled_by_a_key(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    with slow_simulations(monkeypatch) as gate:
        window.open_path(site)
        qtbot.waitUntil(lambda: len(window.run_list.rows) == 4 and gate.arrived.is_set())
        qtbot.waitUntil(lambda: row(window, FCFS).state.text().startswith("40 %"))
        assert row(window, 4).state.text() in ("waiting for a processor", row(window, FCFS).state.text())
        qtbot.waitUntil(lambda: FCFS in window.page.runs.panels)
        assert {chart.message for chart in panel(window, FCFS).charts} == {"Simulating…"}
        qtbot.keyClick(window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
        settle(window)
        for run, shown in window.run_list.rows.items():
            assert shown.state.text() == "cancelled"
            assert panel(window, run).gantt.message == "Cancelled"
    assert window.workbench.finished() == []
    qtbot.keyClick(window, Qt.Key.Key_F5)
    settle(window)
    assert len(window.workbench.finished()) == 4
    assert panel(window, FCFS).gantt.message == ""


def test_a_long_run_is_stopped_within_a_moment(
    qtbot: QtBot, make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    """A queue that only grows, ordered anew at every event."""
    window = make_window()
    window.open_path(site_log(tmp_path, jobs=40_000))
    qtbot.waitUntil(lambda: FAIR_FCFS in window.run_list.rows)
    qtbot.waitUntil(lambda: row(window, FAIR_FCFS).state.text().endswith(" left"))
    assert 0 < row(window, FAIR_FCFS).bar.value() < 1000
    click(qtbot, row(window, FAIR_FCFS).go)
    assert row(window, FAIR_FCFS).state.text() == "cancelled"
    qtbot.keyClick(window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    assert window.workbench.executor.shutdown(500)


def test_a_run_that_cannot_be_says_why_in_its_row_and_in_its_panel(
    qtbot: QtBot, make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    window = make_window()
    window.open_path(site_log(tmp_path, "nowaits.swf", waits=False))
    settle(window)
    click(qtbot, row(window, EASY).edit)
    choose(qtbot, window, "recorded")
    settle(window)
    why = "nowaits: the log does not say when its jobs started, so there is no recorded schedule"
    assert row(window, EASY).state.toolTip() == why
    assert why.startswith(row(window, EASY).state.text().rstrip("…"))
    assert panel(window, EASY).gantt.message == why
    assert panel(window, EASY).heatmap.message == why
    assert panel(window, EASY).cpu.message  # not the use of the run that it was before
    assert not window.messages.isVisible()  # the rest goes on
    assert [run.result.run_id for run in window.workbench.finished()] == [1, 2, 4]
    click(qtbot, row(window, EASY).edit)
    choose(qtbot, window, "easy")
    settle(window)
    assert row(window, EASY).state.text().startswith("done in ")
    assert panel(window, EASY).cpu.message == ""


def test_the_log_s_own_schedule_is_a_run_like_any_other(qtbot: QtBot, window: MainWindow) -> None:
    click(qtbot, window.run_list.add)
    choose(qtbot, window, "recorded")
    settle(window)
    assert row(window, 5).state.text() == "from the log"
    assert (schedule_of(window, 5).wait == 0).all()
    assert panel(window, 5).gantt.message == ""


def test_charts_have_most_of_the_height_while_the_first_run_is_simulated(
    make_window: Callable[..., MainWindow], site: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    window = make_window()
    with slow_simulations(monkeypatch) as gate:
        window.open_path(site)
        qtbot.waitUntil(lambda: gate.arrived.is_set() and len(window.page.runs.panels) == 4)
        qtbot.waitUntil(lambda: not window.idle_queue.busy)
        above, below = window.page.splitter.sizes()
        assert above > 2 * below
    settle(window)
