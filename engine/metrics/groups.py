"""Metrics of groups of jobs: of users, of queues, of classes of size and runtime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Floats, Ints, Mask
from engine.metrics.hours import hours_of_day, weekdays
from engine.quantities import Jobs, Missing, Quantity
from engine.quantities.offers import each_offered
from engine.schedule.responses import measured
from engine.schedule.schedule import Schedule
from engine.schedule.value import price_groups
from engine.trace import Names, Trace

if TYPE_CHECKING:
    from engine.fairness.violations import Violations


SIZE_FACTOR = 8
"""Classes of size end at the powers of this number: 1, 8, 64 ... processors."""

RUNTIMES = (
    (60, "under 1 min"),
    (600, "1 to 10 min"),
    (3600, "10 min to 1 h"),
    (86_400, "1 h to 1 d"),
    (None, "1 d or longer"),
)
"""Classes of runtime: the seconds that each stays below, and its name."""


@dataclass(frozen=True, eq=False)
class GroupTable:
    """Quantities of groups of jobs, an entry for each group, over the `chosen` jobs (shape (n,), all run).

    `groups` is the group code of each job; entries are ordered by code.
    """

    of: Jobs
    chosen: Mask
    groups: Names
    _known: dict[str, Floats | Missing] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The groups."""
        return self.groups.names

    @cached_property
    def jobs(self) -> Ints:
        """Jobs that were chosen of each group, shape (groups,)."""
        return np.bincount(self.groups.codes[self.chosen], minlength=len(self.names))

    @property
    def active(self) -> Mask:
        """The mask of groups with at least one of these jobs, shape (groups,)."""
        return self.jobs > 0

    def column(self, name: str) -> Floats | Missing:
        """A quantity by its name in tables of groups, shape (groups,), computed at the first access.

        The mean of no jobs is NaN, their sum 0.
        """
        if name not in self._known:
            self._known[name] = GROUP_QUANTITIES[name].of_each(self.of, self.chosen, self.groups)
        return self._known[name]

    def __getitem__(self, name: str) -> Floats:
        """A quantity that is known to be there. Raises LookupError with the reason where it is not."""
        values = self.column(name)
        if isinstance(values, Missing):
            raise LookupError(f"{name}: {values}")
        return values


GROUP_QUANTITIES: dict[str, Quantity] = {}
"""The quantities of groups, by their names in tables."""

each_offered("groups", GROUP_QUANTITIES)
each_offered("table", GROUP_QUANTITIES)


def per_group(
    schedule: Schedule,
    groups: Names,
    violations: Violations | None = None,
    jobs: Mask | None = None,
    penalty: str = "max",
) -> GroupTable:
    """The table of some groups over the jobs that were run, of `jobs` (a mask) where it is given.

    The `penalty` defines the usage of jobs that use several resources.
    """
    late, eet = (None, None) if violations is None else (violations.tardiness, violations.eet)
    return GroupTable(
        Jobs(schedule.trace, schedule, late, None, eet, penalty), measured(schedule, jobs), groups
    )


def job_classes(trace: Trace) -> Names:
    """The class of size and runtime of each job, small before large, short before long.

    Sizes are 1, 2-8, 9-64, 65-512 ... processors, up to the largest job's; runtimes are
    RUNTIMES. Both are the trace's, clamped as for a simulation, so that a job is in the
    same class under every policy, the recorded schedule among them.
    """
    # Up to the largest job of the trace, whatever ran of it.
    powers = [1]
    while powers[-1] < trace.procs.max(initial=1):
        powers.append(powers[-1] * SIZE_FACTOR)
    size = np.searchsorted(powers, trace.procs)
    limits = [limit for limit, _ in RUNTIMES if limit is not None]
    runtime = np.searchsorted(limits, trace.runtime, "right")
    sizes = ["1 processor", *(f"{low + 1}-{high} processors" for low, high in pairwise(powers))]
    names = tuple(f"{name}, {span}" for name in sizes for _, span in RUNTIMES)
    return Names((size * len(RUNTIMES) + runtime).astype(np.int32), names)


GROUPINGS: dict[str, Callable[[Trace], Names]] = {
    "user": lambda trace: trace.user,
    "account": lambda trace: trace.group,
    "queue": lambda trace: trace.queue,
    "class": job_classes,
    "hour": hours_of_day,
    "weekday": weekdays,
}
"""Functions that group a trace's jobs, by the name of the grouping."""

BY_RUN: dict[str, Callable[[Schedule], Names]] = {"price": price_groups}
"""Groups that differ from run to run."""


def groups_of(schedule: Schedule, by: str) -> Names:
    """The group of each job, by a name in GROUPINGS or BY_RUN."""
    return BY_RUN[by](schedule) if by in BY_RUN else GROUPINGS[by](schedule.trace)
