"""The cells of a composed figure: means over two parameters, better means darker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from views.data.sweep_cells import COLOURS
from views.grammar.marks import ValueMark
from views.grammar.measures import NamedMeasure
from views.plot.layers import Labels, Layer, Raster
from views.theme.palette import hex_colour, rgb, text_on

Cell = tuple[int, int]
"""The column and the row of a cell, the first row at the bottom."""


def cell_layers(
    cells: Mapping[Cell, ValueMark], shape: Cell, means: Sequence[float], measured: NamedMeasure
) -> list[Layer]:
    """A pixel a cell of a table of `shape` columns and rows, and the values over them.

    Shades span all `means` of the plots that are compared.
    """
    columns, rows = shape
    low, high = min(means, default=0.0), max(means, default=0.0)

    def shade(mean: float) -> str:
        share = (mean - low) / (high - low) if high > low else 1.0
        darkness = share if measured.better == "higher" else 1 - share
        return hex_colour(int(COLOURS[round((len(COLOURS) - 1) * darkness)]))

    shades = {place: shade(mark.mean.mean) for place, mark in cells.items()}
    # The first row of a raster is its top, where cells are counted from the bottom.
    pixels = np.zeros((rows, columns, 4), np.uint8)
    for (column, row), colour in shades.items():
        pixels[rows - 1 - row, column] = (*rgb(colour), 255)
    labels = Labels(
        np.array([column for column, _ in cells], np.float64),
        np.array([row for _, row in cells], np.float64),
        [measured.format(mark.mean.mean) for mark in cells.values()],
        width=0.96,
        colours=[text_on(colour) for colour in shades.values()],
        clear=False,
    )
    return [Raster(pixels, (-0.5, columns - 0.5), (-0.5, rows - 0.5)), labels]
