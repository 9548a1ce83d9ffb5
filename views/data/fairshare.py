"""Users' resource use over time against their shares, and the filling of the share that sets expected
ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.fairness.filling import Filling, share_filling
from engine.fairness.use_over_time import UseOverTime
from engine.policy.penalty import penalties
from engine.schedule.schedule import Schedule
from engine.simulation.workload import make_workload
from engine.trace import Trace
from views.data.results import Result
from views.theme.palette import user_colours

Floats = NDArray[np.float64]

TINTS = (0.0, 0.25, 0.45, 0.62)
"""Share of the background in the colours of jobs that follow one another in a share."""

MOST_USERS = 6
"""Users who are shown where none is selected: those who used most."""


@dataclass(frozen=True, eq=False)
class UserUse:
    """A user's decayed use: `factor` divided by the own share, `part` of what all users used, in %."""

    user: int
    name: str
    colour: str
    share: float  # of the sum of the shares of the users with jobs, in %
    use: UseOverTime
    all: UseOverTime
    divisor: float
    most: float  # the largest factor, in hours of the whole machine

    @property
    def run_id(self) -> int:
        """The id of the curve, for a legend."""
        return self.user

    def factor(self, time: Floats) -> Floats:
        """The usage factor at ascending times, in hours of the whole machine."""
        return np.asarray(self.use.at(time) / self.divisor / 3600.0)

    def part(self, time: Floats) -> Floats:
        """The part of all decayed use at ascending times, in %; NaN while nothing was used."""
        whole = self.all.at(time)
        return np.asarray(100.0 * self.use.at(time) / np.where(whole > 0, whole, np.nan))


def uses_of(schedule: Schedule, users: tuple[int, ...]) -> list[UserUse]:
    """The use of some users, or of those who used most, by the policy's penalty, half-life and shares."""
    policy, trace, ran = schedule.policy, schedule.trace, schedule.ran
    work = make_workload(trace, schedule.cluster, trace.walltime)
    weight = penalties(work, policy.penalty)
    area = np.bincount(trace.user.codes, np.where(ran, weight * schedule.runtime, 0.0), len(trace.user.names))
    if not users:
        users = tuple(int(user) for user in np.argsort(-area, kind="stable")[:MOST_USERS] if area[user] > 0)
    named = dict(policy.shares.of_user)
    shares = np.array([named.get(name, 1.0) for name in trace.user.names])
    there = np.bincount(trace.user.codes[ran], minlength=len(shares)) > 0
    whole = float(shares[there].sum()) or 1.0
    colours = user_colours(trace.user.names, _areas(trace))
    of = partial(_use, schedule, weight)
    everybody = of(ran)
    uses = []
    for user in users:
        use, share = of(ran & (trace.user.codes == user)), float(shares[user])
        part, most = 100.0 * share / whole, use.most / share / 3600.0
        uses.append(UserUse(user, trace.user.names[user], colours[user], part, use, everybody, share, most))
    return uses


def _areas(trace: Trace) -> Floats:
    """Processor-seconds of each user, shape (users,), by which users have their colours everywhere."""
    return np.bincount(trace.user.codes, trace.procs * trace.runtime, len(trace.user.names)).astype(float)


def _use(schedule: Schedule, weight: Floats, jobs: NDArray[np.bool_]) -> UseOverTime:
    return UseOverTime(schedule.start[jobs], schedule.end[jobs], weight[jobs], schedule.policy.half_life)


@dataclass(frozen=True, eq=False)
class UserFilling:
    """A user's share, and how the user's jobs fill it over time."""

    user: int
    name: str
    colour: str
    capacity: int
    jobs: NDArray[np.int64]  # indices into the trace, in order of arrival
    blocks: Filling
    late: NDArray[np.bool_]  # of `jobs`, whether each ends after its expected end


def filling_of(result: Result, user: int) -> UserFilling | None:
    """The processors of a user's share; None where no ends are expected."""
    violations, schedule = result.violations, result.schedule
    if violations is None or violations.capacity is None:
        return None
    trace = schedule.trace
    jobs = np.flatnonzero(schedule.ran & (trace.user.codes == user))
    jobs = jobs[np.argsort(schedule.turn[jobs])]
    capacity = int(violations.capacity[user, 0])
    blocks = share_filling(
        schedule.submit[jobs],
        schedule.runtime[jobs],
        schedule.procs[jobs],
        capacity,
        violations.exact_last,
        violations.half_life or 0,
    )
    colour = user_colours(trace.user.names, _areas(trace))[user]
    return UserFilling(
        user, trace.user.names[user], colour, capacity, jobs, blocks, violations.violated[jobs]
    )
