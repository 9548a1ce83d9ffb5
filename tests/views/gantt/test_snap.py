"""A range that is measured snaps to the edges of jobs."""

import pytest
from PySide6.QtCore import QPointF, Qt

from engine.machine.cluster import parse_cluster
from engine.schedule.processors import assign_processors
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext, drag
from views.gantt.chart import GanttChart
from views.theme.theme import LIGHT

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def chart(context: ViewContext) -> GanttChart:
    """One job from 2000 s to 5000 s, and one from 5000 s to 8000 s."""
    trace = make_trace([0, 0], [3000, 3000], 1, cluster=parse_cluster("1c"))
    schedule = make_schedule(trace, [2000, 5000])
    context.clock.reset(0, 10_000)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 700, 240)
    return chart


def at(chart: GanttChart, time: float, pixels: float) -> QPointF:
    """So many pixels beside a time."""
    frame = chart.frame()
    return QPointF(frame.scale.x(time) + pixels, frame.plot.center().y())


def test_both_ends_snap_within_six_pixels(chart: GanttChart, context: ViewContext) -> None:
    drag(chart, at(chart, 2000, -5), at(chart, 8000, 5), SHIFT)
    assert context.selection.value.time_range == (2000, 8000)
    drag(chart, at(chart, 2000, 5), at(chart, 5000, -5), SHIFT)
    assert context.selection.value.time_range == (2000, 5000)


def test_elsewhere_a_range_is_as_it_is_drawn(chart: GanttChart, context: ViewContext) -> None:
    drag(chart, at(chart, 2000, 12), at(chart, 5000, -12), SHIFT)
    first, last = context.selection.value.time_range or (0, 0)
    away = 12 * chart.frame().scale.seconds_per_pixel
    assert (first, last) == pytest.approx((2000 + away, 5000 - away))


def test_a_zoom_does_not_snap(chart: GanttChart, context: ViewContext) -> None:
    wanted = [chart.frame().scale.time(at(chart, time, 4).x()) for time in (2000, 8000)]
    drag(chart, at(chart, 2000, 4), at(chart, 8000, 4), CONTROL)
    assert context.clock.window == pytest.approx(wanted)
