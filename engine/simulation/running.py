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
    reservations are made (`keeps_line`). Arrays of shape (n,) are indexed by job.
    """

    heap: Ints
    end: Ints  # (n,) s
    sequence: Ints  # (n,) how many jobs started before
    started: Ints  # (n,) jobs in order of start
    line: Ints
    expected: Ints  # (n,) s
    counts: Ints  # running jobs; jobs started so far
    keeps_line: bool


def make_running(jobs: int, keeps_line: bool) -> Running:
    """Nothing runs yet."""
    heap, end, sequence, started, line, expected = (np.zeros(jobs, np.int64) for _ in range(6))
    return Running(heap, end, sequence, started, line, expected, np.zeros(2, np.int64), keeps_line)


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
    place = count
    while place > 0:
        parent = (place - 1) >> 1
        above = run.heap[parent]
        if run.end[above] < end or (run.end[above] == end and run.sequence[above] < run.sequence[job]):
            break
        run.heap[place] = above
        place = parent
    run.heap[place] = job
    if run.keeps_line:
        _insert_in_line(run, job, expected, count)
    run.counts[0] = count + 1


@inner_kernel
def pop_ended(run: Running) -> int:
    """Take away the job that ends first (of several, the one that started first)."""
    heap, end, sequence = run.heap, run.end, run.sequence
    first = heap[0]
    count = run.counts[0] - 1
    run.counts[0] = count
    last = heap[count]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        right = child + 1
        if right < count and (
            end[heap[right]] < end[heap[child]]
            or (end[heap[right]] == end[heap[child]] and sequence[heap[right]] < sequence[heap[child]])
        ):
            child = right
        below = heap[child]
        if end[last] < end[below] or (end[last] == end[below] and sequence[last] < sequence[below]):
            break
        heap[place] = below
        place = child
    heap[place] = last
    if run.keeps_line:
        _remove_from_line(run, first, count + 1)
    return int(first)


@inner_kernel
def next_overrun(run: Running, now: int) -> int:
    """A job whose expected end has come without it ending this very second; -1 where there is none."""
    if run.keeps_line:
        for place in range(run.counts[0]):
            job = run.line[place]
            if run.expected[job] > now:
                break
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
    line = run.line
    run.expected[job] = expected
    place = count
    while place > 0 and run.expected[line[place - 1]] > expected:
        line[place] = line[place - 1]
        place -= 1
    line[place] = job


@inner_kernel
def _remove_from_line(run: Running, job: int, count: int) -> None:
    line = run.line
    low, high = 0, count
    while low < high:
        middle = (low + high) >> 1
        if run.expected[line[middle]] < run.expected[job]:
            low = middle + 1
        else:
            high = middle
    while line[low] != job:
        low += 1
    for place in range(low, count - 1):
        line[place] = line[place + 1]
