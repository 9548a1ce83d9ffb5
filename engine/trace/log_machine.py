"""The machine that a log's own lists of nodes tell of, and where on it the jobs ran."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.limits import MAX_CPUS, MAX_GROUPS
from engine.machine.cluster import Cluster, NodeGroup
from engine.trace.log_nodes import map_nodes
from engine.trace.records import note_lines
from engine.trace.trace import Names, Note, Pieces
from engine.words import clip, natural

Ints = NDArray[np.int64]

ReadList = Callable[[str, int], Sequence[tuple[str, int]]]
"""(node, CPUs) of a list of nodes, at most so many; 0 CPUs: its share of the job's. Raises InputError."""

MAX_NAMES = 250_000
"""Nodes that a log names: the largest machines had some 160,000."""

MAX_ROWS = 1 << 22
"""Nodes of all jobs together, and of all lists that differ: tables of 300 MB while they are made."""

_TOLD = 5
"""Nodes that a note names."""

_MOST_JOBS = 0.9  # of those that ran: the share with nodes from which on they tell the machine


@dataclass(frozen=True, eq=False)
class LogNodes:
    """The nodes that a log names, and on which of them its n jobs ran, with how many CPUs on each."""

    names: tuple[str, ...]
    used: Pieces  # node (an index into the names), cpus
    line: Ints  # (n,) line numbers
    notes: tuple[Note, ...]

    def derive(self, start: Ints, end: Ints) -> tuple[Cluster, Ints] | None:
        """A machine whose nodes have as many CPUs as ever were in use on them at once.

        And the node of it, or -1, for each name, shape (names,). `start` and `end` are in s, shape
        (n,); a job ran where `start` < `end`. None where too few jobs name nodes, or all
        name one: then only totals count.
        """
        ran = end > start
        listed = np.diff(self.used.offset) > 0
        if not ran.any() or listed[ran].mean() < _MOST_JOBS or not 2 <= len(self.names) <= MAX_NAMES:
            return None
        peak = self._peaks(np.where(ran, start, 0), np.where(ran, end, 0))
        sizes = np.unique(peak[peak > 0])[::-1]
        if len(sizes) > MAX_GROUPS or peak.sum() > MAX_CPUS or np.count_nonzero(peak) < 2:
            return None
        node_of = np.full(len(peak), -1, np.int64)
        used = np.flatnonzero(peak > 0)
        order = used[np.argsort(-peak[used], kind="stable")]
        node_of[order] = np.arange(len(used))
        groups = (order[peak[order] == size].tolist() for size in sizes)
        return Cluster(
            tuple(
                NodeGroup(len(own), int(size), names=tuple(self.names[k] for k in own))
                for own, size in zip(groups, sizes, strict=True)
            )
        ), node_of

    def on(
        self, machine: Cluster | None, node_of: Ints | None = None
    ) -> tuple[Pieces | None, tuple[Note, ...]]:
        """The nodes (`node`, `cpus`) of this machine on which each job ran; None on a pool.

        `node_of` gives the node for each name, shape (names,). Without it a machine whose nodes have names
        has those of the same names; on any other a node of the log becomes one of those with the fewest CPUs
        that hold what one job used there. A job on a node that is not there has no nodes, and is counted.
        """
        if machine is None or machine.pooled or not len(self.used["node"]):
            return None, self.notes
        if node_of is None:
            node_of = self._same_names(machine) if machine.has_names else self._fitting(machine)
        node = node_of[self.used["node"]]
        owner = np.repeat(np.arange(len(self.line)), np.diff(self.used.offset))
        lost = np.bincount(owner, (node < 0) & (self.used["cpus"] > 0), len(self.line)) > 0
        pieces = Pieces(self.used.offset, {"node": node, "cpus": self.used["cpus"]})
        kept = np.where(lost, len(self.line), np.arange(len(self.line)))
        padded = Pieces(np.append(pieces.offset, pieces.offset[-1]), pieces.columns)
        return padded.take(kept), (
            *self.notes,
            note_lines("unknown_nodes", self._tell_unknown(node_of), lost, self.line),
        )

    def _same_names(self, machine: Cluster) -> Ints:
        """The machine's node of each name, shape (names,); -1 where it has none."""
        found = (machine.find_node(name) for name in self.names)
        return np.array([-1 if node is None else node for node in found], np.int64)

    def _fitting(self, machine: Cluster) -> Ints:
        """A node for each name that holds the most CPUs that a job used there, shape (names,); -1: none."""
        most = np.zeros(len(self.names), np.int64)
        np.maximum.at(most, self.used["node"], self.used["cpus"])
        return map_nodes(np.arange(len(self.names)), most, machine)

    def _tell_unknown(self, node_of: Ints) -> str:
        unknown = np.flatnonzero(node_of < 0)
        names = ", ".join(clip(self.names[k]) for k in unknown[:_TOLD].tolist())
        return (
            f"ran on nodes that the machine does not have: not shown there ({len(unknown):,} of "
            f"{len(self.names):,} nodes: {names}{', ...' if len(unknown) > _TOLD else ''})"
        )

    def _peaks(self, start: Ints, end: Ints) -> Ints:
        """The most CPUs in use at once on each node, shape (names,); in a second, ends come first."""
        sizes = np.diff(self.used.offset)
        node = np.tile(self.used["node"], 2)
        time = np.concatenate((np.repeat(end, sizes), np.repeat(start, sizes)))
        change = np.concatenate((-self.used["cpus"], self.used["cpus"]))
        order = np.lexsort((np.sign(change), time, node))
        total = np.concatenate(([0], np.cumsum(change[order])))  # all that began on a node ends there
        peak = np.zeros(len(self.names), np.int64)
        np.maximum.at(peak, node[order], total[1:])
        return peak


