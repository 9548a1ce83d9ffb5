"""Exploring a run by its sliders: the charts follow, and what was before can be had back."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QGraphicsView, QScrollArea, QSlider
from pytestqt.qtbot import QtBot

from app.model import workbench as workbench_module
from app.model.settings import Settings
from app.panels.policies.policy_form import NUMBERS
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.app.panels.sliders import Painted, drag, handle_of
from tests.app.windows import (
    EASY,
    FAIR_EASY,
    FCFS,
    LEFT,
    click,
    open_tabs,
    panel,
    plot_of,
    schedule_of,
    seen,
    settle,
    slow_simulations,
    trace_of,
)
from tests.gaps import gaps
from tests.paths import SHARED, needs
from views.text.counts import format_count
from views.text.metrics import format_value

KTH = SHARED / "traces" / "KTH-SP2-filtered.swf.gz"


def slider_of(window: MainWindow, key: str) -> QSlider:
    """The slider of a key, switched on and in sight."""
    field = window.explore.fields[key]
    window.explore.findChildren(QScrollArea)[0].ensureWidgetVisible(field)
    if field.on is not None and not field.on.isChecked():
        field.on.click()
    (number,) = (number for number in field.numbers.values() if number.isVisible())
    return number.slider


def shown(window: MainWindow) -> set[str]:
    return {name for name, field in window.explore.fields.items() if field.isEnabled()}


@pytest.fixture
def window(window: MainWindow) -> MainWindow:
    """One with the sliders at hand."""
    window.explore_dock.show()
    settle(window)
    return window


def explored(window: MainWindow, run: int) -> str:
    found = window.workbench.study.run(run)
    assert found is not None
    return found.policy.spelling


def test_a_click_on_a_run_offers_its_sliders(qtbot: QtBot, window: MainWindow) -> None:
    window.explore_dock.close()
    click(qtbot, window.run_list.rows[FAIR_EASY].name)
    assert window.explore_dock.isVisible()
    assert window.explore.run_id == FAIR_EASY
    assert {"half_life", "depth", "threshold", "relaxed"} <= shown(window)
    click(qtbot, window.run_list.rows[EASY].name)
    assert window.explore.run_id == EASY
    assert window.explore.runs.currentText() == "easy"
    assert "half_life" not in shown(window)
    click(qtbot, window.run_list.rows[FCFS].name)
    assert not {"relaxed", "bf", "queue_depth", "window"} & shown(window)
    assert not window.explore.restore.isEnabled()


def test_keys_without_effect_are_folded_until_they_are_asked_for(qtbot: QtBot, window: MainWindow) -> None:
    panel = window.explore
    panel.choose(EASY)
    idle = {name for name, field in panel.fields.items() if not field.isEnabled()}
    seen = {name for name, field in panel.fields.items() if not field.isHidden()}
    assert "half_life" in idle
    assert seen == {*panel.fields} - idle
    assert panel.idle.text() == f"{len(idle)} keys without effect"
    panel.findChildren(QScrollArea)[0].ensureWidgetVisible(panel.idle)
    click(qtbot, panel.idle)
    assert not any(field.isHidden() for field in panel.fields.values())
    tip = panel.fields["half_life"].toolTip()
    assert "past usage counts half after 3d" in tip  # what it says, and why that changes nothing
    assert "<i>" in tip
    click(qtbot, panel.idle)
    assert panel.fields["half_life"].isHidden()


def test_a_balanced_order_has_a_balance_factor_to_drag(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.change_run(EASY, parse_policy("tuned-bf"))
    settle(window)
    window.explore.choose(EASY)
    assert {"bf", "window", "queue_depth"} <= shown(window)
    window.workbench.change_run(EASY, parse_policy("metric:bf=0.5"))
    settle(window)
    assert "queue_depth" not in shown(window)
    drag(slider_of(window, "bf"), 0.2)
    settle(window)
    assert explored(window, EASY).startswith("metric:bf=0.")


def test_a_step_paints_each_plot_once_and_leaves_the_windows_layout_alone(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_tabs(window)
    window.explore.choose(EASY)
    slider = slider_of(window, "max_user_jobs")
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    settle(window)
    charts = window.page.views["boxplots"].charts
    views = {chart: chart.findChildren(QGraphicsView)[0].viewport() for chart in charts}
    seen = Events(window, *views.values(), window.page, window.page.splitter)
    for step in range(1, 4):
        qtbot.keyClick(slider, Qt.Key.Key_PageUp)
        settle(window)
        for chart in charts:
            assert seen.count(views[chart], QEvent.Type.Paint) == step
        assert seen.count(window.page.splitter, QEvent.Type.LayoutRequest) == 0
        assert seen.count(window.page, QEvent.Type.LayoutRequest) == 0


class Events(QObject):
    """Counts the events of some widgets by their types."""

    def __init__(self, parent: QObject, *watched: QObject) -> None:
        super().__init__(parent)
        self._counts: Counter[tuple[QObject, QEvent.Type]] = Counter()
        for part in watched:
            part.installEventFilter(self)

    def count(self, watched: QObject, kind: QEvent.Type) -> int:
        return self._counts[watched, kind]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self._counts[watched, event.type()] += 1
        return False


def test_every_number_of_a_policy_has_a_slider(window: MainWindow) -> None:
    for name in NUMBERS:
        assert window.explore.fields[name].numbers


def test_all_views_follow_a_slider(qtbot: QtBot, window: MainWindow) -> None:
    window.explore.choose(EASY)
    slider = slider_of(window, "max_user_jobs")
    settle(window)
    gantt, heatmap = seen(panel(window, EASY).gantt), seen(panel(window, EASY).heatmap)
    waits = window.page.views["table"].model.export([1], [2])
    position = handle_of(slider)
    qtbot.mousePress(slider, LEFT, pos=position)
    qtbot.mouseMove(slider, QPoint(4, position.y()))
    settle(window)
    assert explored(window, EASY) == "easy:max_user_jobs=1"
    assert panel(window, EASY).gantt.title == "easy:max_user_jobs=1"
    assert window.run_list.rows[EASY].name.text() == "easy:max_user_jobs=1"
    assert window.explore.runs.currentText() == "easy:max_user_jobs=1"
    assert (seen(panel(window, EASY).gantt) != gantt).mean() > 0.02
    assert (seen(panel(window, EASY).heatmap) != heatmap).mean() > 0.001
    assert window.page.views["table"].model.export([1], [2]) != waits
    qtbot.mouseRelease(slider, LEFT, pos=QPoint(4, position.y()))


def test_the_planning_page_follows_the_slider_of_trials(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.change_run(EASY, parse_policy("plan-search:trials=5"))
    open_tabs(window)
    page = window.page.views["planning"]
    window.page.tabs.setCurrentWidget(page)
    window.explore.choose(EASY)
    slider = slider_of(window, "trials")
    settle(window)
    few = page.message.text()
    budget = page.budget.plot
    assert few.endswith(" (plan-search:trials=5)")
    position = handle_of(slider)
    qtbot.mousePress(slider, LEFT, pos=position)
    qtbot.mouseMove(slider, position + QPoint(12, 0))
    settle(window)
    spelling = explored(window, EASY)
    trials = parse_policy(spelling).trials
    assert trials > 5
    assert page.isVisible()
    assert page.message.text().endswith(f" ({spelling})")
    tried = [int(search.log.tried.sum()) for search in page._searches]
    assert f"tried {format_count(tried[0])} moves" in page.message.text()
    assert page.budget.plot is not budget
    assert page.budget.plot.lines[0].x[-1] == trials
    qtbot.mouseRelease(slider, LEFT, pos=position + QPoint(12, 0))
    settle(window)


def test_esc_brings_the_run_back(qtbot: QtBot, window: MainWindow) -> None:
    window.explore.choose(EASY)
    starts = schedule_of(window, EASY).start
    slider = slider_of(window, "max_user_jobs")
    drag(slider, 0.2)
    settle(window)
    assert explored(window, EASY) != "easy"
    qtbot.keyClick(slider, Qt.Key.Key_Escape)
    settle(window)
    assert explored(window, EASY) == "easy"
    assert np.array_equal(schedule_of(window, EASY).start, starts)
    assert not window.explore.fields["max_user_jobs"].on.isChecked()
    assert not window.explore.restore.isEnabled()


def test_what_was_before_is_reported_and_outlined_until_it_is_kept(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1500, 1700)  # strips have room beside the pages below
    open_tabs(window)
    window.explore.choose(EASY)
    before = window.workbench.open_study.live[EASY].compared.result.summary["wait_mean"]
    slider = slider_of(window, "max_user_jobs")
    settle(window)
    strip = panel(window, EASY).cpu
    plain = seen(strip, plot_of(strip))
    qtbot.mousePress(slider, LEFT, pos=handle_of(slider))
    qtbot.mouseMove(slider, QPoint(4, handle_of(slider).y()))
    qtbot.mouseRelease(slider, LEFT, pos=handle_of(slider))
    settle(window)
    model = window.page.views["table"].model
    (row,) = (k for k in range(model.rowCount()) if getattr(model.metric(k), "name", "") == "wait_mean")
    change = model.change(row, 2)
    metric = model.metric(row)
    assert change is not None
    assert metric is not None
    assert change.text.startswith(f"was {format_value(metric, before)}, ▼ +")
    assert model.change(row, 3).text.startswith("▲ ")  # the others are told against the baseline
    assert "median before: " in window.page.views["boxplots"].charts[2].plot.box_text(2)
    with_ghosts = seen(window.page.views["boxplots"].charts[2])
    line = seen(strip, plot_of(strip))
    click(qtbot, window.explore.keep)
    settle(window)
    assert (seen(window.page.views["boxplots"].charts[2]) != with_ghosts).any()
    assert (seen(strip, plot_of(strip)) != line).any()
    assert not np.array_equal(line, plain)
    assert model.change(row, 2) is None  # it is the baseline that the others are told against
    assert not window.explore.keep.isEnabled()
    assert not window.explore.restore.isEnabled()
    assert explored(window, EASY) == "easy:max_user_jobs=1"


def test_charts_that_are_not_live_wait_until_the_slider_is_let_go(qtbot: QtBot, window: MainWindow) -> None:
    click(qtbot, window.explore.live, QPoint(8, window.explore.live.height() // 2))
    assert not window.settings.explore_live
    window.explore.choose(EASY)
    slider = slider_of(window, "max_user_jobs")
    settle(window)
    before, position = explored(window, EASY), handle_of(slider)
    qtbot.mousePress(slider, LEFT, pos=position)
    qtbot.mouseMove(slider, QPoint(4, position.y()))
    settle(window)
    assert explored(window, EASY) == before
    qtbot.mouseRelease(slider, LEFT, pos=QPoint(4, position.y()))
    settle(window)
    assert explored(window, EASY) == "easy:max_user_jobs=1"


def test_what_contradicts_is_reported_and_the_run_stays(qtbot: QtBot, window: MainWindow) -> None:
    window.explore.choose(FAIR_EASY)
    depth = window.explore.fields["depth"]
    assert depth.choice is not None
    depth.choice.setCurrentText("kept")
    assert "order=fairshare comes too late" in window.explore.note.text()
    settle(window)
    assert explored(window, FAIR_EASY) == "fairshare-easy"
    depth.choice.setCurrentText("all")
    assert not window.explore.note.isVisible()
    settle(window)
    assert explored(window, FAIR_EASY) == "fairshare-easy:depth=all"


def test_the_logs_own_schedule_has_no_sliders(window: MainWindow) -> None:
    window.workbench.add_run(parse_policy("recorded"))
    settle(window)
    window.explore.choose(5)
    assert not shown(window)
    assert window.explore.note.text() == "The log's own schedule has nothing to set."


def test_a_run_that_is_edited_elsewhere_is_explored_from_there(window: MainWindow) -> None:
    window.explore.choose(EASY)
    window.workbench.change_run(EASY, parse_policy("saf-easy:threshold=2h"))
    settle(window)
    assert window.explore.fields["threshold"].text() == "2h"
    assert not window.explore.restore.isEnabled()


def test_a_run_that_is_edited_while_another_is_explored_is_explored_from_there(window: MainWindow) -> None:
    window.explore.choose(EASY)
    window.explore.choose(FAIR_EASY)
    window.workbench.change_run(EASY, parse_policy("easy:backfill=sjf"))
    settle(window)
    window.explore.choose(EASY)
    assert not window.explore.restore.isEnabled()
    slider_of(window, "max_user_jobs").setValue(1)
    settle(window)
    assert explored(window, EASY) == "easy:backfill=sjf,max_user_jobs=1"


def test_a_run_in_the_place_of_a_removed_one_is_explored_from_its_own_policy(window: MainWindow) -> None:
    window.explore.choose(FAIR_EASY)
    window.workbench.remove_run(FAIR_EASY)
    window.workbench.add_run(parse_policy("easy-sjbf"))
    settle(window)
    assert window.explore.run_id == FAIR_EASY  # the number is used again
    assert not window.explore.restore.isEnabled()
    slider_of(window, "max_user_jobs").setValue(1)
    settle(window)
    assert explored(window, FAIR_EASY) == "easy-sjbf:max_user_jobs=1"


def test_a_slow_step_is_not_overtaken_for_ever(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, window: MainWindow
) -> None:
    window.explore.choose(EASY)
    slider = slider_of(window, "max_user_jobs")
    settle(window)
    gantt = seen(panel(window, EASY).gantt)
    with slow_simulations(monkeypatch) as gate:
        slider.setValue(3)
        qtbot.waitUntil(gate.arrived.is_set)
        for value in (5, 7, 1):  # only the last of them is simulated when the first is done
            slider.setValue(value)
        assert np.array_equal(seen(panel(window, EASY).gantt), gantt)  # the old one stays
        titles: list[str] = []
        window.workbench.run_changed.connect(lambda run: titles.append(explored(window, run)))
        gate.open()
        settle(window)
    assert titles == ["easy:max_user_jobs=3", "easy:max_user_jobs=1"]


def test_a_schedule_that_was_left_out_is_compared_if_the_newer_does_not_come(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, window: MainWindow
) -> None:
    window.explore.choose(EASY)
    slider = slider_of(window, "max_user_jobs")
    settle(window)
    monkeypatch.setattr(workbench_module, "_PACE_S", 1000.0)
    workbench, shown = window.workbench, list[str]()

    def cancel(run: int) -> None:
        shown.append(explored(window, run))
        if len(shown) == 1:
            workbench.cancel_run(run)

    with slow_simulations(monkeypatch) as gate:
        slider.setValue(3)
        qtbot.waitUntil(gate.arrived.is_set)
        slider.setValue(5)
        workbench.run_changed.connect(cancel)
        gate.open()
        settle(window)
    live = workbench.open_study.live[EASY]
    assert shown[0] == explored(window, EASY) == "easy:max_user_jobs=3"
    assert live.compared is not None
    assert live.compared.result.schedule is live.schedule


def test_a_run_may_be_removed_while_it_is_explored(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, window: MainWindow
) -> None:
    window.explore.choose(EASY)
    slider = slider_of(window, "max_user_jobs")
    with slow_simulations(monkeypatch) as gate:
        slider.setValue(3)
        qtbot.waitUntil(gate.arrived.is_set)
        slider.setValue(5)
        window.workbench.remove_run(EASY)
        gate.open()
        settle(window)
    assert EASY not in window.page.runs.panels
    assert window.explore.run_id == FAIR_EASY


@needs(KTH)
def test_a_drag_on_a_real_log_paints_schedules_while_it_lasts(
    make_window: Callable[[Settings], MainWindow], qtbot: QtBot
) -> None:
    window = make_window(Settings(theme="light", policies=["easy", "fairshare-easy"]))
    window.open_path(Path(KTH))
    settle(window)
    window.explore_dock.show()
    open_tabs(window)
    run = 2
    slider = slider_of(window, "half_life")
    chart = panel(window, run).gantt
    gantt, boxes = Painted(chart, plot_of(chart)), Painted(window.page.views["boxplots"].charts[0])
    with gaps() as held:
        for _ in range(10):  # others work on the machine too
            drag(slider, 2.0)
            if gantt.different >= 4 and boxes.different >= 2:
                break
    assert gantt.different >= 4
    assert boxes.different >= 2
    settle(window)
    assert sorted(held)[-len(held) // 20] < 1.0  # a run takes several seconds, if the window waits for it
    study, trace = window.workbench.study, trace_of(window)
    policy = parse_policy(f"fairshare-easy:half_life={window.explore.fields['half_life'].text()}")
    fresh = simulate(trace, study.cluster, policy, log=True)
    assert np.array_equal(schedule_of(window, run).start, fresh.start)
    again = make_window(Settings(theme="light", policies=["easy", policy.spelling]))
    again.open_path(Path(KTH))
    settle(again)
    again.explore_dock.show()
    open_tabs(again)
    for first, second in zip(window.workbench.finished(), again.workbench.finished(), strict=True):
        for name, value in first.result.summary.items():
            if not name.startswith("pass_"):  # what passes took
                assert second.result.summary[name] == value
    assert np.array_equal(seen(panel(window, run).heatmap), seen(panel(again, run).heatmap))
    assert np.array_equal(seen(panel(window, run).gantt), seen(panel(again, run).gantt))


def test_a_trace_opened_again_can_be_explored(window: MainWindow, site: Path) -> None:
    window.explore.choose(EASY)
    window.open_path(site)
    settle(window)
    drag(slider_of(window, "max_user_jobs"), 0.2)
    settle(window)
    assert explored(window, EASY) != "easy"
    assert window.explore.restore.isEnabled()


def test_nodes_are_added_and_taken_in_steps_of_one_and_that_is_undone(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.explore_dock.show()
    window.explore.choose(EASY)
    settle(window)
    study, steps = window.workbench.study, window.explore.nodes
    before = study.cluster
    assert [group.count for group in before.groups] == [2, 2]
    click(qtbot, steps.more)
    settle(window)
    steps.group.setCurrentIndex(1)
    click(qtbot, steps.fewer)
    settle(window)
    run = window.workbench.study.run(EASY)
    assert run is not None
    assert [group.count for group in run.cluster.groups] == [3, 1]
    assert "3x" in window.workbench.study.name(run), "runs on other machines are named by them"
    for _ in range(2):
        window.workbench.edits.undo()
        settle(window)
    run = window.workbench.study.run(EASY)
    assert run is not None
    assert run.cluster == before
    assert steps.message.text() == "2 nodes"
