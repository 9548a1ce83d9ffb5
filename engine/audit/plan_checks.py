"""Planned starts of conservative backfilling, computed at each moment of a replay on a pool; compiled."""

from __future__ import annotations

from typing import NamedTuple

from engine.audit.profile import FreeProfile, change, earliest, forget, plan_anew
from engine.audit.replay import NOBODY, Replay
from engine.audit.table import Ints
from engine.compiler.kernels import inner_kernel


class PlanChecks(NamedTuple):
    """The state of these checks from moment to moment; times are in ticks."""

    on: bool  # whether plans are checked
    by_start: bool  # whether jobs are replanned in the order of their planned starts, else of submission
    slips_at: int  # when the first job runs beyond its estimate: plans are not checked from then on
    need: Ints  # (n, resources) amounts that each job needs
    profile: FreeProfile  # what running jobs and planned ones leave free
    jobs: Ints  # (n,) waiting jobs, in the order in which they were last replanned
    many: Ints  # (1,) number of waiting jobs
    waits: Ints  # (n,) 1 for jobs that wait
    planned: Ints  # (n,) planned starts of waiting jobs
    held: Ints  # (n,) expected ends of running jobs; NOBODY for others
    promised: Ints  # (n,) planned start at submission; NOBODY where there was none


@inner_kernel
def look_at_plan(c: PlanChecks, r: Replay) -> None:
    """Plan the submitted jobs, then replan all at each end, then apply the starts of the schedule."""
    now, moments = r.moments.now[0], r.moments
    if now >= c.slips_at:
        return
    forget(c.profile, now)
    _plan_overdue(c, r, now)
    for index in range(moments.ranges[0, 0], moments.ranges[0, 1]):
        job = moments.submitted[index]
        if r.start[job] >= now and _fits_empty(c, r, job):
            c.jobs[c.many[0]] = job
            c.many[0] += 1
            c.waits[job] = 1
            _plan(c, r, job, now)
            c.promised[job] = c.planned[job]
    for index in range(moments.ranges[2, 0], moments.ranges[2, 1]):
        job = moments.ended[index]
        if c.held[job] != NOBODY:
            change(c.profile, now, c.held[job], c.need, job, 1)
            c.held[job] = NOBODY
            _sort(c)
            plan_anew(c.profile, c.jobs, c.many[0], c.planned, r.estimate, c.need, now)
    for index in range(moments.ranges[1, 0], moments.ranges[1, 1]):
        _start(c, r, moments.started[index], now)


@inner_kernel
def _fits_empty(c: PlanChecks, r: Replay, job: int) -> bool:
    for k in range(c.need.shape[1]):  # noqa: SIM110 - a generator does not compile
        if c.need[job, k] > r.capacity[0, k]:
            return False
    return True


@inner_kernel
def _sort(c: PlanChecks) -> None:
    """Sort the waiting jobs by planned start, if they are replanned in that order."""
    if not c.by_start:
        return
    for index in range(1, c.many[0]):
        job, place = c.jobs[index], index
        while place > 0 and _is_later(c, c.jobs[place - 1], job):
            c.jobs[place] = c.jobs[place - 1]
            place -= 1
        c.jobs[place] = job


@inner_kernel
def _is_later(c: PlanChecks, one: int, other: int) -> bool:
    same = c.planned[one] == c.planned[other]
    return bool(c.planned[one] > c.planned[other] or (same and one > other))


@inner_kernel
def _plan(c: PlanChecks, r: Replay, job: int, now: int) -> None:
    start = earliest(c.profile, now, r.estimate[job], c.need, job)
    c.planned[job] = start
    change(c.profile, start, start + r.estimate[job], c.need, job, -1)


@inner_kernel
def _unplan(c: PlanChecks, r: Replay, job: int) -> None:
    start = c.planned[job]
    change(c.profile, start, start + r.estimate[job], c.need, job, 1)


@inner_kernel
def _plan_overdue(c: PlanChecks, r: Replay, now: int) -> None:
    """Plan again the jobs that the schedule did not start at their planned time."""
    _sort(c)
    for index in range(c.many[0]):
        job = c.jobs[index]
        if c.planned[job] < now:
            _unplan(c, r, job)
            _plan(c, r, job, now)


@inner_kernel
def _start(c: PlanChecks, r: Replay, job: int, now: int) -> None:
    if c.waits[job] != 0:
        c.waits[job] = 0
        index = 0
        while c.jobs[index] != job:
            index += 1
        c.many[0] -= 1
        for later in range(index, c.many[0]):
            c.jobs[later] = c.jobs[later + 1]
        _unplan(c, r, job)
    c.held[job] = now + r.estimate[job]
    change(c.profile, now, c.held[job], c.need, job, -1)
