"""A Gantt chart of eight processors over ten hours, and what of its picture changes."""

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage

from engine.schedule.processors import assign_processors
from engine.schedule.schedule import Schedule
from tests.views.context import ViewContext
from views.gantt.chart import GanttChart
from views.theme.theme import LIGHT

HOUR = 3600


def chart_of(context: ViewContext, schedule: Schedule) -> GanttChart:
    """A chart that is shown, of a schedule on eight processors."""
    context.clock.reset(0, 10 * HOUR)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 900, 240)
    return chart


def at(chart: GanttChart, hour: float, processor: float) -> QPointF:
    frame = chart.frame()
    return QPointF(frame.scale.x(hour * HOUR), frame.plot.top() + processor / 8 * frame.plot.height())


def differs(first: QImage, second: QImage, chart: GanttChart, hours: tuple, processors: tuple) -> float:
    """The share of pixels in that rectangle that are not the same."""
    a, b = at(chart, hours[0], processors[0]).toPoint(), at(chart, hours[1], processors[1]).toPoint()
    changed = [
        first.pixel(x, y) != second.pixel(x, y) for x in range(a.x(), b.x()) for y in range(a.y(), b.y())
    ]
    return float(np.mean(changed))
