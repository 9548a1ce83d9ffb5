"""The room that charts have: the share of the window that is data, and what folds away for them."""

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from tests.app.windows import FCFS, click, large_jobs, panel, settle, show_tab, trace_of
from tests.views.context import mouse
from views.gantt.chart import GanttChart
from views.heatmap.chart import HeatmapChart
from views.theme.fonts import tick_font, title_font

POLICIES = ("fcfs", "fairshare-fcfs", "easy", "fairshare-easy", "just", "conservative")
LEAST = 0.40


@pytest.fixture
def window(restored_window: MainWindow) -> MainWindow:
    """The window of the file, for tests that change only what is shown."""
    return restored_window


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
        panels = list(window.page.runs.panels.values())
        places = len({each_panel.x() for each_panel in panels}) * len(
            {each_panel.y() for each_panel in panels}
        )
        shares[number] = round(share(window) * places / number, 3)  # the last row may end early
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
            begun = time.thread_time()
            qtbot.keyClick(window, *keys)
            QApplication.processEvents()
            took.append(time.thread_time() - begun)
            assert window.page.tabs.is_open is is_open
        settle(window)
    assert window.page.tabs.height() == pytest.approx(height, abs=3)
    assert min(took) < 0.1


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


def test_runs_are_a_strip_above_the_charts_and_a_list_beside_them(fresh_window: MainWindow) -> None:
    window = fresh_window
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


def test_five_runs_stand_in_an_even_grid_with_an_axis_under_each_column(module_window: MainWindow) -> None:
    window = module_window
    window.resize(1280, 800)
    set_runs(window, 5)
    panels = list(window.page.runs.panels.values())
    columns = {each_panel.x(): [p for p in panels if p.x() == each_panel.x()] for each_panel in panels}
    assert max(p.height() for p in panels) - min(p.height() for p in panels) <= 1
    assert len({tuple(kind for kind, chart in p.kinds.items() if chart.isVisible()) for p in panels}) == 1
    assert len(columns) > 1
    assert [axis.isVisible() for axis in window.page.runs.axes].count(True) == len(columns)
    for column, axis in zip(columns.values(), window.page.runs.axes, strict=False):
        plot = column[0].gantt.frame().plot
        foot = column[-1].mapTo(window, column[-1].rect().bottomLeft()).y()
        assert abs(axis.mapTo(window, axis.rect().topLeft()).y() - foot) <= 2
        left = column[0].gantt.mapTo(window, plot.topLeft().toPoint()).x()
        assert axis.mapTo(window, axis.frame().plot.topLeft().toPoint()).x() == left
        assert axis.frame().plot.width() == plot.width()


def shown_charts(window: MainWindow) -> list[tuple[int, str]]:
    """Run and kind of each chart that is seen."""
    runs = window.page.runs.panels
    return [
        (run, kind)
        for run, each_run in runs.items()
        for kind, chart in each_run.kinds.items()
        if chart.isVisible()
    ]


def furniture(window: MainWindow) -> list[bool]:
    """Whether what stands around the charts is seen."""
    page = window.page
    return [part.isVisible() for part in (window.menus.bar, page.overview, page.tabs, window.runs_dock)]


def test_one_key_shows_charts_alone_another_one_chart_and_the_next_all_again(
    qtbot: QtBot, window: MainWindow
) -> None:
    all_charts, chart = shown_charts(window), panel(window, 2).heatmap
    least = share(window)
    qtbot.keyClick(chart, Qt.Key.Key_C)
    settle(window)
    assert shown_charts(window) == all_charts or len(shown_charts(window)) > len(all_charts)
    assert not any(furniture(window))
    assert share(window) > least + 0.05
    qtbot.mouseMove(chart)
    took = []
    for _ in range(3):  # also where the mouse does not move, while charts move under it
        begun = time.thread_time()
        qtbot.keyClick(chart, Qt.Key.Key_O)
        QApplication.processEvents()
        took.append(time.thread_time() - begun)
        assert shown_charts(window) == [(2, "heatmap")]
        qtbot.keyClick(chart, Qt.Key.Key_O)
        settle(window)
        assert len(shown_charts(window)) > 1
    assert min(took) < 0.1
    qtbot.keyClick(chart, Qt.Key.Key_O)
    settle(window)
    assert chart.frame().plot.height() > 0.8 * window.height()
    qtbot.keyClick(chart, Qt.Key.Key_B)
    settle(window)
    assert shown_charts(window) == all_charts
    assert all(furniture(window))


