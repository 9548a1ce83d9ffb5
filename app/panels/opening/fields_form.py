"""The fields of a dump of sacct that does not name them: a list to confirm, over the first lines by it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from views.text.counts import clip

if TYPE_CHECKING:
    from engine.logs.sacct.prints.fields import FieldsSample

_ROWS = 6
_CLIPPED = 40
_GUESSED = (
    "No line of this log names its fields. These were guessed from the number of fields in its lines: check "
    "them with the lines below, and correct the list where it is wrong."
)
_UNKNOWN = (
    "No line of this log names its fields, and no usual list of them fits. Enter their names in order, as "
    "given to sacct --format, such as JobID,User,Submit,Start,End,NCPUS."
)


class FieldsForm(QWidget):
    """Form with the list of fields, and the first lines of the log under their names.

    `edited` is sent when the user changed the list.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.about = QLabel("", self, wordWrap=True)
        self.names = QLineEdit(self)
        self.names.setAccessibleName("Fields of the log")
        self.names.setToolTip("In their order, separated by commas; fields with unknown names are ignored")
        self.names.textEdited.connect(self._take)
        self.table = QTableWidget(0, 0, self)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self._sample: FieldsSample | None = None
        column = QVBoxLayout(self)
        column.addWidget(self.about)
        column.addWidget(self.names)
        column.addWidget(self.table, 1)

    @property
    def text(self) -> str:
        """The fields that are named, with commas between."""
        return ",".join(self._names())

    def show_sample(self, sample: FieldsSample, text: str = "") -> None:
        """Show the first lines under the names in `text`, or else as they are guessed; this is no edit."""
        self._sample = sample
        self.about.setText(_GUESSED if sample.fields else _UNKNOWN)
        self.names.setText(text or ", ".join(sample.fields))
        self.names.setCursorPosition(0)
        self._show_lines()

    def _names(self) -> list[str]:
        return [name for name in re.split(r"[\s,|]+", self.names.text()) if name]

    def _take(self) -> None:
        self._show_lines()
        self.edited.emit()

    def _show_lines(self) -> None:
        rows = self._sample.rows[:_ROWS] if self._sample is not None else ()
        names = self._names()
        count = max([len(names), *(len(row) - (not row[-1]) for row in rows)])
        self.table.setColumnCount(count)
        self.table.setRowCount(len(rows))
        self.table.setHorizontalHeaderLabels([*names, *["?"] * (count - len(names))])
        for row, cells in enumerate(rows):
            for column in range(count):
                text = cells[column] if column < len(cells) else ""
                self.table.setItem(row, column, QTableWidgetItem(clip(text, _CLIPPED)))
        self.table.resizeColumnsToContents()
