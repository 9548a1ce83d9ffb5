"""The area of a plot in a widget, with Qt's points and rectangles."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from views.plot.area import PlotArea, Point


@dataclass(frozen=True)
class WidgetArea(PlotArea):
    """The visible part of a plot in a widget, and its position."""

    @property
    def rect(self) -> QRectF:
        """The pixels of the plot, in the widget."""
        return QRectF(self.left, self.top, self.width, self.height)

    def spot(self, x: float, y: float) -> QPointF:
        """The pixel position of a pair of coordinates."""
        return QPointF(*self.point(x, y))


def point_of(position: QPointF) -> Point:
    """A position in a widget, for a plot."""
    return Point(position.x(), position.y())
