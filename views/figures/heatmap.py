"""Violated expected end times by user and time, over the use of processors and RAM, and the queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from views.counts import CountScale
from views.figures.gantt import rgb_image, whole_window
from views.figures.sheet import (
    FAINT,
    GRID,
    LEFT,
    RIGHT,
    TEXT,
    TIME_LABELS,
    TOP,
    WIDTH,
    add_axes,
    in_style,
    label_time,
    new_figure,
    pixels,
    title_run,
)
from views.format import number, percent
from views.palette import heat_colours
from views.quantity import HEADROOM, NAMES, Quantity, UsageKind, quantity_of
from views.results import Result
from views.ticks import axis_of
from views.words import plural, spell_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from engine.fairness.violations import Steps
    from engine.metrics.series import Series

Ints = NDArray[np.int64]
Window = tuple[float, float]

_MINUTE = 60
_STRIP, _GAP, _BETWEEN = 0.34, 0.4, 0.07  # inches
_BAR_WIDTH, _BAR_ROOM = 0.1, 0.62  # inches
_MOST_NAMES = 24
"""Users that are named; of more only the number is told."""

_WAITING = "#b9c0c8"
_COLOURS_OF: dict[UsageKind, str] = {"cpu": "#0072b2", "ram": "#b0660f", "queue": "#586270"}


@dataclass(frozen=True, eq=False)
class _Run:
    """One run: the rows of its heatmap by user, and what its strips show."""

    result: Result
    steps: Steps
    strips: dict[UsageKind, Quantity]


@in_style
def heatmap_figure(results: Sequence[Result], window: Window | None = None, title: str = "") -> Figure:
    """How many jobs of each user are past their expected end at each minute, under each run.

    One row a user who has any, those with the most minutes at the top and the same order
    for all runs; a logarithmic scale of colours for all. Below each run, what is used and
    requested of processors and, where the machine's RAM is known, of RAM, and the number of
    waiting jobs. `window` is in seconds. Raises InputError where a run was not judged by
    expected end times.
    """
    runs = [_judged(result) for result in results]
    trace = results[0].schedule.trace
    shown = window or whole_window(results)
    users = _rows(runs)
    most = max((int(run.steps.count.max(initial=0)) for run in runs), default=0)
    with_ram = trace.has_ram and all(result.schedule.cluster.ram for result in results)
    kinds: tuple[UsageKind, ...] = ("cpu", "ram", "queue") if with_ram else ("cpu", "queue")
    tops = {kind: max(run.strips[kind].most for run in runs) for kind in kinds}
    strips = (_STRIP + _BETWEEN) * len(kinds)
    rows_height = min(2.2, max(0.7, 6.8 / len(runs) - strips))
    block = _GAP + rows_height + strips
    figure = new_figure(TOP + len(runs) * block + TIME_LABELS, title or trace.name)
    charts: list[Axes] = []
    for place, run in enumerate(runs):
        top = TOP + place * block + _GAP - 0.06
        charts += _draw_run(figure, run, users, most, shown, (top, rows_height), tops)
    label_time(charts, axis_of(trace), shown)
    if most:
        _draw_bar(figure, most, TOP + _GAP - 0.06, rows_height)
    return figure


def _judged(result: Result) -> _Run:
    from engine.fairness.violations import violation_steps
    from engine.metrics.series import usage

    if result.violations is None:
        raise InputError(f"{result.name}: there is no heatmap without expected end times")
    used = usage(result.schedule)
    strips = {kind: quantity_of(kind, result.schedule, used) for kind in NAMES}
    return _Run(result, violation_steps(result.schedule, result.violations, result.measured), strips)


def _rows(runs: Sequence[_Run]) -> Ints:
    """Codes of the users with violations under any run, those with the most minutes first."""
    total = np.sum([run.steps.totals for run in runs], axis=0)
    order = np.argsort(-total, kind="stable")
    return np.asarray(order[total[order] > 0])


def _draw_run(
    figure: Figure,
    run: _Run,
    users: Ints,
    most: int,
    window: Window,
    place: tuple[float, float],
    tops: dict[UsageKind, int],
) -> list[Axes]:
    """The heatmap of one run, `place` its top and height in inches, and its strips below it."""
    top, height = place
    width = WIDTH - LEFT - RIGHT - _BAR_ROOM
    axes = add_axes(figure, top, height, width=width)
    _draw_rows(axes, run, users, most, window)
    made = [axes]
    top += height + _BETWEEN
    for kind in tops:
        strip = add_axes(figure, top, _STRIP, width=width)
        _draw_strip(strip, run.strips[kind], tops[kind], window)
        made.append(strip)
        top += _STRIP + _BETWEEN
    return made


def _draw_rows(axes: Axes, run: _Run, users: Ints, most: int, window: Window) -> None:
    from views.columns import row_maxima

    width, height = pixels(axes)
    lines = max(1, min(len(users), height))
    line = np.full(len(run.steps.offset) - 1, -1, np.int64)
    line[users] = np.arange(len(users)) * lines // max(len(users), 1)
    minutes = (window[0] / _MINUTE, window[1] / _MINUTE)
    steps = run.steps
    counts = row_maxima(
        np.array(steps.offset), np.array(steps.minute), np.array(steps.count), line, lines, minutes, width
    )
    axes.imshow(
        rgb_image(CountScale(1, max(most, 2)).paint(counts, False, "#ffffff")),
        extent=(window[0], window[1], max(len(users), 1), 0),
        aspect="auto",
        interpolation="none",
    )
    violated = run.result.summary.get("violated_jobs")
    note = "" if violated is None else f"{plural(int(violated), 'job')} past the expected end"
    title_run(axes, run.result, note)
    names = run.result.schedule.trace.user.names
    if 0 < len(users) <= _MOST_NAMES:
        axes.set_yticks(np.arange(len(users)) + 0.5, [_short(names[user]) for user in users], fontsize=6)
        axes.tick_params(axis="y", length=0)
    else:
        axes.set_yticks([])
        axes.set_ylabel(plural(len(users), "user") if len(users) else "no violations", labelpad=14)


def _draw_strip(axes: Axes, quantity: Quantity, top: int, window: Window) -> None:
    """The mean of each pixel's time as a filled step curve, before what is requested in grey."""
    width, _ = pixels(axes)
    edges = np.linspace(*window, width + 1)
    whole = quantity.whole
    if quantity.requested is not None:
        requested = _mean(quantity.requested, window, width)
        _fill(axes, edges, requested, _WAITING)
    mean = _mean(quantity.held, window, width)
    _fill(axes, edges, mean, _COLOURS_OF[quantity.kind])
    axes.set_ylim(0, HEADROOM * top)
    if quantity.capacity:
        axes.axhline(whole, color=TEXT, linewidth=0.5)
    marks = (whole, "100 %") if quantity.capacity else (top, spell_count(top))
    axes.set_yticks([0, marks[0]], ["0", marks[1]], fontsize=6)
    axes.set_ylabel(NAMES[quantity.kind], labelpad=2, fontsize=7)
    axes.grid(axis="x", color=GRID, linewidth=0.4)
    axes.set_axisbelow(True)
    average = float(mean.mean())
    told = percent(100 * average / whole) if quantity.capacity else f"{number(average)} jobs"
    axes.annotate(
        f"mean\n{told}",
        (1, 0.5),
        xycoords="axes fraction",
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=6.5,
        color=FAINT,
    )


