"""The budgets of users in an auction over time, from what jobs paid and what users got since."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.schedule.predictions import first_starts
from engine.schedule.schedule import Schedule

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def balances(schedule: Schedule, times: Ints) -> Floats:
    """The credits that each user has left at `times`, (k,) s, behind what happens in these seconds.

    Shape (k, users). The policy must have budgets. Takes time in the number of jobs.
    """
    budget, paid = schedule.policy.budget, schedule.prices_paid
    assert budget.credits is not None
    assert paid is not None
    users = len(schedule.trace.user.names)
    left = np.full((len(times), users), budget.credits)
    there = ~schedule.refused
    if not there.any():
        return left
    zero = int(schedule.submit[there].min())
    start = first_starts(schedule)
    payers = np.flatnonzero(schedule.ran & (np.nan_to_num(paid) > 0))
    payers = payers[np.argsort(start[payers], kind="stable")]
    user = schedule.trace.user.codes[payers]
    for code in range(users):
        own = payers[user == code]
        # What the user has behind each payment, and at how many refills that was.
        moments, had, held = [zero], [budget.credits], budget.credits
        for job in own.tolist():
            held = _filled(schedule, zero, held, moments[-1], int(start[job])) - float(paid[job])
            moments.append(int(start[job]))
            had.append(held)
        at = np.maximum(np.searchsorted(np.array(moments), times, side="right") - 1, 0)
        since = np.array(moments)[at]
        more = _refills(schedule, zero, times) - _refills(schedule, zero, since)
        left[:, code] = np.where(
            more > 0, np.minimum(budget.cap, np.array(had)[at] + more * budget.refill), np.array(had)[at]
        )
    return left


def _filled(schedule: Schedule, zero: int, held: float, since: int, until: int) -> float:
    """What is in a budget at `until`, s, that held so much at `since` and paid nothing in between."""
    budget = schedule.policy.budget
    before, after = _refills(schedule, zero, np.array([since, until]))
    return held if after == before else min(budget.cap, held + float(after - before) * budget.refill)


def _refills(schedule: Schedule, zero: int, times: Ints) -> Ints:
    """How often users got something up to these times, same shape, s; none at `zero` itself."""
    interval = schedule.policy.budget.interval
    if interval == 0:
        return np.zeros(len(times), np.int64)
    return np.maximum((times - zero) // interval, 0)
