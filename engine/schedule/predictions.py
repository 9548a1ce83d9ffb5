"""Predicted starts: the first planned start of each job, and its accuracy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.schedule.schedule import Decision, Schedule

TOLERANCE = 60
"""A start within this many seconds of the predicted one is on time."""


class StartAccuracy(NamedTuple):
    """The shares of predicted starts that came early, on time and late, in %; their sum is 100."""

    early: float
    on_time: float
    late: float


def first_starts(schedule: Schedule) -> Ints:
    """The first start of each job, also of a run that a failure stopped, s; shape (n,).

    NOT_RUN where it never completed.
    """
    start = schedule.start.copy()
    np.minimum.at(start, schedule.stopped.job, schedule.stopped.start)
    return start


def prediction_errors(schedule: Schedule) -> Floats:
    """The delay of each job after its first predicted start, s, negative if earlier; shape (n,).

    The prediction is the job's first reservation in the decision log: its planned start at arrival if every
    job has a reservation, even if it was replanned and started in that second, otherwise that of the first
    pass that made a reservation for it. A job that starts at its submission without a reservation is on time.
    NaN if nothing was predicted before its start (it was backfilled), or if it never completed. Klusacek,
    Chlumsky & Rudova 2014 rate planned starts in this way.
    """
    log, submit = schedule.log, schedule.submit
    start = first_starts(schedule)
    rows = np.flatnonzero(log.kind == Decision.RESERVED)[::-1]
    rows = rows[log.time[rows] <= start[log.job[rows]]]
    errors = np.where(start == submit, 0.0, np.nan)
    job = log.job[rows]
    # Rows are assigned from the last to the first, so that a job's first reservation remains.
    errors[job] = start[job] - log.value[rows]
    return np.where(schedule.ran, errors, np.nan)


def accuracy(errors: Floats) -> StartAccuracy | None:
    """The % of early, punctual and late starts among `errors`, s, that are not NaN; None if all are."""
    known = errors[~np.isnan(errors)]
    if len(known) == 0:
        return None
    early, late = (100.0 * float(side.mean()) for side in (known < -TOLERANCE, known > TOLERANCE))
    on_time = 100.0 * float((np.abs(known) <= TOLERANCE).mean())
    return StartAccuracy(early, on_time, late)
