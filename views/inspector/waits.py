"""The wait of one job as coloured spans, a lane for each run, on one axis of time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from views.inspector.chart_below import ChartBelow
from views.inspector.lanes import (
    Lane,
    describe_promise,
    describe_run,
    describe_span,
    describe_wait,
)
from views.inspector.wait_frame import MARK, WaitFrame
from views.inspector.wait_paint import paint_waits
from views.text.ticks import TimeAxis
from views.theme.theme import Theme, tick_font


class WaitChart(ChartBelow):
    """Under each run's name the reasons for waiting, then the run in its colour.

    Marks above a bar are the starts that reservations promised.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Why the job waited, over time", parent)
        self._lanes: tuple[Lane, ...] = ()
        self._frame: WaitFrame | None = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_lanes(self, lanes: Sequence[Lane], axis: TimeAxis) -> None:
        """Show a job under these runs, at least one; `axis` says how times are told."""
        self._lanes, self._axis = tuple(lanes), axis
        self.setAccessibleDescription(". ".join(f"{lane.name}: {lane.told}" for lane in lanes))
        self._arrange()

    def frame(self) -> WaitFrame | None:
        """Where the parts lie now; None while no job is shown."""
        return self._frame

    def tooltip_at(self, position: QPointF) -> str:
        """What lies there, in words; empty where there is nothing."""
        frame = self._frame
        k = frame.lane_at(position) if frame is not None else None
        if frame is None or k is None:
            return ""
        lane, told = frame.lanes[k], frame.lanes[k].told
        if position.y() < frame.name_box(k).bottom():
            return f"{lane.name}\nwaited {lane.wait}"
        near = [(abs(x - position.x()), promise) for promise, x in frame.marks(k)]
        distance, promise = min(near, key=lambda entry: entry[0], default=(MARK, None))
        if promise is not None and distance <= MARK / 2:
            return describe_promise(lane, promise, self._axis)
        span = frame.span_at(k, position.x())
        if span is not None:
            return describe_span(lane, span, self._axis)
        if _holds(frame.bar(k, told.start, lane.end), position):
            return describe_run(lane, self._axis)
        if told.start > told.submit and _holds(frame.bar(k, told.submit, told.start), position):
            return describe_wait(lane, self._axis)
        return ""

    def sizeHint(self) -> QSize:
        """All of it in the present width."""
        return QSize(280, round(self._frame.height) if self._frame is not None else 0)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click shows that time in the charts."""
        if self._frame is not None and event.button() == Qt.MouseButton.LeftButton:
            scale = self._frame.scale
            self.time_clicked.emit(min(max(scale.time(event.position().x()), scale.start), scale.end))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint it all: it is small."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.chart))
        if self._frame is not None:
            paint_waits(painter, self._frame, self._axis, self._theme)

    def _arrange(self) -> None:
        self._frame = WaitFrame(self._lanes, self.width(), tick_font(self.font())) if self._lanes else None
        super()._arrange()


def _holds(bar: QRectF, position: QPointF) -> bool:
    return bar.left() <= position.x() <= bar.right()
