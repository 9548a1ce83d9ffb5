"""The list of users, or other groups of jobs, with what they won and lost, sorted by an index array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from engine.arrays import Ints
from engine.shown_text import format_name, with_kind
from engine.shown_values import hours
from views.data.comparison import CHANGES_BY, ChangesBy, Comparison
from views.tables.model import BAR_ROLE, FAINT_ROLE
from views.text.counts import format_count
from views.text.names import name_ranks
from views.text.tooltips import tip
from views.text.values import duration

if TYPE_CHECKING:
    from engine.metrics.difference import GroupChanges

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

NET = 1
"""The column by which rows are sorted at first."""

UNIT = ", h"

Groups = frozenset[int]

_NAMED = ("user", "account", "queue")
"""Groups that the log names."""

_ROOT = QModelIndex()


@dataclass(frozen=True, eq=False)
class ChangesColumn:
    """A column: a value for each group, shape (groups,), its format and its meaning.

    `sign` is 1 where a value is good for the group and -1 where it is bad; 0: neither, and no bar.
    Values are seconds, which are shown as hours, where there is a sign.
    """

    title: str
    values: Ints
    show: Callable[[int], str]
    text: str
    sign: int = 0


class ChangesModel(QAbstractTableModel):
    """Groups with compared jobs; `rows` are the codes of those shown, in order: most won first."""

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self._kind: ChangesBy = "user"
        self._columns: list[ChangesColumn] = []
        self._sorted_by = (NET, Qt.SortOrder.DescendingOrder)
        self._matching: Groups | None = None
        self._groups: Ints = np.empty(0, np.int64)
        self.rows: Ints = self._groups

    def set_comparison(self, comparison: Comparison | None, by: ChangesBy = "user") -> None:
        """Show the groups of this pair of runs."""
        self.beginResetModel()
        self._names, self._columns, self._groups, self._kind = (), [], np.empty(0, np.int64), by
        if comparison is not None:
            groups = comparison.by(by)
            changes = comparison.changes(groups)
            self._names = tuple(format_name(by, name) for name in groups.names)
            self._columns = make_columns(by, changes, self._names, comparison.first.name)
            self._groups = np.flatnonzero(changes.jobs > 0)
        self._arrange()
        self.endResetModel()

    def set_matching(self, groups: Groups | None) -> None:
        """Draw back all groups but these; None: none."""
        self._matching = groups
        if len(self.rows):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self._columns) - 1))

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order by a column, either way; -1: as at first."""
        self.beginResetModel()
        self._sorted_by = (column, order) if column >= 0 else (NET, Qt.SortOrder.DescendingOrder)
        self._arrange()
        self.endResetModel()

    def longest(self, column: int) -> str:
        """The longest text of a column: asked for cell by cell they would hold the window."""
        shown = self._columns[column]
        return max(map(shown.show, shown.values[self._groups].tolist()), key=len, default="")

    def _arrange(self) -> None:
        column, order = self._sorted_by
        if not self._columns:
            self.rows = self._groups
            return
        key = self._columns[min(column, len(self._columns) - 1)].values[self._groups]
        if order == Qt.SortOrder.DescendingOrder:
            key = -key
        self.rows = self._groups[np.argsort(key, kind="stable")]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """The text, tooltip or look of a cell, by role."""
        group, column = int(self.rows[index.row()]), self._columns[index.column()]
        value = int(column.values[group])
        if role == Role.DisplayRole:
            return column.show(value)
        if role == FAINT_ROLE:
            return self._matching is not None and group not in self._matching
        if role == BAR_ROLE:
            # Bars are relative to the largest change of the column, whatever its sign, so that won and lost
            # hours compare.
            most = int(np.abs(column.values).max(initial=0))
            return column.sign * value / most if column.sign and most else None
        if role == Role.ToolTipRole:
            lines = [
                with_kind(self._kind, self._names[group]) if self._kind in _NAMED else self._names[group]
            ]
            if index.column():
                exact = duration(value) if column.sign else format_count(value)
                lines.append(f"{column.title.removesuffix(UNIT)}: {exact}")
            return tip("\n".join(lines))
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if index.column() else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return self._names[self.rows[section]] if role == Role.DisplayRole else None
        column = self._columns[section]
        if role == Role.DisplayRole:
            return column.title
        return tip(column.text) if role == Role.ToolTipRole else None


def make_columns(
    by: ChangesBy, changes: GroupChanges, names: Sequence[str], first: str
) -> list[ChangesColumn]:
    """Columns of groups: hours won minus lost, won, lost, and the number of jobs; `first` is the run compared
    with.
    """
    ranks = name_ranks(names).astype(np.int64) if by in _NAMED else np.arange(len(names))
    by_rank = np.argsort(ranks)
    net, title = "the reduction of waiting: hours won minus hours lost", CHANGES_BY[by]
    whose = f"{title} of jobs that both runs ran"
    return [
        ChangesColumn(title, ranks, lambda rank: names[by_rank[rank]], whose),
        ChangesColumn("Net" + UNIT, changes.net, partial(_hours, signed=True), f"Against {first}, {net}", 1),
        ChangesColumn(
            "Won" + UNIT, changes.won, _hours, "Hours of waiting saved by jobs that start earlier", 1
        ),
        ChangesColumn(
            "Lost" + UNIT, changes.lost, _hours, "Hours of waiting added to jobs that start later", -1
        ),
        ChangesColumn("Jobs", changes.jobs, format_count, "Jobs that both runs ran"),
        ChangesColumn("Earlier", changes.earlier, format_count, "Jobs that start earlier"),
        ChangesColumn("Later", changes.later, format_count, "Jobs that start later"),
    ]


def _hours(seconds: int, signed: bool = False) -> str:
    """Hours without the unit, which is in the title: columns are narrow."""
    return hours(seconds, signed).removesuffix(" h")
