"""The results of a study for print: curves with their intervals, or heatmaps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from engine.sweep.points import POLICY
from views.data.study_look import HEATMAP, Facet, StudyLook
from views.figures.sheet import (
    FAINT,
    GRID,
    LEFT,
    LEGEND_LINE,
    TOP,
    add_axes,
    add_legend,
    columns_of,
    in_style,
    new_figure,
    width_of,
    write_head,
)
from views.theme.palette import text_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT, _HEAD, _BELOW, _BETWEEN = 1.9, 0.4, 0.5, 0.62  # inches
_LEAST = 1.6  # inches: axes that would be narrower stand below others
_TICKS_UP = 8  # at most
_TURNED = 24
"""Names of categories longer than this together are written at an angle."""


@in_style
def study_figure(look: StudyLook, title: str) -> Figure:
    """All facets in rows of at most three, with what the colours mean below curves."""
    facets, flat = look.facets, look.choices.look == HEATMAP
    columns = columns_of(min(len(facets), 3 if len(facets) != 4 else 2), _LEAST, _BETWEEN)
    rows = math.ceil(len(facets) / columns)
    values = look.values(look.choices.colour) if not flat else ()
    width = width_of(columns, _BETWEEN)
    tall = _HEAD + _HEIGHT + _BELOW
    figure = new_figure(
        TOP + rows * tall + LEGEND_LINE * len(values) + 0.06, f"{title}: {look.results.study.title}"
    )
    for number, facet in enumerate(facets):
        row, column = divmod(number, columns)
        left = LEFT + column * (width + _BETWEEN)
        axes = add_axes(figure, TOP + row * tall + _HEAD, _HEIGHT, left=left, width=width)
        write_head(axes, facet.title, 7.0, 14.0, color=FAINT)
        write_head(axes, look.told_in(facet.measure), 7.0, color=FAINT)
        (_draw_cells if flat else _draw_curves)(axes, look, facet)
        axes.set_xlabel(look.choices.across, fontsize=7)
        axes.tick_params(labelsize=7)
    add_legend(figure, [(look.colour_of(value), value) for value in values], TOP + rows * tall, columns=1)
    return figure


def _draw_curves(axes: Axes, look: StudyLook, facet: Facet) -> None:
    across = look.choices.across
    values, numbers = look.values(across), look.results.numbers(across) if across != POLICY else None
    at = dict(zip(values, numbers or map(float, range(len(values))), strict=True))
    for curve in facet.curves:
        x = [at[point.x] for point in curve.points]
        mean, low, high = (
            np.array([getattr(point, name) for point in curve.points]) for name in ("mean", "low", "high")
        )
        joined = "-" if numbers is not None else ""
        axes.errorbar(
            x, mean, np.stack((mean - low, high - mean)), fmt=f"o{joined}", markersize=3, linewidth=1.1,
            elinewidth=0.8, capsize=1.5, color=look.colour_of(curve.colour),
        )  # fmt: skip
    scale = look.scale_up(facet.measure, [point for curve in facet.curves for point in curve.points])
    ends = scale.full_range
    ticks = scale.ticks((ends[1] - ends[0]) / _TICKS_UP)
    axes.set_ylim(*ends)
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks])
    if numbers is None:
        _name_columns(axes, values)
    axes.grid(color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)


def _draw_cells(axes: Axes, look: StudyLook, facet: Facet) -> None:
    from matplotlib.patches import Rectangle

    columns, rows = look.values(look.choices.across), look.values(look.choices.colour) or ("",)
    spell = look.spell(facet.measure)
    small = min(7.0, 50 / len(columns))
    for (column, row), cell in look.cells(facet).items():
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=cell.colour, edgecolor="white"))
        ink = text_on(cell.colour)
        text = spell(cell.point.mean)
        axes.text(column, row, text, ha="center", va="center", fontsize=small, color=ink)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    _name_columns(axes, columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)


def _name_columns(axes: Axes, names: tuple[str, ...]) -> None:
    axes.set_xticks(range(len(names)), names)
    if sum(map(len, names)) > _TURNED:
        axes.tick_params(axis="x", rotation=20)
