"""Two runs against each other: what moved, by how much, and for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.shown_values import hours
from views.data.changes import CHANGE_BOUNDS, CHANGE_NAMES, class_colours
from views.data.comparison import Comparison, answer
from views.data.results import Result
from views.data.signed_counts import signed_counts, signed_scale, signed_totals
from views.data.start_changes import EDGES, TICKS, Points, StartChanges, move_colours
from views.data.violation_counts import line_counts
from views.figures.gantt import WHITE, boxes_of, rgb_image
from views.figures.grey import DENSITY, TWO_SIDED
from views.figures.page_settings import (
    FAINT,
    GRID,
    LEFT,
    STYLE,
    TOP,
    fineness,
    is_narrow,
    page_width,
    plot_height,
)
from views.figures.page_text import elided, shortened, text_inches, wrapped
from views.figures.plot_axes import LINE, broken
from views.figures.sheet import (
    LEGEND_LINE,
    TIME_LABELS,
    add_axes,
    in_style,
    label_time,
    legend_columns,
    new_figure,
    raster,
    share_down,
    title_run,
    write_head,
)
from views.figures.stacked_runs import whole_window
from views.figures.swatch_legend import add_legend
from views.raster.request import RenderRequest
from views.text.counts import format_count, plural
from views.text.ticks import axis_of
from views.theme.palette import heat_colours, hex_colour, pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from engine.fairness.violations import UserSteps

Window = tuple[float, float]

_ANSWER, _GANTT, _HEATMAP, _BELOW = 0.42, 1.6, 1.2, 2.0  # inches
_GAP = 0.4  # inches above a chart: its title
_ANSWER_TYPE = 7.5  # points of the answer
_LINE_HEIGHT = 0.13  # inches
_MOST_USERS = 8  # of those who won, and of those who lost
_WAIT_UNDER = "wait under "
_MOST_UP = 4
"""Lines of the name of an upright axis."""

_CELLS = 110  # of the scatter, in either direction
_BLANK = 0xFFFFFFFF


@in_style
def difference_figure(comparison: Comparison, window: Window | None = None, title: str = "") -> Figure:
    """A figure that compares a second run with a first run: the answer, then over time, by user and by job.

    It shows the second run's jobs coloured by the change of their start, the change in violated expected ends
    (if both runs have them), the users who won and lost most, waits against waits, and a histogram of start
    changes. `window` is in seconds.
    """
    first, second = comparison.first, comparison.second
    steps = comparison.steps
    gantt, heatmap, lowest = plot_height(_GANTT), plot_height(_HEATMAP), plot_height(_BELOW)
    over_time = _GAP + gantt + LEGEND_LINE + (_GAP + heatmap if steps is not None else 0.0)
    answer_lines = wrapped(answer(comparison), page_width() - 0.2, _ANSWER_TYPE)
    named, head = f"{second.name} against {first.name}", title or comparison.trace.shown_name
    if text_inches(f"{head}: {named}") * 7 / 8 * 1.17 <= page_width() - 0.2:
        head = f"{head}: {named}"
    else:
        answer_lines = [*broken(named, (page_width() - 0.2) * 7 / 7.5), *answer_lines]
    top = TOP + _ANSWER + max(len(answer_lines) - 2, 0) * _LINE_HEIGHT
    names = [name.removeprefix("≤ ").removesuffix(" start") for name in CHANGE_NAMES]
    columns = legend_columns(len(names), names, "start")
    below = top + over_time + TIME_LABELS + _GAP + (-(-len(names) // columns) - 1) * LEGEND_LINE
    narrow = is_narrow()
    step = lowest + 0.75 if narrow else 0.0  # from a lower axis to the next
    lines = len(_under(first)) - 1
    step += lines * LINE if narrow else 0.0
    figure = new_figure(below + lowest + 2 * step + 0.45 + lines * LINE, head)
    figure.set_label(TWO_SIDED)
    place = 0.1 / page_width(), share_down(figure, TOP + 0.12)
    figure.text(*place, "\n".join(answer_lines), va="top", fontsize=_ANSWER_TYPE)
    shown = window or whole_window([first, second])
    charts = [add_axes(figure, top + _GAP - 0.06, gantt)]
    _draw_jobs(charts[0], comparison, shown)
    if steps is not None:
        charts.append(add_axes(figure, top + 2 * _GAP + gantt - 0.06, heatmap))
        _draw_counts(charts[1], comparison, steps, shown)
    label_time(charts, axis_of(comparison.trace), shown)
    legend = list(zip(class_colours(False), names, strict=True))
    add_legend(figure, legend, top + over_time + TIME_LABELS - 0.02, columns, "start")
    lefts = (LEFT, LEFT, LEFT) if narrow else (LEFT, 3.05, 5.55)
    widths = (None, _BELOW, None) if narrow else (1.7, _BELOW, None)
    lower = [
        add_axes(figure, below + k * step, lowest, left=left, width=width)
        for k, (left, width) in enumerate(zip(lefts, widths, strict=True))
    ]
    _draw_users(lower[0], comparison)
    _draw_waits(lower[1], comparison)
    _draw_moves(lower[2], comparison)
    return figure


def _draw_jobs(axes: Axes, comparison: Comparison, window: Window) -> None:
    schedule = comparison.second.schedule
    palette = np.array([pixel(colour) for colour in class_colours(False)], np.uint32)
    colours = palette[np.searchsorted(CHANGE_BOUNDS, comparison.difference.change)]
    data = boxes_of(comparison.second, drawn=comparison.second.jobs)
    picture = data.paint(RenderRequest(window, *raster(axes), 2.0 * fineness()), colours[data.job], WHITE)
    extent = (window[0], window[1], schedule.cluster.cpus, 0)
    axes.imshow(rgb_image(picture), extent=extent, aspect="auto", interpolation="none")
    axes.set_ylabel("processor")
    title_run(axes, comparison.second, f"starts against {comparison.first.name}")


def _draw_counts(axes: Axes, comparison: Comparison, steps: UserSteps, window: Window) -> None:
    width, height = raster(axes)
    totals, scale = signed_totals(steps), signed_scale(steps)
    # Users without any difference are left out. The others share lines where there are more of them than
    # pixels.
    users = np.argsort(-totals, kind="stable")[: np.count_nonzero(totals)]
    lines = max(1, min(len(users), height))
    line = np.full(len(totals), -1, np.int64)
    line[users] = np.arange(len(users)) * lines // max(len(users), 1)
    counts = signed_counts(steps, line, lines, window, width)
    # A pixel without difference is grey only where somebody violates an end under the first run; elsewhere
    # nothing is painted.
    there = line_counts(comparison.first_steps or steps, line, lines, window, width, "max") > 0
    picture = scale.paint(counts, there, False, "#ffffff")
    axes.imshow(
        rgb_image(picture),
        extent=(window[0], window[1], max(len(users), 1), 0),
        aspect="auto",
        interpolation="none",
    )
    axes.set_yticks([])
    axes.set_ylabel(plural(len(users), "user"), labelpad=14)
    most = plural(int(scale.most), "job")
    _head(axes, f"Violated expected ends: more (orange), fewer (blue), equal (grey); up to {most}")


def _draw_users(axes: Axes, comparison: Comparison) -> None:
    """The users who won and who lost most, as bars."""
    net, names = comparison.difference.users.net, comparison.trace.user.shown
    # The order is from most won to most lost; users between both ends are left out.
    order = np.argsort(-net, kind="stable")
    won = [user for user in order[:_MOST_USERS] if net[user] > 0]
    lost = [user for user in order[-_MOST_USERS:] if net[user] < 0]
    shown = [*won, *lost]
    blue, orange = class_colours(False)[2], class_colours(False)[6]
    rows = np.arange(len(shown))
    axes.barh(rows, net[shown] / 3600, color=[blue if net[user] > 0 else orange for user in shown])
    known = shortened([names[user] for user in shown], (LEFT - 0.12) * STYLE["font.size"] / 5.5)
    axes.set_yticks(rows, known, fontsize=5.5)
    axes.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    axes.margins(x=0.05)
    axes.axvline(0, color=FAINT, linewidth=0.6)
    axes.tick_params(axis="x", labelsize=6.5)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(axis="x", color=GRID, linewidth=0.4)
    axes.set_axisbelow(True)
    axes.set_xlabel("hours of waiting saved (below 0: added)", fontsize=7)
    total = hours(int(net.sum()), signed=True)
    _head(axes, f"Users: {total} in all")


def _draw_waits(axes: Axes, comparison: Comparison) -> None:
    """Draw the number of jobs by their waits under both runs, on a log scale."""
    points = Points.of(comparison)
    count = points.cells(_CELLS, _CELLS)
    scale = heat_colours(dark=False)
    # On a logarithmic scale, since most jobs share a few cells: the others would all be pale.
    level = np.log1p(count) / np.log1p(max(int(count.max(initial=1)), 1))
    picture = np.where(count > 0, scale[np.minimum((level * 256).astype(np.int64), 255)], np.uint32(_BLANK))
    low, high = points.scale.full_range
    image = axes.imshow(
        rgb_image(picture), extent=(low, high, low, high), aspect="auto", interpolation="none"
    )
    image.set_label(DENSITY)
    axes.plot([low, high], [low, high], color=FAINT, linewidth=0.6, linestyle=(0, (4, 3)))
    # Ticks are as far apart as their numbers are wide, in inches on the page.
    ticks = points.scale.ticks(0.42 * (high - low) / _BELOW)
    axes.set_xticks([coordinate for coordinate, _ in ticks], [text for _, text in ticks], fontsize=6.5)
    ticks = points.scale.ticks(0.2 * (high - low) / plot_height(_BELOW))
    axes.set_yticks([coordinate for coordinate, _ in ticks], [text for _, text in ticks], fontsize=6.5)
    # A long run name first gets smaller type, and only then is shortened: it is the only place that tells the
    # axes apart.
    up, size = wrapped(_WAIT_UNDER + comparison.second.name, plot_height(_BELOW), 7.0), 7.0
    if len(up) > 2:
        size = 5.5
        up = wrapped(_WAIT_UNDER + comparison.second.name, plot_height(_BELOW), size)
    if len(up) > _MOST_UP:
        room = plot_height(_BELOW) * STYLE["font.size"] / size
        up = [elided(_WAIT_UNDER + comparison.second.name, room)]
    axes.set_xlabel("\n".join(_under(comparison.first)), fontsize=7)
    axes.set_ylabel("\n".join(up), fontsize=size, labelpad=1)
    _head(axes, "Wait of each job")


def _under(run: Result) -> list[str]:
    """The lines of the name of an axis of waits."""
    return wrapped(_WAIT_UNDER + run.name, _BELOW, 7.0)


def _draw_moves(axes: Axes, comparison: Comparison) -> None:
    """Draw the number of jobs by the change of their starts."""
    counts = StartChanges.of(comparison).total
    colours = [hex_colour(int(value)) for value in move_colours(dark=False)]
    axes.bar(np.arange(len(counts)) + 0.5, counts, width=0.9, color=colours)
    # Most jobs do not move: on a linear axis nothing else would be seen.
    axes.set_yscale("symlog", linthresh=1)
    decades = [10**k for k in range(10) if 10**k <= counts.max(initial=1)]
    axes.set_yticks(decades, [format_count(decade) for decade in decades], fontsize=6.5)
    axes.set_yticks([], minor=True)
    # The upper end leaves room above the highest bar, on the logarithmic scale.
    axes.set_ylim(0, 2 * decades[-1] if counts.max() < 2 * decades[-1] else 10 * decades[-1])
    axes.set_xlim(0, len(counts))
    marks = [(edge, text) for edges, text in TICKS[:2] for edge in edges] + [(len(EDGES) + 0.5, "0")]
    axes.set_xticks([share for share, _ in marks], [text for _, text in marks], fontsize=6)
    axes.set_xlabel("earlier                 later", fontsize=7)
    _head(axes, "Jobs by change")


def _head(axes: Axes, text: str) -> None:
    write_head(axes, text, 8.0, 4.0)
