"""The list of users with what they won and lost, sorted by an index array."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from views.comparison import Comparison, hours
from views.format import duration
from views.tips import tip
from views.words import spell_count

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
Ints = NDArray[np.int64]

BAR = int(Role.UserRole) + 1
"""Role of a cell's share of its column's largest value, -1 to 1; None where it has no bar."""

_ROOT = QModelIndex()


@dataclass(frozen=True, eq=False)
class Column:
    """One column: a value a user, shape (users,), how to write it and what it is.

    `sign` is 1 where a value is good for the user and -1 where it is bad; 0: neither, and no bar.
    """

    title: str
    values: Ints
    show: Callable[[int], str]
    text: str
    sign: int = 0


class ChangesModel(QAbstractTableModel):
    """Users with compared jobs; `rows` are the codes of those shown, in order: most won first."""

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self._columns: list[Column] = []
        self._sorted_by = (0, Qt.SortOrder.DescendingOrder)
        self._users: Ints = np.empty(0, np.int64)
        self.rows: Ints = self._users

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show the users of this pair of runs."""
        self.beginResetModel()
        self._names = comparison.trace.user.names if comparison is not None else ()
        self._columns = [] if comparison is None else make_columns(comparison)
        jobs = comparison.difference.users.jobs if comparison is not None else np.empty(0, np.int64)
        self._users = np.flatnonzero(jobs > 0)
        self._arrange()
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Users."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """What is told of each."""
        return 0 if parent.isValid() else len(self._columns)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order by a column, either way; -1: as at first."""
        self.beginResetModel()
        self._sorted_by = (column, order) if column >= 0 else (0, Qt.SortOrder.DescendingOrder)
        self._arrange()
        self.endResetModel()

    def longest(self, column: int) -> str:
        """The longest text of a column: asked for cell by cell they would hold the window."""
        shown = self._columns[column]
        return max(map(shown.show, shown.values[self._users].tolist()), key=len, default="")

    def _arrange(self) -> None:
        column, order = self._sorted_by
        if not self._columns:
            self.rows = self._users
            return
        key = self._columns[min(column, len(self._columns) - 1)].values[self._users]
        if order == Qt.SortOrder.DescendingOrder:
            key = -key
        self.rows = self._users[np.argsort(key, kind="stable")]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """What a cell shows and tells."""
        user, column = int(self.rows[index.row()]), self._columns[index.column()]
        value = int(column.values[user])
        if role == Role.DisplayRole:
            return column.show(value)
        if role == BAR:
            most = int(np.abs(column.values).max(initial=0))
            return column.sign * value / most if column.sign and most else None
        if role == Role.ToolTipRole:
            exact = duration(value) if column.sign else spell_count(value)
            return tip(f"user {self._names[user]}\n{column.title}: {exact}")
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        """Names of users; what a column is."""
        if orientation == Qt.Orientation.Vertical:
            name = self._names[self.rows[section]]
            return name if role == Role.DisplayRole else tip(name) if role == Role.ToolTipRole else None
        column = self._columns[section]
        if role == Role.DisplayRole:
            return column.title
        return tip(column.text) if role == Role.ToolTipRole else None


def make_columns(comparison: Comparison) -> list[Column]:
    """Hours won less lost, won, lost, and the jobs behind them."""
    users = comparison.difference.users
    net, first = "less waiting in all: hours won less hours lost", comparison.first.name
    return [
        Column("Net", users.net, lambda s: hours(s, signed=True), f"Against {first}, {net}", 1),
        Column("Won", users.won, hours, "Hours that jobs which start earlier wait less", 1),
        Column("Lost", users.lost, hours, "Hours that jobs which start later wait more", -1),
        Column("Earlier", users.earlier, spell_count, "Jobs that start earlier"),
        Column("Later", users.later, spell_count, "Jobs that start later"),
        Column("Jobs", users.jobs, spell_count, "Jobs that both runs ran"),
    ]
