"""What an administrator limits: what one user's or one queue's jobs hold at once, and a pass looks at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed import unchanging
from engine.schedule.schedule import Limit
from engine.simulation.workload import Ints, Workload

FREE = -1
_USER_JOBS, _USER_CPUS, _QUEUE_CPUS = int(Limit.USER_JOBS), int(Limit.USER_CPUS), int(Limit.QUEUE_CPUS)

UNLIMITED = np.iinfo(np.int64).max


class Limits(NamedTuple):
    """The limits, and what users and queues hold now."""

    on: bool
    most_user_jobs: int
    most_user_cpus: int
    most_queue_cpus: int
    user: Ints  # (n,)
    queue: Ints  # (n,)
    user_jobs: Ints  # (users,)
    user_cpus: Ints  # (users,)
    queue_cpus: Ints  # (queues,) and by how much less the queue may have than `most_queue_cpus`


_NONE = np.zeros(0, np.int64)
NO_LIMITS = unchanging(Limits(False, UNLIMITED, UNLIMITED, 0, _NONE, _NONE, _NONE, _NONE, _NONE))
"""Where there are none."""


@inner_kernel
def held_by(limits: Limits, work: Workload, job: int) -> int:
    """The Limit that holds the job now, or FREE."""
    if not limits.on:
        return FREE
    user = limits.user[job]
    procs = work.need[job, 0]
    if limits.user_jobs[user] >= limits.most_user_jobs:
        return _USER_JOBS
    if limits.user_cpus[user] > limits.most_user_cpus - procs:
        return _USER_CPUS
    if limits.queue_cpus[limits.queue[job]] > limits.most_queue_cpus - procs:
        return _QUEUE_CPUS
    return FREE


@inner_kernel
def count_running(limits: Limits, work: Workload, job: int, sign: int) -> None:
    """The job starts (`sign` 1) or ends (-1)."""
    if not limits.on:
        return
    user = limits.user[job]
    limits.user_jobs[user] += sign
    limits.user_cpus[user] += sign * work.need[job, 0]
    limits.queue_cpus[limits.queue[job]] += sign * work.need[job, 0]


class UserTests(NamedTuple):
    """How many jobs of each user a pass has tested, of those that `user_test_limit` allows."""

    most: int  # or UNLIMITED
    user: Ints  # (n,); (0,) without a limit
    number: Ints  # (users, 2) number of the pass, jobs tested in it


NO_USER_TESTS = unchanging(UserTests(UNLIMITED, _NONE, np.zeros((0, 2), np.int64)))
"""Where that is not limited."""


@inner_kernel
def may_test(user_tests: UserTests, job: int, number: int) -> bool:
    """Whether the pass of this number may test one more job of the user; if so the job is counted."""
    if user_tests.most == UNLIMITED:
        return True
    mine = user_tests.number[user_tests.user[job]]
    if mine[0] != number:
        mine[0] = number
        mine[1] = 0
    if mine[1] >= user_tests.most:
        return False
    mine[1] += 1
    return True
