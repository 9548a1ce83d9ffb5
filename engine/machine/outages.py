"""Outages of nodes: a table of recorded outages, and failures that are drawn at random."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from engine.arrays import Ints
from engine.errors import InputError
from engine.limits import MAX_DURATION, MAX_OUTAGES
from engine.spelling import format_duration, format_number, parse_duration

RECORDED = "log"
"""The text for the failures that a log records."""

_MAX_SEED = (1 << 32) - 1

_NODE_SPAN = np.int64(1) << 42
"""Longer than any log, s, so that the times of all nodes fit on one axis, one node after the other."""


@dataclass(frozen=True, eq=False)
class Outages:
    """Spans in which nodes are down, m of them: each node from `start` until before `end`.

    Sorted by (start, node); spans of the same node neither overlap nor touch. Two tables with the same spans
    are equal.
    """

    node: Ints  # (m,) index into the cluster's nodes
    start: Ints  # (m,) s from the trace's zero
    end: Ints  # (m,) s

    @classmethod
    def merged(cls, node: Ints, start: Ints, end: Ints) -> Outages:
        """The table of spans in any order, which may overlap; empty spans are left out."""
        kept = end > start
        # The times of all nodes lie on one axis, one node after the other, so that one sort serves all.
        offset = node[kept] * _NODE_SPAN
        begin, until = start[kept] + offset, end[kept] + offset
        order = np.argsort(begin, kind="stable")
        begin, until = begin[order], np.maximum.accumulate(until[order])
        # Spans that overlap or touch are one: a new one begins behind the end of all before it.
        first = np.flatnonzero(np.concatenate(([True], begin[1:] > until[:-1]))) if len(begin) else order
        last = np.concatenate((first[1:], [len(begin)]))[: len(first)] - 1
        which, starts = np.divmod(begin[first], _NODE_SPAN)
        ends = until[last] - which * _NODE_SPAN
        order = np.lexsort((which, starts))
        return cls(*(_frozen(column[order]) for column in (which, starts, ends)))

    def __len__(self) -> int:
        return len(self.node)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Outages) and self._digest == other._digest)

    def __hash__(self) -> int:
        return hash(self._digest)

    @cached_property
    def _digest(self) -> bytes:
        return hashlib.sha256(np.stack((self.node, self.start, self.end)).tobytes()).digest()

    @property
    def spelling(self) -> str:
        """The text of a table: that it is the log's."""
        return RECORDED

    def down_at(self, time: float) -> Ints:
        """The nodes that are down then, ascending."""
        return np.sort(self.node[(self.start <= time) & (time < self.end)])

    def clipped(self, begin: int, end: int) -> Outages:
        """The parts within a span of time, in seconds."""
        return Outages.merged(self.node, np.maximum(self.start, begin), np.minimum(self.end, end))

    def left_of(self, of_node: Ints, first: int) -> tuple[Ints, Ints]:
        """The sum of an amount of each node, shape (nodes,), over the working nodes, from `first`, s, on.

        Returns times, s, the earliest of them `first`, and the sum from each time on; both of shape (m,).
        """
        begin = np.maximum(self.start, first)
        later = self.end > begin
        begin, end, lost = begin[later], self.end[later], of_node[self.node[later]]
        time, index = np.unique(np.concatenate(([first], begin, end)), return_inverse=True)
        change = np.zeros(len(time), np.int64)
        np.add.at(change, index, np.concatenate(([of_node.sum()], -lost, lost)))
        return time, np.cumsum(change)

    def cpu_seconds(self, node_cpus: Ints) -> float:
        """The lost processor-seconds, given the processors of each node, shape (nodes,)."""
        return float((node_cpus[self.node] * (self.end - self.start)).sum(dtype=np.float64))


NO_OUTAGES = Outages(*(np.empty(0, np.int64) for _ in range(3)))


