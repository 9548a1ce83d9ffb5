"""Open shares of jobs on their nodes, chosen so that these need as few CPUs as the log makes certain.

A node has at least what was in use on it at once by jobs of that node alone and by shares that are known.
Nodes are larger than that only where it is certain that they are: a job does not fit on its nodes, or what
ran at an instant on nodes that its jobs share is more than they hold together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import kernel
from engine.trace.node_shares import NodeShares, Occupation, sums_of_jobs

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

MOST_WORK = 1 << 30
"""Events of nodes that are looked at while shares are fitted once, some seconds; of more all stay even."""

_PASSES = 6  # over all jobs whose shares may be moved: more make nothing better
_ROUNDS = 8  # of fitting, and of growing nodes where it is certain that they are too small
_INSTANTS = 32  # that are looked at in a round: those at which the most is lacking


@dataclass(frozen=True, eq=False)
class Fit:
    """Shares that fit on nodes of `cpus`, shape (nodes,), or nearly so; and what is `certain` of those."""

    shares: NodeShares
    cpus: Ints
    certain: Ints


def fit_nodes(shares: NodeShares, occupation: Occupation, alike: Ints) -> Fit:
    """The nodes of a log, and how its jobs lay on them.

    Nodes that are probably `alike`, shape (nodes,), have the same number: those that have to grow become as
    large as the largest of these that is certain, and only then larger.
    """
    certain, _ = occupation.peaks(occupation.usage(shares.least))
    if shares.known.all():
        return Fit(shares, certain, certain)
    most = np.zeros(int(alike.max(initial=-1)) + 1, np.int64)
    np.maximum.at(most, alike, certain)
    bound, most = certain.copy(), most[alike]
    ran = np.flatnonzero(occupation.end > occupation.start)
    _hold_each(ran, shares.offset, shares.node, shares.known, shares.cpus, bound, most)
    for _ in range(_ROUNDS):
        shares = fit_shares(shares, occupation, bound)
        usage = occupation.usage(shares.cpus)
        peak, event = occupation.peaks(usage)
        lacking = np.flatnonzero(peak > bound)
        worst = lacking[np.argsort(bound[lacking] - peak[lacking], kind="stable")]
        instants = np.unique(occupation.time[event[worst[:_INSTANTS]]])
        if not sum(_grow(shares, occupation, int(time), bound, most) for time in instants):
            break
    return Fit(shares, np.maximum(certain, np.minimum(bound, peak)), certain)


def fit_shares(shares: NodeShares, occupation: Occupation, bound: Ints) -> NodeShares:
    """The same with open shares moved so that nodes need no more than `bound` CPUs, as far as that is found.

    Only jobs are changed that are on a node that would need more; each takes what fits beside all others, as
    evenly as possible. Of more than MOST_WORK events none is changed.
    """
    lacking = _lacking(shares, occupation, bound)
    for _ in range(_PASSES):
        loose = ~shares.known & (lacking > 0)[shares.node]
        jobs = np.flatnonzero((sums_of_jobs(loose, shares.offset) > 0) & (occupation.end > occupation.start))
        jobs = jobs[np.argsort(occupation.start[jobs], kind="stable")]
        work = sums_of_jobs(np.where(shares.known, 0, occupation.stop - occupation.begin), shares.offset)
        if not len(jobs) or work[jobs].sum(dtype=np.float64) > MOST_WORK:
            break
        cpus = shares.cpus.copy()
        usage = occupation.usage(cpus)
        rows = shares.offset, shares.node, shares.known, cpus
        _fit(jobs, *rows, occupation.begin, occupation.stop, usage, bound)
        fitted = shares.with_cpus(cpus)
        still = _lacking(fitted, occupation, bound)
        if still.sum() >= lacking.sum():
            break
        shares, lacking = fitted, still
    return shares


def _lacking(shares: NodeShares, occupation: Occupation, bound: Ints) -> Ints:
    """The CPUs that each node lacks at its worst, shape (nodes,)."""
    peak, _ = occupation.peaks(occupation.usage(shares.cpus))
    return np.maximum(peak - bound, 0)


def _grow(shares: NodeShares, occupation: Occupation, time: int, bound: Ints, most: Ints) -> bool:
    """Let nodes grow that cannot hold what runs at a time, wherever on them it lies; whether any did.

    Nodes belong together that running jobs with open shares have in common: what lies on all of these is
    certain, since no such job has an open share elsewhere.
    """
    running = np.flatnonzero((occupation.start <= time) & (time < occupation.end))
    pieces = shares.pieces.take(running)
    job = np.repeat(np.arange(len(running)), np.diff(pieces.offset))
    known = shares.known[_rows_of(shares.offset, running)]
    nodes, where = np.unique(pieces["node"], return_inverse=True)
    part = _parts(job[~known], where[~known], len(running), len(nodes))
    used = np.bincount(where, pieces["cpus"], len(nodes))
    lacks = np.bincount(part, used, len(nodes)) - np.bincount(part, bound[nodes], len(nodes))
    for which in np.flatnonzero(lacks > 0).tolist():
        own = nodes[part == which]
        room = np.maximum(most[own] - bound[own], 0)
        deal(room, int(lacks[which]))
        bound[own] += room
    return bool((lacks > 0).any())


def _rows_of(offset: Ints, jobs: Ints) -> Ints:
    """The rows of these jobs."""
    sizes = offset[jobs + 1] - offset[jobs]
    before = np.cumsum(sizes) - sizes
    return np.repeat(offset[jobs] - before, sizes) + np.arange(int(sizes.sum()))


def _parts(job: Ints, node: Ints, jobs: int, nodes: int) -> Ints:
    """The least node that each node is linked with by jobs, shape (nodes,); both shape (links,)."""
    part = np.arange(nodes)
    while True:
        least = np.full(jobs, nodes, np.int64)
        np.minimum.at(least, job, part[node])
        linked = part.copy()
        np.minimum.at(linked, node, least[job])
        linked = linked[linked]
        if (linked == part).all():
            return part
        part = linked


@kernel
def _hold_each(
    jobs: Ints, offset: Ints, node: Ints, known: Mask, cpus: Ints, bound: Ints, most: Ints
) -> None:
    """Let the nodes of a job grow that cannot hold its open shares even without other jobs."""
    for job in jobs:
        rows = _open_rows(offset[job], offset[job + 1], known)
        lacks = 0
        for row in rows:
            lacks += cpus[row] - bound[node[row]]
        if lacks > 0:
            room = np.empty(len(rows), np.int64)
            for k in range(len(rows)):
                room[k] = max(most[node[rows[k]]] - bound[node[rows[k]]], 0)
            deal(room, lacks)
            for k in range(len(rows)):
                bound[node[rows[k]]] += room[k]


@kernel
def _fit(
    jobs: Ints,
    offset: Ints,
    node: Ints,
    known: Mask,
    cpus: Ints,
    begin: Ints,
    stop: Ints,
    usage: Ints,
    bound: Ints,
) -> None:
    """Choose the open shares of each job in turn: at least a CPU each, and what fits beside all others."""
    for job in jobs:
        rows = _open_rows(offset[job], offset[job + 1], known)
        room = np.empty(len(rows), np.int64)
        amount = 0
        for k in range(len(rows)):
            row = rows[k]
            amount += cpus[row]
            busiest = 0
            for event in range(begin[row], stop[row]):
                usage[event] -= cpus[row]
                busiest = max(busiest, usage[event])
            room[k] = max(bound[node[row]] - busiest, 1)
        deal(room, amount)
        for k in range(len(rows)):
            row = rows[k]
            cpus[row] = room[k]
            for event in range(begin[row], stop[row]):
                usage[event] += room[k]


@kernel
def deal(room: Ints, amount: int) -> None:
    """Turn room into shares of `amount`, as even as it allows; what is beyond all room lies evenly.

    Of equal ones the first get more.
    """
    whole = highest = 0
    for size in room:
        whole += size
        highest = max(highest, size)
    left = amount - whole
    if left >= 0:
        for k in range(len(room)):
            room[k] += left // len(room) + (k < left % len(room))
        return
    low, high = 0, highest  # the highest level of all shares at which they are no more than the amount
    while low < high:
        level = (low + high + 1) // 2
        dealt = 0
        for size in room:
            dealt += min(size, level)
        if dealt <= amount:
            low = level
        else:
            high = level - 1
    more = amount
    for size in room:
        more -= min(size, low)
    for k in range(len(room)):
        above = room[k] > low and more > 0
        room[k] = min(room[k], low) + above
        more -= above


@kernel
def _open_rows(first: int, end: int, known: Mask) -> Ints:
    """The rows of a job whose shares are open."""
    count = 0
    for row in range(first, end):
        count += not known[row]
    rows = np.empty(count, np.int64)
    for row in range(end - 1, first - 1, -1):
        if not known[row]:
            count -= 1
            rows[count] = row
    return rows
