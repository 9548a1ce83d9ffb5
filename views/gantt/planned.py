"""Planned starts: outlines where waiting jobs were promised to run, beside where they ran."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from engine.schedule import Schedule
from views.boxes.data import GanttData
from views.boxes.planned import Planned, planned_of, promised_to
from views.boxes.rows import RowScale
from views.picture import Picture
from views.style import Theme
from views.ticks import TimeAxis
from views.timescale import TimeScale
from views.words import plural

Ints = NDArray[np.int64]

MOST = 500
"""So many outlines are painted at most while they follow the mouse."""

_MOST_TOLD = 3
"""Jobs that are named under the mouse."""

_MOST_MARKED = 5000
"""And so many of a marked instant, away from the GUI thread."""


class Plans:
    """The plans of a schedule that a chart shows: those of the marked instant are painted in a thread."""

    def __init__(self) -> None:
        self._marked: Planned | None = None
        self._sorted = False  # whether the promises are

    def paint(self, picture: Picture, data: GanttData, instant: float | None, theme: Theme) -> None:
        """Paint those of an instant over the jobs, in device pixels."""
        schedule, want = data.schedule, picture.want
        _ = schedule.log.promises  # sorted here, so that they can be looked up when the mouse moves
        self._sorted = True
        if instant is None:
            return
        planned = planned_of(schedule, instant)
        low, high = (share * data.rows.total for share in want.rows)
        room = QRectF(0, 0, want.width, want.height)
        scale, rows = TimeScale(*want.window, 0, want.width), RowScale(low, high, 0, want.height)
        painter = QPainter(picture.image)
        paint_planned(painter, room, scale, rows, data, planned, theme, want.ratio, _MOST_MARKED)
        painter.end()
        self._marked = planned

    def at(self, instant: float | None) -> Planned | None:
        """What was planned at the marked instant, as soon as that is painted."""
        return self._marked if self._marked is not None and self._marked.time == instant else None

    def moving(self, schedule: Schedule, chosen: Ints, hover: float | None) -> list[Planned]:
        """All that was promised to the one chosen job, and what is planned at the mouse (s)."""
        if not self._sorted:
            return []
        own = [promised_to(schedule, int(chosen[0]))] if len(chosen) == 1 else []
        return own + ([planned_of(schedule, hover)] if hover is not None else [])


def paint_planned(
    painter: QPainter,
    room: QRectF,
    scale: TimeScale,
    rows: RowScale,
    data: GanttData,
    planned: Planned,
    theme: Theme,
    ratio: float = 1.0,
    most: int = MOST,
) -> None:
    """Outlines from planned starts, as long as estimated, on the rows that the jobs got in the end.

    A dashed one came earlier than planned or in time, a solid one later. Of several promises of a job
    the last one stands out. Jobs that a filter hides have no rows.
    """
    inside = (planned.start < scale.time(room.right())) & (planned.end > scale.time(room.left()))
    shown = np.flatnonzero(inside & (data.place[planned.job] >= 0))
    last = np.append(planned.job[1:] != planned.job[:-1], True)[-len(planned.job) :]
    change, end = planned.change, planned.end
    painter.save()
    painter.setClipRect(room)
    for k in shown[:most].tolist():
        x0, x1 = scale.x(float(planned.start[k])), scale.x(float(end[k]))
        boxes = data.boxes(data.place[planned.job[[k]]])
        outlines = [
            QRectF(x0, rows.y(top), max(x1 - x0, 3.0), max(count * rows.pixels_per_row, 3.0))
            for top, count in zip(boxes.first.tolist(), boxes.count.tolist(), strict=True)
        ]
        late = change[k] > 0
        colour = QColor(theme.bad if late else theme.text if change[k] == 0 else theme.good)
        colour.setAlpha(255 if last[k] else 130)
        painter.setPen(QPen(QColor(theme.chart), 3.0 * ratio))
        painter.drawRects(outlines)
        style = Qt.PenStyle.SolidLine if late else Qt.PenStyle.DashLine
        painter.setPen(QPen(colour, 1.5 * ratio, style))
        painter.drawRects(outlines)
    painter.restore()


def told_of(
    planned: Planned, data: GanttData, job: int | None, time: float, row: float, axis: TimeAxis
) -> list[str]:
    """Lines on what was planned for a job, and for those whose outlines hold this place."""
    ids = planned.schedule.trace.job_id
    own = [planned.describe(job, axis)] if job is not None else []
    others = [one for one in planned.jobs_at(data, time, row) if one != job]
    told = [f"job {ids[other]}: {planned.describe(other, axis)}" for other in others[:_MOST_TOLD]]
    more = len(others) - len(told)
    return [
        line for line in (*own, *told, f"and {plural(more, 'more job')} planned here" if more else "") if line
    ]


def paint_caption(painter: QPainter, plot: QRectF, words: str, theme: Theme) -> None:
    """A line of text in the upper right corner, where the plot is tall enough for it."""
    metrics = painter.fontMetrics()
    box = QRectF(0, 0, metrics.horizontalAdvance(words) + 12, metrics.height() + 4)
    if plot.height() < 3 * box.height() or plot.width() < box.width() + 8:
        return
    box.moveTopRight(plot.topRight())
    box.translate(-4, 4)
    ground = QColor(theme.window)
    ground.setAlpha(225)
    painter.fillRect(box, ground)
    painter.setPen(QColor(theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, words)
