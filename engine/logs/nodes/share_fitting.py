"""Choice of unknown shares of jobs on their nodes, so that nodes need no more CPUs than is certain.

A node has at least what was in use on it at once by jobs of that node alone and by shares that are known.
Nodes are larger than that only if that is certain: a job does not fit on its nodes, or the jobs that
ran at an instant on nodes that they share need more than these nodes have together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints, Mask
from engine.compiler.kernels import kernel, only_read
from engine.logs.nodes.share_repair import repaired
from engine.logs.nodes.shares import NodeShares, Occupation, sums_of_jobs

MOST_WORK = 1 << 30
"""The most events that are examined while shares are fitted, some seconds; beyond that all stay even."""

_PASSES = 8  # over all jobs whose shares may be moved: further passes improve nothing
_ROUNDS = 8  # of fitting, and of enlarging nodes that are certainly too small
_INSTANTS = 32  # instants examined in a round: those with the largest lack


@dataclass(frozen=True, eq=False)
class ShareFit:
    """Shares that fit on nodes of `cpus`, shape (nodes,), or nearly so.

    `likely`, shape (nodes,), is what nodes had in use at once where shares are known or even without a rest.
    """

    shares: NodeShares
    cpus: Ints
    likely: Ints


def fit_nodes(shares: NodeShares, occupation: Occupation, alike: Ints, least: Ints | None = None) -> ShareFit:
    """The nodes of a log, and the shares of its jobs on them; nodes have at least the CPUs of `least`,
    (nodes,).

    Nodes that are probably `alike`, shape (nodes,), have the same number: nodes that have to grow first
    become as large as the largest certain size among them, and only then larger.
    """
    certain = occupation.peaks(occupation.usage(shares.least))
    if least is not None:
        certain = np.maximum(certain, least)
    if shares.known.all():
        return ShareFit(shares, certain.copy(), certain)
    # Peaks under even shares: an estimate for nodes that the certain shares leave open.
    likely = occupation.peaks(occupation.usage(np.where(shares.plain, shares.cpus, shares.least)))
    most = np.zeros(int(alike.max(initial=-1)) + 1, np.int64)
    np.maximum.at(most, alike, certain)
    bound, most = certain.copy(), most[alike]
    ran = np.flatnonzero(occupation.end > occupation.start)
    _hold_each(ran, *_of_rows(shares), only_read(shares.cpus), bound, most)
    # Alternate between moving shares and enlarging nodes until no node is overfull.
    for _ in range(_ROUNDS):
        shares = fit_shares(shares, occupation, bound)
        usage = occupation.usage(shares.cpus)
        peak = occupation.peaks(usage)
        # Nodes grow at the times at which the most overfull of them are fullest.
        worst = np.argsort(bound - peak, kind="stable")[:_INSTANTS]
        lacking = worst[peak[worst] > bound[worst]].tolist()
        times = sorted({occupation.time_of(node, usage, int(peak[node])) for node in lacking})
        if not sum(_grow(shares, occupation, time, bound, most) for time in times):
            break
    shares = repaired(shares, occupation, bound)
    cpus = np.maximum(certain, np.minimum(bound, occupation.peaks(occupation.usage(shares.cpus))))
    _hold_all(shares, occupation, cpus)
    return ShareFit(shares, cpus, np.maximum(certain, likely))


def fit_shares(shares: NodeShares, occupation: Occupation, bound: Ints) -> NodeShares:
    """The shares, with open ones moved so that nodes need no more than `bound` CPUs, as far as possible.

    Only jobs on nodes that would need more are changed. First those that cannot be even use the free CPUs at
    their start, node by node, as schedulers distribute tasks; then each gets what fits besides all others, as
    evenly as possible. With more than MOST_WORK events nothing is changed.
    """
    usage = occupation.usage(shares.cpus)
    lacking = np.maximum(occupation.peaks(usage) - bound, 0)
    if not lacking.any():
        return shares
    best, least, plain = shares, lacking.sum(), shares.plain
    ran = occupation.end > occupation.start
    # The cost of moving a job is its number of events: a bound on the sum keeps large logs readable.
    work = sums_of_jobs(np.where(shares.known, 0, occupation.stop - occupation.begin), shares.offset)
    for number in range(_PASSES):
        # Only shares that the log does not tell may move, and only on nodes that lack CPUs.
        loose = ~shares.known & (lacking > 0)[shares.node]
        jobs = np.flatnonzero((sums_of_jobs(loose, shares.offset) > 0) & ran)
        if not len(jobs) or work[jobs].sum(dtype=np.float64) > MOST_WORK:
            break
        # In order of starts, as the scheduler placed them.
        jobs = jobs[np.argsort(occupation.start[jobs], kind="stable")]
        cpus = shares.cpus.copy()
        # The first round keeps even shares even; later rounds may change any.
        even = plain | (number > 0)
        _fit(jobs, *_of_rows(shares), even, cpus, occupation.begin, occupation.stop, usage, bound)
        shares = shares.with_cpus(cpus)
        lacking = np.maximum(occupation.peaks(usage) - bound, 0)
        # A round may make it worse: the best of all rounds counts.
        if lacking.sum() < least:
            best, least = shares, lacking.sum()
    return best


def _of_rows(shares: NodeShares) -> tuple[Ints, Ints, Mask]:
    """`offset`, `node` and `known`, for kernels."""
    return only_read(shares.offset), only_read(shares.node), only_read(shares.known)


def _hold_all(shares: NodeShares, occupation: Occupation, cpus: Ints) -> None:
    """Enlarge overfull nodes to the sizes that sets of nodes certainly have together.

    It examines the instants at which nodes are most overfull, and those at which all together are.
    """
    usage = occupation.usage(shares.cpus)
    over = occupation.peaks(usage) - cpus
    worst = np.argsort(-over, kind="stable")[:_INSTANTS]
    times = {occupation.time_of(node, usage, int(over[node] + cpus[node])) for node in worst[over[worst] > 0]}
    for time in sorted({*times, occupation.busiest(sums_of_jobs(shares.cpus, shares.offset))}):
        for nodes, used, lacks in _lacking(shares, occupation, time, cpus):
            more = np.maximum(used - cpus[nodes], 0)
            before = np.cumsum(more) - more
            cpus[nodes] += np.clip(lacks - before, 0, more)


def _grow(shares: NodeShares, occupation: Occupation, time: int, bound: Ints, most: Ints) -> bool:
    """Enlarge nodes that cannot hold the CPUs running at a time under any distribution; True if any grew."""
    grown = False
    for nodes, _, lacks in _lacking(shares, occupation, time, bound):
        raise_nodes(nodes, lacks, bound, most)
        grown = True
    return grown


def _lacking(
    shares: NodeShares, occupation: Occupation, time: int, cpus: Ints
) -> Iterator[tuple[Ints, Ints, int]]:
    """Sets of nodes that together have fewer `cpus` than run on them at a time: the size of each, and the
    lack.

    Nodes are connected by running jobs with open shares on both: the total on such a component is certain,
    since none of its jobs has an open share elsewhere.
    """
    running = np.flatnonzero((occupation.start <= time) & (time < occupation.end))
    pieces = shares.pieces.take(running)
    job = np.repeat(np.arange(len(running)), np.diff(pieces.offset))
    known = shares.known[_rows_of(shares.offset, running)]
    nodes, where = np.unique(pieces["node"], return_inverse=True)
    part = _parts(job[~known], where[~known], len(running), len(nodes))
    used = np.bincount(where, pieces["cpus"], len(nodes)).astype(np.int64)
    lacks = np.bincount(part, used - cpus[nodes], len(nodes))
    for which in np.flatnonzero(lacks > 0).tolist():
        own = part == which
        yield nodes[own], used[own], int(lacks[which])


def _rows_of(offset: Ints, jobs: Ints) -> Ints:
    """The rows of these jobs."""
    sizes = offset[jobs + 1] - offset[jobs]
    before = np.cumsum(sizes) - sizes
    return np.repeat(offset[jobs] - before, sizes) + np.arange(int(sizes.sum()))


def _parts(job: Ints, node: Ints, jobs: int, nodes: int) -> Ints:
    """The least node that each node is linked with by jobs, shape (nodes,); both shape (links,)."""
    part = np.arange(nodes)
    # Each round every node takes the least node that its jobs reach, and then that node's own: chains of
    # links shorten by half, so that few rounds reach every end.
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
        # What the nodes of the job hold together must be enough for its open shares.
        lacks = 0
        for row in rows:
            lacks += cpus[row] - bound[node[row]]
        if lacks > 0:
            raise_nodes(node[rows], lacks, bound, most)


@kernel
def raise_nodes(nodes: Ints, lacks: int, bound: Ints, most: Ints) -> None:
    """Enlarge these nodes by `lacks` CPUs in all, the smallest first: up to `most`, and only then further."""
    for limited in (True, False):
        highest = 0
        for node in nodes:
            highest = max(highest, bound[node], most[node])
        low, high = 0, highest if limited else highest + lacks  # the level up to which nodes are raised
        while low < high:
            level = (low + high + 1) // 2
            if _raised(nodes, level, bound, most, limited) <= lacks:
                low = level
            else:
                high = level - 1
        extra = lacks - _raised(nodes, low, bound, most, limited)
        for node in nodes:
            limit = most[node] if limited else highest + lacks
            above = extra > 0 and bound[node] <= low < limit
            rise = max(min(low + above, limit) - bound[node], 0)
            extra -= above
            lacks -= rise
            bound[node] += rise


@kernel
def _raised(nodes: Ints, level: int, bound: Ints, most: Ints, limited: bool) -> int:
    """By how much nodes grow that are raised to a level."""
    total = 0
    for node in nodes:
        upto = min(level, most[node]) if limited else level
        total += max(upto - bound[node], 0)
    return total


@kernel
def _fit(
    jobs: Ints,
    offset: Ints,
    node: Ints,
    known: Mask,
    even: Mask,
    cpus: Ints,
    begin: Ints,
    stop: Ints,
    usage: Ints,
    bound: Ints,
) -> None:
    """Choose the open shares of each job in turn: at least a CPU each, and what fits besides all others.

    Jobs that are not `even`, shape (rows,), fill one node after the other with what is free at their start.
    `cpus` and `usage` are modified.
    """
    for job in jobs:
        rows = _open_rows(offset[job], offset[job + 1], known)
        room = np.empty(len(rows), np.int64)
        amount = 0
        for k in range(len(rows)):
            row = rows[k]
            amount += cpus[row]
            busiest = 0
            # Remove the job's own share first, so that `usage` shows only the others.
            for event in range(begin[row], stop[row]):
                usage[event] -= cpus[row]
                busiest = max(busiest, usage[event])
            # Even jobs must fit at all times; a packing scheduler only knew the usage at the start.
            at_start = usage[begin[row]]
            room[k] = max(bound[node[row]] - (busiest if even[row] else at_start), 1)
        if even[rows[0]]:
            _deal(room, amount)
        else:
            _fill(room, amount)
        for k in range(len(rows)):
            row = rows[k]
            cpus[row] = room[k]
            for event in range(begin[row], stop[row]):
                usage[event] += room[k]


@kernel
def _fill(room: Ints, amount: int) -> None:
    """Turn room into shares of `amount`, in sequence, at least 1; the excess is distributed evenly."""
    # Each share keeps at least one, so that only the rest is given away.
    left = amount - len(room)
    for k in range(len(room)):
        more = min(room[k] - 1, left)
        room[k] = 1 + more
        left -= more
    for k in range(len(room)):
        room[k] += left // len(room) + (k < left % len(room))


@kernel
def _deal(room: Ints, amount: int) -> None:
    """Turn room into shares of `amount`, as evenly as possible; the excess is distributed evenly.

    Of equal shares the first get more.
    """
    whole = highest = 0
    for size in room:
        whole += size
        highest = max(highest, size)
    left = amount - whole
    # All room is filled, and the rest is dealt evenly beyond it.
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
    # What is left above the level is dealt one by one, to the first that have room above it.
    more = amount
    for size in room:
        more -= min(size, low)
    for k in range(len(room)):
        above = room[k] > low and more > 0
        room[k] = min(room[k], low) + above
        more -= above


@kernel
def _open_rows(first: int, end: int, known: Mask) -> Ints:
    """The rows of a job with open shares."""
    # Counted first, so that the array has the right size.
    count = 0
    for row in range(first, end):
        count += not known[row]
    rows = np.empty(count, np.int64)
    for row in range(end - 1, first - 1, -1):
        if not known[row]:
            count -= 1
            rows[count] = row
    return rows
