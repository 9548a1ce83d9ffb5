"""Criteria of a plan: means over the waiting jobs, and fairness among users (Klusáček et al. 2014, 3.2)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.policy.names import CRITERIA
from engine.simulation.workload import Ints

Floats = NDArray[np.float64]

WAIT, RESPONSE, SLOWDOWN, NUWT_MEAN, NUWT_STD, VIOLATED, TARDINESS = range(7)
AWQ, AWF, RESPONSE_L2, FAIR_SLOWDOWN = range(7, len(CRITERIA))
"""Criteria by their index in CRITERIA; for each of them smaller is better."""

_AREA, _AREA_WAIT, _AREA_RESPONSE, _SQUARES, _FAIR = range(5)
"""Entries of `Criteria.sums`, over the waiting jobs: area, area times wait, area times response time, squared
response time, response over fair response time. The area of a job is its processors times its runtime."""

LEAST_RUNTIME = 10
"""Lower bound of runtimes in bounded slowdowns, s."""


class Criteria(NamedTuple):
    """The values of a plan's criteria, and the sums from which they are computed.

    A user's normalized wait time NUWT_u is the total wait of the user's jobs over their total usage, the sum
    of P_j times runtime, at least 1 processor-second: ended jobs count with their runtimes, running ones with
    their estimates, waiting ones as they are planned.
    """

    weights: Floats  # (criteria,) weights w_k of CRITERIA
    user: Ints  # (n,) user code of each job
    penalty: Floats  # (n,) P_j, the processors with which a job's usage counts
    procs: Floats  # (n,) processors
    promised: Ints  # (n,) s, longest response time that meets the job's EET; (0,) where not needed
    waited: Ints  # (users,) s, total wait of jobs that have started
    used: Floats  # (users,) processor-seconds, usage of jobs that have started
    needed: Floats  # (users,) processor-seconds, planned usage of waiting jobs
    waits: Ints  # (users,) s, total wait of all jobs, the waiting ones as planned
    nuwt: Floats  # (users,) normalized wait time, s per processor-second
    people: Ints  # (users,) codes of the users with jobs that wait or have started, in `people[:many[0]]`
    many: Ints  # (1,) number of these users
    total: Ints  # (4,) sums over the waiting jobs: wait, response time (s), violated EETs, tardiness (s)
    slowdown: Floats  # (1,) sum of the bounded slowdowns of the waiting jobs
    sums: Floats  # (5,) further sums over the waiting jobs, entries _AREA to _FAIR
    value: Floats  # (criteria,) values of CRITERIA for the present plan
    tried: Floats  # (criteria,) the same for the plan that is tried


def make_criteria(
    weights: Floats, user: Ints, penalty: Floats, procs: Floats, promised: Ints, users: int
) -> Criteria:
    """The criteria before the first submission, when no user has waited or used anything."""
    return Criteria(
        weights=weights,
        user=user,
        penalty=penalty,
        procs=procs,
        promised=promised,
        waited=np.zeros(users, np.int64),
        used=np.zeros(users),
        needed=np.zeros(users),
        waits=np.zeros(users, np.int64),
        nuwt=np.zeros(users),
        people=np.zeros(users, np.int64),
        many=np.zeros(1, np.int64),
        total=np.zeros(4, np.int64),
        slowdown=np.zeros(1),
        sums=np.zeros(5),
        value=np.zeros(len(CRITERIA)),
        tried=np.zeros(len(CRITERIA)),
    )


@inner_kernel
def job_started(criteria: Criteria, job: int, wait: int, length: int) -> None:
    """Count the job, which starts after `wait` and is expected to run for `length`, s, as started."""
    user = criteria.user[job]
    criteria.waited[user] += wait
    criteria.used[user] += criteria.penalty[job] * length


@inner_kernel
def job_stopped(criteria: Criteria, job: int, length: int, ran: int) -> None:
    """Correct the usage of a job that was expected to run for `length` and ran for `ran`, s."""
    criteria.used[criteria.user[job]] += criteria.penalty[job] * (ran - length)


@inner_kernel
def begin_judging(criteria: Criteria) -> None:
    """Set all sums over the waiting jobs to 0."""
    # Jobs that have started keep what they waited and used; the sums of waiting jobs are built anew on top
    # of it.
    for user in range(len(criteria.waited)):
        criteria.waits[user] = criteria.waited[user]
        criteria.needed[user] = 0.0
    for k in range(len(criteria.total)):
        criteria.total[k] = 0
    criteria.slowdown[0] = 0.0
    for k in range(len(criteria.sums)):
        criteria.sums[k] = 0.0


@inner_kernel
def add_waiting(criteria: Criteria, job: int, wait: int, length: int) -> None:
    """Add a job, planned to wait for `wait` and run for `length`, s, to the sums over the waiting jobs."""
    user = criteria.user[job]
    criteria.waits[user] += wait
    criteria.needed[user] += criteria.penalty[job] * length
    criteria.total[0] += wait
    criteria.total[1] += wait + length
    criteria.slowdown[0] += _slowdown(wait, length)
    # Sums weighted by area count a job by the processor-seconds it takes, so that small ones decide less.
    area = criteria.procs[job] * length
    criteria.sums[_AREA] += area
    criteria.sums[_AREA_WAIT] += area * wait
    criteria.sums[_AREA_RESPONSE] += area * (wait + length)
    criteria.sums[_SQUARES] += float(wait + length) * (wait + length)
    # A job is late by what its response exceeds the longest one that meets its expected end.
    if len(criteria.promised) > 0:
        criteria.sums[_FAIR] += (wait + length) / max(criteria.promised[job], 1)
        late = wait + length - criteria.promised[job]
        if late > 0:
            criteria.total[2] += 1
            criteria.total[3] += late


@inner_kernel
def judge_first(criteria: Criteria, jobs: int) -> None:
    """Set `value` for the plan whose `jobs` waiting jobs were added."""
    # A user without any usage has no normalized wait: the mean and the spread are over the others alone.
    # Which these are does not change while moves are tried, since moves change waits, not usage.
    count = 0
    for user in range(len(criteria.waited)):
        if criteria.used[user] + criteria.needed[user] > 0.0:
            criteria.people[count] = user
            criteria.nuwt[user] = _nuwt(criteria, user)
            count += 1
    criteria.many[0] = count
    _judge(criteria, criteria.value, jobs)


@inner_kernel
def try_wait(criteria: Criteria, job: int, length: int, old: int, new: int) -> None:
    """Update all sums for a job of `length` that is now planned to wait for `new` instead of `old`, s."""
    # Each sum changes by the difference of the new and the old term; areas and lengths stay.
    user = criteria.user[job]
    criteria.waits[user] += new - old
    criteria.nuwt[user] = _nuwt(criteria, user)
    criteria.total[0] += new - old
    criteria.total[1] += new - old
    criteria.slowdown[0] += _slowdown(new, length) - _slowdown(old, length)
    later = criteria.procs[job] * length * (new - old)
    criteria.sums[_AREA_WAIT] += later
    criteria.sums[_AREA_RESPONSE] += later
    # (new + length)^2 - (old + length)^2
    criteria.sums[_SQUARES] += float(new - old) * (new + old + 2 * length)
    if len(criteria.promised) > 0:
        criteria.sums[_FAIR] += (new - old) / max(criteria.promised[job], 1)
        room = criteria.promised[job] - length
        criteria.total[2] += int(new > room) - int(old > room)
        criteria.total[3] += max(new - room, 0) - max(old - room, 0)


@inner_kernel
def gain(criteria: Criteria, jobs: int) -> float:
    """The weighted gain D = sum of w_k (old_k - new_k) / old_k over the criteria, of the plan that is tried.

    A criterion that rises from 0 counts as a loss of its full weight. `jobs` is the number of waiting jobs.
    """
    _judge(criteria, criteria.tried, jobs)
    # Criteria have different units, so each change counts relative to the old value.
    gained = 0.0
    for k in range(len(criteria.weights)):
        old, new = criteria.value[k], criteria.tried[k]
        if old > 0.0:
            gained += criteria.weights[k] * (old - new) / old
        elif new > 0.0:
            gained -= criteria.weights[k]
    return gained


@inner_kernel
def gain_rate_of_job(criteria: Criteria, job: int, wait: int, length: int, jobs: int) -> float:
    """The gain in D for each second that the job starts earlier, without that of users' normalized waits.

    The job is planned to wait for `wait` and runs for `length`, s, as one of `jobs`; `value` must be that of
    the plan. Violated EETs and tardiness are left out: they have no slope for jobs that are not late.
    """
    # The slopes below are the derivatives of the criteria by the job's wait: a mean over jobs has 1 / jobs,
    # a mean weighted by area the job's part of all area, a root of squares response / root.
    area = criteria.procs[job] * length / max(criteria.sums[_AREA], 1.0)
    worth = _weighed(criteria, WAIT, 1.0 / jobs)
    worth += _weighed(criteria, RESPONSE, 1.0 / jobs)
    worth += _weighed(criteria, SLOWDOWN, 1.0 / jobs / max(length, LEAST_RUNTIME))
    worth += _weighed(criteria, AWQ, area)
    worth += _weighed(criteria, AWF, area)
    worth += _weighed(criteria, RESPONSE_L2, (wait + length) / max(criteria.value[RESPONSE_L2], 1.0))
    if len(criteria.promised) > 0:
        worth += _weighed(criteria, FAIR_SLOWDOWN, 1.0 / jobs / max(criteria.promised[job], 1))
    return worth


@inner_kernel
def gain_rate_of_user(criteria: Criteria, user: int) -> float:
    """The gain in D for each second that a user waits less, times the user's usage in processor-seconds."""
    mean, deviation = criteria.value[NUWT_MEAN], criteria.value[NUWT_STD]
    worth = _weighed(criteria, NUWT_MEAN, 1.0 / criteria.many[0])
    # The derivative of a standard deviation: a user far above the mean widens the spread by waiting longer,
    # one below narrows it.
    if deviation > 0.0:
        apart = (criteria.nuwt[user] - mean) / deviation
        worth += _weighed(criteria, NUWT_STD, apart / criteria.many[0])
    return worth


