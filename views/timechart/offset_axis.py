"""The second time axis, under charts that are aligned with others: their own times, and the offset."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from views.data.changes import format_change, format_offset
from views.state.context import ViewContext
from views.theme.fonts import tick_font, title_font
from views.timechart.axis import axis_gutter, line_height
from views.timechart.axis_chart import AxisChart
from views.timechart.frame import Frame
from views.timechart.picture import ChartPicture


class OffsetAxis(AxisChart):
    """Time axis of charts on a clock that is shifted, with the shift below the first label."""

    def _make_button(self, context: ViewContext) -> None:
        """No button: the lower axis has a button."""

    def tooltip_at(self, position: QPointF) -> str:
        """Explain the offset."""
        return f"These charts are aligned: they show what is {format_change(self.clock.shift)} than below"

    def _paint_inside(self, painter: QPainter, frame: Frame, picture: ChartPicture | None) -> None:
        super()._paint_inside(painter, frame, picture)
        room = axis_gutter(frame.axis, frame.scale.left, line_height(self.font().toString()))
        painter.fillRect(room, QColor(self.theme.window))
        painter.setFont(tick_font(title_font(self.font())))
        painter.setPen(QColor(self.theme.link))
        words = QFontMetricsF(painter.font()).elidedText(
            format_offset(self.clock.shift), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
