"""Processor numbers for a finished schedule: the lowest free ones first.

A simulation counts processors, on a pool or node by node; a Gantt chart draws them. Global
processor numbers go node by node, in the order of the cluster's nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.compiler.kernels import kernel
from engine.compiler.packed_tuples import packed
from engine.schedule.schedule import NOT_RUN, Schedule

Numbers = NDArray[np.int32]

END = -1
NOT_STARTED = -1
LENGTH, NEXT = 0, 1


@dataclass(frozen=True, eq=False)
class Boxes:
    """The boxes of a Gantt chart: box i covers processors `first[i]` to `first[i] + count[i] - 1`.

    Job `order[k]` owns the boxes from `offset[k]` to `offset[k + 1] - 1`, one for each run of
    neighbouring processors, ascending. `order`, shape (n,), has the jobs that were run by their
    start, ties by index; `offset` has shape (n + 1,), the others (m,). All are int32, since there are
    millions. The boxes of further runs are apart: there `order` has indices into `Schedule.further`.
    """

    order: Numbers
    offset: Numbers
    first: Numbers
    count: Numbers
    further: Boxes | None = None

    @property
    def job(self) -> Numbers:
        """The job of each box, shape (m,)."""
        return np.repeat(self.order, np.diff(self.offset))

    def only(self, kept: NDArray[np.bool_]) -> Boxes:
        """The boxes of the jobs that `kept`, a mask of the shape of `order`, selects."""
        sizes = np.diff(self.offset)
        boxes = np.repeat(kept, sizes)
        offset = np.concatenate(([0], np.cumsum(sizes[kept]))).astype(np.int32)
        return Boxes(self.order[kept], offset, self.first[boxes], self.count[boxes])


def assign_processors(schedule: Schedule) -> Boxes:
    """Assign to each job the lowest processors of its nodes that are free from its start to its end.

    The same applies to further runs, such as those that a failure stopped. Within a second ends precede
    starts, and starts are ordered by job, with further runs last. A recorded schedule may use more than a
    node has: the excess is drawn over the node's last processors.
    """
    jobs, further = len(schedule.start), schedule.further
    runs = _all_runs(schedule)
    node_cpus = schedule.cluster.node_cpus()
    if len(runs.node) and int(runs.node.max()) == 0:
        node_cpus = np.array([schedule.cluster.cpus], np.int64)  # node 0 stands for the whole machine
    first, count, boxed = _assign(_all_free(node_cpus), packed(runs))
    boxes = _ascending(runs.by_start, boxed, first, np.abs(count, out=count))
    if not len(further):
        return boxes
    own = boxes.order < jobs
    others = boxes.only(~own)
    return replace(boxes.only(own), further=replace(others, order=others.order - np.int32(jobs)))


def _ascending(order: Numbers, offset: Numbers, first: Numbers, count: Numbers) -> Boxes:
    """The boxes of each job in order of their processors; a placement may take nodes in any order."""
    if not _is_ascending(offset, first):
        key = (np.repeat(np.arange(len(order)), np.diff(offset)) << 32) | first
        by_key = np.argsort(key, kind="stable")
        first, count = first[by_key], count[by_key]
    return Boxes(order, offset, first, count)


@kernel
def _is_ascending(offset: Numbers, first: Numbers) -> bool:
    """True if the boxes of each job are in order."""
    for job in range(len(offset) - 1):
        for box in range(offset[job] + 1, offset[job + 1]):
            if first[box] < first[box - 1]:
                return False
    return True


class FreeRuns(NamedTuple):
    """The free processors of each node: a list of runs in ascending order.

    A run is known by its first processor p: it has `run[p, LENGTH]` processors, and the next run
    of the node begins at `run[p, NEXT]` (END: none). The first run of node v begins at
    `lowest[v]`.
    """

    run: Numbers  # (processors, 2) length and next run of the run that begins at each processor
    lowest: Numbers  # (nodes,) first processor of the node's first free run, or END
    first: Numbers  # (nodes,) the node's first processor
    cpus: Numbers  # (nodes,) number of the node's processors


def _all_free(node_cpus: Ints) -> FreeRuns:
    first = np.concatenate(([0], np.cumsum(node_cpus)[:-1])).astype(np.int32)
    run = np.full((int(node_cpus.sum()), 2), END, np.int32)
    run[first, LENGTH] = node_cpus
    return FreeRuns(run, first.copy(), first, node_cpus.astype(np.int32))


class ProcessorRuns(NamedTuple):
    """All n runs: those of the jobs, then the further ones; k of them did run."""

    by_start: Numbers  # (k,) runs in order of their starts
    by_end: Numbers  # (k,) and of their ends
    start: Ints  # (n,) s, or NOT_RUN
    end: Ints  # (n,) s, or NOT_RUN
    offset: Ints  # (n + 1,) first piece of each run
    node: Ints  # (pieces,)
    cpus: Ints  # (pieces,) processors on that node


def _all_runs(schedule: Schedule) -> ProcessorRuns:
    """The runs of a schedule; where there are no further ones its own arrays, not copies."""
    pieces, further = schedule.pieces, schedule.further
    start, end, offset = schedule.start, schedule.end, pieces.offset
    node, cpus = pieces["node"], pieces["cpus"]
    if len(further):
        start, end = np.concatenate((start, further.start)), np.concatenate((end, further.end))
        # The pieces of further runs stand behind all others.
        offset = np.concatenate((offset, offset[-1] + further.pieces.offset[1:]))
        node = np.concatenate((node, further.pieces["node"]))
        cpus = np.concatenate((cpus, further.pieces["cpus"]))
    ran = start != NOT_RUN
    return ProcessorRuns(
        by_start=_in_order(start, ran),
        by_end=_in_order(end, ran),
        start=np.ascontiguousarray(start, np.int64),
        end=np.ascontiguousarray(end, np.int64),
        offset=np.ascontiguousarray(offset, np.int64),
        node=np.ascontiguousarray(node, np.int64),
        cpus=np.ascontiguousarray(cpus, np.int64),
    )


def _in_order(time: Ints, ran: NDArray[np.bool_]) -> Numbers:
    """The runs in order of a time, ties by index, without those that did not run."""
    if ran.all():
        return np.argsort(time, kind="stable").astype(np.int32)
    chosen = np.flatnonzero(ran).astype(np.int32)
    return chosen[np.argsort(time[chosen], kind="stable")]


@kernel
def _assign(free: FreeRuns, runs: ProcessorRuns) -> tuple[Numbers, Numbers, Numbers]:
    """First processor and count of each box; where the boxes of each job begin, in the order of `by_start`.

    The count of a box that is not to be given back is negative.
    """
    by_start, by_end, start, end = runs.by_start, runs.by_end, runs.start, runs.end
    offset, node, cpus = runs.offset, runs.node, runs.cpus
    first, count = np.empty(len(by_start), np.int32), np.empty(len(by_start), np.int32)
    box_of = np.zeros(len(by_start) + 1, np.int32)
    own = np.full(len(start), NOT_STARTED, np.int32)
    used = 0
    ended = 0
    for key, job in enumerate(by_start):
        behind = END  # of the runs that are given back now the last one: the next often lies above it
        # Runs that ended by this start give their processors back first: a start may use them in the same
        # second.
        while end[by_end[ended]] <= start[job] and own[by_end[ended]] != NOT_STARTED:
            gone = by_end[ended]
            box = own[gone]
            for piece in range(offset[gone], offset[gone + 1]):
                left = cpus[piece]
                while left > 0 and count[box] > 0:
                    behind = _give(free, node[piece], first[box], count[box], behind)
                    left -= count[box]
                    box += 1
                box += left > 0  # the rest is over-committed
            ended += 1
        # Each piece takes the lowest free processors of its node, as many boxes as they are apart.
        own[job] = used
        for piece in range(offset[job], offset[job + 1]):
            wanted = cpus[piece]
            while wanted > 0:
                if used == len(first):
                    first, count = _longer(first), _longer(count)
                first[used], count[used] = _take(free, node[piece], wanted)
                wanted = wanted - count[used] if count[used] > 0 else 0
                used += 1
        box_of[key + 1] = used
    if used < len(first):
        first, count = first[:used].copy(), count[:used].copy()
    return first, count, box_of


@kernel
def _longer(values: Numbers) -> Numbers:
    longer = np.empty(2 * len(values), np.int32)
    longer[: len(values)] = values
    return longer


@kernel
def _take(free: FreeRuns, node: int, wanted: int) -> tuple[int, int]:
    """Take up to `wanted` processors from the lowest run of the node; returns the first, and how many.

    Where the node has none left, `wanted` of its last processors are drawn over: a negative number.
    """
    first = free.lowest[node]
    # A schedule of a log may use more than the node has: the job is still drawn, over others.
    if first == END:
        count = min(wanted, free.cpus[node])
        return free.first[node] + free.cpus[node] - count, -count
    count = min(wanted, free.run[first, LENGTH])
    # The whole run is used up: the next one is the lowest now.
    if count == free.run[first, LENGTH]:
        free.lowest[node] = free.run[first, NEXT]
    else:
        free.run[first + count, LENGTH] = free.run[first, LENGTH] - count
        free.run[first + count, NEXT] = free.run[first, NEXT]
        free.lowest[node] = first + count
    return first, count


@kernel
def _give(free: FreeRuns, node: int, first: int, count: int, behind: int) -> int:
    """Return processors to the node's list, merged with adjacent runs; returns their run.

    The search begins at the run `behind` (END: unknown) if that is lower on the same node.
    """
    run = free.run
    before = behind if free.first[node] <= behind < first else END
    # Start from the last returned run if possible: jobs return their processors in ascending order.
    after = free.lowest[node] if before == END else run[before, NEXT]
    while after != END and after < first:
        before = after
        after = run[after, NEXT]
    # Merge with the following run, then with the preceding run, so that runs stay maximal.
    if after != END and first + count == after:
        count += run[after, LENGTH]
        after = run[after, NEXT]
    if before != END and before + run[before, LENGTH] == first:
        run[before, LENGTH] += count
        run[before, NEXT] = after
        return before
    run[first, LENGTH] = count
    run[first, NEXT] = after
    if before == END:
        free.lowest[node] = first
    else:
        run[before, NEXT] = first
    return first
