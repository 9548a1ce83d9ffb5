"""Planned starts: outlines where waiting jobs were promised to run, beside where they ran."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QRegion, QTransform

from engine.arrays import Ints
from engine.schedule.schedule import Schedule
from engine.schedule.track_record import TrackRecord, track_record_of
from views.data.gantt.data import GanttData
from views.data.gantt.planned_starts import Planned, describe_cut, planned_of, promised_to
from views.data.gantt.rows import RowScale
from views.raster.time_scale import TimeScale
from views.text.counts import plural
from views.text.ticks import TimeAxis
from views.theme.theme import Theme
from views.timechart.frame import Frame
from views.timechart.picture import ChartPicture

MOST = 500
"""So many outlines are painted at most while they follow the mouse."""

_FEW = 200
"""Of more outlines only the left edges are painted: else they would hide the jobs."""

_MOST_LISTED = 3
"""Jobs that are named under the mouse."""

_MOST_MARKED = 5000
"""And so many of a marked instant, away from the GUI thread."""


_HOW = "Planned starts: point at a time"
_NONE = "No start was planned in this run"


class PlanOverlay:
    """The plans of a schedule in a chart: the plan at the marked instant is painted in a thread."""

    def __init__(self) -> None:
        self._marked: Planned | None = None
        self._cut = ""  # what of them is drawn, where that is not all
        self._sorted = False  # whether the promises are
        self._hint = ""
        self._record: TrackRecord | None = None

    def paint(self, picture: ChartPicture, data: GanttData, instant: float | None, theme: Theme) -> None:
        """Paint the plan at an instant over the jobs, in device pixels."""
        schedule, request = data.schedule, picture.request
        promises = schedule.log.promises  # sorted here, so that they can be looked up when the mouse moves
        self._hint = _HOW if len(promises.job) else _NONE
        self._sorted = True
        if instant is None:
            return
        if self._record is None:
            self._record = track_record_of(schedule)
        planned = planned_of(schedule, instant, self._record)
        # The picture's own scale: it has device pixels, and may be of a view that was left already.
        low, high = (share * data.rows.total for share in request.rows)
        room = QRectF(0, 0, request.width, request.height)
        scale, rows = TimeScale(*request.window, 0, request.width), RowScale(low, high, 0, request.height)
        painter = QPainter(picture.image)
        cut = paint_planned(
            painter, room, scale, rows, data, planned, theme, picture.words, request.ratio, _MOST_MARKED
        )
        painter.end()
        self._cut = cut
        self._marked = planned

    def at(self, instant: float | None) -> Planned | None:
        """The plan at the marked instant, once it is painted: until then the picture may have another."""
        return self._marked if self._marked is not None and self._marked.time == instant else None

    def caption(self, instant: float | None) -> str:
        """The accuracy of the plan, once it is painted; if no instant is marked, a hint on how to mark an
        instant.
        """
        if instant is None:
            return self._hint
        planned = self.at(instant)
        return "" if planned is None else ". ".join(filter(None, (planned.caption(), self._cut)))

    def moving(self, schedule: Schedule, chosen: Ints, hover: float | None) -> list[Planned]:
        """All planned starts of the selected job, and the plan at the mouse (s)."""
        # The GUI thread never sorts them: until the first picture there is nothing to follow the mouse.
        if not self._sorted:
            return []
        promises = [promised_to(schedule, int(chosen[0]))] if len(chosen) == 1 else []
        return promises + ([planned_of(schedule, hover)] if hover is not None else [])


def paint_planned(
    painter: QPainter,
    room: QRectF,
    scale: TimeScale,
    rows: RowScale,
    data: GanttData,
    planned: Planned,
    theme: Theme,
    words: QRegion,
    ratio: float = 1.0,
    most: int = MOST,
) -> str:
    """Paint outlines from planned starts, as long as estimated, on the rows that the jobs used in the end.

    Outlines are dashed for jobs that started earlier than planned or on time, solid for later ones; of very
    many only the starts are marked. The last of several planned starts of a job is emphasised. Jobs that a
    filter hides have no rows. Outlines pass behind the `words` on the chart. Of more than `most` outlines
    only the earliest are painted, and the result is a note about that.
    """
    outlines = _outlines(room, scale, rows, data, planned)
    # All outlines in sight decide, not those drawn: many must not look like few.
    few = len(outlines.owner) <= _FEW
    change, last = planned.change[outlines.owner], _is_last(planned.job)[outlines.owner]
    boxes = [QRectF(*edges) for edges in outlines.edges[:most].tolist()]
    painter.save()
    painter.setClipRegion(QRegion(room.toAlignedRect()).subtracted(words))
    if few:
        painter.setPen(QPen(QColor(theme.chart), 3.0 * ratio))
        painter.drawRects(boxes)
    for kind, colour in ((-1, theme.good), (0, theme.text), (1, theme.bad)):
        # The emphasised outlines come second, so that they lie over faint outlines of the same colour.
        for stands_out in (False, True):
            alike = np.flatnonzero((np.sign(change) == kind) & (last == stands_out))
            line = QColor(colour)
            line.setAlpha(255 if stands_out else 130)
            dashed = few and kind <= 0
            style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
            painter.setPen(QPen(line, 1.5 * ratio, style))
            boxes_alike = [boxes[k] for k in alike.tolist() if k < most]
            if few:
                painter.drawRects(boxes_alike)
            else:
                painter.drawLines([QLineF(box.topLeft(), box.bottomLeft()) for box in boxes_alike])
    painter.restore()
    drawn, there = (len(np.unique(planned.job[owner])) for owner in (outlines.owner[:most], outlines.owner))
    return describe_cut(drawn, there)


def words_in(picture: ChartPicture, plot: QRectF) -> QRegion:
    """The places of text in a plot that shows this picture."""
    scale = 1 / picture.request.ratio
    return QTransform.fromScale(scale, scale).map(picture.words).translated(plot.topLeft().toPoint())


def paint_moving(
    painter: QPainter,
    frame: Frame,
    rows: RowScale,
    data: GanttData,
    shown: list[Planned],
    theme: Theme,
    words: QRegion,
) -> None:
    """Paint the outlines that follow the mouse and the selection, with a note if some are left out."""
    for line, planned in enumerate(shown, start=1):
        cut = paint_planned(painter, frame.plot, frame.scale, rows, data, planned, theme, words)
        if cut:
            paint_caption(painter, frame.plot, f"Planned starts: {cut}", theme, line)


@dataclass(frozen=True, eq=False)
class _Outlines:
    """Boxes in sight: which of the planned jobs each is of, (k,), and left, top, width and height, (k, 4)."""

    owner: Ints
    edges: NDArray[np.float64]


def _outlines(room: QRectF, scale: TimeScale, rows: RowScale, data: GanttData, planned: Planned) -> _Outlines:
    """At least 3 pixels wide and high; in the order of the plans."""
    # Jobs are cut to the visible time before boxes are cut to the visible rows: a job may have many boxes.
    inside = (planned.start < scale.time(room.right())) & (planned.end > scale.time(room.left()))
    shown = np.flatnonzero(inside & (data.entry[planned.job] >= 0))
    entries = data.entry[planned.job[shown]]
    boxes = data.boxes(entries)
    # Each box remembers its job: a job on separate nodes has as many outlines as boxes.
    owner = np.repeat(shown, data.offset[entries + 1] - data.offset[entries])
    left, right = (
        (time[owner] - scale.start) / scale.seconds_per_pixel + scale.left
        for time in (planned.start, planned.end)
    )
    top = rows.top + (boxes.first - rows.first) * rows.pixels_per_row
    tall = np.maximum(boxes.count * rows.pixels_per_row, 3.0)
    edges = np.stack((left, top, np.maximum(right - left, 3.0), tall), axis=1)
    seen = np.flatnonzero((top < room.bottom()) & (top + tall > room.top()))
    return _Outlines(owner[seen], edges[seen])


def _is_last(job: Ints) -> NDArray[np.bool_]:
    """True for the last planned start of each job, shape as `job`."""
    return np.append(job[1:] != job[:-1], True)[: len(job)]


def describe_plan(
    planned: Planned, data: GanttData, job: int | None, time: float, row: float, axis: TimeAxis
) -> list[str]:
    """Lines on what was planned for a job, and for those whose outlines hold this point."""
    name = planned.schedule.trace.shown_id
    plans = [planned.describe(job, axis)] if job is not None else []
    others = [other for other in planned.jobs_at(data, time, row) if other != job]
    lines = [f"job {name(other)}: {planned.describe(other, axis)}" for other in others[:_MOST_LISTED]]
    more = len(others) - len(lines)
    return [
        line
        for line in (*plans, *lines, f"and {plural(more, 'more job')} planned here" if more else "")
        if line
    ]


def paint_caption(painter: QPainter, plot: QRectF, words: str, theme: Theme, line: int = 0) -> None:
    """A line of text in the upper right corner, as far as there is room, where the plot is tall enough."""
    metrics = painter.fontMetrics()
    words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, _caption_room(plot))
    box = QRectF(0, 0, metrics.horizontalAdvance(words) + 12, metrics.height() + 4)
    # In a low plot captions would cover most of the jobs.
    if plot.height() < 3 * box.height():
        return
    box.moveTopRight(plot.topRight())
    box.translate(-4, 4 + line * box.height())
    ground = QColor(theme.window)
    ground.setAlpha(225)
    painter.fillRect(box, ground)
    painter.setPen(QColor(theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, words)


def caption_fits(painter: QPainter, plot: QRectF, words: str) -> bool:
    """True if a caption fits without being cut."""
    return painter.fontMetrics().horizontalAdvance(words) <= _caption_room(plot)


def _caption_room(plot: QRectF) -> int:
    return round(plot.width()) - 20
