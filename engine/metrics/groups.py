"""Metrics of groups of jobs: of users, of queues, of classes of size and runtime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.schedule.responses import bounded_slowdown, measured
from engine.schedule.schedule import Schedule
from engine.trace import Names, Trace

if TYPE_CHECKING:
    from engine.fairness.violations import Violations

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

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
    """One entry a group in every column, shape (groups,), over the measured jobs.

    Float columns are NaN for groups without such a job. `veet`, `wt` and `violated_jobs` are
    None where no expected ends are given.
    """

    names: tuple[str, ...]
    jobs: Ints
    wait_mean: Floats  # s
    bounded_slowdown_mean: Floats
    area: Floats  # processor-seconds
    violated_jobs: Ints | None = None
    veet: Floats | None = None  # violated of all jobs of the group, %
    wt: Floats | None = None  # sum of processors times tardiness, processor-seconds

    @property
    def active(self) -> Mask:
        """Groups with at least one measured job, shape (groups,)."""
        return self.jobs > 0


def per_group(
    schedule: Schedule, groups: Names, violations: Violations | None = None, jobs: Mask | None = None
) -> GroupTable:
    """The metrics of each group over the jobs that were run, of `jobs` (a mask) where it is given.

    `groups` says which group each job of the trace is in; entries come by its codes.
    """
    chosen = measured(schedule, jobs)
    code = groups.codes[chosen]
    many = len(groups.names)
    count = np.bincount(code, minlength=many)
    divisor = np.where(count > 0, count, np.nan)
    procs = schedule.procs[chosen]

    violated_jobs = veet = wt = None
    if violations is not None:
        violated_jobs = np.bincount(code[violations.violated[chosen]], minlength=many)
        veet = 100.0 * violated_jobs / divisor
        wt = _sums(code, procs * violations.tardiness[chosen].astype(np.float64), many)
    return GroupTable(
        names=groups.names,
        jobs=count,
        wait_mean=np.bincount(code, schedule.wait[chosen], many) / divisor,
        bounded_slowdown_mean=np.bincount(code, bounded_slowdown(schedule)[chosen], many) / divisor,
        area=_sums(code, procs * schedule.runtime[chosen], many),
        violated_jobs=violated_jobs,
        veet=veet,
        wt=wt,
    )


def job_classes(trace: Trace) -> Names:
    """The class of size and runtime of each job, small before large, short before long.

    Sizes are 1, 2-8, 9-64, 65-512 ... processors, up to the largest job's; runtimes are
    RUNTIMES. Both are the trace's, clamped as for a simulation, so that a job is in the
    same class under every policy, the recorded schedule among them.
    """
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
    "queue": lambda trace: trace.queue,
    "class": job_classes,
}
"""Groups of a trace's jobs, by what they are called."""


def _sums(code: NDArray[np.int32], values: Ints | Floats, many: int) -> Floats:
    """Sums of the values of each code, shape (many,); exact below 2^53."""
    return np.bincount(code, values, many).astype(np.float64)  # without any value they would be whole numbers
