"""Plans made anew as a whole: first the job that gains most by a second for what it holds.

This is the rule of Smith 1956, best where one machine works off known jobs that cost something each second.
What a second is worth is the slope of D (Klusáček et al. 2014, section 3.2) at the plan as it stands: the
sum over the criteria of w_k / old_k times how much a second changes. Users' normalized waits count by what
users are likely to use: they ask for several times as much, and not all alike.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.fairness.usage import significant
from engine.simulation.conservative import sort_waiting
from engine.simulation.criteria import gain, take_tried, try_wait, worth_of_job, worth_of_user
from engine.simulation.earliest import earliest
from engine.simulation.machine_state import NEVER
from engine.simulation.profile import make_room
from engine.simulation.queue import came_before
from engine.simulation.scheduler import Scheduler
from engine.simulation.search import most_moved
from engine.simulation.slots import book, unbook
from engine.simulation.worth import likely_runtime


@inner_kernel
def plan_greedily(s: Scheduler, now: int) -> float:
    """Plan all listed jobs anew, from now on, and return D; `s.search.criteria` has judged the plan before.

    Each goes to the earliest time that those before it leave. Who should have started by now, as
    `slots.latest` says, goes before all others. Once `search.depth` jobs, these among them, are planned for
    later, others that can start at once are planned before who is left.
    """
    search, slots, worth = s.search, s.slots, s.search.worth
    criteria, jobs = search.criteria, search.many[0]
    _weigh(s, now)
    for turn in range(jobs):
        job = search.waiting[turn]
        search.best[job] = slots.start[job]
        unbook(slots, s.profile, s.work, job)
        slots.start[job] = NEVER
    later = 0
    for turn in range(jobs):
        job = _take_first(s, turn)
        _place(s, now, job, NEVER if later < search.depth else now + 1)
        if slots.start[job] != now:
            later += 1
        user = criteria.user[job]
        worth.use[user] += criteria.penalty[job] * likely_runtime(worth, user, slots.length[job])
    for turn in range(jobs):
        if slots.start[search.waiting[turn]] == NEVER:
            _place(s, now, search.waiting[turn], NEVER)
    sort_waiting(s, slots.start)
    gains = gain(criteria, jobs)
    take_tried(criteria)
    return gains


@inner_kernel
def _weigh(s: Scheduler, now: int) -> None:
    """Work out what seconds are worth in the plan as it stands, and what users used so far."""
    search, slots, worth = s.search, s.slots, s.search.worth
    criteria, jobs = search.criteria, search.many[0]
    for one in range(criteria.many[0]):
        user = criteria.people[one]
        worth.of_user[user] = worth_of_user(criteria, user)
        worth.use[user] = criteria.used[user]
    for index in range(s.run.running[0]):
        job = s.run.leaving[index]
        if job < len(s.start):  # else it is an outage
            user, length = criteria.user[job], slots.length[job]
            likely = max(likely_runtime(worth, user, length), float(now - s.start[job]))
            worth.use[user] += criteria.penalty[job] * (likely - length)
    for turn in range(jobs):
        job = search.waiting[turn]
        length = slots.length[job]
        wait = slots.start[job] - s.work.submit[job]
        worth.of_job[job] = worth_of_job(criteria, job, wait, length, jobs)
        worth.area[job] = criteria.penalty[job] * length
        worth.due[job] = slots.latest[job] if slots.latest[job] <= now else NEVER


@inner_kernel
def _place(s: Scheduler, now: int, job: int, before: int) -> None:
    """Plan the job for its earliest time below `before`, where there is one."""
    search, slots = s.search, s.slots
    make_room(s.profile, most_moved(search))
    length, submit = slots.length[job], s.work.submit[job]
    time = earliest(s.profile, s.work, s.machine, job, length, now, before)
    if time < NEVER:
        book(slots, s.profile, s.work, s.machine, job, time, length)
        try_wait(search.criteria, job, length, search.best[job] - submit, time - submit)


@inner_kernel
def _take_first(s: Scheduler, turn: int) -> int:
    """The job that is planned next, of those from `turn` on, which it is put in front of."""
    waiting, worth, criteria = s.search.waiting, s.search.worth, s.search.criteria
    first, most, due = turn, 0.0, NEVER
    for at in range(turn, s.search.many[0]):
        job = waiting[at]
        user = criteria.user[job]
        whole = worth.of_job[job] + worth.of_user[user] / max(worth.use[user], 1.0)
        density = significant(whole / worth.area[job])
        goes = at == turn or worth.due[job] < due
        if not goes and worth.due[job] == due:
            tied = density == most and came_before(s.queue, job, waiting[first])
            goes = density > most or tied
        if goes:
            first, most, due = at, density, worth.due[job]
    chosen = waiting[first]
    waiting[first] = waiting[turn]
    waiting[turn] = chosen
    return int(chosen)
