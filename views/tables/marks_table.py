"""The list of marks: a click goes to a mark, names and notes are edited in place."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.shown_text import with_kind
from engine.trace import Trace
from views.data.marks import TimeMark, gap
from views.state.context import ViewContext
from views.tables.header import dress_header, dress_table
from views.text.counts import plural
from views.text.ticks import Hours, TimeAxis, axis_of
from views.text.tooltips import as_tip
from views.text.values import duration
from views.theme.theme import Theme
from views.timechart.marks import format_span
from views.widgets.table_copies import CopyRows

_HEADINGS = ("Mark", "Time", "On", "Note")
_NAME, _NOTE = 0, 3
_WIDTHS = (200, 370, 160)
_EMPTY = "No marks yet: K marks what is selected, otherwise the time under the mouse."
_SHOWN = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
_TRIGGERS = QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed


class MarksTable(QWidget):
    """A table with a row for each mark, in order of time. `add_clicked` requests a mark for the selection.

    A click or Enter goes to a mark; a double-click or F2 edits its name or note; Delete removes it. With two
    rows selected (Ctrl+click) the time between these marks is shown.
    """

    add_clicked = Signal()

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = context.view
        self._axis: TimeAxis = Hours(0)
        self.rows = _Rows(self)
        self.message = QLabel(_EMPTY, self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.add, self.remove = QPushButton("Add a mark…", self), QPushButton("Remove", self)
        self.add.setToolTip("Mark what is selected (K)")
        self.remove.setToolTip("Remove the mark of the row (Delete)")
        above = QHBoxLayout()
        above.setContentsMargins(6, 4, 6, 2)
        above.addWidget(self.message, 1)
        above.addWidget(self.add)
        above.addWidget(self.remove)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(above)
        column.addWidget(self.rows, 1)
        self.set_theme(theme)
        # A click on a row and Return lead to the mark; a cell that was edited is taken over into the marks.
        self.rows.cellClicked.connect(lambda row, _: self._go(row))
        self.rows.cellChanged.connect(self._take)
        self.rows.itemSelectionChanged.connect(self._update_text)
        self.rows.wanted.connect(self._go)
        self.rows.unwanted.connect(self._remove)
        self.add.clicked.connect(self.add_clicked)
        self.remove.clicked.connect(lambda: self._remove(self.rows.currentRow()))
        self._view.follow(self, "marks", self._show)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.message.setStyleSheet(f"color: {theme.faint}")

    def set_trace(self, trace: Trace | None) -> None:
        """Tell times as this trace does."""
        self._axis = axis_of(trace) if trace is not None else Hours(0)
        self._show()

    @property
    def _marks(self) -> tuple[TimeMark, ...]:
        return self._view.options.marks

    def _show(self) -> None:
        row = self.rows.currentRow()
        with QSignalBlocker(self.rows):
            self.rows.setRowCount(len(self._marks))
            for k, mark in enumerate(self._marks):
                words = mark.name, format_span(mark, self._axis), _subject(mark), mark.note
                for column, text in enumerate(words):
                    item = QTableWidgetItem(text)
                    editable = column in (_NAME, _NOTE)
                    item.setFlags(_SHOWN | Qt.ItemFlag.ItemIsEditable if editable else _SHOWN)
                    item.setToolTip(as_tip(text))
                    self.rows.setItem(k, column, item)
            self.rows.setCurrentCell(min(row, len(self._marks) - 1), _NAME)
        self._update_text()
        self.remove.setEnabled(bool(self._marks))

    def _update_text(self) -> None:
        """Show the number of marks, or the time between two selected marks."""
        picked = [self._marks[row] for row in self._picked if row < len(self._marks)]
        if len(picked) == 2:
            self.message.setText(f"{duration(gap(*picked))} between {picked[0].name} and {picked[1].name}")
        else:
            self.message.setText(plural(len(self._marks), "mark") if self._marks else _EMPTY)

    @property
    def _picked(self) -> list[int]:
        """The selected rows, from top to bottom."""
        return sorted({index.row() for index in self.rows.selectedIndexes()})

    def _go(self, row: int) -> None:
        if len(self._picked) > 1:
            return  # they are compared: what is shown stays
        self._view.mark_wanted.emit(self._marks[row])

    def _take(self, row: int, column: int) -> None:
        """Take the typed text; a mark with an empty new name keeps its old name."""
        item = self.rows.item(row, column)
        text, mark = item.text().strip() if item is not None else "", self._marks[row]
        changed = replace(mark, note=text) if column == _NOTE else replace(mark, name=text or mark.name)
        self._view.choose(marks=(*self._marks[:row], changed, *self._marks[row + 1 :]))
        self._show()

    def _remove(self, row: int) -> None:
        if 0 <= row < len(self._marks):
            self._view.choose(marks=(*self._marks[:row], *self._marks[row + 1 :]))


class _Rows(QTableWidget):
    """The rows: `wanted` and `unwanted` carry the row on which Enter or Delete was pressed."""

    wanted, unwanted = Signal(int), Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(0, len(_HEADINGS), parent)
        dress_table(self)
        dress_header(self.horizontalHeader())
        self.setAccessibleName("Marks")
        self.setHorizontalHeaderLabels(_HEADINGS)
        self.horizontalHeader().setStretchLastSection(True)
        for column, width in enumerate(_WIDTHS):
            self.setColumnWidth(column, width)
        self.verticalHeader().hide()
        self.setTabKeyNavigation(False)
        self.copying = CopyRows(self)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(_TRIGGERS)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, row = event.key(), self.currentRow()
        edits = self.state() == QAbstractItemView.State.EditingState
        if not edits and row >= 0 and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.wanted.emit(row)
        elif not edits and row >= 0 and key == Qt.Key.Key_Delete:
            self.unwanted.emit(row)
        else:
            super().keyPressEvent(event)


def _subject(mark: TimeMark) -> str:
    """A description of the object that a mark belongs to, besides its time."""
    if mark.jobs:
        return f"job {mark.jobs[0]}" if len(mark.jobs) == 1 else plural(len(mark.jobs), "job")
    kinds = ("user", mark.users), ("queue", mark.queues)
    return ", ".join(with_kind(kind, name) for kind, names in kinds for name in names)
