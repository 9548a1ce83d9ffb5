"""Rows of tables on the clipboard, under their headings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView

from engine.shown_text import in_a_line, spreadsheet_text
from views.widgets.menu_entries import MenuEntry
from views.work.widget_handlers import EventWatch


def copy_cells(lines: Iterable[Iterable[str]], *, exact: bool = False) -> None:
    """Put lines of cells on the clipboard, tab-separated; no cell holds a tab or an end of line.

    Cells are as they are seen, or `exact`, for spreadsheets: none is run as a formula.
    """
    cell = spreadsheet_text if exact else _seen
    QGuiApplication.clipboard().setText("\n".join("\t".join(map(cell, line)) for line in lines))


def _seen(cell: str) -> str:
    return in_a_line(cell.replace("\n", " "))  # headings break where they are seen


_NUMBER = re.compile("[+\u2212]?[0-9]{1,3}(\u202f[0-9]{3})*([.][0-9]+)?")


def plain_number(cell: str) -> str:
    """A cell that is a number without a unit as a spreadsheet reads it: `12 345` as `12345`, `−3` as `-3`."""
    is_number = _NUMBER.fullmatch(cell) is not None
    return cell.replace("\u202f", "").replace("\u2212", "-") if is_number else cell


class CopyRows:
    """Ctrl+C in a table copies its selected rows, or all where none is selected.

    In a table in which only one row can be selected, that row tells what is looked at: all rows are copied.
    """

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
        copy_cells(self.lines())

    @property
    def entries(self) -> list[MenuEntry]:
        """The entry that copies, for menus of rows."""
        tip = "All rows, for a spreadsheet"
        if self._selects_several:
            tip = "The selected rows, or else all, for a spreadsheet"
        return [MenuEntry("&Copy rows\tCtrl+C", self.copy, tip=tip)]

    @property
    def _selects_several(self) -> bool:
        return self._view.selectionMode() != QAbstractItemView.SelectionMode.SingleSelection

    def lines(self) -> list[list[str]]:
        """The headings of the columns that are not hidden, then a line a row."""
        view, model = self._view, self._view.model()
        columns = [k for k in range(model.columnCount()) if not view.isColumnHidden(k)]
        picked = sorted({index.row() for index in view.selectionModel().selectedRows()})
        rows = picked if picked and self._selects_several else range(model.rowCount())
        side = Qt.Orientation.Horizontal
        heads = [str(model.headerData(k, side) or "") for k in columns]
        cells = ([plain_number(str(model.index(row, k).data() or "")) for k in columns] for row in rows)
        return [heads, *cells]
