"""Lines of several runs as pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from views.raster.areas import draw_line, fill_between
from views.raster.request import Want
from views.theme.palette import Pixels, pixel
from views.theme.theme import Theme

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Line:
    """Least, mean and greatest height of each column, shares of the plot, (3, width), and how to draw it."""

    heights: Floats
    colour: str
    thick: float = 1.6  # pixels
    band: float = 0.3  # strength of the tint between the least and the greatest value of a column


def paint_lines(want: Want, lines: Sequence[Line], theme: Theme) -> Pixels:
    """All tints, then all lines, the first of them on top; shape (height, width)."""
    pixels = np.full((want.height, want.width), pixel(theme.chart), np.uint32)
    for line in reversed(lines):
        least, _, greatest = (1 - line.heights) * want.height
        fill_between(pixels, greatest, least, line.colour, line.band)
    for line in reversed(lines):
        thick = line.thick * want.ratio
        middle = np.clip((1 - line.heights[1]) * want.height, thick / 2, want.height - thick / 2)
        draw_line(pixels, middle, line.colour, thick)
    return pixels
