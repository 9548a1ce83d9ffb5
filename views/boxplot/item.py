"""The boxes themselves: one graphics item a chart, painted in pixels from a few arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QApplication

from views.boxes import BOX_WIDTH, BoxData, RunBox
from views.scales import LogScale
from views.style import Theme, tick_font

DOT = 2.5
"""Radius of a dot, in pixels."""

NEAR = 7.0
"""Pixels within which a dot is hit."""

_DIAMOND = 5.5


class BoxItem(pg.GraphicsObject):  # type: ignore[misc]
    """Paints a BoxData: x is the place of a run (0, 1, ...), y the height on the scale.

    `on_hover(dot, place, screen position)` is called with the dot under the mouse or None,
    and the box or None; `on_click(dot)` with the dot that was clicked.
    """

    def __init__(
        self,
        theme: Theme,
        on_hover: Callable[[int | None, int | None, Any], None],
        on_click: Callable[[int], None],
    ) -> None:
        super().__init__()
        self._theme = theme
        self._data: BoxData | None = None
        self._grid: list[float] = []
        self._marked: tuple[int, ...] = ()
        self._hovered: int | None = None
        self._font = tick_font(QApplication.font())
        self._on_hover = on_hover
        self._on_click = on_click

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        self.update()

    def set_data(self, data: BoxData) -> None:
        """Show these boxes."""
        self.prepareGeometryChange()
        self._data = data
        self._hovered = None
        self.update()

    def set_grid(self, heights: list[float]) -> None:
        """Draw lines at these heights behind the boxes."""
        self._grid = heights
        self.update()

    def mark(self, users: tuple[int, ...]) -> None:
        """Mark these users, given by code, with diamonds."""
        self._marked = users
        self.update()

    def boundingRect(self) -> QRectF:
        """All that the chart shows."""
        if self._data is None:
            return QRectF()
        low, high = self._data.scale.span
        return QRectF(-0.5, low, max(len(self._data.runs), 1), high - low)

    def paint(self, p: QPainter, *_: Any) -> None:
        """Boxes, then dots, then the marks of the selected users."""
        data = self._data
        if data is None or data.empty:
            return
        to_pixels = p.transform()
        p.save()
        p.resetTransform()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_grid(p, to_pixels)
        for place, run in enumerate(data.runs):
            self._paint_box(p, to_pixels, place, run)
        self._paint_dots(p, to_pixels)
        for place, run in enumerate(data.runs):
            self._paint_marks(p, to_pixels, place, run)
        p.restore()

    def _paint_grid(self, p: QPainter, to_pixels: QTransform) -> None:
        """Lines at the ticks, and a dashed one where the scale leaps from 0 to the least positive value."""
        assert self._data is not None
        p.setPen(QPen(QColor(self._theme.grid), 1))
        for height in self._grid:
            p.drawLine(self._across(to_pixels, height))
        scale = self._data.scale
        if isinstance(scale, LogScale) and scale.has_zero:
            p.setPen(QPen(QColor(self._theme.faint), 1, Qt.PenStyle.DashLine))
            p.drawLine(self._across(to_pixels, scale.gap))

    def _across(self, to_pixels: QTransform, height: float) -> QLineF:
        assert self._data is not None
        left, right = QPointF(-0.5, height), QPointF(len(self._data.runs) - 0.5, height)
        y = round(to_pixels.map(left).y()) + 0.5
        return QLineF(to_pixels.map(left).x(), y, to_pixels.map(right).x(), y)

    def _paint_box(self, p: QPainter, to_pixels: QTransform, place: int, run: RunBox) -> None:
        if run.box is None or self._data is None:
            return
        heights = self._data.scale.place(
            np.array([run.box.low, run.box.q1, run.box.median, run.box.q3, run.box.high])
        )
        low, q1, median, q3, high = (to_pixels.map(QPointF(place, y)).y() for y in heights)
        left = to_pixels.map(QPointF(place - BOX_WIDTH / 2, 0)).x()
        right = to_pixels.map(QPointF(place + BOX_WIDTH / 2, 0)).x()
        middle, cap = (left + right) / 2, (right - left) / 4
        colour = QColor(run.colour)
        p.setPen(QPen(colour, 1.4))
        p.drawLine(QLineF(middle, q3, middle, high))
        p.drawLine(QLineF(middle, q1, middle, low))
        p.drawLine(QLineF(middle - cap, high, middle + cap, high))
        p.drawLine(QLineF(middle - cap, low, middle + cap, low))
        inside = QColor(colour)
        inside.setAlpha(80)
        p.setBrush(inside)
        p.drawRect(QRectF(left, q3, right - left, max(q1 - q3, 1.0)))
        p.setPen(QPen(QColor(self._theme.text), 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        p.drawLine(QLineF(left, median, right, median))

    def _paint_dots(self, p: QPainter, to_pixels: QTransform) -> None:
        assert self._data is not None
        dots = self._data.dots
        for place, run in enumerate(self._data.runs):
            colour = QColor(run.colour)
            colour.setAlpha(90 if self._marked else 190)
            p.setPen(QPen(colour, 2 * DOT, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            own = dots.run == place
            if not own.any():
                continue
            p.drawPoints(to_pixels.map(pg.functions.arrayToQPolygonF(dots.x[own], dots.y[own])))
        if self._hovered is not None:
            p.setBrush(Qt.BrushStyle.NoBrush)
            p.setPen(QPen(QColor(self._theme.text), 1.6))
            centre = to_pixels.map(QPointF(dots.x[self._hovered], dots.y[self._hovered]))
            p.drawEllipse(centre, DOT + 2.5, DOT + 2.5)

    def _paint_marks(self, p: QPainter, to_pixels: QTransform, place: int, run: RunBox) -> None:
        assert self._data is not None
        users = [user for user in self._marked if user < len(run.values) and not np.isnan(run.values[user])]
        for user in users:
            height = float(self._data.scale.place(run.values[user : user + 1])[0])
            centre = to_pixels.map(QPointF(place, height))
            p.setPen(QPen(QColor(self._theme.chart), 1.5))
            p.setBrush(QColor(self._theme.text))
            p.drawPolygon(_diamond(centre, _DIAMOND))
        if len(self._marked) == 1 and users:
            slot = to_pixels.map(QPointF(1, 0)).x() - to_pixels.map(QPointF(0, 0)).x()
            self._paint_label(p, centre, self._data.measure.show(float(run.values[users[0]])), slot)

    def _paint_label(self, p: QPainter, centre: QPointF, text: str, slot: float) -> None:
        """The marked value above its diamond (below where that is cut off), if the slot has room for it."""
        p.setFont(self._font)
        metrics = QFontMetricsF(self._font)
        width, height = metrics.horizontalAdvance(text) + 6, metrics.height()
        if width > slot:
            return
        top = centre.y() - _DIAMOND - 2 - height
        view = self.getViewBox()
        if view is not None and top < view.mapRectToScene(view.rect()).top():
            top = centre.y() + _DIAMOND + 2
        box = QRectF(centre.x() - width / 2, top, width, height)
        ground = QColor(self._theme.chart)
        ground.setAlpha(215)
        p.setPen(Qt.PenStyle.NoPen)
        p.setBrush(ground)
        p.drawRoundedRect(box, 3, 3)
        p.setPen(QColor(self._theme.text))
        p.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def dot_at(self, where: QPointF) -> int | None:
        """The dot at a place, in the item's coordinates; the nearest of several."""
        view = self.getViewBox()
        if self._data is None or view is None or not len(self._data.dots.x):
            return None
        wide, high = view.viewPixelSize()
        dots = self._data.dots
        distance = np.hypot((dots.x - where.x()) / wide, (dots.y - where.y()) / high)
        nearest = int(distance.argmin())
        return nearest if distance[nearest] <= NEAR else None

    def box_at(self, where: QPointF) -> int | None:
        """The run whose box or whiskers are at a place, in the item's coordinates."""
        if self._data is None:
            return None
        place = round(where.x())
        if not 0 <= place < len(self._data.runs) or abs(where.x() - place) > BOX_WIDTH / 2:
            return None
        found = self._data.runs[place].box
        if found is None:
            return None
        low, high = self._data.scale.place(np.array([found.low, found.high]))
        view = self.getViewBox()
        room = NEAR * view.viewPixelSize()[1] if view is not None else 0.0
        return place if low - room <= where.y() <= high + room else None

    def hoverEvent(self, event: Any) -> None:
        """Ring the dot under the mouse and tell what is there."""
        dot = place = where = None
        if not event.isExit():
            event.acceptClicks(Qt.MouseButton.LeftButton)
            dot, where = self.dot_at(event.pos()), event.screenPos()
            place = self.box_at(event.pos()) if dot is None else None
        if dot != self._hovered:
            self._hovered = dot
            self.update()
        self._on_hover(dot, place, where)

    def mouseClickEvent(self, event: Any) -> None:
        """Hand on the dot that was clicked."""
        dot = self.dot_at(event.pos())
        if event.button() == Qt.MouseButton.LeftButton and dot is not None:
            event.accept()
            self._on_click(dot)


def _diamond(centre: QPointF, size: float) -> QPolygonF:
    corners = ((0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0))
    return QPolygonF([centre + QPointF(x, y) for x, y in corners])
