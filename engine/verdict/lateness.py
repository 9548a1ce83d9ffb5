"""Lateness that counts: of jobs, of users, and of their months."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints, Mask
from engine.fairness.violations import Violations
from engine.schedule.schedule import Schedule
from engine.trace import Names

LEAST_SECONDS, LEAST_PART = 60, 10
"""A job is late if it ends later than expected by a minute at least, and by a tenth of its runtime."""

FEWEST_MONTHS = 3
"""Months that a log needs for a user to be late in most of them."""


def late_jobs(schedule: Schedule, violations: Violations, jobs: Mask) -> Mask:
    """Those of `jobs` whose lateness their users notice, shape (n,): other violations are shorter."""
    late = violations.tardiness
    return jobs & (late >= LEAST_SECONDS) & (late * LEAST_PART >= schedule.runtime)


def late_users(schedule: Schedule, late: Mask, jobs: Mask, spans: Names) -> tuple[Mask, bool]:
    """The users who are late most of the time, shape (users,), and whether this is said of months: `spans`.

    A month is a user's if any of the user's `jobs` was submitted in it, and late if more than half of these
    are; a user is late in more than half of the months. In a log of fewer than FEWEST_MONTHS months a user is
    late with more than half of the jobs.
    """
    trace = schedule.trace
    many = len(trace.user.names)
    by_month = np.count_nonzero(np.bincount(spans.codes[jobs])) >= FEWEST_MONTHS
    count = len(spans.names) if by_month else 1
    # A number encodes user and month, so that jobs are counted by both at once.
    cell = trace.user.codes.astype(np.int64) * count + (spans.codes if by_month else 0)
    all_of = np.bincount(cell[jobs], minlength=many * count).reshape(many, count)
    late_of = np.bincount(cell[late], minlength=many * count).reshape(many, count)
    return 2 * (2 * late_of > all_of).sum(axis=1) > (all_of > 0).sum(axis=1), bool(by_month)


def lateness_of_users(schedule: Schedule, violations: Violations, jobs: Mask) -> Ints:
    """The time by which each user's `jobs` end later than expected, in all, s, shape (users,)."""
    user = schedule.trace.user
    total = np.bincount(user.codes[jobs], violations.tardiness[jobs], len(user.names))
    return total.astype(np.int64)  # exact up to 2^53 s
