"""The table of users: a row a user, sorted and filtered by index arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from engine.trace import Trace
from views.format import duration, number, percent, thin
from views.names import name_ranks
from views.results import Result
from views.tables.header import run_header, swatch
from views.tips import tip

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROOT = QModelIndex()


@dataclass(frozen=True, eq=False)
class Column:
    """One column: a value a user, shape (users,), NaN for none, and how to write it.

    `run` is the result that the values are of; None where they are of the trace.
    """

    title: str
    values: Floats
    show: Callable[[float], str]
    unit: str
    text: str
    run: Result | None = None


class UsersModel(QAbstractTableModel):
    """Users who submitted a job; `rows` are the codes of those shown, in order.

    Names head the rows. Users are ordered by a column, or by name where it is -1.
    """

    def __init__(self) -> None:
        super().__init__()
        self._names: Sequence[str] = ()
        self._by_name: Floats = np.empty(0)
        self._columns: list[Column] = []
        self._users: Ints = np.empty(0, np.int64)
        self._sorted_by = (-1, Qt.SortOrder.AscendingOrder)
        self._filter = ""
        self.rows: Ints = self._users

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Show the users of a trace and how they fare under these runs."""
        self.beginResetModel()
        names = trace.user.names if trace is not None else ()
        if names is not self._names:
            self._names, self._by_name = names, name_ranks(names)
        count = np.bincount(trace.user.codes, minlength=len(names)) if trace is not None else np.zeros(0)
        self._users = np.flatnonzero(count).astype(np.int64)
        self._columns = [] if trace is None else make_columns(trace, results)
        if self._sorted_by[0] >= len(self._columns):
            self._sorted_by = (-1, Qt.SortOrder.AscendingOrder)
        self._arrange()
        self.endResetModel()

    def set_filter(self, text: str) -> None:
        """Show only users whose name contains this text, in any case of letters."""
        self.beginResetModel()
        self._filter = text.strip().casefold()
        self._arrange()
        self.endResetModel()

    @property
    def users(self) -> int:
        """Users in all, whatever the filter."""
        return len(self._users)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Users that pass the filter."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Columns of the trace, then of each run."""
        return 0 if parent.isValid() else len(self._columns)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order by a column; users without a value there come last. -1: by name."""
        self.beginResetModel()
        self._sorted_by = (column if column < len(self._columns) else -1, order)
        self._arrange()
        self.endResetModel()

    def row_of(self, user: int) -> int | None:
        """The row of a user, given by code; None where the filter hides it."""
        found = np.flatnonzero(self.rows == user)
        return int(found[0]) if len(found) else None

    def _arrange(self) -> None:
        passing = [u for u in self._users if self._filter in self._names[u].casefold()]
        rows = np.array(passing, np.int64)
        rows = rows[np.argsort(self._by_name[rows], kind="stable")]
        column, order = self._sorted_by
        if column >= 0:
            key = self._columns[column].values[rows]
            rows = rows[np.argsort(-key if order == Qt.SortOrder.DescendingOrder else key, kind="stable")]
        self.rows = rows

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """What a cell shows and tells."""
        user, column = int(self.rows[index.row()]), self._columns[index.column()]
        value = float(column.values[user])
        if role == Role.DisplayRole:
            return column.show(value)
        if role == Role.ToolTipRole:
            exact = "no value" if np.isnan(value) else thin(f"{value:,.6g}")
            run = f"\n{column.run.name}" if column.run else ""
            return tip(f"user {self._names[user]}{run}\n{column.title}: {exact} {column.unit}".rstrip())
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        """Names of users; what a column is, and under which run."""
        if orientation == Qt.Orientation.Vertical:
            name = self._names[self.rows[section]]
            return name if role == Role.DisplayRole else tip(name) if role == Role.ToolTipRole else None
        column = self._columns[section]
        if role == Role.DisplayRole:
            return column.title + (f"\n{run_header(column.run.name, 16)}" if column.run else "")
        if role == Role.DecorationRole and column.run:
            return swatch(column.run.colour)
        if role == Role.ToolTipRole:
            return tip(column.text + (f"\n{column.run.name}" if column.run else ""))
        return None


def make_columns(trace: Trace, results: Sequence[Result]) -> list[Column]:
    """Jobs, area, then what each run means for the users."""
    users = len(trace.user.names)
    jobs = np.bincount(trace.user.codes, minlength=users).astype(float)
    area = np.bincount(trace.user.codes, (trace.procs * trace.runtime).astype(float), users)
    share = 100 * area / max(area.sum(), 1.0)
    columns = [
        Column("Jobs", jobs, number, "", "Jobs of the trace"),
        Column(
            "Area", share, percent, "%", "Processors times runtime of the user's jobs, in % of all users'"
        ),
    ]
    for result in results:
        columns += _run_columns(result)
    return columns


def _run_columns(result: Result) -> list[Column]:
    table = result.users
    columns = []
    if table.veet is not None and table.wt is not None:
        wt = np.where(table.active, table.wt, np.nan)
        columns = [
            Column("VEET", table.veet, percent, "%", "Jobs that end after their expected end, in %", result),
            Column("WT", wt, duration, "processor-s", "Weighted tardiness, in processor time", result),
        ]
    text = "Mean time from submission to start"
    return [*columns, Column("Mean wait", table.wait_mean, duration, "s", text, result)]
