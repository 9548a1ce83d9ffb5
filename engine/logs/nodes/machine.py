"""The machine derived from a log's own lists of nodes, and the places of the jobs on it."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints, Mask
from engine.errors import InputError
from engine.limits import MAX_CPUS, MAX_GROUPS
from engine.logs.nodes.places import map_nodes
from engine.logs.nodes.share_fitting import ShareFit, fit_nodes, fit_shares, raise_nodes
from engine.logs.nodes.share_repair import repaired
from engine.logs.nodes.shares import NodeShares, Occupation, even_shares, sums_of_jobs, uneven_jobs
from engine.machine.cluster import Cluster, NodeGroup
from engine.trace.names import Names
from engine.trace.records import note_lines
from engine.trace.trace import Note, Pieces
from engine.words import clip, natural

ReadList = Callable[[str, int], Sequence[tuple[str, int]]]
"""(node, CPUs) of a list of at most so many nodes; 0 CPUs: a share of the job's. Raises InputError."""

MAX_NAMES = 250_000
"""Nodes that a log names: the largest machines had some 160,000."""

MAX_ROWS = 1 << 22
"""Nodes of all jobs together, and of all lists that differ: tables of 300 MB while they are made."""

_MOST_NAMED = 5
"""Nodes that a note names."""

_MOST_JOBS = 0.9  # least share of run jobs with nodes for deriving the machine from them


@dataclass(frozen=True, eq=False)
class FirstShares:
    """The share of a node of each of n jobs: its `cpus` (0 if unknown), and its `host`.

    A host that is not among the job's nodes means the first node.
    """

    host: Names
    cpus: Ints

    def take(self, index: Ints) -> FirstShares:
        """The first shares of the chosen jobs."""
        return FirstShares(self.host.take(index), self.cpus[index])


@dataclass(frozen=True, eq=False)
class LoggedMachine:
    """The machine of a log, None if unknown, and the nodes (`node`, `cpus`) on which jobs ran.

    `uneven` are jobs that certainly had different numbers of CPUs on their nodes, shape (n,). `one_node`:
    the log names a single node, on which nearly all jobs ran; its machine is then a pool.
    """

    machine: Cluster | None
    nodes: Pieces | None
    notes: tuple[Note, ...]
    uneven: Mask
    derived: bool = False
    one_node: bool = False

    @property
    def own(self) -> Cluster | None:
        """The machine, if it is derived from the log."""
        return self.machine if self.derived else None


