"""The chart of fares: violated expected end times on the window's clock, and boxes of waits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from views.inspector.chart_below import ChartBelow
from views.inspector.fare_frame import FareFrame
from views.inspector.fare_paint import paint_fares
from views.inspector.fares import Fare, describe_late, describe_waits
from views.state.clock import Clock
from views.text.ticks import TimeAxis
from views.theme.theme import Theme, tick_font


class FareChart(ChartBelow):
    """How the jobs of a user, a queue or a group fare under each run, a lane a run."""

    def __init__(self, clock: Clock, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Violated expected end times over time, and waits", parent)
        self._clock = clock
        self._fares: Sequence[Fare] = ()
        clock.changed.connect(self.update)

    def show_fares(self, fares: Sequence[Fare], axis: TimeAxis) -> None:
        """Show these runs; `axis` says how times are told."""
        self._fares, self._axis = fares, axis
        self.setAccessibleDescription(". ".join(map(describe_waits, fares)))
        self._arrange()

    def frame(self) -> FareFrame:
        """Where the parts lie now."""
        return FareFrame(self._fares, self._clock.window, self.width(), tick_font(self.font()))

    def tooltip_at(self, position: QPointF) -> str:
        """What lies there, in words; empty where there is nothing."""
        frame = self.frame()
        lane = frame.lane_at(position)
        if lane is None:
            return ""
        if frame.curve(lane).contains(position):
            return describe_late(self._fares[lane], frame.time.time(position.x()), self._axis)
        return describe_waits(self._fares[lane])

    def sizeHint(self) -> QSize:
        return QSize(280, round(self.frame().height) if self._fares else 0)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        frame = self.frame()
        lane = frame.lane_at(event.position())
        on_curve = lane is not None and frame.curve(lane).contains(event.position())
        if on_curve and event.button() == Qt.MouseButton.LeftButton:
            self.time_clicked.emit(frame.time.time(event.position().x()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.chart))
        if self._fares:
            paint_fares(painter, self.frame(), self._axis, self._theme)
