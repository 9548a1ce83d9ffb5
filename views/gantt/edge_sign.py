"""A sign at the edge of the plot that points to the selected job if that is out of view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from views.data.gantt.data import GanttData
from views.data.gantt.rows import RowScale
from views.theme.theme import Theme
from views.timechart.frame import Frame

_APART = 3.0  # pixels between the sign and the edge
_PAD = 5.0


@dataclass(frozen=True)
class Sign:
    """An arrow with the number of a job, an index into the trace, and its position."""

    job: int
    text: str
    room: QRectF


def sign_to(data: GanttData, job: int, frame: Frame, rows: RowScale, metrics: QFontMetricsF) -> Sign | None:
    """The sign to a job; None where a part of it is seen, or there is no room for a sign."""
    start, end = float(data.schedule.start[job]), float(data.schedule.end[job])
    boxes = data.boxes(data.entry[[job]])
    # The job is out of view by its time, or by all its boxes: a job on separate nodes has several.
    early, late = end <= frame.scale.start, start >= frame.scale.time(frame.plot.right())
    seen = (boxes.first < rows.last) & (boxes.first + boxes.count > rows.first)
    if not (early or late) and np.any(seen):
        return None
    top, bottom = data.largest_box(job)
    # A job out of view in both ways is pointed to by its time; the click brings its rows into view too.
    arrow = "◀" if early else "▶" if late else "▲" if bottom <= rows.first else "▼"
    text = f"{arrow} {data.schedule.trace.shown_id(job)}"
    plot = frame.plot.adjusted(_APART, _APART, -_APART, -_APART)
    room = QRectF(0, 0, metrics.horizontalAdvance(text) + 2 * _PAD, metrics.height())
    # In a small plot the sign would hide more than it shows.
    if room.width() > plot.width() / 2 or room.height() > plot.height() / 2:
        return None
    # The sign stands where the job would be, moved along both axes to the nearest place inside the plot.
    left, right = (min(max(frame.scale.x(time), plot.left()), plot.right()) for time in (start, end))
    room.moveLeft(min(max((left + right - room.width()) / 2, plot.left()), plot.right() - room.width()))
    middle = rows.y((top + bottom) / 2) - room.height() / 2
    room.moveTop(min(max(middle, plot.top()), plot.bottom() - room.height()))
    # Whole pixels, so that a click and the painted frame agree.
    return Sign(job, text, QRectF(room.toRect()))


def paint_sign(painter: QPainter, sign: Sign, theme: Theme) -> None:
    """Paint the sign over everything else."""
    painter.setPen(QColor(theme.accent))
    painter.setBrush(QColor(theme.chart))
    painter.drawRoundedRect(sign.room.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setPen(QColor(theme.text))
    painter.drawText(sign.room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, sign.text)