def log_nodes(lists: Names, read: ReadList, cpus: Ints, line: Ints) -> LogNodes:
    """The nodes that jobs name in `lists`, one a job, for their `cpus`, shape (n,) like `line`.

    A list that cannot be read, names more nodes than its jobs have processors, or would make more than
    MAX_ROWS of all, counts as none.
    """
    number: dict[str, int] = {}
    count = np.bincount(lists.codes, minlength=len(lists.names))
    widest = np.full(len(lists.names), -1, np.int64)
    np.maximum.at(widest, lists.codes, np.where(cpus > 0, cpus, MAX_NAMES))
    nodes, shares, sizes = array("q"), array("q"), []
    bad = np.zeros(len(lists.names), np.bool_)
    room = listed = MAX_ROWS
    for k, text in enumerate(lists.names):
        most = min(room // max(int(count[k]), 1), listed, MAX_NAMES, int(widest[k]))
        most = most if len(number) <= MAX_NAMES else 0
        before = len(nodes)
        try:
            for name, share in read(text, most):  # a list, of a million nodes perhaps: it is not held on to
                nodes.append(number.setdefault(name, len(number)))
                shares.append(share)
        except InputError:
            bad[k] = True
        sizes.append(len(nodes) - before)
        room -= sizes[-1] * int(count[k])
        listed -= sizes[-1]
    flat = np.frombuffer(nodes, np.int64), np.frombuffer(shares, np.int64)
    used = _shared(*flat, np.array(sizes or [0], np.int64), lists.codes, cpus)
    return _sorted(tuple(number), used, line, bad[lists.codes])


def _shared(node: Ints, share: Ints, sizes: Ints, codes: NDArray[np.int32], cpus: Ints) -> Pieces:
    """Nodes of all jobs; CPUs that a list does not give are the job's, split evenly, the first get more."""
    offset = np.concatenate(([0], np.cumsum(sizes)))
    lists = Pieces(offset, {"node": node, "share": share, "rank": _ranks(sizes)})
    jobs = lists.take(codes.astype(np.int64))
    own = sizes[codes]
    total, nodes = np.repeat(np.maximum(cpus, 0), own), np.repeat(own, own)
    even = total // np.maximum(nodes, 1) + (jobs["rank"] < total % np.maximum(nodes, 1))
    cpus_there = np.where(jobs["share"] > 0, jobs["share"], even)
    return Pieces(jobs.offset, {"node": jobs["node"], "cpus": cpus_there})


def _ranks(sizes: Ints) -> Ints:
    """0, 1, 2 ... anew for each of so many rows."""
    starts = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) - np.repeat(starts, sizes)


def _sorted(names: tuple[str, ...], used: Pieces, line: Ints, bad: NDArray[np.bool_]) -> LogNodes:
    """The same with nodes in the order that people expect: `c2` before `c10`."""
    order = sorted(range(len(names)), key=lambda k: natural(names[k]))
    node_of = np.empty(len(names), np.int64)
    node_of[order] = np.arange(len(names))
    note = note_lines("unreadable_nodes", "lists of nodes that cannot be read, or are too long", bad, line)
    columns = {"node": node_of[used["node"]] if len(names) else used["node"], "cpus": used["cpus"]}
    return LogNodes(tuple(names[k] for k in order), Pieces(used.offset, columns), line, (note,))
