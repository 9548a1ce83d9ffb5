"""The time axis of stacked charts, as a chart of its own."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from views.data.marks import Room
from views.state.context import ViewContext
from views.state.spot import Spot
from views.theme.fonts import tick_font
from views.theme.theme import Theme
from views.timechart.axis import axis_height, axis_marks
from views.timechart.chart import TimeChart
from views.timechart.frame import Frame
from views.timechart.marks import mark_at
from views.timechart.range_button import RangeButton


class AxisChart(TimeChart):
    """Time axis below a column of charts: it stays in sight where they are scrolled."""

    title_height = 0.0

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, "Time axis", parent)
        self.set_message("")
        self.measure = self._make_button(context)

    def _make_button(self, context: ViewContext) -> RangeButton | None:
        return RangeButton(context, self.frame, self, self._named)

    def _named(self) -> list[Room]:
        """The positions of the names of days, months or years."""
        marks = axis_marks(self.time_axis, self.frame().scale, tick_font(self.font()))
        return [(name.x, name.x + name.width + 3) for name in marks.names]

    def sizeHint(self) -> QSize:
        return QSize(640, round(axis_height(self.font())) + 1)

    def minimumSizeHint(self) -> QSize:
        return QSize(1, round(axis_height(self.font())) + 1)

    def summary(self) -> str:
        """Nothing: it has no data."""
        return ""

    def _spot_at(self, position: QPointF) -> Spot:
        frame = self.frame()
        mark = mark_at(frame, self._view.options.marks, position)
        return Spot(self, frame.scale.time(position.x()), mark=mark)

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """It has no title line."""
