"""What a page scrolls in where the window is too low or too narrow for it."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.panels.dialogs import HighArea
from app.panels.made_later import MadeLater
from views.widgets.tab_order import chain, read_through


class PageArea(HighArea):
    """Scroll area of a page, which fills it, but gets no lower than all its parts are at their lowest.

    It takes the page when it is first shown. Tab goes through it as it is read.
    """

    def __init__(self, page: MadeLater[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page = page
        page.when_made(self._put_away)

    @property
    def page(self) -> QWidget:
        """The page, which is made if it is not yet."""
        return self._page()

    def _put_away(self, page: QWidget) -> None:
        """Hide the page until this area is shown: to lay it out takes time."""
        if self.widget() is None:
            page.hide()

    def showEvent(self, event: QShowEvent) -> None:
        if self.widget() is None:
            self.setWidget(_Held(self.page))
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
        page.show()

    def heightForWidth(self, width: int) -> int:
        return self._column.minimumHeightForWidth(width)
