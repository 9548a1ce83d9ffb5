"""A run over time: its queue depth, its utilization, and its tuned values."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.policy.tuning import TUNABLES
from engine.schedule.schedule import Schedule
from views.theme.palette import run_colour
from views.work.lazy import LazyValue

if TYPE_CHECKING:
    from engine.metrics.queue_depth import QueueDepth
    from engine.metrics.series import StepSeries
    from views.raster.lines import SummedSteps

Window = tuple[float, float]

HOUR = 3600

AVERAGES: dict[str, int] = {"now": 0, "1 h": HOUR, "10 h": 10 * HOUR, "24 h": 24 * HOUR}
"""What utilization is averaged over, in seconds, by name (Tang et al. 2013, 4.4.2)."""


@dataclass(frozen=True, eq=False)
class RunSeries:
    """A finished run: what its lines are drawn from. `used` are the processors in use.

    The queue depth takes time in the number of jobs where it is not there yet.
    """

    run_id: int
    name: str
    schedule: Schedule
    used: StepSeries
    lazy_depth: LazyValue[QueueDepth]

    @property
    def depth(self) -> QueueDepth:
        """The queue depth over time, computed at the first access."""
        return self.lazy_depth()

    @property
    def is_ready(self) -> bool:
        """True if the queue depth is there."""
        return self.lazy_depth.value is not None

    @property
    def colour(self) -> str:
        """The run's colour, `#rrggbb`, in every chart."""
        return run_colour(self.run_id)

    @property
    def tuned(self) -> dict[str, int]:
        """The tunables that follow measurements, each with its column in the log of checks."""
        if self.schedule.checks is None:
            return {}
        return {tuning.tunable: column for column, tuning in enumerate(self.schedule.policy.tunings)}

    @property
    def tunables(self) -> tuple[str, ...]:
        """The tunables that the policy has a use for, tuned or not."""
        policy = self.schedule.policy
        used = {"bf": policy.order == "balanced", "window": policy.allocates_windows}
        return tuple(name for name in TUNABLES if used[name])

    @cached_property
    def deepest(self) -> float:
        """The greatest depth, in minutes: the depth only falls when a job starts, so just before that."""
        depth = self.depth
        before = depth.value[:-1] + depth.slope[:-1] * np.diff(depth.time)
        return float(before.max(initial=0.0))

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The queue depths, in minutes, at which something is tuned."""
        tunings = self.schedule.policy.tunings
        depths = [tuning for tuning in tunings if tuning.monitor == "queue_depth"]
        limits = [limit for depth in depths for limit in (depth.threshold, depth.back) if limit is not None]
        return tuple(limit.number for limit in limits if not limit.mean)

    @cached_property
    def _up(self) -> StepSeries:
        """The processors that are up, from the first submission of a job that is not refused."""
        from engine.metrics.series import StepSeries

        schedule = self.schedule
        first = int(schedule.submit[schedule.refused.argmin()])
        return StepSeries(*schedule.outages.left_of(schedule.cluster.node_cpus(), first))

    @cached_property
    def _share(self) -> tuple[NDArray[np.int64], Floats]:
        """Times, and the share of the processors that are up that is in use from each on."""
        time = np.sort(np.concatenate((self.used.time, self._up.time)), kind="stable")  # merges sorted runs
        time = time[np.diff(time, append=np.iinfo(np.int64).max) > 0]
        used, up = self.used.at(time), self._up.at(time)
        return time, np.divide(used, up, out=np.zeros(len(time)), where=up > 0)

    @cached_property
    def _sums(self) -> tuple[SummedSteps, SummedSteps]:
        """The series that averages are taken of: processors in use, and processors that are up."""
        from views.raster.lines import summed_steps

        return summed_steps(*self.used.wide), summed_steps(*self._up.wide)

    def depth_statistics(self, window: Window, width: int) -> Floats:
        """Least, mean and greatest depth in each pixel column, minutes, shape (3, width)."""
        from views.raster.lines import line_statistics

        depth = self.depth
        return line_statistics(_writable(depth.time), depth.value, depth.slope, window, width)

    def use_statistics(self, over: int, window: Window, width: int) -> Floats:
        """The same of the share in use of the processors that are up, over so many seconds (0: at once)."""
        from views.raster.columns import column_statistics
        from views.raster.lines import average_statistics

        if not over:
            return column_statistics(*self._share, window, width)
        return average_statistics(*self._sums, float(over), window, width)

    def use_at(self, over: int, time: float) -> float:
        """The share in use of the processors that are up, at a time, or over so many seconds before."""
        from views.raster.lines import average_at

        if over:
            return average_at(*self._sums, over, time)
        times, share = self._share
        index = bisect_right(times, time) - 1
        return float(share[index]) if index >= 0 else 0.0

    def steps(self, tunable: str) -> tuple[NDArray[np.int64], Floats]:
        """Times (s) and values of a tunable, each valid from its time on: the initial value, then that of
        each check.
        """
        initial = float(getattr(self.schedule.policy, tunable))
        first = np.array([self.schedule.first_submit], np.int64)
        column, checks = self.tuned.get(tunable), self.schedule.checks
        if column is None or checks is None:
            return first, np.array([initial])
        return (
            np.concatenate((first, checks.time)).astype(np.int64),
            np.concatenate(([initial], checks.tunable[:, column])),
        )


def _writable(time: NDArray[np.int64]) -> NDArray[np.int64]:
    """The array, or a writable copy: kernels are compiled for such."""
    return np.require(time, np.int64, ["C", "W"])
