"""Edits of runs, undone and redone by their keys."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

import engine.simulation.run
from app.actions.menu_tree import entries
from app.panels.policies.policy_dialog import PolicyDialog
from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from tests.app.panels.sliders import drag
from tests.app.session.sessions import answer, save_as
from tests.app.windows import (
    EASY,
    FAIR_EASY,
    FCFS,
    click,
    open_dialog,
    panel,
    schedule_of,
    seen,
    settle,
    site_log,
)
from views.state.filter import Filter

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


def undo(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL)
    settle(window)


def redo(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL | SHIFT)
    settle(window)


def offers(window: MainWindow) -> list[str]:
    """What the menus offer to undo and redo."""
    names = [entry.name for entry in entries(window.menuBar()) if entry.action.isEnabled()]
    return [name for name in names if name.startswith(("Undo", "Redo"))]


def runs(window: MainWindow) -> list[tuple[int, str]]:
    study = window.workbench.study
    return [(run.id, study.name(run)) for run in study.runs]


def choose(qtbot: QtBot, window: MainWindow, spelling: str) -> None:
    dialog = open_dialog(window)
    assert isinstance(dialog, PolicyDialog)
    dialog.spelling.selectAll()
    qtbot.keyClicks(dialog.spelling, spelling)
    click(qtbot, dialog.buttons.button(QDialogButtonBox.StandardButton.Ok))
    window.activateWindow()  # which a window manager does
    qtbot.waitUntil(window.isActiveWindow)
    settle(window)


def remove(qtbot: QtBot, window: MainWindow, run: int) -> None:
    click(qtbot, window.run_list.rows[run].remove)
    qtbot.waitUntil(lambda: run not in window.run_list.rows)
    settle(window)


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The policies that are simulated from here on."""
    simulate, policies = engine.simulation.run.simulate, list[str]()

    def tell(trace: object, cluster: object, policy: object, **rest: object) -> object:
        policies.append(str(policy))
        return simulate(trace, cluster, policy, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(engine.simulation.run, "simulate", tell)
    return policies


def test_runs_filters_and_the_measured_range_have_one_order(qtbot: QtBot, window: MainWindow) -> None:
    before = runs(window)
    window.filter.set(Filter(parse_filter("user = 3")))
    window.workbench.add_run(parse_policy("saf-easy"))
    window.measured.measure_only((50_000, 120_000))
    window.filter.set(Filter(parse_filter("user = 3"), hides=True))
    window.filter.clear()
    settle(window)
    # The order of undoing is that of the edits, whatever they are of.
    received = []
    for _ in range(5):
        received.append(offers(window)[0])
        undo(qtbot, window)
    assert received == [
        "Undo the end of the filter user = 3",
        "Undo the hiding of other jobs",
        "Undo the limit of metrics to Tue 1 Jan 2013 14:53:20 – Wed 2 Jan 2013 10:20:00",
        "Undo the addition of saf-easy",
        "Undo the filter user = 3",
    ]
    assert (runs(window), window.filter.value, window.view.options.measured) == (before, Filter(), None)
    for _ in range(4):
        redo(qtbot, window)
    assert len(runs(window)) == len(before) + 1
    assert window.filter.value == Filter(parse_filter("user = 3"), hides=True)
    assert window.view.options.measured == (50_000, 120_000)
    window.measured.measure_only(None)
    assert offers(window)[0] == "Undo the end of the limit of metrics"


def test_what_a_session_or_another_trace_brings_is_not_undone(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.filter.set(Filter(parse_filter("user = 3")))
    window.measured.measure_only((50_000, 120_000))
    window.keeper.save(tmp_path / "kept.batchscope")
    settle(window)
    window.open_path(tmp_path / "kept.batchscope")
    settle(window)
    assert window.filter.value == Filter(parse_filter("user = 3"))
    assert window.view.options.measured == (50_000, 120_000)
    assert offers(window) == []
    window.measured.measure_only(None)
    undo(qtbot, window)
    assert window.view.options.measured == (50_000, 120_000)


def test_edits_are_undone_and_redone_one_after_another(qtbot: QtBot, window: MainWindow) -> None:
    before = runs(window)
    assert offers(window) == []
    click(qtbot, window.run_list.add)
    choose(qtbot, window, "easy:order=saf")
    click(qtbot, window.run_list.rows[EASY].edit)
    choose(qtbot, window, "aggressive")
    remove(qtbot, window, FCFS)
    after = runs(window)
    assert after == [(2, "fairshare-fcfs"), (3, "aggressive"), (4, "fairshare-easy"), (5, "easy:order=saf")]
    received = []
    for _ in range(3):
        received += offers(window)
        undo(qtbot, window)
    assert runs(window) == before
    assert received == [
        "Undo the removal of fcfs",
        "Undo the change of easy to aggressive",
        "Redo the removal of fcfs",
        "Undo the addition of easy:order=saf",
        "Redo the change of easy to aggressive",
    ]
    assert offers(window) == ["Redo the addition of easy:order=saf"]
    undo(qtbot, window)
    assert runs(window) == before
    for _ in range(4):
        redo(qtbot, window)
    assert runs(window) == after
    assert [run.result.run_id for run in window.workbench.finished()] == [2, 3, 4, 5]
    undo(qtbot, window)
    window.workbench.add_run(parse_policy("saf-easy"))
    assert offers(window) == ["Undo the addition of saf-easy"]  # what was undone before is gone


def test_a_run_comes_back_with_its_schedule(qtbot: QtBot, window: MainWindow, simulated: list[str]) -> None:
    schedule = schedule_of(window, EASY)
    remove(qtbot, window, EASY)
    undo(qtbot, window)
    assert schedule_of(window, EASY) is schedule
    assert window.run_list.rows[EASY].state.text().startswith("done in ")
    click(qtbot, window.run_list.rows[EASY].edit)
    choose(qtbot, window, "aggressive")
    undo(qtbot, window)
    assert schedule_of(window, EASY) is schedule
    assert panel(window, EASY).gantt.title == "easy"
    redo(qtbot, window)
    assert schedule_of(window, EASY).policy == parse_policy("aggressive")
    assert simulated == ["aggressive"]
    window.workbench.change_run(EASY, parse_policy("easy"))
    settle(window)
    assert simulated == ["aggressive", "easy"]  # a new edit is simulated: a file of shares may be another


def test_all_charts_of_a_run_come_back_where_it_could_not_be_simulated(
    qtbot: QtBot, make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    window = make_window()
    window.open_path(site_log(tmp_path, "nowaits.swf", waits=False))
    settle(window)
    strip = seen(panel(window, EASY).cpu)
    window.workbench.change_run(EASY, parse_policy("recorded"))
    settle(window)
    assert all(chart.message for chart in panel(window, EASY).charts)
    undo(qtbot, window)
    assert not any(chart.message for chart in panel(window, EASY).charts if chart.isVisible())
    assert (seen(panel(window, EASY).cpu) == strip).all()
    assert window.run_list.rows[EASY].state.text().startswith("done in ")
    redo(qtbot, window)
    assert all(chart.message for chart in panel(window, EASY).charts)


def test_a_run_comes_back_with_fair_starts_where_they_are_wanted_by_now(
    qtbot: QtBot, window: MainWindow, simulated: list[str]
) -> None:
    remove(qtbot, window, EASY)
    window.workbench.set_fair_starts(True)
    settle(window)
    simulated.clear()
    undo(qtbot, window)
    assert schedule_of(window, EASY).fair_start is not None
    assert simulated == ["easy"]


def test_a_run_that_is_removed_before_it_is_done_is_simulated_when_it_comes_back(
    qtbot: QtBot, window: MainWindow, simulated: list[str]
) -> None:
    window.workbench.add_run(parse_policy("saf-easy"))
    window.workbench.remove_run(5)
    settle(window)
    simulated.clear()
    undo(qtbot, window)
    assert simulated == ["saf-easy"]
    assert schedule_of(window, 5).ran.any()


def test_a_machine_of_its_own_comes_and_goes(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.change_run(EASY, parse_policy("easy"), parse_cluster("4x8c16g"))
    settle(window)
    assert offers(window) == ["Undo the change of easy to easy on 4x8c16g"]
    undo(qtbot, window)
    assert runs(window)[2] == (EASY, "easy")
    redo(qtbot, window)
    assert runs(window)[2] == (EASY, "easy on 4x8c16g")
    assert schedule_of(window, EASY).cluster == parse_cluster("4x8c16g")


def test_a_drag_of_a_slider_is_a_step_that_is_undone(qtbot: QtBot, window: MainWindow) -> None:
    click(qtbot, window.run_list.rows[EASY].name)
    field = window.explore.fields["max_user_jobs"]
    assert field.on is not None
    field.on.click()
    settle(window)
    first = runs(window)[2]
    assert offers(window) == [f"Undo the change of easy to {first[1]}"]
    (number,) = (number for number in field.numbers.values() if number.isVisible())
    drag(number.slider, 0.0)
    settle(window)
    explored = runs(window)[2]
    assert window.workbench.edits.count() == 2  # whatever the slider passed on its way
    click(qtbot, window.explore.keep)
    assert offers(window) == [f"Undo the change of {first[1]} to {explored[1]}"]
    undo(qtbot, window)
    assert runs(window)[2] == first
    undo(qtbot, window)
    assert runs(window)[2] == (EASY, "easy")
    assert not window.explore.restore.isEnabled()
    for run in (first, explored):
        redo(qtbot, window)
        assert runs(window)[2] == run


def test_columns_and_pinned_users_are_undone(qtbot: QtBot, window: MainWindow) -> None:
    """Another look of heatmaps is no edit, and stays where a pin is undone."""
    window.selection.select_user(2)
    window.menus.offered.actions["pin users"].trigger()
    name = window.workbench.study.trace.user.names[2]
    assert window.view.options.heatmaps.pinned == (name,)
    assert offers(window) == [f"Undo the pinning of user {name}"]
    window.menus.offered.actions["pin users"].trigger()
    assert offers(window) == [f"Undo the unpinning of user {name}"]
    window.view.choose(heatmaps=replace(window.view.options.heatmaps, by_queue=True))
    undo(qtbot, window)
    assert window.view.options.heatmaps.pinned == (name,)
    undo(qtbot, window)
    assert window.view.options.heatmaps.pinned == ()
    assert window.view.options.heatmaps.by_queue
    redo(qtbot, window)
    assert window.view.options.heatmaps.pinned == (name,)
    undo(qtbot, window)
    window.selection.clear()
    before = window.view.options
    window.view.choose(columns=1)
    window.view.choose(hidden_columns={"jobs": ("Queue",)})
    assert offers(window) == ["Undo the change of columns"]  # and nothing to redo
    undo(qtbot, window)
    assert window.view.options.hidden_columns == before.hidden_columns
    assert offers(window) == ["Undo the arrangement of runs", "Redo the change of columns"]
    undo(qtbot, window)
    assert window.view.options == before


def test_a_run_that_is_explored_after_an_edit_comes_back_as_it_was_explored(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.workbench.change_run(EASY, parse_policy("metric:bf=0.5"))
    settle(window)
    window.workbench.explore(EASY, parse_policy("metric:bf=0.25"))
    settle(window)
    undo(qtbot, window)
    assert runs(window)[2] == (EASY, "easy")
    redo(qtbot, window)
    assert runs(window)[2] == (EASY, "metric:bf=0.25")


def test_the_message_about_a_removal_undoes_that_removal_or_goes(qtbot: QtBot, window: MainWindow) -> None:
    remove(qtbot, window, EASY)
    answer(qtbot, window, "Undo")
    assert runs(window)[2] == (EASY, "easy")
    assert not window.messages.isVisible()
    redo(qtbot, window)
    assert not window.messages.isVisible()
    undo(qtbot, window)
    remove(qtbot, window, EASY)
    assert window.messages.isVisible()
    window.workbench.add_run(parse_policy("saf-easy"))
    assert not window.messages.isVisible()  # Undo would take the new run


def test_another_study_leaves_nothing_to_undo(qtbot: QtBot, window: MainWindow, site: Path) -> None:
    remove(qtbot, window, EASY)
    undo(qtbot, window)
    remove(qtbot, window, FAIR_EASY)
    assert len(offers(window)) == 1
    window.open_path(site)
    settle(window)
    before = runs(window)
    assert offers(window) == []
    undo(qtbot, window)
    redo(qtbot, window)
    assert runs(window) == before


def test_an_undone_edit_leaves_a_session_as_it_was_saved(
    qtbot: QtBot,
    make_window: Callable[..., MainWindow],
    window: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "a.batchscope"
    save_as(qtbot, window, path, monkeypatch)
    remove(qtbot, window, FCFS)
    assert window.isWindowModified()
    undo(qtbot, window)
    assert not window.isWindowModified()
    redo(qtbot, window)
    qtbot.keyClick(window, Qt.Key.Key_S, CONTROL)
    settle(window)
    again = make_window()
    again.open_path(path)
    settle(again)
    assert runs(again) == runs(window)
    assert offers(again) == []


def test_keys_in_a_line_that_is_typed_in_undo_what_was_typed(qtbot: QtBot, window: MainWindow) -> None:
    remove(qtbot, window, FCFS)
    before = runs(window)
    qtbot.keyClick(window, Qt.Key.Key_Slash)
    line = window.page.filter_bar.line
    qtbot.keyClicks(line, "procs")
    qtbot.keyClick(line, Qt.Key.Key_Z, CONTROL)
    assert line.text() != "procs"
    assert runs(window) == before


def test_the_baseline_stays_the_run_that_is_explored(qtbot: QtBot, window: MainWindow) -> None:
    def baseline() -> int | None:
        return window.workbench.study.baseline(window.view.options.baseline)

    assert (baseline(), window.view.options.baseline) == (EASY, None)
    window.workbench.change_run(FCFS, parse_policy("saf-easy"))
    assert window.view.options.baseline is None
    window.workbench.explore(EASY, parse_policy("easy:depth=3"))
    settle(window)
    assert runs(window)[2] == (EASY, "easy:depth=3")
    assert baseline() == EASY  # though it is not the usual one any more
    metrics, scores = window.page.views["table"], window.page.views["scores"]
    assert metrics.baseline == EASY
    assert scores.baseline.currentText().startswith("easy:depth=3")
    metrics.compare_with(0)
    assert baseline() == window.workbench.finished()[0].result.run_id
    assert scores.baseline.currentIndex() == 0
    window.view.choose(baseline=EASY)
    assert metrics.baseline == EASY
    window.workbench.remove_run(EASY)
    assert baseline() == FCFS
