"""Items of pyqtgraph for lanes that go across: their names, bars of a fixed height, and pointers at times."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QLinearGradient, QPainter, QPolygonF, QTransform

from views.plot.layers import POINTER, LaneBars, LaneColumns, LaneHeads, Pointers
from views.plotting.pixel_items import PixelItem, write
from views.theme.theme import Theme

_SWATCH, _GAP = 9.0, 8.0
_FADE = 14.0
_PALE = 0.35
_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_RIGHT = Qt.AlignmentFlag.AlignRight | _LINE


class LaneHeadsItem(PixelItem):
    """The names of lanes with their notes, a line each."""

    def __init__(self, heads: LaneHeads, theme: Theme) -> None:
        super().__init__()
        self._heads, self._theme = heads, theme

    def _paint(self, painter: QPainter, to_pixels: QTransform, room: QRectF) -> None:
        heads, metrics = self._heads, QFontMetricsF(painter.font())
        line = float(np.ceil(metrics.height()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for y, name, colour, note in zip(heads.y, heads.names, heads.colours, heads.notes, strict=True):
            top = round(to_pixels.map(QPointF(0, float(y))).y()) + 2
            row = QRectF(room.left(), top, room.width(), line)
            painter.fillRect(
                QRectF(row.left(), row.center().y() - _SWATCH / 2, _SWATCH, _SWATCH), QColor(colour)
            )
            # The note has its room first, and the name is cut in its middle where both do not fit.
            ground = QColor(self._theme.chart)
            write(painter, row, _RIGHT, note, QColor(self._theme.faint), ground)
            row.adjust(_SWATCH + 4, 0, -metrics.horizontalAdvance(note) - _GAP, 0)
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, row.width())
            write(painter, row, _LINE, shown, QColor(self._theme.text), ground)


class LaneBarsItem(PixelItem):
    """Bars in whole pixels up and down, so that they are sharp."""

    def __init__(self, bars: LaneBars, theme: Theme) -> None:
        super().__init__()
        self._bars, self._theme = bars, theme

    def _paint(self, painter: QPainter, to_pixels: QTransform, room: QRectF) -> None:
        bars = self._bars
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for left, right, y, name in zip(bars.left, bars.right, bars.y, bars.colours, strict=True):
            begin, end = to_pixels.map(QPointF(left, y)), to_pixels.map(QPointF(right, y))
            # A bar is cut at the edges of the plot, and a pixel wide at least.
            start = min(max(begin.x(), room.left()), room.right() - 1)
            width = max(min(end.x(), room.right()) - start, 1.0)
            bar = QRectF(start, round(begin.y() - bars.tall / 2), width, bars.tall)
            colour = QColor(name)
            if bars.look == "outlined":
                _paint_outlined(painter, bar, colour, QColor(self._theme.chart), end.x() > room.right() + 0.5)
            elif bars.look == "hatched":
                painter.fillRect(bar, QBrush(colour, Qt.BrushStyle.BDiagPattern))
            else:
                painter.fillRect(bar, colour)


def _paint_outlined(painter: QPainter, bar: QRectF, colour: QColor, ground: QColor, goes_on: bool) -> None:
    """Paint a pale box with edges; without a right edge it fades out."""
    fade = QLinearGradient(max(bar.right() - _FADE, bar.left()), 0, bar.right(), 0)
    # Clear at the right where the bar goes on beyond the plot, and so without an edge there.
    clear = QColor(colour)
    clear.setAlphaF(0.0 if goes_on else 1.0)
    fade.setColorAt(0, colour)
    fade.setColorAt(1, clear)
    painter.fillRect(bar, ground)
    painter.setOpacity(_PALE)
    painter.fillRect(bar, QBrush(fade))
    painter.setOpacity(1)
    edges = [bar.adjusted(0, 0, 0, 1 - bar.height()), bar.adjusted(0, bar.height() - 1, 0, 0)]
    edges += [bar.adjusted(0, 0, 1 - bar.width(), 0)]
    edges += [] if goes_on else [bar.adjusted(bar.width() - 1, 0, 0, 0)]
    for edge in edges:
        painter.fillRect(edge, QBrush(fade))


class LaneColumnsItem(PixelItem):
    """Bars in whole pixels, so that even a short wait is seen."""

    def __init__(self, columns: LaneColumns, theme: Theme) -> None:
        super().__init__()
        self._columns, self._colour = columns, QColor(columns.colour)

    def _paint(self, painter: QPainter, to_pixels: QTransform, room: QRectF) -> None:
        columns = self._columns
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        left, right = (
            # Whole pixels, so that neighbouring columns have neither gaps nor overlaps.
            np.round((columns.x + side) * to_pixels.m11() + to_pixels.dx())
            for side in (-columns.width / 2, columns.width / 2)
        )
        foot = round(columns.base * to_pixels.m22() + to_pixels.dy())
        tall = np.ceil(columns.tall * -to_pixels.m22())
        for begin, end, high in zip(left.tolist(), right.tolist(), tall.tolist(), strict=True):
            if high > 0:
                painter.fillRect(QRectF(begin, foot - high, max(end - begin, 1.0), high), self._colour)


class PointersItem(PixelItem):
    """Triangles, each over a line through what it points at."""

    def __init__(self, pointers: Pointers, theme: Theme) -> None:
        super().__init__()
        self._pointers, self._colour = pointers, QColor(theme.text)

    def _paint(self, painter: QPainter, to_pixels: QTransform, room: QRectF) -> None:
        half = POINTER / 2
        for x, y in zip(self._pointers.x, self._pointers.y, strict=True):
            point = to_pixels.map(QPointF(x, y))
            top, bottom = point.y() - self._pointers.tall / 2, point.y() + self._pointers.tall / 2
            corners = [QPointF(point.x() + side, top - POINTER) for side in (-half, half)]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._colour)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawPolygon(QPolygonF([*corners, QPointF(point.x(), top)]))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(self._colour)
            painter.drawLine(QLineF(point.x(), top, point.x(), bottom))
