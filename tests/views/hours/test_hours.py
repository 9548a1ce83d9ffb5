"""Lanes of mean waits by hour and weekday."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF

from tests.traces import make_trace
from tests.views.context import ViewContext, colour_at
from tests.views.results import make_result
from views.data.results import Result
from views.hours.plots import hour_plots
from views.plotting.widget import PlotWidget
from views.theme.fonts import tick_font
from views.theme.palette import run_colour
from views.theme.theme import LIGHT

HOUR, DAY = 3600, 86_400


def some_results() -> list[Result]:
    """Jobs that come at hours 0, 0, 5 and a day later at 5; under the first run they wait 1, 3, 2 and 6 h."""
    trace = make_trace([0, 60, 5 * HOUR, DAY + 5 * HOUR], [100] * 4, [1] * 4)
    waits = np.array([1, 3, 2, 6]) * HOUR
    return [
        make_result(trace, (trace.submit + waits).tolist(), 1, "fcfs"),
        make_result(trace, trace.submit.tolist(), 2, "easy"),
    ]


def test_waits_are_means_of_what_was_submitted_then() -> None:
    hours, days = hour_plots(some_results())
    first = next(k for k in range(24) if hours.lanes[0].jobs[k])
    fcfs, easy = hours.lanes
    assert fcfs.wait[first] == 2 * HOUR
    assert fcfs.wait[(first + 5) % 24] == 4 * HOUR
    assert np.isnan(fcfs.wait[(first + 1) % 24])
    assert easy.wait[first] == 0
    assert sorted(days.lanes[0].wait[days.lanes[0].jobs > 0].tolist()) == [2 * HOUR, 6 * HOUR]
    assert hours.words.title == "Mean wait by hour of the day, up to 4 h"
    assert days.steps[0] == "Monday"
    assert [name for _, name in days.x.ticks(1.5)] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    ticks = hours.y.ticks(0.4)
    assert [text for _, text in ticks] == ["0", "3 h", "0", "3 h"]
    assert [at for at, _ in ticks] == pytest.approx([-0.5, -0.035, 0.5, 0.965])
    assert [name for _, name in days.x.ticks(0.9)][:2] == ["Monday", "Tuesday"]
    assert [name for _, name in hours.x.ticks(2.2)][:2] == ["00:00", "03:00"]


def test_bars_are_drawn_and_reported(context: ViewContext) -> None:
    hours, _ = hour_plots(some_results())
    widget = PlotWidget(context, LIGHT, "Waits by hour")
    context.qtbot.addWidget(widget)
    widget.resize(700, 240)
    widget.show()
    widget.set_plot(lambda: hours)
    image = context.settle(widget)
    area = widget.area
    late = int(np.nanargmax(hours.lanes[0].wait))
    foot = area.spot(late, hours.bottom(0)) - QPointF(0, 6)
    assert colour_at(image, foot.x(), foot.y()) == run_colour(1)
    reading = widget.read(foot)
    assert reading is not None
    assert reading.text.startswith("fcfs\n")
    assert "mean wait 4 h of 2 jobs" in reading.text


def test_lanes_are_high_enough_for_their_names(context: ViewContext) -> None:
    results = some_results()
    hours, _ = hour_plots([*results, *results, *results])
    widget = PlotWidget(context, LIGHT, "Waits by hour")
    context.qtbot.addWidget(widget)
    widget.resize(500, 100)
    widget.show()
    widget.set_plot(lambda: hours)
    context.settle(widget)
    line = QFontMetricsF(tick_font(widget.font())).height()
    assert widget.area.height >= 6 * 2.5 * line
    widget.set_plot(lambda: hour_plots(results)[0])
    context.settle(widget)
    assert widget.minimumHeight() < 6 * 2.5 * line
