"""The content of a table: columns of numbers or names, and the items in its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints, Mask
from engine.shown_text import format_name
from engine.trace import Names
from views.data.results import Result
from views.text.names import name_ranks
from views.text.units import heading
from views.text.values import thin
from views.work.lazy import LazyValue


@dataclass(frozen=True, eq=False)
class TableColumn:
    """A column with a number for each item, NaN for none; or with names, and the values are their codes.

    `key` is the kind of column, the same under every run; `run` is the result with the values, None if they
    belong to the trace. `values` are computed on first use, shape (items,), and shown in `unit` after
    multiplication by `scale`. Columns with a `bar` show it under the number; the number `most` fills the
    cell, and columns may share it. A title with an explanation has a `term` in `views.text.terms`. Words in
    `linked` columns can be clicked.
    """

    key: str
    title: str
    text: str
    values: LazyValue[NDArray[Any]]
    show: Callable[[float], str] = str
    unit: str = ""
    scale: float = 1.0
    names: Sequence[str] | None = None
    run: Result | None = None
    bar: bool = False
    most: LazyValue[float] | None = None
    term: str = ""
    linked: bool = False

    @property
    def shown_heading(self) -> str:
        """The title as it is read over the column: with the units that values are shown in."""
        return self.title if self.names is not None else heading(self.title, self.unit)

    @property
    def heading(self) -> str:
        """The title with the unit that `plain` values are in, and the run, for other programs."""
        unit = "" if self.names is not None or self.scale != 1 else self.unit
        is_known = self.title.endswith(f", {unit}") or f"({unit})" in self.title
        words = self.title if is_known or not unit else f"{self.title}, {unit}"
        return words + (f" ({self.run.name})" if self.run else "")

    def format(self, item: int) -> str:
        """The value of an item, as it is read at a glance."""
        value = self.values()[item]
        return (
            format_name(self.key, self.names[int(value)])
            if self.names is not None
            else self.show(float(value))
        )

    def format_exactly(self, item: int) -> str:
        """The value of an item with its unit, as far as it has digits that mean something."""
        value = self.values()[item]
        if self.names is not None:
            return self.format(item)
        return "no value" if np.isnan(value) else thin(f"{value * self.scale:,.10g} {self.unit}".rstrip())

    def plain(self, item: int) -> str:
        """The value of an item for other programs; empty for none."""
        value = self.values()[item]
        if self.names is not None:
            return self.names[int(value)]
        return "" if np.isnan(value) else f"{value:.15g}"

    def share(self, item: int) -> float | None:
        """The share of the cell that the bar of an item fills, 0 to 1; None without a bar."""
        if not self.bar or self._most <= 0:
            return None
        value = float(self.values()[item])
        return None if np.isnan(value) else max(value, 0.0) / self._most

    @cached_property
    def _most(self) -> float:
        """The number whose bar fills the cell."""
        return greatest([self.values]) if self.most is None else self.most()

    @cached_property
    def keys(self) -> NDArray[Any]:
        """The sort keys of items, shape (items,): numbers; for names their ranks in natural order."""
        return self.values() if self.names is None else name_ranks(self.names)[self.values()]

    def prepare(self) -> None:
        """Compute everything that painting needs, so that painting itself is fast."""
        self.share(0) if len(self.values()) else None


def greatest(columns: Iterable[LazyValue[NDArray[Any]]]) -> float:
    """The greatest number of some columns, at least 0."""
    made = (values() for values in columns)
    return max((float(column[np.isfinite(column)].max(initial=0)) for column in made), default=0.0)


def name_column(key: str, title: str, text: str, names: Names) -> TableColumn:
    """A column of names."""
    return TableColumn(key, title, text, LazyValue(lambda: names.codes), names=names.names)


@dataclass(frozen=True, eq=False)
class Content:
    """The items of a table: `rows` are those in its rows while nothing sorts them. `total` is the number of
    items in all, without parts.

    Items may be parts of others: `parent`, shape (items,), is the item that each belongs to, or its own
    index; parts stand below that, whatever sorts. `name` heads an item's row, `find` returns which items,
    shape (items,), a text means that is typed over the table, and `faint`, shape (items,), which are drawn
    back (None: none). Where items have a `colour`, `#rrggbb`, it stands before the name.
    """

    columns: tuple[TableColumn, ...]
    rows: Ints
    total: int
    name: Callable[[int], str]
    find: Callable[[str], Mask]
    faint: Mask | None = None
    colour: Callable[[int], str] | None = None
    parent: Ints | None = None

    def count(self, items: Ints) -> int:
        """The number of items among these, shape (k,); parts count as the item that they belong to."""
        return len(items) if self.parent is None else len(np.unique(self.parent[items]))


EMPTY = Content((), np.empty(0, np.int64), 0, str, lambda _: np.empty(0, np.bool_))


@dataclass(frozen=True)
class Sorting:
    """The sort column of a table, by kind and run, and the search text."""

    key: str = ""
    run_id: int | None = None
    descending: bool = False
    wanted: str = ""

    def column_of(self, content: Content) -> int | None:
        """The index of the column; None where it is not there, or nothing is sorted."""
        for index, column in enumerate(content.columns):
            if (column.key, column.run.run_id if column.run else None) == (self.key, self.run_id):
                return index
        return None


def arrange(content: Content, order: Sorting) -> Ints:
    """The items from top to bottom: items without a value come last, equal items in the order of `rows`."""
    rows = content.rows
    if order.wanted.strip():
        rows = rows[content.find(order.wanted.strip())[rows]]
    index = order.column_of(content)
    if index is None:
        return rows
    keys = content.columns[index].keys[rows]
    by_key = np.argsort(-keys if order.descending else keys, kind="stable")
    if content.parent is None:
        return np.asarray(rows[by_key])
    rank = np.full(len(content.parent), len(rows))  # of items that are not found the last
    rank[rows[by_key]] = np.arange(len(rows))
    parent = content.parent[rows]
    return np.asarray(rows[np.lexsort((rank[rows], parent != rows, parent, rank[parent]))])
