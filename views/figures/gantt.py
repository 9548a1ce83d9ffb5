"""Schedules side by side: whose jobs ran where, over time, as the Gantt charts show them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.filter import Expression
from engine.machine.cluster import Cluster
from engine.schedule.backfills import NOBODY, passed_first
from engine.shown_text import shown_name
from engine.words import in_sentence
from views.data.gantt.backfills import stripe
from views.data.gantt.colours import COLOUR_NAMES, NAMED, Classes, both, classify, cut_short, paint_jobs
from views.data.gantt.data import GanttData, gantt_data
from views.data.gantt.down_nodes import hatch_outages
from views.data.gantt.idle import hatch_idle, idle_of
from views.data.gantt.look import GanttLook
from views.data.gantt.patterns import stripe_patterned
from views.data.gantt.planned_starts import Planned, describe_cut, planned_of, promised_to
from views.data.gantt.rows import MACHINE_ROWS, RowKind, Rows
from views.data.marks import TimeMark
from views.data.other_run import OtherRun
from views.data.results import Result
from views.figures.gantt_boxes import number_jobs, outline_jobs, rule_rows
from views.figures.gantt_links import draw_links
from views.figures.page_settings import BAD, COLUMN, DPI, FAINT, GOOD, STYLE, TEXT, TOP, fineness, plot_height
from views.figures.page_text import shortened
from views.figures.sheet import (
    LEGEND_LINE,
    TIME_LABELS,
    add_axes,
    in_style,
    legend_columns,
    new_figure,
    pixels,
    raster,
    title_run,
)
from views.figures.stacked_runs import NO_OFFSETS, StackedRuns, whole_window
from views.figures.swatch_legend import HATCHED, STRIPED, add_legend
from views.raster.request import RenderRequest
from views.text.counts import plural
from views.text.values import duration, percent
from views.theme.palette import Pixels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Window = tuple[float, float]

WHITE = "#ffffff"
_LEGEND_COLUMNS = 5
_GAP = 0.36
"""Inches between two schedules, for the title of the lower schedule."""

_MOST_LINES = 2000
"""Maximum number of drawn waits, and of planned jobs (the first are drawn): more would be
indistinguishable.
"""

_ROW_ROOM = 0.5
"""Inches beside a chart that names of rows may take; what rows are may stand beside them."""

_NAME = 0.085
"""Inches that the name of a row needs."""


@in_style
def gantt_figure(
    results: Sequence[Result],
    window: Window | None = None,
    title: str = "",
    look: GanttLook | None = None,
    marks: Sequence[TimeMark] = (),
    offsets: Mapping[int, float] = NO_OFFSETS,
) -> Figure:
    """The schedules of the runs, at least one, one below the other on a common time axis.

    `window` is in seconds; by default from the first submission to the last end. Without a `title` the trace
    is named. `look` gives rows, colours and layers; `marks` are drawn. Runs with `offsets` (s), by id, are
    shown later by their offset and have their own time axis.
    """
    look = look or GanttLook()
    trace = results[0].schedule.trace
    if look.job is not None and look.job >= len(trace):  # it may still be of another trace
        look = replace(look, job=None)
    # A single legend serves all runs: a colour means the same in each, and is listed once.
    classes = [_classes(result, look) for result in results]
    legend = list(dict.fromkeys((colour, name) for cls in classes for colour, name in cls.entries))
    fails = any(result.schedule.cluster.failures is not None for result in results)
    down = look.layers.down and look.rows in MACHINE_ROWS and fails
    legend += [(HATCHED, "node down")] if down else []
    legend += [(STRIPED, "backfilled")] if look.layers.backfilled else []
    height = plot_height(min(2.4, max(0.8, 6.8 / len(results))))
    columns = legend_columns(
        _LEGEND_COLUMNS, [name for _, name in legend], in_sentence(COLOUR_NAMES[look.colours])
    )
    labels = TIME_LABELS + 0.06 + LEGEND_LINE * -(-len(legend) // columns)
    stacked = StackedRuns(results, window or whole_window(results), offsets)
    gap = _GAP + stacked.gap
    figure = new_figure(TOP + len(results) * (height + gap) + labels, title or trace.shown_name)
    # Links lead from the baseline first, which the reader compares with.
    runs = [OtherRun(result.schedule, result.name, result.colour) for result in results]
    runs.sort(key=lambda run: look.baseline is None or run.schedule is not look.baseline.schedule)
    charts = []
    for index, (result, classes_of_run) in enumerate(zip(results, classes, strict=True)):
        axes = add_axes(figure, TOP + index * (height + gap) + _GAP - 0.06, height)
        data = boxes_of(result, look.rows, _matching(result, look.hidden), look.folded)
        _draw(axes, result, classes_of_run, data, stacked.window_of(result), look)
        if look.job is not None:
            draw_links(axes, data, runs, look.job, look.layers)
        charts.append(axes)
    below = TOP + len(results) * (height + gap)
    stacked.label(figure, [[axes] for axes in charts], below, marks)
    add_legend(figure, legend, below + TIME_LABELS, columns, in_sentence(COLOUR_NAMES[look.colours]))
    return figure


def rgb_image(picture: Pixels) -> NDArray[np.uint8]:
    """Pixels 0xffrrggbb, shape (height, width), as red, green and blue, shape (height, width, 3)."""
    return np.stack([picture >> shift & 0xFF for shift in (16, 8, 0)], axis=-1).astype(np.uint8)


def boxes_of(
    result: Result, rows: RowKind = "processors", drawn: Mask | None = None, folded: Collection[str] = ()
) -> GanttData:
    """The jobs of a run on their rows; `drawn`, shape (n,), selects jobs, None: all jobs.

    Groups of nodes are `folded` by their names.
    """
    from engine.schedule.processors import assign_processors

    data = gantt_data(result.schedule, result.boxes or assign_processors(result.schedule), rows, folded)
    return data if drawn is None else data.only(drawn)


def _classes(result: Result, look: GanttLook) -> Classes:
    baseline, name, _ = look.baseline or (None, "", "")
    jobs = replace(result.fared, baseline=baseline, baseline_name=name)
    return classify(jobs, look.colours, filtered=look.hidden or look.dimmed)


def _draw(
    axes: Axes, result: Result, classes: Classes, data: GanttData, window: Window, look: GanttLook
) -> None:
    schedule = result.schedule
    low, high = (share * data.rows.total for share in look.part)
    # The same rasteriser as in the window; the lines and texts below are drawn as vectors, which stay sharp
    # in print.
    request = RenderRequest(window, *raster(axes), 2.0 * fineness(), look.part)
    colours = paint_jobs(classes, both(look.selected, _matching(result, look.dimmed)), WHITE).pixels
    drawn = cut_short(colours[data.job], data.lost, WHITE)
    # The order is that of the window: hatches on the machine, then boxes' patterns, outlines, and words at
    # last.
    picture = data.paint(request, drawn, WHITE)
    if look.colours in NAMED:
        stripe_patterned(picture, classes.colours, request.ratio)
    if look.layers.down:
        hatch_outages(picture, request, data.down, WHITE, FAINT)
    if look.layers.backfilled:
        stripe(picture, request, data, drawn, passed_first(schedule) != NOBODY, TEXT)
    if look.layers.idle and data.rows.kind in MACHINE_ROWS:
        hatch_idle(picture, request, idle_of(schedule), WHITE, BAD)
    axes.imshow(rgb_image(picture), extent=(*window, high, low), aspect="auto", interpolation="none")
    outline_jobs(axes, data, window, (low, high))
    rule_rows(axes, range(int(low) + 1, int(np.ceil(high))))
    number_jobs(axes, data, window, (low, high), drawn)
    if look.layers.waits:
        _draw_waits(axes, data, window)
    values = result.summary
    wait, used = values.get("wait_mean"), values.get("utilization")
    note = f"mean wait {duration(wait)}"
    # A narrow page has no room for a second number beside the title.
    if pixels(axes)[0] > COLUMN * DPI:
        note += f", utilization {percent(used and 100 * used)}"
    if look.instant is not None:
        axes.axvline(look.instant, color=TEXT, linewidth=0.8)
        if look.layers.reservations:
            planned = planned_of(schedule, look.instant)
            note = "; ".join(filter(None, (planned.caption(), _draw_plans(axes, data, planned), note)))
    # The plans of a picked job are drawn besides those of an instant; the caption is of the instant.
    if look.job is not None and look.layers.reservations:
        _draw_plans(axes, data, promised_to(schedule, look.job))
    _label_rows(axes, data.rows, schedule.cluster, low, high)
    title_run(axes, result, note)


def _draw_waits(axes: Axes, data: GanttData, window: Window) -> None:
    """A line from each submission to the job's tallest box."""
    from matplotlib.collections import LineCollection

    entries = data.waiting(*window)
    if 0 < len(entries) <= _MOST_LINES:
        begin, end = data.schedule.submit[data.job[entries]], data.start[entries]
        row = data.middles(entries)
        lines = np.stack((np.stack((begin, row), 1), np.stack((end, row), 1)), 1)
        axes.add_collection(LineCollection(list(lines), colors=FAINT, linewidths=0.4), autolim=False)


