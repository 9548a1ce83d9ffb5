"""One clock: what moves one chart in time moves all."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.windows import (
    EASY,
    FAIR_EASY,
    FCFS,
    Pixels,
    box_of,
    inspected,
    large_jobs,
    panel,
    plot_of,
    schedule_of,
    seen,
    settle,
    show_tab,
    trace_of,
)
from tests.views.context import drag, wheel
from views.text.tooltips import tip
from views.timechart.chart import TimeChart
from views.timechart.portrait import image_of

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
Key = Qt.Key


@pytest.fixture
def window(same_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return same_window


def shown_charts(window: MainWindow) -> list[TimeChart]:
    charts = [chart for run in window.page.runs.panels.values() for chart in run.charts]
    return [chart for chart in charts if chart.isVisible()]


def plots(window: MainWindow) -> list[Pixels]:
    """What all charts over time show, from the upper left to the lower right."""
    settle(window)
    return [seen(chart, plot_of(chart)) for chart in shown_charts(window)]


def inside(chart: TimeChart, share: float) -> QPointF:
    """A position within a plot, `share` of its width from the left."""
    plot = chart.frame().plot
    return QPointF(plot.left() + share * plot.width(), plot.center().y())


def test_a_trace_opens_on_the_first_submission_to_the_last_end(window: MainWindow) -> None:
    ends = [schedule_of(window, run).last_end for run in window.page.runs.panels]
    assert window.clock.window == (float(trace_of(window).submit[0]), float(max(ends)))


def test_the_wheel_over_one_chart_zooms_all_at_the_pointer(window: MainWindow) -> None:
    before, span = plots(window), window.clock.span
    chart = panel(window, FCFS).heatmap
    position = inside(chart, 0.3)
    time = chart.frame().scale.time(position.x())
    wheel(chart, position, 3)
    assert window.clock.span == pytest.approx(span * 0.8**3)
    for other, old, new in zip(shown_charts(window), before, plots(window), strict=True):
        assert (old != new).mean() > 0.02, other.title
        if other.width() == chart.width():
            assert other.frame().scale.time(position.x()) == pytest.approx(time)


def test_a_drag_takes_the_time_under_the_hand_along_in_all_charts(window: MainWindow) -> None:
    chart = panel(window, EASY).gantt
    wheel(chart, inside(chart, 0.5), 4)
    before, window_before = plots(window), window.clock.window
    start, end = inside(chart, 0.6), inside(chart, 0.4)
    time = chart.frame().scale.time(start.x())
    drag(chart, start, end)
    assert chart.frame().scale.time(end.x()) == pytest.approx(time)
    assert window.clock.start > window_before[0]
    assert all((old != new).any() for old, new in zip(before, plots(window), strict=True))
    assert window.selection.value.empty  # it was no click
    window.clock.back()
    assert window.clock.window == window_before


def test_a_double_click_fits_a_job_and_elsewhere_all(qtbot: QtBot, window: MainWindow) -> None:
    whole, first = window.clock.window, plots(window)
    gantt = panel(window, EASY).gantt
    job = large_jobs(window, EASY)[0]
    qtbot.mouseDClick(gantt, Qt.MouseButton.LeftButton, pos=box_of(window, EASY, job).center().toPoint())
    schedule = schedule_of(window, EASY)
    assert window.clock.start < schedule.start[job] < schedule.end[job] < window.clock.end
    assert window.clock.span < 3 * (schedule.end[job] - schedule.start[job])
    strip = panel(window, FAIR_EASY).cpu
    qtbot.mouseDClick(strip, Qt.MouseButton.LeftButton, pos=inside(strip, 0.5).toPoint())
    assert window.clock.window == whole
    window.setFocus()
    assert all(np.array_equal(old, new) for old, new in zip(first, plots(window), strict=True))


def test_a_ctrl_drag_zooms_to_the_range(window: MainWindow) -> None:
    chart = panel(window, EASY).cpu
    start, end = inside(chart, 0.25), inside(chart, 0.5)
    chosen = [chart.frame().scale.time(position.x()) for position in (start, end)]
    drag(chart, start, end, CONTROL)
    assert window.clock.window == pytest.approx(chosen)
    assert window.selection.value.empty


def test_a_shift_drag_selects_the_range_in_all_charts(window: MainWindow) -> None:
    window.selection.select_instant(-1e9)  # the inspector is there already
    settle(window)
    before, clock = plots(window), window.clock.window
    chart = panel(window, FCFS).gantt
    start, end = inside(chart, 0.7), inside(chart, 0.4)
    chosen = sorted(chart.frame().scale.time(position.x()) for position in (start, end))
    drag(chart, start, end, SHIFT)
    snaps = 6 * chart.frame().scale.seconds_per_pixel
    assert window.selection.value.time_range == pytest.approx(chosen, abs=snaps)
    chosen = [*(window.selection.value.time_range or ())]
    assert window.clock.window == clock
    text = inspected(window)
    assert text.startswith("Time range")
    submit = trace_of(window).submit
    assert str(int(((submit >= chosen[0]) & (submit <= chosen[1])).sum())) in text
    for old, new in zip(before, plots(window), strict=True):
        width = old.shape[1]
        middle, edge = slice(int(0.45 * width), int(0.65 * width)), slice(0, int(0.35 * width))
        assert (old[:, middle] != new[:, middle]).mean() > 0.5  # a veil
        assert np.array_equal(old[:, edge], new[:, edge])


def test_keys_zoom_and_pan(qtbot: QtBot, window: MainWindow) -> None:
    chart = panel(window, EASY).gantt
    expected = {
        (Key.Key_W, Key.Key_Up): (104_000, 136_000),
        (Key.Key_S, Key.Key_Down): (95_000, 145_000),
        (Key.Key_A, Key.Key_Left): (94_000, 134_000),
        (Key.Key_D, Key.Key_Right): (106_000, 146_000),
    }
    for keys, shown in expected.items():
        for key in keys:
            window.clock.set_window(100_000, 140_000)
            qtbot.keyClick(chart, key)
            assert window.clock.window == pytest.approx(shown), key


def test_home_fits_all_and_backspace_goes_back(qtbot: QtBot, window: MainWindow) -> None:
    chart, whole = panel(window, EASY).gantt, window.clock.window
    window.clock.set_window(100_000, 140_000)
    qtbot.keyClick(chart, Key.Key_Home)
    assert window.clock.window == whole
    qtbot.keyClick(chart, Key.Key_Backspace)
    assert window.clock.window == (100_000, 140_000)
    qtbot.keyClick(chart, Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert window.clock.window == whole
    qtbot.keyClick(chart, Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert window.clock.window == (100_000, 140_000)


def test_f_fits_the_selected_job(qtbot: QtBot, window: MainWindow) -> None:
    job = large_jobs(window, EASY)[0]
    window.selection.select_job(trace_of(window), job)
    qtbot.keyClick(panel(window, EASY).gantt, Key.Key_F)
    came, end = int(trace_of(window).submit[job]), int(schedule_of(window, EASY).end[job])
    assert window.clock.start < came < end < window.clock.end
    assert window.clock.span < 2 * (end - came)


@pytest.mark.parametrize("by_chart", [True, False])
def test_f_fits_the_selected_job_beside_the_details_over_the_charts(
    qtbot: QtBot, window: MainWindow, by_chart: bool
) -> None:
    window.view.choose(columns=1)
    window.selection.select_job(trace_of(window), large_jobs(window, EASY)[-1])
    settle(window)
    chart = panel(window, EASY).gantt
    left, right = chart.covered
    assert left == 0 < right < 0.5
    qtbot.keyClick(chart if by_chart else window, Key.Key_F)
    settle(window)
    (job,) = window.selection.value.jobs
    assert chart.frame().scale.x(float(schedule_of(window, EASY).end[job])) < chart.width() * (1 - right)
    corner = window.inspector_dock.mapTo(window, QPoint())
    assert chart.mapTo(window, box_of(window, EASY, job).bottomRight().toPoint()).x() <= corner.x()
    window.view.choose(columns=0)


def test_keys_move_the_charts_while_another_part_has_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    window.clock.set_window(100_000, 140_000)
    window.run_list.add.setFocus()
    qtbot.keyClick(window.run_list.add, Key.Key_W)
    assert window.clock.span == pytest.approx(32_000)
    tab = show_tab(qtbot, window, "Metrics")
    qtbot.keyClick(tab, Key.Key_Home)
    assert window.clock.window == window.clock.bounds


def test_the_mouse_draws_a_line_at_its_time_in_all_charts(qtbot: QtBot, window: MainWindow) -> None:
    before = plots(window)
    chart = panel(window, FCFS).heatmap
    qtbot.mouseMove(chart, inside(chart, 0.5).toPoint())
    assert window.clock.hover == pytest.approx(chart.frame().scale.time(inside(chart, 0.5).x()), abs=700)
    for old, new in zip(before, plots(window), strict=True):
        columns = np.flatnonzero((old != new).any(axis=0))
        assert 1 <= len(columns) <= 2


def test_i_inspects_the_instant_under_the_mouse(qtbot: QtBot, window: MainWindow) -> None:
    chart = panel(window, EASY).gantt
    spot = inside(chart, 0.3)
    qtbot.mouseMove(chart, spot.toPoint())
    time = chart.frame().scale.time(spot.x())
    qtbot.keyClick(chart, Key.Key_I)
    assert window.selection.value.instant == pytest.approx(time, abs=chart.frame().scale.seconds_per_pixel)
    assert inspected(window).startswith("Instant")


def test_what_is_under_the_mouse_is_reported_anew_when_the_charts_move_under_it(
    qtbot: QtBot, window: MainWindow
) -> None:
    show_tab(qtbot, window, "Jobs")
    chart = panel(window, EASY).gantt
    job = next(job for job in large_jobs(window, EASY) if box_of(window, EASY, job).right() < 300)
    spot = box_of(window, EASY, job).center()
    qtbot.mouseMove(chart, spot.toPoint())
    number = str(trace_of(window).job_id[job])
    qtbot.waitUntil(QToolTip.isVisible)
    assert number in QToolTip.text()
    place = chart.mapToGlobal(spot)
    other = large_jobs(window, EASY)[-1]
    window.selection.select_job(trace_of(window), other)  # the inspector opens, too
    settle(window)
    qtbot.keyClick(window, Key.Key_F)
    settle(window)
    scale, at = chart.frame().scale, chart.mapFromGlobal(place)
    assert window.clock.hover == pytest.approx(scale.time(at.x()), abs=scale.seconds_per_pixel)
    text = chart.tooltip_at(at)
    assert not text.startswith(f"job {number} ")
    assert not QToolTip.isVisible() or QToolTip.text().count(text.split("\n")[0])
    qtbot.keyClick(window, Key.Key_I)
    instant = window.selection.value.instant
    assert instant is not None
    assert window.clock.start <= instant <= window.clock.end


def test_what_is_under_the_mouse_is_reported_anew_when_other_jobs_are_drawn_there(
    qtbot: QtBot, window: MainWindow
) -> None:
    chart = panel(window, EASY).gantt
    spots = [box_of(window, EASY, job).center() for job in large_jobs(window, EASY)[:20]]
    lines = [chart.tooltip_at(spot) for spot in spots]
    window.view.choose(rows="jobs")
    settle(window)
    spot, there = next(
        pair for pair in zip(spots, lines, strict=True) if chart.tooltip_at(pair[0]) != pair[1]
    )
    now = chart.tooltip_at(spot)
    window.view.choose(rows="processors")
    settle(window)
    qtbot.mouseMove(chart, spot.toPoint())
    qtbot.waitUntil(QToolTip.isVisible)
    assert QToolTip.text() == tip(there)
    window.view.choose(rows="jobs")
    settle(window)
    qtbot.waitUntil(lambda: QToolTip.text() == tip(now) if now else not QToolTip.isVisible())


def test_what_is_kept_around_the_plots_is_as_if_painted_anew(qtbot: QtBot, window: MainWindow) -> None:
    window.page.chart_set.first.clearFocus()  # its frame is no part of the chart
    window.clock.set_hover(None)
    show_tab(qtbot, window, "Timeline")
    clock, users = window.clock, window.selection.select_user
    steps = {
        "zoom": lambda: clock.zoom(0.4),
        "pan": lambda: clock.pan(clock.span / 3),
        "rows": lambda: clock.zoom_rows(0.5, 0.4, 0.01),
        "moved rows": lambda: clock.pan(-clock.span / 4, 0.1),
        "pick": lambda: users(3),
        "far": lambda: clock.zoom(0.01),
        "beyond": lambda: clock.set_window(clock.bounds[0] - 1e6, clock.bounds[0] + 1e5),
        "colours": lambda: window.view.choose(colours="wait"),
        "fit": clock.fit,
        "clear": window.selection.clear,
        "back": lambda: window.view.choose(colours="user"),
    }
    for name, step in steps.items():
        step()
        settle(window)
        for chart in shown_charts(window):
            if chart.isVisible():
                whole = image_of(chart, chart.size())
                anew = np.frombuffer(whole.constBits(), np.uint32).reshape(chart.height(), -1)
                assert np.array_equal(seen(chart), anew), (name, chart.title)
