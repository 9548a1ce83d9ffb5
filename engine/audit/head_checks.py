"""How the promise of the first waiting job is held against what came, moment by moment; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.audit.replay import NEVER, NOBODY, Holdings, Replay, goes_before, head, update_expected_ends
from engine.audit.table import Ints
from engine.compiler.kernels import inner_kernel

JOB, MADE, START = range(3)
"""Of the promise that stands: the job, when it was made, and by when the job is to start, in ticks."""

MADE_IN_ALL, KEPT, LAPSED, UNSAID = range(4)
"""What became of promises, counted."""


class Tasks(NamedTuple):
    """The tasks of jobs on nodes, as far as these have but one group of equal ones."""

    need: Ints  # (n, resources) of one task; of one node where they take whole ones
    wanted: Ints  # (n,) tasks, or nodes; -1: it hangs on where groups go whether they fit
    whole: NDArray[np.bool_]  # (n,)


class HeadChecks(NamedTuple):
    """What is kept from moment to moment."""

    on: bool
    slack: int  # ticks by which a job may be late
    relaxed: float  # part of its wait by which a reservation may be put off; below 0: by nothing
    test_limit: int  # jobs that a pass looks at, or WITHOUT_END
    by_node: bool
    tasks: Tasks  # of jobs on nodes; else (0,)
    latest: Ints  # (n or 0,) by when a job starts whose reservation was put off; -1 before the first one
    promise: Ints  # (3,) JOB is NOBODY where none stands
    unsaid: Ints  # (1,) head of the queue of which nothing can be said
    tally: Ints  # (4,)
    late: Ints  # (n, 3) promises that were not kept
    used: Ints  # (1,) rows of that
    free: Ints  # (nodes, resources) scratch


@inner_kernel
def look_at_head(c: HeadChecks, r: Replay) -> None:
    """Settle the promise where its job has started or is no longer first; make one to a new first job."""
    now, first = r.moments.now[0], head(r)
    job = c.promise[JOB]
    if job != NOBODY:
        if r.start[job] <= now:
            _settle(c, r)
            c.promise[JOB] = NOBODY
        elif first != job or _passed(r, job) > 0:
            c.tally[LAPSED] += 1
            c.promise[JOB] = NOBODY
    if first == NOBODY or c.promise[JOB] != NOBODY or first == c.unsaid[0]:
        return
    if _passed(r, first) >= c.test_limit:
        return  # the pass, which started those ahead of it, did not come to the job
    start = _earliest(c, r, first)
    if start == NEVER:
        c.tally[UNSAID] += 1
        c.unsaid[0] = first
        return
    c.tally[MADE_IN_ALL] += 1
    c.promise[JOB], c.promise[MADE], c.promise[START] = first, now, _put_off(c, r, first, start)


@inner_kernel
def _settle(c: HeadChecks, r: Replay) -> None:
    if r.start[c.promise[JOB]] - c.promise[START] <= c.slack:
        c.tally[KEPT] += 1
        return
    row = c.used[0]
    for column in range(3):
        c.late[row, column] = c.promise[column]
    c.used[0] = row + 1


@inner_kernel
def _passed(r: Replay, job: int) -> int:
    """How many jobs started at this moment that go before a waiting one."""
    ahead = 0
    for index in range(r.moments.ranges[1, 0], r.moments.ranges[1, 1]):
        if goes_before(r, r.moments.started[index], job):
            ahead += 1
    return ahead


@inner_kernel
def _put_off(c: HeadChecks, r: Replay, job: int, start: int) -> int:
    """How long the job may be made to wait: until its first reservation, and a part of that wait."""
    if c.relaxed < 0:
        return start
    if c.latest[job] < 0:
        waited = (start - r.submit[job]) / r.second
        c.latest[job] = start + int(c.relaxed * waited) * r.second
    return int(max(start, c.latest[job]))


@inner_kernel
def _earliest(c: HeadChecks, r: Replay, job: int) -> int:
    """When the first job of the queue fits, by what is believed now; NEVER where that cannot be said.

    Whoever went past it at this very moment does not count: that is what it is guaranteed against.
    With each end there is more room, so the first moment at which it fits can be searched for.
    """
    running, now = r.running, r.moments.now[0]
    if c.by_node and c.tasks.wanted[job] < 0:
        return NEVER
    update_expected_ends(r)
    if _fits_after(c, r, job, 0):
        return int(now)
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
    """Whether the job fits once so many running jobs, and all that seem to end with the last, ended."""
    running, now, free = r.running, r.moments.now[0], c.free
    for node in range(free.shape[0]):
        for k in range(free.shape[1]):
            free[node, k] = r.free[node, k]
    for index in range(r.moments.ranges[1, 0], r.moments.ranges[1, 1]):
        other = r.moments.started[index]
        if running.on[other] and goes_before(r, job, other):
            _add(r.holdings, other, free)
    index = 0
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
    found = 0
    for node in range(free.shape[0]):
        room = NEVER
        for k in range(free.shape[1]):
            if tasks.whole[job]:
                if free[node, k] != capacity[node, k] or free[node, k] < tasks.need[job, k]:
                    room = 0
            elif tasks.need[job, k] > 0:
                room = min(room, max(free[node, k], 0) // tasks.need[job, k])
        found += 1 if tasks.whole[job] and room > 0 else 0 if tasks.whole[job] else room
        if found >= tasks.wanted[job]:
            return True
    return bool(found >= tasks.wanted[job])
