"""The Gantt chart: which job ran on which processors, and when."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from engine.schedule import Schedule
from views.change import spell_change
from views.clock import Clock
from views.frame import Frame, legend_room
from views.gantt.axis import paint_row_axis, paint_row_lines
from views.gantt.colours import Classes, ColourMode, change_classes, classify, dimmed
from views.gantt.data import GanttData, gantt_data
from views.gantt.describe import describe_job
from views.gantt.labels import paint_boxes, visible_boxes
from views.gantt.pick import describe_class, pick_class
from views.gantt.rows import ROW_NAMES, RowKind, Rows, RowScale, rows_of
from views.legend import Legend, place_swatches
from views.once import Once
from views.palette import Pixels
from views.picture import Picture, Want
from views.renderer import Renderer
from views.selection import Selection, SelectionModel
from views.style import Theme, tick_font
from views.ticks import axis_of
from views.timechart import TimeChart
from views.words import plural

if TYPE_CHECKING:
    from engine.simulation.processors import Boxes

LEAST_ROWS = 3
"""Fewer rows are not zoomed into."""

_READABLE = 14.0  # least height of a box, in pixels, that is not made taller by a double-click
_TALL = 8  # boxes that it is made so tall that this many find room


class GanttChart(TimeChart):
    """Jobs as boxes over time and processors, nodes, users, queues, or lanes.

    A pixel has the colour of the job that covers most of it; a click selects that job and
    with it its user, a double-click zooms to it. What is not selected is drawn back. A click
    on an entry of the legend selects what has that colour.
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
        self._change: NDArray[np.int64] | None = None
        self._row_kind: RowKind = "processors"
        self._mode: ColourMode = "user"
        self._known_rows: Rows | None = None
        self._data: Once[GanttData] | None = None
        self._classes: Once[Classes] | None = None
        self._colours: tuple[Hashable, Pixels] | None = None
        self._gestures.rows = self._share_at
        self._gestures.least = self._least_part

    @property
    def schedule(self) -> Schedule | None:
        """The schedule that is shown."""
        return self._schedule

    def set_data(self, schedule: Schedule | None, boxes: Boxes | None = None) -> None:
        """Show a schedule whose jobs have these boxes; until its picture is there, the one before stays."""
        self._schedule, self._boxes, self._tardiness, self._change = schedule, boxes, None, None
        if schedule is not None:
            self.set_time_axis(axis_of(schedule.trace))
            self.set_message("" if schedule.ran.any() else "No job ran")
        else:
            self.set_message("Nothing to show yet")
        self._classify()
        self._arrange()

    def set_tardiness(self, tardiness: NDArray[np.int64] | None) -> None:
        """How late each job of the trace ended, in seconds, shape (n,); None: nobody has judged it."""
        self._tardiness = tardiness
        if self._mode == "late":
            self._classify()
            self._data_changed()

    def set_change(self, change: NDArray[np.int64] | None) -> None:
        """How much later each job of the trace starts than in another run, in seconds, shape (n,)."""
        self._change = change
        self._classify()
        self._data_changed()

    def set_rows(self, kind: RowKind) -> None:
        """What rows are: processors, nodes, users or queues of equal height, or lanes of jobs."""
        if kind != self._row_kind:
            self._row_kind = kind
            self._arrange()

    def set_colours(self, mode: ColourMode) -> None:
        """What colours say of a job, such as its user, its wait, or how late it ended."""
        if mode != self._mode:
            self._mode = mode
            self._classify()
            self._data_changed()

    def tooltip_at(self, place: QPointF) -> str:
        """The job there: what it asked for, when it came, and how it fared; or what a colour means."""
        entry = self._entry_at(place)
        if entry is not None and self._classes is not None:
            return describe_class(self._classes(), entry)
        job = self._job_at(place)
        if job is None or self._schedule is None:
            return ""
        text = describe_job(self._schedule, job, self._tardiness, self._time_axis)
        return text if self._change is None else f"{text}\nstarts {spell_change(int(self._change[job]))}"

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        if self.message or self._schedule is None:
            return self.message
        jobs = plural(int(self._schedule.ran.sum()), "job")
        processors = plural(self._schedule.cluster.cpus, "processor")
        return f"{jobs} on {processors}, rows: {ROW_NAMES[self._row_kind]}, coloured by {self._mode}"

    def _arrange(self) -> None:
        schedule, boxes, kind = self._schedule, self._boxes, self._row_kind
        self._data = None
        if schedule is not None and boxes is not None:
            if self._known_rows is None:
                self._known_rows = rows_of(schedule.cluster, "processors")
            self._data = Once(lambda: gantt_data(schedule, boxes, kind))
        self._data_changed()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours; those of changes hang on the theme."""
        super().set_theme(theme)
        self._classify()

    def _classify(self) -> None:
        schedule, mode, tardiness = self._schedule, self._mode, self._tardiness
        change, dark = self._change, self.theme.dark
        if schedule is None:
            self._classes = None
        elif mode == "change":
            moved = np.zeros(len(schedule.start), np.int64) if change is None else change
            self._classes = Once(lambda: change_classes(moved, dark))
        else:
            self._classes = Once(lambda: classify(schedule, mode, tardiness))

    @property
    def _rows(self) -> Rows | None:
        """The rows that are shown: those before, until the new ones are laid out."""
        if self._data is not None and self._data.value is not None:
            self._known_rows = self._data.value.rows
        return self._known_rows

    def _rows_shown(self) -> tuple[float, float]:
        return self.clock.rows

    def _row_scale(self, frame: Frame, rows: Rows) -> RowScale:
        low, high = self.clock.rows
        return RowScale(low * rows.total, high * rows.total, frame.plot.top(), frame.plot.height())

    def _share_at(self, y: float) -> float:
        plot, (low, high) = self.frame().plot, self.clock.rows
        return low + (high - low) * min(max((y - plot.top()) / plot.height(), 0.0), 1.0)

    def _least_part(self) -> float:
        return min(LEAST_ROWS / self._rows.total, 1.0) if self._rows is not None else 1.0

    def _look(self) -> Hashable:
        return self._mode, self.selection.value.without_span

    def _painter_of(self, want: Want) -> Callable[[], Picture] | None:
        schedule, data, classes = self._schedule, self._data, self._classes
        if schedule is None or data is None or classes is None:
            return None
        mode, selection, theme = self._mode, self.selection.value, self.theme
        key = (self._version, mode, selection.without_span, theme.name)
        font = tick_font(self.font())

        def make() -> Picture:
            drawn = data()
            kept = self._colours
            if kept is not None and kept[0] == key:
                colours = kept[1]
            else:
                colours = _dim(classes().pixels(), schedule, selection, theme)[drawn.job]
                self._colours = key, colours
            picture = Picture.of(want, drawn.paint(want, colours, theme.idle))
            boxes = visible_boxes(drawn, want)
            if boxes is not None:
                paint_boxes(picture.image, want, drawn, boxes, colours, selection.jobs, theme.accent, font)
            return picture

        return make

    def _legend(self) -> Legend | None:
        classes = self._classes.value if self._classes is not None else None
        return classes.legend if classes is not None else None

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        rows = self._rows
        if rows is not None:
            marked = self._marked_names(rows)
            paint_row_axis(painter, frame, rows, self._row_scale(frame, rows), marked, self.theme)

    def _marked_names(self, rows: Rows) -> frozenset[str]:
        """The names of what is selected, where rows are users or queues."""
        if self._schedule is None or not rows.names:
            return frozenset()
        trace, value = self._schedule.trace, self.selection.value
        of_users = rows.kind == "users"
        names, codes = (trace.user, value.users) if of_users else (trace.queue, value.queues)
        return frozenset(names.names[code] for code in codes if code < len(names.names))

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        rows = self._rows
        if rows is not None:
            paint_row_lines(painter, frame, rows, self._row_scale(frame, rows), self.theme)

    def _job_at(self, place: QPointF) -> int | None:
        """The job that covers most of the pixel, as it is painted."""
        frame = self.frame()
        data = self._data.value if self._data is not None else None
        if data is None or self.message or not frame.plot.contains(place):
            return None
        left = frame.plot.left() + int(place.x() - frame.plot.left())
        scale = self._row_scale(frame, data.rows)
        y = frame.plot.top() + int(place.y() - frame.plot.top())
        return data.job_at(frame.scale.time(left), frame.scale.time(left + 1), scale.row(y), scale.row(y + 1))

    def _entry_at(self, place: QPointF) -> int | None:
        """The entry of the legend there."""
        frame, classes = self.frame(), self._classes.value if self._classes is not None else None
        if classes is None or self.message or not frame.title.contains(place):
            return None
        room = legend_room(frame, self._title, self._title_colour, self.font())
        advance = QFontMetricsF(tick_font(self.font())).horizontalAdvance
        placed = place_swatches(room, classes.legend, advance)
        return next((one.entry for one in placed if one.whole.contains(place)), None)

    def _clicked(self, place: QPointF, toggle: bool) -> bool:
        schedule = self._schedule
        if schedule is None:
            return False
        entry, job = self._entry_at(place), self._job_at(place)
        if entry is not None and self._classes is not None:
            pick_class(self.selection, schedule.trace, self._mode, self._classes(), entry, toggle)
        elif job is not None:
            self.selection.select_job(schedule.trace, job, toggle)
        return entry is not None or job is not None

    def _double_clicked(self, place: QPointF) -> bool:
        job, schedule, data = self._job_at(place), self._schedule, self._data
        if self._entry_at(place) is not None:
            return True  # the first click has selected it
        if job is None or schedule is None or data is None:
            return False
        begin, end = float(schedule.start[job]), float(schedule.end[job])
        room = max(end - begin, 1.0) / 2
        self.clock.set_window(begin - room, end + room, self._rows_around(data(), job))
        return True

    def _rows_around(self, data: GanttData, job: int) -> tuple[float, float] | None:
        """The part of the rows in which the job can be read; None: it can as it is."""
        top, bottom = data.largest_box(job)
        low, high = self.clock.rows
        total = data.rows.total
        if (bottom - top) / total / (high - low) * self.frame().plot.height() >= _READABLE:
            return None
        size = min(max(_TALL * (bottom - top), LEAST_ROWS) / total, 1.0)
        first = min(max((top + bottom) / 2 / total - size / 2, 0.0), 1.0 - size)
        return first, first + size

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