@inner_kernel
def _weighed(criteria: Criteria, k: int, slope: float) -> float:
    """The gain in D where criterion `k` falls by `slope`."""
    value = criteria.value[k]
    return float(criteria.weights[k] * slope / value if value > 0.0 else 0.0)


@inner_kernel
def accept_tried(criteria: Criteria) -> None:
    """Make the values of the tried plan those of the present one."""
    for k in range(len(criteria.value)):
        criteria.value[k] = criteria.tried[k]


@inner_kernel
def _judge(criteria: Criteria, value: Floats, jobs: int) -> None:
    """Compute all criteria, into `value`, from the sums over the `jobs` waiting jobs."""
    value[WAIT] = criteria.total[0] / jobs
    value[RESPONSE] = criteria.total[1] / jobs
    value[SLOWDOWN] = criteria.slowdown[0] / jobs
    value[VIOLATED] = criteria.total[2] / jobs
    value[TARDINESS] = criteria.total[3] / jobs
    # At least 1, so that jobs without a length do not divide by 0.
    area = max(criteria.sums[_AREA], 1.0)
    value[AWQ] = criteria.sums[_AREA_WAIT] / area
    value[AWF] = criteria.sums[_AREA_RESPONSE] / area
    value[RESPONSE_L2] = math.sqrt(max(criteria.sums[_SQUARES], 0.0))
    value[FAIR_SLOWDOWN] = criteria.sums[_FAIR] / jobs
    value[NUWT_MEAN] = value[NUWT_STD] = 0.0
    # The spread over users costs a loop over them: skipped where no weight asks for it.
    if criteria.weights[NUWT_MEAN] == 0.0 and criteria.weights[NUWT_STD] == 0.0:
        return
    users = criteria.many[0]
    mean = 0.0
    for index in range(users):
        mean += criteria.nuwt[criteria.people[index]]
    mean /= users
    variance = 0.0
    for index in range(users):
        variance += (criteria.nuwt[criteria.people[index]] - mean) ** 2
    value[NUWT_MEAN] = mean
    value[NUWT_STD] = math.sqrt(variance / users)


@inner_kernel
def _nuwt(criteria: Criteria, user: int) -> float:
    return float(criteria.waits[user] / max(criteria.used[user] + criteria.needed[user], 1.0))


@inner_kernel
def _slowdown(wait: int, length: int) -> float:
    return max(1.0, (wait + length) / max(length, LEAST_RUNTIME))
