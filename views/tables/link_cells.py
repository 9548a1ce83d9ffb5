"""Table cells that list items which can be clicked separately."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent
from PySide6.QtWidgets import QStyle, QTableView

from views.tables.model import LINK_ROLE
from views.work.widget_handlers import EventWatch

BETWEEN = ", "


class LinkedWords(QObject):
    """Watch over a table: `clicked` (row, index) of the words that `words` returns for a row.

    The linked cell of the row begins with these words, separated by commas. A click on a word does not select
    the row.
    """

    clicked = Signal(int, int)

    def __init__(self, view: QTableView, words: Callable[[int], Sequence[str]]) -> None:
        super().__init__(view)
        self._view, self._words = view, words
        self._pressed: tuple[int, int] | None = None
        view.viewport().setMouseTracking(True)
        EventWatch(view.viewport(), view, self._take_click)

    def word_at(self, position: QPoint) -> tuple[int, int] | None:
        """The row and the index of the word at a position; None: there is none."""
        index = self._view.indexAt(position)
        if not index.isValid() or not index.data(LINK_ROLE):
            return None
        style, metrics = self._view.style(), QFontMetrics(self._view.font())
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, self._view) + 1
        x = position.x() - self._view.visualRect(index).left() - margin
        for which, word in enumerate(self._words(index.row())):
            wide = metrics.horizontalAdvance(word)
            if 0 <= x <= wide:
                return index.row(), which
            x -= wide + metrics.horizontalAdvance(BETWEEN)
        return None

    def _take_click(self, _: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent):
            return False
        at = self.word_at(event.position().toPoint())
        if event.type() == QEvent.Type.MouseMove and not event.buttons():
            shape = Qt.CursorShape.ArrowCursor if at is None else Qt.CursorShape.PointingHandCursor
            self._view.viewport().setCursor(shape)
        plain = event.button() == Qt.MouseButton.LeftButton and not event.modifiers()
        if event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick):
            self._pressed = at if plain else None
            return self._pressed is not None
        if event.type() == QEvent.Type.MouseButtonRelease and self._pressed is not None:
            pressed, self._pressed = self._pressed, None
            if at == pressed:
                self.clicked.emit(*pressed)
            return True
        return False
