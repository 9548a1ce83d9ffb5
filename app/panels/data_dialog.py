"""The data of a chart as a table, for those who do not see the chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QTableView, QVBoxLayout, QWidget

from views.tables.header import dress_table
from views.text.counts import plural
from views.text.values import number
from views.widgets.table_copies import copy_cells

Columns = Sequence[tuple[str, Sequence[Any]]]
"""Titles and values of columns of equal length."""

MOST_COPIED = 20_000
"""Rows that are copied; more are exported to a file."""

_ROOT = QModelIndex()


class DataModel(QAbstractTableModel):
    """Model of columns; a cell is spelled when it is shown."""

    def __init__(self, columns: Columns) -> None:
        super().__init__()
        self.columns = columns

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        return 0 if parent.isValid() or not self.columns else len(self.columns[0][1])

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The text of a cell."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return format_cell(self.columns[index.column()][1][index.row()])
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return self.columns[section][0] if orientation == Qt.Orientation.Horizontal else str(section + 1)


def format_cell(value: Any) -> str:
    """A value of a table; empty where there is none."""
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else number(float(value))


class DataDialog(QDialog):
    """What a chart shows: its name, a sentence that sums it up, and all of its data; Ctrl+C copies them."""

    def __init__(self, name: str, summary: str, columns: Columns, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Data: {name}")
        self.model = DataModel(columns)
        self.summary = QLabel(summary, self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.view = QTableView(self)
        self.view.setAccessibleName(f"Data of {name}")
        self.view.setModel(self.model)
        dress_table(self.view)
        rows = QLabel(plural(self.model.rowCount(), "row"), self)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self.copy)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for part in (self.summary, self.view, rows, buttons):
            column.addWidget(part)
        self.resize(720, 480)
        self.view.setFocus()

    def copy(self) -> None:
        """Put the table on the clipboard, tab-separated."""
        titles = [title for title, _ in self.model.columns]
        count = min(self.model.rowCount(), MOST_COPIED)
        rows = ([str(values[row]) for _, values in self.model.columns] for row in range(count))
        copy_cells([titles, *rows], exact=True)
