"""The painting of step functions as pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from views.data.usage import UsageQuantity
from views.raster.areas import column_levels, fill_columns
from views.raster.request import RenderRequest
from views.theme.palette import Pixels, mix, pixel
from views.theme.theme import Theme

MEAN, PEAK = 0.3, 0.72
"""Shares of the background in the colours of the mean, and of the range up to the peak."""

OWN = 0.35
"""Share of the text's colour in that of the selected users' own part."""


WAITING = 0.55
"""Share of the background in the grey of what waiting jobs request."""


GHOST = 0.3
"""Share of the background in the line of what was before."""


def paint_usage(
    request: RenderRequest,
    quantity: UsageQuantity,
    own: UsageQuantity | None,
    top: float,
    colour: str,
    theme: Theme,
    ghost: UsageQuantity | None = None,
) -> Pixels:
    """Paint areas up to the request, the peak and the mean of each column, shape (height, width).

    `top` is the value at the upper edge; columns whose mean request lies beyond have a dark cap. The mean of
    `ghost` is a line over all, and so are the available amount if nodes fail, caps on power that change by
    the clock, and the price of energy.
    """
    height = request.height
    pixels = np.full((height, request.width), pixel(theme.chart), np.uint32)
    if quantity.requested is not None:
        # Each area covers the lower part of the area before: request, peak, mean.
        requested, _ = column_levels(quantity.requested, request)
        fill_columns(pixels, requested / top * height, mix(theme.faint, theme.chart, WAITING))
        # What is requested may be a multiple of the machine: a cap at the edge says that the area goes on.
        pixels[: max(round(2 * request.ratio), 1), requested > top] = pixel(theme.faint)
    mean, peak = column_levels(quantity.held, request)
    fill_columns(pixels, peak / top * height, mix(colour, theme.chart, PEAK))
    fill_columns(pixels, mean / top * height, mix(colour, theme.chart, MEAN))
    if own is not None:
        fill_columns(pixels, column_levels(own.held, request)[0] / top * height, mix(colour, theme.text, OWN))
    # Lines come after all areas, the ghost of the run before last of all.
    if quantity.available is not None:
        up, _ = column_levels(quantity.available(), request)
        _draw_line(pixels, up / top * height, pixel(theme.text), up > 0)
    caps = quantity.cap_levels(request.window, request.width)
    if caps is not None:
        line = np.nan_to_num(np.minimum(caps, top)) / top * height
        _draw_line(pixels, line, pixel(theme.text), ~np.isnan(caps))
    level = quantity.price_levels(request.window, request.width)
    if level is not None:
        # The price has a scale of its own, from 0 at the lower edge to its greatest at the upper.
        _draw_line(pixels, np.nan_to_num(level) * (height - 1), pixel(theme.price), ~np.isnan(level))
    if ghost is not None:
        _draw_line(
            pixels,
            column_levels(ghost.held, request)[0] / top * height,
            pixel(mix(theme.text, theme.chart, GHOST)),
        )
    return pixels


def _draw_line(pixels: Pixels, level: Floats, colour: int, known: NDArray[np.bool_] | None = None) -> None:
    """Draw a line at these heights above the bottom, in pixels, a height for each column; steep parts are
    joined.

    It is interrupted where the level is not `known`.
    """
    height = len(pixels)
    row = np.clip(height - 1 - level.astype(np.int64), 0, height - 1)
    before = np.concatenate((row[:1], row[:-1]))
    rows = np.arange(height)[:, None]
    low, high = np.minimum(row, before), np.maximum(row, before)
    on_line = (rows >= low) & (rows <= high)
    pixels[on_line if known is None else on_line & known] = colour
