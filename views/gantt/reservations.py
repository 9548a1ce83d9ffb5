"""Reservations: where waiting jobs were promised to start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from engine.schedule import Decision, Schedule
from views.frame import Frame
from views.gantt.data import GanttData
from views.gantt.rows import RowScale
from views.style import Theme

Ints = NDArray[np.int64]

MOST = 500
"""So many outlines are painted at most."""


@dataclass(frozen=True, eq=False)
class Promises:
    """Reservations as the decision log tells them, in order of job, then time; shape (m,) each."""

    job: Ints
    told: Ints  # s
    start: Ints  # s: the job is to start by then

    def of_job(self, job: int) -> Ints:
        """The starts that were promised to a job, in order of time, each once."""
        low, high = np.searchsorted(self.job, [job, job + 1])
        start = self.start[low:high]
        changed = np.append(True, start[1:] != start[:-1])[: len(start)]
        return np.asarray(start[changed])

    @cached_property
    def _key(self) -> Ints:
        """Job and time in one number, ascending."""
        return self.job * self._span + (self.told - self._zero)

    @cached_property
    def _zero(self) -> int:
        return int(self.told.min(initial=0))

    @cached_property
    def _span(self) -> int:
        return int(self.told.max(initial=0)) - self._zero + 2

    def known_at(self, jobs: Ints, time: float) -> Ints:
        """The last start promised to each job until `time` (s), shape as `jobs`; -1: none."""
        if not len(self.job):
            return np.full(len(jobs), -1)
        wanted = jobs * self._span + min(max(floor(time) - self._zero, -1), self._span - 2)
        last = np.searchsorted(self._key, wanted, "right") - 1
        return np.where((last >= 0) & (self.job[last] == jobs), self.start[last], -1)


def promises_of(schedule: Schedule) -> Promises:
    """All reservations that a schedule's log tells of."""
    log = schedule.log
    rows = np.flatnonzero(log.kind == Decision.RESERVED)
    rows = rows[np.argsort(log.job[rows], kind="stable")]
    return Promises(log.job[rows], log.time[rows], log.value[rows])


def reserved_at(schedule: Schedule, promises: Promises, time: float) -> tuple[Ints, Ints]:
    """The jobs that wait at `time` (s) with a reservation, and the starts that they are promised."""
    jobs = np.flatnonzero((schedule.trace.submit <= time) & (schedule.start > time))
    start = promises.known_at(jobs, time)
    return jobs[start >= 0], start[start >= 0]


def paint_reservations(
    painter: QPainter, frame: Frame, scale: RowScale, data: GanttData, jobs: Ints, start: Ints, theme: Theme
) -> None:
    """Dashed outlines from promised starts, as long as estimated, on the rows that the jobs got in the end.

    A job may be there several times: its last promise is told from those before. Jobs that a filter
    hides have no rows.
    """
    schedule = data.schedule
    estimate = schedule.trace.walltime if schedule.estimate is None else schedule.estimate
    painter.save()
    painter.setClipRect(frame.plot)
    left = MOST
    shown = data.place[jobs] >= 0
    jobs, start = jobs[shown], start[shown]
    for k, (job, begin) in enumerate(zip(jobs.tolist(), start.tolist(), strict=True)):
        last = k + 1 == len(jobs) or jobs[k + 1] != job
        colour = QColor(theme.text)
        colour.setAlpha(255 if last else 130)
        x0, x1 = frame.scale.x(begin), frame.scale.x(begin + max(int(estimate[job]), 1))
        boxes = data.boxes(data.place[[job]])
        outlines = [
            QRectF(x0, scale.y(top), max(x1 - x0, 3.0), max(rows * scale.pixels_per_row, 3.0))
            for top, rows in zip(boxes.first.tolist(), boxes.count.tolist(), strict=True)
        ]
        outlines = [one for one in outlines if one.intersects(frame.plot)][:left]
        painter.setPen(QPen(QColor(theme.chart), 3.0))
        painter.drawRects(outlines)
        painter.setPen(QPen(colour, 1.5, Qt.PenStyle.DashLine))
        painter.drawRects(outlines)
        left -= len(outlines)
        if left <= 0:
            break
    painter.restore()
