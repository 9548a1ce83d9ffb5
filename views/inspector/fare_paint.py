"""Paints the chart of fares."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from views.inspector.fare_frame import FareFrame
from views.inspector.fares import Fare, column_maxima
from views.text.counts import spell_count
from views.text.ticks import TimeAxis
from views.theme.theme import Theme
from views.timechart.axis import axis_marks, paint_axis, paint_grid

_SWATCH = 9.0
_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight


def paint_fares(painter: QPainter, frame: FareFrame, axis: TimeAxis, theme: Theme) -> None:
    """Headings, a lane for each run, the axis of time at the left and that of waits at the right."""
    painter.setFont(frame.font)
    marks = axis_marks(axis, frame.time, frame.font)
    plot = QRectF(frame.time.left, frame.line, frame.time.width, frame.axis.top() - frame.line)
    paint_grid(painter, plot, marks, theme)
    _paint_waits_axis(painter, frame, theme)
    painter.setPen(QColor(theme.faint))
    painter.drawText(QRectF(plot.left(), 0, plot.width(), frame.line), _LEFT | _LINE, _heading(frame))
    painter.drawText(QRectF(frame.boxes.left(), 0, frame.boxes.width(), frame.line), _LEFT | _LINE, "waits")
    for lane, fare in enumerate(frame.fares):
        _paint_name(painter, frame, lane, theme)
        _paint_curve(painter, frame, lane, theme)
        if fare.waits is not None:
            _paint_box(painter, frame, lane, fare, theme)
    room = QRectF(frame.axis)
    room.setRight(frame.boxes.left() - 4)  # labels that reach into the other axis are left out
    paint_axis(painter, room, marks, theme, "")


def _heading(frame: FareFrame) -> str:
    return f"violated EETs, up to {spell_count(frame.most)}" if frame.most else "no violated EETs"


def _paint_name(painter: QPainter, frame: FareFrame, lane: int, theme: Theme) -> None:
    box, fare = frame.name_box(lane), frame.fares[lane]
    metrics = QFontMetricsF(frame.font)
    room = box.adjusted(_SWATCH + 4, 0, 0, 0)
    name = metrics.elidedText(fare.name, Qt.TextElideMode.ElideMiddle, room.width())
    ground = QRectF(box.left(), box.top(), metrics.horizontalAdvance(name) + 16, box.height())
    painter.fillRect(ground, QColor(theme.chart))  # no line of a grid through the name
    swatch = QRectF(box.left(), box.center().y() - _SWATCH / 2, _SWATCH, _SWATCH)
    painter.fillRect(swatch, QColor(fare.colour))
    painter.setPen(QColor(theme.text))
    painter.drawText(room, _LEFT | _LINE, name)


def _paint_curve(painter: QPainter, frame: FareFrame, lane: int, theme: Theme) -> None:
    """A filled curve in the run's colour; all have the same height for the same number."""
    room, fare = frame.curve(lane), frame.fares[lane]
    painter.setPen(QColor(theme.border))
    painter.drawLine(QLineF(room.left(), room.bottom(), room.right(), room.bottom()))
    if fare.late is None or not frame.most:
        return
    columns = column_maxima(fare.late, frame.window, int(room.width()))
    heights = np.ceil(columns / frame.most * room.height())
    colour = QColor(fare.colour)
    painter.setPen(QPen(colour, 1))
    painter.drawLines(
        [
            QLineF(room.left() + x + 0.5, room.bottom() - 0.5, room.left() + x + 0.5, room.bottom() - height)
            for x, height in enumerate(heights.tolist())
            if height > 0
        ]
    )


def _paint_box(painter: QPainter, frame: FareFrame, lane: int, fare: Fare, theme: Theme) -> None:
    """Whiskers to the outermost waits within 1.5 IQR, and a dot at the longest one beyond."""
    assert fare.waits is not None
    room, box = frame.box(lane), fare.waits
    heights = frame.waits.heights_of(np.array([box.low, box.q1, box.median, box.q3, box.high, box.maximum]))
    low, q1, median, q3, high, longest = (frame.x_of_wait(float(height)) for height in heights)
    middle, tall = room.center().y(), 14.0
    colour = QColor(fare.colour)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.4))
    painter.drawLines([QLineF(low, middle, q1, middle), QLineF(q3, middle, high, middle)])
    inside = QColor(colour)
    inside.setAlpha(80)
    painter.setBrush(inside)
    painter.drawRect(QRectF(q1, middle - tall / 2, max(q3 - q1, 1.0), tall))
    if box.maximum > box.high:
        painter.setPen(QPen(colour, 5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPoints(QPolygonF([QPointF(longest, middle)]))
    painter.setPen(QPen(QColor(theme.text), 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    painter.drawLine(QLineF(median, middle - tall / 2, median, middle + tall / 2))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_waits_axis(painter: QPainter, frame: FareFrame, theme: Theme) -> None:
    """Ticks of the scale of waits, each with its line through all lanes."""
    room, metrics = frame.boxes, QFontMetricsF(frame.font)
    low, high = frame.waits.span
    widest = metrics.horizontalAdvance("10 min") + 8
    end = room.left()
    for height, text in frame.waits.ticks(widest * (high - low) / max(room.width(), 1.0)):
        x = int(frame.x_of_wait(height)) + 0.5
        painter.setPen(QColor(theme.grid))
        painter.drawLine(QLineF(x, room.top(), x, room.bottom()))
        painter.setPen(QColor(theme.faint))
        width = metrics.horizontalAdvance(text)
        left = min(max(x - width / 2, room.left()), frame.width - width - 1)
        if left < end:
            continue
        painter.drawText(QRectF(left, room.bottom() + 3, width + 1, frame.line), _LEFT | _LINE, text)
        end = left + width + 6
