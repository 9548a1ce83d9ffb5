"""The data of the figure of a page of plots as a long table: a row for each point, box or bar.

Coordinates are converted back to values: a logarithm to its number, a position to its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from views.data.scales import AxisRange, Categories, Scale
from views.figures.plot_layers import PIXELS
from views.plot.area import PlotArea
from views.plot.layers import Bands, Computed, LaneHeads, Layer, RadarGrid, Raster, TextOverlay
from views.plot.page import PlotPage
from views.plot.plot import Plot
from views.theme.theme import LIGHT

_ACROSS = frozenset({"x", "left", "right"})
_UP = frozenset({"y", "top", "low", "q1", "median", "q3", "high"})
_UNTOLD = (RadarGrid, TextOverlay, LaneHeads, Raster, Bands)
"""Layers without a number of their own, and pictures."""

Row = dict[str, float | str]


def series_rows(page: PlotPage) -> list[Row]:
    """A row for each point, box, bar or label of all plots, with the plot, the kind, and the run.

    Pictures are left out; functions that are sampled for the visible part are listed for the whole range.
    """
    names = {one.run: one.name for one in page.legend if one.run is not None}
    colours = {one.colour: one.name for one in page.legend if one.run is None and one.colour}
    rows: list[Row] = []
    for plot in page.plots:
        if not plot.words.message:
            for layer in plot.layers(LIGHT):
                rows += _rows(plot, layer, names, colours)
    return rows


def series_table(page: PlotPage) -> list[tuple[str, list[Any]]]:
    """The rows as columns; what a row lacks is None."""
    rows = series_rows(page)
    titles = list(dict.fromkeys(name for row in rows for name in row))
    return [(title, [row.get(title) for row in rows]) for title in titles]


def _rows(plot: Plot, layer: Layer, names: Mapping[int, str], colours: Mapping[str, str]) -> Iterator[Row]:
    if isinstance(layer, Computed):
        layer = layer.make(_whole(plot))
    if isinstance(layer, _UNTOLD):
        return
    given = {one.name: getattr(layer, one.name) for one in fields(layer)}
    arrays = {
        name: np.atleast_1d(np.asarray(value))
        for name, value in given.items()
        if name in _ACROSS | _UP | {"at", "tall", "texts"}
        and (isinstance(value, np.ndarray | int | float) or name == "texts")
    }
    many = max((len(value) for value in arrays.values()), default=0)
    series = names.get(layer.run, "") if layer.run is not None else colours.get(given.get("colour", ""), "")
    lies = bool(given.get("lies", False) or given.get("upright", False))
    for place in range(many):
        row: Row = {"plot": plot.words.title, "is": type(layer).__name__.lower(), "series": series}
        for name, values in arrays.items():
            value = values[place] if len(values) == many else values[0]
            row |= _cell(plot, name, value, lies)
        if not all(isinstance(value, float) and value != value for value in list(row.values())[3:]):
            yield row


def _cell(plot: Plot, name: str, value: Any, lies: bool) -> Row:
    """A value under its name; a coordinate on a scale becomes a value of it."""
    if name == "texts":
        return {"text": str(value)}
    number = float(value)
    if name == "tall" or number != number:
        return {name: number}
    across = name in _ACROSS or (name == "at" and not lies) or (name in _UP - {"y", "top"} and lies)
    scale = plot.x if across else plot.y
    if across and plot.slots and isinstance(scale, Categories) and name in ("x", "at"):
        place = round(number)
        if abs(number - place) < 0.45 and 0 <= place < len(plot.slots):
            return {name: scale.value(number), "group": plot.slots[place].name}
    return {name: _value(scale, number)}


def _value(scale: Scale, coordinate: float) -> float:
    return float(scale.value(coordinate))


def _whole(plot: Plot) -> PlotArea:
    """All of the plot, as large as in print."""
    wide, tall = 600.0, 300.0
    ranges: Sequence[AxisRange] = plot.full_ranges(wide, tall, 13.0)
    return PlotArea(0.0, 0.0, wide, tall, ranges[0], ranges[1], 200 / PIXELS)
