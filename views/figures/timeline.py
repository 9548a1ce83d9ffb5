"""Queue depth, utilization and tunables of all runs over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.policy.tuning import RANGES, TUNABLES
from views.data.marks import Mark
from views.data.run_series import AVERAGES, RunSeries
from views.figures.gantt import Window
from views.figures.sheet import (
    LEGEND_LINE,
    TIME_LABELS,
    TOP,
    add_axes,
    add_legend,
    draw_marks,
    dress,
    in_style,
    label_time,
    legend_columns,
    new_figure,
    pixels,
)
from views.text.ticks import axis_of
from views.text.values import compact

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DEPTH, _USE, _LANE, _GAP = 1.5, 1.5, 0.42, 0.28  # inches
_COLUMNS = 2  # of the legend
_THICK, _THICKER, _THICKEST = 0.7, 1.1, 4.5
"""Points of the first run's line of a tunable, how much thicker each one below it is, and the most."""

_MARKS = 8.0  # points that the marks of changes take above a lane
_WIDTHS = {"now": 0.35, "1 h": 0.55, "10 h": 0.8, "24 h": 1.6}
"""Averages of the utilization, each with the width of its line in points."""

assert set(_WIDTHS) == set(AVERAGES)


@in_style
def timeline_figure(
    runs: Sequence[RunSeries],
    window: Window | None = None,
    log: bool = False,
    title: str = "",
    marks: Sequence[Mark] = (),
    averages: Sequence[str] = ("now", "10 h", "24 h"),
) -> Figure:
    """What queue and machine did under each of at least one run (Tang et al. 2013, figures 5 to 10).

    Queue depth in minutes, on a logarithmic scale with `log`; utilization now or on average over the hours
    before, as `averages` names them; and the tunables that any run tunes, with a mark at each change.
    `window` is in seconds; `marks` are drawn.
    """
    trace = runs[0].schedule.trace
    ends = max(one.schedule.last_end for one in runs)
    shown = window or (float(runs[0].schedule.first_submit), float(ends))
    lanes = [name for name in TUNABLES if any(name in one.tuned for one in runs)]
    legend = [(one.colour, one.name) for one in runs]
    columns = legend_columns(_COLUMNS)
    lines = -(-len(legend) // columns)
    height = TOP + _GAP + _DEPTH + _GAP + _USE + len(lanes) * (_GAP + _LANE)
    figure = new_figure(height + TIME_LABELS + 0.08 + lines * LEGEND_LINE, title or trace.name)
    top = TOP + _GAP
    charts = [add_axes(figure, top, _DEPTH), add_axes(figure, top + _DEPTH + _GAP, _USE)]
    _draw_depth(charts[0], runs, shown, log)
    _draw_use(charts[1], runs, shown, [name for name in AVERAGES if name in averages])
    for index, lane in enumerate(lanes):
        charts.append(add_axes(figure, top + _DEPTH + _GAP + _USE + _GAP + index * (_LANE + _GAP), _LANE))
        _draw_lane(charts[-1], runs, lane, shown)
    label_time(charts, axis_of(trace), shown)
    draw_marks(charts, marks, shown)
    add_legend(figure, legend, height + TIME_LABELS, columns, "runs")
    return figure


def _draw_depth(axes: Axes, runs: Sequence[RunSeries], window: Window, log: bool) -> None:
    width = pixels(axes)[0] // 2
    for one in reversed(runs):  # the first on top, as on the screen
        _draw_line(axes, one.depth_statistics(window, width), window, one.colour, 0.8)
        for threshold in one.thresholds:
            axes.axhline(threshold, color=one.colour, linewidth=0.5, linestyle=(0, (4, 3)))
    if log:
        axes.set_yscale("symlog", linthresh=1)
    axes.yaxis.set_major_formatter(lambda value, _: compact(value))
    axes.set_ylim(0, 1.06 * max(1.0, *(one.deepest for one in runs)))
    dress(axes, "Queue depth, minutes")


def _draw_use(axes: Axes, runs: Sequence[RunSeries], window: Window, averages: Sequence[str]) -> None:
    width = pixels(axes)[0] // 2
    for name in averages:
        for one in reversed(runs):
            found = 100 * one.use_statistics(AVERAGES[name], window, width)
            _draw_line(axes, found, window, one.colour, _WIDTHS[name])
    axes.set_ylim(0, 106)
    thickness = " (thin to thick)" if len(averages) > 1 else ""
    dress(axes, f"Utilization, %: {', '.join(averages)}{thickness}" if averages else "Utilization, %")


def _draw_line(axes: Axes, found: np.ndarray, window: Window, colour: str, thick: float) -> None:
    """Means of the columns as a line, over a tint from the least to the greatest."""
    edges = np.linspace(*window, found.shape[1] + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    tint = 0.1 if thick < 0.5 else 0.2
    axes.fill_between(middle, found[0], found[2], color=colour, alpha=tint, linewidth=0, rasterized=True)
    axes.plot(middle, found[1], color=colour, linewidth=thick)


def _draw_lane(axes: Axes, runs: Sequence[RunSeries], lane: str, window: Window) -> None:
    most = RANGES[lane][0] + 1.0
    tuned = [one for one in runs if lane in one.tunables]
    for index, one in reversed(list(enumerate(tuned))):
        time, value = one.steps(lane)
        most = max(most, float(value.max()))
        axes.plot(
            [*time, one.schedule.last_end],
            [*value, value[-1]],
            color=one.colour,
            linewidth=min(_THICK + index * _THICKER, _THICKEST),
            drawstyle="steps-post",
        )
        changed = time[1:][(np.diff(value) != 0) & (time[1:] >= window[0]) & (time[1:] <= window[1])]
        axes.plot(
            changed,
            np.full(len(changed), 1.12),
            "|",
            color=one.colour,
            markersize=3,
            transform=axes.get_xaxis_transform(),
            clip_on=False,
            markeredgewidth=0.4,
        )
    low = RANGES[lane][0]
    room = 0.2 * (most - low)
    axes.set_ylim(low - room, most + room)
    axes.set_yticks([low, most])
    dress(axes, {"bf": "Balance factor", "window": "Window, jobs"}[lane], _MARKS)
