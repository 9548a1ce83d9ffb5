"""A stack of pages that keeps to itself what changes in them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
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
        self._crowded, self._least = False, 0  # whether a page had too little room, and what it needed
        self._told = 0  # the least height that layouts around it know
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
        size = self._pages[self._index].minimumSizeHint()
        self._told = size.height()
        return size

    def hasHeightForWidth(self) -> bool:
        return self._pages[self._index].hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        """The least: a page fills what it is given."""
        layout = self._pages[self._index].layout()
        return layout.totalMinimumHeightForWidth(width) if layout is not None else -1

    def event(self, event: QEvent) -> bool:
        """Tell what is around it only when a page has too little room, or more than it needs by now."""
        if event.type() == QEvent.Type.LayoutRequest:
            page, flows = self._pages[self._index], self.hasHeightForWidth()
            least = self.heightForWidth(self.width()) if flows else page.minimumSizeHint().height()
            # A page that was narrow at first, with its charts in a column, is held as high as that.
            held = self._crowded or self.height() <= self._told
            if least > self.height() or (held and least != self._least):
                self._crowded, self._least = True, least
                self.updateGeometry()  # else what is around it is left alone
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for page in self._pages:
            page.setGeometry(self.rect())
