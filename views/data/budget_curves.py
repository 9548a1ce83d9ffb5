"""The budgets of users over a run, and what is left of them at its end. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.schedule.budgets import balances
from engine.schedule.value import users_priced_out
from engine.spelling import DAY
from views.data.results import Result

Floats = NDArray[np.float64]

_INSTANTS = 400
"""Points of a curve over time."""


class Budgets(NamedTuple):
    """The credits of the users whose jobs are measured, under a run with budgets."""

    days: Floats  # (k,) days since the first submission
    mean: Floats  # (k,) credits that users have on average
    unspent: Floats  # (users,) credits that each has at the last start, ascending
    priced_out: int  # users who waited for thirty days on end without a start


def have_budgets(results: Sequence[Result]) -> bool:
    """Whether any of the runs has budgets."""
    return any(result.schedule.policy.budget for result in results)


def budgets_of(result: Result) -> Budgets | None:
    """The budgets under a run; None where it has none, or nothing is measured.

    Takes time in the number of jobs.
    """
    schedule = result.schedule
    chosen = schedule.ran & result.measured
    if not schedule.policy.budget or schedule.prices_paid is None or not chosen.any():
        return None
    first, last = int(schedule.submit[chosen].min()), int(schedule.start[schedule.ran].max())
    times = np.linspace(first, max(last, first), _INSTANTS).astype(np.int64)
    left = balances(schedule, times)[:, np.unique(schedule.trace.user.codes[chosen])]
    return Budgets(
        (times - first) / DAY, left.mean(axis=1), np.sort(left[-1]), users_priced_out(schedule, chosen)
    )
