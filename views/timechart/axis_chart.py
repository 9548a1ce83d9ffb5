"""The time axis of charts that stand above one another, as a chart of its own that has nothing else."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from views.state.context import ViewContext
from views.state.spot import Spot
from views.theme.theme import Theme
from views.timechart.axis import axis_height
from views.timechart.chart import TimeChart
from views.timechart.frame import Frame
from views.timechart.marks import mark_at


class AxisChart(TimeChart):
    """Time axis below a column of charts: it stays in sight where they are scrolled."""

    title_height = 0.0

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, "Time axis", parent)
        self.set_message("")

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
