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
from engine.simulation.criteria import accept_tried, gain, gain_rate_of_job, gain_rate_of_user, try_wait
from engine.simulation.earliest import earliest
from engine.simulation.gain_rates import likely_runtime
from engine.simulation.machine_state import NEVER
from engine.simulation.profile import make_room
from engine.simulation.queue import came_before
from engine.simulation.reservations import book, unbook
from engine.simulation.scheduler import Scheduler
from engine.simulation.search import most_moved


@inner_kernel
def plan_greedily(s: Scheduler, now: int) -> float:
    """Plan all listed jobs anew, from now on, and return D; `s.search.criteria` has judged the plan before.

    Each goes to the earliest time that those before it leave. Jobs that should have started by now, as
    `reservations.latest` says, go before all others. Once `search.depth` jobs, these among them, are
    planned for later, others that can start at once are planned before those that are left.
    """
    search, reservations, rates = s.search, s.reservations, s.search.rates
    criteria, jobs = search.criteria, search.many[0]
    _weigh(s, now)
    for turn in range(jobs):
        job = search.waiting[turn]
        search.best[job] = reservations.start[job]
        unbook(reservations, s.profile, s.work, job)
        reservations.start[job] = NEVER
    later = 0
    for turn in range(jobs):
        job = _take_first(s, turn)
        _place(s, now, job, NEVER if later < search.depth else now + 1)
        if reservations.start[job] != now:
            later += 1
        user = criteria.user[job]
        rates.use[user] += criteria.penalty[job] * likely_runtime(rates, user, reservations.length[job])
    for turn in range(jobs):
        if reservations.start[search.waiting[turn]] == NEVER:
            _place(s, now, search.waiting[turn], NEVER)
    sort_waiting(s, reservations.start)
    gains = gain(criteria, jobs)
    accept_tried(criteria)
    return gains


@inner_kernel
def _weigh(s: Scheduler, now: int) -> None:
    """Work out what seconds are worth in the plan as it stands, and what users used so far."""
    search, reservations, rates = s.search, s.reservations, s.search.rates
    criteria, jobs = search.criteria, search.many[0]
    for one in range(criteria.many[0]):
        user = criteria.people[one]
        rates.of_user[user] = gain_rate_of_user(criteria, user)
        rates.use[user] = criteria.used[user]
    for index in range(s.run.running[0]):
        job = s.run.leaving[index]
        if job < len(s.start):  # else it is an outage
            user, length = criteria.user[job], reservations.length[job]
            likely = max(likely_runtime(rates, user, length), float(now - s.start[job]))
            rates.use[user] += criteria.penalty[job] * (likely - length)
    for turn in range(jobs):
        job = search.waiting[turn]
        length = reservations.length[job]
        wait = reservations.start[job] - s.work.submit[job]
        rates.of_job[job] = gain_rate_of_job(criteria, job, wait, length, jobs)
        rates.area[job] = criteria.penalty[job] * length
        rates.due[job] = reservations.latest[job] if reservations.latest[job] <= now else NEVER


@inner_kernel
def _place(s: Scheduler, now: int, job: int, before: int) -> None:
    """Plan the job for its earliest time below `before`, where there is one."""
    search, reservations = s.search, s.reservations
    make_room(s.profile, most_moved(search))
    length, submit = reservations.length[job], s.work.submit[job]
    time = earliest(s.profile, s.work, s.machine, job, length, now, before)
    if time < NEVER:
        book(reservations, s.profile, s.work, s.machine, job, time, length)
        try_wait(search.criteria, job, length, search.best[job] - submit, time - submit)


@inner_kernel
def _take_first(s: Scheduler, turn: int) -> int:
    """The job that is planned next, of those from `turn` on, which it is put in front of."""
    waiting, rates, criteria = s.search.waiting, s.search.rates, s.search.criteria
    first, most, due = turn, 0.0, NEVER
    for at in range(turn, s.search.many[0]):
        job = waiting[at]
        user = criteria.user[job]
        whole = rates.of_job[job] + rates.of_user[user] / max(rates.use[user], 1.0)
        density = significant(whole / rates.area[job])
        goes = at == turn or rates.due[job] < due
        if not goes and rates.due[job] == due:
            tied = density == most and came_before(s.queue, job, waiting[first])
            goes = density > most or tied
        if goes:
            first, most, due = at, density, rates.due[job]
    chosen = waiting[first]
    waiting[first] = waiting[turn]
    waiting[turn] = chosen
    return int(chosen)
