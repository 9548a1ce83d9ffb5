"""The room that charts have: the share of the window that is data, and what folds away for them."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from tests.app.windows import FCFS, click, large_jobs, panel, settle, trace_of
from tests.views.context import mouse
from views.gantt.chart import GanttChart
from views.heatmap.chart import HeatmapChart

POLICIES = ("fcfs", "fairshare-fcfs", "easy", "fairshare-easy", "just", "conservative")
LEAST = 0.39


def share(window: MainWindow) -> float:
    """The part of the window that is data of Gantt charts and heatmaps, as far as it is seen."""
    shown = [
        chart
        for chart in window.page.runs.charts
        if isinstance(chart, GanttChart | HeatmapChart) and chart.isVisible()
    ]
    areas = [chart.visibleRegion().boundingRect() & chart.frame().plot.toRect() for chart in shown]
    return sum(area.width() * area.height() for area in areas) / (window.width() * window.height())


def set_runs(window: MainWindow, number: int) -> None:
    """Have so many runs."""
    workbench = window.workbench
    assert workbench.study is not None
    for run in workbench.study.runs[number:]:
        workbench.remove_run(run.id)
    for policy in POLICIES[len(workbench.study.runs) : number]:
        workbench.add_run(parse_policy(policy))
    window.messages.clear()
    settle(window)
    assert len(window.page.runs.panels) == number


@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000), (1920, 1080)])
def test_charts_have_at_least_two_fifths_of_the_window(
    module_window: MainWindow, size: tuple[int, int]
) -> None:
    window = module_window
    shares = {}
    for number in range(1, 7):
        window.resize(*size)
        set_runs(window, number)
        assert (window.width(), window.height()) == size
        shares[number] = round(share(window), 3)
    print(size, shares)
    assert min(shares.values()) >= LEAST, shares


def tab_at(window: MainWindow, index: int) -> QPoint:
    """Where a tab lies."""
    return window.page.tabs.tabBar().tabRect(index).center()


def press(window: MainWindow, kind: QEvent.Type, index: int) -> None:
    """Press and release on a tab."""
    bar = window.page.tabs.tabBar()
    mouse(bar, kind, QPointF(tab_at(window, index)))
    mouse(bar, QEvent.Type.MouseButtonRelease, QPointF(tab_at(window, index)))


def test_tabs_open_by_a_click_and_fold_away_by_a_double_click(window: MainWindow) -> None:
    tabs, folded = window.page.tabs, window.page.tabs.height()
    assert not tabs.is_open
    assert folded == tabs.tabBar().height()
    press(window, QEvent.Type.MouseButtonPress, 3)
    settle(window)
    assert tabs.is_open
    assert tabs.currentIndex() == 3
    assert tabs.currentWidget().isVisible()  # type: ignore[union-attr]
    assert tabs.height() > 150
    press(window, QEvent.Type.MouseButtonDblClick, 3)  # the second click of a double-click that opened them
    assert tabs.is_open
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick):
        press(window, kind, 3)
    settle(window)
    assert not tabs.is_open
    assert tabs.height() == folded
    assert not window.settings.view.tabs_open


def test_tabs_fold_within_a_tenth_of_a_second_and_come_back_as_high_as_they_were(
    qtbot: QtBot, window: MainWindow
) -> None:
    keys = Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(window, *keys)
    settle(window)
    window.page.splitter.setSizes([window.page.splitter.height() - 222, 222])
    settle(window)
    height, took = window.page.tabs.height(), []
    for _ in range(3):
        for is_open in (False, True):
            begun = time.perf_counter()
            qtbot.keyClick(window, *keys)
            QApplication.processEvents()
            took.append(time.perf_counter() - begun)
            assert window.page.tabs.is_open is is_open
        settle(window)
    assert window.page.tabs.height() == pytest.approx(height, abs=3)
    assert min(took) < 0.1  # others work on the machine too


def test_the_line_above_the_tabs_is_dragged_to_any_height(window: MainWindow) -> None:
    splitter, tabs = window.page.splitter, window.page.tabs
    handle, low = splitter.handle(1), tabs.height()

    def drag(up: int) -> None:
        begin = handle.mapToGlobal(QPointF(handle.rect().center()))
        mouse(handle, QEvent.Type.MouseButtonPress, handle.mapFromGlobal(begin))
        for part in range(1, 9):
            mouse(handle, QEvent.Type.MouseMove, handle.mapFromGlobal(begin - QPointF(0, up * part / 8)))
        mouse(handle, QEvent.Type.MouseButtonRelease, handle.mapFromGlobal(begin - QPointF(0, up)))
        QApplication.processEvents()

    for up, height in ((100, low + 100), (300, low + 400)):
        drag(up)
        assert tabs.is_open
        assert tabs.height() == pytest.approx(height, abs=12)
    drag(-(tabs.height() - low))
    assert not tabs.is_open
    assert tabs.height() == low


def test_the_inspector_is_there_as_long_as_something_is_selected(qtbot: QtBot, window: MainWindow) -> None:
    assert not window.inspector_dock.isVisible()
    job = large_jobs(window, FCFS)[0]
    window.selection.select_job(trace_of(window), job)
    settle(window)
    assert window.inspector_dock.isVisible()
    qtbot.keyClick(panel(window, FCFS).gantt, Qt.Key.Key_Escape)
    assert not window.inspector_dock.isVisible()
    window.selection.select_job(trace_of(window), job)
    window.inspector_dock.close()
    window.selection.clear()
    window.selection.select_job(trace_of(window), job)
    assert not window.inspector_dock.isVisible()  # it was closed by hand


def test_runs_are_a_strip_above_the_charts_and_a_list_beside_them(window: MainWindow) -> None:
    rows = list(window.run_list.rows.values())
    assert window.runs_dock.height() <= 30
    assert len({row.y() for row in rows}) == 1
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, window.runs_dock)
    settle(window)
    assert len({row.y() for row in rows}) == 4
    assert window.runs_dock.height() >= 200


def test_a_click_on_a_run_opens_its_sliders(qtbot: QtBot, window: MainWindow) -> None:
    assert not window.explore_dock.isVisible()
    click(qtbot, window.run_list.rows[FCFS].name)
    assert window.explore_dock.isVisible()
    assert window.explore.run_id == FCFS


def test_five_runs_leave_no_empty_place(module_window: MainWindow) -> None:
    window = module_window
    window.resize(1280, 800)
    set_runs(window, 5)
    panels = list(window.page.runs.panels.values())
    columns = {one.x(): [p for p in panels if p.x() == one.x()] for one in panels}
    below = {max(p.geometry().bottom() for p in column) for column in columns.values()}
    assert max(below) - min(below) <= 1
    assert len(columns) > 1
    assert [axis.isVisible() for axis in window.page.runs.axes].count(True) == len(columns)
    for column, axis in zip(columns.values(), window.page.runs.axes, strict=False):
        plot = column[0].gantt.frame().plot
        left = column[0].gantt.mapTo(window, plot.topLeft().toPoint()).x()
        assert axis.mapTo(window, axis.frame().plot.topLeft().toPoint()).x() == left
        assert axis.frame().plot.width() == plot.width()
