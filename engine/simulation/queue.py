"""The queue: the waiting jobs in the order in which a pass tries them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel, tiny_kernel
from engine.simulation.workload import Ints

Floats = NDArray[np.float64]


SHORT = 1 << 40
"""Added to `Queue.procs` where the last logged reason of a job is that too few processors are free: a pass
then needs one comparison to skip the job, as it does without a log."""


class Queue(NamedTuple):
    """The waiting jobs, `jobs[bounds[0]:bounds[1]]`, of n jobs in all.

    Under a static order they are always sorted by `rank`; under an order that changes with time they are
    sorted by (key, tie, submission) at each pass.
    """

    jobs: Ints  # (n,) waiting jobs
    bounds: Ints  # (2,) index of the first one, and index behind the last one
    rank: Ints  # (n,) rank of each job in a static order, all different
    key: Floats  # (n,) sort key of each job, the smallest first; (0,) under a static order
    tie: Floats  # (n,) second sort key; (0,) under a static order
    buffer: Ints  # (n,) scratch of the sort
    turn: Ints  # (n,) order of submission, where it is not that of the jobs' numbers; else (0,)
    need: Ints  # (n,) processors of each job, where `beside`; else (0,)
    procs: Ints  # (n,) processors of the job at the same index in `jobs`, or SHORT more; else (0,)
    beside: bool  # whether `procs` is maintained, so that most sweeps need not read arrays indexed by job
    in_order: bool  # whether each submitted job goes to the end of the queue


def make_queue(
    rank: Ints, turn: Ints, need: Ints | None = None, in_order: bool = False, moves: bool = True
) -> Queue:
    """An empty queue; `rank`, `turn` and `need` are as in `Queue`.

    Only a queue whose order `moves` can be sorted by keys. With `need`, the jobs' processors are copied into
    the queue, and the order must be static.
    """
    jobs = len(rank)
    none = np.zeros(0, np.int64)
    return Queue(
        jobs=np.empty(jobs, np.int64),
        bounds=np.zeros(2, np.int64),
        rank=rank,
        key=np.zeros(jobs if moves else 0),
        tie=np.zeros(jobs if moves else 0),
        buffer=np.empty(jobs if moves else 0, np.int64),
        turn=turn,
        need=none if need is None else need,
        procs=none if need is None else np.empty(jobs, np.int64),
        beside=need is not None,
        in_order=in_order,
    )


@inner_kernel
def enqueue(queue: Queue, job: int) -> None:
    """Add a job at its rank."""
    low, high = queue.bounds
    if low == high:  # an empty queue restarts at the front, whose memory is still in the processor's cache
        low = high = queue.bounds[0] = 0
    if high == len(queue.jobs):  # the end is reached: move all jobs to the front, where others have left
        for index in range(high - low):
            _copy(queue, low + index, index)
        low, high = 0, high - low
        queue.bounds[0] = low
    index = high
    if not queue.in_order:
        while index > low and queue.rank[queue.jobs[index - 1]] > queue.rank[job]:
            _copy(queue, index - 1, index)
            index -= 1
    queue.jobs[index] = job
    if queue.beside:
        queue.procs[index] = queue.need[job]
    queue.bounds[1] = high + 1


@tiny_kernel
def _copy(queue: Queue, source: int, target: int) -> None:
    queue.jobs[target] = queue.jobs[source]
    if queue.beside:
        queue.procs[target] = queue.procs[source]


@inner_kernel
def remove_at(queue: Queue, index: int) -> None:
    """Remove the job at `index`; the jobs in front of it move back by one.

    A sweep has just walked over these, so the removal costs no more than the sweep.
    """
    low = queue.bounds[0]
    for place in range(index, low, -1):
        _copy(queue, place - 1, place)
    queue.bounds[0] = low + 1


@inner_kernel
def take_at(queue: Queue, index: int) -> int:
    """Remove the job at `index` and return the index of the job that was behind it.

    The jobs in front move back by one, or those behind move up, whichever are fewer.
    """
    low, high = queue.bounds
    # The jobs on the shorter side close the gap: either bound of the queue may move.
    if index - low < high - index:
        for place in range(index, low, -1):
            _copy(queue, place - 1, place)
        queue.bounds[0] = low + 1
        return index + 1
    for place in range(index + 1, high):
        _copy(queue, place, place - 1)
    queue.bounds[1] = high - 1
    return index


@inner_kernel
def index_of(queue: Queue, job: int) -> int:
    """The index of a waiting job, searched from the end, where most jobs are that leave out of order."""
    index = queue.bounds[1] - 1
    while queue.jobs[index] != job:
        index -= 1
    return int(index)


@inner_kernel
def remove(queue: Queue, job: int) -> None:
    """Remove a job wherever it is; the jobs behind it move up by one."""
    first = index_of(queue, job)
    queue.bounds[1] -= 1
    for index in range(first, queue.bounds[1]):
        _copy(queue, index + 1, index)


@inner_kernel
def sort_queue(queue: Queue) -> None:
    """Sort by (key, tie, job): a natural merge sort, since a queue seldom changes much between passes."""
    while not _merge_runs(queue):
        pass


@inner_kernel
def _merge_runs(queue: Queue) -> bool:
    """Merge neighbouring sorted runs in pairs; True when all is one run already."""
    # A natural merge sort: the order of the last pass is nearly right, so there are few runs and few rounds.
    begin, high = queue.bounds
    if begin == high or _run_end(queue, begin) == high:
        return True
    while begin < high:
        middle = _run_end(queue, begin)
        end = _run_end(queue, middle) if middle < high else high
        _merge(queue, begin, middle, end)
        begin = end
    return False


@inner_kernel
def _before(queue: Queue, job: int, other: int) -> bool:
    if queue.key[job] != queue.key[other]:
        return bool(queue.key[job] < queue.key[other])
    tied = queue.tie[job] == queue.tie[other]
    return bool(queue.tie[job] < queue.tie[other] or (tied and came_before(queue, job, other)))


@inner_kernel
def came_before(queue: Queue, job: int, other: int) -> bool:
    """Whether a job was submitted before the other."""
    if len(queue.turn) > 0:
        return bool(queue.turn[job] < queue.turn[other])
    return job < other


@inner_kernel
def _run_end(queue: Queue, begin: int) -> int:
    """The index behind the sorted run that begins at `begin`."""
    high = queue.bounds[1]
    index = begin + 1
    while index < high and _before(queue, queue.jobs[index - 1], queue.jobs[index]):
        index += 1
    return index


@inner_kernel
def _merge(queue: Queue, begin: int, middle: int, end: int) -> None:
    jobs, first = queue.jobs, queue.buffer
    size = middle - begin
    # Only the left run is copied away: the right one lies behind the place that is written next.
    for index in range(size):
        first[index] = jobs[begin + index]
    left, right, index = 0, middle, begin
    while left < size:
        # A job of the right run goes first only if it is really before: equal jobs keep their order.
        if right < end and _before(queue, jobs[right], first[left]):
            jobs[index] = jobs[right]
            right += 1
        else:
            jobs[index] = first[left]
            left += 1
        index += 1
