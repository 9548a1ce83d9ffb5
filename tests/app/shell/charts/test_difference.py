"""Two runs compared in the window: chosen, swapped, selected in, and brought up to date."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from app.export.files import NOTHING
from app.panels.policies.policy_dialog import PolicyDialog
from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.policy.policy import parse_policy
from tests.app.shell.test_views import entry, pick
from tests.app.windows import (
    EASY,
    FAIR_EASY,
    Pixels,
    click,
    open_dialog,
    plot_of,
    schedule_of,
    seen,
    settle,
    trace_of,
)
from views.data.comparison import TOO_FEW
from views.data.heatmap_look import HeatmapLook
from views.difference.page import DifferencePage
from views.state.filter import Filter
from views.theme.theme import LIGHT


@pytest.fixture
def window(same_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return same_window


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> DifferencePage:
    """The difference of easy and fairshare-easy."""
    if window.view.options.view != "difference":
        qtbot.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    page = window.page.views["difference"]
    choose(window, page, EASY, FAIR_EASY)
    return page


def choose(window: MainWindow, page: DifferencePage, first: int, second: int) -> None:
    for box, run in ((page.first, first), (page.second, second)):
        box.setCurrentIndex(box.findData(run))
    settle(window)


def vivid(pixels: Pixels) -> float:
    """The share of pixels that are far from grey."""
    channels = np.stack([pixels >> shift & 0xFF for shift in (16, 8, 0)]).astype(int)
    return float((channels.max(axis=0) - channels.min(axis=0) > 70).mean())


def test_a_key_shows_the_last_two_runs_against_each_other(window: MainWindow, page: DifferencePage) -> None:
    assert page.isVisible()
    assert not window.page.splitter.isVisible()
    assert (page.first.currentText(), page.second.currentText()) == ("easy", "fairshare-easy")
    change = schedule_of(window, FAIR_EASY).start - schedule_of(window, EASY).start
    assert page.answer.text().startswith(
        f"Of 300 jobs {(change < 0).sum()} start earlier, {(change > 0).sum()} later, "
    )
    assert page.gantt.title == "Starts against easy"
    for chart in (*page.charts, page.scatter, page.histogram):
        shown = seen(chart)
        blank = int(LIGHT.chart[1:], 16) | 0xFF000000
        assert (shown == blank).mean() < 0.99, chart.accessibleName()
        assert len(np.unique(shown)) > 10, chart.accessibleName()


def test_a_job_is_reported_with_its_change_and_selected_everywhere(
    qtbot: QtBot, window: MainWindow, page: DifferencePage
) -> None:
    plot = plot_of(page.gantt)
    position = next(
        spot
        for x in range(plot.left(), plot.right(), 7)
        for spot in (plot.topLeft() + type(plot.topLeft())(x - plot.left(), plot.height() // 3),)
        if "earlier" in page.gantt.tooltip_at(spot.toPointF())
    )
    click(qtbot, page.gantt, position.toPointF())
    (job,) = window.selection.value.jobs
    change = schedule_of(window, FAIR_EASY).start[job] - schedule_of(window, EASY).start[job]
    assert change < 0
    user = int(trace_of(window).user.codes[job])
    settle(window)
    assert [
        int(page.groups.changes.rows[index.row()]) for index in page.groups.selectionModel().selectedRows()
    ] == [user]
    qtbot.keyClick(page.scatter, Qt.Key.Key_Escape)
    assert window.selection.value.empty


def test_swapping_turns_the_answer_round(qtbot: QtBot, window: MainWindow, page: DifferencePage) -> None:
    net = page.groups.changes.rows.copy()
    before = page.answer.text()
    click(qtbot, page.swap)
    settle(window)
    assert (page.first.currentText(), page.second.currentText()) == ("fairshare-easy", "easy")
    assert page.answer.text() != before
    assert page.groups.changes.rows.tolist()[0] == net.tolist()[-1]
    assert page.gantt.title == "Starts against fairshare-easy"
    click(qtbot, page.swap)
    settle(window)
    assert page.answer.text() == before


def test_the_run_of_the_other_box_changes_places_with_it(window: MainWindow, page: DifferencePage) -> None:
    page.second.setCurrentIndex(page.second.findData(EASY))
    settle(window)
    assert page.run_ids == (FAIR_EASY, EASY)
    assert page.gantt.title == "Starts against fairshare-easy"
    page.first.setCurrentIndex(page.first.findData(EASY))
    settle(window)
    assert page.run_ids == (EASY, FAIR_EASY)
    assert page.gantt.title == "Starts against easy"
    assert "fairshare-easy" in page.second.toolTip()


def test_the_charts_of_the_page_share_the_clock(
    qtbot: QtBot, window: MainWindow, page: DifferencePage
) -> None:
    before = seen(page.gantt)
    qtbot.keyClick(page.gantt, Qt.Key.Key_W)
    settle(window)
    assert window.clock.window != window.clock.bounds
    assert (seen(page.gantt) != before).mean() > 0.02
    qtbot.keyClick(window, Qt.Key.Key_Home)
    assert window.clock.window == window.clock.bounds


def test_the_charts_and_the_users_are_exported(
    window: MainWindow, page: DifferencePage, tmp_path: Path
) -> None:
    window.menus.exporter.write_chart("difference", tmp_path / "moved.svg")
    window.menus.exporter.write_table("difference", tmp_path / "moved.csv")
    settle(window)
    assert page.answer.text().split(".")[0] in (tmp_path / "moved.svg").read_text("utf-8")
    table = pd.read_csv(tmp_path / "moved.csv", dtype={"user": str})
    assert set(table["policy"]) == {"fairshare-easy"}
    assert set(table["against"]) == {"easy"}
    change = schedule_of(window, FAIR_EASY).start - schedule_of(window, EASY).start
    net, won, lost = (table[f"{name} (s)"] for name in ("net", "won", "lost"))
    assert net.sum() == (won - lost).sum() == -change.sum()
    assert table["later"].sum() == (change > 0).sum()
    window.view.choose(changes_by="queue")
    window.menus.exporter.write_table("difference", tmp_path / "moved.csv")
    settle(window)
    table = pd.read_csv(tmp_path / "moved.csv")
    assert sorted(table["queue"]) == ["long", "short"]
    assert table["net (s)"].sum() == -change.sum()
    window.view.choose(changes_by="user")


def test_a_filter_dims_jobs_and_then_leaves_them_out(window: MainWindow, page: DifferencePage) -> None:
    trace = trace_of(window)
    user = int(np.bincount(trace.user.codes).argmax())
    own = trace.user.codes == user
    whole = page.answer.text()
    parts = (page.gantt, page.scatter, page.histogram)
    before = [vivid(seen(part)) for part in parts]
    expression = parse_filter(f"user = {trace.user.names[user]}")
    window.filter.set(Filter(expression))
    settle(window)
    for part, share in zip(parts, before, strict=True):
        assert vivid(seen(part)) < 0.8 * share, part.accessibleName()
    assert page.answer.text() == whole  # what is only dimmed still counts
    window.filter.set(Filter(expression, hides=True))
    settle(window)
    assert page.answer.text().startswith(f"Of {own.sum()} jobs ")
    assert f"{300 - own.sum()} jobs are not compared." in page.answer.text()
    assert page.groups.changes.rows.tolist() == [user]
    window.filter.clear()
    settle(window)
    assert page.answer.text() == whole


def test_the_runs_come_back_through_the_menu(window: MainWindow, page: DifferencePage) -> None:
    actions = {action.text(): action for action in window.findChildren(QAction)}
    actions["Side by side"].trigger()
    settle(window)
    assert window.page.splitter.isVisible()
    assert not page.isVisible()
    assert window.settings.view.columns == 2


def test_a_changed_or_removed_run_is_followed(make_window: Callable[..., MainWindow], site: Path) -> None:
    window = make_window()
    window.show_view("difference")
    page = window.page.views["difference"]
    assert page.answer.text() == TOO_FEW
    window.menus.exporter.export_chart("difference")
    assert window.messages.newest.text.text() == NOTHING
    window.open_path(site)
    settle(window)
    before = page.answer.text()
    assert before.startswith("Of 300 jobs ")
    window.workbench.change_run(FAIR_EASY, parse_policy("easy:order=saf"))
    settle(window)
    assert page.second.currentText() == "easy:order=saf"
    assert page.answer.text() != before
    window.workbench.remove_run(EASY)
    settle(window)
    assert (page.first.currentText(), page.second.currentText()) == ("fairshare-fcfs", "easy:order=saf")
    window.show_view("all")
    window.workbench.change_run(FAIR_EASY, parse_policy("easy"))
    settle(window)
    assert page.scatter.comparison is None  # nothing is kept, nor worked out, of what nobody sees
    window.show_view("difference")
    settle(window)
    assert page.second.currentText() == "easy"
    assert page.answer.text().startswith("Of 300 jobs ")
    for run in (1, 2):
        window.workbench.remove_run(run)
    settle(window)
    assert page.answer.text() == TOO_FEW
    assert page.gantt.message == page.heatmap.message == page.answer.text()
    assert page.groups.changes.rowCount() == 0


def test_with_a_single_run_the_page_says_what_to_do(
    qtbot: QtBot, make_window: Callable[..., MainWindow], site: Path
) -> None:
    window = make_window()
    window.opener.open_path(site, (parse_policy("easy"),))
    settle(window)
    window.show_view("difference")
    settle(window)
    page = window.page.views["difference"]
    assert page.empty.text().endswith("There is one run so far: add another.")
    assert page.empty.isVisible()
    assert not any(chart.isVisible() for chart in page.charts)
    click(qtbot, page.add)
    dialog = open_dialog(window)
    assert isinstance(dialog, PolicyDialog)
    dialog.accept()
    settle(window)
    assert not page.empty.isVisible()
    assert page.answer.isVisible()
    window.workbench.edits.undo()
    settle(window)
    assert page.empty.isVisible()


def test_the_menus_change_the_difference_or_say_why_not(
    qtbot: QtBot, window: MainWindow, page: DifferencePage
) -> None:
    chart = page.heatmap
    for name in ("By name", "Grouped by queue", "Pixel = mean"):
        before = seen(chart)
        pick(window, "View", "Heatmaps", name)
        assert (seen(chart) != before).any(), name
    window.view.choose(heatmaps=HeatmapLook())
    settle(window)
    plot = plot_of(chart)
    bottom = QPointF(plot.center().x(), plot.bottom() - 1)
    user = chart.tooltip_at(bottom).split("\n")[0]
    click(qtbot, chart, bottom)
    pick(window, "View", "Heatmaps", "Pin or unpin the selected users")
    assert chart.tooltip_at(QPointF(plot.center().x(), plot.top() + 1)).startswith(user)
    pick(window, "View", "Heatmaps", "Pin or unpin the selected users")
    window.selection.clear()
    # What two runs side by side cannot show is offered, with the reason why not.
    meaningless = [
        ("Gantt colours", "Wait", "colours say"),
        ("Gantt colours", "Change of start against", "colours say"),
        ("Show", "Gantt charts", "both of their charts"),
        ("Show", "CPU strips", "both of their charts"),
        ("Heatmaps", "Own scale for each run", "a single scale"),
    ]
    for menu, name, why in meaningless:
        action = entry(window, "View", menu, name)
        assert not action.isEnabled()
        assert why in action.toolTip()
    # Back at the charts of runs all of it can be chosen again.
    qtbot.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    for menu, name, why in meaningless:
        action = entry(window, "View", menu, name)
        assert action.isEnabled()
        assert why not in action.toolTip()
