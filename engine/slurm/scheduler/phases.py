"""The spread that a site's schedule has by chance: what the phases of slurmctld's loops decide.

When slurmctld began its loops (passes at intervals, backfilling, priorities, checks of limits) is not
known to the second, and decides which of two jobs is seen first. Two real runs of the same submissions on
the same cluster differ by it. A schedule is repeated with other beginnings; the first, which is shown and
measured, is not changed by that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.claims.claim import ClaimQuantity, Unit
from engine.policy.policy import Policy
from engine.schedule.accuracy import accuracy_of
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control, thread_pool

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_PHASES = ((5_000, 8), (20_000, 4), (200_000, 2))
"""Up to so many jobs, so many phases: by the number of jobs, never by the clock, so that results repeat."""

_WORKERS = 2


@dataclass(frozen=True, eq=False)
class PhaseSpread:
    """The waits of a site's jobs under several phases of slurmctld's loops.

    `wait` has shape (phases, n), s, and -1 where a job did not run; its first row is the schedule itself.
    `schedules` are those of the further phases; none where the waits were put together from several runs.
    """

    wait: Ints
    schedules: tuple[Schedule, ...] = ()

    def __len__(self) -> int:
        return len(self.wait)

    @property
    def ran(self) -> Mask:
        """The jobs that ran in all phases, (n,)."""
        return np.asarray((self.wait >= 0).all(axis=0))

    def mean_waits(self, jobs: Mask) -> Floats:
        """The mean wait of some jobs in each phase, (phases,), over those that ran in all of them; s."""
        everywhere = jobs & self.ran
        if not everywhere.any():
            return np.zeros(len(self.wait))
        return np.asarray(self.wait[:, everywhere].mean(axis=1))


@dataclass(frozen=True)
class PhasedChange:
    """A change of the mean wait from one site's schedule to another, and what phases make of it.

    `change` is relative to the mean wait before; `low` and `high` are the least and the largest change of any
    phase of one to any phase of the other.
    """

    change: float
    low: float
    high: float
    phases: int

    @property
    def by_chance(self) -> bool:
        """True if phases alone explain the change: the ranges of mean waits of both overlap."""
        return self.low <= 0.0 <= self.high

    @property
    def quantities(self) -> tuple[ClaimQuantity, ...]:
        """The change and its range, in %, and the phases, as claims name them."""
        parts = {"change": self.change, "low": self.low, "high": self.high}
        changes = (ClaimQuantity(name, 100 * part, Unit.CHANGE) for name, part in parts.items())
        return (*changes, ClaimQuantity("phases", self.phases, Unit.PHASES))


def phases_of(jobs: int) -> int:
    """The number of phases in which a schedule of so many jobs is simulated; 1 for the largest logs."""
    return next((phases for most, phases in _PHASES if jobs <= most), 1)


def phase_spread(
    schedule: Schedule, control: Control | None = None, ended: Callable[[], object] = lambda: None
) -> PhaseSpread | None:
    """A site's schedule under further phases; None for other policies and for a single phase.

    `control` cancels; `ended` is called, in a thread, after each further phase. Raises Cancelled.
    """
    from engine.simulation.run import simulate

    site, trace = schedule.policy.site, schedule.trace
    phases = phases_of(len(trace))
    if site is None or phases < 2:
        return None
    control = control or Control()
    # Each phase moves the begins of all loops by fractions of their intervals.
    policies = [replace(schedule.policy, site=replace(site, draw=phase)) for phase in range(1, phases)]

    def repeated(policy: Policy) -> Schedule:
        again = simulate(trace, schedule.cluster, policy, control=control)
        ended()
        return again

    with thread_pool(_WORKERS) as workers:
        further = tuple(workers.map(repeated, policies))
    return PhaseSpread(np.stack([_waits(each) for each in (schedule, *further)]), further)


def phased_change(before: PhaseSpread, after: PhaseSpread, jobs: Mask) -> PhasedChange | None:
    """The change of the mean wait of some jobs, shape (n,); None where these did not wait before."""
    # The same jobs on both sides: those that ran in every phase of both.
    common = jobs & before.ran & after.ran
    old, new = before.mean_waits(common), after.mean_waits(common)
    if old.min() <= 0.0:
        return None
    # Phases of two real machines are independent of each other: each is compared with each.
    changes = new[None, :] / old[:, None] - 1.0
    phases = max(len(before), len(after))
    return PhasedChange(float(changes[0, 0]), float(changes.min()), float(changes.max()), phases)


def change_between(
    first: Schedule, second: Schedule, spreads: tuple[PhaseSpread | None, PhaseSpread | None], jobs: Mask
) -> PhasedChange | None:
    """The change of the mean wait of some jobs, (n,), from one schedule to another, with what is known of
    their phases; None where neither is repeated, or these jobs did not wait in the first.
    """
    if spreads == (None, None):
        return None
    before, after = (
        PhaseSpread(_waits(schedule)[None]) if spread is None else spread
        for schedule, spread in zip((first, second), spreads, strict=True)
    )
    return phased_change(before, after, jobs)


def account_orders(schedule: Schedule, spread: PhaseSpread) -> tuple[float, ...]:
    """The rank correlations of accounts' mean waits with the recorded ones, in all phases but the first."""
    orders = []
    for wait in spread.wait[1:]:
        accuracy = accuracy_of(
            replace(schedule, start=np.where(wait >= 0, schedule.submit + wait, schedule.start))
        )
        if accuracy is not None and accuracy.order is not None:
            orders.append(accuracy.order)
    return tuple(orders)


def phased_shift(spread: PhaseSpread, before: Mask, after: Mask) -> PhasedChange | None:
    """The change of the mean wait from some jobs to others, by phase; None where the first did not wait."""
    old, new = spread.mean_waits(before), spread.mean_waits(after)
    if old.min() <= 0.0:
        return None
    # Both are jobs of the same machine, and so of the same phase.
    changes = new / old - 1.0
    return PhasedChange(float(changes[0]), float(changes.min()), float(changes.max()), len(spread))


def _waits(schedule: Schedule) -> Ints:
    return np.where(schedule.ran, schedule.wait, -1)
