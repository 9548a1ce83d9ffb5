"""Lines from the selected job: to jobs that it overtook by backfilling, to jobs that overtook it, and to its
place in other runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from views.data.gantt.backfills import Backfills
from views.data.gantt.data import GanttData
from views.data.gantt.links import Point, moves, overtaken
from views.data.gantt.rows import RowScale
from views.data.other_run import OtherRun
from views.gantt.planned_starts import caption_fits
from views.theme.theme import Theme
from views.timechart.frame import Frame

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
    captions, data = [], linked.data
    if linked.backfills is not None:
        arrows, stated = overtaken(data, linked.backfills, job)
        for arrow in arrows:
            begin, end = (_point(frame, rows, spot) for spot in (arrow.begin, arrow.end))
            _paint_arrow(painter, frame, begin, end, theme, theme.text if arrow.own else theme.faint)
        captions.append(stated)
    captions.append(_paint_shifts(painter, frame, rows, linked, job, theme))
    return captions


def _paint_shifts(
    painter: QPainter, frame: Frame, rows: RowScale, linked: Linked, job: int, theme: Theme
) -> str:
    """Paint the places of a job in other runs, in their colours, and arrows to its place in this run.

    Returns a description of the shifts that fits into the plot.
    """
    moved, wordings = moves(linked.data, linked.others, job)
    for shift in moved:
        # The time and the row of the job in the other run, on the rows of this run: the ghost shows when the
        # job ran there, not where.
        (left, top), (right, bottom) = (
            _point(frame, rows, corner).toTuple()
            for corner in ((shift.begin, shift.top), (shift.end, shift.bottom))
        )
        ghost = QRectF(left, top, max(right - left, 3.0), max(bottom - top, 3.0))
        _paint_ghost(painter, frame, ghost, theme, shift.colour)
        tail, tip = (_point(frame, rows, (time, shift.row)) for time in (shift.begin, shift.here))
        _paint_arrow(painter, frame, tail, tip, theme, shift.colour)
    words = ""
    # Wordings go from long to short. If none fits, the shortest stays, and the caption cuts it.
    for words in wordings:
        if caption_fits(painter, frame.plot, words):
            break
    return words


def _point(frame: Frame, rows: RowScale, point: Point) -> QPointF:
    """The position of a time and a row."""
    return QPointF(frame.scale.x(point[0]), rows.y(point[1]))


def _paint_ghost(painter: QPainter, frame: Frame, box: QRectF, theme: Theme, colour: str) -> None:
    """Paint dashes around an empty place, over a line in the background colour."""
    painter.save()
    painter.setClipRect(frame.plot)
    # A wide line in the ground's colour below the dashes, so that they are visible over boxes of any colour.
    for pen in (QPen(QColor(theme.chart), 3.0), QPen(QColor(colour), 1.0, Qt.PenStyle.DashLine)):
        painter.setPen(pen)
        painter.drawRect(box)
    painter.restore()


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
    # A wide stroke in the ground's colour lies below, so that the arrow is seen over boxes of its colour.
    for wide, ink in ((4.0, theme.chart), (1.6, colour)):
        painter.setPen(QPen(QColor(ink), wide))
        for shape in shapes:
            painter.drawPolyline(shape)
    painter.restore()
