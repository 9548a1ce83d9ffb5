"""Histograms and cumulative curves over users, queues, classes or jobs, of job sizes and of two logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.metrics.curves import area_curves
from engine.value.tolerance import TOLERANCES
from views.data.bins import bin_edges, bin_shares
from views.data.measures import MEASURES, OVERS
from views.data.plot_choices import DistributionChoices
from views.data.results import Result
from views.data.samples import Samples, samples_of
from views.data.scales import LinearScale, LogScale, Scale
from views.data.value_curves import DELTAS, delivered_over_tolerance, left_over_delay, worths
from views.figures.sheet import (
    FAINT,
    GRID,
    LEFT,
    LEGEND_LINE,
    TEXT,
    TOP,
    add_axes,
    add_legend,
    columns_of,
    in_style,
    new_figure,
    page_width,
    width_of,
    write_head,
)
from views.theme.palette import RUN_COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from engine.trace.generate.likeness import Likeness

Floats = NDArray[np.float64]

_HEIGHT, _HEAD, _BELOW, _BETWEEN = 2.1, 0.2, 0.62, 0.62  # inches
_APART_UP, _APART_ACROSS = 0.2, 0.5  # inches between two labels
_LEAST = 1.1  # inches: axes that would be narrower stand below others
_FINEST = 2000
"""Corners of a curve at most: files stay small."""


@in_style
def lines_figure(results: Sequence[Result], choices: DistributionChoices, title: str = "") -> Figure:
    """Histograms or cumulative curves of the chosen measures that were computed, of at least one run."""
    computed = (
        samples_of(MEASURES[name], choices.over, results, choices.axis == "log") for name in choices.measures
    )
    found = [samples for samples in computed if not samples.empty]
    figure, axes = _page_of(results, len(found), title)
    of = OVERS[choices.over]
    for one, samples in zip(axes, found, strict=True):
        name = f"{samples.measure.title_over(choices.over)}\n{samples.measure.axis}"
        if choices.kind == "histogram":
            _draw_histogram(one, samples)
            _dress(one, name, f"% of the {of}", samples.scale, None)
        else:
            for run in samples.runs:
                share = 100 * np.arange(1, len(run.ordered) + 1) / max(len(run.ordered), 1)
                _draw_steps(one, samples.scale.coordinates_of(run.ordered), share, run.colour)
            _dress(one, name, f"% of the {of} with at most that", samples.scale, LinearScale())
    return figure


@in_style
def sizes_figure(results: Sequence[Result], title: str = "") -> Figure:
    """Cumulative shares of jobs and of work, and the wait area, over the area of jobs, of at least one run.

    After Goponenko et al. 2022, figure 3.
    """
    figure, axes = _page_of(results, 3, title)
    found = []
    for result in results:
        schedule, jobs = result.schedule, result.measured
        found.append(area_curves(schedule.wait[jobs], schedule.runtime[jobs], schedule.procs[jobs]))
    areas, waited = (
        np.concatenate(one).astype(np.float64)
        for one in zip(*((one.area, one.wait_area) for one in found), strict=True)
    )
    area, waits = LogScale.of(areas, durations=False, hours=True), LinearScale.of(waited, hours=True)
    for result, one in zip(results, found, strict=True):
        x = area.coordinates_of(one.area.astype(np.float64))
        for plot, y in zip(axes, (100 * one.jobs, 100 * one.work, one.wait_area), strict=True):
            _draw_steps(plot, x, y.astype(np.float64), result.colour)
    names = ("% of the jobs", "% of the work", "wait × processors, CPU h")
    for plot, name, scale in zip(axes, names, (LinearScale(), LinearScale(), waits), strict=True):
        _dress(plot, "area of the job: processors\n× runtime, CPU h", name, area, scale)
    return figure


@in_style
def likeness_figure(alike: Sequence[Likeness], names: tuple[str, str], title: str = "") -> Figure:
    """Cumulative curves of what two logs hold, the first one drawn first."""
    legend = list(zip(RUN_COLOURS, names, strict=False))
    figure, axes = _page(legend, len(alike), title or f"{names[0]} and {names[1]}")
    name = "% with at most that"
    for one, quantity in zip(axes, alike, strict=True):
        values = np.concatenate((quantity.first, quantity.second)).astype(np.float64)
        scale = LogScale.of(values, durations=quantity.seconds)
        for (colour, _), ordered in zip(legend, (quantity.first, quantity.second), strict=True):
            share = 100 * np.arange(1, len(ordered) + 1) / len(ordered)
            _draw_steps(one, scale.coordinates_of(ordered.astype(np.float64)), share, colour)
        _dress(one, quantity.name, name, scale, LinearScale())
        name = ""  # it is said once
    return figure


@in_style
def value_figure(results: Sequence[Result], shape: str, delta: float, title: str = "") -> Figure:
    """What jobs are worth, what delay leaves of it, and what runs deliver, of at least one run.

    After Van den Bossche, Vanmechelen & Broeckhove 2011, figures 1 to 4.
    """
    figure, axes = _page_of(results, 3, title)
    found = worths(results)
    most = max((float(one.values[-1]) for one in found if len(one.values)), default=1.0)
    worth, left, over = axes
    for one in found:
        share = 100 * np.arange(1, len(one.values) + 1) / max(len(one.values), 1)
        for run in one.runs[::-1]:
            _draw_steps(worth, one.values, share, results[run].colour)
    _dress(worth, "value of the job", "% of the jobs", LinearScale(0.0, max(most, 1.0)), LinearScale())
    for name in TOLERANCES:
        x, y = left_over_delay(name, delta, 1.0 + 2.0 * delta)
        left.plot(x, y, color=TEXT, linewidth=1.1, linestyle="-" if name == shape else (0, (4, 3)))
    across = f"response / runtime\n{shape}, tolerance of {delta:g}"
    _dress(left, across, "% of the value", LinearScale(1.0, 1.0 + 2.0 * delta), LinearScale())
    scale, lowest = LogScale.of(DELTAS, durations=False), 100.0
    for result in results:
        delivered = delivered_over_tolerance(result, shape, delta)
        if delivered is not None:
            over.plot(scale.coordinates_of(DELTAS), delivered.left, color=result.colour, linewidth=1.1)
            lowest = min(lowest, float(delivered.left.min()))
    floor = 10.0 * float(np.floor(lowest / 10.0))
    _dress(over, "delay tolerance\nin runtimes", "% of all value", scale, LinearScale(floor, 100.0))
    return figure


def _page_of(results: Sequence[Result], many: int, title: str) -> tuple[Figure, list[Axes]]:
    runs = [(result.colour, result.name) for result in results]
    return _page(runs, many, title or results[0].schedule.trace.name)


def _page(legend: Sequence[tuple[str, str]], many: int, title: str) -> tuple[Figure, list[Axes]]:
    """A page with axes beside one another, or below each other, and below them which colour is what."""
    columns, tall = columns_of(many, _LEAST, _BETWEEN), _HEAD + _HEIGHT + _BELOW
    width, bottom = width_of(columns, _BETWEEN), TOP + -(-many // columns) * tall
    height = bottom + LEGEND_LINE * len(legend) + 0.06
    figure = new_figure(height, title)
    places = [divmod(k, columns) for k in range(many)]
    axes = [
        add_axes(figure, TOP + row * tall + _HEAD, _HEIGHT, left=LEFT + k * (width + _BETWEEN), width=width)
        for row, k in places
    ]
    add_legend(figure, legend, bottom, columns=1)
    return figure, axes


def _draw_histogram(axes: Axes, samples: Samples) -> None:
    edges = bin_edges(samples)
    for run in samples.runs:
        axes.stairs(bin_shares(samples, run, edges), edges, color=run.colour, linewidth=0.9)
    axes.set_ylim(bottom=0)


def _draw_steps(axes: Axes, x: Floats, y: Floats, colour: str) -> None:
    """A step function; of very many steps some."""
    if len(x) > _FINEST:
        kept = np.unique(np.linspace(0, len(x) - 1, _FINEST).astype(np.int64))
        x, y = x[kept], y[kept]
    axes.step(x, y, where="post", color=colour, linewidth=1.1)


def _dress(axes: Axes, x_name: str, y_name: str, x: Scale, y: Scale | None) -> None:
    """Limits, ticks, grid, and what the axes are; without `y` as matplotlib finds them."""
    low, high = x.full_range
    across = axes.get_position().width * page_width()
    ticks = x.ticks(_APART_ACROSS * (high - low) / across)
    axes.set_xlim(low, high)
    axes.set_xticks([coordinate for coordinate, _ in ticks], [text for _, text in ticks], fontsize=7)
    axes.set_xlabel(x_name, fontsize=7)
    if y is not None:
        low, high = y.full_range
        ticks = y.ticks(_APART_UP * (high - low) / _HEIGHT)
        axes.set_ylim(low, high)
        axes.set_yticks([coordinate for coordinate, _ in ticks], [text for _, text in ticks])
    axes.tick_params(axis="y", labelsize=7)
    write_head(axes, y_name, 7.0, color=FAINT)
    axes.grid(color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    if x.gap is not None:
        axes.axvline(x.gap, color=FAINT, linewidth=0.6, linestyle=(0, (3, 3)), zorder=0.9)
