"""Violated expected end times: which jobs ended later than their users may expect, and when."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.fairness.batches import bags_of, last_of_bags
from engine.fairness.eet import schedule_eet
from engine.schedule.schedule import Schedule

MINUTE = 60


@dataclass(frozen=True, eq=False)
class Violations:
    """The violations of expected end times by a schedule (Toth & Klusacek 2014, section 3.3).

    The first three columns have an entry for each job, shape (n,); the others for each user, by user code,
    shape (users,), over the jobs that were run.
    """

    eet: Ints  # s, MISSING where the job was not run
    tardiness: Ints  # T_j = max(0, end - EET), s; 0 where the job was not run
    violated: NDArray[np.bool_]
    jobs: Ints
    violated_jobs: Ints
    weighted_tardiness: Floats  # WT_u, the sum of processors times tardiness, processor-seconds
    capacity: Ints | None = None  # (users, K) what each user may expect, where that is known,
    half_life: int | None = None  # s in which use lowers it by half,
    exact_last: bool = False  # whether a job's last second takes no more than it needs,
    gap: int | None = None  # and the s between submissions that end a bag of tasks

    @property
    def veet(self) -> Floats:
        """VEET_u: violated of all jobs of each user in %, shape (users,); NaN for users without jobs."""
        return 100.0 * self.violated_jobs / np.where(self.jobs > 0, self.jobs, np.nan)


@dataclass(frozen=True, eq=False)
class UserSteps:
    """A step function of time for each user.

    User u owns the rows `offset[u]:offset[u + 1]`; `count[i]` holds from minute `minute[i]` (from the trace's
    zero) up to the user's next row. Before a user's first row and from the last row on (its count is 0) the
    count is 0. `offset` has shape (users + 1,).
    """

    offset: Ints
    minute: Ints
    count: Ints

    def of_user(self, user: int) -> tuple[Ints, Ints]:
        """Minutes and counts of a user."""
        rows = slice(int(self.offset[user]), int(self.offset[user + 1]))
        return self.minute[rows], self.count[rows]

    @property
    def of_all(self) -> tuple[Ints, Ints]:
        """Minutes, strictly ascending, and from each on the count of all users together."""
        order = np.argsort(self.minute, kind="stable")
        minute = self.minute[order]
        # The last count of a user is 0, so each row's change is that from the row before it.
        count = np.cumsum(np.diff(self.count, prepend=0)[order])
        is_last = np.append(minute[1:] != minute[:-1], True)[: len(minute)]
        return minute[is_last], count[is_last]

    @cached_property
    def totals(self) -> Ints:
        """Violated jobs times minutes of each user, shape (users,)."""
        minutes = self.count[:-1] * np.diff(self.minute)
        # The last count of a user is 0, so nothing is carried over into the next user's rows. No minutes
        # follow the last row of all: the sum behind it is the sum before it.
        sums = np.concatenate(([0], np.cumsum(minutes), [0]))
        sums[-1] = sums[-2]
        return np.diff(sums[self.offset])


def judge(
    schedule: Schedule,
    capacity: Ints,
    half_life: int | None = None,
    gap: int | None = None,
    exact_last: bool = False,
) -> Violations:
    """Compare ends with expected ends; `capacity` (users, K) is the share of each user.

    `half_life` and `gap` (s), and `exact_last`, are those of `schedule_eet`. A bag of tasks, or a workflow,
    counts as a single violation: of its job that ends last; its other jobs count as on time.
    """
    eet = schedule_eet(schedule, capacity, exact_last, half_life, gap)
    tardiness = schedule.end - eet
    np.maximum(tardiness, 0, out=tardiness)
    bags = bags_of(schedule, gap)
    if bags is not None:
        # A user waits for the whole bag, so only its last job can be late.
        tardiness[~last_of_bags(schedule, bags)] = 0
    violated = tardiness > 0
    user = schedule.trace.user.codes
    users = len(schedule.trace.user.names)
    area = tardiness.astype(np.float64)
    area *= schedule.procs
    weighted = np.bincount(user, area, users).astype(np.float64)
    del area
    return Violations(
        eet=eet,
        tardiness=tardiness,
        violated=violated,
        jobs=np.bincount(user[schedule.ran], minlength=users),
        violated_jobs=np.bincount(user[violated], minlength=users),
        weighted_tardiness=weighted,
        capacity=capacity,
        half_life=half_life,
        exact_last=exact_last,
        gap=gap,
    )


def late_minutes(schedule: Schedule, violations: Violations, late: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """From which minute until which one each late job counts; `late`, shape (n,), are some of those."""
    first = (violations.eet[late] - schedule.runtime[late]) // MINUTE
    return first, first + np.maximum(violations.tardiness[late] // MINUTE, 1)


def violation_steps(
    schedule: Schedule, violations: Violations, jobs: NDArray[np.bool_] | None = None
) -> UserSteps:
    """The number of violated jobs of each user at each minute: the rows of the heatmap.

    `jobs`, shape (n,), restricts them to some jobs.

    A violated job counts from its latest start that would still have met its EET, the minute of EET - D, for
    as many minutes as it is late, at least one (Toth & Klusacek 2014, section 3.3).
    """
    late = violations.violated if jobs is None else violations.violated & jobs
    user = schedule.trace.user.codes[late].astype(np.int64)
    users = len(schedule.trace.user.names)
    first, last = late_minutes(schedule, violations, late)
    zero = first.min(initial=0)
    span = last.max(initial=0) - zero + 1
    # A number encodes user, minute and direction: sorting it is faster than sorting three columns.
    line = user * span - zero
    key = np.concatenate(((line + first) * 2, (line + last) * 2 + 1))
    key.sort()
    cell = key >> 1
    is_last = np.append(cell[1:] != cell[:-1], True)[: len(cell)]
    count = np.cumsum(1 - 2 * (key & 1))[is_last]
    cell = cell[is_last]
    changes = np.diff(count, prepend=0) != 0
    cell, count = cell[changes], count[changes]
    offset = np.searchsorted(cell, np.arange(users + 1) * span)
    return UserSteps(offset.astype(np.int64), cell % span + zero, count)
