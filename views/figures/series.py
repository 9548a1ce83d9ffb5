"""The data of the figure of a page of plots as a long table: a row for each point, box or bar.

Coordinates are converted back to values: a logarithm to its number, a position to its name.
"""

from __future__ import annotations

import re
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
_UNTOLD = (RadarGrid, TextOverlay, LaneHeads, Raster)
"""Layers without a number of their own, and pictures, whose numbers `Plot.pictured` gives."""

_WRITTEN = re.compile(r"(↑ )?[+−-]?\d[\d\s.,]*(e[+-]?\d+)?( ?(%|[a-zA-Z]{1,4}\b))?( \d+ [a-z]{1,3})?")
"""A label that is a value as people read it."""

Row = dict[str, float | str]


def series_rows(page: PlotPage) -> list[Row]:
    """A row for each point, box, bar or label of all plots, with the plot, the kind, and the run.

    Pictures have the rows of `Plot.pictured`; functions that are sampled for the visible part are listed for
    the whole range.
    """
    # Runs are known by their number, other entries of the legend by their colour.
    names = {category.run: category.name for category in page.legend if category.run is not None}
    colours = {
        category.colour: category.name for category in page.legend if category.run is None and category.colour
    }
    rows: list[Row] = []
    for plot in page.plots:
        if not plot.words.message:
            pictured = plot.pictured()
            # Data of pictures are listed as what they show; their bands would be the same once more.
            rows += [{"plot": plot.words.title, **row} for row in pictured]
            for layer in plot.layers(LIGHT):
                rows += _rows(plot, layer, names, colours, bands=not pictured)
    return rows


def series_table(page: PlotPage) -> list[tuple[str, list[Any]]]:
    """The rows as columns; what a row lacks is None."""
    rows = series_rows(page)
    titles = list(dict.fromkeys(name for row in rows for name in row))
    return [(title, [row.get(title) for row in rows]) for title in titles]


def _rows(
    plot: Plot, layer: Layer, names: Mapping[int, str], colours: Mapping[str, str], bands: bool
) -> Iterator[Row]:
    """The rows of a layer; those of bands only where they are asked for."""
    if isinstance(layer, Computed):
        layer = layer.make(_whole(plot))
    if isinstance(layer, Bands):
        yield from _of_bands(plot, layer) if bands else ()
        return
    if isinstance(layer, _UNTOLD):
        return
    fields_of_layer = {field.name: getattr(layer, field.name) for field in fields(layer)}
    arrays = {
        name: np.atleast_1d(np.asarray(value))
        for name, value in fields_of_layer.items()
        if name in _ACROSS | _UP | {"at", "tall", "texts"}
        and (isinstance(value, np.ndarray | int | float) or name == "texts")
    }
    length = max((len(value) for value in arrays.values()), default=0)
    series = (
        names.get(layer.run, "")
        if layer.run is not None
        else colours.get(fields_of_layer.get("colour", ""), "")
    )
    lies = bool(fields_of_layer.get("lies", False) or fields_of_layer.get("upright", False))
    for place in range(length):
        row: Row = {"plot": plot.words.title, "is": type(layer).__name__.lower(), "series": series}
        for name, values in arrays.items():
            value = values[place] if len(values) == length else values[0]
            row |= _cell(plot, name, value, lies)
        if _WRITTEN.fullmatch(str(row.get("text", ""))):
            continue  # the number itself has a row already: that of a bar, or of a picture
        if not all(isinstance(value, float) and value != value for value in list(row.values())[3:]):
            yield row


def _of_bands(plot: Plot, layer: Bands) -> Iterator[Row]:
    """A row a band and column: the least, mean and greatest value of a stretch of time around `x`."""
    for band in layer.bands:
        edges = np.linspace(*_whole(plot).x, band.heights.shape[1] + 1)
        middles = ((edges[1:] + edges[:-1]) / 2).tolist()
        for x, (least, mean, most) in zip(middles, band.heights.T.tolist(), strict=True):
            if mean == mean:  # NaN where a column has no values
                row: Row = {"plot": plot.words.title, "is": "band", "series": band.name, "x": x}
                yield row | {
                    name: _value(plot.y, height)
                    for name, height in (("y", mean), ("low", least), ("high", most))
                }


def _cell(plot: Plot, name: str, value: Any, lies: bool) -> Row:
    """A value under its name; a coordinate on a scale becomes a value of it."""
    if name == "texts":
        return {"text": str(value)}
    number = float(value)
    if name == "tall" or number != number:
        return {name: number}
    # Which scale a coordinate is on follows from its name, and from whether the bars lie.
    across = name in _ACROSS or (name == "at" and not lies) or (name in _UP - {"y", "top"} and lies)
    scale = plot.x if across else plot.y
    # A coordinate near a slot is that slot: its name is told beside the number.
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
