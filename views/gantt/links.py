"""Lines from the selected job: to jobs that it overtook by backfilling, to jobs that overtook it, and to its
place in other runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from engine.schedule.backfills import NOBODY
from views.data.gantt.backfills import Backfills
from views.data.gantt.data import GanttData
from views.data.gantt.rows import RowScale
from views.data.other_run import OtherRun
from views.gantt.planned import caption_fits
from views.gantt.shift_words import Shift, shift_words
from views.text.counts import format_count, plural
from views.theme.theme import Theme
from views.timechart.frame import Frame

MOST = 50
"""Maximum number of lines to jobs that overtook the selected job."""

_TIP = 6.0
"""Pixels: the head of an arrow, and of less than twice that there is none."""


@dataclass(frozen=True, eq=False)
class Linked:
    """The data for lines: jobs on their rows, the backfills if shown, and other runs."""

    data: GanttData
    backfills: Backfills | None
    others: Sequence[OtherRun]


def paint_links(
    painter: QPainter, frame: Frame, rows: RowScale, linked: Linked, job: int, theme: Theme
) -> list[str]:
    """All lines from a job; returns what they say."""
    told, data = [], linked.data
    if linked.backfills is not None:
        told.append(paint_backfills(painter, frame, rows, data, linked.backfills, job, theme))
    told.append(paint_shifts(painter, frame, rows, data, linked.others, job, theme))
    return told


def paint_backfills(
    painter: QPainter,
    frame: Frame,
    rows: RowScale,
    data: GanttData,
    backfills: Backfills,
    job: int,
    theme: Theme,
) -> str:
    """Paint arrows from a backfilled job to the job that it overtook, and to a job from those that overtook
    it.

    Returns their description; empty if there are none.
    """
    ids, first, others = data.schedule.trace.job_id, int(backfills.first[job]), backfills.past(job)
    links = [(job, first)] if first != NOBODY else []
    links += [(other, job) for other in others[:MOST].tolist()]
    for one, other in links:
        if data.entry[one] >= 0 and data.entry[other] >= 0:
            begin, end = (_start(frame, rows, data, each) for each in (one, other))
            _paint_arrow(painter, frame, begin, end, theme, theme.text if one == job else theme.faint)
    lines = []
    if first != NOBODY:
        more = int(backfills.many[job]) - 1
        lines.append(f"went past job {ids[first]}{f' and {format_count(more)} more' if more else ''}")
    if len(others):
        drawn = f" (lines from the first {MOST})" if len(others) > MOST else ""
        lines.append(f"{plural(len(others), 'job')} went past it{drawn}")
    return f"Job {ids[job]}: {', '.join(lines)}" if lines else ""


def paint_shifts(
    painter: QPainter,
    frame: Frame,
    rows: RowScale,
    data: GanttData,
    others: Sequence[OtherRun],
    job: int,
    theme: Theme,
) -> str:
    """Paint the places of a job in other runs, on the rows that it has here, and arrows to its place in this
    run.

    Each has the other run's colour. Returns a description of the shifts that fits into the plot; runs that
    refused the job are left out.
    """
    schedule = data.schedule
    others = [one for one in others if one.schedule is not schedule and one.schedule.ran[job]]
    if not others or not schedule.ran[job] or data.entry[job] < 0:
        return ""
    top, bottom = (rows.y(row) for row in data.largest_box(job))
    shifts = []
    for index, other in enumerate(others):
        change = int(schedule.start[job] - other.schedule.start[job])
        shifts.append(Shift(change, other.name))
        if change:
            begin, end = float(other.schedule.start[job]), float(other.schedule.end[job])
            left, right, here = (frame.scale.x(time) for time in (begin, end, float(schedule.start[job])))
            ghost = QRectF(left, top, max(right - left, 3.0), max(bottom - top, 3.0))
            _paint_ghost(painter, frame, ghost, theme, other.colour)
            y = top + (index + 0.5) / len(others) * (bottom - top)
            _paint_arrow(painter, frame, QPointF(left, y), QPointF(here, y), theme, other.colour)
    wordings = list(shift_words(str(schedule.trace.job_id[job]), shifts))
    return next((words for words in wordings if caption_fits(painter, frame.plot, words)), wordings[-1])


def _paint_ghost(painter: QPainter, frame: Frame, box: QRectF, theme: Theme, colour: str) -> None:
    """Paint dashes around an empty place, over a line in the background colour."""
    painter.save()
    painter.setClipRect(frame.plot)
    for pen in (QPen(QColor(theme.chart), 3.0), QPen(QColor(colour), 1.0, Qt.PenStyle.DashLine)):
        painter.setPen(pen)
        painter.drawRect(box)
    painter.restore()


def _start(frame: Frame, rows: RowScale, data: GanttData, job: int) -> QPointF:
    """The point at which a job starts, in the middle of its tallest box."""
    middle = float(data.middles(np.array([data.entry[job]]))[0])
    return QPointF(frame.scale.x(float(data.schedule.start[job])), rows.y(middle))


def _paint_arrow(
    painter: QPainter, frame: Frame, begin: QPointF, end: QPointF, theme: Theme, colour: str
) -> None:
    """Paint a line with an arrow head, with a border in the background colour, clipped to the plot."""
    line = QLineF(begin, end)
    painter.save()
    painter.setClipRect(frame.plot)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    shapes = [QPolygonF([begin, end])]
    if line.length() >= 2 * _TIP:
        along = line.unitVector()
        step = QPointF(along.dx(), along.dy()) * _TIP
        aside = QPointF(-step.y(), step.x()) * 0.5
        shapes.append(QPolygonF([end - step + aside, end, end - step - aside]))
    for wide, ink in ((4.0, theme.chart), (1.6, colour)):
        painter.setPen(QPen(QColor(ink), wide))
        for shape in shapes:
            painter.drawPolyline(shape)
    painter.restore()
