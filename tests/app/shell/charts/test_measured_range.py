"""A range of time that is measured alone: by key, menu and link, seen everywhere, and dropped again."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.shell.test_filter import jobs_measured
from tests.app.shell.test_views import pick
from tests.app.windows import click, inspected, panel, seen, settle, show_tab, site_log, trace_of
from views.text.ticks import axis_of
from views.theme.fonts import tick_font
from views.theme.palette import pixel
from views.timechart.axis import axis_marks

MakeWindow = Callable[..., MainWindow]
SPAN = (50_000, 120_000)


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


@pytest.fixture
def measured(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """A window that measures the selected range alone, asked for with the key."""
    window.selection.select_time_range(*SPAN)
    qtbot.keyClick(window, Qt.Key.Key_M)
    settle(window)
    return window


def inside(window: MainWindow) -> int:
    """Jobs that came within the range."""
    submit = trace_of(window).submit
    return int(np.count_nonzero((submit >= SPAN[0]) & (submit < SPAN[1])))


def test_a_key_measures_the_selected_range_and_a_button_all_again(qtbot: QtBot, measured: MainWindow) -> None:
    jobs, bar = inside(measured), measured.page.filter_bar
    assert 0 < jobs < 300
    assert jobs_measured(measured) == [jobs] * 4
    assert bar.range.isVisible()
    assert bar.range.label.text().startswith(f"Measured only: {jobs} of 300 jobs, submitted Tue 1 Jan 2013")
    click(qtbot, bar.range.button)
    settle(measured)
    assert jobs_measured(measured) == [300] * 4
    assert not bar.isVisible()


def test_without_a_selection_what_is_seen_is_measured(window: MainWindow) -> None:
    window.clock.set_window(*SPAN)
    pick(window, "Filter", "Limit metrics to this range")
    settle(window)
    assert jobs_measured(window) == [inside(window)] * 4
    pick(window, "Filter", "Limit metrics to this range")
    assert window.view.options.measured is None


def test_buttons_on_the_axis_and_the_overview_measure_the_range_and_all_again(
    qtbot: QtBot, window: MainWindow
) -> None:
    axis, overview = window.page.runs.axes[0], window.page.overview
    buttons = [axis.measure, overview.measure]
    assert not any(button is not None and button.isVisible() for button in buttons)
    window.clock.set_window(20_000, 130_000)  # few names of days: there is room for the button between them
    window.selection.select_time_range(*SPAN)
    settle(window)
    assert axis.measure is not None
    dates = axis_of(trace_of(window))
    for mark in axis_marks(dates, axis.frame().scale, tick_font(axis.font())).names:
        assert not QRectF(mark.x, 30, mark.width, 1).intersects(QRectF(axis.measure.geometry()))
    for owner, button in zip((axis, overview), buttons, strict=True):
        assert button is not None
        assert button.isVisible()
        assert button.text() == "Limit metrics to this range"
        frame = owner.frame()
        middle = (frame.scale.x(SPAN[0]) + frame.scale.x(SPAN[1])) / 2
        assert button.geometry().center().x() == pytest.approx(middle, abs=button.width())
        assert owner.rect().contains(button.geometry())
        assert button.y() >= frame.plot.bottom() - 2  # it hides no data
        click(qtbot, button)
        settle(window)
        assert window.view.options.measured == SPAN
        assert jobs_measured(window) == [inside(window)] * 4
        assert {each_button.text() for each_button in buttons if each_button is not None} == {"Measure all"}
        click(qtbot, button)
        settle(window)
        assert window.view.options.measured is None
    window.clock.set_window(150_000, 200_000)
    assert not axis.measure.isVisible()  # the range is out of sight
    assert overview.measure.isVisible()
    window.selection.clear()
    assert not overview.measure.isVisible()


def test_the_inspector_offers_it_and_takes_it_back(window: MainWindow) -> None:
    window.selection.select_time_range(*SPAN)
    settle(window)
    assert "Limit metrics to this range" in inspected(window)
    window.inspector.browser.anchorClicked.emit(QUrl(f"measure:{SPAN[0]},{SPAN[1]}"))
    settle(window)
    assert window.view.options.measured == SPAN
    assert "Metrics are limited to this range. Measure all" in inspected(window)
    window.inspector.browser.anchorClicked.emit(QUrl("measure:"))
    assert window.view.options.measured is None


def test_filter_and_range_are_met_by_both(measured: MainWindow) -> None:
    assert str(measured.workbench.only).startswith("submit >= 2013-01-01T14:53:20 and submit < 2013-01-02T")


def test_charts_and_overview_mark_it(measured: MainWindow) -> None:
    widgets = panel(measured, 1).gantt, measured.page.overview
    measured.selection.clear()
    settle(measured)
    accent = pixel(measured.theme.accent)
    marked = [np.count_nonzero(seen(widget) == accent) for widget in widgets]
    measured.view.choose(measured=None)
    settle(measured)
    for widget, before in zip(widgets, marked, strict=True):
        assert before > np.count_nonzero(seen(widget) == accent) + 100


def test_a_right_click_on_the_overview_offers_it(qtbot: QtBot, window: MainWindow) -> None:
    times: list[float] = []
    window.page.context_requested.connect(lambda _, spot: times.append(spot.time))
    overview = window.page.overview
    position = QPointF(overview.frame().plot.center()).toPoint()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, position, overview.mapToGlobal(position))
    QApplication.sendEvent(overview, event)
    assert window.clock.bounds[0] < times[0] < window.clock.bounds[1]
    assert "Limit metrics to this range" in [
        action.text().replace("&", "") for action in window.menus.context.actions()
    ]
    window.menus.context.close()


def test_the_table_of_jobs_lists_what_is_measured(qtbot: QtBot, measured: MainWindow) -> None:
    table = show_tab(qtbot, measured, "Jobs")
    settle(measured)
    assert table.view.model().rowCount() == inside(measured)  # type: ignore[attr-defined]


def test_exports_say_it(measured: MainWindow) -> None:
    request = measured.page.figure_request()
    assert request is not None
    assert "under: submit >= 2013-01-01T14:53:20" in request.title


def test_a_session_keeps_it_and_another_trace_drops_it(
    make_window: MakeWindow, measured: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "kept.batchscope"
    measured.keeper.save(file)
    settle(measured)
    other = make_window()
    other.open_path(file)
    settle(other)
    assert other.view.options.measured == SPAN
    assert jobs_measured(other) == [inside(measured)] * 4
    measured.open_path(site_log(tmp_path, "other.swf"))
    settle(measured)
    assert measured.view.options.measured is None
    assert jobs_measured(measured) == [300] * 4
