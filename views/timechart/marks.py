"""Marks on a chart over time: lines across its plot, and flags with names on its axis."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from views.data.marks import TimeMark, flags
from views.text.ticks import TimeAxis
from views.theme.theme import Theme
from views.timechart.axis import AxisMarks
from views.timechart.frame import Frame

_HALF, _TALL = 5.0, 7.0  # a flag, in pixels
_NAME = 130.0  # pixels that a name takes at most
_BAR = 3.0
_REACH = 6.0  # pixels from a flag at which it is clicked


def paint_marks(painter: QPainter, frame: Frame, marks: Sequence[TimeMark], theme: Theme) -> None:
    """A dotted line at each mark, at both ends of a range, and a bar under it."""
    plot, colour = frame.plot, QColor(theme.link)
    painter.setPen(QPen(colour, 1, Qt.PenStyle.DotLine))
    # A mark without duration has a single line, not two on the same pixel.
    edges = [int(frame.scale.x(time)) + 0.5 for mark in marks for time in {mark.start, mark.end}]
    painter.drawLines(
        [QLineF(x, plot.top(), x, plot.bottom() - 1) for x in edges if plot.left() <= x <= plot.right()]
    )
    for mark in marks:
        left, right = frame.scale.x(mark.start), frame.scale.x(mark.end)
        painter.fillRect(QRectF(left, plot.bottom() - _BAR, right - left, _BAR) & plot, colour)


def paint_flags(
    painter: QPainter, frame: Frame, axis: AxisMarks, marks: Sequence[TimeMark], theme: Theme
) -> None:
    """A flag at the beginning of each mark, and its name among the dates where there is room."""
    metrics, colour = QFontMetricsF(painter.font()), QColor(theme.link)
    line = metrics.height()
    top = frame.axis.top() + 4 + line
    # The names of days or months stand in the same line: names of marks go where these leave room.
    taken = [(label.x, label.x + label.width + 3) for label in axis.names]
    names = [metrics.elidedText(mark.name, Qt.TextElideMode.ElideRight, _NAME) for mark in marks]
    widths = [metrics.horizontalAdvance(name) + 6 for name in names]
    xs = [frame.scale.x(mark.start) for mark in marks]
    room = frame.plot.left(), frame.plot.right()
    shown = dict(zip(map(id, marks), zip(names, widths, strict=True), strict=True))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for mark, x, begin in flags(marks, xs, widths, taken, room):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        y = frame.axis.top()
        painter.drawPolygon(
            QPolygonF([QPointF(x, y), QPointF(x + _HALF, y + _TALL), QPointF(x - _HALF, y + _TALL)])
        )
        if begin is not None:
            name, width = shown[id(mark)]
            painter.setPen(colour)
            painter.drawText(QRectF(begin + 3, top, width, line), Qt.AlignmentFlag.AlignVCenter, name)
    painter.restore()


def mark_at(frame: Frame, marks: Sequence[TimeMark], position: QPointF) -> TimeMark | None:
    """The mark whose flag is nearest to a position on the axis; None: none is near."""
    if not frame.axis.contains(position):
        return None
    ways = [(abs(frame.scale.x(mark.start) - position.x()), k) for k, mark in enumerate(marks)]
    way, nearest = min(ways, default=(_REACH + 1, 0))
    return marks[nearest] if way <= _REACH else None


def describe_mark(mark: TimeMark, axis: TimeAxis) -> str:
    """Name, time and note of a mark."""
    return "\n".join(filter(None, (mark.name, format_span(mark, axis), mark.note)))


def format_span(mark: TimeMark, axis: TimeAxis) -> str:
    """The time of a mark, or when it begins and ends."""
    return " – ".join(axis.format(time) for time in dict.fromkeys((mark.start, mark.end)))
