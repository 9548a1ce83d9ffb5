"""Paints a time axis: labelled ticks, the larger units below them, and the lines across the charts."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from views.style import Theme
from views.ticks import Axis, TimeAxis
from views.timescale import TimeScale

AXIS_HEIGHT = 36.0
_TICK = 4.0
_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_Align = Qt.AlignmentFlag


@lru_cache(maxsize=8)
def _axis(kind: TimeAxis, scale: TimeScale, font: str) -> Axis:
    """All charts above one another share this."""
    measured = QFont()
    measured.fromString(font)
    return kind.axis(scale, QFontMetricsF(measured).horizontalAdvance)


def axis_marks(kind: TimeAxis, scale: TimeScale, font: QFont) -> Axis:
    """Ticks and larger units for this font."""
    return _axis(kind, scale, font.toString())


def paint_grid(painter: QPainter, plot: QRectF, axis: Axis, scale: TimeScale, theme: Theme) -> None:
    """Faint lines through the chart at labelled ticks, stronger ones where a larger unit begins."""
    for boundary, strength in ((False, 28), (True, 70)):
        colour = QColor(theme.text)
        colour.setAlpha(strength)
        painter.setPen(colour)
        painter.drawLines(
            [
                QLineF(x, plot.top(), x, plot.bottom() - 1)
                for tick in axis.ticks
                if tick.label and tick.boundary == boundary
                for x in [_sharp(scale.x(tick.time))]
                if plot.left() < x < plot.right() - 1
            ]
        )


def paint_axis(
    painter: QPainter, room: QRectF, axis: Axis, scale: TimeScale, theme: Theme, name: str
) -> None:
    """The axis under a chart: `room` reaches over the whole width of the widget."""
    metrics = QFontMetricsF(painter.font())
    painter.setPen(QColor(theme.faint))
    top = room.top()
    painter.drawLine(QPointF(scale.left, top), QPointF(scale.left + scale.width - 1, top))
    line = metrics.height()
    marks = [(_sharp(scale.x(tick.time)), tick.label) for tick in axis.ticks]
    painter.drawLines([QLineF(x, top, x, top + (_TICK if label else _TICK / 2)) for x, label in marks])
    for x, label in marks:
        half = metrics.horizontalAdvance(label) / 2 if label else 0.0
        if label and room.left() <= x - half and x + half <= room.right():
            box = QRectF(x - half - 1, top + _TICK, 2 * half + 2, line)
            painter.drawText(box, _Align.AlignHCenter | _LINE, label)
    _paint_stretches(painter, QRectF(room.left(), top + _TICK + line, room.width(), line), axis, scale, theme)
    gutter = QRectF(room.left() + 4, top + _TICK + line, scale.left - room.left() - 12, line)
    place = name.rpartition("/")[2].replace("_", " ")  # Stockholm is enough of Europe/Stockholm
    shown = metrics.elidedText(place, Qt.TextElideMode.ElideRight, gutter.width())
    painter.setPen(QColor(theme.faint))
    painter.drawText(gutter, _Align.AlignRight | _LINE, shown)


def _paint_stretches(painter: QPainter, room: QRectF, axis: Axis, scale: TimeScale, theme: Theme) -> None:
    """Days, months or years: each name where it begins, the first one at the left edge; none over another."""
    metrics = QFontMetricsF(painter.font())
    painter.setPen(QColor(theme.text))
    right = scale.left + scale.width
    for k, stretch in enumerate(axis.stretches):
        x = scale.x(stretch.time)
        width = metrics.horizontalAdvance(stretch.text)
        following = axis.stretches[k + 1 :]
        limit = scale.x(following[0].time) - 6 if following else room.right()
        if x + width + 3 > limit:
            continue
        painter.drawText(QRectF(x + 3, room.top(), width + 1, room.height()), _LINE, stretch.text)
        if k:
            painter.drawLine(QPointF(_sharp(x), room.top() + 2), QPointF(_sharp(x), room.bottom()))
        if x >= right:
            break


def paint_reading(
    painter: QPainter, room: QRectF, time: float, kind: TimeAxis, scale: TimeScale, theme: Theme
) -> None:
    """The time under the mouse, on the axis."""
    text = kind.spell(time)
    metrics = QFontMetricsF(painter.font())
    width = metrics.horizontalAdvance(text) + 10
    left = min(max(scale.x(time) - width / 2, room.left()), room.right() - width)
    box = QRectF(left, room.top() + 1, width, metrics.height() + 3)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.cursor))
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(QColor(theme.chart))
    painter.drawText(box, _Align.AlignCenter | _LINE, text)


def _sharp(x: float) -> float:
    """The middle of a pixel, so that a line one pixel wide is not blurred over two."""
    return float(int(x)) + 0.5
