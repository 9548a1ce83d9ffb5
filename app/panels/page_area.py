"""What a page scrolls in where the window is too low or too narrow for it."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.panels.dialogs import HighArea
from views.widgets.tab_order import chain, read_through


class PageArea(HighArea):
    """Scroll area of a page, which fills it, but gets no lower than all its parts are at their lowest.

    Tab goes through it as it is read.
    """

    def __init__(self, page: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.page = page
        self.setWidget(_Held(page))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._order)  # its layouts are settled then

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._order()

    def _order(self) -> None:
        if self.isVisible():
            chain(read_through(self.page))


class _Held(QWidget):
    """Holder of a page. As a height for a width it gives the lowest; a layout gives the one it likes best."""

    def __init__(self, page: QWidget) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(page)

    def heightForWidth(self, width: int) -> int:
        return self._column.minimumHeightForWidth(width)
