"""A strip of use over time below a schedule: processors, RAM, GPUs, power with its price, or the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from views.data.results import Result
from views.data.usage import HEADROOM, NAMES, UsageKind, UsageQuantity
from views.figures.page_settings import FAINT, GRID, RIGHT, TEXT, plot_height
from views.figures.page_text import fitting_size
from views.figures.sheet import pixels
from views.text.counts import format_count
from views.text.values import number, percent, power

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from engine.metrics.series import StepSeries

Window = tuple[float, float]

STRIP = 0.34  # inches
_LEAST_STRIP = 0.2  # inches: room for its two numbers
_SMALL_STRIP = 0.3  # inches: names beside lower rows are smaller

_WAITING, _PRICE = "#b9c0c8", "#c2410c"
_COLOURS_OF: dict[UsageKind, str] = {
    "cpu": "#0072b2",
    "ram": "#b0660f",
    "gpu": "#1a7f5a",
    "power": "#b79fd4",
    "queue": "#586270",
}


def strip_height() -> float:
    """The height of each strip, in inches: strips shrink with the rows."""
    return max(plot_height(STRIP), _LEAST_STRIP)


def own_span(result: Result, window: Window) -> Window:
    """The part of the window from the first submission to the run's last end; all of it without overlap."""
    schedule = result.schedule
    begin, end = max(window[0], schedule.first_submit), min(window[1], schedule.last_end)
    return (begin, end) if begin < end else window


def draw_strip(
    axes: Axes, quantity: UsageQuantity, top: int, window: Window, span: Window, room: float
) -> None:
    """Draw the mean of each pixel's time as a filled step curve, in front of the request in grey.

    The mean beside it covers the `span` of the run within the window, like its utilization; for it there is
    `room`, in inches. The price of energy is a line over its power, with the range of the scale at its ends.
    """
    width, _ = pixels(axes)
    edges = np.linspace(*window, width + 1)
    whole = quantity.whole
    # From the back: what is requested, what is used over it, then the lines of the limits.
    if quantity.requested is not None:
        requested = _mean(quantity.requested, window, width)
        _fill(axes, edges, requested, _WAITING)
    mean = _mean(quantity.held, window, width)
    _fill(axes, edges, mean, _COLOURS_OF[quantity.kind])
    axes.set_ylim(0, HEADROOM * top)
    # Failing nodes make the limit a curve, and so does a cap on power by the clock; otherwise it is one line.
    if quantity.available is not None:
        axes.stairs(
            _mean(quantity.available(), window, width), edges, baseline=None, color=TEXT, linewidth=0.5
        )
    elif line := quantity.capacity or quantity.cap:
        axes.axhline(line, color=TEXT, linewidth=0.5)
    caps = quantity.cap_levels(window, width)
    if caps is not None:
        axes.stairs(caps, edges, baseline=None, color=TEXT, linewidth=0.5)
    levels = quantity.price_levels(window, width)
    if levels is not None:
        axes.stairs(levels * top, edges, baseline=None, color=_PRICE, linewidth=0.5)
    # Of a machine with a capacity the upper mark is all of it; of others the largest value of all runs.
    marks = (whole, "100 %") if quantity.capacity else (top, _top_of(quantity, top))
    axes.set_yticks([0, marks[0]], ["0", marks[1]], fontsize=6)
    axes.set_ylabel(NAMES[quantity.kind], labelpad=2, fontsize=7 if strip_height() > _SMALL_STRIP else 6)
    axes.grid(axis="x", color=GRID, linewidth=0.4)
    axes.set_axisbelow(True)
    average = float(_mean(quantity.held, span, 1)[0])
    if quantity.kind == "power":
        text = power(average)
    else:
        text = percent(100 * average / whole) if quantity.capacity else f"{number(average)} jobs"
    # The run may end before the window does: then the mean covers less than is drawn, and says so.
    lines = ("mean", text) if span[1] == window[1] else (f"mean {text}", "to its end")
    # Both lines have the same size, at which the longer fits beside the plot.
    small = min(fitting_size(line, room + RIGHT - 0.1, 6.5) for line in lines)
    axes.annotate(
        "\n".join(lines),
        (1, 0.5),
        xycoords="axes fraction",
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=small,
        color=FAINT,
    )


def _top_of(quantity: UsageQuantity, top: int) -> str:
    return power(top) if quantity.kind == "power" else format_count(top)


def _mean(series: StepSeries, window: Window, width: int) -> NDArray[np.float64]:
    """The mean of each column."""
    from views.raster.columns import column_statistics

    time, value = np.array(series.time, np.int64), series.value.astype(np.float64)
    mean: NDArray[np.float64] = column_statistics(time, value, window, width)[1]
    return mean


def _fill(axes: Axes, edges: NDArray[np.float64], height: NDArray[np.float64], colour: str) -> None:
    axes.fill_between(edges, np.append(height, height[-1]), step="post", color=colour, linewidth=0)
