"""A picture of data, made away from the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtGui import QImage, QRegion

from views.raster.request import Want
from views.theme.palette import Pixels


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture and what it shows. `pixels` holds the memory that `image` paints from.

    Where `words` are written, in its pixels, nothing is painted over it. Of what it leaves out there is
    something `said`.
    """

    want: Want
    pixels: Pixels
    image: QImage
    words: QRegion = field(default_factory=QRegion)
    said: str = ""

    @classmethod
    def of(cls, want: Want, pixels: Pixels) -> Picture:
        """Wrap pixels, 0xffrrggbb, shape (height, width), contiguous."""
        height, width = pixels.shape
        return cls(want, pixels, QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32))
