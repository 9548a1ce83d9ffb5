"""Pyqtgraph items painted in pixels: texts, and the lines of a radar with texts around it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QApplication, QStyleOptionGraphicsItem, QWidget

from views.plot.layers import Intervals, Labels, Polygon, RadarGrid
from views.theme.fonts import tick_font
from views.theme.theme import Theme

_CORNER = 3.0
"""Radius of the dot at a corner of a polygon."""

_DOT, _JOINED = 4.0, 1.5
"""Radius of a dot with an interval, and the width of its lines."""

_GAP = 8.0
"""Between the end of an axis and the words beside it."""

_CENTRE = Qt.AlignmentFlag.AlignCenter

_APART = 4.0
"""Pixels between texts side by side."""

_CLEAR = 5.0
"""Width of the border of texts, half of which is outside of their letters."""


class PixelItem(pg.GraphicsObject):
    """An item that may paint anywhere in the part of the plot that is seen. A kind gives `_paint`."""

    _seen: QRectF | None = None  # of the two scales, while it is known

    def boundingRect(self) -> QRectF:
        # Qt asks for it at each painting, and pyqtgraph works it out anew each time: it is kept until the
        # view changes.
        if self._seen is None:
            self._seen = self.viewRect()
        return self._seen or QRectF()

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()
        super().viewTransformChanged()  # or pyqtgraph keeps the rectangle that was seen first
        self._seen = None

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Have the kind paint in pixels, in the font of ticks."""
        # Sizes of text and dots are pixels, whatever the two scales are.
        to_pixels = painter.worldTransform()
        painter.resetTransform()
        painter.setFont(tick_font(QApplication.font()))
        self._paint(painter, to_pixels, to_pixels.mapRect(self.boundingRect()))

    def _paint(self, painter: QPainter, to_pixels: QTransform, room: QRectF) -> None:
        """Paint in pixels, within `room`; `to_pixels` maps coordinates of the two scales."""
        raise NotImplementedError


class PolygonItem(PixelItem):
    """A closed line with dots at its corners."""

    def __init__(self, polygon: Polygon, pen: QPen, tint: QColor) -> None:
        super().__init__()
        self._polygon, self._pen, self._tint = polygon, pen, tint

    def _paint(self, painter: QPainter, to_pixels: QTransform, room: QRectF) -> None:
        corners = [
            None if math.isnan(x) or math.isnan(y) else to_pixels.map(QPointF(x, y))
            for x, y in zip(self._polygon.x.tolist(), self._polygon.y.tolist(), strict=True)
        ]
        known = [corner for corner in corners if corner is not None]
        painter.setPen(self._pen)
        # With a corner unknown the shape has no inside: only the sides between known corners are drawn.
        if len(known) == len(corners):
            painter.setBrush(self._tint)
            painter.drawPolygon(QPolygonF(known))
        else:
            for begin, end in zip(corners, corners[1:] + corners[:1], strict=True):
                if begin is not None and end is not None:
                    painter.drawLine(begin, end)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._polygon.colour))
        for corner in known:
            painter.drawEllipse(corner, _CORNER, _CORNER)


class IntervalsItem(PixelItem):
    """Dots with intervals as a single item; pyqtgraph's own dots and lines would be three slow items."""

    def __init__(self, intervals: Intervals, theme: Theme) -> None:
        super().__init__()
        self._intervals = intervals

    def _paint(self, painter: QPainter, to_pixels: QTransform, room: QRectF) -> None:
        shown = self._intervals
        x, y, low, high = (column.tolist() for column in (shown.x, shown.y, shown.low, shown.high))
        dots = [to_pixels.map(QPointF(*spot)) for spot in zip(x, y, strict=True)]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(shown.colour), _JOINED))
        if shown.joined:
            painter.drawPolyline(QPolygonF(dots))
        for at, bottom, top in zip(x, low, high, strict=True):
            if top > bottom:
                painter.drawLine(to_pixels.map(QPointF(at, bottom)), to_pixels.map(QPointF(at, top)))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(shown.colour))
        for dot in dots:
            painter.drawEllipse(dot, _DOT, _DOT)


class LabelsItem(PixelItem):
    """Words at points, as far as they find room."""

    def __init__(self, labels: Labels, theme: Theme) -> None:
        super().__init__()
        self._labels, self._colour = labels, QColor(theme.text)
        self._ground = QColor(theme.chart) if labels.clear else None

    def _paint(self, painter: QPainter, to_pixels: QTransform, room: QRectF) -> None:
        labels, metrics = self._labels, QFontMetricsF(painter.font())
        # The width that a label has is on the scale: zoomed out, it is less than the text needs.
        longest = labels.width * to_pixels.m11()
        apart = _APART if labels.clear else 0.0  # those on a ground of their own have its border
        colours = [QColor(colour) for colour in labels.colours] or [self._colour] * len(labels.texts)
        rows = zip(labels.x.tolist(), labels.y.tolist(), labels.texts, colours, strict=True)
        for x, y, text, colour in rows:
            wide, tall = metrics.horizontalAdvance(text), metrics.height()
            if wide + apart > longest:
                continue
            point = to_pixels.map(QPointF(x, y))
            box = QRectF(point.x() - labels.anchor[0] * wide, point.y() - labels.anchor[1] * tall, wide, tall)
            # A label near the upper or lower edge moves inside.
            box.moveTop(min(max(box.top(), room.top()), room.bottom() - tall))
            write(painter, box.adjusted(-2, 0, 2, 0), _CENTRE, text, colour, self._ground)


