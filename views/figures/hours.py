"""Mean waits by the hour of the day and the day of the week of submission, a lane a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from views.data.results import Result
from views.data.scales import LinearScale
from views.data.wait_lanes import Lane, longest, wait_lanes
from views.figures.sheet import (
    FAINT,
    GRID,
    LEFT,
    TOP,
    add_axes,
    columns_of,
    in_style,
    new_figure,
    width_of,
    write_head,
)
from views.text.values import duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LANE, _BETWEEN, _HEAD, _NAME, _BELOW = 0.5, 0.55, 0.22, 0.18, 0.4  # inches
_LEAST = 2.2  # inches: axes that would be narrower stand below others
_SIDES = (("hour", "Mean wait by hour of the day", 3), ("weekday", "Mean wait by day of the week", 1))
"""What jobs are grouped by, in words, and how many steps a label stands for."""


@in_style
def hours_figure(results: Sequence[Result], title: str = "") -> Figure:
    """Bars of mean waits of at least one run; lanes of one kind have one scale."""
    columns = columns_of(len(_SIDES), _LEAST, _BETWEEN)
    width, block = width_of(columns, _BETWEEN), _HEAD + len(results) * (_NAME + _LANE) + _BELOW
    rows = -(-len(_SIDES) // columns)
    figure = new_figure(TOP + rows * block, title or results[0].schedule.trace.name)
    for number, (by, words, every) in enumerate(_SIDES):
        row, column = divmod(number, columns)
        lanes, names = wait_lanes(results, by)
        scale = LinearScale.of(np.array([0.0, longest(lanes)]), durations=True)
        for index, lane in enumerate(lanes):
            top = TOP + row * block + _HEAD + _NAME + index * (_NAME + _LANE)
            left = LEFT + column * (width + _BETWEEN)
            axes = add_axes(figure, top, _LANE, left=left, width=width)
            _draw(axes, lane, scale)
            last = index == len(lanes) - 1
            shown = [k for k in range(len(names)) if k % every == 0]
            axes.set_xticks(shown, [_brief(names[k]) if last else "" for k in shown], fontsize=6.5)
            if index == 0:
                write_head(axes, words, 8.0, 15.0, fontweight="bold")
        axes.set_xlabel("submitted", fontsize=7)
    return figure


def _brief(name: str) -> str:
    """An hour in full, of a day its first letters."""
    return name if ":" in name else name[:3]


def _draw(axes: Axes, lane: Lane, scale: LinearScale) -> None:
    steps = np.arange(len(lane.wait))
    axes.bar(steps, np.nan_to_num(lane.wait), width=0.8, color=lane.colour)
    axes.set_xlim(-0.5, len(steps) - 0.5)
    low, high = 0.0, scale.full_range[1]
    axes.set_ylim(low, high)
    ticks = scale.ticks(0.4 * (high - low), (low, high))
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks], fontsize=6.5, color=FAINT)
    axes.grid(axis="y", color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="x", length=0)
    write_head(axes, f"{lane.name}, up to {duration(longest([lane]))}", 7.0, 3.0)
