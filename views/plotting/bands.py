"""Bands as pixels, worked out in a thread: pyqtgraph takes 160 ms for a thick line that jumps a lot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from views.plot.area import PlotArea
from views.plot.layers import Band, Bands, HangingMarks, Layer, Raster
from views.raster.areas import draw_line, fill_between
from views.theme.palette import Pixels, pixel
from views.theme.theme import Theme

_MARK, _BELOW = 5.0, 2.0
"""Height of a mark, and its distance from what it hangs from, in pixels."""


def rasterized(layer: Layer, area: PlotArea, theme: Theme) -> Layer:
    """Bands as a picture of what is seen of them; other layers as they are."""
    if not isinstance(layer, Bands):
        return layer
    width, height = (max(round(size * area.ratio), 1) for size in (area.width, area.height))
    pixels = paint_bands(width, height, area, layer.bands, theme)
    for marks in layer.marks:
        _paint_marks(pixels, area, marks)
    bytes_of = np.ascontiguousarray(pixels).view(np.uint8).reshape(*pixels.shape, 4)
    return Raster(np.ascontiguousarray(bytes_of[..., [2, 1, 0, 3]]), area.x, area.y, run=layer.run)


def paint_bands(width: int, height: int, area: PlotArea, bands: Sequence[Band], theme: Theme) -> Pixels:
    """All tints, then all lines, the first of them on top; shape (height, width)."""
    low, high = area.y
    pixels = np.full((height, width), pixel(theme.chart), np.uint32)
    down = [(1 - (band.heights - low) / (high - low)) * height for band in bands]
    for band, (least, _, greatest) in reversed(list(zip(bands, down, strict=True))):
        fill_between(pixels, greatest, least, band.colour, band.tint)
    for band, (_, mean, _) in reversed(list(zip(bands, down, strict=True))):
        thick = band.thick * area.ratio
        draw_line(pixels, np.clip(mean, thick / 2, height - thick / 2), band.colour, thick)
    return pixels


def _paint_marks(pixels: Pixels, area: PlotArea, marks: HangingMarks) -> None:
    """Paint a column of pixels, or part of it, in each column with at least one mark."""
    height, width = pixels.shape
    top = (area.y[1] - marks.y) / (area.y[1] - area.y[0]) * height
    above, below = (round(top + down * area.ratio) for down in (_BELOW, _BELOW + _MARK))
    first, last = np.searchsorted(marks.x, area.x)
    columns = (marks.x[first:last] - area.x[0]) / (area.x[1] - area.x[0]) * width
    pixels[above:below, np.unique(np.minimum(columns.astype(np.int64), width - 1))] = pixel(marks.colour)
