"""Lines of several runs as pixels: thick ones that go up and down a lot take pyqtgraph 160 ms each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from views.plot.area import PlotArea
from views.plot.layers import Raster
from views.raster.areas import draw_line, fill_between
from views.theme.palette import Pixels, pixel
from views.theme.theme import Theme

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PaintedLine:
    """Least, mean and greatest height of each column, shares of the plot, (3, width), and how to draw it."""

    heights: Floats
    colour: str
    thick: float = 1.6  # pixels
    band: float = 0.3  # strength of the tint between the least and the greatest value of a column


def size_of(area: PlotArea) -> tuple[int, int]:
    """Width and height in device pixels."""
    return max(round(area.width * area.ratio), 1), max(round(area.height * area.ratio), 1)


def paint_lines(width: int, height: int, ratio: float, lines: Sequence[PaintedLine], theme: Theme) -> Pixels:
    """All tints, then all lines, the first of them on top; shape (height, width)."""
    pixels = np.full((height, width), pixel(theme.chart), np.uint32)
    for line in reversed(lines):
        least, _, greatest = (1 - line.heights) * height
        fill_between(pixels, greatest, least, line.colour, line.band)
    for line in reversed(lines):
        thick = line.thick * ratio
        middle = np.clip((1 - line.heights[1]) * height, thick / 2, height - thick / 2)
        draw_line(pixels, middle, line.colour, thick)
    return pixels


def raster_of(pixels: Pixels, area: PlotArea) -> Raster:
    """Opaque pixels as a layer that covers what is seen."""
    bytes_of = np.ascontiguousarray(pixels).view(np.uint8).reshape(*pixels.shape, 4)
    return Raster(np.ascontiguousarray(bytes_of[..., [2, 1, 0, 3]]), area.x, area.y)
