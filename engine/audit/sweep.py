"""One pass of a policy, swept again: which of the jobs that it started it should not have; compiled.

Goponenko et al. 2022, Algorithms 1 and 2, in one form: the queue is swept in order, jobs that fit start,
and the first `depth` that do not are given a reservation each, at the earliest time for their whole
estimate beside all that runs and was reserved before. Whoever starts behind one fits beside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.audit.profile import FreeProfile, change, earliest
from engine.audit.table import Ints
from engine.compiler.kernels import inner_kernel

STOP = -1
"""The depth at which the first job that does not start ends the pass."""

WITHOUT_END = 1 << 62
"""No limit: of depth, of jobs that are looked at."""

RIGHT, UNTRIED, PASSED, IN_THE_WAY, PAST_USER = range(5)
"""What a start was: as promised; of a job that the pass was not to look at; past one that ends the pass;
in the way of a reservation; of a user of whom the pass had looked at as many as it may."""


class PassRules(NamedTuple):
    """What a pass promises. Times in ticks, of which a second has `second`."""

    depth: int  # jobs with a reservation, or STOP
    most: int  # jobs that are looked at
    most_of_user: int  # of those, jobs of one user
    horizon: int  # how far ahead reservations begin
    resolution: int  # planned ends are multiples of this
    own_order: bool  # whether jobs behind the reservations come in an order of their own
    relaxed: float  # part of its wait by which a reservation may be put off; below 0: by nothing
    slack: int  # by how much a job may run into a reservation
    plans: bool  # whether reservations are known: on nodes they are not
    second: int


class PassQueue(NamedTuple):
    """The queue as the pass came to it: `many[0]` jobs, those that it started, and those that were held.

    `verdict` becomes one of RIGHT to PAST_USER for each job, and for IN_THE_WAY when it fits beside the
    reservations, in ticks.
    """

    many: Ints  # (1,)
    jobs: Ints  # (n,)
    started: NDArray[np.bool_]  # (n,)
    held: NDArray[np.bool_]  # (n,) by a limit of the policy
    user: Ints  # (n,) numbers from 0 on
    behind: Ints  # (n,) positions in the order of backfilling
    verdict: Ints  # (n, 2)
    done: NDArray[np.bool_]  # (n,) scratch: those that the first part of the sweep looked at
    tried: Ints  # (users,) scratch: jobs of each that were looked at, 0 between sweeps


def make_pass_queue(jobs: int, users: int) -> PassQueue:
    """An empty one with room for so many."""
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
    """What all n jobs ask for."""

    need: Ints  # (n, resources)
    length: Ints  # (n,) estimates, ticks
    submit: Ints  # (n,) ticks
    latest: Ints  # (n,) ticks: how far a reservation may be put off; -1 before the first one


@inner_kernel
def sweep(rules: PassRules, profile: FreeProfile, now: int, line: PassQueue, requests: JobRequests) -> int:
    """Judge the starts of a pass; returns the position of the first job that was blocked, -1 without one.

    `profile` says what is free beside the jobs that ran before.
    """
    count = line.many[0]
    for position in range(count):
        line.done[position] = False
        line.verdict[position, 0] = RIGHT
        line.verdict[position, 1] = 0
    blocked = _sweep(rules, profile, now, line, requests)
    if rules.most_of_user < WITHOUT_END:
        for position in range(count):
            line.tried[line.user[position]] = 0
    return blocked


@inner_kernel
def _sweep(rules: PassRules, profile: FreeProfile, now: int, line: PassQueue, requests: JobRequests) -> int:
    looked, reserved, blocked = 0, 0, -1
    count = line.many[0]
    for position in range(count):
        if looked == rules.most or (blocked >= 0 and rules.depth == STOP):
            break
        if blocked >= 0 and reserved >= rules.depth:
            break
        line.done[position] = True
        if _past_user(rules, position, line):
            continue
        looked += 1
        if line.started[position]:
            _judge(rules, profile, now, position, line, requests, reserved > 0)
        elif not line.held[position]:
            blocked = position if blocked < 0 else blocked
            if rules.depth > 0 and (
                not rules.plans or _reserve(rules, profile, now, line.jobs[position], requests)
            ):
                reserved += 1
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
    """Whether the pass looked at enough jobs of this user; then a start is none of its own."""
    if rules.most_of_user == WITHOUT_END:
        return False
    user = line.user[position]
    line.tried[user] += 1
    if line.tried[user] <= rules.most_of_user:
        return False
    if line.started[position]:
        line.verdict[position, 0] = PAST_USER
    return True


@inner_kernel
def planned_end(rules: PassRules, time: int) -> int:
    """The next multiple of the resolution."""
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
    """Hold what a started job takes, if it fits beside what was reserved before its turn."""
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
            return  # or others would seem to be in the way
    change(profile, now, planned_end(rules, now + length), requests.need, job, -1)


@inner_kernel
def _reserve(rules: PassRules, profile: FreeProfile, now: int, job: int, requests: JobRequests) -> bool:
    """Hold the earliest time at which a blocked job fits; or, relaxed, as late as it may be put off.

    Returns whether that time is within the horizon; else nothing is held.
    """
    need, length = requests.need, requests.length[job]
    start = earliest(profile, now, length, need, job)
    if start - now > rules.horizon:
        return False
    if rules.relaxed >= 0:
        if requests.latest[job] < 0:
            waited = (start - requests.submit[job]) / rules.second
            requests.latest[job] = planned_end(rules, start + int(rules.relaxed * waited) * rules.second)
        latest = requests.latest[job]
        if latest > start and earliest(profile, latest, length, need, job) == latest:
            start = latest
    change(profile, start, planned_end(rules, start + length), need, job, -1)
    return True
