"""Dragging a chart by its title: the panel of its run moves to the place where it is dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QRubberBand, QWidget

from app.panels.charts.run_panel import RunPanel
from views.timechart.chart import TimeChart
from views.work.widget_handlers import EventWatch

_FAR = 12
"""Pixels that the mouse moves before it drags a panel."""


class PanelDrag(QObject):
    """Watch over the charts of panels, within an `area`. `dropped`: a run's id, and the id of the run
    whose panel is at the place. A frame shows the new place of the panel; a click on a title works as before.
    """

    dropped = Signal(int, int)

    def __init__(self, panels: Callable[[], Mapping[int, RunPanel]], area: QWidget) -> None:
        super().__init__(area)
        self._panels, self._area = panels, area
        self._pressed: QPoint | None = None  # on the screen
        self._dragged = False
        self._frame = QRubberBand(QRubberBand.Shape.Rectangle, area)

    def watch(self, panel: RunPanel) -> None:
        """Let the charts of this panel be dragged."""
        for chart in panel.charts:
            EventWatch(chart, self, self._follow)

    def _follow(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(watched, TimeChart) or not isinstance(event, QMouseEvent):
            return False
        if event.type() == QEvent.Type.MouseButtonPress:
            # Only a plain press on a title begins a drag of a panel: all others belong to the chart.
            plain = event.button() == Qt.MouseButton.LeftButton and not event.modifiers()
            at_title = plain and watched.frame().title.contains(event.position())
            self._pressed = event.globalPosition().toPoint() if at_title else None
        elif event.type() == QEvent.Type.MouseMove and self._pressed is not None:
            return self._move(watched, event.globalPosition().toPoint())
        elif event.type() == QEvent.Type.MouseButtonRelease and self._pressed is not None:
            return self._release(watched, event.globalPosition().toPoint())
        return False

    def _move(self, chart: TimeChart, position: QPoint) -> bool:
        """True if the panel is dragged; otherwise the chart gets the event once no drag is possible."""
        if not self._dragged and self._pressed is not None:
            self._dragged = (position - self._pressed).manhattanLength() >= _FAR
            if self._dragged:
                # The chart has begun a drag of its own with the same press.
                chart.drop_drag()
                chart.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragged:
            target = self._panel_at(position)
            if target is not None:
                self._frame.setGeometry(QRect(target.mapTo(self._area, QPoint()), target.size()))
            self._frame.setVisible(target is not None)
        # The event is kept from the chart even before the drag: it would move its window.
        return True

    def _release(self, chart: TimeChart, position: QPoint) -> bool:
        dragged, self._dragged, self._pressed = self._dragged, False, None
        if not dragged:
            return False
        chart.unsetCursor()
        self._frame.hide()
        target, panel = self._panel_at(position), chart.parentWidget()
        if isinstance(panel, RunPanel) and target is not None and target is not panel:
            self.dropped.emit(panel.run_id, target.run_id)
        return True

    def _panel_at(self, position: QPoint) -> RunPanel | None:
        """The panel that is seen at a position on the screen."""
        seen = [panel for panel in self._panels().values() if panel.isVisible()]
        return next((panel for panel in seen if panel.rect().contains(panel.mapFromGlobal(position))), None)
