"""Rows of plain tables on the clipboard, under their headings, as they are seen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView

from views.work.hearing import EventWatch


class CopyRows:
    """Ctrl+C in a table copies its selected rows, or all where none or a single cell is selected."""

    def __init__(self, view: QTableView) -> None:
        self._view = view
        EventWatch(view, view, self._take_key)

    def _take_key(self, _: QObject, event: QEvent) -> bool:
        """Take the key, except from a cell that is being edited."""
        edits = self._view.state() == QAbstractItemView.State.EditingState
        if edits or not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if not event.matches(QKeySequence.StandardKey.Copy):
            return False
        self.copy()
        return True

    def copy(self) -> None:
        """Put the rows on the clipboard, tab-separated."""
        QGuiApplication.clipboard().setText("\n".join("\t".join(line) for line in self.lines()))

    def lines(self) -> list[list[str]]:
        """The headings of the columns that are not hidden, then a line a row."""
        view, model = self._view, self._view.model()
        columns = [k for k in range(model.columnCount()) if not view.isColumnHidden(k)]
        picked = sorted({index.row() for index in view.selectionModel().selectedRows()})
        rows = picked if len(picked) > 1 else range(model.rowCount())
        side = Qt.Orientation.Horizontal
        heads = [str(model.headerData(k, side) or "").replace("\n", " ") for k in columns]
        return [heads, *([str(model.index(row, k).data() or "") for k in columns] for row in rows)]
