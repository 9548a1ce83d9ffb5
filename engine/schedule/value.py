"""The value of schedules for users: delivered value, and payments.

Van den Bossche, Vanmechelen & Broeckhove 2011, section 5.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.policy.payment import payments, values_of
from engine.schedule.responses import slowdown
from engine.schedule.schedule import Schedule
from engine.trace import Names
from engine.value.tolerance import DELTA, TOLERANCES

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Value = float | int | None


def delivered(schedule: Schedule, shape: str = "linear", delta: float = DELTA) -> Floats:
    """The remaining value of each job at its end, shape (n,); NaN if it was not run.

    `shape` is a name in TOLERANCES, `delta` the delay tolerance in runtimes.
    """
    return values_of(schedule.policy, schedule.trace) * TOLERANCES[shape](slowdown(schedule), delta)


def total_value(schedule: Schedule, jobs: Mask, shape: str = "linear", delta: float = DELTA) -> Value:
    """The aggregate value of some jobs (shape (n,), all run; equation 9); None without any."""
    return float(delivered(schedule, shape, delta)[jobs].sum()) if jobs.any() else None


def price_groups(schedule: Schedule) -> Names:
    """The priced queue of each job, the cheapest first; without such queues all jobs form a single group."""
    paid = payments(schedule.policy, schedule.trace)
    if schedule.policy.order != "queues" or paid is None:
        word = "nothing is sold" if paid is None else "auction"
        return Names(np.zeros(len(schedule.trace), np.int32), (word,))
    prices, codes = np.unique(paid, return_inverse=True)
    return Names(codes.astype(np.int32), tuple(f"price {price:,.10g}" for price in prices))
