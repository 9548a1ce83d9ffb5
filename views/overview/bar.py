"""The overview bar: the whole trace, and in it the time window that all charts show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from views.data.results import Result
from views.data.usage import up_of, value_at
from views.overview.labels import paint_name, paint_times, paint_window
from views.overview.paint import late_jobs, paint_overview
from views.raster.request import RenderRequest
from views.raster.time_scale import TimeScale
from views.state.clock import Window
from views.state.context import ViewContext
from views.state.spot import Spot
from views.text.counts import format_count, plural
from views.text.ticks import Hours, TimeAxis, axis_of
from views.text.tooltips import show_tip
from views.theme.fonts import tick_font
from views.theme.theme import Theme
from views.timechart.axis import line_height
from views.timechart.backing_store import Backing
from views.timechart.frame import (
    RIGHT,
    Frame,
    gutter_of,
    paint_border,
    paint_picked,
)
from views.timechart.gestures import CLICK_PIXELS, Gestures
from views.timechart.marks import paint_marks
from views.timechart.picture import ChartPicture
from views.timechart.range_button import RangeButton
from views.work.async_memo import AsyncMemo
from views.work.lazy import LazyValue

if TYPE_CHECKING:
    from engine.fairness.violations import UserSteps
    from engine.metrics.series import StepSeries

Part = Literal["start", "end", "inside", "outside"]

REACH = 5.0
"""An edge can be grasped this many pixels away from it."""

NARROWEST = 10.0
"""A window is drawn at least this wide, in pixels, so that it is seen and can be grasped."""


def drawn_edges(left: float, right: float) -> tuple[float, float]:
    """The edges of the window as they are drawn."""
    missing = max(NARROWEST - (right - left), 0.0) / 2
    return left - missing, right + missing


def part_at(x: float, left: float, right: float) -> Part:
    """The part of the window, drawn from `left` to `right`, at `x`."""
    inner = min(REACH, (right - left) / 4)
    if left - REACH <= x <= left + inner:
        return "start"
    if right - inner <= x <= right + REACH:
        return "end"
    return "inside" if left < x < right else "outside"


@dataclass(frozen=True)
class WindowDrag:
    """A drag in progress: the part, the position and time of the press, and the window at that moment."""

    part: Part
    x: float
    time: float
    before: Window

    def window(self, time: float) -> Window:
        """The window that is asked for, with the mouse at `time`; its ends may be the wrong way round."""
        start, end = self.before
        moved = time - self.time
        if self.part == "start":
            return start + moved, end
        if self.part == "end":
            return start, end + moved
        if self.part == "inside":
            return start + moved, end + moved
        return self.time, time


_TOP, _PLOT, _LABELS = 3.0, 26.0, 15.0
_NONE_YET = "No results yet"
_CURSORS = {
    "start": Qt.CursorShape.SizeHorCursor,
    "end": Qt.CursorShape.SizeHorCursor,
    "inside": Qt.CursorShape.OpenHandCursor,
    "outside": Qt.CursorShape.CrossCursor,
}


@dataclass(frozen=True, eq=False)
class _Whole:
    """A run from its first submission to its last end; `late` counts violated jobs of all users."""

    result: Result
    used: StepSeries
    late: LazyValue[StepSeries]
    up: LazyValue[StepSeries] | None  # processors; None: no node fails

    @property
    def cpus(self) -> int:
        return self.result.schedule.cluster.cpus


class OverviewBar(QWidget):
    """Processor use and violations over the whole trace; the part that the clock shows is highlighted.

    Dragging the window moves it, and dragging an edge resizes it. Beside the window, with ctrl, or if all is
    shown, a drag makes a new window, and a click moves the window there. Wheel and keys work as in the
    charts; a double-click shows all. A click on the name of the run offers other runs: `runs_requested`
    carries the position on the screen below it.
    """

    runs_requested = Signal(QPoint)
    context_requested = Signal(QPoint, Spot)  # on the screen, and in the bar

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFixedHeight(round(_TOP + _PLOT + self._labels))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab leads to charts, which have the same keys
        self.setAccessibleName("Overview of the whole trace")
        self.clock, self.selection, self.theme = context.clock, context.selection, theme
        self._view = context.view
        self._time_axis: TimeAxis = Hours(0)
        self._version = 0  # of the run
        self._backing = Backing(self, context.idle_queue, self.frame, self._paint_whole)
        self._memo: AsyncMemo[ChartPicture] = AsyncMemo(context.executor, "Overview", self)
        self._memo.ready.connect(self.refresh)
        self._gestures = Gestures(self.clock, self.selection, lambda: self.frame().scale, self)
        self._gestures.fit_selection.connect(self._fit_selection)
        self._whole: _Whole | None = None
        self._instead = _NONE_YET
        self._drag: WindowDrag | None = None
        self.clock.changed.connect(self.update)
        self.clock.hovered.connect(self.update)
        self.clock.bounds_changed.connect(self.refresh)
        self.selection.changed.connect(self.update)
        self._view.follow(self, "measured marks", self.update)
        self.measure = RangeButton(context, self.frame, self)
        self.measure.moved.connect(self.refresh)  # labels give way to it

    @property
    def result(self) -> Result | None:
        """The run that is shown."""
        return self._whole.result if self._whole is not None else None

    def set_run(self, result: Result, used: StepSeries, steps: UserSteps) -> None:
        """Show a run: its processors in use, and the violated jobs of its users."""
        if self._whole is not None and self._whole.result is result:
            return
        self._whole = _Whole(result, used, LazyValue(lambda: late_jobs(steps)), up_of(result.schedule, 0))
        self._version += 1
        self._time_axis = axis_of(result.schedule.trace)
        self.setAccessibleDescription(f"Processors in use and violated jobs under {result.name}")
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = theme
        self.refresh()

    def refresh(self) -> None:
        """Something has changed: paint anew, in a turn of its own."""
        self._backing.refresh()

    def clear(self, axis: TimeAxis, instead: str = "") -> None:
        """Show no results, or the message `instead`; `axis` formats the times of the trace."""
        self._whole, self._time_axis, self._instead = None, axis, instead or _NONE_YET
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(640, self.height())

    @property
    def _labels(self) -> float:
        """Pixels of the line of labels."""
        return max(_LABELS, float(line_height(self.font().toString())))

    def frame(self) -> Frame:
        """The layout of the chart; the scale covers the whole bounds of the clock."""
        # The gutter is that of the charts, so that the time of both begins at the same pixel.
        whole = QRectF(self.rect())
        gutter = gutter_of(self.font())
        width = max(float(int(whole.width() - gutter - RIGHT)), 1.0)
        plot = QRectF(gutter, _TOP, width, _PLOT)
        return Frame(
            whole=whole,
            title=QRectF(),
            gutter=QRectF(0, _TOP, gutter, plot.height()),
            plot=plot,
            axis=QRectF(0, plot.bottom(), whole.width(), self._labels),
            scale=TimeScale(*self.clock.bounds, plot.left(), width),
        )

    def edges(self) -> tuple[float, float]:
        """The window's edges as they are drawn, in pixels."""
        frame = self.frame()
        left, right = (
            min(max(frame.scale.x(time), frame.plot.left()), frame.plot.right()) for time in self.clock.window
        )
        return drawn_edges(left, right)

    def tooltip_at(self, position: QPointF) -> str:
        """The time there, what is in use and how many jobs are violated; beside the picture, the run."""
        frame, whole = self.frame(), self._whole
        if whole is not None and self._names_run(position):
            return f"{whole.result.name}\nClick: choose another run"
        if whole is None or not frame.plot.left() <= position.x() < frame.plot.right():
            return ""
        time = frame.scale.time(position.x())
        used, late = value_at(whole.used, time), whole.late.value
        # Of a machine with outages the share is of what was up at that time.
        there = whole.cpus if whole.up is None or whole.up.value is None else value_at(whole.up.value, time)
        share = format_count(used)
        if there > 0:
            share += f" of {format_count(there)} ({100 * used / there:.0f} %)"
        lines = [f"{self._time_axis.format(time)}, {whole.result.name}", f"processors in use: {share}"]
        if late is not None:
            lines.append(f"{plural(value_at(late, time), 'violated job')} of all users")
        return "\n".join(lines)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        self._backing.show(self._paint_moving, self.theme)

    def _paint_moving(self, painter: QPainter, frame: Frame) -> None:
        """The window, and what is picked."""
        paint_window(painter, frame.plot, self.edges(), self.theme)
        paint_marks(painter, frame, self._view.options.marks, self.theme)
        paint_picked(painter, frame, self.selection.value, self._view.options, self.theme)
        if self.clock.hover is not None:
            x = int(frame.scale.x(self.clock.hover)) + 0.5
            painter.setPen(QColor(self.theme.cursor))
            painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom() - 1))

    def _paint_whole(self, painter: QPainter, frame: Frame) -> None:
        theme = self.theme
        painter.fillRect(frame.whole, QColor(theme.window))
        painter.fillRect(frame.plot, QColor(theme.chart))
        picture = self._picture(frame)
        if picture is not None:
            painter.drawImage(frame.plot, picture.image)
        paint_border(painter, frame, theme)
        painter.setFont(tick_font(self.font()))
        paint_times(painter, frame, self._time_axis, theme, QRectF(self._covered))
        if self._whole is None:
            room = frame.plot.width()
            text = painter.fontMetrics().elidedText(self._instead, Qt.TextElideMode.ElideRight, round(room))
            painter.drawText(frame.plot, Qt.AlignmentFlag.AlignCenter, text)
        else:
            paint_name(painter, frame, self._whole.result.name, self._whole.result.colour, theme)

    @property
    def _covered(self) -> QRect:
        """The area covered by the button."""
        return self.measure.geometry() if self.measure.isVisible() else QRect()

    def _picture(self, frame: Frame) -> ChartPicture | None:
        whole, theme, ratio = self._whole, self.theme, self.devicePixelRatioF()
        if whole is None:
            return None
        size = frame.plot.size() * ratio
        request = RenderRequest(self.clock.bounds, round(size.width()), round(size.height()), ratio)
        self._memo.request(
            (request, self._version, theme.name),
            lambda: _painted(whole, request, theme),
        )
        return self._memo.value

    # Events.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        x = event.position().x()
        if self._names_run(event.position()):
            self.runs_requested.emit(self.mapToGlobal(self.frame().gutter.bottomLeft().toPoint()))
            return
        part = part_at(x, *self.edges())
        # Inside of a window of all there is nothing to move: a new window is drawn instead, as with ctrl.
        if part == "inside" and (
            self._shows_all() or event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            part = "outside"
        self._drag = WindowDrag(part, x, self.frame().scale.time(x), self.clock.window)
        # All moves of the drag are a single step for Back.
        self.clock.hold()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        time = self.frame().scale.time(x)
        drag = self._drag
        if drag is not None:
            if drag.part != "inside":  # else the other edge would give way
                time = min(max(time, self.clock.bounds[0]), self.clock.bounds[1])
            if drag.part != "outside" or abs(x - drag.x) >= CLICK_PIXELS or self.clock.window != drag.before:
                self.clock.move_to(*drag.window(time))
            return
        named = self._names_run(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if named else _CURSORS[part_at(x, *self.edges())])
        low, high = self.clock.bounds
        self.clock.set_hover(time if low <= time <= high else None)
        show_tip(event, self.tooltip_at(event.position()), self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drag = self._drag
        if drag is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if drag.part == "outside" and self.clock.window == drag.before and not self._shows_all():
            half = self.clock.span / 2
            self.clock.move_to(drag.time - half, drag.time + half)
        self._end_drag()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if not self._names_run(event.position()):
            self.clock.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc puts the window back where it was before the drag; other keys do what they do in charts."""
        if self._drag is not None and event.key() == Qt.Key.Key_Escape:
            self.clock.move_to(*self._drag.before)
            self._end_drag()
        elif not self._gestures.key(event):
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._gestures.wheel(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        spot = Spot(self, self.frame().scale.time(event.pos().x()))
        self.context_requested.emit(event.globalPos(), spot)

    def leaveEvent(self, event: QEvent) -> None:
        self.clock.set_hover(None)
        super().leaveEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.setFixedHeight(round(_TOP + _PLOT + self._labels))
            self.refresh()
        super().changeEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """End a drag; the window keeps its place."""
        if self._drag is not None:
            self._end_drag()
        super().hideEvent(event)

    def _fit_selection(self) -> None:
        """Zoom to the time range that is selected."""
        if self.selection.value.time_range is not None:
            self.clock.fit_range(*self.selection.value.time_range)

    def _names_run(self, position: QPointF) -> bool:
        """True if the position is on the name of the run or its surroundings; an edge of the window has
        priority.
        """
        beside = self._whole is not None and self.frame().gutter.contains(position)
        return beside and part_at(position.x(), *self.edges()) == "outside"

    def _shows_all(self) -> bool:
        low, high = self.clock.bounds
        return self.clock.start <= low and self.clock.end >= high

    def _end_drag(self) -> None:
        self._drag = None
        self.clock.release()


def _painted(whole: _Whole, request: RenderRequest, theme: Theme) -> ChartPicture:
    if whole.up is not None:
        whole.up()  # for the tooltip
    return ChartPicture.of(request, paint_overview(request, whole.used, whole.cpus, whole.late(), theme))
