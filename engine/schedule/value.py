"""The value of schedules for users: delivered value, payments, and who is priced out.

Van den Bossche, Vanmechelen & Broeckhove 2011, section 5.1; values that fade and users priced out are ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.policy.offers import offers, values_of
from engine.schedule.predictions import first_starts
from engine.schedule.responses import slowdown
from engine.schedule.schedule import Schedule
from engine.spelling import DAY
from engine.trace import Names
from engine.value.tolerance import DELTA, TOLERANCES

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Value = float | int | None

PRICED_OUT = 30 * DAY
"""s after which a user who waits without any start is priced out."""


def delivered(schedule: Schedule, shape: str | None = None, delta: float = DELTA) -> Floats:
    """The value of each job that is left for its user, shape (n,); NaN if it was not run.

    `shape` is a name in TOLERANCES, `delta` the delay tolerance in runtimes. Without a shape it is what the
    policy's `fade` leaves at the start, or where values do not fade the linear tolerance. Of a job that was
    stopped for others, all waits count before its last start.
    """
    values, fade = values_of(schedule.policy, schedule.trace), schedule.policy.fade
    if shape is None and fade:
        return _faded(schedule, _last_waits(schedule))
    return values * TOLERANCES[shape or "linear"](slowdown(schedule), delta)


def _faded(schedule: Schedule, wait: Ints) -> Floats:
    """The value of each job that is left after these waits, (n,) s; NaN if it was not run."""
    values, fade = values_of(schedule.policy, schedule.trace), schedule.policy.fade
    return np.where(schedule.ran, values * fade.share(wait.astype(np.float64)), np.nan)


def _last_waits(schedule: Schedule) -> Ints:
    """How long each job waited until the start that counts, (n,) s."""
    if schedule.policy.preempt_value is None:
        return first_starts(schedule) - schedule.submit
    # A job that begins anew has waited until its last start, or users would gain by starts alone; one that
    # runs its rest ran in between.
    wait, stopped = schedule.start - schedule.submit, schedule.stopped
    if schedule.policy.on_failure == "continue":
        np.subtract.at(wait, stopped.job, stopped.end - stopped.start)
    return wait


def payments(schedule: Schedule) -> Floats | None:
    """What each job pays at its first start, shape (n,); None if nothing is sold.

    That is the price of its queue, its bid, or what the schedule says that its start displaced. Where it
    depends on the start it is NaN for a job that was not run.
    """
    if schedule.prices_paid is not None:
        return schedule.prices_paid
    offered, fade = offers(schedule.policy, schedule.trace), schedule.policy.fade
    if offered is None or schedule.policy.order != "auction" or not fade:
        return offered
    return np.maximum(_faded(schedule, first_starts(schedule) - schedule.submit), 0.0)


def users_priced_out(schedule: Schedule, jobs: Mask) -> int:
    """The number of users who waited for PRICED_OUT on end while none of these jobs, shape (n,), started.

    The jobs were all run. What starts again after a failure counts once.
    """
    chosen = np.flatnonzero(jobs)
    start, submit = first_starts(schedule)[chosen], schedule.submit[chosen]
    user = schedule.trace.user.codes[chosen]
    order = np.lexsort((start, user))
    out = 0
    for own in np.split(order, np.flatnonzero(np.diff(user[order])) + 1) if len(order) else []:
        # Up to each start its user waits since the first submission of what is still to start, at most since
        # the start before.
        since = np.minimum.accumulate(submit[own][::-1])[::-1]
        before = np.concatenate((since[:1], start[own][:-1]))
        out += bool((start[own] - np.maximum(since, before) >= PRICED_OUT).any())
    return out


def credits_unspent(schedule: Schedule, jobs: Mask) -> float | None:
    """The credits that users with any of these jobs, shape (n,), have left; None without budgets."""
    if schedule.credits_left is None:
        return None
    users = np.unique(schedule.trace.user.codes[jobs])
    return float(schedule.credits_left[users].sum())


def total_value(schedule: Schedule, jobs: Mask, shape: str | None = None, delta: float = DELTA) -> Value:
    """The aggregate value of some jobs (shape (n,), all run; equation 9); None without any."""
    return float(delivered(schedule, shape, delta)[jobs].sum()) if jobs.any() else None


def price_groups(schedule: Schedule) -> Names:
    """The priced queue of each job, the cheapest first; without such queues all jobs form a single group."""
    paid = offers(schedule.policy, schedule.trace)
    if schedule.policy.order != "queues" or paid is None:
        word = "nothing is sold" if paid is None else "auction"
        return Names(np.zeros(len(schedule.trace), np.int32), (word,))
    prices, codes = np.unique(paid, return_inverse=True)
    return Names(codes.astype(np.int32), tuple(f"price {price:,.10g}" for price in prices))