@dataclass(frozen=True)
class Failures:
    """Failures drawn at random: each node fails independently.

    A node works for a time from the Weibull distribution with mean `every` and this `shape` (1: the
    exponential distribution; below 1 failures come in bursts, as on real machines), then it is
    down for a time from the exponential distribution with mean `lasts`. Times in seconds,
    rounded up.
    """

    every: int
    lasts: int
    seed: int = 0
    shape: float = 1.0

    def __post_init__(self) -> None:
        if not (1 <= self.every <= MAX_DURATION and 1 <= self.lasts <= MAX_DURATION):
            raise InputError(f"failures ~{self.spelling}: both times are a second to 99000 days")
        if not 0.1 <= self.shape <= 10 or self.seed > _MAX_SEED:
            raise InputError(f"failures ~{self.spelling}: a shape is 0.1 to 10, a seed 0 to {_MAX_SEED}")

    @property
    def spelling(self) -> str:
        """The spelling after the `~` of a machine: `30d/4h`, `30d/4h/7`, `30d/4h/7/0.7`."""
        parts = [format_duration(self.every), format_duration(self.lasts)]
        if self.seed or self.shape != 1:
            parts.append(str(self.seed))
        if self.shape != 1:
            parts.append(format_number(self.shape))
        return "/".join(parts)

    def draw(self, nodes: int, begin: int, until: int) -> Outages:
        """The outages that begin in a span of time, in seconds, on nodes that all run at its begin.

        Every node has random numbers of its own, so that further nodes do not change the others.
        Raises InputError if there would be too many.
        """
        cycles = max(until - begin, 1) / (self.every + self.lasts)
        if nodes * cycles > MAX_OUTAGES:
            raise InputError(
                f"failures ~{self.spelling}: about {nodes * cycles:,.0f} of them on {nodes:,} nodes are "
                f"over the limit of {MAX_OUTAGES:,}; make them rarer"
            )
        return _drawn(self, nodes, begin, max(until, begin + 1))


@lru_cache(maxsize=8)
def _drawn(failures: Failures, nodes: int, begin: int, until: int) -> Outages:
    from math import gamma

    # The mean of a Weibull distribution is its scale times gamma(1 + 1 / shape).
    scale = failures.every / gamma(1 + 1 / failures.shape)
    batch = int(1.5 * (until - begin) / (failures.every + failures.lasts)) + 4
    tables = []
    for node in range(nodes):
        # Each node has its own stream, so that the outages of a node do not depend on how many nodes there
        # are.
        random = np.random.default_rng([failures.seed, node])
        clock = begin
        # Outages are drawn in batches until the log's end is passed; what lies behind it is dropped.
        while clock < until:
            up = np.clip(np.ceil(random.weibull(failures.shape, batch) * scale), 1, until - begin)
            down = np.maximum(np.ceil(random.exponential(failures.lasts, batch)), 1).astype(np.int64)
            end = clock + np.cumsum(up.astype(np.int64) + down)
            tables.append(np.stack((np.full(batch, node), end - down, end)))
            clock = int(end[-1])
    node, start, end = np.concatenate(tables, axis=1)
    return Outages.merged(node[start < until], start[start < until], end[start < until])


def parse_failures(text: str) -> Failures:
    """Read `30d/4h`, `30d/4h/7` or `30d/4h/7/0.7`: mean times, a seed and a shape. Raises InputError."""
    every, *rest = text.split("/")
    shape = rest[2] if len(rest) > 2 else "1"
    seed = rest[1] if len(rest) > 1 else "0"
    known = re.fullmatch(r"[0-9]{1,10}", seed) and re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,6})?", shape)
    if not 1 <= len(rest) <= 3 or not known:
        raise InputError(
            f"cannot read the failures {text!r}; spell them like 30d/4h: every node fails every 30 days on "
            "average, for 4 hours (30d/4h/7/0.7: with seed 7, and Weibull times of shape 0.7)"
        )
    return Failures(parse_duration(every), parse_duration(rest[0]), int(seed), float(shape))


def _frozen(array: Ints) -> Ints:
    array.setflags(write=False)
    return array
