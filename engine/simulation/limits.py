"""Limits of the policy: on what a user's or queue's jobs hold at once, and on the jobs that a pass tries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.schedule.schedule import LimitKind
from engine.simulation.workload import Ints, Workload

FREE = -1
_USER_JOBS, _USER_CPUS, _QUEUE_CPUS = (
    int(LimitKind.USER_JOBS),
    int(LimitKind.USER_CPUS),
    int(LimitKind.QUEUE_CPUS),
)

UNLIMITED = np.iinfo(np.int64).max


class Limits(NamedTuple):
    """The limits, and what the running jobs of users and queues hold now."""

    on: bool  # whether there is any limit
    most_user_jobs: int  # running jobs of one user, or UNLIMITED
    most_user_cpus: int  # processors of one user's running jobs, or UNLIMITED
    most_queue_cpus: int  # processors of a queue's running jobs: the limit of the queue that may have most
    user: Ints  # (n,) user code of each job
    queue: Ints  # (n,) queue code of each job
    user_jobs: Ints  # (users,) running jobs
    user_cpus: Ints  # (users,) processors that they hold
    queue_cpus: Ints  # (queues,) processors held, plus the amount by which the queue's own limit is lower


_NONE = np.zeros(0, np.int64)
NO_LIMITS = unchanging(Limits(False, UNLIMITED, UNLIMITED, 0, _NONE, _NONE, _NONE, _NONE, _NONE))
"""Of a policy without limits."""


@inner_kernel
def held_by(limits: Limits, work: Workload, job: int) -> int:
    """The `LimitKind` that forbids the job to start now, or FREE."""
    if not limits.on:
        return FREE
    user = limits.user[job]
    procs = work.need[job, 0]
    # The tests are ordered: the first that fails is the reason that is logged.
    if limits.user_jobs[user] >= limits.most_user_jobs:
        return _USER_JOBS
    if limits.user_cpus[user] > limits.most_user_cpus - procs:
        return _USER_CPUS
    # A queue with a smaller bound counts from near the largest number, where adding the need could overflow:
    # so the need is taken off the bound.
    if limits.queue_cpus[limits.queue[job]] > limits.most_queue_cpus - procs:
        return _QUEUE_CPUS
    return FREE


@inner_kernel
def count_running(limits: Limits, work: Workload, job: int, sign: int) -> None:
    """Count a job that starts (`sign` 1) or ends (-1)."""
    if not limits.on:
        return
    # Queues with a smaller bound began with the difference in use, so that one addition serves all.
    user = limits.user[job]
    limits.user_jobs[user] += sign
    limits.user_cpus[user] += sign * work.need[job, 0]
    limits.queue_cpus[limits.queue[job]] += sign * work.need[job, 0]


class UserTests(NamedTuple):
    """The number of jobs of each user that the current pass has tried, for `user_test_limit`."""

    most: int  # jobs of one user that a pass may try, or UNLIMITED
    user: Ints  # (n,) user code of each job; (0,) without a limit
    number: Ints  # (users, 2) number of the last pass that tried a job of the user, and jobs tried in it


NO_USER_TESTS = unchanging(UserTests(UNLIMITED, _NONE, np.zeros((0, 2), np.int64)))
"""Of a policy without `user_test_limit`."""


@inner_kernel
def may_test(user_tests: UserTests, job: int, number: int) -> bool:
    """Whether the pass with this number may try one more job of the job's user; if so, it is counted."""
    if user_tests.most == UNLIMITED:
        return True
    mine = user_tests.number[user_tests.user[job]]
    # The count belongs to one pass. A new number makes the old count void, so that no loop over all users is
    # needed when a pass begins.
    if mine[0] != number:
        mine[0] = number
        mine[1] = 0
    if mine[1] >= user_tests.most:
        return False
    mine[1] += 1
    return True
