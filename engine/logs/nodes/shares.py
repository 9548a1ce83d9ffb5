"""The CPUs of multi-node jobs on each node, as far as a log has them, and the use of nodes.

The share of a node is known if the job has no other node, if the log has it (the `.batch` step of Slurm has
that of the first node), or if it is the remainder. All others are open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Ints, Mask
from engine.trace.trace import Pieces


@dataclass(frozen=True, eq=False)
class NodeShares:
    """The nodes of n jobs: `pieces` (node, cpus), and which of their rows are `known`, shape (rows,)."""

    pieces: Pieces
    known: Mask

    @property
    def offset(self) -> Ints:
        """The first row of each job, shape (n + 1,)."""
        return self.pieces.offset

    @property
    def node(self) -> Ints:
        """The node of each row, shape (rows,)."""
        return self.pieces["node"]

    @property
    def cpus(self) -> Ints:
        """The CPUs of each row, shape (rows,)."""
        return self.pieces["cpus"]

    @property
    def least(self) -> Ints:
        """The CPUs that each row has at least, shape (rows,)."""
        return np.where(self.known, self.cpus, np.minimum(self.cpus, 1))

    @property
    def plain(self) -> Mask:
        """The mask of known rows, and of rows of jobs whose open shares divide evenly, shape (rows,)."""
        n, sizes = len(self.offset) - 1, np.diff(self.offset)
        job = np.repeat(np.arange(n), sizes)
        opens = np.maximum(sums_of_jobs(~self.known, self.offset), 1)
        left = sums_of_jobs(np.where(self.known, 0, self.cpus), self.offset)
        return np.asarray(self.known | (left % opens == 0)[job])

    def with_cpus(self, cpus: Ints) -> NodeShares:
        """The nodes with other shares."""
        return replace(self, pieces=Pieces(self.offset, {"node": self.node, "cpus": cpus}))


def even_shares(offset: Ints, node: Ints, given: Ints, cpus: Ints) -> NodeShares:
    """The shares of jobs with `cpus` in total, shape (n,), some of them `given` (0: unknown), shape (rows,).

    The rest is distributed evenly over a job's other nodes, with the remainder to the first. Known shares
    that leave less than a CPU for each of those are ignored: the job is split evenly.
    """
    n, sizes = len(offset) - 1, np.diff(offset)
    job = np.repeat(np.arange(n), sizes)
    total = np.maximum(cpus, 0)
    is_open = given <= 0
    opens, left = sums_of_jobs(is_open, offset), total - sums_of_jobs(given, offset)
    # What the log gives leaves less than a CPU for each other node: then it is not to be believed.
    wrong = (opens > 0) & (left < opens)
    is_open |= wrong[job]
    opens, left = np.where(wrong, sizes, opens), np.where(wrong, total, left)
    # The number of open rows in front of each row, within its job: the first ones take the remainder.
    before = np.concatenate(([0], np.cumsum(is_open)))
    rank = before[:-1] - before[offset[:-1]][job]
    each, more = np.divmod(left, np.maximum(opens, 1))
    share = np.where(is_open, each[job] + (rank < more[job]), given)
    # A share is certain where it is the only open one, or where nothing is left to distribute.
    alone = (opens == 1) | (left <= opens)
    return NodeShares(Pieces(offset, {"node": node, "cpus": share}), ~is_open | alone[job])


def sums_of_jobs(values: Mask | Ints, offset: Ints) -> Ints:
    """The sum over the rows of each job, shape (n,)."""
    total = np.concatenate(([0], np.cumsum(values)))
    return np.asarray(total[offset[1:]] - total[offset[:-1]], np.int64)


def uneven_jobs(shares: NodeShares, sizes: Ints, procs: Ints) -> Mask:
    """Jobs whose `procs`, shape (n,), could not be split evenly over their nodes, or certainly were not,
    shape (n,).

    An even share is the quotient, or the quotient plus a CPU of the remainder. `sizes` are the CPUs of each
    row's node, shape (rows,), 0 if unknown.
    """
    n, count = len(shares.offset) - 1, np.diff(shares.offset)
    job = np.repeat(np.arange(n), count)
    low, rest = np.divmod(sums_of_jobs(shares.cpus, shares.offset), np.maximum(count, 1))
    odd = shares.known & ((shares.cpus < low[job]) | (shares.cpus > (low + (rest > 0))[job]))
    each, more = np.divmod(np.maximum(procs, 0), np.maximum(count, 1))
    small = (sizes > 0) & (sizes < each[job])
    wide = sums_of_jobs((sizes <= 0) | (sizes > each[job]), shares.offset)
    return np.asarray((sums_of_jobs(odd | small, shares.offset) > 0) | (wide < more))


class Occupation:
    """The times at which rows of shares occupied their nodes: jobs ran from `start` to `end`, s, shape (n,).

    Ends and starts of all rows are sorted by node and time; within a second, ends come first.
    """

    def __init__(self, shares: NodeShares, start: Ints, end: Ints, nodes: int) -> None:
        sizes, rows = np.diff(shares.offset), len(shares.node)
        self.start, self.end, self.nodes = start, end, nodes
        # Each row is two events: its end, then its begin, so that of the same second ends count first.
        time = np.concatenate((np.repeat(end, sizes), np.repeat(start, sizes)))
        ran = np.repeat(end > start, sizes).astype(np.int64)
        sign = np.concatenate((-ran, ran))
        node = np.tile(shares.node, 2)
        order = np.argsort(_order_of(node, time, ran), kind="stable")
        # The inverse of the sorting: at which event each row begins and ends.
        place = np.empty(2 * rows, np.int64)
        place[order] = np.arange(2 * rows)
        self.stop, self.begin = place[:rows], place[rows:]
        """(rows,) A row is in use from the event `begin` on until `stop`."""
        self.time = time[order]
        self._sign, self._row, self._node = sign[order], order % max(rows, 1), node[order]
        self._first = np.flatnonzero(np.diff(self._node, prepend=-1))

    def usage(self, cpus: Ints) -> Ints:
        """The CPUs in use after each event on its node, shape (events,), where rows have `cpus`, (rows,)."""
        return np.cumsum(self._sign * cpus[self._row])  # all that began on a node ends there

    def peaks(self, usage: Ints) -> Ints:
        """The most CPUs in use at once on each node, shape (nodes,); `usage` has shape (events,)."""
        peak = np.zeros(self.nodes, np.int64)
        if len(self._first):
            peak[self._node[self._first]] = np.maximum.reduceat(usage, self._first)
        return peak

    def busiest(self, cpus: Ints) -> int:
        """When jobs of these CPUs, (n,), have the most in use at once, for the first time, s."""
        time, usage = self._of_jobs(cpus)
        return int(time[np.argmax(usage)]) if len(time) else 0

    def most_at_once(self, cpus: Ints) -> int:
        """The most that jobs of these CPUs, (n,), have in use at once."""
        return int(self._of_jobs(cpus)[1].max(initial=0))

    def _of_jobs(self, cpus: Ints) -> tuple[Ints, Ints]:
        """When jobs begin and end, s, and the CPUs in use after that; shape (2n,)."""
        ran = np.flatnonzero((self.end > self.start) & (cpus > 0))
        time = np.concatenate((self.end[ran], self.start[ran]))  # in a second, ends come first
        order = np.argsort(time, kind="stable")
        return time[order], np.cumsum(np.concatenate((-cpus[ran], cpus[ran]))[order])

    def beside_too_much(self, cpus: Ints, bound: Ints) -> Mask:
        """Rows of `cpus`, (rows,), on nodes that hold more than `bound`, (nodes,), while they are in use."""
        over = np.cumsum(self.usage(cpus) > bound[self._node])
        before = np.concatenate(([0], over))
        return np.asarray((self.begin < self.stop) & (before[self.stop] > before[self.begin]))

    def events_of(self, node: int) -> tuple[int, int]:
        """The range of a node's events: the first, and the index after the last."""
        first, end = np.searchsorted(self._node, (node, node + 1))
        return int(first), int(end)

    def time_of(self, node: int, usage: Ints, amount: int) -> int:
        """When so many CPUs were in use on a node for the first time, s."""
        first, end = self.events_of(node)
        return int(self.time[first + int(np.argmax(usage[first:end] == amount))])


def _order_of(node: Ints, time: Ints, ran: Ints) -> Ints:
    """Numbers ordered by node, then time, then ends before starts; shape (2 rows,).

    A single sort of these takes a third of the time of sorting by three columns.
    """
    first = int(time.min(initial=0))
    span = int(time.max(initial=0)) - first + 1
    begins = np.concatenate((1 - ran, 1 + ran))  # 0: an end, 1: of a job that did not run, 2: a start
    return ((node * span) + (time - first)) * 3 + begins
