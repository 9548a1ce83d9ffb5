"""Planned starts of conservative backfilling, computed at each moment of a replay on a pool; compiled."""

from __future__ import annotations

from typing import NamedTuple

from engine.audit.profile import FreeProfile, change, earlier, earliest, falls_short, forget, most_free
from engine.audit.replay import NEVER, NOBODY, Replay
from engine.audit.table import Ints
from engine.compiler.kernels import inner_kernel


class PlanChecks(NamedTuple):
    """The state of these checks from moment to moment; times are in ticks."""

    on: bool  # whether plans are checked
    by_start: bool  # whether jobs are replanned in the order of their planned starts, else of submission
    slips_at: int  # when the first job runs beyond its estimate: plans are not checked from then on
    need: Ints  # (n, resources) amounts that each job needs
    length: Ints  # (n,) estimated runtime of each job
    profile: FreeProfile  # what running jobs and planned ones leave free
    jobs: Ints  # (n,) waiting jobs, in the order in which they were last replanned
    many: Ints  # (1,) number of waiting jobs
    waits: Ints  # (n,) 1 for jobs that wait
    planned: Ints  # (n,) planned starts of waiting jobs
    held: Ints  # (n,) expected ends of running jobs; NOBODY for others
    promised: Ints  # (n,) planned start at submission; NOBODY where there was none
    freed: Ints  # (1,) until when anything may be free that was not when waiting jobs were replanned
    off_plan: Ints  # (1,) 1 if a job started at another time than planned, so that too much may be held


@inner_kernel
def look_at_plan(c: PlanChecks, r: Replay) -> None:
    """Plan the submitted jobs, then replan all at each end, then apply the starts of the schedule."""
    now, moments = r.moments.now[0], r.moments
    if now >= c.slips_at:
        return
    forget(c.profile, now)
    _plan_overdue(c, now)
    # Each arrival is promised the earliest time beside all plans made before it.
    for index in range(moments.ranges[0, 0], moments.ranges[0, 1]):
        job = moments.submitted[index]
        if r.start[job] >= now and _fits_empty(c, r, job):
            c.jobs[c.many[0]] = job
            c.many[0] += 1
            c.waits[job] = 1
            _plan(c, job, now)
            c.promised[job] = c.planned[job]
    # A job that ends early frees the rest of its plan: then every job may move forward, in order.
    for index in range(moments.ranges[2, 0], moments.ranges[2, 1]):
        job = moments.ended[index]
        if c.held[job] != NOBODY:
            change(c.profile, now, c.held[job], c.need, job, 1)
            c.freed[0] = max(c.freed[0], c.held[job])
            c.held[job] = NOBODY
            if c.freed[0] > now or c.off_plan[0] != 0:
                _sort(c)
                plan_anew(c, now)
    # Starts come last: they are judged against the plans as the events of this moment left them.
    for index in range(moments.ranges[1, 0], moments.ranges[1, 1]):
        _start(c, moments.started[index], now)


@inner_kernel
def plan_anew(c: PlanChecks, now: int) -> None:
    """Move each job that is planned after `now`, in turn, to its earliest start.

    Its planned start was the earliest when it was replanned last, so an earlier one can only begin before
    the end of what was freed since then. As long as the schedule keeps to the plan, no more is held than
    there is, and a search need not take what the job holds out of the profile.
    """
    # Off the plan more may be held than there is: then no earlier plan bounds the search for a new one.
    if c.off_plan[0] != 0:
        c.freed[0] = NEVER
        c.off_plan[0] = falls_short(c.profile)
    freed, short = c.freed[0], c.off_plan[0] != 0
    c.freed[0] = NEVER if short else now
    most = most_free(c.profile, freed)
    for index in range(c.many[0]):
        job = c.jobs[index]
        planned = c.planned[job]
        if planned <= now:
            continue
        if short:
            _unplan(c, job)
            _plan(c, job, now)
            continue
        # No second before the end of what was freed has room for it, so its plan is still the earliest.
        if c.need[job, 0] > most:
            continue
        before = min(planned, freed)
        start = earlier(c.profile, now, c.length[job], c.need, job, planned, before)
        # A job that moves frees its old room: jobs behind it may begin until the end of that.
        if start < planned:
            _unplan(c, job)
            change(c.profile, start, start + c.length[job], c.need, job, -1)
            c.planned[job] = start
            freed = max(freed, planned + c.length[job])
            c.freed[0] = max(c.freed[0], planned + c.length[job])
            most = most_free(c.profile, freed)


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
    # Insertion sort: plans change little from one moment to the next.
    for index in range(1, c.many[0]):
        job, place = c.jobs[index], index
        while place > 0 and _is_later(c, c.jobs[place - 1], job):
            c.jobs[place] = c.jobs[place - 1]
            place -= 1
        c.jobs[place] = job


@inner_kernel
def _is_later(c: PlanChecks, job: int, other: int) -> bool:
    same = c.planned[job] == c.planned[other]
    return bool(c.planned[job] > c.planned[other] or (same and job > other))


@inner_kernel
def _plan(c: PlanChecks, job: int, now: int) -> None:
    start = earliest(c.profile, now, c.length[job], c.need, job)
    c.planned[job] = start
    change(c.profile, start, start + c.length[job], c.need, job, -1)


@inner_kernel
def _unplan(c: PlanChecks, job: int) -> None:
    start = c.planned[job]
    change(c.profile, start, start + c.length[job], c.need, job, 1)


@inner_kernel
def _plan_overdue(c: PlanChecks, now: int) -> None:
    """Plan again the jobs that the schedule did not start at their planned time."""
    # Nothing is planned anew as long as all planned starts are still ahead.
    overdue = False
    for index in range(c.many[0]):
        overdue = overdue or c.planned[c.jobs[index]] < now
    if not overdue:
        return
    # They are planned again in the order in which the scheduler would: each takes its place before the next.
    _sort(c)
    for index in range(c.many[0]):
        job = c.jobs[index]
        if c.planned[job] < now:
            _unplan(c, job)
            _plan(c, job, now)
            # From now on a gap may be anywhere.
            c.freed[0] = NEVER


@inner_kernel
def _start(c: PlanChecks, job: int, now: int) -> None:
    c.held[job] = now + c.length[job]
    if c.waits[job] != 0:
        c.waits[job] = 0
        index = 0
        while c.jobs[index] != job:
            index += 1
        c.many[0] -= 1
        for later in range(index, c.many[0]):
            c.jobs[later] = c.jobs[later + 1]
        if c.planned[job] == now:
            return  # it holds what was planned for it
        _unplan(c, job)
        c.freed[0] = NEVER
    c.off_plan[0] = 1
    change(c.profile, now, c.held[job], c.need, job, -1)
