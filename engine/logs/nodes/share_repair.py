"""Repair of overfull nodes: open shares are moved CPU by CPU along chains of jobs.

If a job can only move to a node that is full itself, another job of that node has to move first. Such chains
are searched from each instant at which a node is overfull.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.arrays import Ints
from engine.logs.nodes.shares import NodeShares, Occupation

_DEEPEST = 8  # jobs of a chain
_STEPS = 300  # moves that are tried for an instant
_MOST_STEPS = 3000  # that are tried in all, 0.1 s


def repaired(shares: NodeShares, occupation: Occupation, bound: Ints) -> NodeShares:
    """The shares, with fewer CPUs at instants at which nodes exceed `bound`, (nodes,), where possible."""
    repair = _Repair(shares, occupation, bound)
    while repair.repair_one():
        pass
    return shares.with_cpus(repair.cpus)


class _Repair:
    """Shares that are moved, and what nodes hold after each event with these."""

    def __init__(self, shares: NodeShares, occupation: Occupation, bound: Ints) -> None:
        self.cpus = shares.cpus.copy()
        self._shares, self._occupation, self._bound = shares, occupation, bound
        self._usage = occupation.usage(self.cpus)
        self._job = np.repeat(np.arange(len(shares.offset) - 1), np.diff(shares.offset))
        self._rows: dict[int, Ints] = {}
        self._left, self._spent = 0, 0
        self._given_up: set[int] = set()
        self._trail: list[tuple[int, int]] = []

    def repair_one(self) -> bool:
        """Repair an overfull instant if possible; returns whether there was one that had not been tried."""
        over = np.maximum(self._occupation.peaks(self._usage) - self._bound, 0)
        nodes = [node for node in np.flatnonzero(over).tolist() if node not in self._given_up]
        if not nodes or self._spent >= _MOST_STEPS:
            return False
        self._left = _STEPS
        self._trail.clear()
        if not self._mend(nodes[0], _DEEPEST, frozenset()):
            self._given_up.add(nodes[0])
        self._spent += _STEPS - self._left
        return True

    def _mend(self, node: int, depth: int, moved: frozenset[int]) -> bool:
        """Move a node's jobs elsewhere until it is no longer overfull; nothing is moved if that fails.

        `moved` are rows that received a CPU, which they keep, and, as ~row, rows that gave a CPU away.
        """
        # The moment at which the node is fullest must be relieved; without one the node is mended.
        event = self._fullest(node)
        if event < 0:
            return True
        if not depth:
            return False
        # A search with a bounded depth and a bounded number of moves: the trail takes back what did not
        # help.
        for row, other in self._moves(node, event, moved):
            self._left -= 1
            if self._left < 0:
                return False
            before = len(self._trail)
            self._move(row, other)
            self._trail.append((row, other))
            rows = moved | {other, ~row}
            there = int(self._shares.node[other])
            # The CPU may overfill the node that receives it: that one is mended first, then this one again.
            if self._mend(there, depth - 1, rows) and self._mend(node, depth - 1, rows):
                return True
            while len(self._trail) > before:
                self._move(*reversed(self._trail.pop()))
        return False

    def _fullest(self, node: int) -> int:
        """The event from which on a node holds the most of too much; -1 where it never does."""
        first, end = self._occupation.events_of(node)
        event = first + int(np.argmax(self._usage[first:end]))
        return event if self._usage[event] > self._bound[node] else -1

    def _moves(self, node: int, event: int, moved: frozenset[int]) -> Iterator[tuple[int, int]]:
        """Rows from and to which a CPU may be moved, those to nodes with the most room first."""
        stop, begin, offset = self._occupation.stop, self._occupation.begin, self._shares.offset
        rows = self._rows_of(node)
        # Only jobs that run at that moment help, and each keeps at least a CPU on the node.
        rows = rows[(begin[rows] <= event) & (event < stop[rows]) & (self.cpus[rows] > 1)]
        ways = []
        for row in rows.tolist():
            if row in moved:
                continue
            job = int(self._job[row])
            for other in range(offset[job], offset[job + 1]):
                # A row that gave a CPU away does not get one back, so that moves cannot go in circles.
                if other != row and ~other not in moved and not self._shares.known[other]:
                    there = int(self._shares.node[other])
                    busiest = int(self._usage[begin[other] : stop[other]].max())
                    ways.append((busiest - int(self._bound[there]), row, other))
        for _, row, other in sorted(ways):
            yield row, other

    def _rows_of(self, node: int) -> Ints:
        """The open rows of a node."""
        if node not in self._rows:
            on_node = (self._shares.node == node) & ~self._shares.known
            self._rows[node] = np.flatnonzero(on_node)
        return self._rows[node]

    def _move(self, row: int, other: int) -> None:
        """Move a CPU of a job from a node to another of its nodes."""
        for at, change in ((row, -1), (other, 1)):
            self.cpus[at] += change
            self._usage[self._occupation.begin[at] : self._occupation.stop[at]] += change
