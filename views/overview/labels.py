"""The surroundings of the overview's picture: times, the run's name, the window."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from views.overview.paint import BAND
from views.text.ticks import TimeAxis
from views.theme.theme import Theme
from views.timechart.axis import axis_marks
from views.timechart.frame import Frame

_APART = 8.0  # pixels between the name of a larger unit and what follows
_VEIL = 170  # of 255: what is not shown is seen still
_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_NOTHING = QRectF()


def paint_times(
    painter: QPainter, frame: Frame, axis: TimeAxis, theme: Theme, covered: QRectF = _NOTHING
) -> None:
    """Paint a line of labels below the picture: larger units at their beginnings, the others in between.

    Labels in the `covered` area are left out.
    """
    marks = axis_marks(axis, frame.scale, painter.font())
    painter.setPen(QColor(theme.text))
    # Names of larger units come first; ticks then take the room that is left.
    taken = [covered]
    ends = [*(name.x for name in marks.names[1:]), frame.whole.right()]
    # A name ends before the next begins, else both would be read as a single word.
    for name, end in zip(marks.names, ends, strict=False):
        if name.x + name.width + _APART <= end:
            room = QRectF(name.x, frame.axis.top(), name.width + _APART, frame.axis.height())
            if room.intersects(covered):
                continue
            taken.append(room)
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | _LINE, name.text)
    painter.setPen(QColor(theme.faint))
    for mark in marks.ticks:
        half = mark.width / 2
        room = QRectF(mark.x - half - 1, frame.axis.top(), mark.width + 2, frame.axis.height())
        inside = frame.plot.left() <= mark.x - half and mark.x + half <= frame.whole.right()
        if mark.label and inside and not any(room.intersects(f) for f in taken):
            painter.drawText(room, Qt.AlignmentFlag.AlignHCenter | _LINE, mark.label)


def paint_name(painter: QPainter, frame: Frame, name: str, colour: str, theme: Theme) -> None:
    """The run, with its colour, beside the picture."""
    room = frame.gutter.adjusted(8, 0, -8, 0)
    painter.fillRect(QRectF(room.left(), room.center().y() - 5, 10, 10), QColor(colour))
    room.setLeft(room.left() + 14)
    painter.setPen(QColor(theme.text))
    metrics = QFontMetricsF(painter.font())
    text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | _LINE, text)


def paint_window(painter: QPainter, plot: QRectF, edges: tuple[float, float], theme: Theme) -> None:
    """A veil over what is not shown; a frame with two handles around what is."""
    left, right = edges
    veil = QColor(theme.window)
    veil.setAlpha(_VEIL)
    painter.fillRect(QRectF(plot.left(), plot.top(), left - plot.left(), plot.height()), veil)
    painter.fillRect(QRectF(right, plot.top(), plot.right() - right, plot.height()), veil)
    accent = QColor(theme.accent)
    painter.setPen(accent)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # The frame stands on whole pixels, or its lines would be two pixels wide and pale.
    painter.drawRect(QRectF(int(left) + 0.5, plot.top() - 0.5, int(right) - int(left) - 1, plot.height()))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(accent)
    for x in (int(left) + 0.5, int(right) - 0.5):
        handle = QRectF(0, 0, 5, plot.height() - BAND - 6)
        handle.moveCenter(QPointF(x, plot.center().y() - BAND / 2))
        painter.drawRoundedRect(handle, 2, 2)
