"""Processor numbers, given after the fact: lowest free first.

A simulation counts processors, on a pool or node by node; a Gantt chart draws them. Global
processor numbers go node by node, in the order of the cluster's nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiled import kernel
from engine.schedule import NOT_RUN, Schedule

Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]

END = -1
NOT_STARTED = -1


@dataclass(frozen=True, eq=False)
class Boxes:
    """What a Gantt chart draws: box i covers processors `first[i]` to `first[i] + count[i] - 1`.

    Job `order[k]` owns the boxes from `offset[k]` to `offset[k + 1] - 1`, one for each run of
    neighbouring processors, ascending. `order`, shape (n,), has the jobs that were run by their
    start, ties by index; `offset` has shape (n + 1,), the others (m,). All are int32, since there are
    millions.
    """

    order: Numbers
    offset: Numbers
    first: Numbers
    count: Numbers

    @property
    def job(self) -> Numbers:
        """The job of each box, shape (m,)."""
        return np.repeat(self.order, np.diff(self.offset))


def assign_processors(schedule: Schedule) -> Boxes:
    """Give each job the lowest processors that are free on its nodes from its start to its end.

    At one second ends go before starts, and starts by job. A recorded schedule may ask for
    more than a node has: what does not fit is drawn over the node's last processors.
    """
    ran = np.flatnonzero(schedule.start != NOT_RUN)
    by_start = ran[np.argsort(schedule.start[ran], kind="stable")]
    by_end = ran[np.argsort(schedule.end[ran], kind="stable")]
    node_cpus = schedule.cluster.node_cpus()
    pieces = schedule.pieces
    if len(pieces["node"]) and int(pieces["node"].max()) == 0:
        node_cpus = np.array([schedule.cluster.cpus], np.int64)  # node 0 stands for the whole machine
    free = _all_free(node_cpus)
    rows = _assign(
        free,
        by_start,
        by_end,
        np.array(schedule.start),
        np.array(schedule.end),
        np.array(pieces.offset),
        np.array(pieces["node"]),
        np.array(pieces["cpus"]),
    )
    return _ascending(by_start.astype(np.int32), rows)


def _ascending(order: Numbers, rows: Numbers) -> Boxes:
    """The boxes of each job in order of their processors; a placement may take nodes in any order."""
    count_of = np.bincount(rows[:, 0], minlength=int(order.max(initial=-1)) + 1)[order]
    first, count = (np.ascontiguousarray(rows[:, column]) for column in (1, 2))
    place = (np.repeat(np.arange(len(order)), count_of) << 32) | first
    if (place[1:] < place[:-1]).any():
        by_place = np.argsort(place, kind="stable")
        first, count = first[by_place], count[by_place]
    offset = np.concatenate(([0], np.cumsum(count_of))).astype(np.int32)
    return Boxes(order, offset, first, count)


class FreeRuns(NamedTuple):
    """The free processors of each node: a list of runs in ascending order.

    A run is known by its first processor p: it has `length[p]` processors, and the next run
    of the node begins at `following[p]` (END: none). The first run of node v begins at
    `lowest[v]`.
    """

    length: Ints  # (processors,)
    following: Ints  # (processors,)
    lowest: Ints  # (nodes,)
    first: Ints  # (nodes,) the node's first processor
    cpus: Ints  # (nodes,)


def _all_free(node_cpus: Ints) -> FreeRuns:
    first = np.concatenate(([0], np.cumsum(node_cpus)[:-1])).astype(np.int64)
    length = np.zeros(int(node_cpus.sum()), np.int64)
    length[first] = node_cpus
    return FreeRuns(length, np.full(len(length), END, np.int64), first.copy(), first, node_cpus)


@kernel
def _assign(
    free: FreeRuns, by_start: Ints, by_end: Ints, start: Ints, end: Ints, offset: Ints, node: Ints, cpus: Ints
) -> Numbers:
    """Rows of (job, first processor, count, node; node END where nothing is to be given back)."""
    rows = np.zeros((len(by_start) + 1, 4), np.int32)
    first_row = np.zeros(len(start) + 1, np.int64)
    row_count = np.full(len(start) + 1, NOT_STARTED, np.int64)
    used = 0
    ended = 0
    for job in by_start:
        while end[by_end[ended]] <= start[job] and row_count[by_end[ended]] != NOT_STARTED:
            gone = by_end[ended]
            for row in range(first_row[gone], first_row[gone] + row_count[gone]):
                if rows[row, 3] != END:
                    _give(free, rows[row, 3], rows[row, 1], rows[row, 2])
            ended += 1
        first_row[job] = used
        for piece in range(offset[job], offset[job + 1]):
            wanted = cpus[piece]
            while wanted > 0:
                if used == len(rows):
                    rows = np.concatenate((rows, np.zeros_like(rows)))
                rows[used, 0] = job
                wanted -= _take(free, node[piece], wanted, rows[used])
                used += 1
        row_count[job] = used - first_row[job]
    return rows[:used]


@kernel
def _take(free: FreeRuns, node: int, wanted: int, row: Numbers) -> int:
    """Take up to `wanted` processors from the lowest run of the node into the row; returns how many."""
    run = free.lowest[node]
    if run == END:  # over-committed: drawn over the last processors, and never given back
        count = min(wanted, free.cpus[node])
        row[1] = free.first[node] + free.cpus[node] - count
        row[2] = count
        row[3] = END
        return wanted
    count = min(wanted, free.length[run])
    row[1] = run
    row[2] = count
    row[3] = node
    if count == free.length[run]:
        free.lowest[node] = free.following[run]
    else:
        free.length[run + count] = free.length[run] - count
        free.following[run + count] = free.following[run]
        free.lowest[node] = run + count
    return int(count)


@kernel
def _give(free: FreeRuns, node: int, first: int, count: int) -> None:
    """Put processors back into the node's list, joined with the runs that they touch."""
    before = END
    after = free.lowest[node]
    while after != END and after < first:
        before = after
        after = free.following[after]
    if after != END and first + count == after:
        count += free.length[after]
        after = free.following[after]
    if before != END and before + free.length[before] == first:
        free.length[before] += count
        free.following[before] = after
        return
    free.length[first] = count
    free.following[first] = after
    if before == END:
        free.lowest[node] = first
    else:
        free.following[before] = first
