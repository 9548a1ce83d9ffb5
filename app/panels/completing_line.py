"""The line for typing a filter, with a list of completions.

The list is a child of the window and no `QCompleter`, whose popup would block the wheel over the charts,
which follow the typed text, and would swallow a click on a job.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFrame, QLineEdit, QListView, QWidget

from engine.completion import Completion

_TAKEN = Qt.ItemDataRole.UserRole  # of an entry: the words, and where they go
_MOST_SEEN = 12
_LEAST_WIDTH = 300


class CompletingLine(QLineEdit):
    """Sends typed text with `textEdited`; `entered` and `abandoned` are sent on Enter and Esc.

    `began` and `ended` are sent when the line gets and loses the focus. While the list is open, arrow keys
    choose from it, Enter or Tab insert the chosen item, and Tab without a choice the first.
    """

    entered = Signal()
    abandoned = Signal()
    began = Signal()
    ended = Signal()

    def __init__(
        self,
        complete: Callable[[str], Completion],
        kept: Callable[[], Mapping[str, str]],
        parent: QWidget | None = None,
    ) -> None:
        """`complete` returns the completions of a text, `kept` saved texts by name, which come first."""
        super().__init__(parent)
        self._complete, self._kept = complete, kept
        self._model = QStandardItemModel(self)
        self.list = QListView(self)
        self.list.setModel(self._model)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setFrameShape(QFrame.Shape.StyledPanel)
        self.list.setUniformItemSizes(True)
        self.list.clicked.connect(self._take)
        self.list.hide()
        self.textEdited.connect(self._offer)

    @property
    def offers(self) -> list[str]:
        """The items of the list, if it is open."""
        if not self.list.isVisible():
            return []
        return [self._model.item(row).data(_TAKEN)[0] for row in range(self._model.rowCount())]

    def _offer(self) -> None:
        """Show the completions at the cursor, unless they are already inserted."""
        before = self.text()[: self.cursorPosition()]
        completions = self._complete(before)
        self._model.clear()
        # An empty line offers what was kept.
        if not before.strip():
            for name, text in self._kept().items():
                self._add(f"★ {name}", text, text, 0)
        for offer in completions.offers:
            # A completion that stands there already would change nothing.
            if offer.word != before[completions.start :]:
                self._add(offer.word, offer.help, offer.word, completions.start)
        if self._model.rowCount():
            self._open()
        else:
            self.list.hide()

    def _open(self) -> None:
        """Lay the list under the line, over whatever is there."""
        window = self.window()
        if self.list.parentWidget() is not window:
            self.list.setParent(window)
        rows = min(self._model.rowCount(), _MOST_SEEN)
        height = rows * self.list.sizeHintForRow(0) + 2 * self.list.frameWidth()
        corner = self.mapTo(window, QPoint(0, self.height()))
        self.list.setGeometry(corner.x(), corner.y(), min(self.width(), 480), height)
        self.list.show()
        self.list.raise_()

    def _add(self, word: str, text: str, taken: str, start: int) -> None:
        item = QStandardItem(f"{word}   {text}".rstrip())
        item.setData((taken, start), _TAKEN)
        self._model.appendRow(item)

    def _take(self, index: QModelIndex) -> None:
        """Put words instead of what was begun."""
        word, start = index.data(_TAKEN)
        after = self.text()[self.cursorPosition() :]
        before = f"{self.text()[:start]}{word} "
        self.setText(before + after.lstrip())
        self.setCursorPosition(len(before))
        self.textEdited.emit(self.text())

    def _choose(self, step: int) -> None:
        row = self.list.currentIndex().row() + step
        self.list.setCurrentIndex(self._model.index(max(row, 0) % self._model.rowCount(), 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter, Tab, Esc and the arrow keys, which go to the list while it is open."""
        key, listed = event.key(), self.list.isVisible()
        # The current entry counts only while the list can be seen.
        chosen = self.list.currentIndex() if listed else QModelIndex()
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            if listed:
                self._choose(1 if key == Qt.Key.Key_Down else -1)
            else:
                self._offer()
        # Tab takes the first entry if none is chosen; Enter takes only a chosen entry, else the line is done.
        elif key == Qt.Key.Key_Tab and listed:
            self._take(chosen if chosen.isValid() else self._model.index(0, 0))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and chosen.isValid():
            self._take(chosen)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.list.hide()
            self.entered.emit()
        elif key == Qt.Key.Key_Escape:
            self.list.hide()
            self.abandoned.emit()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab inserts from the open list; otherwise it moves to the next widget."""
        return False if self.list.isVisible() else super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.began.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.list.hide()
        self.ended.emit()
