"""Quantities of jobs under a schedule that need more than a column of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.policy.offers import values_of
from engine.quantities.quantity import Jobs
from engine.schedule.backfills import NOBODY, passed_first
from engine.schedule.predictions import first_starts
from engine.schedule.responses import response
from engine.schedule.schedule import NOT_RUN, Decision
from engine.schedule.value import delivered, payments
from engine.trace import MISSING, Names


def estimate_ratio(jobs: Jobs) -> Floats:
    """E / D of each job, both of at least 1 s, shape (n,)."""
    estimate = jobs.known_schedule.estimate
    assert estimate is not None
    ratio = np.maximum(estimate, 1) / np.maximum(jobs.known_schedule.runtime, 1)
    return np.where(estimate == MISSING, np.nan, ratio)


def late(jobs: Jobs) -> NDArray[np.int64]:
    """The tardiness of each job after its expected end, s, shape (n,)."""
    assert jobs.tardiness is not None
    return jobs.tardiness


def fair_slowdown(jobs: Jobs) -> Floats:
    """F / (EET - s) of each job, shape (n,): of at least a second."""
    assert jobs.eet is not None
    return np.asarray(response(jobs.known_schedule) / np.maximum(jobs.eet - jobs.known_schedule.submit, 1))


def change(jobs: Jobs) -> Floats:
    """By how much each job starts later than in the other run, s, shape (n,)."""
    assert jobs.baseline is not None
    return np.where(jobs.baseline.ran, jobs.known_schedule.start - jobs.baseline.start, np.nan)


def unfair_delay(jobs: Jobs) -> Floats:
    """The delay of each job's start after its fair start, s, shape (n,).

    For a job that failures stopped the first start counts.
    """
    run = jobs.known_schedule
    assert run.fair_start is not None
    return np.where(run.fair_start == NOT_RUN, np.nan, first_starts(run) - run.fair_start)


def backfilled(jobs: Jobs) -> NDArray[np.int64]:
    """The number of waiting jobs that each job overtook by backfilling, shape (n,)."""
    log = jobs.known_schedule.log
    return np.bincount(log.job[log.kind == Decision.BACKFILLED], minlength=len(jobs))


def past_whom(jobs: Jobs) -> Names:
    """The number of the job that each was backfilled past, of several the first in the queue; or empty."""
    passed, codes = np.unique(passed_first(jobs.known_schedule), return_inverse=True)
    names = ("" if job == NOBODY else str(jobs.trace.job_id[job]) for job in passed.tolist())
    return Names(codes.astype(np.int32), tuple(names))


def value_left(jobs: Jobs) -> Floats:
    """The value of each job that is left for its user, shape (n,)."""
    return delivered(jobs.known_schedule)


def value_lost(jobs: Jobs) -> Floats:
    """The lost value of each job, shape (n,)."""
    return values_of(jobs.known_schedule.policy, jobs.trace) - value_left(jobs)


def payment(jobs: Jobs) -> Floats:
    """The payment for each job, shape (n,)."""
    paid = payments(jobs.known_schedule)
    assert paid is not None
    return paid
