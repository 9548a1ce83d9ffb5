"""Many points as dots: drawn at a cost of pixels, and found again under the mouse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from views.theme.palette import rgb

Floats = NDArray[np.float64]

_RADIUS, _SMALL = 2.5, 1.5
"""Of a dot, in pixels: of few, of many."""

_MANY = 3000

NEAR = 7.0
"""Pixels within which a dot is hit."""

_LEAST = 0.7
"""How opaque a single dot is, 0..1; where many lie over each other it is 1."""


def paint_points(
    painter: QPainter, room: QRectF, x: Floats, y: Floats, colour: str, ratio: float, strength: float = 1.0
) -> None:
    """Dots at (x, y), in pixels, within `room`; denser where more of them lie.

    `strength`, 0..1, makes all of them paler; `ratio` are device pixels a pixel. Takes time in
    the number of points and of pixels.
    """
    width, height = max(round(room.width() * ratio), 1), max(round(room.height() * ratio), 1)
    counts = _counts((x - room.left()) * ratio, (y - room.top()) * ratio, width, height)
    if not counts.any():
        return
    covered = _spread(counts, (_RADIUS if len(x) <= _MANY else _SMALL) * ratio)
    steps = np.log2(1.0 + covered.clip(max=31)) / 5  # 0.2 for one, 1 from 31 on
    alpha = np.where(covered > 0, 255 * strength * (_LEAST + (1 - _LEAST) * steps), 0.0)
    red, green, blue = rgb(colour)
    pixels = np.empty((height, width, 4), np.uint8)
    pixels[..., 0], pixels[..., 1], pixels[..., 2], pixels[..., 3] = blue, green, red, alpha
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32)
    painter.drawImage(room, image)


def _counts(x: Floats, y: Floats, width: int, height: int) -> NDArray[np.int64]:
    """How many points fall into each pixel, shape (height, width); those outside are left out."""
    column, row = np.floor(x), np.floor(y)
    inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    place = row[inside].astype(np.int64) * width + column[inside].astype(np.int64)
    return np.bincount(place, minlength=width * height).reshape(height, width)


def _spread(counts: NDArray[np.int64], radius: float) -> NDArray[np.int64]:
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


def nearest(x: Floats, y: Floats, place: QPointF, within: float = NEAR) -> int | None:
    """The point nearest to a place, all in pixels; None where none is near."""
    close = np.flatnonzero(np.abs(x - place.x()) <= within)
    if not len(close):
        return None
    distance = np.hypot(x[close] - place.x(), y[close] - place.y())
    best = int(distance.argmin())
    return int(close[best]) if distance[best] <= within else None
