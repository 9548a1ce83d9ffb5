"""The selected items of a table: items picked in it, and items picked elsewhere."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Signal,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from engine.arrays import Ints, Mask

Flag = QItemSelectionModel.SelectionFlag

_AROUND = 200
"""Rows above and below those in view that are lit up, too: no screen is taller."""


class _HasRows(Protocol):
    """A model of a table: `rows` are its items from top to bottom."""

    rows: Ints


class RowsView(QTableView):
    """A table whose rows are selected as a whole; `gesture` is how the reader last did it.

    A click replaces the selection; with ctrl or shift it is changed.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.gesture: Literal["replace", "change"] = "replace"
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)

    def minimumSizeHint(self) -> QSize:
        """At least three rows are seen: a page that is lower scrolls."""
        rows = 3 * self.verticalHeader().defaultSectionSize()
        head = self.horizontalHeader().sizeHint().height()
        return QSize(super().minimumSizeHint().width(), rows + head + 2 * self.frameWidth())

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Set the model. The upper header gets a selection model of its own, since painting queries it for
        each row.
        """
        super().setModel(model)
        if model is not None:
            self.horizontalHeader().setSelectionModel(QItemSelectionModel(model, self))

    def selectionCommand(
        self, index: QModelIndex | QPersistentModelIndex, event: QEvent | None = None
    ) -> QItemSelectionModel.SelectionFlag:
        flags = super().selectionCommand(index, event)
        # Qt tells here alone which keys were held with a click or an arrow.
        if flags & Flag.Clear:
            self.gesture = "replace"
        elif flags & (Flag.Toggle | Flag.Select):
            self.gesture = "change"
        return flags

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the column that sorts in view where it was seen whole."""
        super().resizeEvent(event)
        column, wide = self.horizontalHeader().sortIndicatorSection(), self.viewport().width()
        if self.model() is None or not 0 <= column < self.model().columnCount():
            return
        right = self.columnViewportPosition(column) + self.columnWidth(column)
        # The column was in view before and is not now: scroll by what is missing.
        if wide < right <= event.oldSize().width():
            across = self.horizontalScrollBar()
            self.updateGeometries()  # or the scroll bar would not reach that far yet
            across.setValue(across.value() + right - wide)

    @property
    def scroll_position(self) -> tuple[int, int]:
        """The horizontal and vertical scroll position of the view."""
        return self.horizontalScrollBar().value(), self.verticalScrollBar().value()

    def go_to(self, across: int, down: int) -> None:
        """Scroll there, as far as there is anything."""
        self.doItemsLayout()  # at once, or the scroll bars would not reach that far yet
        self.horizontalScrollBar().setValue(across)
        self.verticalScrollBar().setValue(down)

    def selectAll(self) -> None:
        self.gesture = "replace"
        super().selectAll()


class PickedItems(QObject):
    """The items that are selected, whether the table shows them now or not.

    Qt's own selection has only those rows that are near the view: hundreds of thousands, scattered over
    a table, would hold the window at every click and every painting. `picked` is sent when the reader
    selects; the items, ascending, are in `items`.
    """

    picked = Signal()

    def __init__(self, view: RowsView, model: _HasRows) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self._lighting = False  # what Qt selects now is not the reader's doing
        self._bring = False  # whether the first of the items is still to be brought into view
        self.items: Ints = np.empty(0, np.int64)
        view.selectionModel().selectionChanged.connect(self._change)
        view.clicked.connect(self._replace)
        view.verticalScrollBar().valueChanged.connect(self.light)

    def show(self, items: Ints) -> None:
        """Select these items, ascending; the first of those in the table is brought into view."""
        # A selection that is shown already must not scroll the table again.
        if np.array_equal(items, self.items):
            return
        self.items, self._bring = items, bool(len(items))
        self.light()

    def rows(self) -> Ints:
        """The rows of the items, from top to bottom."""
        return np.flatnonzero(self._mask()[self._model.rows])

    def renew(self) -> None:
        """Select the items again in their new rows: the rows that Qt selected now show other items."""
        # First nothing: rows of the old order that happen to be the same would count as selected already.
        self._choose(np.empty(0, np.int64))
        self.light()

    def light(self) -> None:
        """Light up the rows of the items that are near the view."""
        rows = self.rows() if self._bring else np.empty(0, np.int64)
        # Once only: later calls come from scrolling, which must not be turned back.
        if len(rows):
            self._bring = False
            # Qt would scroll sideways, too, to the cell that is asked for.
            across, sideways = self._view.horizontalScrollBar(), self._view.scroll_position[0]
            self._view.scrollTo(self._index(int(rows[0]), max(self._view.columnAt(0), 0)))
            across.setValue(sideways)
        top = max(self._view.rowAt(0) - _AROUND, 0)
        near = self._model.rows[top : top + 3 * _AROUND]
        # Both are ascending lists of items: a binary search for each row near the view.
        index = np.minimum(np.searchsorted(self.items, near), len(self.items) - 1)
        wanted = self.items[index] == near if len(self.items) else np.zeros(len(near), np.bool_)
        lit = np.zeros(len(self._model.rows), np.bool_)
        # What Qt has selected now. Only a difference near the view is mended; rows far from it may be left as
        # they are until they come near.
        for part in self._chosen().toList():
            lit[part.top() : part.bottom() + 1] = True
        if not np.array_equal(wanted, lit[top : top + 3 * _AROUND]):
            self._choose(top + np.flatnonzero(wanted))

    def _choose(self, rows: Ints) -> None:
        """Have Qt select these rows, as if each had been clicked on: shift selects more from here."""
        chosen, last = QItemSelection(), self._view.model().columnCount() - 1
        # Neighbouring rows form a range: Qt is slow in the number of ranges, not in that of rows.
        for part in np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1):
            if len(part):
                chosen.select(self._index(int(part[0]), 0), self._index(int(part[-1]), last))
        self._lighting = True
        try:
            # The second call ends what Qt takes for the selection that is going on: a later shift then adds
            # to these rows and does not replace them.
            self._view.selectionModel().select(chosen, Flag.ClearAndSelect)
            self._view.selectionModel().select(QItemSelection(), Flag.Select)
        finally:
            self._lighting = False

    def _change(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """The reader selects: with ctrl or shift only what changes counts, and the rest stays."""
        # Qt reports also what `_choose` does.
        if self._lighting:
            return
        if self._view.gesture == "replace":
            self._replace()
            return
        mask = self._mask()
        mask[self._items_of(deselected)] = False
        mask[self._items_of(selected)] = True
        self._take(mask)

    def _replace(self) -> None:
        """A click means the rows that are selected now, and no others, even where none changes."""
        if self._view.gesture == "replace":
            mask = np.zeros_like(self._mask())
            mask[self._items_of(self._chosen())] = True
            self._take(mask)

    def _take(self, mask: Mask) -> None:
        self.items, self._bring = np.flatnonzero(mask), False
        self.picked.emit()

    def _mask(self) -> Mask:
        """The mask of selected items, long enough for all items."""
        # The items may be in rows that the table hides now.
        most = max(self.items.max(initial=0), self._model.rows.max(initial=0))
        mask = np.zeros(int(most) + 1, np.bool_)
        mask[self.items] = True
        return mask

    def _items_of(self, selection: QItemSelection) -> Ints:
        """Items of the selected rows, by ranges, since there may be a million."""
        parts = [self._model.rows[part.top() : part.bottom() + 1] for part in selection.toList()]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def _chosen(self) -> QItemSelection:
        return self._view.selectionModel().selection()

    def _index(self, row: int, column: int) -> QModelIndex:
        return self._view.model().index(row, column)
