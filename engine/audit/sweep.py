"""A repeated pass of a policy, which finds the jobs that the real pass should not have started; compiled.

Goponenko et al. 2022, Algorithms 1 and 2, in one form: the queue is swept in order, jobs that fit start, and
each of the first `depth` that do not fit is reserved at the earliest time at which it fits for its whole
estimate beside running jobs and earlier reservations. A job that starts behind a reservation fits beside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.audit.profile import FreeProfile, change, earliest
from engine.audit.table import Ints
from engine.compiler.kernels import inner_kernel

STOP = -1
"""The depth of policies whose pass ends at the first job that does not start."""

WITHOUT_END = 1 << 62
"""No limit: of the depth, or of the jobs that a pass tries."""

RIGHT, UNTRIED, PASSED, IN_THE_WAY, PAST_USER = range(5)
"""Verdicts on a start: allowed; of a job behind those that the pass may try; behind a job that ends the pass;
in the way of a reservation; of a user with as many jobs tried as the pass may try."""


class PassRules(NamedTuple):
    """The rules that a pass follows; times are in ticks, `second` of them a second."""

    depth: int  # number of reservations, or STOP
    most: int  # jobs that the pass tries
    most_of_user: int  # jobs of one user that it tries
    horizon: int  # ticks: how far ahead reservations may begin
    resolution: int  # ticks: planned ends are rounded up to multiples of this
    own_order: bool  # whether backfilling has an order of its own
    relaxed: float  # share of its wait by which a reservation may be delayed; negative: not at all
    slack: int  # ticks by which a job may overlap a reservation
    plans: bool  # whether reservations can be computed, which they cannot on nodes
    second: int  # ticks in a second


class PassQueue(NamedTuple):
    """The queue as the pass found it: `jobs[:many[0]]`, with values at the same positions in other arrays."""

    many: Ints  # (1,) number of jobs
    jobs: Ints  # (n,) jobs in queue order
    started: NDArray[np.bool_]  # (n,) whether the pass started the job
    held: NDArray[np.bool_]  # (n,) whether a limit of the policy held it back
    user: Ints  # (n,) number of its user
    behind: Ints  # (n,) positions in backfill order
    verdict: Ints  # (n, 2) RIGHT to PAST_USER; for IN_THE_WAY also the time at which the job fits, ticks
    done: NDArray[np.bool_]  # (n,) scratch: whether the first part of the sweep tried the job
    tried: Ints  # (users,) scratch: jobs of each user that were tried; 0 between sweeps


def make_pass_queue(jobs: int, users: int) -> PassQueue:
    """An empty queue with room for so many jobs and users."""
    return PassQueue(
        many=np.zeros(1, np.int64),
        jobs=np.zeros(jobs, np.int64),
        started=np.zeros(jobs, np.bool_),
        held=np.zeros(jobs, np.bool_),
        user=np.zeros(jobs, np.int64),
        behind=np.zeros(jobs, np.int64),
        verdict=np.zeros((jobs, 2), np.int64),
        done=np.zeros(jobs, np.bool_),
        tried=np.zeros(users, np.int64),
    )


class JobRequests(NamedTuple):
    """The requests of all n jobs."""

    need: Ints  # (n, resources) amounts
    length: Ints  # (n,) estimated runtime, ticks
    submit: Ints  # (n,) time of submission, ticks
    latest: Ints  # (n,) latest start of a relaxed reservation, ticks; -1 before the first reservation


@inner_kernel
def sweep(rules: PassRules, profile: FreeProfile, now: int, line: PassQueue, requests: JobRequests) -> int:
    """Set the verdict on each start of a pass; returns the position of the first blocked job, or -1.

    `profile` must hold what the jobs that ran before leave free; the sweep changes it.
    """
    count = line.many[0]
    # A start is right until the sweep finds a rule that it breaks.
    for position in range(count):
        line.done[position] = False
        line.verdict[position, 0] = RIGHT
        line.verdict[position, 1] = 0
    blocked = _sweep(rules, profile, now, line, requests)
    # The counts by user are set back for the users of this queue alone, not for all of the log.
    if rules.most_of_user < WITHOUT_END:
        for position in range(count):
            line.tried[line.user[position]] = 0
    return blocked


@inner_kernel
def _sweep(rules: PassRules, profile: FreeProfile, now: int, line: PassQueue, requests: JobRequests) -> int:
    """The two parts of a sweep: jobs that may be reserved for, in queue order, then jobs to backfill."""
    looked, reserved, blocked = 0, 0, -1
    count = line.many[0]
    for position in range(count):
        # The first part goes in the order of the queue, up to the last reservation or test.
        if looked == rules.most or (blocked >= 0 and rules.depth == STOP):
            break
        if blocked >= 0 and reserved >= rules.depth:
            break
        line.done[position] = True
        if _past_user(rules, position, line):
            continue
        looked += 1
        # Each start is judged by what was free when the sweep came to it.
        if line.started[position]:
            _judge(rules, profile, now, position, line, requests, reserved > 0)
        elif not line.held[position]:
            blocked = position if blocked < 0 else blocked
            # On nodes reservations are only counted: where they lie is not known.
            if rules.depth > 0 and (
                not rules.plans or _reserve(rules, profile, now, line.jobs[position], requests)
            ):
                reserved += 1
    # All reservations are made: the other jobs can only be backfilled, in the backfill order.
    for turn in range(count):
        position = line.behind[turn] if rules.own_order else turn
        if line.done[position]:
            continue
        if blocked >= 0 and rules.depth == STOP:
            line.verdict[position, 0] = PASSED if line.started[position] else RIGHT
            continue
        if _past_user(rules, position, line):
            continue
        looked += 1
        if looked > rules.most:
            line.verdict[position, 0] = UNTRIED if line.started[position] else RIGHT
        elif line.started[position]:
            _judge(rules, profile, now, position, line, requests, reserved > 0)
    return blocked


@inner_kernel
def _past_user(rules: PassRules, position: int, line: PassQueue) -> bool:
    """Whether the pass has tried as many jobs of this user as it may; if so, a start of the job is wrong."""
    if rules.most_of_user == WITHOUT_END:
        return False
    # A job that is skipped for this is not tried: the pass goes on behind it without a reservation for it.
    user = line.user[position]
    line.tried[user] += 1
    if line.tried[user] <= rules.most_of_user:
        return False
    if line.started[position]:
        line.verdict[position, 0] = PAST_USER
    return True


@inner_kernel
def planned_end(rules: PassRules, time: int) -> int:
    """The time, in ticks, rounded up to a multiple of the resolution."""
    return time + -time % rules.resolution


@inner_kernel
def _judge(
    rules: PassRules,
    profile: FreeProfile,
    now: int,
    position: int,
    line: PassQueue,
    requests: JobRequests,
    behind: bool,
) -> None:
    """Check that a started job fits beside the reservations made before its turn, and take its resources."""
    if not rules.plans:
        return
    job = line.jobs[position]
    length = requests.length[job]
    if behind:
        begin = now + rules.slack
        fits = earliest(profile, begin, max(length - 2 * rules.slack, 1), requests.need, job)
        if fits != begin:
            line.verdict[position, 0] = IN_THE_WAY
            line.verdict[position, 1] = fits
            return  # it takes nothing, so that later jobs are not blamed for its overlap
    change(profile, now, planned_end(rules, now + length), requests.need, job, -1)


@inner_kernel
def _reserve(rules: PassRules, profile: FreeProfile, now: int, job: int, requests: JobRequests) -> bool:
    """Reserve for a blocked job at its earliest time or, if relaxed, at its latest allowed one.

    Returns whether that time is within the horizon; else nothing is reserved.
    """
    need, length = requests.need, requests.length[job]
    start = earliest(profile, now, length, need, job)
    if start - now > rules.horizon:
        return False
    if rules.relaxed >= 0:
        # The latest start is fixed at the first reservation of the job: later passes may not move it.
        if requests.latest[job] < 0:
            waited = (start - requests.submit[job]) / rules.second
            requests.latest[job] = planned_end(rules, start + int(rules.relaxed * waited) * rules.second)
        latest = requests.latest[job]
        # A later reservation leaves room for others in front of it, but only where the job fits then.
        if latest > start and earliest(profile, latest, length, need, job) == latest:
            start = latest
    change(profile, start, planned_end(rules, start + length), need, job, -1)
    return True
