"""The order in which jobs are submitted, where some are submitted only after others have ended.

So it is where a variant moves submissions. Without both jobs are submitted in the order of the trace, and the
arrays here are empty. A job's *turn* is its place in the order of submission.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.simulation.log_buffer import NOBODY
from engine.simulation.workload import Ints, Mask

_ROOTS, _KNOWN, _THINKING = range(3)


class Arrivals(NamedTuple):
    """The jobs submitted so far, and those whose submission is known. Arrays are empty without dependencies.

    A job follows another when it is submitted `think` seconds after that one's end. Its submission is known
    as soon as the other starts, since runtimes are known to the simulator; a failure that stops the other
    takes that back.
    """

    order: Ints  # (n,) the submitted jobs by turn
    turn: Ints  # (n,) turn of each submitted job
    roots: Ints  # (jobs that follow none,) these jobs, in order of submission
    first: Ints  # (n,) the first job that follows this job, or NOBODY
    further: Ints  # (n,) the next job that follows the same job as this one, or NOBODY
    think: Ints  # (n,) s between the end of the job that is followed and the submission
    thinking: Ints  # (n,) heap by (submission, job): jobs whose submission is known and still to come
    counts: Ints  # (3,) submitted roots; submitted jobs; jobs in the heap


_NONE = np.zeros(0, np.int64)
NO_ARRIVALS = unchanging(Arrivals(_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, _NONE, np.zeros(3, np.int64)))
"""Of a trace without dependencies."""


def make_arrivals(follows: Ints, think: Ints, refused: Mask, submit: Ints) -> Arrivals:
    """The state before the first submission; job j follows `follows[j]`, shape (n,), unless that is NOBODY.

    `think` (n,) is in s. A refused job never ends, so jobs that follow one are submitted when the log says:
    at `submit` (n,), s, which need not ascend.
    """
    jobs = len(follows)
    # A job is free where it follows none, or follows a refused job, whose end never comes.
    free = (follows == NOBODY) | refused[np.maximum(follows, 0)]
    # The followers of a job form a list that is linked through arrays, as a kernel can read it. Jobs are put
    # in front of it, so that the loop from the last job to the first leaves them in order of number.
    first, further = np.full((2, jobs), NOBODY, np.int64)
    for job in np.flatnonzero(~free & ~refused)[::-1].tolist():
        further[job] = first[follows[job]]
        first[follows[job]] = job
    roots = np.flatnonzero(free & ~refused)
    return Arrivals(
        order=np.zeros(jobs, np.int64),
        turn=np.zeros(jobs, np.int64),
        roots=roots[np.argsort(submit[roots], kind="stable")],
        first=first,
        further=further,
        think=np.array(think),
        thinking=np.zeros(jobs, np.int64),
        counts=np.zeros(3, np.int64),
    )


@inner_kernel
def has_dependencies(arrivals: Arrivals) -> bool:
    """Whether any job is submitted only after another has ended."""
    return len(arrivals.order) > 0


@inner_kernel
def known_arrivals(arrivals: Arrivals, jobs: int) -> int:
    """The number of jobs that have a turn by now, of `jobs` in all."""
    return int(arrivals.counts[_KNOWN]) if has_dependencies(arrivals) else jobs


@inner_kernel
def at_turn(arrivals: Arrivals, turn: int) -> int:
    """The job with this turn, counted from 0."""
    return int(arrivals.order[turn]) if has_dependencies(arrivals) else turn


@inner_kernel
def next_expected(arrivals: Arrivals, submit: Ints) -> int:
    """The job that is submitted next, or NOBODY where no submission is known; `submit` has shape (n,), s."""
    counts, job = arrivals.counts, NOBODY
    # Two sources give the next submission: the jobs that follow none, sorted once, and the heap of those
    # whose predecessor runs. Ties go to the smaller job number, as in the trace.
    if counts[_ROOTS] < len(arrivals.roots):
        job = arrivals.roots[counts[_ROOTS]]
    if counts[_THINKING] > 0:
        other = arrivals.thinking[0]
        if job == NOBODY or _before(submit, other, job):
            job = other
    return int(job)


@inner_kernel
def assign_turns(arrivals: Arrivals, submit: Ints, now: int) -> None:
    """Give turns to the jobs that are submitted in the second `now`."""
    if not has_dependencies(arrivals):
        return
    counts = arrivals.counts
    job = next_expected(arrivals, submit)
    # Each job that gets a turn leaves its source, so that the next one comes to the front of it.
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
    """Put the jobs that follow `job`, which will end at `end` (s), into the heap; none before `now` + 1."""
    if not has_dependencies(arrivals):
        return
    other = arrivals.first[job]
    while other != NOBODY:
        # The submissions of the present second are done already, so none is added to it.
        submit[other] = max(end + arrivals.think[other], now + 1)
        _put(arrivals, submit, other)
        other = arrivals.further[other]


@inner_kernel
def forget_followers(arrivals: Arrivals, submit: Ints, job: int) -> None:
    """Take the jobs that follow `job` out of the heap: a failure stopped it, so its end is unknown again."""
    if not has_dependencies(arrivals):
        return
    other = arrivals.first[job]
    # These jobs stand somewhere in the heap, not at its top: each place is looked for.
    while other != NOBODY:
        place = 0
        while arrivals.thinking[place] != other:
            place += 1
        _take_at(arrivals, submit, place)
        other = arrivals.further[other]


@inner_kernel
def _before(submit: Ints, job: int, other: int) -> bool:
    return bool(submit[job] < submit[other] or (submit[job] == submit[other] and job < other))


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
    # The last job of the heap fills the hole. It comes from another branch, so it may have to go up as well
    # as down.
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
    # The hole moves down past the smaller of both children, and the job is written only once, where it ends.
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
