"""The vertical axis of a Gantt chart: processors; nodes, users or queues of equal height; or lanes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster
from engine.shown_text import shown_name

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


FOLDED = 0.05
"""The height of a folded group, as a part of the rows that are not folded."""


@dataclass(frozen=True)
class RowGroup:
    """Neighbouring rows of identical nodes; those of a `folded` group are lower than the others."""

    name: str
    first: float
    rows: float
    number: int  # of its first processor, or node, as rows are
    size: int  # processors, or nodes
    nodes: int
    folded: bool = False


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows from 0 (top) to `total`, and the processors that they show.

    Processors are grouped in bands: of a node, of a group of nodes, or of a user or queue. Band k is row k,
    or each processor has its own row, unless `edges` gives the first row of each band.
    """

    kind: RowKind
    total: float
    band_first: NDArray[np.int64]  # (bands + 1,) first processor of each band, then their number
    groups: tuple[RowGroup, ...] = ()
    names: tuple[str, ...] = ()  # of each row, as they are shown; empty where rows are numbered
    codes: tuple[int, ...] = ()  # of the user or queue of each row
    edges: NDArray[np.float64] | None = None  # (bands + 1,) row of the upper edge of each band, then `total`
    hosts: Cluster | None = None  # the machine, where its nodes have host names and rows of their own

    @property
    def of_processors(self) -> bool:
        """True if each processor has its own row."""
        return self.kind in ("processors", "jobs") and self.edges is None

    @property
    def can_fold(self) -> bool:
        """True if there are groups of nodes that can be folded."""
        return self.kind in NODE_ROWS and len(self.groups) > 1

    @property
    def folded(self) -> tuple[str, ...]:
        """The names of the groups that are folded."""
        return tuple(group.name for group in self.groups if group.folded)

    @property
    def lowest(self) -> float:
        """The height of the lowest processor, in rows: of the band that holds the most."""
        if self.of_processors:
            return 1.0
        held = np.maximum(np.diff(self.band_first), 1)
        tall = np.ones(len(held)) if self.edges is None else np.diff(self.edges)
        return float((tall / held).min(initial=1.0))

    def rows_of(self, processor: NDArray[np.integer[Any] | np.floating[Any]]) -> NDArray[np.float64]:
        """The row of the upper edge of each processor; the processors of a band divide its row evenly."""
        if self.of_processors:
            return processor.astype(np.float64)
        return np.asarray(np.interp(processor, self.band_first, self._edges), np.float64)

    def processors_at(self, row: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """The processors whose upper edges lie there: the inverse of `rows_of`, between processors too."""
        if self.of_processors:
            return np.asarray(row, np.float64)
        return np.asarray(np.interp(row, self._edges, self.band_first), np.float64)

    def fold(self, names: Collection[str]) -> Rows:
        """The same rows with just these groups of nodes folded, where there are several groups."""
        names = names if self.can_fold else ()
        # A folded group is a part of what is not folded, and at least a row high, so that it can be clicked.
        whole = sum(group.size for group in self.groups if group.name not in names)
        low, first, groups = max(FOLDED * whole, 1.0), 0.0, []
        for group in self.groups:
            folded = group.name in names
            # A small group may be lower than a folded group would be: it keeps its height.
            rows = min(low, float(group.size)) if folded else float(group.size)
            groups.append(replace(group, first=first, rows=rows, folded=folded))
            first += rows
        # Nodes of a group divide its rows evenly, folded or not.
        parts = [
            np.linspace(row_group.first, row_group.first + row_group.rows, row_group.nodes, endpoint=False)
            for row_group in groups
        ]
        edges = np.concatenate((*parts, [first])) if any(row_group.folded for row_group in groups) else None
        return replace(self, total=first, groups=tuple(groups), edges=edges)

    @property
    def _edges(self) -> NDArray[np.float64]:
        return np.arange(len(self.band_first), dtype=np.float64) if self.edges is None else self.edges

    def band_at(self, row: float) -> int | None:
        """The node, or the named row, that a row belongs to; None: beyond them."""
        edges = self.band_first if self.of_processors else self._edges
        band = int(np.searchsorted(edges, row, "right")) - 1
        return band if 0 <= band < len(edges) - 1 else None

    def group_at(self, row: float) -> RowGroup | None:
        """The group of nodes that a row belongs to; None: beyond them."""
        return next((group for group in self.groups if group.first <= row < group.first + group.rows), None)

    def group_of_node(self, node: int) -> RowGroup | None:
        """The group that a node belongs to; None: the machine has fewer nodes."""
        ends = np.cumsum([group.nodes for group in self.groups])
        return next((group for group, end in zip(self.groups, ends, strict=True) if node < end), None)

    def ticks(self, apart: float, first: float = 0.0, last: float = np.inf) -> Iterator[tuple[float, int]]:
        """Row numbers for ticks: round numbers at least `apart` rows from each other, `first` to `last`.

        Folded groups have no ticks.
        """
        step = _round_step(apart)
        if self.edges is None:
            numbers = range(int(first) // step * step, int(min(last + 1, self.total)), step)
            yield from ((float(number), number) for number in numbers)
            return
        for group in self.groups:
            # Numbers go on across folded groups, though these are lower: the row of a number is shifted by
            # what they leave out.
            before = group.first - group.number  # rows that the folded groups above left out, as a rule
            low, high = max(first, group.first) - before, min(last + 1, group.first + group.rows) - before
            for number in range(-(int(-low) // step) * step, int(np.ceil(high)), step):
                if not group.folded and number >= group.number:
                    yield number + before, number

    def host_labels(
        self, apart: float, first: float = 0.0, last: float = np.inf
    ) -> Iterator[tuple[float, float, str]]:
        """Upper edge, lower edge and host name of nodes, a round number of nodes and `apart` rows apart.

        Those between the rows `first` and `last`, of groups that are not folded; none where nodes have none.
        """
        node = 0
        for group in self.groups if self.hosts is not None else ():
            tall = group.rows / group.nodes
            step = _round_step(apart / tall)
            # Names begin at a multiple of the step, so that they stay at the same nodes while rows are
            # scrolled.
            low = max(int((first - group.first) / tall), 0) // step * step
            high = int(np.ceil(min((last - group.first) / tall, group.nodes)))
            for k in range(low, high if not group.folded else 0, step):
                assert self.hosts is not None
                top = group.first + k * tall
                yield top, top + tall, shown_name(self.hosts.node_name(node + k))
            node += group.nodes


def _round_step(least: float) -> int:
    """The first of 1, 2, 5, 10, 20 ... that is at least this."""
    steps = (first * 10**exponent for exponent in range(20) for first in (1, 2, 5))
    return int(next(step for step in steps if step >= least))


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
        """The pixel position of the upper edge of a row."""
        return self.top + (row - self.first) * self.pixels_per_row

    def row(self, y: float) -> float:
        """The row at a pixel position."""
        return self.first + (y - self.top) / self.pixels_per_row


def rows_of(cluster: Cluster, kind: RowKind, folded: Collection[str] = ()) -> Rows:
    """Rows of processors, nodes or groups of these; a pool has none, so its rows are processors.

    The groups of nodes that are `folded`, by their names, are low where others are there, too.
    """
    cpus = cluster.node_cpus()
    node_first = np.concatenate(([0], np.cumsum(cpus))).astype(np.int64)
    # A pool is a single node, so that rows of nodes would be a single row.
    if cluster.pooled:
        kind = "processors"
    if kind == "groups":
        held = np.cumsum([0, *(group.count * group.cpus for group in cluster.groups)])
        names = tuple(shown_name(group.name or group.spelling) for group in cluster.groups)
        return Rows(kind, float(len(names)), held, names=names)
    groups, number = [], 0
    for group in cluster.groups:
        size = group.count if kind == "nodes" else group.count * group.cpus
        name = shown_name(group.name or group.spelling)
        groups.append(RowGroup(name, float(number), float(size), number, size, group.count))
        number += size
    hosts = cluster if cluster.has_names and not cluster.pooled else None
    return Rows(kind, float(number), node_first, tuple(groups), hosts=hosts).fold(folded)
