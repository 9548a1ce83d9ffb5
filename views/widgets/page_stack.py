"""A stack of pages that keeps to itself what changes in them."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget


class PageStack(QWidget):
    """A stack of pages of which a single page is shown, initially the first; it fills its `parent`.

    The parent alone says how much room there is. In Qt's own stack each label that is given other words has
    all layouts around it worked out anew, up to the window's: 4 ms a step of a slider. Each widget that is
    shown does so at once, which takes 20 ms, and a page may show ten as its first results come.
    """

    def __init__(self, parent: QWidget, *pages: QWidget) -> None:
        super().__init__(parent)
        self._pages = pages
        self._index = 0
        column = QVBoxLayout(parent)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self)
        for page in pages:
            page.setParent(self)
        self.setCurrentIndex(0)

    def setCurrentIndex(self, index: int) -> None:
        """Show this page."""
        self._index = index
        for number, page in enumerate(self._pages):
            page.setVisible(number == index)

    def sizeHint(self) -> QSize:
        return self._pages[self._index].sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._pages[self._index].minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for page in self._pages:
            page.setGeometry(self.rect())
