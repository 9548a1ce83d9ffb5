"""The model of a table: it holds arrays, and answers only for the cells that are seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from engine.arrays import Ints
from engine.shown_text import format_name
from views.tables.content import EMPTY, Content, TableColumn
from views.tables.header import run_header
from views.text.terms import term
from views.text.tooltips import tip
from views.theme.swatch import swatch

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

_ROOT = QModelIndex()

BAR_ROLE = Role.UserRole + 1
"""How much of the cell the bar of a number takes, 0 to 1; None without a bar."""

TERM_ROLE = Role.UserRole + 3
"""What explains the title of a column, by its key in `views.text.terms`; None: it needs no explanation."""

FAINT_ROLE = Role.UserRole + 2
"""Whether the row is drawn back."""

LINK_ROLE = Role.UserRole + 4
"""Whether the words of the cell are clicked."""

_NUMBERS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_NAMES = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class TableModel(QAbstractTableModel):
    """Model of items in rows; `rows` are the shown items, from top to bottom. Names are the row headers.

    `noun` is the word for an item.
    """

    def __init__(self, noun: str) -> None:
        super().__init__()
        self._noun = noun
        self.content: Content = EMPTY
        self.rows: Ints = EMPTY.rows

    def show(self, content: Content, rows: Ints) -> None:
        """Show these items, in this order."""
        if content is self.content and len(rows) == len(self.rows) > 0:
            self.rows = rows  # no reset: it would make the view measure all rows anew
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, self.columnCount() - 1))
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(rows) - 1)
            return
        self.beginResetModel()
        self.content, self.rows = content, rows
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.content.columns)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """The text, tooltip or look of a cell, by role."""
        item, column = int(self.rows[index.row()]), self.content.columns[index.column()]
        if role == Role.DisplayRole:
            return column.format(item)
        if role == Role.TextAlignmentRole:
            return self.alignment(column)
        if role == BAR_ROLE:
            return column.share(item)
        if role == LINK_ROLE:
            return column.linked
        if role == FAINT_ROLE:
            return self.is_faint(item)
        if role == Role.ToolTipRole:
            run = f"\n{column.run.name}" if column.run else ""
            return tip(f"{self._name(item)}{run}\n{column.title}: {column.format_exactly(item)}")
        return None

    def is_faint(self, item: int) -> bool:
        """True if the row of an item is drawn back."""
        return self.content.faint is not None and bool(self.content.faint[item])

    @staticmethod
    def alignment(column: TableColumn) -> Qt.AlignmentFlag:
        """The alignment of the cells of a column: numbers at the right."""
        return _NUMBERS if column.names is None else _NAMES

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        # The heads of rows: the name, whole in the tip where it is cut, and the colour of a run.
        if orientation == Qt.Orientation.Vertical:
            if role == Role.DecorationRole and self.content.colour is not None:
                return swatch(self.content.colour(int(self.rows[section])))
            if role not in (Role.DisplayRole, Role.ToolTipRole):
                return None
            name = self._name(int(self.rows[section]))
            return name if role == Role.DisplayRole else tip(name)
        # The heads of columns; a column of a run has the run's name in a second line, and its colour.
        column = self.content.columns[section]
        if role == Role.DisplayRole:
            return column.shown_heading + (f"\n{run_header(column.run.name, 16)}" if column.run else "")
        if role == Role.DecorationRole and column.run:
            return swatch(column.run.colour)
        if role == Role.ToolTipRole:
            text = term(column.term).explanation if column.term else column.text
            return tip(text + (f"\n{column.run.name}" if column.run else ""))
        if role == TERM_ROLE:
            return column.term or None
        return None

    @property
    def names_heading(self) -> str:
        """The heading of the names of rows."""
        return self._noun[0].upper() + self._noun[1:]

    def as_shown(self, rows: Sequence[int], columns: Sequence[int]) -> list[list[str]]:
        """Headings, then a line a row, as they are seen."""
        chosen = [self.content.columns[index] for index in columns]
        heads = [column.shown_heading + (f" ({column.run.name})" if column.run else "") for column in chosen]
        lines = [[self.names_heading, *heads]]
        for row in rows:
            item = int(self.rows[row])
            lines.append([self._name(item), *(column.format(item) for column in chosen)])
        return lines

    def export(self, rows: Sequence[int], columns: Sequence[int]) -> list[list[str]]:
        """Headings, then a line a row: its name, then values as other programs read them."""
        chosen = [self.content.columns[index] for index in columns]
        lines = [[self.names_heading, *(column.heading for column in chosen)]]
        for row in rows:
            item = int(self.rows[row])
            lines.append([self.content.name(item), *(column.plain(item) for column in chosen)])
        return lines

    def _name(self, item: int) -> str:
        return format_name(self._noun, self.content.name(item))
