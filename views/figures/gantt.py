"""Schedules side by side: which processors run whose jobs, over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.filter import Expression, Jobs
from engine.schedule import Schedule
from engine.trace import Trace
from views.figures.sheet import (
    LEGEND_LINE,
    TIME_LABELS,
    TOP,
    add_axes,
    add_legend,
    in_style,
    label_time,
    new_figure,
    pixels,
    title_run,
)
from views.format import duration, percent
from views.palette import OTHER_USERS, Pixels, pixel, user_colours
from views.results import Result
from views.ticks import axis_of
from views.words import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Window = tuple[float, float]
Mask = NDArray[np.bool_]

_WHITE = 0xFFFFFFFF
_LEGEND_COLUMNS = 5
_GAP = 0.36
"""Inches between two schedules: the title of the lower one."""


@in_style
def gantt_figure(
    results: Sequence[Result],
    window: Window | None = None,
    title: str = "",
    only: Expression | None = None,
) -> Figure:
    """The schedules of at least one run, one below the other on one time axis, coloured by user.

    `window` is in seconds; by default from the first submission to the last end. Without a
    `title` the trace is named. `only` jobs that meet this in their run are drawn.
    """
    trace = results[0].schedule.trace
    colours = user_colours(trace.user.names, _areas(trace))
    legend = _legend(trace, colours)
    height = min(2.4, max(0.8, 6.8 / len(results)))
    labels = TIME_LABELS + 0.06 + LEGEND_LINE * -(-len(legend) // _LEGEND_COLUMNS)
    figure = new_figure(TOP + len(results) * (height + _GAP) + labels, title or trace.name)
    shown = window or whole_window(results)
    palette = np.array([pixel(colour) for colour in colours], np.uint32)
    charts = []
    for place, result in enumerate(results):
        axes = add_axes(figure, TOP + place * (height + _GAP) + _GAP - 0.06, height)
        _draw(axes, result, palette, shown, only)
        charts.append(axes)
    label_time(charts, axis_of(trace), shown)
    add_legend(figure, legend, TOP + len(results) * (height + _GAP) + TIME_LABELS, _LEGEND_COLUMNS, "users")
    return figure


def whole_window(results: Sequence[Result]) -> Window:
    """From the first submission to the last end of any run, in seconds."""
    first = results[0].schedule.first_submit
    return float(first), float(max(first + 1, *(result.schedule.last_end for result in results)))


def rgb_image(picture: Pixels) -> NDArray[np.uint8]:
    """Pixels 0xffrrggbb, shape (height, width), as red, green and blue, shape (height, width, 3)."""
    return np.stack([picture >> shift & 0xFF for shift in (16, 8, 0)], axis=-1).astype(np.uint8)


def _draw(axes: Axes, result: Result, palette: Pixels, window: Window, only: Expression | None) -> None:
    width, height = pixels(axes)
    colours = palette[result.schedule.trace.user.codes]
    picture = rasterize(result.schedule, colours, window, width, height, _drawn(result, only))
    processors = result.schedule.cluster.cpus
    axes.imshow(
        rgb_image(picture),
        extent=(window[0], window[1], processors, 0),
        aspect="auto",
        interpolation="none",
    )
    axes.set_ylabel("processor")
    values = result.summary
    wait, used = values.get("wait_mean"), values.get("utilization")
    title_run(axes, result, f"mean wait {duration(wait)}, utilization {percent(used and 100 * used)}")


def rasterize(
    schedule: Schedule, colours: Pixels, window: Window, width: int, height: int, drawn: Mask | None = None
) -> Pixels:
    """The schedule as pixels, by the rasterizer that the charts use; shape (height, width).

    `colours` has a pixel for each job of the trace, shape (n,); `drawn` says which of them
    are drawn, None: all.
    """
    from engine.simulation.processors import assign_processors
    from views.raster import rectangles, strips

    boxes = assign_processors(schedule)
    if drawn is not None:
        kept = drawn[boxes.job]
        boxes = replace(boxes, job=boxes.job[kept], first=boxes.first[kept], count=boxes.count[kept])
    first_box = np.flatnonzero(np.append(True, boxes.job[1:] != boxes.job[:-1])[: len(boxes.job)])
    job = boxes.job[first_box]  # ascending by start, as the boxes are
    start, end = schedule.start[job], schedule.end[job]
    cover = strips(
        np.append(first_box, len(boxes.job)).astype(np.int64),
        boxes.first.astype(np.float32),
        boxes.count.astype(np.float32),
        float(schedule.cluster.cpus),
        height,
    )
    latest = np.maximum.accumulate(end) if len(end) else end
    return rectangles(start, end, latest, colours[job], cover, window, width, _WHITE)


def _drawn(result: Result, only: Expression | None) -> Mask | None:
    """The jobs that meet this in their run."""
    if only is None:
        return None
    late = result.violations.tardiness if result.violations is not None else None
    return only.mask(Jobs(result.schedule.trace, result.schedule, late))


def _areas(trace: Trace) -> NDArray[np.float64]:
    """Processor-seconds of each user, shape (users,)."""
    area = (trace.procs * trace.runtime).astype(np.float64)
    return np.bincount(trace.user.codes, area, len(trace.user.names)).astype(np.float64)


def _legend(trace: Trace, colours: Sequence[str]) -> list[tuple[str, str]]:
    """Colours and names of the users with the largest areas, and how many share the grey."""
    area = _areas(trace)
    named = [u for u in np.argsort(-area, kind="stable") if colours[u] != OTHER_USERS and area[u] > 0]
    entries = [(colours[u], _short(trace.user.names[u])) for u in named]
    others = int((area > 0).sum()) - len(named)
    return entries + ([(OTHER_USERS, plural(others, "other user"))] if others else [])


def _short(name: str, longest: int = 18) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"
