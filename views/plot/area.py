"""The part of a plot that is seen, and the pixels that it covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from engine.arrays import Floats
from views.data.scales import AxisRange

N = TypeVar("N", float, Floats)

NEAR = 7.0
"""Pixels within which a dot is hit."""


class Point(NamedTuple):
    """A position in pixels, from the top left corner of the plot's surface."""

    x: float
    y: float


class PixelBox(NamedTuple):
    """A rectangle in pixels, with its edges."""

    left: float
    top: float
    right: float
    bottom: float

    def contains(self, point: Point) -> bool:
        """True if the area contains the position."""
        return self.left <= point.x <= self.right and self.top <= point.y <= self.bottom

    def grown(self, by: float) -> PixelBox:
        """The rectangle that is larger by so many pixels on every side; smaller where that is below 0."""
        return PixelBox(self.left - by, self.top - by, self.right + by, self.bottom + by)


@dataclass(frozen=True)
class PlotArea:
    """The coordinates of both scales that are seen, and the pixels of the widget that they lie on."""

    left: float
    top: float
    width: float
    height: float
    x: AxisRange
    y: AxisRange
    ratio: float = 1.0  # device pixels a pixel

    @property
    def box(self) -> PixelBox:
        """The pixels of the plot."""
        return PixelBox(self.left, self.top, self.left + self.width, self.top + self.height)

    def xs(self, coordinates: Floats) -> Floats:
        """Pixels across of coordinates of the scale across."""
        low, high = self.x
        return self.left + (coordinates - low) / (high - low) * self.width

    def ys(self, coordinates: Floats) -> Floats:
        """Pixels down of coordinates of the scale up."""
        low, high = self.y
        return self.top + self.height - (coordinates - low) / (high - low) * self.height

    def point(self, x: float, y: float) -> Point:
        """The pixel position of a pair of coordinates."""
        return Point(float(self.xs(np.array(x))), float(self.ys(np.array(y))))

    def x_at(self, x: N) -> N:
        """The coordinate of the scale across at a pixel, or those at several."""
        return self.x[0] + (x - self.left) / max(self.width, 1e-9) * (self.x[1] - self.x[0])

    def y_at(self, y: N) -> N:
        """The coordinate of the scale up at a pixel, or those at several."""
        return self.y[0] + (self.top + self.height - y) / max(self.height, 1e-9) * (self.y[1] - self.y[0])

    def nearest(self, x: Floats, y: Floats, position: Point, within: float = NEAR) -> int | None:
        """The point, as coordinates, that is seen nearest to a position; None where none is near."""
        across = (self.x[1] - self.x[0]) / max(self.width, 1e-9)  # what a pixel is on the scale
        close = np.flatnonzero(np.abs(x - self.x_at(position.x)) <= within * across)
        distance = np.hypot(self.xs(x[close]) - position.x, self.ys(y[close]) - position.y)
        if not len(close) or not (distance <= within).any():
            return None
        return int(close[np.nanargmin(distance)])