def _mean(series: Series, window: Window, width: int) -> NDArray[np.float64]:
    """The mean of each column."""
    from views.columns import column_statistics

    time, value = np.array(series.time), series.value.astype(np.float64)
    mean: NDArray[np.float64] = column_statistics(time, value, window, width)[1]
    return mean


def _fill(axes: Axes, edges: NDArray[np.float64], height: NDArray[np.float64], colour: str) -> None:
    axes.fill_between(edges, np.append(height, height[-1]), step="post", color=colour, linewidth=0)


def _draw_bar(figure: Figure, most: int, top: float, height: float) -> None:
    """The scale of colours, at the right of the first heatmap."""
    axes = add_axes(figure, top, height, left=WIDTH - RIGHT - _BAR_ROOM + 0.1, width=_BAR_WIDTH)
    scale = np.arange(255, -1, -1)
    axes.imshow(
        rgb_image(heat_colours(dark=False)[scale][:, None]),
        extent=(0, 1, 0, 1),
        aspect="auto",
        interpolation="none",
    )
    values = [v for k in range(7) for v in (10**k, 3 * 10**k) if v < most / 1.4] + [most]
    axes.set_xticks([])
    axes.yaxis.tick_right()
    places = [float(np.log(value) / np.log(max(most, 2))) for value in values]
    axes.set_yticks(places, [spell_count(value) for value in values], fontsize=6.5)
    axes.set_ylim(0, 1)
    axes.set_title("jobs", fontsize=6.5, pad=3, loc="left")


def _short(name: str, longest: int = 10) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"
