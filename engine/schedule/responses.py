"""Response times, slowdowns and similar values of single jobs: a value for each job, by its index in the
trace.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Ints, Mask
from engine.schedule.schedule import Schedule
from engine.trace import MISSING

BOUND = 10
"""Seconds under which a runtime does not make a bounded slowdown any larger."""


def response(schedule: Schedule) -> Ints:
    """F = end - submit in seconds, shape (n,); MISSING where the job was not run."""
    return np.where(schedule.ran, schedule.end - schedule.submit, MISSING)


def slowdown(schedule: Schedule) -> Floats:
    """F / D, shape (n,), with a runtime of at least 1 s; NaN where the job was not run."""
    return _ratio(schedule, 1)


def bounded_slowdown(schedule: Schedule, bound: int = BOUND) -> Floats:
    """max(1, F / max(D, bound)), shape (n,); NaN where the job was not run.

    `bound` is in seconds (Goponenko et al. 2022, section II, after Feitelson et al. 1997).
    """
    return np.maximum(_ratio(schedule, bound), 1.0)


def measured(schedule: Schedule, jobs: Mask | None = None) -> Mask:
    """The jobs that metrics cover, shape (n,): the jobs that were run, among `jobs` if given."""
    return schedule.ran if jobs is None else schedule.ran & jobs


def _ratio(schedule: Schedule, least: int) -> Floats:
    ratio = response(schedule) / np.maximum(schedule.runtime, least)
    ratio[~schedule.ran] = np.nan
    return ratio
