"""The Gantt chart: which job ran on which processors, and when."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from engine.schedule.schedule import Schedule
from views.data.gantt.colours import Classes, ColourMode
from views.data.gantt.data import GanttData
from views.data.gantt.rows import RowKind, Rows, RowScale
from views.data.gantt.shown_layers import GanttLayers
from views.data.gantt.steps import StepKind
from views.data.other_run import OtherRun
from views.gantt.axis import marked_names, paint_row_axis, paint_row_lines
from views.gantt.content import GanttContent
from views.gantt.describe import describe_chart, describe_job
from views.gantt.edge_sign import Sign, paint_sign, sign_to
from views.gantt.folds import FoldMouse
from views.gantt.gantt_selection import chosen_jobs, single_selected
from views.gantt.legend_entries import LegendEntries
from views.gantt.legend_mouse import LegendMouse
from views.gantt.links import Linked, paint_links
from views.gantt.pictures import Drawing, Pictures
from views.gantt.planned_starts import paint_caption, paint_moving, words_in
from views.gantt.snap import snapped
from views.gantt.spot import pixel_at, spot_at
from views.gantt.step import Stepper
from views.gantt.zoom import least_part, moved_to, part_of, range_of_picked, rows_around, rows_of_picked
from views.raster.request import RenderRequest
from views.state.context import ViewContext
from views.state.spot import Spot
from views.text.ticks import axis_of
from views.theme.fonts import tick_font
from views.theme.theme import Theme
from views.timechart.chart import TimeChart
from views.timechart.frame import Frame, legend_room
from views.timechart.legend import Swatches
from views.timechart.picture import ChartPicture

if TYPE_CHECKING:
    from engine.schedule.processors import Boxes


class GanttChart(TimeChart):
    """Jobs as boxes over time and processors, nodes, users, queues, or lanes.

    A pixel has the colour of the job that covers most of it; a click selects that job and
    with it its user, a double-click zooms to it. What is not selected is drawn back. A click
    on an entry of the legend filters by what has that colour.
    """

    legend_changed = Signal()

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, "Gantt chart", parent)
        self._content = GanttContent()
        self._stepper = Stepper()
        self._pictures = Pictures()
        self._met: int | None = None  # the job that the last click was on, or led to
        self._shares = False  # the legend with other charts
        self._shared_legend: Swatches | None = None
        models = self.filter, self.selection
        self._legend_mouse = LegendMouse(self, models, self._legend, self._legend_room, lambda: self.entries)
        self.folds = FoldMouse(self._view, self.clock, self.frame, self._scaled_rows, self._pointer)
        self._gestures.rows = self._share_at
        self._gestures.least = lambda: 1.0 if self._content.rows is None else least_part(self._content.rows)
        self._gestures.snap = lambda time: snapped(
            time, self._content.schedule, self._content.laid_out, self.frame().scale
        )

    @property
    def schedule(self) -> Schedule | None:
        """The schedule that is shown."""
        return self._content.schedule

    def set_data(self, schedule: Schedule | None, boxes: Boxes | None = None) -> None:
        """Show a schedule whose jobs have these boxes; the old picture stays until the new is ready."""
        self._content.show(schedule, boxes)
        if schedule is not None:
            self.set_time_axis(axis_of(schedule.trace))
            self.set_message("" if schedule.ran.any() else "No job ran")
        else:
            self.set_message("Nothing to show yet")
        self._classify()
        self._arrange()

    def set_tardiness(self, late: NDArray[np.int64] | None, eet: NDArray[np.int64] | None = None) -> None:
        """Set the tardiness of each job and its expected end, s, shape (n,); None if not known."""
        content = self._content
        # The same array comes again after each change of another run: the jobs need no new painting for it.
        if late is content.tardiness:
            return
        content.tardiness, content.eet = late, eet
        if content.mode == "late":
            self._classify()
            self._data_changed()
        expression = self.filter.value.expression
        if expression is not None and expression.of_run:  # it may ask for late jobs
            self._filter_changed()

    def set_others(self, others: tuple[OtherRun, ...]) -> None:
        """Set the other runs of the same trace; starts are compared with the first of them."""
        content = self._content
        if others != content.others:
            content.others = others
            # In other colour modes only the ghosts of selected jobs need the other runs, and no new picture.
            if content.mode == "change":
                self._classify()
                self._data_changed()
            elif self.selection.value.jobs:
                self.refresh()

    def set_rows(self, kind: RowKind, folded: tuple[str, ...] = ()) -> None:
        """Choose the rows: processors, nodes, users or queues of equal height, or lanes of jobs.

        Groups of nodes are `folded` by their names.
        """
        content = self._content
        if (kind, folded) != (content.row_kind, content.folded):
            content.row_kind, content.folded = kind, folded
            self._arrange()

    def set_colours(self, mode: ColourMode) -> None:
        """Choose what colours show, such as the user, the wait, or the tardiness of a job."""
        if mode != self._content.mode:
            self._content.mode = mode
            self._classify()
            self._data_changed()

    def set_layers(self, layers: GanttLayers) -> None:
        """Choose the layers shown besides the jobs."""
        if layers != self._content.layers:
            self._content.layers = layers
            self.refresh()

    def fit_rows(self) -> None:
        """Show just the rows of the jobs in view."""
        data = self._content.laid_out
        if data is not None and len(entries := data.between(*self.clock.window)):
            self.clock.set_window(*self.clock.window, part_of(data, entries))

    def step(self, kind: StepKind, forward: bool) -> None:
        """Select the job after or before the selected job, and bring it into view.

        If no job is selected, it selects the first job in view, among the jobs of the selected users and
        queues if any.
        """
        schedule, data = self._content.schedule, self._content.laid_out
        if schedule is None or data is None or not len(data.job):
            return
        job = self._stepper.next(data, kind, forward, self.selection.value, self.clock.window)
        if job is not None:
            self.selection.select_job(schedule.trace, job)
            self._bring(data, job)

    def _bring(self, data: GanttData, job: int) -> None:
        """Move so that the whole job is seen."""
        shown = moved_to(data, job, self.clock.window, self.clock.rows)
        if shown != (self.clock.window, self.clock.rows):
            self.clock.set_window(*shown[0], shown[1])

    def _sign(self, frame: Frame) -> Sign | None:
        """The sign that points to the selected job if it is out of view."""
        data, job = self._content.laid_out, self._single_selected
        if data is None or job is None:
            return None
        metrics = QFontMetricsF(tick_font(self.font()))
        return sign_to(data, job, frame, self._row_scale(frame, data.rows), metrics)

    @property
    def _single_selected(self) -> int | None:
        """The selected job, if it is shown; None if several are selected."""
        return None if self.message else single_selected(self._content.laid_out, self.selection.value)

    def _sign_at(self, position: QPointF) -> Sign | None:
        sign = self._sign(self.frame())
        return sign if sign is not None and sign.room.contains(position) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        there = (self._sign_at(at), self._legend_mouse.entry_at(at), self.folds.label_at(at))
        clickable = any(job is not None for job in there)
        self.setCursor(Qt.CursorShape.PointingHandCursor if clickable else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def tooltip_at(self, position: QPointF) -> str:
        """Describe the job at the position (its request, submission and outcome), or a legend colour."""
        content = self._content
        schedule, data = content.schedule, content.laid_out
        if schedule is None or data is None or self.message or not self.frame().plot.contains(position):
            return self.folds.tooltip_at(position) or self._legend_mouse.tooltip_at(position)
        if (sign := self._sign_at(position)) is not None:
            return f"Click: go to job {schedule.trace.shown_id(sign.job)}, outside the visible range"
        area, axis = self._pixel_at(data, position), self.time_axis
        job = data.job_at(*area)
        lines = []
        if job is not None:
            baseline = content.baseline if content.mode == "change" else None
            lines.append(describe_job(schedule, job, content.tardiness, baseline, axis))
        if (layered := content.layered) is not None:
            time, picked = self.frame().scale.time(position.x()), self.selection.value
            lines += layered.describe(data, job, content.layers, area, time, picked, self.clock.window, axis)
        return "\n".join(lines)

    def summary(self) -> str:
        """The content of the chart, in a sentence."""
        content = self._content
        if self.message or content.schedule is None:
            return self.message
        return describe_chart(content.schedule, content.folded, content.row_kind, content.mode)

    def _arrange(self) -> None:
        self._content.arrange(self.filter.value)
        self._data_changed()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours; the colours of changes depend on the theme."""
        super().set_theme(theme)
        self._classify()
        # A picture that is known already, as of a theme that was left for a moment, would compute no classes.
        self._version += 1

    def _filter_changed(self) -> None:
        """Apply the filter: jobs that it hides are removed, jobs that it dims are painted faintly."""
        hidden = self.filter.value.hidden
        # The old classes stay as the colours of the legend until a thread has computed the new classes.
        self._classify(self._content.known_classes)  # others differ
        # A filter that only dims leaves the boxes where they are; a filter that hides changes lanes and rows.
        # Filters on results of the run, such as the wait, can change with the schedule alone.
        if hidden != self._content.hidden or (hidden is not None and hidden.of_run):
            self._arrange()
        else:
            self._data_changed()

    def _classify(self, until: Classes | None = None) -> None:
        self._content.classify(self.filter.value, self.theme, until)
        if until is None:
            self._shared_legend = None  # until a thread has made the next, which may be the same

    def _rows_shown(self) -> tuple[float, float]:
        return self.clock.rows

    def _row_scale(self, frame: Frame, rows: Rows) -> RowScale:
        low, high = self.clock.rows
        return RowScale(low * rows.total, high * rows.total, frame.plot.top(), frame.plot.height())

    def _scaled_rows(self) -> tuple[Rows, RowScale] | None:
        rows = self._content.rows
        return None if rows is None or self.message else (rows, self._row_scale(self.frame(), rows))

    def _share_at(self, y: float) -> float:
        plot, (low, high) = self.frame().plot, self.clock.rows
        return low + (high - low) * min(max((y - plot.top()) / plot.height(), 0.0), 1.0)

    def _look(self) -> Hashable:
        content = self._content
        # The marked instant belongs to the look only while its plan is painted: otherwise each click on the
        # axis would paint all jobs again.
        instant = self.selection.value.instant if content.layers.reservations else None
        return content.mode, content.layers, self.selection.value.without_time, self.filter.value, instant

    def _painter_of(self, request: RenderRequest) -> Callable[[], ChartPicture] | None:
        content = self._content
        jobs, data, classes, layered = content.jobs, content.data, content.classes, content.layered
        if jobs is None or data is None or classes is None or layered is None:
            return None
        drawing = Drawing(
            # The thread that draws is handed all it needs: widget and models may change meanwhile.
            self._version,
            jobs,
            data,
            classes,
            layered,
            content.mode,
            content.layers,
            self.selection.value,
            self.filter.value.expression,
            self.theme,
            tick_font(self.font()),
        )
        return partial(self._pictures.make, request, drawing)

    def share_legend(self, shared: bool) -> None:
        """Leave the legend out of the title line, because a common legend is shown above all runs."""
        if shared != self._shares:
            self._shares = shared
            self.refresh()

    def _take_picture(self) -> None:
        super()._take_picture()
        # The legend depends on the classes, which a thread computes together with the picture, so this is the
        # first moment at which it can have changed.
        if (legend := self.legend) != self._shared_legend:
            self._shared_legend = legend
            self.legend_changed.emit()

    def _legend(self) -> Swatches | None:
        return None if self._shares else self.legend

    def _legend_room(self) -> QRectF | None:
        frame = self.frame()
        return None if self.message else legend_room(frame, self.title, self.title_colour, self.font())

    @property
    def legend(self) -> Swatches | None:
        """The colours with their names, for any legend; None if they are not known yet."""
        painted = self._pictures.painted
        return self._content.legend(painted.picked if painted is not None else None, self.theme)

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        if (rows := self._content.rows) is not None:
            marked = marked_names(rows, self._content.schedule, self.selection.value)
            paint_row_axis(painter, frame, rows, self._row_scale(frame, rows), marked, self.theme)

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        content = self._content
        if (rows := content.rows) is not None:
            paint_row_lines(painter, frame, rows, self._row_scale(frame, rows), self.theme)
        plans, note = "", self._memo.value.note if self._memo.value is not None else ""
        if content.layered is not None and content.layers.reservations:
            plans = content.layered.plans.caption(self.selection.value.instant)
        for line, caption in enumerate(filter(None, (plans, note, *self._paint_links(painter, frame)))):
            paint_caption(painter, frame.plot, caption, self.theme, line)
        if (sign := self._sign(frame)) is not None:
            paint_sign(painter, sign, self.theme)

    def _paint_links(self, painter: QPainter, frame: Frame) -> list[str]:
        """Paint lines from the selected job; returns their description."""
        content = self._content
        data, layered, job = content.laid_out, content.layered, self._single_selected
        if data is None or layered is None or job is None:
            return []
        backfills = layered.backfills.value if content.layers.backfilled else None
        linked = Linked(data, backfills, content.others if content.layers.shift else ())
        return paint_links(painter, frame, self._row_scale(frame, data.rows), linked, job, self.theme)

    def _paint_moving(self, painter: QPainter, frame: Frame) -> None:
        content = self._content
        data, layered = content.laid_out, content.layered
        if content.layers.reservations and data is not None and layered is not None and not self.message:
            # A marked instant has its plan in the picture already; without a marked instant the plan at the
            # mouse is painted with each move.
            hover = self.clock.hover if self.selection.value.instant is None else None
            shown = layered.plans.moving(data.schedule, chosen_jobs(data, self.selection.value), hover)
            # Texts are left free only while the picture is of this view: older words lie elsewhere by now.
            picture = self._memo.value
            there = picture is not None and picture.request == self._request(frame, self.devicePixelRatioF())
            words = words_in(picture, frame.plot) if picture is not None and there else QRegion()
            paint_moving(painter, frame, self._row_scale(frame, data.rows), data, shown, self.theme, words)
        super()._paint_moving(painter, frame)

    def _follow_hover(self, time: float | None) -> None:
        super()._follow_hover(time)
        if self._content.layers.reservations and self.selection.value.instant is None:
            self.update(self.frame().plot.toAlignedRect())

    def _job_at(self, position: QPointF) -> int | None:
        """The job that covers most of the pixel, as it is painted."""
        frame, data = self.frame(), self._content.laid_out
        if data is None or self.message or not frame.plot.contains(position):
            return None
        return data.job_at(*self._pixel_at(data, position))

    def _pixel_at(self, data: GanttData, position: QPointF) -> tuple[float, float, float, float]:
        frame = self.frame()
        return pixel_at(frame, self._row_scale(frame, data.rows), position)

    @property
    def entries(self) -> LegendEntries | None:
        """The meaning of the legend's entries, once it is known."""
        return self._content.entries

    def _clicked(self, position: QPointF, toggle: bool) -> bool:
        # Labels of groups lie outside of the plot, and the sign lies over the jobs: both go before the jobs.
        if self.folds.click(position):
            return True
        sign, data, job = self._sign_at(position), self._content.laid_out, self._job_at(position)
        self._met = sign.job if sign is not None else job
        if sign is not None and data is not None:
            self._bring(data, sign.job)
            return True
        if job is not None and self._content.schedule is not None:
            self.selection.select_job(self._content.schedule.trace, job, toggle)
        return job is not None or self._legend_mouse.click(position, toggle)

    def _double_clicked(self, position: QPointF) -> bool:
        """Zoom to what the first of both clicks was on: another job may lie there since."""
        job, schedule, data = self._job_at(position), self._content.schedule, self._content.data
        # The first click may have moved the view to another job: the second hits whatever lies there now.
        if self._pointer.was_clicked(position):
            job = self._met
        if job is None or schedule is None or data is None:
            return self.folds.label_at(position) is not None or self._legend_mouse.double_click(position)
        begin, end = float(schedule.start[job]), float(schedule.end[job])
        room = max(end - begin, 1.0) / 2
        self.clock.set_window(
            begin - room, end + room, rows_around(data(), job, self.clock.rows, self.frame().plot.height())
        )
        return True

    def _spot_at(self, position: QPointF) -> Spot:
        schedule, rows, frame = self._content.schedule, self._content.rows, self.frame()
        if schedule is None or rows is None or self.message:
            return super()._spot_at(position)
        scale, job = self._row_scale(frame, rows), self._job_at(position)
        return spot_at(self, position, frame, schedule, rows, scale, job)

    def picked_rows(self) -> tuple[float, float] | None:
        """A single job is made readable; of more, all rows are shown where only a part of the rows is."""
        if (data := self._content.laid_out) is None:
            return None
        return rows_of_picked(data, self.selection.value, self.clock.rows, self.frame().plot.height())

    def _picked_range(self) -> tuple[float, float] | None:
        return range_of_picked(self._content.jobs, self.selection.value, self.filter.value)
