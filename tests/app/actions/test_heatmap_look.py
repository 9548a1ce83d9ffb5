"""What the menu of the heatmaps changes: in all runs, and for the next window."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.model.settings import load_settings
from app.shell.window import MainWindow
from tests.app.shell.test_views import pick
from tests.app.windows import EASY, FCFS, click, panel, plot_of, row_of, seen, settle, trace_of
from views.data.heatmap_look import HeatmapLook
from views.data.view_options import ShownCharts

MakeWindow = Callable[..., MainWindow]


@pytest.fixture
def window(same_window: MainWindow) -> Iterator[MainWindow]:
    """One for all tests of this file; it looks as before afterwards."""
    yield same_window
    same_window.view.choose(heatmaps=HeatmapLook())
    settle(same_window)


def users_from_the_top(window: MainWindow, run: int) -> list[str]:
    chart = panel(window, run).heatmap
    plot, found = plot_of(chart), []
    for y in range(plot.top(), plot.bottom() + 1):
        name = chart.tooltip_at(QPointF(plot.center().x(), y)).split("\n")[0].removeprefix("user ")
        if name not in found:
            found.append(name)
    return found


def test_a_pinned_user_stays_on_top_in_all_runs_whatever_the_order(qtbot: QtBot, window: MainWindow) -> None:
    chart = panel(window, EASY).heatmap
    last = users_from_the_top(window, EASY)[-1]
    click(qtbot, chart, row_of(chart, last))
    qtbot.keyClick(window, Qt.Key.Key_P)
    settle(window)
    for name in ("By name", "Heaviest first", "Most violated first"):
        pick(window, "View", "Heatmaps", name)
        assert {users_from_the_top(window, run)[0] for run in (FCFS, EASY)} == {last}
    window.selection.clear()
    pick(window, "View", "Heatmaps", "Pin or unpin the selected users")
    assert users_from_the_top(window, FCFS)[0] == last
    assert "Select a user first" in window.statusBar().currentMessage()
    click(qtbot, chart, row_of(chart, last))
    pick(window, "View", "Heatmaps", "Pin or unpin the selected users")
    assert users_from_the_top(window, FCFS)[-1] == last


def test_a_right_click_on_a_row_offers_to_pin_its_user(window: MainWindow) -> None:
    chart = panel(window, FCFS).heatmap
    last = users_from_the_top(window, FCFS)[-1]
    position = row_of(chart, last).toPoint()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(chart, QContextMenuEvent(reason, position, chart.mapToGlobal(position)))
    context = window.menus.context
    assert context.isVisible()
    next(action for action in context.actions() if action.text().startswith("&Pin")).trigger()
    context.close()
    settle(window)
    assert users_from_the_top(window, EASY)[0] == last
    window.selection.clear()


def test_users_are_grouped_by_queue(window: MainWindow) -> None:
    trace, chart = trace_of(window), panel(window, FCFS).heatmap
    pick(window, "View", "Heatmaps", "Grouped by queue")
    queues = []
    for name in users_from_the_top(window, FCFS):
        queues.append(chart.tooltip_at(row_of(chart, name)).split("queue: ")[1])
    assert set(queues) <= set(trace.queue.names)
    assert sum(first != second for first, second in pairwise(queues)) == len(set(queues)) - 1


def test_scales_are_shared_or_each_run_has_its_own(window: MainWindow) -> None:
    def texts(run: int) -> tuple[str, str]:
        chart = panel(window, run).heatmap
        return chart.tooltip_at(QPointF(200, 10)), chart.accessibleDescription()

    window.view.choose(charts=ShownCharts(cpu=False, ram=False))  # the queue's strip finds room
    settle(window)
    strip = panel(window, EASY).queue
    shared = seen(strip, plot_of(strip))
    assert "same scale in all runs" in window.page.runs.line.toolTip()
    assert texts(FCFS)[1].split("up to")[1] == texts(EASY)[1].split("up to")[1]
    pick(window, "View", "Heatmaps", "Own scale for each run")
    assert all("own scale" in texts(run)[0] for run in (FCFS, EASY))
    assert texts(FCFS)[1].split("up to")[1] != texts(EASY)[1].split("up to")[1]
    assert (seen(strip, plot_of(strip)) != shared).any()
    pick(window, "View", "Heatmaps", "Same scale in all runs")
    assert np.array_equal(seen(strip, plot_of(strip)), shared)
    window.view.choose(charts=ShownCharts())


def test_the_look_is_kept_for_the_next_window(make_window: MakeWindow, site: Path) -> None:
    window = make_window()
    window.open_path(site)
    settle(window)
    chart = panel(window, FCFS).heatmap
    before = seen(chart)
    for name in (
        "By name",
        "Grouped by queue",
        "Pixel = mean",
        "Own scale for each run",
    ):
        pick(window, "View", "Heatmaps", name)
    after = seen(chart)
    assert (after != before).mean() > 0.05
    window.close()
    assert load_settings().view.heatmaps == HeatmapLook("name", True, "mean", False)
    window = make_window(load_settings())
    window.open_path(site)
    settle(window)
    assert np.array_equal(seen(panel(window, FCFS).heatmap), after)
