"""The Gantt chart: which job ran on which processors, and when."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from engine.filter import Expression
from engine.quantities import Jobs
from engine.schedule.schedule import Schedule
from views.data.gantt.colours import (
    COLOUR_NAMES,
    Classes,
    ColourMode,
    Painted,
    both,
    classify,
    cut_short,
    paint_jobs,
)
from views.data.gantt.data import GanttData, gantt_data
from views.data.gantt.down import told_of_failures
from views.data.gantt.idle import idle_of, told_of_idle
from views.data.gantt.rows import MACHINE_ROWS, ROW_NAMES, RowKind, Rows, RowScale, rows_of
from views.data.gantt.shown_layers import ShownLayers
from views.data.gantt.steps import StepKind
from views.gantt.axis import paint_row_axis, paint_row_lines
from views.gantt.beyond import Sign, paint_sign, sign_to
from views.gantt.describe import describe_job
from views.gantt.legend_entries import LegendEntries
from views.gantt.legend_mouse import LegendMouse
from views.gantt.overlay import overlay
from views.gantt.planned import PlanOverlay, paint_caption, paint_moving, told_of, words_in
from views.gantt.step import Stepper, first_job
from views.gantt.waits import told_of_wait
from views.gantt.zoom import least_part, moved_to, part_of, rows_around
from views.raster.request import ALL_ROWS, RenderRequest
from views.state.context import ViewContext
from views.text.counts import plural
from views.text.names import spell_name
from views.text.ticks import axis_of
from views.theme.theme import Theme, tick_font
from views.timechart.chart import TimeChart
from views.timechart.frame import Frame
from views.timechart.legend import Hatched, Swatches
from views.timechart.picture import Picture
from views.work.lazy import Lazy

if TYPE_CHECKING:
    from engine.metrics.loss import Idle
    from engine.schedule.processors import Boxes


class GanttChart(TimeChart):
    """Jobs as boxes over time and processors, nodes, users, queues, or lanes.

    A pixel has the colour of the job that covers most of it; a click selects that job and
    with it its user, a double-click zooms to it. What is not selected is drawn back. A click
    on an entry of the legend filters by what has that colour.
    """

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, "Gantt chart", parent)
        self._schedule: Schedule | None = None
        self._boxes: Boxes | None = None
        self._tardiness: NDArray[np.int64] | None = None
        self._baseline: Schedule | None = None
        self._row_kind: RowKind = "processors"
        self._mode: ColourMode = "user"
        self._layers = ShownLayers()
        self._stepper = Stepper()
        self._known_rows: Rows | None = None
        self._data: Lazy[GanttData] | None = None
        self._classes: Lazy[Classes] | None = None
        self._idle: Lazy[Idle] | None = None
        self._plans = PlanOverlay()
        self._painted: tuple[Hashable, Painted] | None = None  # its pixels in the order of the data
        self._hidden: Expression | None = None  # what jobs must meet to be in the data
        self._met: int | None = None  # the job that the last click was on, or led to
        self._legend_mouse = LegendMouse(self, self._legend, lambda: self._legend_entries)
        self._gestures.rows = self._share_at
        self._gestures.least = self._least_part

    @property
    def schedule(self) -> Schedule | None:
        """The schedule that is shown."""
        return self._schedule

    def set_data(self, schedule: Schedule | None, boxes: Boxes | None = None) -> None:
        """Show a schedule whose jobs have these boxes; until its picture is there, the one before stays."""
        self._schedule, self._boxes, self._tardiness, self._baseline = schedule, boxes, None, None
        if schedule is not None:
            self._idle = Lazy(lambda: idle_of(schedule))
            self._plans = PlanOverlay()
            self.set_time_axis(axis_of(schedule.trace))
            self.set_message("" if schedule.ran.any() else "No job ran")
        else:
            self.set_message("Nothing to show yet")
        self._classify()
        self._arrange()

    def set_tardiness(self, tardiness: NDArray[np.int64] | None) -> None:
        """How late each job of the trace ended, in seconds, shape (n,); None: nobody has judged it."""
        if tardiness is self._tardiness:
            return
        self._tardiness = tardiness
        if self._mode == "late":
            self._classify()
            self._data_changed()
        expression = self.filter.value.expression
        if expression is not None and expression.of_run:  # it may ask for late jobs
            self._filter_changed()

    def set_baseline(self, schedule: Schedule | None) -> None:
        """The schedule of the same trace that starts are compared with."""
        if schedule is not self._baseline:
            self._baseline = schedule
            if self._mode == "change":
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

    def set_layers(self, layers: ShownLayers) -> None:
        """What is shown besides the jobs."""
        if layers != self._layers:
            self._layers = layers
            self.refresh()

    def fit_rows(self) -> None:
        """Show just the rows of the jobs in view."""
        data = self._laid_out
        if data is not None and len(entries := data.between(*self.clock.window)):
            self.clock.set_window(*self.clock.window, part_of(data, entries))

    def step(self, kind: StepKind, forward: bool) -> None:
        """Select the job after the selected one, or before it, and bring it into view.

        Where none is selected that is the first job in view, of the selected users and queues if any are.
        """
        schedule, data = self._schedule, self._laid_out
        if schedule is None or data is None or not len(data.job):
            return
        chosen = self._chosen(data)
        if len(chosen):
            job = self._stepper.step(data, kind, int(chosen[0]), forward)
        else:
            picked = replace(self.selection.value, jobs=frozenset()).mask(schedule.trace)
            job = first_job(data, self.clock.window, picked)
        if job is not None:
            self.selection.select_job(schedule.trace, job)
            self._bring(data, job)

    def _bring(self, data: GanttData, job: int) -> None:
        """Move so that the whole job is seen."""
        shown = moved_to(data, job, self.clock.window, self.clock.rows)
        if shown != (self.clock.window, self.clock.rows):
            self.clock.set_window(*shown[0], shown[1])

    def _sign(self, frame: Frame) -> Sign | None:
        """What leads to the one selected job where that is not seen."""
        data = self._laid_out
        if data is None or self.message or len(self.selection.value.jobs) != 1:  # there may be very many
            return None
        if not len(chosen := self._chosen(data)):
            return None
        metrics = QFontMetricsF(tick_font(self.font()))
        return sign_to(data, int(chosen[0]), frame, self._row_scale(frame, data.rows), metrics)

    def _sign_at(self, position: QPointF) -> Sign | None:
        sign = self._sign(self.frame())
        return sign if sign is not None and sign.room.contains(position) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        clickable = self._sign_at(at) is not None or self._legend_mouse.entry_at(at) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if clickable else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def _chosen(self, data: GanttData) -> NDArray[np.int64]:
        """The picked jobs that are shown, ascending; others may still be of another trace."""
        jobs = self.selection.value.known_jobs(len(data.entry))
        return np.asarray(jobs[data.entry[jobs] >= 0])

    def tooltip_at(self, position: QPointF) -> str:
        """The job there: what it asked for, when it came, and how it fared; or what a colour means."""
        schedule, data = self._schedule, self._laid_out
        if schedule is None or data is None or self.message or not self.frame().plot.contains(position):
            return self._legend_mouse.tooltip_at(position)
        if (sign := self._sign_at(position)) is not None:
            return f"Click: go to job {schedule.trace.job_id[sign.job]}, which lies there"
        area, axis = self._pixel_at(data, position), self._time_axis
        job = data.job_at(*area)
        told = []
        if job is not None:
            baseline = self._baseline if self._mode == "change" else None
            told.append(describe_job(schedule, job, self._tardiness, baseline, axis))
        told += told_of_failures(data, area, self._layers.down, axis)
        planned = self._plans.at(self.selection.value.instant) if self._layers.reservations else None
        if planned is not None:
            told += told_of(planned, data, job, self.frame().scale.time(position.x()), area[2], axis)
        if self._layers.waits:
            told += told_of_wait(data, self.clock.window, self.selection.value.jobs, area, axis)
        idle = self._idle.value if self._idle is not None and self._layers.idle else None
        if not told and idle is not None and data.rows.kind in MACHINE_ROWS:
            told = told_of_idle(idle, area[0], area[1], axis)
        return "\n".join(told)

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        if self.message or self._schedule is None:
            return self.message
        jobs = plural(int(self._schedule.ran.sum()), "job")
        processors = plural(self._schedule.cluster.cpus, "processor")
        rows, colours = ROW_NAMES[self._row_kind].lower(), COLOUR_NAMES[self._mode].lower()
        return f"{jobs} on {processors}, rows: {rows}, colours: {colours}"

    def _arrange(self) -> None:
        schedule, boxes, kind = self._schedule, self._boxes, self._row_kind
        hidden, tardiness = self.filter.value.hidden, self._tardiness
        self._data, self._hidden = None, hidden
        if schedule is not None and boxes is not None:
            if self._known_rows is None:
                self._known_rows = rows_of(schedule.cluster, "processors")

            def make() -> GanttData:
                data, jobs = gantt_data(schedule, boxes, kind), Jobs(schedule.trace, schedule, tardiness)
                return data if hidden is None else data.only(hidden.mask(jobs))

            self._data = Lazy(make)
        self._data_changed()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours; those of changes hang on the theme."""
        super().set_theme(theme)
        self._classify()

    def _filter_changed(self) -> None:
        """Hidden jobs are not there at all; those that are drawn back only look otherwise."""
        hidden = self.filter.value.hidden
        if hidden != self._hidden or (hidden is not None and hidden.of_run):
            self._arrange()
        else:
            self._data_changed()

    def _classify(self) -> None:
        schedule, mode, dark = self._schedule, self._mode, self.theme.dark
        self._classes = None
        if schedule is not None:
            jobs = Jobs(schedule.trace, schedule, self._tardiness, self._baseline)
            self._classes = Lazy(lambda: classify(jobs, mode, dark))

    @property
    def _laid_out(self) -> GanttData | None:
        """The data that are drawn, as soon as they have their rows."""
        return None if self._data is None else self._data.value

    @property
    def _rows(self) -> Rows | None:
        """The rows that are shown: those before, until the new ones are laid out."""
        if (data := self._laid_out) is not None:
            self._known_rows = data.rows
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
        return least_part(self._rows) if self._rows is not None else 1.0

    def _look(self) -> Hashable:
        instant = self.selection.value.instant if self._layers.reservations else None
        return self._mode, self._layers, self.selection.value.without_time, self.filter.value, instant

    def _painter_of(self, request: RenderRequest) -> Callable[[], Picture] | None:
        schedule, data, classes = self._schedule, self._data, self._classes
        idle, plans = self._idle, self._plans
        if schedule is None or data is None or classes is None or idle is None:
            return None
        mode, selection, theme, layers = self._mode, self.selection.value, self.theme, self._layers
        filtered, tardiness = self.filter.value.expression, self._tardiness
        key = (self._version, mode, selection.without_time, filtered, theme.name)
        font = tick_font(self.font())

        def make() -> Picture:
            drawn = data()
            kept = self._painted
            if kept is None or kept[0] != key:
                jobs = Jobs(schedule.trace, schedule, tardiness)
                matching = None if filtered is None else filtered.mask(jobs)
                picked = both(selection.without_time.mask(schedule.trace), matching)
                painted = paint_jobs(classes(), picked, theme.idle)
                pixels = cut_short(painted.pixels[drawn.job], drawn.cut, theme.idle)
                kept = self._painted = key, Painted(pixels, painted.picked)
            colours = kept[1].pixels
            picture = Picture.of(request, drawn.paint(request, colours, theme.idle))
            picture = overlay(picture, drawn, colours, layers, idle, selection.jobs, theme, font)
            if layers.reservations:
                plans.paint(picture, drawn, selection.instant, theme)
            return picture

        return make

    def _legend(self) -> Swatches | None:
        classes = self._classes.value if self._classes is not None else None
        picked = self._painted[1].picked if self._painted is not None else None
        if classes is None or self._schedule is None:
            return None
        hatched = []
        if self._row_kind in MACHINE_ROWS:
            if self._layers.down and self._schedule.cluster.failures is not None:
                hatched.append(Hatched(self.theme.faint, "down"))
            if self._layers.idle:
                hatched.append(Hatched(self.theme.bad, "idle, wanted", rises=True))
        return Swatches(classes.entries, classes.ordered, picked, tuple(hatched))

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        if (rows := self._rows) is not None:
            marked = self._marked_names(rows)
            paint_row_axis(painter, frame, rows, self._row_scale(frame, rows), marked, self.theme)

    def _marked_names(self, rows: Rows) -> frozenset[str]:
        """The names of what is selected, where rows are users or queues."""
        if self._schedule is None or not rows.names:
            return frozenset()
        trace, value = self._schedule.trace, self.selection.value
        of_users = rows.kind == "users"
        names, codes = (trace.user, value.users) if of_users else (trace.queue, value.queues)
        kind = rows.kind.removesuffix("s")
        return frozenset(spell_name(kind, names.names[code]) for code in codes if code < len(names.names))

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        if (rows := self._rows) is not None:
            paint_row_lines(painter, frame, rows, self._row_scale(frame, rows), self.theme)
        plans = self._plans.caption(self.selection.value.instant) if self._layers.reservations else ""
        said = self._memo.value.said if self._memo.value is not None else ""
        for line, caption in enumerate(filter(None, (plans, said))):
            paint_caption(painter, frame.plot, caption, self.theme, line)
        if (sign := self._sign(frame)) is not None:
            paint_sign(painter, sign, self.theme)

    def _paint_moving(self, painter: QPainter, frame: Frame) -> None:
        data = self._laid_out
        if self._layers.reservations and data is not None and not self.message:
            hover = self.clock.hover if self.selection.value.instant is None else None
            shown = self._plans.moving(data.schedule, self._chosen(data), hover)
            picture = self._memo.value
            there = picture is not None and picture.request == self._request(frame, self.devicePixelRatioF())
            words = words_in(picture, frame.plot) if picture is not None and there else QRegion()
            paint_moving(painter, frame, self._row_scale(frame, data.rows), data, shown, self.theme, words)
        super()._paint_moving(painter, frame)

    def _follow_hover(self, time: float | None) -> None:
        super()._follow_hover(time)
        if self._layers.reservations and self.selection.value.instant is None:
            self.update(self.frame().plot.toAlignedRect())

    def _job_at(self, position: QPointF) -> int | None:
        """The job that covers most of the pixel, as it is painted."""
        frame, data = self.frame(), self._laid_out
        if data is None or self.message or not frame.plot.contains(position):
            return None
        return data.job_at(*self._pixel_at(data, position))

    def _pixel_at(self, data: GanttData, position: QPointF) -> tuple[float, float, float, float]:
        """What the pixel there shows: from and to a time (s), from and to a row."""
        frame = self.frame()
        left = frame.plot.left() + int(position.x() - frame.plot.left())
        scale = self._row_scale(frame, data.rows)
        y = frame.plot.top() + int(position.y() - frame.plot.top())
        return frame.scale.time(left), frame.scale.time(left + 1), scale.row(y), scale.row(y + 1)

    @property
    def _legend_entries(self) -> LegendEntries | None:
        """What the entries of the legend mean, as soon as that is known."""
        classes = self._classes.value if self._classes is not None else None
        if classes is None or self._schedule is None:
            return None
        return LegendEntries(self._schedule.trace, self._mode, classes)

    def _clicked(self, position: QPointF, toggle: bool) -> bool:
        sign, data, job = self._sign_at(position), self._laid_out, self._job_at(position)
        self._met = sign.job if sign is not None else job
        if sign is not None and data is not None:
            self._bring(data, sign.job)
            return True
        if job is not None and self._schedule is not None:
            self.selection.select_job(self._schedule.trace, job, toggle)
        return job is not None or self._legend_mouse.click(position, toggle)

    def _double_clicked(self, position: QPointF) -> bool:
        """Zoom to what the first of both clicks was on: another job may lie there since."""
        job, schedule, data = self._job_at(position), self._schedule, self._data
        if self._pointer.was_clicked(position):
            job = self._met
        if job is None or schedule is None or data is None:
            return self._legend_mouse.double_click(position)
        begin, end = float(schedule.start[job]), float(schedule.end[job])
        room = max(end - begin, 1.0) / 2
        self.clock.set_window(
            begin - room, end + room, rows_around(data(), job, self.clock.rows, self.frame().plot.height())
        )
        return True

    def picked_rows(self) -> tuple[float, float] | None:
        """A single job is made readable; of more, all rows are shown where only a part of the rows is."""
        schedule, data = self._schedule, self._laid_out
        picked = self.selection.value.mask(schedule.trace) if schedule is not None else None
        if data is None or picked is None:
            return None
        if len(chosen := self._chosen(data)) == 1:
            return rows_around(data, int(chosen[0]), self.clock.rows, self.frame().plot.height())
        entries = np.flatnonzero(picked[data.job])
        return part_of(data, entries) if len(entries) and self.clock.rows != ALL_ROWS else None

    def _picked_range(self) -> tuple[float, float] | None:
        if self._schedule is None:
            return None
        picked = self.selection.value.mask(self._schedule.trace)
        if picked is None or not (picked & self._schedule.ran).any():
            return None
        schedule, picked = self._schedule, picked & self._schedule.ran
        begin = schedule.trace.submit if self.selection.value.jobs else schedule.start  # a job with its wait
        return float(begin[picked].min()), float(schedule.end[picked].max())