def _draw_plans(axes: Axes, data: GanttData, planned: Planned) -> str:
    """Draw dashed outlines of planned runs that came earlier or on time, solid outlines of those that came
    later.

    The result is a note on the number of drawn outlines, if some are left out.
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    # Jobs that a filter hides have no rows.
    there = np.flatnonzero(data.entry[planned.job] >= 0)
    shown = there[:_MOST_LINES]
    late = planned.change > 0
    for of_late, colour, style in ((False, GOOD, "--"), (True, BAD, "-")):
        patches = []
        for k in shown[late[shown] == of_late].tolist():
            box = data.boxes(data.entry[planned.job[[k]]])
            left, wide = planned.start[k], planned.end[k] - planned.start[k]
            patches += [
                Rectangle((left, top), wide, tall) for top, tall in zip(box.first, box.count, strict=True)
            ]
        outlines = PatchCollection(patches, facecolors="none", edgecolors=colour, linestyles=style)
        outlines.set_linewidth(0.8)
        # Outlines beyond the window must not widen it: matplotlib would fit its limits to them.
        axes.add_collection(outlines, autolim=False)
    return describe_cut(len(shown), len(there))


def _label_rows(axes: Axes, rows: Rows, cluster: Cluster, low: float, high: float) -> None:
    """Names where there is room for each of them, else numbers and groups of nodes; lines between those."""
    axes.set_ylim(high, low)
    axes.locator_params(axis="y", integer=True)
    for group in rows.groups[1:]:
        axes.axhline(group.first, color=FAINT, linewidth=0.4)
    # A tick label needs a height on paper, so the distance between two is computed in rows.
    inches = pixels(axes)[1] / 200
    apart = _NAME * (high - low) / inches
    seen = range(int(low), min(int(np.ceil(high)), len(rows.names) or cluster.nodes))
    each = rows.kind in ("nodes", "users", "queues") and rows.edges is None
    # Names of all rows or none: with every second name missing it would be unclear which rows the others
    # name.
    fit = rows.hosts is not None or (each and len(seen) * _NAME <= inches)
    if rows.hosts is not None:
        ticks = _hosts(rows, low, high, apart)
    elif fit:
        names = [rows.names[row] if rows.names else shown_name(cluster.node_name(row)) for row in seen]
        ticks = [row + 0.5 for row in seen], _row_names(names)
    else:
        ticks = _named_groups(rows, low, high, apart)
    if rows.names or ticks[0]:
        axes.set_yticks(*ticks, fontsize=6)
        axes.tick_params(axis="y", length=0)
    # Where single rows have no names, the axis says what a row is.
    if not fit:
        kind = "jobs at once" if rows.kind == "jobs" else rows.kind.removesuffix("s")
        rows_of_kind = plural(len(rows.names), kind) if rows.names else kind
        axes.set_ylabel(rows_of_kind, labelpad=14 if rows.names else None)


def _hosts(rows: Rows, low: float, high: float, apart: float) -> tuple[list[float], list[str]]:
    """Middles of nodes in view, `apart` rows or more, and their host names; folded groups by their names."""
    labels = [((top + bottom) / 2, name) for top, bottom, name in rows.host_labels(apart, low, high)]
    labels += [(group.first + group.rows / 2, group.name) for group in rows.groups if group.folded]
    middles: list[float] = []
    names: list[str] = []
    for middle, name in sorted(labels):
        if low <= middle <= high and (not middles or middle - middles[-1] >= apart):
            middles.append(middle)
            names.append(name)
    return middles, _row_names(names)


def _named_groups(rows: Rows, low: float, high: float, apart: float) -> tuple[list[float], list[str]]:
    """Middles of the visible groups of nodes, in rows, and their names; none if there is a single group.

    Names keep the distance `apart`; names of folded groups may extend over their rows.
    """
    middles: list[float] = []
    names: list[str] = []
    free = low  # above are other names
    for group in rows.groups if len(rows.groups) > 1 else ():
        top, bottom = max(group.first, low), min(group.first + group.rows, high)
        middle = (top + bottom) / 2
        if bottom - top >= apart or (group.folded and top < bottom and middle - apart / 2 >= free):
            middles.append(middle)
            names.append(group.name)
            free = middle + apart / 2
    return middles, _row_names(names)


def _matching(result: Result, only: Expression | None) -> Mask | None:
    """The jobs that meet this in their run; None: all."""
    if only is None:
        return None
    return only.mask(result.fared)


def _row_names(names: Sequence[str]) -> list[str]:
    """The names of rows beside a chart, as far as there is room: all in one way."""
    return shortened(names, _ROW_ROOM * STYLE["font.size"] / 6)
