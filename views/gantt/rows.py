"""The vertical axis of a Gantt chart: processors, or nodes of equal height."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.cluster import Cluster

RowKind = Literal["processors", "nodes"]


@dataclass(frozen=True)
class RowGroup:
    """Neighbouring rows of identical nodes."""

    name: str
    first: float
    rows: float


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows from 0 (top) to `total`, and where processors lie among them."""

    kind: RowKind
    total: float
    groups: tuple[RowGroup, ...]
    node_first: NDArray[np.int64]  # (nodes + 1,) first processor of each node, then their number

    def place(self, processor: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """The row of the upper edge of each processor; a node's processors share its row evenly."""
        if self.kind == "processors":
            return processor.astype(np.float64)
        node = np.arange(len(self.node_first), dtype=np.float64)
        return np.asarray(np.interp(processor, self.node_first, node), np.float64)

    def ticks(self, apart: float) -> Iterator[int]:
        """Rows at round numbers, at least `apart` rows from one another."""
        step = next(
            step
            for exponent in range(20)
            for step in (10**exponent, 2 * 10**exponent, 5 * 10**exponent)
            if step >= apart
        )
        yield from range(0, int(self.total), step)


def rows_of(cluster: Cluster, kind: RowKind) -> Rows:
    """Rows of a machine; a pool has no nodes to tell apart, so its rows are processors."""
    cpus = cluster.node_cpus()
    node_first = np.concatenate(([0], np.cumsum(cpus))).astype(np.int64)
    if cluster.pooled:
        kind = "processors"
    groups, first = [], 0.0
    for group in cluster.groups:
        rows = float(group.count if kind == "nodes" else group.count * group.cpus)
        groups.append(RowGroup(group.name or group.spelling, first, rows))
        first += rows
    return Rows(kind, first, tuple(groups), node_first)