def test_a_double_click_on_a_title_shows_that_chart_alone_and_a_second_all_again(
    qtbot: QtBot, window: MainWindow
) -> None:
    before, chart = shown_charts(window), panel(window, FCFS).gantt
    for shown in ([(FCFS, "gantt")], before):
        qtbot.mouseDClick(
            chart, Qt.MouseButton.LeftButton, pos=chart.frame().title.toRect().topLeft() + QPoint(30, 9)
        )
        settle(window)
        assert shown_charts(window) == shown
    assert window.clock.window == window.clock.bounds


def test_a_chart_that_was_alone_does_not_stay_so_when_its_run_is_gone(fresh_window: MainWindow) -> None:
    window = fresh_window
    window.page.runs.show_alone(FCFS, "cpu")
    settle(window)
    assert shown_charts(window) == [(FCFS, "cpu")]
    window.workbench.remove_run(FCFS)
    settle(window)
    assert {run for run, _ in shown_charts(window)} == {2, 3, 4}
    assert all(furniture(window))


def test_messages_cover_nothing_and_give_back_their_room(window: MainWindow) -> None:
    charts = window.page.runs.charts
    places = [chart.mapTo(window, QPoint()).toTuple() for chart in charts]
    height_before = window.page.height()
    window.messages.show_message("Something is wrong.", "in detail\n" * 20, {"Mend it": window.update})
    settle(window)
    bar, message = window.messages, window.messages.newest
    assert bar.isVisible()
    assert window.page.height() == height_before - bar.height()
    height = bar.height()
    message.more.click()
    settle(window)
    assert bar.height() > height
    room = QRect(bar.mapTo(window, QPoint()), bar.size())
    assert window.rect().contains(room)
    assert not QRect(window.page.mapTo(window, QPoint()), window.page.size()).intersects(room)
    for button in (message.dismiss, *message.answers.values()):
        assert window.childAt(button.mapTo(window, button.rect().center())) is button
    message.close_message()
    settle(window)
    assert [chart.mapTo(window, QPoint()).toTuple() for chart in charts] == places


def test_what_is_folded_is_reported_and_heatmaps_share_one_scale(fresh_window: MainWindow) -> None:
    window = fresh_window
    line = window.page.runs.line
    assert line.isVisible()
    assert line.folded == "Hidden to save space: RAM, Queue"
    assert line.legend is not None
    assert {round(panel(window, run).heatmap.frame().title.height()) for run in (1, 2, 3, 4)} == {4}
    looks = window.view.options.heatmaps
    window.view.choose(heatmaps=replace(looks, shared_scale=False))
    settle(window)
    assert line.legend is None  # each has its own
    window.view.choose(heatmaps=looks, solo=(FCFS, "gantt"))
    settle(window)
    assert (line.legend, line.folded) == (None, "")  # of a Gantt chart alone there is nothing to say
    window.view.choose(heatmaps=replace(looks, shared_scale=False), solo=None)
    settle(window)
    assert {round(panel(window, run).heatmap.frame().title.height()) for run in (1, 2, 3, 4)} == {24}


def test_gantt_charts_share_one_legend_where_their_colours_mean_the_same(fresh_window: MainWindow) -> None:
    window = fresh_window
    line, charts = window.page.runs.line, [panel(window, run).gantt for run in (1, 2, 3, 4)]

    def title_line(chart: GanttChart) -> set[str]:
        """What the title line of a chart tells at the mouse."""
        y = chart.frame().title.center().y()
        return {chart.tooltip_at(QPointF(x, y)) for x in range(0, chart.width(), 4)} - {""}

    def texts() -> set[str]:
        return {line.tooltip_at(QPointF(x, 10.0)) for x in range(0, line.width(), 4)} - {""}

    assert len([text for text in texts() if text.startswith("user ")]) > 4
    assert not any(title_line(chart) for chart in charts)
    many = len(texts())
    window.view.choose(colours="wait")  # which differs between runs
    settle(window)
    assert not texts()
    assert all(title_line(chart) for chart in charts)
    window.view.choose(colours="queue")
    settle(window)
    assert {text.split(":")[0] for text in texts()} == {"queue long", "queue short"}
    window.view.choose(colours="user", solo=(FCFS, "gantt"))
    settle(window)
    assert not texts()
    assert title_line(charts[0])
    window.view.choose(solo=None)
    settle(window)
    assert len(texts()) == many
    assert not title_line(charts[0])
    for run in (2, 3, 4):
        window.workbench.remove_run(run)
    settle(window)
    assert title_line(charts[0])  # of one run alone


