"""Metrics of users, which box plots show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.metrics.groups import GroupTable, per_group
from engine.schedule.schedule import Schedule

if TYPE_CHECKING:
    from engine.fairness.violations import Violations

UserTable = GroupTable
"""A table whose groups are the users of the trace, by user code."""


def per_user(
    schedule: Schedule,
    violations: Violations | None = None,
    jobs: NDArray[np.bool_] | None = None,
    penalty: str = "max",
) -> UserTable:
    """The metrics of each user over the jobs that were run, of `jobs` (a mask) where it is given."""
    return per_group(schedule, schedule.trace.user, violations, jobs, penalty)
