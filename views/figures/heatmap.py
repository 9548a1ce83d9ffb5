"""Violated expected end times by user and time, over the use of processors and RAM, and the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import InputError
from engine.machine.power import power_of
from views.data.marks import TimeMark
from views.data.results import Result
from views.data.usage import NAMES, UsageKind, UsageQuantity, further_of, quantity_of
from views.data.user_rows import UserRows
from views.data.violation_counts import Aggregate, CountColors, line_counts, scale_of
from views.figures.gantt import rgb_image
from views.figures.gantt_boxes import number_size, rule_rows
from views.figures.page_settings import (
    DPI,
    FAINT,
    LEFT,
    RIGHT,
    STYLE,
    TEXT,
    TOP,
    fineness,
    is_spare,
    page_width,
    plot_height,
)
from views.figures.page_text import shortened, text_inches
from views.figures.sheet import (
    TIME_LABELS,
    add_axes,
    in_style,
    new_figure,
    pixels,
    title_run,
)
from views.figures.stacked_runs import NO_OFFSETS, StackedRuns, whole_window
from views.figures.usage_strip import STRIP, draw_strip, own_span, strip_height
from views.text.counts import plural
from views.theme.palette import heat_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from engine.fairness.violations import UserSteps

Window = tuple[float, float]

_GAP, _BETWEEN = 0.4, 0.07  # inches
_BAR_WIDTH, _BAR_ROOM = 0.1, 0.62  # inches
_APART = 0.1  # inches between two marks of the scale at least
_RATIO = 1.8  # pixels of rasterised data a pixel of the screen: rows keep their proportions
_LINE = 18  # pixels of rasterised data that a name is high
_NAMES_ROOM, _NAMES_ALONE = 0.46, 0.6
"""Inches beside a heatmap that names of rows may take: beside a count of users, and without."""

_MOST_NUMBERED = 20
"""Late jobs with numbers: more are looked at as a whole."""

_MOST_NAMES = 24
"""Users that are named in groups; of more the groups are."""


@dataclass(frozen=True, eq=False)
class _Run:
    """The heatmap of a run by user, and the content of its strips."""

    result: Result
    steps: UserSteps
    strips: dict[UsageKind, UsageQuantity]


@in_style
def heatmap_figure(
    results: Sequence[Result],
    window: Window | None = None,
    title: str = "",
    rows: UserRows | None = None,
    aggregate: Aggregate = "max",
    shared_scale: bool = True,
    marks: Sequence[TimeMark] = (),
    offsets: Mapping[int, float] = NO_OFFSETS,
) -> Figure:
    """The number of violated jobs of each user at each minute, under each run.

    `rows` are users, the same for all runs; by default the users with any violated job, the most affected
    at the top. A pixel shows the greatest count of its area, or the mean, as `aggregate` selects, on a
    logarithmic colour scale, which all runs may share. Below each run, used and requested processors and,
    if the machine's RAM is known, RAM, and the number of waiting jobs; these strips are left out on a page
    that is too low. `window` is in seconds; `marks` are drawn. Runs with `offsets` (s), by id, are shown
    later by their offset and have their own time axis. Raises InputError if a run has no expected end
    times.
    """
    runs = [_judged(result) for result in results]
    trace = results[0].schedule.trace
    stacked = StackedRuns(results, window or whole_window(results), offsets)
    users = _rows(runs) if rows is None else rows
    with_ram = trace.has_ram and all(result.schedule.cluster.ram for result in results)
    with_gpus = any(further_of(result.schedule) is not None for result in results)
    # A strip is drawn for all runs or for none, so that rows of the page stand at equal places.
    there = {"ram": with_ram, "gpu": with_gpus, "power": power_of(trace.cluster) is not None}
    kinds = () if is_spare() else tuple(kind for kind in NAMES if there.get(kind, True))
    strips = (strip_height() + _BETWEEN) * len(kinds)
    usual = (STRIP + _BETWEEN) * len(kinds)
    rows_height = plot_height(min(2.2, max(0.7, 6.8 / len(runs) - usual)))
    block = _GAP + rows_height + strips + stacked.gap
    head = f"{title or trace.shown_name}{' (no room for strips)' if is_spare() else ''}"
    figure = new_figure(TOP + len(runs) * block + TIME_LABELS, head)
    charts: list[list[Axes]] = []
    for k, run in enumerate(runs):
        top_and_height = TOP + k * block + _GAP - 0.06, rows_height
        # The scale reaches to the largest count that it is shared by.
        alike = runs if shared_scale else [run]
        most = max(int(chart.steps.count.max(initial=0)) for chart in alike)
        scale = scale_of(aggregate, max(most, 2))
        shifted = stacked.window_of(run.result)
        of_run = [_draw_rows(figure, run, users, aggregate, scale, shifted, top_and_height)]
        if most and (k == 0 or not shared_scale):
            _draw_bar(figure, scale, "mean jobs" if aggregate == "mean" else "jobs", *top_and_height)
        tops = {kind: max(chart.strips[kind].most for chart in alike) for kind in kinds}
        of_run += _draw_strips(figure, run, tops, shifted, sum(top_and_height))
        charts.append(of_run)
    stacked.label(figure, charts, TOP + len(runs) * block, marks, _across())
    return figure


def _across() -> float:
    """The width of the charts, in inches, without the colour scale beside them."""
    return page_width() - LEFT - RIGHT - _BAR_ROOM


def _judged(result: Result) -> _Run:
    from engine.fairness.violations import violation_steps
    from engine.metrics.power import usage_and_power

    if result.violations is None:
        raise InputError(f"{result.name}: there is no heatmap without expected end times")
    used = usage_and_power(result.schedule)
    strips = {kind: quantity_of(kind, result.schedule, used) for kind in NAMES}
    return _Run(result, violation_steps(result.schedule, result.violations, result.measured), strips)


def _rows(runs: Sequence[_Run]) -> UserRows:
    """The users with violations under any run, those with the most minutes first."""
    total = np.sum([run.steps.totals for run in runs], axis=0)
    order = np.argsort(-total, kind="stable")
    return UserRows(np.asarray(order[total[order] > 0]), len(total))


def _draw_rows(
    figure: Figure,
    run: _Run,
    rows: UserRows,
    aggregate: Aggregate,
    scale: CountColors,
    window: Window,
    top_and_height: tuple[float, float],
) -> Axes:
    """Draw the heatmap of a run; the position is in inches."""
    axes = add_axes(figure, *top_and_height, width=_across())
    width, height = pixels(axes)
    fine = fineness()
    # Users share lines where there are fewer pixels than users, so that nobody is left out of the counts.
    of_user, of_pixel = rows.lines(height * fine, _RATIO * fine)
    lines = int(of_pixel.max(initial=0)) + 1
    counts = line_counts(run.steps, of_user, lines, window, width * fine, aggregate)
    axes.imshow(
        rgb_image(scale.paint(counts, False, "#ffffff")[of_pixel]),
        extent=(window[0], window[1], height, 0),
        aspect="auto",
        interpolation="none",
    )
    violated = run.result.summary.get("violated_jobs")
    note = "" if violated is None else f"{plural(int(violated), 'job')} past the expected end"
    title_run(axes, run.result, note)
    _name_rows(axes, rows, run.result.schedule.trace.user.shown, height)
    # Lines between users, and numbers in cells, where there is room for them.
    if 1 < rows.count <= _MOST_NAMES:
        rule_rows(axes, [rows.edge(row, height, _RATIO) for row in range(1, rows.count)])
    if 0 < rows.count <= _MOST_NAMES:
        _number_late_jobs(axes, run.result, rows, window, height)
    return axes


def _number_late_jobs(axes: Axes, result: Result, rows: UserRows, window: Window, height: int) -> None:
    """Write the numbers of late jobs, if few, into the rows of their users: those that are late together
    beside one another.
    """
    from engine.fairness.violations import MINUTE, late_minutes

    schedule, violations = result.schedule, result.violations
    assert violations is not None  # or there were no heatmap
    late = violations.violated & result.measured
    if not 0 < int(late.sum()) <= _MOST_NUMBERED:
        return
    jobs = schedule.trace
    minutes = late_minutes(schedule, violations, late)
    across, down = (size / DPI for size in pixels(axes))
    together: dict[tuple[int, int, int], list[int]] = {}  # by user, and from when until when they are late
    for job, *span in zip(np.flatnonzero(late).tolist(), *(each.tolist() for each in minutes), strict=True):
        first, last = (MINUTE * minute for minute in span)
        together.setdefault((int(jobs.user.codes[job]), first, last), []).append(job)
    for (user, first, last), several in together.items():
        row = rows.span(user, height, _RATIO)
        left, right = max(first, window[0]), min(last, window[1])
        if row is None or right <= left:
            continue
        name = ", ".join(map(jobs.shown_id, several))
        inches = (right - left) / (window[1] - window[0]) * across, (row[1] - row[0]) / height * down
        size = number_size(name, *inches)
        if size is not None:
            style: Any = {"ha": "center", "va": "center", "fontsize": size, "color": TEXT}
            style["bbox"] = {"facecolor": "#ffffff", "edgecolor": "none", "pad": 0.6}
            axes.text((left + right) / 2, sum(row) / 2, name, clip_on=True, **style)


def _named_rows(rows: UserRows, names: Sequence[str], height: int) -> list[tuple[float, str]]:
    """The places and names of users, and of their groups, that fit without touching each other."""
    grouped = rows.groups and rows.count > _MOST_NAMES
    # Of many users in groups only the pinned users are named; the others are known by their group.
    named = rows.order[: rows.pinned] if grouped else rows.order
    ticks: list[tuple[float, str]] = []
    for user in named.tolist():
        span = rows.span(user, height, _RATIO)
        middle = sum(span) / 2 if span is not None else 0.0
        # Rows without height on this page have no span. A name that would touch the name above is left out.
        if span is not None and (not ticks or middle - ticks[-1][0] >= _LINE):
            ticks.append((middle, names[user]))
    for group in rows.groups if grouped else ():
        top, bottom = (rows.edge(row, height, _RATIO) for row in (group.first, group.first + group.rows))
        if bottom - top >= _LINE:
            ticks.append(((top + bottom) / 2, group.name))
    return ticks


def _name_rows(axes: Axes, rows: UserRows, names: Sequence[str], height: int) -> None:
    """Draw the names of as many users as fit; of many users in groups, pinned users and group names; lines
    between groups.
    """
    ticks = _named_rows(rows, names, height)
    room = _NAMES_ROOM if len(ticks) < rows.count else _NAMES_ALONE
    shown = shortened([name for _, name in ticks], room * STYLE["font.size"] / 6)
    axes.set_yticks([row for row, _ in ticks], shown, fontsize=6)
    axes.tick_params(axis="y", length=0)
    # If some names are missing, the axis tells how many users there are.
    if len(ticks) < rows.count:
        room = height / DPI
        text = next((text for text in rows.counted if text_inches(text) <= room), rows.counted[-1])
        axes.set_ylabel(text, labelpad=2)
    elif not rows.count:
        axes.set_ylabel("no violations", labelpad=14)
    for group in rows.groups[1:]:
        axes.axhline(rows.edge(group.first, height, _RATIO), color=FAINT, linewidth=0.4)
    if 0 < rows.pinned < rows.count:
        axes.axhline(rows.edge(rows.pinned, height, _RATIO), color=TEXT, linewidth=0.7)


def _draw_strips(
    figure: Figure, run: _Run, tops: dict[UsageKind, int], window: Window, top: float
) -> list[Axes]:
    """Draw the strips of a run, from `top` (inches) on; `tops` are the values at their upper edges."""
    made, height = [], strip_height()
    for kind, most in tops.items():
        top += _BETWEEN
        axes = add_axes(figure, top, height, width=_across())
        draw_strip(axes, run.strips[kind], most, window, own_span(run.result, window), _BAR_ROOM)
        made.append(axes)
        top += height
    return made


def _draw_bar(figure: Figure, scale: CountColors, what: str, top: float, height: float) -> None:
    """The scale of colours, at the right of a heatmap."""
    axes = add_axes(figure, top, height, left=page_width() - RIGHT - _BAR_ROOM + 0.1, width=_BAR_WIDTH)
    axes.imshow(
        rgb_image(heat_colours(dark=False)[::-1, None]),
        extent=(0, 1, 0, 1),
        aspect="auto",
        interpolation="none",
    )
    *inner, last = scale.marks()
    # A mark that would touch the last mark is left out: the last is the largest count.
    marks = [mark for mark in inner if mark[0] < 1 - _APART / height] + [last]
    axes.set_xticks([])
    axes.yaxis.tick_right()
    axes.set_yticks([share for share, _ in marks], [text for _, text in marks], fontsize=6.5)
    axes.set_ylim(0, 1)
    axes.set_title(what, fontsize=6.5, pad=5, loc="left")
