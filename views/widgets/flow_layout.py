"""A layout that wraps its widgets into lines."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem


class FlowLayout(QLayout):
    """Layout of items side by side, without gaps, each as wide as it likes, in as many lines as they need."""

    def __init__(self) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        """The number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def minimumSize(self) -> QSize:
        margins, size = self.contentsMargins(), QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size.grownBy(margins)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def setGeometry(self, room: QRect) -> None:
        super().setGeometry(room)
        self._arrange(room, move=True)

    def _arrange(self, whole: QRect, move: bool) -> int:
        """Go through the lines from the upper left; returns the height that they take."""
        room = whole.marginsRemoved(self.contentsMargins())
        corner, line = room.topLeft(), 0
        for item in self._items:
            size = item.sizeHint()
            if line and corner.x() + size.width() > room.right():
                corner, line = QPoint(room.x(), corner.y() + line), 0
            if move:
                item.setGeometry(QRect(corner, size))
            corner += QPoint(size.width(), 0)
            line = max(line, size.height())
        return corner.y() + line - whole.y() + self.contentsMargins().bottom()