def test_two_runs_are_offered_to_be_compared(qtbot: QtBot, fresh_window: MainWindow) -> None:
    window = fresh_window
    offer = window.run_list.compare
    assert not offer.isVisible()
    for run in (FCFS, 2):
        window.workbench.remove_run(run)
    settle(window)
    assert offer.isVisible()
    click(qtbot, offer)
    settle(window)
    assert window.page.views["difference"].isVisible()
    assert window.page.views["difference"].run_ids == (3, 4)


def test_large_text_needs_no_wider_window(fresh_window: MainWindow) -> None:
    window = fresh_window
    app, before = QApplication.instance(), QApplication.font()
    assert isinstance(app, QApplication)
    large = QFont(before)
    large.setPointSize(14)
    try:
        app.setFont(large)
        window.selection.select_instant(0.0)
        settle(window)
        assert window.inspector_dock.isVisible()
        assert window.minimumSizeHint().width() <= 1280
        assert window.minimumSizeHint().height() <= 800
        window.resize(1280, 800)
        settle(window)
        line = QFontMetricsF(tick_font(large)).height()
        for axis in (each_axis for each_axis in window.page.runs.axes if each_axis.isVisible()):
            assert axis.rect().contains(axis.frame().axis.toAlignedRect())
            assert axis.frame().axis.height() >= 2 * line + 4  # a tick, then two lines
        gutter = panel(window, FCFS).gantt.frame().gutter.width()
        name = QFontMetricsF(tick_font(title_font(large))).horizontalAdvance("Queue")
        number = QFontMetricsF(tick_font(large)).horizontalAdvance("100 %")
        assert name <= 0.55 * gutter
        assert 4 + name + number + 7 <= gutter  # beside each other
        line_of_legends = window.page.runs.line
        entries = {line_of_legends.tooltip_at(QPointF(x, 10.0)) for x in range(0, line_of_legends.width(), 4)}
        assert len([entry for entry in entries if entry.startswith("user ")]) >= 5
        overview = window.page.overview
        assert overview.frame().axis.height() >= line
        assert overview.height() >= overview.frame().axis.bottom()
    finally:
        app.setFont(before)


@pytest.mark.parametrize("width", [960, 1280, 1920])
def test_tabs_beyond_the_width_are_in_a_list(qtbot: QtBot, module_window: MainWindow, width: int) -> None:
    window, tabs = module_window, module_window.page.tabs
    window.view.choose(view="all", tab="", tabs_open=False)
    window.resize(width, 800)
    settle(window)
    bar = tabs.tabBar()
    seen = [k for k in range(tabs.count()) if tabs.isTabVisible(k)]
    corner = tabs.cornerWidget().geometry().left()
    assert all(bar.tabRect(k).width() >= bar.tabSizeHint(k).width() for k in seen)
    assert max(bar.tabRect(k).right() for k in seen) < corner
    assert tabs.more.isVisible() == (len(seen) < tabs.count())
    assert tabs.height() == tabs.folded_height >= bar.tabRect(0).height()
    name = tabs.tabText(tabs.count() - 1)
    shown = show_tab(qtbot, window, name)
    assert shown.isVisible()
    assert tabs.is_open
    assert tabs.isTabVisible(tabs.count() - 1)
    assert max(bar.tabRect(k).right() for k in range(tabs.count()) if tabs.isTabVisible(k)) < corner
    window.view.choose(tab="", tabs_open=False)
