"""The differences between two schedules of a trace: jobs, time shifts, and affected groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from engine.arrays import Ints, Mask
from engine.fairness.violations import UserSteps
from engine.metrics.compare import jobs_in_common
from engine.schedule.schedule import Schedule
from engine.trace import Names


@dataclass(frozen=True, eq=False)
class GroupChanges:
    """Gains and losses of groups of jobs: an entry for each group in every column, shape (groups,), by its
    code.
    """

    jobs: Ints  # compared
    earlier: Ints  # of these, jobs that start earlier
    later: Ints
    won: Ints  # s that jobs with an earlier start wait less, in all
    lost: Ints  # s that jobs with a later start wait more, in all

    @property
    def net(self) -> Ints:
        """The net gain: seconds of waiting won minus those lost, shape (groups,)."""
        return self.won - self.lost


class GivenUpJob(NamedTuple):
    """A job that a schedule gave up after failures: how many runs these cut short, and what was lost with
    them, processors times s.
    """

    job: int
    runs: int
    area: int


@dataclass(frozen=True, eq=False)
class Difference:
    """A second schedule compared with a first schedule, over the jobs that both ran, or some of them.

    `change` is the start in the second minus the start in the first in seconds, which is also the change of
    the wait: negative if the job starts earlier. Of jobs that do not come at the same time in both it is the
    change of the wait. It is 0 for jobs that are not compared. Jobs that a schedule gave up are never
    compared: those among `losing` are told apart.
    """

    first: Schedule
    second: Schedule
    jobs: Mask  # compared, shape (n,)
    change: Ints  # s, shape (n,)
    users: GroupChanges
    losing: Mask  # shape (n,)

    @cached_property
    def given_up(self) -> tuple[tuple[GivenUpJob, ...], tuple[GivenUpJob, ...]]:
        """The jobs that the first and the second schedule gave up, those that lost most first."""
        return _given_up(self.first, self.losing), _given_up(self.second, self.losing)


def _given_up(schedule: Schedule, losing: Mask) -> tuple[GivenUpJob, ...]:
    jobs, stopped = np.flatnonzero(schedule.given_up & losing), schedule.stopped
    if not len(jobs):
        return ()
    count = len(schedule.start)
    runs = np.bincount(stopped.job, minlength=count)
    area = schedule.procs[stopped.job] * (stopped.end - stopped.start)
    lost = np.bincount(stopped.job, area, count).astype(np.int64)  # exact up to 2^53 processor-seconds
    order = jobs[np.argsort(-lost[jobs], kind="stable")]
    return tuple(GivenUpJob(job, int(runs[job]), int(lost[job])) for job in order.tolist())


def start_change(first: Schedule, second: Schedule) -> Ints:
    """Start in the second less that in the first, in s, shape (n,); 0 for jobs that either did not run.

    Jobs that are submitted at another time in each are compared by their waits.
    """
    apart = second.start - first.start
    if first.submit is not second.submit:
        apart = np.where(first.submit == second.submit, apart, second.wait - first.wait)
    return np.where(first.ran & second.ran, apart, 0)


def difference(
    first: Schedule, second: Schedule, only: Mask | None = None, losing: Mask | None = None
) -> Difference:
    """Compare two schedules job by job, for the jobs `only` (shape (n,)) if given.

    Of `losing`, (n,), by default `only`, those are named that either gave up. Each schedule may have a
    workload of its own. Raises ValueError if they belong to different traces.
    """
    if first.trace.as_logged is not second.trace.as_logged:
        raise ValueError("only schedules of one trace can be compared job by job")
    # A job that only a single schedule ran has no change.
    jobs = jobs_in_common((first, second))
    if only is not None:
        jobs &= only
    change = np.where(jobs, start_change(first, second), 0)
    if losing is None:
        losing = np.ones(len(jobs), np.bool_) if only is None else only
    return Difference(first, second, jobs, change, group_changes(first.trace.user, jobs, change), losing)


def group_changes(groups: Names, jobs: Mask, change: Ints) -> GroupChanges:
    """Gains and losses of groups; `jobs` are compared, and `change` as in a Difference, both shape (n,)."""
    code, count = groups.codes, len(groups.names)

    def total(chosen: Mask, seconds: Ints) -> Ints:
        return np.bincount(code[chosen], seconds[chosen], count).astype(np.int64)  # exact up to 2^53 s

    earlier, later = change < 0, change > 0
    return GroupChanges(
        jobs=np.bincount(code[jobs], minlength=count),
        earlier=np.bincount(code[earlier], minlength=count),
        later=np.bincount(code[later], minlength=count),
        won=total(earlier, -change),
        lost=total(later, change),
    )


def steps_difference(first: UserSteps, second: UserSteps) -> UserSteps:
    """The second step function minus the first, for each user; counts may be negative.

    Both have the same users. Rows are dropped after the last difference.
    """
    users = len(first.offset) - 1
    user = np.concatenate([np.repeat(np.arange(users), np.diff(steps.offset)) for steps in (first, second)])
    minute = np.concatenate((first.minute, second.minute))
    # A user's last count is 0, so the first count of the next user is again a rise from 0.
    rise = np.concatenate((-np.diff(first.count, prepend=0), np.diff(second.count, prepend=0)))
    zero = minute.min(initial=0)
    span = minute.max(initial=0) - zero + 1
    key = user * span + minute - zero
    order = np.argsort(key, kind="stable")
    key, count = key[order], np.cumsum(rise[order])
    is_last = np.append(key[1:] != key[:-1], True)[: len(key)]
    key, count = key[is_last], count[is_last]
    changes = np.diff(count, prepend=0) != 0
    key, count = key[changes], count[changes]
    offset = np.searchsorted(key, np.arange(users + 1) * span)
    return UserSteps(offset.astype(np.int64), key % span + zero, count)
