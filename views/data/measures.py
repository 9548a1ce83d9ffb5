"""What distributions compare: values of jobs, and what becomes of them over a group of jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.estimate.accuracy import estimate_ratio
from engine.metrics.groups import GROUPINGS
from engine.schedule.responses import bounded_slowdown, response
from engine.trace import Names
from views.data.results import Result
from views.text.values import duration, number, percent

Floats = NDArray[np.float64]

Over = Literal["user", "queue", "class", "job"]

OVERS: dict[Over, str] = {"user": "users", "queue": "queues", "class": "size classes", "job": "jobs"}
"""What values are told of, and what several are called."""


@dataclass(frozen=True)
class Measure:
    """One value a job, and one a group of jobs: a user, a queue, a class of size and runtime.

    `of_jobs` gives a value for each job of the trace, shape (n,), or None where it was not
    computed; a group has the mean over its jobs, their sum with `summed`, or what
    `of_groups` says. Without a `job_title` a single job has no such value worth showing.
    `percentage` measures lie between 0 and 100, ticks of `durations` at minutes, hours, days.
    """

    name: str
    title: str
    job_title: str
    axis: str  # what the numbers on the axis are
    text: str
    show: Callable[[float | None], str]
    of_jobs: Callable[[Result], Floats | None]
    summed: bool = False
    of_groups: Callable[[Result, Names], Floats] | None = None
    percentage: bool = False
    durations: bool = False

    def title_over(self, over: Over) -> str:
        """What the values are called."""
        return (self.job_title if over == "job" else "") or self.title

    def values(self, result: Result, over: Over) -> Floats | None:
        """The value of each job, user, queue or class, NaN without measured jobs; None: not computed.

        Shape (n,) for jobs, else (groups,) by the codes of the grouping.
        """
        if over == "job" and not self.job_title:
            return None
        if over != "job" and self.of_groups is not None:
            return self.of_groups(result, GROUPINGS[over](result.schedule.trace))
        values = self.of_jobs(result)
        if values is None:
            return None
        if over == "job":
            return np.where(result.measured, values, np.nan)
        return self._combined(result, values, GROUPINGS[over](result.schedule.trace))

    def _combined(self, result: Result, values: Floats, groups: Names) -> Floats:
        code, many = groups.codes[result.measured], len(groups.names)
        count = np.bincount(code, minlength=many)
        sums = np.bincount(code, values[result.measured], many)
        return np.where(count > 0, sums / (1 if self.summed else np.maximum(count, 1)), np.nan)


def _violated(result: Result) -> Floats | None:
    return None if result.violations is None else np.where(result.violations.violated, 100.0, 0.0)


def _tardiness(result: Result) -> Floats | None:
    return None if result.violations is None else result.violations.tardiness.astype(np.float64)


def _weighted_tardiness(result: Result) -> Floats | None:
    tardiness = _tardiness(result)
    return None if tardiness is None else np.asarray(result.schedule.procs * tardiness, np.float64)


def _wait(result: Result) -> Floats:
    return result.schedule.wait.astype(np.float64)


def _response(result: Result) -> Floats:
    return response(result.schedule).astype(np.float64)


def _estimate_ratio(result: Result) -> Floats | None:
    schedule = result.schedule
    if schedule.estimate is None:
        return None
    return estimate_ratio(schedule.estimate, np.maximum(schedule.runtime, 1))


def _normalized_wait(result: Result) -> Floats:
    schedule = result.schedule
    return np.asarray(_wait(result) / np.maximum(schedule.procs * schedule.runtime, 1), np.float64)


def _normalized_waits(result: Result, groups: Names) -> Floats:
    from engine.metrics.nuwt import normalized_user_waits

    return normalized_user_waits(result.schedule, result.measured, groups)


MEASURES = {
    measure.name: measure
    for measure in (
        Measure(
            "veet",
            "Violated EET",
            "",
            "% of the jobs",
            "VEET: how many of the jobs end after their expected end time, in %.",
            percent,
            _violated,
            percentage=True,
        ),
        Measure(
            "wt",
            "Weighted tardiness",
            "Weighted tardiness",
            "processor time",
            "WT: by how much jobs end after their expected end times, each weighed by its processors.",
            duration,
            _weighted_tardiness,
            summed=True,
            durations=True,
        ),
        Measure(
            "wait",
            "Mean wait",
            "Wait",
            "time",
            "Time from submission to start.",
            duration,
            _wait,
            durations=True,
        ),
        Measure(
            "bounded_slowdown",
            "Mean bounded slowdown",
            "Bounded slowdown",
            "ratio",
            "max(1, response / max(runtime, 10 s)).",
            number,
            lambda result: bounded_slowdown(result.schedule),
        ),
        Measure(
            "response",
            "Mean response",
            "Response",
            "time",
            "Time from submission to end.",
            duration,
            _response,
            durations=True,
        ),
        Measure(
            "tardiness",
            "Mean tardiness",
            "Tardiness",
            "time",
            "By how much jobs end after their expected end times.",
            duration,
            _tardiness,
            durations=True,
        ),
        Measure(
            "nuwt",
            "Normalized wait",
            "Normalized wait",
            "seconds a processor-second",
            "NUWT: the time that jobs waited for each processor-second that they got.",
            number,
            _normalized_wait,
            of_groups=_normalized_waits,
        ),
        Measure(
            "estimate_ratio",
            "Mean estimate / runtime",
            "Estimate / runtime",
            "ratio",
            "The runtime estimated at submission over the runtime: 1 is right, less is too short.",
            number,
            _estimate_ratio,
        ),
    )
}
"""Measures by name."""

OVERVIEW = ("veet", "wt", "wait", "bounded_slowdown")
"""The four by which users are compared first (the first two: Toth & Klusacek 2014)."""

OVERVIEW_OF_JOBS = ("tardiness", *OVERVIEW[1:])
"""The same of single jobs: each is violated or not, but late by so much."""
