"""The Gantt chart: which job ran on which processors, and when."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from engine.schedule import Schedule
from views.clock import Clock
from views.frame import Frame, paint_row_label, paint_upright
from views.gantt.colours import ColourMode, NamedColours, dimmed, job_colours, legend_of, named_colours
from views.gantt.data import GanttData, gantt_data
from views.gantt.describe import describe_job
from views.gantt.labels import paint_boxes, visible_boxes
from views.gantt.rows import RowKind, Rows, rows_of
from views.legend import Legend
from views.once import Once
from views.palette import Pixels, pixel
from views.picture import Picture, Want
from views.renderer import Renderer
from views.selection import Selection, SelectionModel
from views.style import Theme, tick_font
from views.ticks import axis_of
from views.timechart import TimeChart
from views.words import plural, spell_count

if TYPE_CHECKING:
    from engine.simulation.processors import Boxes


class GanttChart(TimeChart):
    """Jobs as boxes over time and processors, or nodes.

    A pixel has the colour of the job that covers most of it; a click selects that job and
    with it its user, a double-click zooms to it. What is not selected is drawn back.
    """

    def __init__(
        self,
        clock: Clock,
        selection: SelectionModel,
        renderer: Renderer,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(clock, selection, renderer, theme, "Gantt chart", parent)
        self._schedule: Schedule | None = None
        self._boxes: Boxes | None = None
        self._tardiness: NDArray[np.int64] | None = None
        self._row_kind: RowKind = "processors"
        self._mode: ColourMode = "user"
        self._rows: Rows | None = None
        self._data: Once[GanttData] | None = None
        self._named: Once[NamedColours] | None = None
        self._colours: tuple[Hashable, Pixels] | None = None

    @property
    def schedule(self) -> Schedule | None:
        """The schedule that is shown."""
        return self._schedule

    def set_data(self, schedule: Schedule | None, boxes: Boxes | None = None) -> None:
        """Show a schedule whose jobs have these boxes; until its picture is there, the one before stays."""
        self._schedule, self._boxes, self._tardiness = schedule, boxes, None
        if schedule is not None:
            self._name_colours()
            self.set_time_axis(axis_of(schedule.trace))
            self.set_message("" if schedule.ran.any() else "No job ran")
        else:
            self.set_message("Nothing to show yet")
        self._arrange()

    def set_tardiness(self, tardiness: NDArray[np.int64] | None) -> None:
        """How late each job of the trace ended, in seconds, shape (n,); None: nobody has judged it."""
        self._tardiness = tardiness
        self._data_changed()

    def set_rows(self, kind: RowKind) -> None:
        """Rows are processors, or nodes of equal height."""
        if kind != self._row_kind:
            self._row_kind = kind
            self._arrange()

    def set_colours(self, mode: ColourMode) -> None:
        """What colours say: the job's user, its queue, its wait, or how late it ended."""
        if mode != self._mode:
            self._mode = mode
            self._name_colours()
            self._data_changed()

    def tooltip_at(self, place: QPointF) -> str:
        """The job there: what it asked for, when it came, and how it fared."""
        job = self._job_at(place)
        if job is None or self._schedule is None:
            return ""
        return describe_job(self._schedule, job, self._tardiness, self._time_axis)

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        if self.message or self._schedule is None or self._rows is None:
            return self.message
        jobs = plural(int(self._schedule.ran.sum()), "job")
        return f"{jobs} on {spell_count(self._rows.total)} {self._rows.kind}, coloured by {self._mode}"

    def _arrange(self) -> None:
        schedule, boxes, kind = self._schedule, self._boxes, self._row_kind
        self._rows, self._data = None, None
        if schedule is not None and boxes is not None:
            self._rows = rows_of(schedule.cluster, kind)
            self._data = Once(lambda: gantt_data(schedule, boxes, kind))
        self._data_changed()

    def _name_colours(self) -> None:
        if self._schedule is not None:
            trace = self._schedule.trace
            names = trace.queue if self._mode == "queue" else trace.user
            self._named = Once(lambda: named_colours(trace, names))

    def _look(self) -> Hashable:
        return self._mode, self.selection.value.without_span

    def _painter_of(self, want: Want) -> Callable[[], Picture] | None:
        schedule, data, named = self._schedule, self._data, self._named
        if schedule is None or data is None or named is None:
            return None
        mode, tardiness, selection, theme = self._mode, self._tardiness, self.selection.value, self.theme
        key = (self._version, mode, selection.without_span, theme.name)
        font = tick_font(self.font())

        def make() -> Picture:
            from views.raster import rectangles

            drawn = data()
            kept = self._colours
            if kept is not None and kept[0] == key:
                colours = kept[1]
            else:
                of_jobs = job_colours(schedule, mode, tardiness, named())
                colours = _dim(of_jobs, schedule, selection, theme)[drawn.job]
                self._colours = key, colours
            pixels = rectangles(
                drawn.start, drawn.end, drawn.latest, colours,
                drawn.strips(want.height), want.window, want.width, pixel(theme.idle),
            )  # fmt: skip
            picture = Picture.of(want, pixels)
            boxes = visible_boxes(drawn, want.window)
            if boxes is not None:
                paint_boxes(picture.image, want, drawn, boxes, colours, selection.jobs, theme.accent, font)
            return picture

        return make

    def _legend(self) -> Legend | None:
        named = self._named.value if self._named is not None else None
        return legend_of(self._mode, named) if named is not None else None

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        if self._rows is not None:
            _paint_row_axis(painter, frame, self._rows, self.theme)

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        """Lines between groups of nodes."""
        if self._rows is not None:
            painter.setPen(QColor(self.theme.faint))
            down = frame.plot.height() / self._rows.total
            edges = [round(frame.plot.top() + group.first * down) + 0.5 for group in self._rows.groups[1:]]
            painter.drawLines([QLineF(frame.plot.left(), y, frame.plot.right(), y) for y in edges])

    def _job_at(self, place: QPointF) -> int | None:
        """The job that covers most of the pixel, as it is painted."""
        frame = self.frame()
        data = self._data.value if self._data is not None else None
        if data is None or self.message or not frame.plot.contains(place):
            return None
        left = frame.plot.left() + int(place.x() - frame.plot.left())
        down = data.rows.total / frame.plot.height()
        top = int(place.y() - frame.plot.top()) * down
        return data.job_at(frame.scale.time(left), frame.scale.time(left + 1), top, top + down)

    def _clicked(self, place: QPointF, toggle: bool) -> bool:
        job = self._job_at(place)
        if job is None or self._schedule is None:
            return False
        self.selection.select_job(self._schedule.trace, job, toggle)
        return True

    def _double_clicked(self, place: QPointF) -> bool:
        job, schedule = self._job_at(place), self._schedule
        if job is None or schedule is None:
            return False
        self.clock.fit_range(float(schedule.start[job]), float(schedule.end[job]), margin=0.5)
        return True

    def _picked_range(self) -> tuple[float, float] | None:
        if self._schedule is None:
            return None
        picked = self.selection.value.mask(self._schedule.trace)
        if picked is None or not (picked & self._schedule.ran).any():
            return None
        picked = picked & self._schedule.ran
        return float(self._schedule.start[picked].min()), float(self._schedule.end[picked].max())


def _dim(colours: Pixels, schedule: Schedule, selection: Selection, theme: Theme) -> Pixels:
    picked = selection.without_span.mask(schedule.trace)
    return colours if picked is None else dimmed(colours, picked, theme.idle)


def _paint_row_axis(painter: QPainter, frame: Frame, rows: Rows, theme: Theme) -> None:
    """Numbers of processors or nodes, and upright beside them what they are, or the names of groups."""
    line = QFontMetricsF(painter.font()).height()
    down = frame.plot.height() / rows.total
    edge = frame.gutter.right()
    painter.setPen(QColor(theme.faint))
    for row in rows.ticks(1.6 * line / down):
        y = frame.plot.top() + row * down
        painter.drawLine(QPointF(edge - 4, int(y) + 0.5), QPointF(edge - 1, int(y) + 0.5))
        paint_row_label(painter, frame, spell_count(row), y + down / 2 if down >= line else y)
    for group in rows.groups:
        name = group.name if len(rows.groups) > 1 else rows.kind
        paint_upright(painter, frame, name, frame.plot.top() + group.first * down, group.rows * down)
