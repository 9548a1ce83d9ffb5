"""Users' resource use over time against their shares, and the filling of the share that sets expected
ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.policy.penalty import penalties
from engine.schedule.schedule import Schedule
from engine.shown_text import format_name, is_named
from engine.simulation.workload import make_workload
from engine.trace import Names, Trace
from views.data.results import Result
from views.data.view_options import UseBy
from views.theme.palette import user_colours

if TYPE_CHECKING:
    from engine.fairness.filling import Filling
    from engine.fairness.use_over_time import UseOverTime


TINTS = (0.0, 0.25, 0.45, 0.62)
"""Share of the background in the colours of jobs that follow one another in a share."""

MOST_USERS = 6
"""Users or accounts that are shown where no user is selected: those who used most."""


@dataclass(frozen=True, eq=False)
class UserUse:
    """The decayed use of a user or an account: `factor` divided by the own share, `part` of all use, in %."""

    user: int
    name: str
    colour: str
    share: float  # of the sum of the shares of the users or accounts with jobs, in %
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


def use_by(trace: Trace, by: UseBy) -> UseBy:
    """Users where the log names no account, else as it is chosen."""
    return by if any(is_named("account", name) for name in trace.group.names) else "user"


def uses_of(schedule: Schedule, users: tuple[int, ...], by: UseBy = "user") -> list[UserUse]:
    """The use of some users, or of those who used most, by the policy's penalty, half-life and shares.

    By account it is the use of the accounts in which these users have jobs, or that used most; `user` is then
    the code of an account.
    """
    trace, ran = schedule.trace, schedule.ran
    weight, shares = _weight(schedule), _shares_of_users(schedule)
    owner, chosen = trace.user, users
    if by == "account":
        owner = trace.group
        shares = _shares_of_accounts(schedule, weight, shares)
        chosen = tuple(np.unique(owner.codes[ran & np.isin(trace.user.codes, users)]).tolist())
    return _uses(schedule, weight, ran, shares, (by, owner), chosen)


def users_within(schedule: Schedule, account: int) -> list[UserUse]:
    """The use of an account by the users who used most of it; parts and shares are of the account's."""
    trace, weight = schedule.trace, _weight(schedule)
    inside = schedule.ran & (trace.group.codes == account)
    return _uses(schedule, weight, inside, _shares_of_users(schedule), ("user", trace.user), ())


def _uses(
    schedule: Schedule,
    weight: Floats,
    jobs: NDArray[np.bool_],
    shares: Floats,
    by: tuple[UseBy, Names],
    chosen: tuple[int, ...],
) -> list[UserUse]:
    """The use by the chosen owners of `jobs`, shape (jobs,), or by those who used most.

    `shares` are those of all owners.
    """
    trace, (kind, owner) = schedule.trace, by
    area = np.bincount(owner.codes, np.where(jobs, weight * schedule.runtime, 0.0), len(owner.names))
    # Without a selection those who used most, of whom there may be fewer than there is room for.
    if not chosen:
        chosen = tuple(int(user) for user in np.argsort(-area, kind="stable")[:MOST_USERS] if area[user] > 0)
    # Shares are parts of what the owners of these jobs have: others do not compete here.
    there = np.bincount(owner.codes[jobs], minlength=len(shares)) > 0
    whole = float(shares[there].sum()) or 1.0
    shown = np.isin(np.arange(len(owner.names)), chosen)
    colours = user_colours(owner.names, _areas(trace, owner), shown)
    use_of = partial(_use, schedule, weight)
    everybody = use_of(jobs)
    uses = []
    for user in chosen:
        use, share = use_of(jobs & (owner.codes == user)), float(shares[user]) or 1.0
        # The longest use is told in hours of the share, so that owners of different shares compare.
        part, most = 100.0 * share / whole, use.most / share / 3600.0
        name = format_name(kind, owner.names[user])
        uses.append(UserUse(user, name, colours[user], part, use, everybody, share, most))
    return uses


def _weight(schedule: Schedule) -> Floats:
    """The usage per second of each job by the policy's penalty, shape (jobs,)."""
    work = make_workload(schedule.trace, schedule.cluster, schedule.trace.walltime)
    return penalties(work, schedule.policy.penalty)


def _shares_of_users(schedule: Schedule) -> Floats:
    """The shares of users by the policy, shape (users,): 1 where it names none."""
    named = dict(schedule.policy.shares.of_user)
    return np.array([named.get(name, 1.0) for name in schedule.trace.user.names])


def _shares_of_accounts(schedule: Schedule, weight: Floats, shares: Floats) -> Floats:
    """The shares of accounts, shape (accounts,): the sum of those of their users, shape (users,).

    The share of a user of several accounts is divided among them as the user's use is.
    """
    trace = schedule.trace
    used = np.where(schedule.ran, weight * schedule.runtime, 0.0)
    used_of_user = np.bincount(trace.user.codes, used, len(shares))[trace.user.codes]
    part = np.divide(used, used_of_user, out=np.zeros(len(used)), where=used_of_user > 0)
    part = part * shares[trace.user.codes]
    return np.bincount(trace.group.codes, part, len(trace.group.names)).astype(float)


def _areas(trace: Trace, owner: Names) -> Floats:
    """Processor-seconds of each owner of jobs, shape (owners,), by which they have their colours."""
    return np.bincount(owner.codes, trace.procs * trace.runtime, len(owner.names)).astype(float)


def _use(schedule: Schedule, weight: Floats, jobs: NDArray[np.bool_]) -> UseOverTime:
    from engine.fairness.use_over_time import UseOverTime

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
    from engine.fairness.filling import share_filling

    violations, schedule = result.violations, result.schedule
    if violations is None or violations.capacity is None:
        return None
    trace = schedule.trace
    jobs = np.flatnonzero(schedule.ran & (trace.user.codes == user))
    # Blocks are filled in the order of submission, which decides who gets the earlier place.
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
    colour = user_colours(trace.user.names, _areas(trace, trace.user))[user]
    return UserFilling(
        user, trace.user.shown[user], colour, capacity, jobs, blocks, violations.violated[jobs]
    )
