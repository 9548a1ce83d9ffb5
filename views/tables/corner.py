"""The heading over the names of rows, in the corner of a table."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyle, QStyleOptionHeader, QTableView, QWidget

from views.work.widget_handlers import EventWatch


class CornerHeading(QWidget):
    """A heading over the headings of rows, where Qt leaves a blank; it follows their size."""

    clicked = Signal()

    def __init__(self, text: str, view: QTableView) -> None:
        super().__init__(view)
        self.text = text
        self._view = view
        self.setAccessibleName(f"Heading of the rows: {text}")
        self.setToolTip("In the order of the names" if text != "Metric" else "")
        view.verticalHeader().setMinimumWidth(self._wanted)
        for watched in (view, view.verticalHeader(), view.horizontalHeader()):
            EventWatch(watched, self, self._follow)
        self._place()

    @property
    def _wanted(self) -> int:
        return self._view.horizontalHeader().fontMetrics().horizontalAdvance(self.text) + 12

    def _follow(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Move):
            self._place()
        elif event.type() == QEvent.Type.FontChange and watched is self._view.horizontalHeader():
            self._view.verticalHeader().setMinimumWidth(self._wanted)
        return False

    def _place(self) -> None:
        side, top = self._view.verticalHeader(), self._view.horizontalHeader()
        self.setGeometry(QRect(side.x(), top.y(), side.width(), top.height()))
        self.setVisible(not side.isHidden() and not top.isHidden())
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QPainter(self), QStyleOptionHeader()
        option.initFrom(self)
        option.rect = self.rect()
        option.orientation = Qt.Orientation.Horizontal
        option.textAlignment = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        option.text = self.text
        self.style().drawControl(QStyle.ControlElement.CE_Header, option, painter, self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()
