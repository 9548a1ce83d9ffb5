"""Predicted starts: what a user was told first of when the job would start, and how that came true."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.schedule.schedule import Decision, Schedule

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TOLERANCE = 60
"""A start within so many seconds of the predicted one is on time."""


class Accuracy(NamedTuple):
    """How many of the predicted starts came early, on time and late, in %; together 100."""

    early: float
    on_time: float
    late: float


def first_starts(schedule: Schedule) -> Ints:
    """When each job started for the first time, be it that a failure stopped it then, s; shape (n,).

    NOT_RUN where it never completed.
    """
    start = schedule.start.copy()
    np.minimum.at(start, schedule.stopped.job, schedule.stopped.start)
    return start


def prediction_errors(schedule: Schedule) -> Floats:
    """By how much each job started later than first predicted, s, below 0: earlier; shape (n,).

    The prediction is the first reservation that the decision log tells of the job: its planned start
    at arrival where every job has one, even where it was planned anew and started in that second, else that
    of the pass at which its turn to reserve came. A job that starts when it is submitted, and had no
    reservation, is on time. NaN where nothing was predicted
    before it started (it was backfilled), or it never completed. Klusacek, Chlumsky & Rudova 2014 rate
    planned starts so.
    """
    log, submit = schedule.log, schedule.submit
    start = first_starts(schedule)
    rows = np.flatnonzero(log.kind == Decision.RESERVED)[::-1]
    rows = rows[log.time[rows] <= start[log.job[rows]]]
    errors = np.where(start == submit, 0.0, np.nan)
    job = log.job[rows]
    errors[job] = start[job] - log.value[rows]  # of several rows of a job the last one here: its first
    return np.where(schedule.ran, errors, np.nan)


def accuracy(errors: Floats) -> Accuracy | None:
    """The shares of `errors`, s, NaN left out; None where nothing is left."""
    known = errors[~np.isnan(errors)]
    if len(known) == 0:
        return None
    early, late = (100.0 * float(side.mean()) for side in (known < -TOLERANCE, known > TOLERANCE))
    on_time = 100.0 * float((np.abs(known) <= TOLERANCE).mean())
    return Accuracy(early, on_time, late)
