"""The vertical axis of a Gantt chart: processors; nodes, users or queues of equal height; or lanes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster

RowKind = Literal["processors", "nodes", "groups", "users", "queues", "jobs"]

MACHINE_ROWS: tuple[RowKind, ...] = ("processors", "nodes", "groups")
"""The kinds of rows where what is empty idles."""

NODE_ROWS: tuple[RowKind, ...] = ("processors", "nodes")
"""Those of them where each node has its own rows."""

ROW_NAMES: dict[RowKind, str] = {
    "processors": "Processors",
    "nodes": "Nodes",
    "groups": "Groups of nodes",
    "users": "Users",
    "queues": "Queues",
    "jobs": "Jobs, packed",
}
"""The kinds of rows as a menu offers them."""


@dataclass(frozen=True)
class RowGroup:
    """Neighbouring rows of identical nodes."""

    name: str
    first: float
    rows: float


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows from 0 (top) to `total`, and where processors lie among them.

    Processors stand in bands: of a node, or a group of them, or of as many as a user or queue has in use at
    most.
    """

    kind: RowKind
    total: float
    band_first: NDArray[np.int64]  # (bands + 1,) first processor of each band, then their number
    groups: tuple[RowGroup, ...] = ()
    names: tuple[str, ...] = ()  # of each row; empty where rows are numbered

    @property
    def of_processors(self) -> bool:
        """Whether each processor has a row of its own."""
        return self.kind in ("processors", "jobs")

    @property
    def lowest(self) -> float:
        """The height of the lowest processor, in rows: of the band that holds the most."""
        return 1.0 if self.of_processors else 1.0 / float(max(np.diff(self.band_first).max(initial=1), 1))

    def rows_of(self, processor: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """The row of the upper edge of each processor; those of a band share its row evenly."""
        if self.of_processors:
            return processor.astype(np.float64)
        band = np.arange(len(self.band_first), dtype=np.float64)
        return np.asarray(np.interp(processor, self.band_first, band), np.float64)

    def ticks(self, apart: float, first: float = 0.0, last: float = np.inf) -> Iterator[int]:
        """Rows at round numbers, at least `apart` rows from one another, from `first` to `last`."""
        step = next(
            step
            for exponent in range(20)
            for step in (10**exponent, 2 * 10**exponent, 5 * 10**exponent)
            if step >= apart
        )
        yield from range(int(first) // step * step, int(min(last + 1, self.total)), step)


@dataclass(frozen=True)
class RowScale:
    """Maps rows first..last evenly onto pixels top..top + height."""

    first: float
    last: float
    top: float
    height: float

    @property
    def pixels_per_row(self) -> float:
        """The height of a row, in pixels."""
        return self.height / max(self.last - self.first, 1e-9)

    def y(self, row: float) -> float:
        """Where the upper edge of a row lies, in pixels."""
        return self.top + (row - self.first) * self.pixels_per_row

    def row(self, y: float) -> float:
        """The row at a pixel position."""
        return self.first + (y - self.top) / self.pixels_per_row


def rows_of(cluster: Cluster, kind: RowKind) -> Rows:
    """Rows of processors, nodes or groups of these; a pool has none, so its rows are processors."""
    cpus = cluster.node_cpus()
    node_first = np.concatenate(([0], np.cumsum(cpus))).astype(np.int64)
    if cluster.pooled:
        kind = "processors"
    if kind == "groups":
        held = np.cumsum([0, *(group.count * group.cpus for group in cluster.groups)])
        names = tuple(group.name or group.spelling for group in cluster.groups)
        return Rows(kind, float(len(names)), held, names=names)
    groups, first = [], 0.0
    for group in cluster.groups:
        rows = float(group.count if kind == "nodes" else group.count * group.cpus)
        groups.append(RowGroup(group.name or group.spelling, first, rows))
        first += rows
    return Rows(kind, first, node_first, tuple(groups))
