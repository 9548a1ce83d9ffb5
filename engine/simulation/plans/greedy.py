"""Greedy planning: reserve first for the job with the largest gain per second of wait and per area.

This is the rule of Smith 1956, which is optimal for one machine and known jobs with a cost per second of
wait. The gain per second is the slope of D (Klusáček et al. 2014, section 3.2) at the present plan: the sum
over the criteria of w_k / old_k times the change of the criterion per second. Users' normalized waits are
weighed by their likely usage, because users request several times what they use, and by different factors.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.fairness.usage import significant
from engine.simulation.conservative import sort_waiting
from engine.simulation.machine_state import NEVER
from engine.simulation.plans.criteria import accept_tried, gain, gain_rate_of_job, gain_rate_of_user, try_wait
from engine.simulation.plans.gain_rates import likely_runtime
from engine.simulation.plans.search import most_moved
from engine.simulation.profile.earliest import earliest
from engine.simulation.profile.lines import make_room
from engine.simulation.queue import came_before
from engine.simulation.reservations import book, unbook
from engine.simulation.scheduler import Scheduler


@inner_kernel
def plan_greedily(s: Scheduler, now: int) -> float:
    """Plan all listed jobs from scratch, from `now` on, and return D against the plan before.

    `s.search.criteria` must hold the judgement of the plan before. Each job in turn is reserved at its
    earliest time. Jobs past their latest start (`reservations.latest`) come before all others. Once
    `search.depth` jobs are planned for later, only jobs that can start now are planned; what is left follows.
    """
    search, reservations, rates = s.search, s.reservations, s.search.rates
    criteria, jobs = search.criteria, search.many[0]
    _weigh(s, now)
    # The whole plan is given up, and built again job by job; the old starts stay as what is to be beaten.
    for turn in range(jobs):
        job = search.waiting[turn]
        search.best[job] = reservations.start[job]
        unbook(reservations, s.profile, s.work, job)
        reservations.start[job] = NEVER
    later = 0
    for turn in range(jobs):
        job = _take_first(s, turn)
        # Beyond the depth, reserve only for jobs that start now: that is backfilling.
        _place(s, now, job, NEVER if later < search.depth else now + 1)
        if reservations.start[job] != now:
            later += 1
        user = criteria.user[job]
        rates.use[user] += criteria.penalty[job] * likely_runtime(rates, user, reservations.length[job])
    # Jobs beyond the depth get what is left, in order.
    for turn in range(jobs):
        if reservations.start[search.waiting[turn]] == NEVER:
            _place(s, now, search.waiting[turn], NEVER)
    sort_waiting(s, reservations.start)
    gains = gain(criteria, jobs)
    accept_tried(criteria)
    return gains


@inner_kernel
def _weigh(s: Scheduler, now: int) -> None:
    """Compute the gain per second of each job and user in the present plan, and the users' usage so far."""
    search, reservations, rates = s.search, s.reservations, s.search.rates
    criteria, jobs = search.criteria, search.many[0]
    for index in range(criteria.many[0]):
        user = criteria.people[index]
        rates.of_user[user] = gain_rate_of_user(criteria, user)
        rates.use[user] = criteria.used[user]
    # `used` counts running jobs in their full length; the order goes by what they are likely to use.
    for index in range(s.run.running[0]):
        job = s.run.leaving[index]
        if job < len(s.start):  # higher numbers are outages
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
    """Reserve for the job at its earliest time before `before`, if there is one."""
    search, reservations = s.search, s.reservations
    # Jobs are booked one after the other, so the tables need room for each of them.
    make_room(s.profile, most_moved(search))
    length, submit = reservations.length[job], s.work.submit[job]
    time = earliest(s.profile, s.work, s.machine, job, length, now, before)
    if time < NEVER:
        book(reservations, s.profile, s.work, s.machine, job, time, length)
        try_wait(search.criteria, job, length, search.best[job] - submit, time - submit)


@inner_kernel
def _take_first(s: Scheduler, turn: int) -> int:
    """The job to plan next, of those from `turn` on; it is swapped to the place `turn`."""
    waiting, rates, criteria = s.search.waiting, s.search.rates, s.search.criteria
    first, most, due = turn, 0.0, NEVER
    for at in range(turn, s.search.many[0]):
        job = waiting[at]
        user = criteria.user[job]
        # After jobs whose latest start is over (`due`) goes the one with the largest gain for its area, of
        # equals the one that came first.
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