@dataclass(frozen=True, eq=False)
class LogNodes:
    """The nodes that a log names, and on which of them its n jobs ran, with how many CPUs on each."""

    names: tuple[str, ...]
    shares: NodeShares
    cpus: Ints  # (n,) of jobs
    procs: Ints  # (n,) that jobs asked for
    line: Ints  # (n,) line numbers
    notes: tuple[Note, ...]

    def place(
        self, machine: Cluster | None, start: Ints, end: Ints, even: Mask | None = None
    ) -> LoggedMachine:
        """Place jobs on the machine, or without a machine on nodes derived from the jobs' lists.

        `start` and `end` are in s, shape (n,); a job ran where `start` < `end`. If the machine's nodes have
        names, nodes are matched by name; otherwise a node of the log becomes a node with the fewest CPUs that
        suffice for the jobs there. A job on an unknown node has no nodes, and is counted. Derived nodes are
        large enough for jobs that must be `even`, shape (n,), unless the log has other shares.
        """
        ran = end > start
        if machine is None:
            return self._derived(np.where(ran, start, 0), np.where(ran, end, 0), even)
        if machine.pooled or not len(self.shares.node):
            return self._nowhere(machine, ran)
        node_of = self._same_names(machine) if machine.has_names else self._fitting(machine)
        shares = self.shares
        if shares.known.all():
            return self._on(machine, node_of, shares)
        cpus = np.append(machine.node_cpus(), MAX_CPUS)[node_of]  # unknown nodes (-1) have no bound
        occupation = Occupation(shares, start, end, len(self.names))
        shares = repaired(fit_shares(shares, occupation, cpus), occupation, cpus)
        placed = self._on(machine, node_of, shares)
        return replace(placed, notes=(*placed.notes, self._overfull(shares, occupation, cpus)))

    def _nowhere(self, machine: Cluster | None, ran: Mask) -> LoggedMachine:
        uneven = uneven_jobs(self.shares, np.zeros(len(self.shares.node), np.int64), self.procs)
        one_node = len(self.names) == 1 and self._most_listed(ran)
        return LoggedMachine(machine, None, self.notes, uneven, one_node=one_node)

    def _most_listed(self, ran: Mask) -> bool:
        """Whether nearly all jobs that ran name their nodes."""
        listed = np.diff(self.shares.offset) > 0
        return bool(ran.any()) and float(listed[ran].mean()) >= _MOST_JOBS

    def _derived(self, start: Ints, end: Ints, even: Mask | None) -> LoggedMachine:
        """A machine whose nodes have as many CPUs as were certainly in use on them at once.

        None if too few jobs name nodes, or all name the same node: then only totals count.
        """
        ran, shares = end > start, self.shares
        # From few listed nodes no machine can be guessed.
        if not self._most_listed(ran) or not 2 <= len(self.names) <= MAX_NAMES:
            return self._nowhere(None, ran)
        # Jobs that are even on their nodes tell how many CPUs each node had at least.
        least = None if even is None else self._even(even & ran)
        occupation = Occupation(shares, start, end, len(self.names))
        fit = fit_nodes(shares, occupation, _alike(self.names), least)
        # Jobs without a list must also find room somewhere.
        self._hold_unlisted(fit.cpus, occupation)
        sizes = np.unique(fit.cpus[fit.cpus > 0])[::-1]
        # So many kinds of nodes are no machine that anybody has: then only totals count.
        if len(sizes) > MAX_GROUPS or fit.cpus.sum() > MAX_CPUS or np.count_nonzero(fit.cpus) < 2:
            return self._nowhere(None, ran)
        used = np.flatnonzero(fit.cpus > 0)
        # Nodes are numbered from the largest on; nodes of the same size stand together.
        order = used[np.argsort(-fit.cpus[used], kind="stable")]
        node_of = np.full(len(self.names), -1, np.int64)
        node_of[order] = np.arange(len(used))
        groups = (order[fit.cpus[order] == size].tolist() for size in sizes)
        machine = Cluster(
            tuple(
                NodeGroup(len(own), int(size), names=tuple(self.names[k] for k in own))
                for own, size in zip(groups, sizes, strict=True)
            )
        )
        placed = self._on(machine, node_of, fit.shares)
        overfull = self._overfull(fit.shares, occupation, fit.cpus)
        return replace(placed, derived=True, notes=(*placed.notes, _uncertain(fit), overfull))

    def _hold_unlisted(self, cpus: Ints, occupation: Occupation) -> None:
        """Let nodes grow that hold less than all jobs, also those without a list, had in use at once."""
        lacks = occupation.most_at_once(self.cpus) - int(cpus.sum())
        used = np.flatnonzero(cpus > 0)
        if lacks > 0 and len(used):
            raise_nodes(used, lacks, cpus, np.full(len(cpus), cpus.max()))

    def _overfull(self, shares: NodeShares, occupation: Occupation, cpus: Ints) -> Note:
        """The note about jobs on nodes that hold more than their `cpus`, shape (names,)."""
        text = (
            "jobs lie, at times, on nodes that hold more than there is: the log does not say how many CPUs "
            "jobs of several nodes had on each"
        )
        beside = sums_of_jobs(occupation.beside_too_much(shares.cpus, cpus), shares.offset) > 0
        return note_lines("overfull_nodes", text, beside, self.line)

    def _on(self, machine: Cluster, node_of: Ints, shares: NodeShares) -> LoggedMachine:
        """The shares on the machine's nodes; `node_of`, shape (names,), has -1 for unknown nodes."""
        node = node_of[shares.node]
        lost = sums_of_jobs((node < 0) & (shares.cpus > 0), shares.offset) > 0
        kept = np.where(lost, len(self.line), np.arange(len(self.line)))
        # An additional entry without rows is for jobs on unknown nodes.
        offset = np.append(shares.offset, shares.offset[-1])
        nodes = Pieces(offset, {"node": node, "cpus": shares.cpus}).take(kept)
        note = note_lines("unknown_nodes", self._note_unknown(node_of), lost, self.line)
        cpus = np.append(machine.node_cpus(), 0)[node]
        return LoggedMachine(machine, nodes, (*self.notes, note), uneven_jobs(shares, cpus, self.procs))

    def _even(self, jobs: Mask) -> Ints:
        """The largest even share of any of these jobs, (n,), on each node, shape (names,)."""
        shares, count = self.shares, np.diff(self.shares.offset)
        share = -(-sums_of_jobs(shares.cpus, shares.offset) // np.maximum(count, 1))
        largest = np.zeros(len(self.names), np.int64)
        np.maximum.at(largest, shares.node, np.repeat(np.where(jobs, share, 0), count))
        return largest

    def _same_names(self, machine: Cluster) -> Ints:
        """The machine's node for each name, shape (names,); -1 if it has none.

        A name with a domain, `n1.site.org`, is also that of a node `n1`, and the other way round, where no
        two nodes share the short name: accounting and the commands that print nodes differ in that.
        """
        nodes = [_short(name) for name in machine.node_names()]
        times = Counter((*map(_short, self.names), *nodes))
        node_of = {name: node for node, name in enumerate(nodes) if times[name] == 2}  # here and in the log
        found = []
        for name in self.names:
            node = machine.find_node(name)
            found.append(node_of.get(_short(name), -1) if node is None else node)
        return np.array(found, np.int64)

    def _fitting(self, machine: Cluster) -> Ints:
        """A machine's node for each name, with the CPUs that any job used there, shape (names,); -1: none."""
        most = np.zeros(len(self.names), np.int64)
        np.maximum.at(most, self.shares.node, self.shares.cpus)
        return map_nodes(np.arange(len(self.names)), most, machine)

    def _note_unknown(self, node_of: Ints) -> str:
        unknown = np.flatnonzero(node_of < 0)
        names = ", ".join(clip(self.names[k]) for k in unknown[:_MOST_NAMED].tolist())
        return (
            f"jobs that ran on nodes that the machine does not have: not shown there ({len(unknown):,} of "
            f"{len(self.names):,} nodes: {names}{', ...' if len(unknown) > _MOST_NAMED else ''})"
        )


def _short(host: str) -> str:
    """The name of a host without its domain."""
    return host.partition(".")[0]


def _alike(names: Sequence[str]) -> Ints:
    """Equal numbers for names that differ only in digits, shape (names,): such nodes are probably alike."""
    number: dict[str, int] = {}
    kinds = (re.sub(r"[0-9]+", "0", name) for name in names)
    return np.array([number.setdefault(kind, len(number)) for kind in kinds], np.int64)


def _uncertain(fit: ShareFit) -> Note:
    """A note on nodes that are larger than single-node jobs, known shares and even shares require."""
    more = fit.cpus - fit.likely
    text = (
        "nodes are of a size that is partly assumed: jobs of several nodes, or of none that is told, need "
        f"{int(more[more > 0].sum()):,} CPUs more than what is known tells, and the log does not say "
        "on which nodes"
    )
    return Note("machine_uncertain", text, int(np.count_nonzero(more > 0)))


def log_nodes(
    lists: Names,
    read: ReadList,
    cpus: Ints,
    line: Ints,
    *,
    procs: Ints | None = None,
    first: FirstShares | None = None,
) -> LogNodes:
    """The nodes that jobs name in `lists`, a list for each job, for their `cpus`, shape (n,) like `line`.

    `procs`, shape (n,), are the requested processors, if different. Without CPUs in the list or in `first`,
    the job's CPUs are split evenly, until it is placed.

    A list that is invalid, names more nodes than its jobs have processors, or would lead to more than
    MAX_ROWS in total, is ignored.
    """
    number: dict[str, int] = {}
    count = np.bincount(lists.codes, minlength=len(lists.names))
    # A job cannot be on more nodes than it had processors: longer lists are not read on.
    widest = np.full(len(lists.names), -1, np.int64)
    np.maximum.at(widest, lists.codes, np.where(cpus > 0, cpus, MAX_NAMES))
    nodes, shares, sizes = array("q"), array("q"), []
    bad = np.zeros(len(lists.names), np.bool_)
    room = listed = MAX_ROWS
    # Each different list is read once; the bound counts it as often as jobs have it.
    for k, text in enumerate(lists.names):
        most = min(room // max(int(count[k]), 1), listed, MAX_NAMES, int(widest[k]))
        most = most if len(number) <= MAX_NAMES else 0
        before = len(nodes)
        try:
            for name, share in read(text, most):  # not stored, as it may have a million nodes
                nodes.append(number.setdefault(name, len(number)))
                shares.append(share)
        except InputError:
            bad[k] = True
        sizes.append(len(nodes) - before)
        room -= sizes[-1] * int(count[k])
        listed -= sizes[-1]
    flat = np.frombuffer(nodes, np.int64), np.frombuffer(shares, np.int64)
    rows = _rows(*flat, np.array(sizes or [0], np.int64), lists.codes)
    # Shares that the log tells go before those that are computed.
    given = rows["share"]
    if first is not None:
        host = np.array([number.get(name, -1) for name in first.host.names] or [-1], np.int64)
        given = _with_first(rows, host[first.host.codes], first.cpus)
    names, even = _sorted(tuple(number), even_shares(rows.offset, rows["node"], given, cpus))
    unreadable = "lists of nodes that cannot be read, or are too long"
    note = note_lines("unreadable_nodes", unreadable, bad[lists.codes], line)
    return LogNodes(names, even, np.maximum(cpus, 0), cpus if procs is None else procs, line, (note,))


def _rows(node: Ints, share: Ints, sizes: Ints, codes: NDArray[np.int32]) -> Pieces:
    """The rows of all jobs (node, share, rank from 0), given those of each list."""
    offset = np.concatenate(([0], np.cumsum(sizes)))
    lists = Pieces(offset, {"node": node, "share": share, "rank": _ranks(sizes)})
    return lists.take(codes.astype(np.int64))


def _with_first(rows: Pieces, host: Ints, cpus: Ints) -> Ints:
    """The known shares, shape (rows,), with `cpus` on a node of each job; both shape (n,)."""
    sizes = np.diff(rows.offset)
    job = np.repeat(np.arange(len(sizes)), sizes)
    there = rows["node"] == host[job]
    missing = sums_of_jobs(there, rows.offset) == 0
    there |= missing[job] & (rows["rank"] == 0)
    return np.where(there & (rows["share"] <= 0), np.maximum(cpus, 0)[job], rows["share"])


def _ranks(sizes: Ints) -> Ints:
    """The numbers 0, 1, 2, ... for each run of `sizes` rows, concatenated."""
    starts = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) - np.repeat(starts, sizes)


def _sorted(names: tuple[str, ...], shares: NodeShares) -> tuple[tuple[str, ...], NodeShares]:
    """The names and shares with nodes in natural order: `c2` before `c10`."""
    order = sorted(range(len(names)), key=lambda k: natural(names[k]))
    node_of = np.empty(len(names), np.int64)
    node_of[order] = np.arange(len(names))
    node = node_of[shares.node] if len(names) else shares.node
    pieces = Pieces(shares.offset, {"node": node, "cpus": shares.cpus})
    return tuple(names[k] for k in order), replace(shares, pieces=pieces)
