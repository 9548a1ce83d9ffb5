"""A metric over two keys of a policy, cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from views.data.sweep_cells import COLOURS, Cells
from views.figures.sheet import (
    FAINT,
    GRID,
    TEXT,
    TOP,
    add_axes,
    in_style,
    is_narrow,
    new_figure,
    page_width,
)
from views.text.metrics import format_value
from views.theme.palette import rgb, spelled, text_on

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CELL, _LEAST = 0.34, 1.2  # inches
_BAR = (1.2, 0.09)  # width and height of the colour bar, inches


@in_style
def surface_figure(cells: Cells, title: str) -> Figure:
    """The surface of a sweep (Tang et al. 2013, figures 3 and 4): better cells are darker.

    The best cell and the worst are framed and marked.
    """
    from matplotlib.patches import Rectangle

    rows, columns = cells.grid.rows, cells.grid.columns
    tall = max(_CELL * len(rows.values), _LEAST)
    figure = new_figure(TOP + 0.32 + tall + 0.5, f"{title}: {cells.title}")
    axes = add_axes(figure, TOP + 0.32, tall)
    small = min(7.5, 60 / len(columns.values))
    for index in range(len(cells.grid.policies)):
        row, column = divmod(index, len(columns.values))
        value = cells.values.get(index)
        colour = cells.colour(float(value)) if value is not None else GRID
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="white"))
        ink = text_on(colour) if value is not None else FAINT
        axes.text(column, row, cells.text(index), ha="center", va="center", fontsize=small, color=ink)
    for marked, style in ((cells.worst, ":"), (cells.best, "-")):
        if marked is not None:
            row, column = divmod(marked, len(columns.values))
            frame = Rectangle((column - 0.47, row - 0.44), 0.94, 0.88, fill=False, edgecolor=TEXT)
            frame.set(linewidth=1.5, linestyle=style)
            axes.add_patch(frame)
    axes.set_xlim(-0.5, len(columns.values) - 0.5)
    axes.set_ylim(len(rows.values) - 0.5, -0.5)
    axes.set_xticks(range(len(columns.values)), columns.values)
    axes.set_yticks(range(len(rows.values)), rows.values)
    axes.tick_params(length=0)
    axes.set_xlabel(columns.key)
    axes.set_ylabel(rows.key)
    for spine in axes.spines.values():
        spine.set_visible(False)
    _add_bar(figure, cells)
    return figure


def _add_bar(figure: Figure, cells: Cells) -> None:
    """Add the colour bar above the cells at the right."""
    if cells.ends is None:
        return
    width, height = _BAR
    width = width if not is_narrow() else 0.6
    left = page_width() - width - (1.8 if not is_narrow() else 1.2)
    bar = add_axes(figure, TOP + 0.14, height, left=left, width=width)
    bar.imshow(np.array([[rgb(spelled(int(pixel))) for pixel in COLOURS]], np.uint8), aspect="auto")
    bar.set_axis_off()
    worst, best = (format_value(cells.metric, value) for value in cells.ends)
    beside: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "fontsize": 7.5}
    bar.annotate(f"worst: {worst}", (0, 0.5), (-4, 0), ha="right", va="center", **beside)
    bar.annotate(f"best: {best}", (1, 0.5), (4, 0), ha="left", va="center", **beside)
