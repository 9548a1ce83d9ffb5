"""What users used over time against their shares, and how the share of one of them fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from views.data.marks import Mark
from views.data.results import Result
from views.figures.gantt import Window
from views.figures.sheet import (
    BAD,
    FAINT,
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
from views.text.counts import plural
from views.text.ticks import axis_of
from views.theme.palette import mix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from views.data.fairshare import UserFilling, UserUse

_HEIGHT, _GAP = 1.35, 0.3  # inches
_COLUMNS = 6  # of the legend
_WHITE = "#ffffff"


@in_style
def fairshare_figure(
    result: Result,
    users: tuple[int, ...] = (),
    window: Window | None = None,
    title: str = "",
    marks: Sequence[Mark] = (),
) -> Figure:
    """Usage factors and parts of all use of some users of a run, and how the share of the first one fills.

    Without `users` they are those who used most. The share, by which ends are expected, is filled as in
    Toth & Klusacek 2014, figures 2 to 4: in red by jobs that end later; it is left out where no ends are
    expected. `window` is in s; `marks` are drawn.
    """
    from views.data.fairshare import filling_of, uses_of

    schedule = result.schedule
    uses = uses_of(schedule, users)
    filling = filling_of(result, uses[0].user) if uses else None
    shown = window or (float(schedule.first_submit), float(schedule.last_end))
    many = 2 if filling is None else 3
    top, below = TOP + _GAP, TOP + many * (_GAP + _HEIGHT) + TIME_LABELS
    columns = legend_columns(_COLUMNS)
    lines = -(-len(uses) // columns)
    figure = new_figure(below + 0.08 + lines * LEGEND_LINE, title or f"Fairshare under {result.name}")
    charts = [add_axes(figure, top + k * (_GAP + _HEIGHT), _HEIGHT) for k in range(many)]
    time = np.linspace(*shown, pixels(charts[0])[0])
    for one in reversed(uses):  # the first on top, as on the screen
        charts[0].plot(time, one.factor(time), color=one.colour, linewidth=0.8)
        charts[1].plot(time, one.part(time), color=one.colour, linewidth=0.8)
        charts[1].axhline(one.share, color=one.colour, linewidth=0.5, linestyle=(0, (4, 3)))
    _dress(charts, uses)
    if filling is not None:
        _fill(charts[2], filling, shown)
    label_time(charts, axis_of(schedule.trace), shown)
    draw_marks(charts, marks, shown)
    add_legend(figure, [(one.colour, one.name) for one in uses], below, columns, "users")
    return figure


def _dress(charts: Sequence[Axes], uses: Sequence[UserUse]) -> None:
    most = max((one.most for one in uses), default=0.0)
    charts[0].set_ylim(0, 1.06 * most if most > 0 else 1.0)
    dress(charts[0], "Usage factor, hours of the machine")
    charts[1].set_ylim(0, 106)
    dress(charts[1], "Part of all use, % (dashed: the share)")


def _fill(axes: Axes, filling: UserFilling, window: Window) -> None:
    """A rectangle a block: pixels in the file, for there may be very many."""
    from matplotlib.collections import PolyCollection

    from views.data.fairshare import TINTS

    blocks = filling.blocks
    seen = np.flatnonzero((blocks.end > window[0]) & (blocks.start < window[1]))
    left, right, low = blocks.start[seen], blocks.end[seen], blocks.base[seen]
    high = low + blocks.amount[seen]
    corners = np.stack(
        [np.stack(pair, 1) for pair in ((left, low), (right, low), (right, high), (left, high))], 1
    )
    job = blocks.job[seen]
    colours = [[mix(colour, _WHITE, tint) for tint in TINTS] for colour in (filling.colour, BAD)]
    own = [
        colours[int(late)][tint]
        for late, tint in zip(filling.late[job].tolist(), (job % len(TINTS)).tolist(), strict=True)
    ]
    axes.add_collection(PolyCollection(list(corners), facecolors=own, linewidths=0, rasterized=True))
    axes.axhline(filling.capacity, color=FAINT, linewidth=0.6, linestyle=(0, (4, 3)))
    axes.set_ylim(0, 1.06 * filling.capacity)
    dress(axes, f"Share of user {filling.name}: {plural(filling.capacity, 'processor')} (red: ends late)")
