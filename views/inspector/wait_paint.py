"""Paints the chart of waits."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QLinearGradient, QPainter, QPolygonF

from views.inspector.kinds import KIND_COLOURS
from views.inspector.lanes import Lane
from views.inspector.wait_frame import GROWN, MARK, PROMISE, SWATCH, WaitFrame
from views.text.ticks import TimeAxis
from views.theme.theme import Theme
from views.timechart.axis import axis_marks, paint_axis, paint_grid

_FADE = 14.0
_PALE = 0.35
_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


def paint_waits(painter: QPainter, frame: WaitFrame, axis: TimeAxis, theme: Theme) -> None:
    """Lanes from top to bottom, the axis below them, then the legend."""
    painter.setFont(frame.font)
    marks = axis_marks(axis, frame.scale, frame.font)
    plot = QRectF(frame.scale.left, 0, frame.scale.width, frame.axis.top())
    paint_grid(painter, plot, marks, theme)
    for lane in range(len(frame.lanes)):
        _paint_name(painter, frame, lane, theme)
        _paint_bar(painter, frame, lane, theme)
        for _, x in frame.marks(lane):
            _paint_mark(
                painter, x, frame.bar(lane, 0, 0).top() - GROWN, frame.bar(lane, 0, 0).bottom(), theme
            )
    paint_axis(painter, frame.axis, marks, theme, "")
    _paint_legend(painter, frame, theme)


def _paint_name(painter: QPainter, frame: WaitFrame, lane: int, theme: Theme) -> None:
    """The run with its colour at the left, how long the job waited at the right."""
    box, one = frame.name_box(lane), frame.lanes[lane]
    wait = f"waited {one.wait}"
    painter.fillRect(_swatch(box.left(), box), QColor(one.colour))
    painter.setPen(QColor(theme.faint))
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | _LINE, wait)
    room = box.adjusted(SWATCH + 4, 0, -frame.metrics.horizontalAdvance(wait) - 8, 0)
    name = frame.metrics.elidedText(one.name, Qt.TextElideMode.ElideMiddle, room.width())
    painter.setPen(QColor(theme.text))
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | _LINE, name)


def _paint_bar(painter: QPainter, frame: WaitFrame, lane: int, theme: Theme) -> None:
    one = frame.lanes[lane]
    told = one.told
    if told.start > told.submit and not told.spans:  # nobody knows why
        painter.fillRect(
            frame.bar(lane, told.submit, told.start),
            QBrush(QColor(theme.unknown), Qt.BrushStyle.BDiagPattern),
        )
    # Shorter ones last, so that one of a pixel is not hidden by its neighbour.
    for span in sorted(told.spans, key=lambda span: -span.seconds):
        painter.fillRect(frame.bar(lane, span.begin, span.end), QColor(KIND_COLOURS[span.kind]))
    if one.end > told.start:
        _paint_run(painter, frame, frame.bar(lane, told.start, one.end), one, theme)


def _paint_run(painter: QPainter, frame: WaitFrame, bar: QRectF, lane: Lane, theme: Theme) -> None:
    """A box in the colour of the run, paler than any reason; it fades out where the run goes on."""
    whole = lane.end <= frame.scale.end
    fade = QLinearGradient(max(bar.right() - _FADE, bar.left()), 0, bar.right(), 0)
    for share, strength in ((0, 1.0), (1, 1.0 if whole else 0.0)):
        colour = QColor(lane.colour)
        colour.setAlphaF(strength)
        fade.setColorAt(share, colour)
    box = bar.adjusted(0, -GROWN, 0, GROWN)
    painter.fillRect(box, QColor(theme.chart))
    painter.setOpacity(_PALE)
    painter.fillRect(box, QBrush(fade))
    painter.setOpacity(1)
    edges = [box.adjusted(0, 0, 0, 1 - box.height()), box.adjusted(0, box.height() - 1, 0, 0)]
    edges += [box.adjusted(0, 0, 1 - box.width(), 0)]
    edges += [box.adjusted(box.width() - 1, 0, 0, 0)] if whole else []
    for edge in edges:
        painter.fillRect(edge, QBrush(fade))


def _paint_mark(painter: QPainter, x: float, top: float, bottom: float, theme: Theme) -> None:
    """A triangle that points at a line through the bar."""
    half = MARK / 2
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.text))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    tip = [QPointF(x - half, top - MARK), QPointF(x + half, top - MARK), QPointF(x, top)]
    painter.drawPolygon(QPolygonF(tip))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QColor(theme.text))
    painter.drawLine(QLineF(x, top, x, bottom))


def _paint_legend(painter: QPainter, frame: WaitFrame, theme: Theme) -> None:
    for colour, name, x, y in frame.legend:
        row = QRectF(x, y, frame.width, frame.line)
        if colour == PROMISE:
            _paint_mark(painter, x + SWATCH / 2, row.center().y() + 1, row.center().y() + 5, theme)
        else:
            painter.fillRect(_swatch(x, row), QColor(colour))
        painter.setPen(QColor(theme.text))
        painter.drawText(row.adjusted(SWATCH + 4, 0, 0, 0), Qt.AlignmentFlag.AlignLeft | _LINE, name)


def _swatch(x: float, row: QRectF) -> QRectF:
    return QRectF(x, row.center().y() - SWATCH / 2, SWATCH, SWATCH)
