"""Checks of the guaranteed start of the first waiting job, at each moment of a replay; compiled.

When a job becomes the first of the queue, the earliest time at which it fits is a promise: under EASY
backfilling it may not start later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.audit.replay import NEVER, NOBODY, Holdings, Replay, goes_before, head, update_expected_ends
from engine.audit.table import Ints
from engine.compiler.kernels import inner_kernel

JOB, MADE, START = range(3)
"""Entries of the current promise: the job, when it was made, and the latest start, in ticks."""

MADE_IN_ALL, KEPT, LAPSED, UNSAID = range(4)
"""Counts of promises: made; kept; lapsed, as another job became the first; not made, as no time is known."""


class Tasks(NamedTuple):
    """The tasks of jobs on nodes; only jobs with one group of equal tasks can be checked."""

    need: Ints  # (n, resources) amounts that one task needs, or the node that it takes whole
    wanted: Ints  # (n,) number of tasks; -1 for jobs of several groups, which cannot be checked
    whole: NDArray[np.bool_]  # (n,) whether tasks take whole nodes


class HeadChecks(NamedTuple):
    """The state of these checks from moment to moment."""

    on: bool  # whether the guaranteed start is checked
    slack: int  # ticks by which a job may be late
    relaxed: float  # share of its wait by which a reservation may be delayed; negative: not at all
    test_limit: int  # jobs that a pass tries, or WITHOUT_END
    by_node: bool  # whether nodes are counted one by one
    tasks: Tasks  # of jobs on nodes; else (0,)
    latest: Ints  # (n or 0,) latest start of a relaxed reservation, ticks; -1 before the first reservation
    promise: Ints  # (3,) the current promise, entries JOB to START; JOB is NOBODY without one
    unpromised: Ints  # (1,) first job of the queue, if no promise can be computed for it
    tally: Ints  # (4,) counts of promises, entries MADE_IN_ALL to UNSAID
    late: Ints  # (n, 3) broken promises, columns as `promise`
    used: Ints  # (1,) rows of `late` in use
    free: Ints  # (nodes, resources) scratch: free amounts at a later time


@inner_kernel
def look_at_head(c: HeadChecks, r: Replay) -> None:
    """Close the promise if its job has started or is no longer first; make one for a new first job."""
    now, first = r.moments.now[0], head(r)
    job = c.promise[JOB]
    # A promise ends when its job starts, or loses its force when another job comes first.
    if job != NOBODY:
        if r.start[job] <= now:
            _settle(c, r)
            c.promise[JOB] = NOBODY
        elif first != job or _passed(r, job) > 0:
            c.tally[LAPSED] += 1
            c.promise[JOB] = NOBODY
    if first == NOBODY or c.promise[JOB] != NOBODY or first == c.unpromised[0]:
        return
    if _passed(r, first) >= c.test_limit:
        return  # the pass ended before it reached the job: it started as many ahead of it as it may try
    # The promise is made once, when the job comes to the head.
    start = _earliest(c, r, first)
    if start == NEVER:
        # What cannot be computed for a job is not asked again while it stays the head.
        c.tally[UNSAID] += 1
        c.unpromised[0] = first
        return
    c.tally[MADE_IN_ALL] += 1
    c.promise[JOB], c.promise[MADE], c.promise[START] = first, now, _put_off(c, r, first, start)


@inner_kernel
def _settle(c: HeadChecks, r: Replay) -> None:
    # A start before the promise, or late by no more than the tolerance, keeps it.
    if r.start[c.promise[JOB]] - c.promise[START] <= c.slack:
        c.tally[KEPT] += 1
        return
    row = c.used[0]
    for column in range(3):
        c.late[row, column] = c.promise[column]
    c.used[0] = row + 1


@inner_kernel
def _passed(r: Replay, job: int) -> int:
    """The number of jobs started at this moment that go before a waiting job."""
    ahead = 0
    for index in range(r.moments.ranges[1, 0], r.moments.ranges[1, 1]):
        if goes_before(r, r.moments.started[index], job):
            ahead += 1
    return ahead


@inner_kernel
def _put_off(c: HeadChecks, r: Replay, job: int, start: int) -> int:
    """The latest start of the job, ticks: its reservation; if relaxed, the first plus part of its wait."""
    if c.relaxed < 0:
        return start
    # Fixed at the first promise: later ones may not put the job off further.
    if c.latest[job] < 0:
        waited = (start - r.submit[job]) / r.second
        c.latest[job] = start + int(c.relaxed * waited) * r.second
    return int(max(start, c.latest[job]))


@inner_kernel
def _earliest(c: HeadChecks, r: Replay, job: int) -> int:
    """The earliest start of the first job of the queue by the expected ends, ticks; NEVER where not known.

    Jobs behind it that started at this moment are left out, since it is guaranteed against these. Each end
    frees more, so the first end after which the job fits is found by bisection.
    """
    running, now = r.running, r.moments.now[0]
    if c.by_node and c.tasks.wanted[job] < 0:
        return NEVER
    update_expected_ends(r)
    if _fits_after(c, r, job, 0):
        return int(now)
    # The job fits after every end from `high` on, and after none before `low`.
    low, high = 1, running.many[0] + 1
    while low < high:
        middle = (low + high) >> 1
        if _fits_after(c, r, job, middle):
            high = middle
        else:
            low = middle + 1
    return int(running.ends[low - 1]) if low <= running.many[0] else NEVER


@inner_kernel
def _fits_after(c: HeadChecks, r: Replay, job: int, ended: int) -> bool:
    """Whether the job fits once the first `ended` running jobs, and all with the same end, have ended."""
    running, now, free = r.running, r.moments.now[0], c.free
    for node in range(free.shape[0]):
        for k in range(free.shape[1]):
            free[node, k] = r.free[node, k]
    # Jobs that the pass starts behind this one did not stand in its way.
    for index in range(r.moments.ranges[1, 0], r.moments.ranges[1, 1]):
        other = r.moments.started[index]
        if running.on[other] and goes_before(r, job, other):
            _add(r.holdings, other, free)
    index = 0
    # Jobs that end together are freed together: the scheduler sees them in one event.
    while index < running.many[0] and (index < ended or running.ends[index] == running.ends[ended - 1]):
        other = running.jobs[index]
        index += 1
        if ended == 0:
            break
        if r.start[other] != now or not goes_before(r, job, other):
            _add(r.holdings, other, free)
    if c.by_node:
        return _fits_on_nodes(c.tasks, r.capacity, free, job)
    amount = r.holdings.amount
    for k in range(free.shape[1]):  # noqa: SIM110 - a generator does not compile
        if amount[job, k] > free[0, k]:
            return False
    return True


@inner_kernel
def _add(holdings: Holdings, job: int, free: Ints) -> None:
    for row in range(holdings.offset[job], holdings.offset[job + 1]):
        for k in range(free.shape[1]):
            free[holdings.node[row], k] += holdings.amount[row, k]


@inner_kernel
def _fits_on_nodes(tasks: Tasks, capacity: Ints, free: Ints, job: int) -> bool:
    # Where each task goes does not matter for equal tasks: they fit if the nodes together have room for as
    # many.
    room_for = 0
    for node in range(free.shape[0]):
        room = NEVER
        for k in range(free.shape[1]):
            if tasks.whole[job]:
                # A task that takes whole nodes needs one on which nothing else runs.
                if free[node, k] != capacity[node, k] or free[node, k] < tasks.need[job, k]:
                    room = 0
            elif tasks.need[job, k] > 0:
                # A schedule that is wrong may leave less than nothing free; such a node has room for none.
                room = min(room, max(free[node, k], 0) // tasks.need[job, k])
        room_for += 1 if tasks.whole[job] and room > 0 else 0 if tasks.whole[job] else room
        if room_for >= tasks.wanted[job]:
            return True
    return bool(room_for >= tasks.wanted[job])
