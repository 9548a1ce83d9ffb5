"""The mouse over a chart that may move under it."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from views.timechart.gestures import CLICK_PIXELS


class Pointer:
    """Where the mouse is, and where it was clicked last, on the screen: what lies there may change."""

    def __init__(self, chart: QWidget) -> None:
        self._chart = chart
        self._place: QPointF | None = None
        self._clicked: QPointF | None = None

    @property
    def position(self) -> QPointF | None:
        """Where it is in the chart as the chart lies now; None: it is elsewhere."""
        return None if self._place is None else self._chart.mapFromGlobal(self._place)

    def move(self, place: QPointF | None) -> None:
        """It is at this place of the screen; None: it has left the chart."""
        self._place = place

    def click(self, position: QPointF) -> None:
        """It was clicked there in the chart."""
        self._clicked = self._chart.mapToGlobal(position)

    def was_clicked(self, position: QPointF) -> bool:
        """Whether the last click was at the same place of the screen: it may have moved the chart."""
        last, now = self._clicked, self._chart.mapToGlobal(position)
        return last is not None and (now - last).manhattanLength() <= CLICK_PIXELS

    def forget_click(self) -> None:
        """A double-click is over: the next click begins another one."""
        self._clicked = None
