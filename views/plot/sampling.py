"""Layers of many points as what is seen of them, so that their cost on the screen follows pixels.

Done in a thread each time another part of a plot is seen; until then the part before is shown.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from views.plot.area import PlotArea
from views.plot.layers import Computed, Curve, Dots, Layer, Raster, StepLayer
from views.theme.palette import rgb

MANY = 3000
"""More dots than these are drawn as their density."""

_RADIUS = 1.5
"""Size of each of many dots, in pixels."""

LEAST = 0.7
"""How opaque a single dot is, 0..1; where many lie over each other it is 1."""


def is_sampled(layer: Layer) -> bool:
    """True if the drawn items depend on the visible part of the plot."""
    return isinstance(layer, StepLayer | Computed) or (isinstance(layer, Dots) and len(layer.x) > MANY)


def sampled(layer: Layer, area: PlotArea) -> Layer:
    """The drawn items of a layer: a sample, or the layer itself if all of it is drawn."""
    if isinstance(layer, Dots) and is_sampled(layer):
        return _density(layer, area)
    if isinstance(layer, Computed):
        return layer.make(area)
    return _corners(layer, area) if isinstance(layer, StepLayer) else layer


def _corners(steps: StepLayer, area: PlotArea) -> Curve:
    """The function at each pixel, without those between two of the same height."""
    x = np.linspace(*area.x, max(round(area.width * area.ratio), 1) + 1)
    y = steps.at(x)
    level = np.zeros(len(y), np.bool_)
    level[1:-1] = (y[1:-1] == y[:-2]) & (y[1:-1] == y[2:])
    return Curve(x[~level], y[~level], steps.colour, steps.width, run=steps.run)


def _density(dots: Dots, area: PlotArea) -> Raster:
    """Dots in their colour, stronger where more of them lie."""
    width, height = (max(round(size * area.ratio), 1) for size in (area.width, area.height))
    x = (area.xs(dots.x) - area.left) * area.ratio
    y = (area.ys(dots.y) - area.top) * area.ratio
    covered = _spread(count_points(x, y, width, height), _RADIUS * area.ratio)
    steps = np.log2(1.0 + covered.clip(max=31)) / 5  # 0.2 for a single job, 1 from 31 on
    pixels = np.empty((height, width, 4), np.uint8)
    pixels[..., :3] = rgb(dots.colour)
    pixels[..., 3] = np.where(covered > 0, 255 * dots.strength * (LEAST + (1 - LEAST) * steps), 0.0)
    return Raster(pixels, area.x, area.y, run=dots.run)


def count_points(x: Floats, y: Floats, width: int, height: int) -> NDArray[np.int32]:
    """The number of points in each pixel, shape (height, width); points outside are ignored."""
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)  # never for NaN
    pixel = y[inside].astype(np.int64) * width + x[inside].astype(np.int64)
    return np.bincount(pixel, minlength=width * height).reshape(height, width).astype(np.int32)


def _spread(counts: NDArray[np.int32], radius: float) -> NDArray[np.int32]:
    """Each pixel gets the largest count within the radius: points become discs."""
    reach = int(radius)
    height, width = counts.shape
    padded = np.pad(counts, reach)
    discs = np.zeros_like(counts)
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            if dx * dx + dy * dy <= radius * radius:
                part = padded[reach + dy : reach + dy + height, reach + dx : reach + dx + width]
                np.maximum(discs, part, out=discs)
    return discs
