"""The order in which jobs are submitted, where some come only when others have ended.

Without such dependencies the jobs come one by one as the trace has them, and nothing of this is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed import unchanging
from engine.simulation.log_buffer import NOBODY
from engine.simulation.workload import Ints, Mask

_ROOTS, _KNOWN, _THINKING = range(3)


class Arrivals(NamedTuple):
    """Who comes next. Arrays are empty where no job follows another.

    A job is expected from the start of the one that it follows on, since its end is then known; failures,
    which nobody knows ahead, take that back.
    """

    order: Ints  # (n,) the jobs by their turns, as far as their times have come
    turn: Ints  # (n,) the place of each of those in `order`
    roots: Ints  # jobs that follow none, in order of submission
    first: Ints  # (n,) the first of the jobs that follow each job, or NOBODY,
    further: Ints  # (n,) and the next one that follows the same as each, or NOBODY
    think: Ints  # (n,) s
    thinking: Ints  # (n,) heap, by (submission, number), of jobs whose submission is known and has not come
    counts: Ints  # (3,) roots that came; jobs in `order`; jobs in the heap


_NONE = np.zeros(0, np.int64)
NO_ARRIVALS = unchanging(Arrivals(_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, _NONE, np.zeros(3, np.int64)))
"""Where no job follows another."""


def make_arrivals(follows: Ints, think: Ints, refused: Mask) -> Arrivals:
    """Nobody came yet; job j follows `follows[j]`, shape (n,), if that is not NOBODY.

    A job that is refused is as if it never came: those that would follow it come when the log says.
    """
    jobs = len(follows)
    free = (follows == NOBODY) | refused[np.maximum(follows, 0)]
    first, further = np.full((2, jobs), NOBODY, np.int64)
    for job in np.flatnonzero(~free & ~refused)[::-1].tolist():
        further[job] = first[follows[job]]
        first[follows[job]] = job
    return Arrivals(
        order=np.zeros(jobs, np.int64),
        turn=np.zeros(jobs, np.int64),
        roots=np.flatnonzero(free & ~refused),
        first=first,
        further=further,
        think=np.array(think),
        thinking=np.zeros(jobs, np.int64),
        counts=np.zeros(3, np.int64),
    )


@inner_kernel
def has_dependencies(arrivals: Arrivals) -> bool:
    """Whether jobs follow others."""
    return len(arrivals.order) > 0


@inner_kernel
def known_arrivals(arrivals: Arrivals, jobs: int) -> int:
    """How many of so many jobs have a turn by now."""
    return int(arrivals.counts[_KNOWN]) if has_dependencies(arrivals) else jobs


@inner_kernel
def at_turn(arrivals: Arrivals, turn: int) -> int:
    """The job whose turn this is, counted from 0."""
    return int(arrivals.order[turn]) if has_dependencies(arrivals) else turn


@inner_kernel
def next_expected(arrivals: Arrivals, submit: Ints) -> int:
    """The job that comes next of those without a turn, NOBODY where none is expected; `submit` (n,), s."""
    counts, job = arrivals.counts, NOBODY
    if counts[_ROOTS] < len(arrivals.roots):
        job = arrivals.roots[counts[_ROOTS]]
    if counts[_THINKING] > 0:
        other = arrivals.thinking[0]
        if job == NOBODY or _before(submit, other, job):
            job = other
    return int(job)


@inner_kernel
def assign_turns(arrivals: Arrivals, submit: Ints, now: int) -> None:
    """Give the jobs of this second their turns."""
    if not has_dependencies(arrivals):
        return
    counts = arrivals.counts
    job = next_expected(arrivals, submit)
    while job != NOBODY and submit[job] == now:
        if counts[_ROOTS] < len(arrivals.roots) and arrivals.roots[counts[_ROOTS]] == job:
            counts[_ROOTS] += 1
        else:
            _take_at(arrivals, submit, 0)
        arrivals.order[counts[_KNOWN]] = job
        arrivals.turn[job] = counts[_KNOWN]
        counts[_KNOWN] += 1
        job = next_expected(arrivals, submit)


@inner_kernel
def expect_followers(arrivals: Arrivals, submit: Ints, job: int, now: int, end: int) -> None:
    """The job will end at `end`, s: those that follow it are expected, after this second."""
    if not has_dependencies(arrivals):
        return
    other = arrivals.first[job]
    while other != NOBODY:
        submit[other] = max(end + arrivals.think[other], now + 1)
        _put(arrivals, submit, other)
        other = arrivals.further[other]


@inner_kernel
def forget_followers(arrivals: Arrivals, submit: Ints, job: int) -> None:
    """The job will not end then: those that follow it are not expected any more."""
    if not has_dependencies(arrivals):
        return
    other = arrivals.first[job]
    while other != NOBODY:
        place = 0
        while arrivals.thinking[place] != other:
            place += 1
        _take_at(arrivals, submit, place)
        other = arrivals.further[other]


@inner_kernel
def _before(submit: Ints, one: int, other: int) -> bool:
    return bool(submit[one] < submit[other] or (submit[one] == submit[other] and one < other))


@inner_kernel
def _put(arrivals: Arrivals, submit: Ints, job: int) -> None:
    heap = arrivals.thinking
    place = arrivals.counts[_THINKING]
    arrivals.counts[_THINKING] = place + 1
    heap[place] = job
    _rise(heap, submit, place)


@inner_kernel
def _take_at(arrivals: Arrivals, submit: Ints, place: int) -> None:
    """Take the job at this place of the heap out of it."""
    heap = arrivals.thinking
    last = arrivals.counts[_THINKING] - 1
    arrivals.counts[_THINKING] = last
    if place == last:
        return
    heap[place] = heap[last]
    _rise(heap, submit, place)
    _sink(heap, submit, place, last)


@inner_kernel
def _rise(heap: Ints, submit: Ints, place: int) -> None:
    job = heap[place]
    while place > 0 and _before(submit, job, heap[(place - 1) // 2]):
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = job


@inner_kernel
def _sink(heap: Ints, submit: Ints, place: int, count: int) -> None:
    job = heap[place]
    while 2 * place + 1 < count:
        below = 2 * place + 1
        if below + 1 < count and _before(submit, heap[below + 1], heap[below]):
            below += 1
        if not _before(submit, heap[below], job):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = job
