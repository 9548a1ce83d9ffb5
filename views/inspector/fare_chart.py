"""The chart of fares: violated expected end times on the window's clock, and boxes of waits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from views.clock import Clock
from views.inspector.fare_frame import FareFrame
from views.inspector.fare_paint import paint_fares
from views.inspector.fares import Fare, describe_late, describe_waits
from views.style import LIGHT, Theme, tick_font
from views.ticks import Hours, TimeAxis
from views.tips import tip


class FareChart(QWidget):
    """How the jobs of a user, a queue or a group fare under each run, a lane a run.

    `time_clicked` carries the time at a click on a curve, in seconds.
    """

    time_clicked = Signal(float)

    def __init__(self, clock: Clock, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock, self._theme = clock, theme
        self._fares: Sequence[Fare] = ()
        self._axis: TimeAxis = Hours(0)
        clock.changed.connect(self.update)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("Violated expected end times over time, and waits")

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        self.update()

    def show_fares(self, fares: Sequence[Fare], axis: TimeAxis) -> None:
        """Show these runs; `axis` says how times are told."""
        self._fares, self._axis = fares, axis
        self.setAccessibleDescription(". ".join(map(describe_waits, fares)))
        self._arrange()

    def frame(self) -> FareFrame:
        """Where the parts lie now."""
        return FareFrame(self._fares, self._clock.window, self.width(), tick_font(self.font()))

    def tooltip_at(self, place: QPointF) -> str:
        """What lies there, in words; empty where there is nothing."""
        frame = self.frame()
        lane = frame.lane_at(place)
        if lane is None:
            return ""
        if frame.curve(lane).contains(place):
            return describe_late(self._fares[lane], frame.time.time(place.x()), self._axis)
        return describe_waits(self._fares[lane])

    def sizeHint(self) -> QSize:
        """All of it in the present width."""
        return QSize(280, round(self.frame().height) if self._fares else 0)

    def event(self, event: QEvent) -> bool:
        """Tooltips name what is under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), tip(self.tooltip_at(QPointF(event.pos()))), self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width."""
        super().resizeEvent(event)
        self._arrange()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on a curve shows that time in the charts."""
        frame = self.frame()
        lane = frame.lane_at(event.position())
        on_curve = lane is not None and frame.curve(lane).contains(event.position())
        if on_curve and event.button() == Qt.MouseButton.LeftButton:
            self.time_clicked.emit(frame.time.time(event.position().x()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint it all: it is small."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.chart))
        if self._fares:
            paint_fares(painter, self.frame(), self._axis, self._theme)

    def _arrange(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()
