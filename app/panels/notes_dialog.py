"""The quality notes of a trace: what cleaning counted, changed or left out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.trace import Note
from engine.words import of_count, spaced_thousands
from views.text.counts import format_count, plural
from views.widgets.table_copies import CopyRows


class NotesDialog(QDialog):
    """A row a note: how often, what, and the first lines of the file where it occurred."""

    def __init__(self, name: str, notes: Sequence[Note], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Quality of {name}")
        self.resize(820, 360)
        self.table = QTableWidget(len(notes), 3, self)
        self.table.setHorizontalHeaderLabels(["Count", "Note", "First lines"])
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setAccessibleName("Quality notes")
        self.table.verticalHeader().hide()
        self.copying = CopyRows(self.table)
        self.table.horizontalHeader().setStretchLastSection(True)
        for row, note in enumerate(notes):
            count = QTableWidgetItem(format_count(note.count))
            count.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            lines = QTableWidgetItem(", ".join(map(format_count, note.lines)))
            for column, item in enumerate(
                (count, QTableWidgetItem(spaced_thousands(of_count(note.count, note.text))), lines)
            ):
                self.table.setItem(row, column, item)
        # Long notes wrap: the column is cut to a width, and rows are made as high as that needs, in this
        # order.
        self.table.resizeColumnsToContents()
        self.table.setColumnWidth(1, min(self.table.columnWidth(1), 520))
        self.table.setWordWrap(True)
        self.table.resizeRowsToContents()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(QLabel(f"{plural(len(notes), 'note')} on this trace", self))
        layout.addWidget(self.table)
        layout.addWidget(buttons)
