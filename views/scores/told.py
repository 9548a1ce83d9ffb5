"""What the charts of scores share: a theme, a title, and a word on what lies under the mouse."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from views.text.tooltips import show_tip
from views.theme.theme import Theme, tick_font, title_font


class ToldChart(QWidget):
    """A small chart that is painted in no time; its kind gives `tooltip_at` and its painting."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setMinimumSize(200, 130)
        self.theme = theme

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = theme
        self.update()

    def tooltip_at(self, place: QPointF) -> str:
        """What lies there; empty: nothing."""
        return ""

    def paint_title(self, painter: QPainter, title: str) -> None:
        """The title in the upper left corner; then text is small."""
        painter.setFont(title_font(self.font()))
        painter.setPen(QColor(self.theme.text))
        shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, self.width() - 16)
        painter.drawText(QPointF(8, painter.fontMetrics().ascent() + 4), shown)
        painter.setFont(tick_font(self.font()))

    def paint_empty(self, painter: QPainter, text: str) -> None:
        """Why there is nothing to see."""
        painter.setPen(QColor(self.theme.faint))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what lies there."""
        show_tip(event, self.tooltip_at(event.position()), self)

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse is elsewhere."""
        QToolTip.hideText()
        super().leaveEvent(event)
