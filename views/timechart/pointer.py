"""The mouse over a chart that may move under it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QToolTip, QWidget

from views.state.clock import Clock
from views.text.tooltips import show_tip_at
from views.timechart.frame import Frame
from views.timechart.gestures import CLICK_PIXELS, Gestures


class Pointer:
    """The position of the mouse and of the last click, on the screen; the item there may change.

    All charts mark the time under the mouse; a tooltip beside it shows the text from `describe`.
    """

    def __init__(
        self,
        chart: QWidget,
        clock: Clock,
        gestures: Gestures,
        frame: Callable[[], Frame],
        describe: Callable[[QPointF], str],
    ) -> None:
        self._chart, self._clock, self._gestures = chart, clock, gestures
        self._frame, self._describe = frame, describe
        self._place: QPointF | None = None
        self._clicked: QPointF | None = None

    @property
    def position(self) -> QPointF | None:
        """The mouse position in the chart's current layout; None if the mouse is elsewhere."""
        return None if self._place is None else self._chart.mapFromGlobal(self._place)

    def move(self, place: QPointF) -> None:
        """It is at this place of the screen."""
        self._place = place

    def leave(self) -> None:
        """It has left the chart."""
        self._place = None

    def follow(self) -> None:
        """Update when the item under the resting mouse changes."""
        if self._place is not None and self._chart.isVisible():
            self.point(with_tip=not self._gestures.dragging and QToolTip.isVisible())

    def point(self, with_tip: bool = True) -> None:
        """Mark the time under the mouse in all charts, and with `with_tip` show a tooltip."""
        position = self.position
        if position is None:
            return
        frame = self._frame()
        # The gutter and the axis have no time of their own: there no chart marks any.
        self._clock.set_hover(frame.scale.time(position.x()) if frame.plot.contains(position) else None)
        if with_tip:
            show_tip_at(self._chart.mapToGlobal(position), self._describe(position), self._chart)

    def click(self, position: QPointF) -> None:
        """It was clicked there in the chart."""
        self._clicked = self._chart.mapToGlobal(position)

    def was_clicked(self, position: QPointF) -> bool:
        """True if the last click was at the same place of the screen: that click may have moved the chart."""
        last, now = self._clicked, self._chart.mapToGlobal(position)
        return last is not None and (now - last).manhattanLength() <= CLICK_PIXELS

    def forget_click(self) -> None:
        """Forget the last click at the end of a double-click."""
        self._clicked = None
