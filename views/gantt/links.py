"""Lines from the selected job: to the jobs that it was backfilled past or that went past it, and to where it
stood in another run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from engine.schedule.backfills import NOBODY
from engine.schedule.schedule import Schedule
from views.data.changes import spell_change
from views.data.gantt.backfills import Backfills
from views.data.gantt.data import GanttData
from views.data.gantt.rows import RowScale
from views.text.counts import plural, spell_count
from views.theme.theme import Theme
from views.timechart.frame import Frame

MOST = 50
"""Of more jobs that went past the selected one only the first have a line."""

_TIP = 6.0
"""Pixels: the head of an arrow, and of less than twice that there is none."""


@dataclass(frozen=True, eq=False)
class Linked:
    """What lines are drawn from: jobs on their rows, who went past whom if that is shown, and another run."""

    data: GanttData
    backfills: Backfills | None
    other: Schedule | None


def paint_links(
    painter: QPainter, frame: Frame, rows: RowScale, linked: Linked, job: int, theme: Theme
) -> list[str]:
    """All lines from a job; returns what they say."""
    told, data = [], linked.data
    if linked.backfills is not None:
        told.append(paint_backfills(painter, frame, rows, data, linked.backfills, job, theme))
    if linked.other is not None:
        told.append(paint_shift(painter, frame, rows, data, linked.other, job, theme))
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
    """Arrows from a backfilled job to the one that it went past, and to a job from those that went past it.

    Returns what they say, in words; empty where there is nothing to say.
    """
    ids, first, others = data.schedule.trace.job_id, int(backfills.first[job]), backfills.past(job)
    links = [(job, first)] if first != NOBODY else []
    links += [(other, job) for other in others[:MOST].tolist()]
    for one, other in links:
        if data.entry[one] >= 0 and data.entry[other] >= 0:
            begin, end = (_start(frame, rows, data, each) for each in (one, other))
            _paint_arrow(painter, frame, begin, end, theme, theme.text if one == job else theme.faint)
    told = []
    if first != NOBODY:
        more = int(backfills.many[job]) - 1
        told.append(f"went past job {ids[first]}{f' and {spell_count(more)} more' if more else ''}")
    if len(others):
        drawn = f" (lines from the first {MOST})" if len(others) > MOST else ""
        told.append(f"{plural(len(others), 'job')} went past it{drawn}")
    return f"Job {ids[job]}: {', '.join(told)}" if told else ""


def paint_shift(
    painter: QPainter, frame: Frame, rows: RowScale, data: GanttData, other: Schedule, job: int, theme: Theme
) -> str:
    """Where a job stood in another run, on the rows that it has here, and an arrow to where it is now.

    Returns in words how far it moved; empty where one of the runs refused it.
    """
    schedule = data.schedule
    if other is schedule or not (other.ran[job] and schedule.ran[job]) or data.entry[job] < 0:
        return ""
    change = int(schedule.start[job] - other.start[job])
    name, than = schedule.trace.job_id[job], other.policy.spelling
    if not change:
        return f"Job {name} starts as under {than}"
    top, bottom = (rows.y(row) for row in data.largest_box(job))
    left, right = (frame.scale.x(float(time)) for time in (other.start[job], other.end[job]))
    painter.save()
    painter.setClipRect(frame.plot)
    ghost = QRectF(left, top, max(right - left, 3.0), max(bottom - top, 3.0))
    for pen in (QPen(QColor(theme.chart), 3.0), QPen(QColor(theme.accent), 1.0, Qt.PenStyle.DashLine)):
        painter.setPen(pen)
        painter.drawRect(ghost)
    painter.restore()
    middle, here = (top + bottom) / 2, frame.scale.x(float(schedule.start[job]))
    _paint_arrow(painter, frame, QPointF(left, middle), QPointF(here, middle), theme, theme.accent)
    return f"Job {name} starts {spell_change(change)} than under {than}"


def _start(frame: Frame, rows: RowScale, data: GanttData, job: int) -> QPointF:
    """Where a job starts, in the middle of its tallest box."""
    middle = float(data.middles(np.array([data.entry[job]]))[0])
    return QPointF(frame.scale.x(float(data.schedule.start[job])), rows.y(middle))


def _paint_arrow(
    painter: QPainter, frame: Frame, begin: QPointF, end: QPointF, theme: Theme, colour: str
) -> None:
    """A line with a head, and the ground's colour around it, as far as it lies in the plot."""
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
