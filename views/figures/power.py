"""The power of the machine over time under each run, with the price of energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.metrics.power import KWH, usage_and_power
from views.data.marks import TimeMark
from views.data.results import Result
from views.data.usage import quantity_of
from views.figures.page_settings import LEFT, RIGHT, TOP, page_width, plot_height
from views.figures.sheet import (
    TIME_LABELS,
    add_axes,
    in_style,
    new_figure,
    title_run,
)
from views.figures.stacked_runs import NO_OFFSETS, StackedRuns, whole_window
from views.figures.usage_strip import draw_strip, own_span
from views.text.values import energy, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Window = tuple[float, float]

_GAP = 0.36
"""Inches between two strips, for the title of the lower one."""

_BESIDE = 0.62
"""Inches at the right, for the mean."""


@in_style
def power_figure(
    results: Sequence[Result],
    window: Window | None = None,
    title: str = "",
    marks: Sequence[TimeMark] = (),
    offsets: Mapping[int, float] = NO_OFFSETS,
) -> Figure:
    """The power of the machine under each run, at least one, one below the other on a common time axis.

    All have the same scale. The price of energy, where it is given, is a line from 0 at the lower edge to its
    greatest at the upper one. `window` is in seconds; `marks` are drawn. Runs with `offsets` (s), by id, are
    shown later by their offset. Raises InputError where the power of a run is not known.
    """
    # Before any page is made: a run without power is an error, not an empty plot.
    strips = []
    for result in results:
        strip = quantity_of("power", result.schedule, usage_and_power(result.schedule))
        if not strip.held.most:
            raise InputError(f"{result.name}: its power is not known")
        strips.append(strip)
    trace = results[0].schedule.trace
    stacked = StackedRuns(results, window or whole_window(results), offsets)
    # All strips have the same scale: a strip would otherwise look full under a run that uses little.
    top = max(strip.most for strip in strips)
    height = plot_height(min(1.6, max(0.5, 5.0 / len(results))))
    gap = _GAP + stacked.gap
    prices = strips[0].prices
    priced = "" if prices is None else f"; line: price from {' to '.join(map(number, prices))} per kWh"
    figure = new_figure(
        TOP + len(results) * (height + gap) + TIME_LABELS, f"{title or trace.shown_name}: power{priced}"
    )
    width, charts = page_width() - LEFT - RIGHT - _BESIDE, []
    for index, (result, strip) in enumerate(zip(results, strips, strict=True)):
        axes = add_axes(figure, TOP + index * (height + gap) + _GAP - 0.06, height, width=width)
        own = stacked.window_of(result)
        # The means cover the part of the window in which the run has any jobs.
        draw_strip(axes, strip, top, own, own_span(result, own), _BESIDE)
        used = result.summary.get("energy")
        title_run(axes, result, "" if used is None else energy(float(used) * KWH))
        charts.append(axes)
    stacked.label(figure, [[axes] for axes in charts], TOP + len(results) * (height + gap), marks, width)
    return figure
