"""A picture of data, made away from the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QImage

from views.palette import Pixels

ALL_ROWS = (0.0, 1.0)
"""The whole of the rows, as shares of their height."""


@dataclass(frozen=True)
class Want:
    """A picture that is asked for: the time it shows, in seconds, and its size in device pixels."""

    window: tuple[float, float]
    width: int
    height: int
    ratio: float  # device pixels a pixel
    rows: tuple[float, float] = ALL_ROWS  # the part of the rows, where a chart has many

    @property
    def seconds_per_pixel(self) -> float:
        """How much time a device pixel shows."""
        return (self.window[1] - self.window[0]) / max(self.width, 1)


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture and what it shows. `pixels` holds the memory that `image` paints from."""

    want: Want
    pixels: Pixels
    image: QImage

    @classmethod
    def of(cls, want: Want, pixels: Pixels) -> Picture:
        """Wrap pixels, 0xffrrggbb, shape (height, width), contiguous."""
        height, width = pixels.shape
        return cls(want, pixels, QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32))
