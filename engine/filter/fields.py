"""What a filter can ask of a job: one table of fields, which completion, help and tables of jobs share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.filter.values import AMOUNT, AREA, COUNT, DURATION, MOMENT, NAME, RATIO, Kind
from engine.schedule.responses import bounded_slowdown, estimate_ratio, response, slowdown
from engine.schedule.schedule import Schedule
from engine.trace import MISSING, Names, Trace

Values = NDArray[Any] | Names
Floats = NDArray[np.float64]

STATUSES = {
    -1: "unknown",
    0: "failed",
    1: "completed",
    2: "partial",
    3: "last-partial",
    4: "failed-partial",
    5: "cancelled",
}
"""What the Standard Workload Format's numbers in the column status say."""


@dataclass(frozen=True, eq=False)
class Jobs:
    """The jobs of a trace and, where it is known, how they fared under a schedule of it.

    `tardiness`, shape (n,), is how late each ended after its expected end, in seconds.
    """

    trace: Trace
    schedule: Schedule | None = None
    tardiness: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.trace)


@dataclass(frozen=True, eq=False)
class Field:
    """One property of a job.

    `values` gives one value a job, shape (n,): a number, NaN where there is none, or a name.
    `of_run` fields belong to a schedule: without one no job has a value.
    """

    name: str
    kind: Kind
    help: str
    values: Callable[[Jobs], Values]
    of_run: bool = False


def _given(values: NDArray[np.int64]) -> Floats:
    """Numbers of a column of the log, NaN where it has none."""
    return np.where(values == MISSING, np.nan, values)


def _of_run(value: Callable[[Schedule], NDArray[Any]]) -> Callable[[Jobs], Floats]:
    """A value under the schedule; NaN without one, and for jobs that were not run."""

    def values(jobs: Jobs) -> Floats:
        if jobs.schedule is None:
            return np.full(len(jobs), np.nan)
        return np.where(jobs.schedule.ran, value(jobs.schedule), np.nan)

    return values


def _late(jobs: Jobs) -> Floats:
    if jobs.schedule is None or jobs.tardiness is None:
        return np.full(len(jobs), np.nan)
    return np.where(jobs.schedule.ran, jobs.tardiness, np.nan)


def _status(jobs: Jobs) -> Names:
    numbers, codes = np.unique(jobs.trace.status, return_inverse=True)
    return Names(codes.astype(np.int32), tuple(STATUSES.get(int(k), str(k)) for k in numbers))


_FIELDS = (
    Field("job", NAME, "the job's number in the log", lambda jobs: jobs.trace.job_id),
    Field("user", NAME, "who submitted it", lambda jobs: jobs.trace.user),
    Field("group", NAME, "the user's group", lambda jobs: jobs.trace.group),
    Field("queue", NAME, "the queue it was submitted to", lambda jobs: jobs.trace.queue),
    Field("status", NAME, "how it ended in the log: completed, failed, cancelled", _status),
    Field("procs", COUNT, "processors it asks for", lambda jobs: jobs.trace.procs),
    Field("ram", AMOUNT, "RAM of the whole job, like 512m or 4g", lambda jobs: _given(jobs.trace.ram)),
    Field("walltime", DURATION, "the time it asks for, like 30m or 2h", lambda jobs: jobs.trace.walltime),
    Field("runtime", DURATION, "the time it runs for", lambda jobs: jobs.trace.runtime),
    Field(
        "area", AREA, "processors times runtime, in processor time", lambda j: j.trace.procs * j.trace.runtime
    ),
    Field("submit", MOMENT, "when it came: a date, or time since the log's zero", lambda j: j.trace.submit),
    Field("start", MOMENT, "when it starts in the run", _of_run(lambda s: s.start), of_run=True),
    Field("end", MOMENT, "when it ends in the run", _of_run(lambda s: s.end), of_run=True),
    Field("wait", DURATION, "from submission to start in the run", _of_run(lambda s: s.wait), of_run=True),
    Field("response", DURATION, "from submission to end in the run", _of_run(response), of_run=True),
    Field("slowdown", RATIO, "response / runtime in the run", _of_run(slowdown), of_run=True),
    Field(
        "bounded_slowdown",
        RATIO,
        "max(1, response / max(runtime, 10 s)) in the run",
        _of_run(bounded_slowdown),
        of_run=True,
    ),
    Field("estimate", RATIO, "estimated runtime / runtime in the run", _of_run(estimate_ratio), of_run=True),
    Field("late", DURATION, "by how much it ends after its expected end in the run", _late, of_run=True),
)

FIELDS = {field.name: field for field in _FIELDS}
"""All fields by name, in the order in which help lists them."""