class RadarGridItem(PixelItem):
    """The rings and axes of a radar with their words."""

    def __init__(self, grid: RadarGrid, theme: Theme) -> None:
        super().__init__()
        self._grid, self._theme = grid, theme

    def _paint(self, painter: QPainter, to_pixels: QTransform, room: QRectF) -> None:
        rings, axes = self._grid.rings, range(len(self._grid.names))
        # From the outside to the inside, so that the outer ring does not cover the others' lines.
        for ring in reversed(rings):
            painter.setPen(QColor(self._theme.border if ring == rings[-1] else self._theme.grid))
            painter.drawPolygon(QPolygonF([self._point(to_pixels, axis, ring) for axis in axes]))
        centre = to_pixels.map(QPointF(0, 0))
        for axis in axes:
            end = self._point(to_pixels, axis, rings[-1])
            painter.setPen(QColor(self._theme.grid))
            painter.drawLine(centre, end)
            self._paint_name(painter, axis, centre, end, room)

    def _point(self, to_pixels: QTransform, axis: int, score: float) -> QPointF:
        x, y = spoke(axis, len(self._grid.names))
        return to_pixels.map(QPointF(score * x, score * y))

    def _paint_name(self, painter: QPainter, axis: int, centre: QPointF, end: QPointF, room: QRectF) -> None:
        """The name of an axis in as many lines as it needs, and its note below."""
        name, note = self._grid.names[axis]
        metrics = QFontMetricsF(painter.font())
        across = end.x() - centre.x()
        beside = abs(across) > 5
        # A name at the side has the room up to the edge; a name above or below may be as wide as the plot.
        edge = room.right() - end.x() if across > 0 else end.x() - room.left()
        longest = edge - _GAP - 2 if beside else room.width() - 4
        names = wrapped(name, metrics, longest)
        lines = [*names, *wrapped(note, metrics, longest)]
        width = min(max(map(metrics.horizontalAdvance, lines)) + 2, longest)
        tall = len(lines) * metrics.height()
        if beside:
            left = end.x() + _GAP if across > 0 else end.x() - _GAP - width
            top = end.y() - tall / 2
        else:
            left = end.x() - width / 2
            top = end.y() + 4 if end.y() > centre.y() else end.y() - tall - 4
        # The last word has the edge: no text leaves the plot, even if it comes nearer to its axis.
        left = min(max(left, room.left() + 2), room.right() - 2 - width)
        top = min(top, room.bottom() - 2 - tall)
        for row, line in enumerate(lines):
            painter.setPen(QColor(self._theme.faint if row >= len(names) else self._theme.text))
            shown = metrics.elidedText(line, Qt.TextElideMode.ElideRight, width)
            box = QRectF(left, top + row * metrics.height(), width, metrics.height())
            painter.drawText(box, _CENTRE, shown)


def write(
    painter: QPainter,
    box: QRectF,
    flags: Qt.AlignmentFlag | Qt.TextFlag,
    text: str,
    colour: QColor,
    ground: QColor | None = None,
) -> None:
    """Write a line with a border in the colour of the ground, so that no line crosses it; None: without."""
    if ground is not None:
        # The border is stroked along the letters, below them; it takes the place that the text will have.
        place = QFontMetricsF(painter.font()).boundingRect(box, int(flags), text)
        path = QPainterPath()
        path.addText(place.left(), place.top() + QFontMetricsF(painter.font()).ascent(), painter.font(), text)
        round_ = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.strokePath(path, QPen(ground, _CLEAR, Qt.PenStyle.SolidLine, *round_))
        painter.restore()
    painter.setPen(colour)
    painter.drawText(box, flags, text)


def spoke(axis: int, axes: int) -> tuple[float, float]:
    """The point at distance 1 on an axis of a radar: the first upright, the others clockwise."""
    angle = 2 * math.pi * axis / axes
    return math.sin(angle), math.cos(angle)


def wrapped(text: str, metrics: QFontMetricsF, width: float) -> Sequence[str]:
    """Lines of whole words, as many as fit the width."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        # A word that is wider than the line gets a line of its own.
        if lines[-1] and metrics.horizontalAdvance(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
