"""Metrics of users: what box-plots show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.metrics.jobs import bounded_slowdown, measured
from engine.schedule import Schedule

if TYPE_CHECKING:
    from engine.fairness.violations import Violations

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class UserTable:
    """One entry a user in every column, by user code, shape (users,), over the measured jobs.

    Float columns are NaN for users without such a job. `veet`, `wt` and `violated_jobs` are
    None where no expected ends are given.
    """

    jobs: Ints
    wait_mean: Floats  # s
    bounded_slowdown_mean: Floats
    area: Ints  # processor-seconds
    violated_jobs: Ints | None = None
    veet: Floats | None = None  # %
    wt: Ints | None = None  # processor-seconds

    @property
    def active(self) -> NDArray[np.bool_]:
        """Users with at least one measured job, shape (users,)."""
        return self.jobs > 0


def per_user(
    schedule: Schedule, violations: Violations | None = None, jobs: NDArray[np.bool_] | None = None
) -> UserTable:
    """The metrics of each user over the jobs that were run, of `jobs` (a mask) where it is given."""
    chosen = measured(schedule, jobs)
    user = schedule.trace.user.codes[chosen]
    users = len(schedule.trace.user.names)
    count = np.bincount(user, minlength=users)
    divisor = np.where(count > 0, count, np.nan)
    procs = schedule.procs[chosen]

    violated_jobs = veet = wt = None
    if violations is not None:
        violated_jobs = np.bincount(user[violations.violated[chosen]], minlength=users)
        veet = 100.0 * violated_jobs / divisor
        wt = _sums(user, procs * violations.tardiness[chosen], users)
    return UserTable(
        jobs=count,
        wait_mean=np.bincount(user, schedule.wait[chosen], users) / divisor,
        bounded_slowdown_mean=np.bincount(user, bounded_slowdown(schedule)[chosen], users) / divisor,
        area=_sums(user, procs * schedule.runtime[chosen], users),
        violated_jobs=violated_jobs,
        veet=veet,
        wt=wt,
    )


def _sums(user: NDArray[np.int32], values: Ints, users: int) -> Ints:
    """Exact sums of whole numbers, shape (users,)."""
    total = np.zeros(users, np.int64)
    np.add.at(total, user, values)
    return total
