"""A picture of data, made away from the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtGui import QImage, QRegion

from views.raster.request import RenderRequest
from views.theme.palette import Pixels


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture and what it shows. `pixels` holds the memory that `image` paints from.

    Where `words` are written, in its pixels, nothing is painted over it. Of what it leaves out there is
    something `said`.
    """

    request: RenderRequest
    pixels: Pixels
    image: QImage
    words: QRegion = field(default_factory=QRegion)
    said: str = ""

    @classmethod
    def of(cls, request: RenderRequest, pixels: Pixels) -> Picture:
        """Wrap pixels, 0xffrrggbb, shape (height, width), contiguous."""
        height, width = pixels.shape
        return cls(request, pixels, QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32))
