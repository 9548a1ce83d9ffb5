"""A picture of data, made away from the GUI thread."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QImage, QPainter, QRegion

from views.raster.request import RenderRequest
from views.theme.palette import Pixels
from views.timechart.frame import Frame, rows_in_plot


@dataclass(frozen=True, eq=False)
class ChartPicture:
    """A picture and its content. `pixels` holds the memory that `image` paints from.

    Nothing is painted over the rectangles `words`, in its pixels. `note` is a note about omitted items.
    """

    request: RenderRequest
    pixels: Pixels
    image: QImage
    words: QRegion = field(default_factory=QRegion)
    note: str = ""

    def paint(self, painter: QPainter, frame: Frame, rows: tuple[float, float]) -> None:
        """Paint the picture at the current place of its time: an old picture is moved and scaled until the
        new picture is ready.

        `rows` is the part of the rows that the plot shows, as shares of all rows.
        """
        # The picture is put where its own times are now, so that an old picture moves and stretches with the
        # clock until the new picture arrives.
        left, right = (frame.scale.x(time) for time in self.request.window)
        top, bottom = rows_in_plot(frame, self.request.rows, rows)
        room = QRectF(left, top, right - left, bottom - top)
        size = QSizeF(self.request.width, self.request.height)
        misfit = max(abs(room.width() - size.width()), abs(room.height() - size.height()))
        if misfit < 0.5 and self.request.ratio == 1.0:  # moved only: many times faster
            painter.drawImage(QPointF(round(left), round(top)), self.image)
        else:
            painter.drawImage(room, self.image)

    @classmethod
    def of(cls, request: RenderRequest, pixels: Pixels) -> ChartPicture:
        """Wrap pixels, 0xffrrggbb, shape (height, width), contiguous."""
        height, width = pixels.shape
        return cls(request, pixels, QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32))


@dataclass(frozen=True)
class PictureContent:
    """The content of a picture: the time, and everything else that it depends on."""

    request: RenderRequest
    version: int
    theme: str
    look: Hashable

    @property
    def standing(self) -> Hashable:
        """The part of the content that does not depend on the time."""
        return self.version, self.theme, self.look
