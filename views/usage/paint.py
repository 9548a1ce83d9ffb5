"""From step functions to pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from views.palette import Pixels, mix, pixel, rgb
from views.picture import Want
from views.quantity import Quantity
from views.style import Theme

if TYPE_CHECKING:
    from engine.metrics.series import Series

Floats = NDArray[np.float64]

MEAN, PEAK = 0.3, 0.72
"""Shares of the background in the colours of the mean, and of what lies between it and the peak."""

OWN = 0.35
"""Share of the text's colour in that of the selected users' own part."""


WAITING = 0.55
"""Share of the background in the grey of what waiting jobs request."""


def paint_usage(want: Want, quantity: Quantity, own: Quantity | None, colour: str, theme: Theme) -> Pixels:
    """Areas up to what is requested, the peak and the mean of each column, shape (height, width).

    Columns whose mean request lies beyond the upper edge have a dark cap.
    """
    height, top = want.height, quantity.top
    pixels = np.full((height, want.width), pixel(theme.chart), np.uint32)
    if quantity.requested is not None:
        requested, _ = _levels(quantity.requested, want)
        _fill(pixels, requested / top * height, mix(theme.faint, theme.chart, WAITING))
        pixels[: max(round(2 * want.ratio), 1), requested > top] = pixel(theme.faint)
    mean, peak = _levels(quantity.held, want)
    _fill(pixels, peak / top * height, mix(colour, theme.chart, PEAK))
    _fill(pixels, mean / top * height, mix(colour, theme.chart, MEAN))
    if own is not None:
        _fill(pixels, _levels(own.held, want)[0] / top * height, mix(colour, theme.text, OWN))
    return pixels


def _levels(series: Series, want: Want) -> tuple[Floats, Floats]:
    """Mean and greatest value in each pixel column."""
    from views.columns import column_statistics

    time = np.require(series.time, np.int64, ["C", "W"])
    _, mean, peak = column_statistics(time, series.value.astype(np.float64), want.window, want.width)
    return mean, peak


def _fill(pixels: Pixels, tall: Floats, colour: str) -> None:
    """Colour each column from the bottom up to `tall` pixels; the one at the upper edge in part."""
    height = len(pixels)
    whole = np.minimum(tall, height).astype(np.int64)
    rows = np.arange(height - 1, -1, -1)[:, None]
    np.copyto(pixels, np.uint32(pixel(colour)), where=rows < whole)
    edge = np.flatnonzero(whole < height)
    row = height - 1 - whole[edge]
    pixels[row, edge] = _mixed(pixels[row, edge], rgb(colour), (tall - whole)[edge])


def _mixed(under: Pixels, over: tuple[int, int, int], share: Floats) -> Pixels:
    """Each pixel with a share (0..1) of the colour `over` in it."""
    result = np.full(len(under), 0xFF000000, np.uint32)
    for shift, high in zip((16, 8, 0), over, strict=True):
        low = (under >> np.uint32(shift) & np.uint32(0xFF)).astype(np.float64)
        result |= (low + (high - low) * share + 0.5).astype(np.uint32) << np.uint32(shift)
    return result
