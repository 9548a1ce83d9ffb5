"""Times of Slurm's accounting, collected block by block: the whole log determines the order of day and
month.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Ints, Mask
from engine.errors import InputError
from engine.logs.text.clock_times import UNREADABLE, clock_times, look_at_orders, ordered
from engine.logs.text.written_dates import ORDERS, DateOrders
from engine.trace.trace import MISSING

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(eq=False)
class DateOrder:
    """The order of day and month in the dates of a log, in the file at `path`.

    It is that of `given`, otherwise the order that fits all dates so far.
    """

    path: Path
    given: str = ""
    _orders: DateOrders = field(default_factory=DateOrders)
    _line: int = 0  # of the first date that leaves it open

    def look_at(self, texts: pa.BinaryArray, line: Ints) -> None:
        """Look at dates that leave the order open, and at the numbers of their lines; shape (n,)."""
        import pyarrow.compute as pc

        look_at_orders(texts, self._orders)
        if not self._line and self._orders.example:
            like = pc.match_substring(texts, self._orders.example)
            self._line = int(line[like.to_numpy(zero_copy_only=False)][0])

    def found(self) -> str:
        """The order; any if no date needs it. Raises InputError if several remain, or none."""
        if self.given:
            return self.given
        if trouble := self._orders.trouble:
            where = f"{self.path}:{self._line}" if self._line else f"{self.path}"
            raise InputError(f"{where}: times of jobs cannot be read: dates {trouble}")
        return self._orders.found


@dataclass(eq=False)
class GatheredTimes:
    """A column of times, gathered block by block; ambiguous dates are read once their order is known."""

    order: DateOrder
    _moments: list[Ints] = field(default_factory=list)
    _walls: list[Mask] = field(default_factory=list)
    _waiting: list[tuple[int, Ints, pa.BinaryArray]] = field(default_factory=list)  # block, rows, texts

    def add(self, column: pa.BinaryArray, line: Ints) -> None:
        """Take in the times of a block, and the numbers of its lines; shape (n,)."""
        import pyarrow as pa

        moments, wall = clock_times(column)
        rows = np.flatnonzero(moments == UNREADABLE)
        if len(rows):
            texts = column.take(rows)
            waiting = _wait(texts)
            rows, texts = rows[waiting], texts.filter(pa.array(waiting))
        if len(rows):
            self.order.look_at(texts, line[rows])
            self._waiting.append((len(self._moments), rows, texts))
        self._moments.append(moments)
        self._walls.append(wall)

    def add_none(self, count: int) -> None:
        """Add a block of rows without this time."""
        self._moments.append(np.full(count, MISSING, np.int64))
        self._walls.append(np.zeros(count, np.bool_))

    def joined(self) -> tuple[Ints, Mask]:
        """The times, s, and which were read off wall clocks; shape (n,). Raises InputError."""
        if self._waiting:
            order = self.order.found()
            for block, rows, texts in self._waiting:
                self._moments[block][rows], self._walls[block][rows] = clock_times(texts, order)
            self._waiting.clear()
        if not self._moments:
            return np.empty(0, np.int64), np.empty(0, np.bool_)
        return np.concatenate(self._moments), np.concatenate(self._walls)


def _wait(texts: pa.BinaryArray) -> Mask:
    """True for times whose dates need the order of day and month, shape (n,)."""
    found = np.array(ordered(texts).to_numpy(zero_copy_only=False), np.bool_)
    if found.any():
        found &= np.any([clock_times(texts, order)[0] >= 0 for order in ORDERS], axis=0)
    return found
