"""Step functions of time as filled areas of pixels, and lines over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Floats
from views.raster.request import RenderRequest
from views.theme.palette import Pixels, pixel, rgb

if TYPE_CHECKING:
    from engine.metrics.series import StepSeries


def column_levels(series: StepSeries, request: RenderRequest) -> tuple[Floats, Floats]:
    """Mean and greatest value in each pixel column, shape (width,) each."""
    from views.raster.columns import level_statistics

    return level_statistics(series.time, series.value, request.window, request.width)


def fill_columns(pixels: Pixels, tall: Floats, colour: str) -> None:
    """Colour each column from the bottom up to `tall` pixels; the pixel at the upper edge in part."""
    height = len(pixels)
    whole = np.minimum(tall, height).astype(np.int64)
    rows = np.arange(height - 1, -1, -1)[:, None]
    # Row 0 is the top of a picture and heights go up, so rows are numbered from the bottom here.
    np.copyto(pixels, np.uint32(pixel(colour)), where=rows < whole)
    edge = np.flatnonzero(whole < height)
    row = height - 1 - whole[edge]
    # The pixel above the last whole one is covered in part: this keeps slow curves smooth.
    pixels[row, edge] = mixed_pixels(pixels[row, edge], rgb(colour), (tall - whole)[edge])


def mixed_pixels(under: Pixels, over: tuple[int, int, int], share: Floats) -> Pixels:
    """Each pixel with a share (0..1) of the colour `over` in it."""
    result = np.full(len(under), 0xFF000000, np.uint32)
    for shift, high in zip((16, 8, 0), over, strict=True):
        low = (under >> np.uint32(shift) & np.uint32(0xFF)).astype(np.float64)
        result |= (low + (high - low) * share + 0.5).astype(np.uint32) << np.uint32(shift)
    return result


def fill_between(pixels: Pixels, top: Floats, bottom: Floats, colour: str, strength: float = 1.0) -> None:
    """Colour each column from `top` down to `bottom`, in pixels from the upper edge, shape (width,) each.

    Pixels that are covered in part take a part of the colour; `strength` (0..1) of it at most.
    """
    height, width = pixels.shape
    first = np.clip(np.floor(top), 0, height).astype(np.int64)
    tall = np.clip(np.ceil(bottom), 0, height).astype(np.int64) - first
    tall = np.maximum(tall, 0)
    # One entry for each pixel that any column touches: pictures are wide, and most columns are short.
    column = np.repeat(np.arange(width), tall)
    row = np.arange(len(column)) - np.repeat(np.cumsum(tall) - tall, tall) + first[column]
    # What a pixel has of the stretch, at its upper and lower end less than all.
    cover = np.minimum(bottom[column], row + 1.0) - np.maximum(top[column], row)
    share = strength * np.clip(cover, 0.0, 1.0)
    pixels[row, column] = mixed_pixels(pixels[row, column], rgb(colour), share)


def draw_line(pixels: Pixels, height: Floats, colour: str, thick: float) -> None:
    """A line through the middle of each column at `height`, in pixels from the upper edge, shape (width,)."""
    # The line enters a column halfway to its neighbour at the left and leaves it halfway to the right one, so
    # that steep parts have no gaps.
    before = np.concatenate((height[:1], (height[1:] + height[:-1]) / 2))
    after = np.concatenate((before[1:], height[-1:]))
    top = np.minimum(np.minimum(before, after), height) - thick / 2
    bottom = np.maximum(np.maximum(before, after), height) + thick / 2
    fill_between(pixels, top, bottom, colour)
