"""The penalties of jobs as contoured surfaces, with a dot a user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.errors import InputError
from views.data.penalty_surfaces import FORMULAS, penalty_surfaces, penalty_title
from views.data.results import Result
from views.figures.sheet import (
    FAINT,
    LEFT,
    TEXT,
    TOP,
    add_axes,
    columns_of,
    in_style,
    new_figure,
    width_of,
    write_head,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ACROSS = 3
_SIDE, _BETWEEN, _BELOW = 1.72, 0.42, 0.66  # inches
_LEAST = 1.0  # inches: the side of a surface
_LEVELS = 11


@in_style
def penalties_figure(result: Result, title: str = "", whole: bool = False) -> Figure:
    """What a job weighs over its shares of CPUs and RAM (Klusacek, Chlumsky & Rudova 2014, figure 2).

    Axes go as far as users reach, or up to the `whole` machine.

    Raises InputError where the machine does not limit RAM.
    """
    found = penalty_surfaces(result.schedule, whole)
    if found is None:
        raise InputError("the machine does not limit RAM, so that all penalties are alike")
    across = columns_of(_ACROSS, _LEAST, _BETWEEN)
    side = min(width_of(across, _BETWEEN), _SIDE)
    rows = -(-len(FORMULAS) // across)
    figure = new_figure(TOP + 0.3 + rows * (side + _BELOW), title or "What a job weighs")
    for index, name in enumerate(FORMULAS):
        row, column = divmod(index, across)
        top, left = TOP + 0.3 + row * (side + _BELOW), LEFT + column * (side + _BETWEEN)
        axes = add_axes(figure, top, side, left=left, width=side)
        levels = np.linspace(0.0, found.reach, _LEVELS)
        surface = (found.shares, found.shares, found.values[name])
        axes.contourf(*surface, levels, cmap="Blues", alpha=0.6, extend="max")
        lines = axes.contour(*surface, levels[2::2], colors=FAINT, linewidths=0.6)
        axes.clabel(lines, fontsize=6.5)
        axes.plot(found.cpu, found.ram, "o", color=TEXT, markersize=2.2)
        write_head(axes, penalty_title(name), 8.5)
        axes.set_xlabel("% of the CPUs", fontsize=8 if side > 1.5 else 7)
        if column == 0:
            axes.set_ylabel("% of the RAM")
    return figure
