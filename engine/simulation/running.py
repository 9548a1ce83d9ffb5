"""The running jobs: who ends next, and who is expected to end next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiled import inner_kernel
from engine.simulation.workload import Ints


class Running(NamedTuple):
    """Running jobs in two orders.

    `heap[:count]` is a binary heap by (end, order of start); `line[:count]` is sorted by
    expected end, the start plus what the scheduler believes. The line is only kept where
    reservations are made (`keeps_line`). Both have the times beside the jobs, so that most
    steps need no look at the arrays of shape (n,) by job.
    """

    heap: Ints
    heap_end: Ints  # s, of the jobs in `heap`
    end: Ints  # (n,) s
    sequence: Ints  # (n,) how many jobs started before
    started: Ints  # (n,) jobs in order of start
    line: Ints
    line_end: Ints  # s, the expected ends of the jobs in `line`
    expected: Ints  # (n,) s
    counts: Ints  # running jobs; jobs started so far
    keeps_line: bool


def make_running(jobs: int, keeps_line: bool) -> Running:
    """Nothing runs yet."""
    return Running(
        heap=np.zeros(jobs, np.int64),
        heap_end=np.zeros(jobs, np.int64),
        end=np.zeros(jobs, np.int64),
        sequence=np.zeros(jobs, np.int64),
        started=np.zeros(jobs, np.int64),
        line=np.zeros(jobs, np.int64),
        line_end=np.zeros(jobs, np.int64),
        expected=np.zeros(jobs, np.int64),
        counts=np.zeros(2, np.int64),
        keeps_line=keeps_line,
    )


@inner_kernel
def add_running(run: Running, job: int, end: int, expected: int) -> None:
    """A job starts: it will end at `end` and is expected to end at `expected`."""
    run.sequence[job] = run.counts[1]
    run.started[run.counts[1]] = job
    run.counts[1] += 1
    put_running(run, job, end, expected)


@inner_kernel
def put_running(run: Running, job: int, end: int, expected: int) -> None:
    """Put a job that started, with its place in the order of starts, where it belongs."""
    count = run.counts[0]
    run.end[job] = end
    _rise(run, count, job, end)
    if run.keeps_line:
        _insert_in_line(run, job, expected, count)
    run.counts[0] = count + 1


@inner_kernel
def ends_at(run: Running, now: int) -> bool:
    """Whether a job ends this second."""
    return bool(run.counts[0] > 0 and run.heap_end[0] == now)


@inner_kernel
def pop_ended(run: Running) -> int:
    """Take away the job that ends first (of several, the one that started first)."""
    heap, ends = run.heap, run.heap_end
    first = heap[0]
    count = run.counts[0] - 1
    run.counts[0] = count
    # The gap goes down to a leaf and the last job rises from there: since it is mostly one of
    # those that end late, that takes fewer comparisons than to ask at each step how far it goes.
    place = 0
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        right = child + 1
        if right < count and (
            ends[right] < ends[child] or (ends[right] == ends[child] and _started_before(run, right, child))
        ):
            child = right
        heap[place] = heap[child]
        ends[place] = ends[child]
        place = child
    _rise(run, place, heap[count], ends[count])
    if run.keeps_line:
        _remove_from_line(run, first, count + 1)
    return int(first)


@inner_kernel
def _started_before(run: Running, one: int, other: int) -> bool:
    return bool(run.sequence[run.heap[one]] < run.sequence[run.heap[other]])


@inner_kernel
def _rise(run: Running, place: int, job: int, end: int) -> None:
    """Put a job at a place of the heap, or above it where it ends before those there."""
    heap, ends = run.heap, run.heap_end
    while place > 0:
        parent = (place - 1) >> 1
        if ends[parent] < end or (ends[parent] == end and run.sequence[heap[parent]] < run.sequence[job]):
            break
        heap[place] = heap[parent]
        ends[place] = ends[parent]
        place = parent
    heap[place] = job
    ends[place] = end


@inner_kernel
def next_overrun(run: Running, now: int) -> int:
    """A job whose expected end has come without it ending this very second; -1 where there is none."""
    if run.keeps_line:
        for place in range(run.counts[0]):
            if run.line_end[place] > now:
                break
            job = run.line[place]
            if run.end[job] != now:
                return int(job)
    return -1


@inner_kernel
def overrun(run: Running, job: int, now: int, limit: int) -> None:
    """Expect a job that used up its estimate to end at the walltime, `limit`, and then second by second."""
    _remove_from_line(run, job, run.counts[0])
    _insert_in_line(run, job, limit if limit > now else now + 1, run.counts[0] - 1)


@inner_kernel
def _insert_in_line(run: Running, job: int, expected: int, count: int) -> None:
    line, ends = run.line, run.line_end
    run.expected[job] = expected
    place = count
    while place > 0 and ends[place - 1] > expected:
        line[place] = line[place - 1]
        ends[place] = ends[place - 1]
        place -= 1
    line[place] = job
    ends[place] = expected


@inner_kernel
def _remove_from_line(run: Running, job: int, count: int) -> None:
    line, ends = run.line, run.line_end
    expected = run.expected[job]
    low, left = 0, count
    while left > 1:  # a search that takes the same turns whatever it finds
        half = left >> 1
        low += half if ends[low + half - 1] < expected else 0
        left -= half
    while line[low] != job:
        low += 1
    for place in range(low, count - 1):
        line[place] = line[place + 1]
        ends[place] = ends[place + 1]
