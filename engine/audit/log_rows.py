"""The rows of a decision log as the audit reads them, and those that are not true as findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.audit.moments import AuditedRuns, runs_of
from engine.audit.report import AuditFinding, Case, finding
from engine.audit.table import Ints
from engine.schedule.schedule import Decision, Schedule

FalseRows = Iterator[tuple[int, str]]
"""Rows of the log that are not true, by their number, and what is true instead."""


@dataclass(frozen=True)
class KindRows:
    """The m rows of a kind; all columns have shape (m,)."""

    row: Ints  # number of the row in the log
    time: Ints  # s
    job: Ints  # index into the trace
    value: Ints

    def __len__(self) -> int:
        return len(self.row)

    def false(self, wrong: NDArray[np.bool_], text: str, *numbers: Ints) -> FalseRows:
        """The rows that are `wrong`, (m,), with a text of numbers, (m,) each."""
        for k in np.flatnonzero(wrong).tolist():
            yield int(self.row[k]), text.format(*(f"{int(number[k]):,}" for number in numbers))


class LogRows:
    """The decision log of a schedule, with its runs."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.submit = schedule.submit.astype(np.int64)
        # A job that never runs waits for ever.
        self.start = np.where(schedule.ran, schedule.start, np.iinfo(np.int64).max).astype(np.int64)

    @cached_property
    def runs(self) -> AuditedRuns:
        """All runs."""
        return runs_of(self.schedule)

    def of(self, kind: Decision) -> KindRows:
        """The rows of a kind that are in time."""
        return self._rows(np.flatnonzero((self.schedule.log.kind == kind) & ~self.untimely))

    @cached_property
    def untimely(self) -> NDArray[np.bool_]:
        """Which rows are of a job that did not wait then, (rows,)."""
        rows = self._rows(np.arange(len(self.schedule.log)))
        return ~self.waits(rows.time, rows.job)

    def waits(self, time: Ints, job: Ints) -> NDArray[np.bool_]:
        """Whether each job, (m,), waits at a time, (m,): also one that comes or starts in that second."""
        known = (job >= 0) & (job < len(self.submit))
        job, stopped = np.where(known, job, 0), self.schedule.stopped
        waits = known & (self.submit[job] <= time) & (time <= self.start[job])
        for run in range(len(stopped)):  # it ran, and waited again
            runs = (job == stopped.job[run]) & (time > stopped.start[run]) & (time < stopped.end[run])
            waits &= ~runs
        return np.asarray(waits)

    def finding(self, kind: str, text: str, rows: FalseRows) -> tuple[AuditFinding, ...]:
        """The rows as one finding, each with the job, the time, and what is true instead."""
        log, names = self.schedule.log, self.schedule.trace.job_id
        cases = [Case(words, str(names[log.job[row]]), float(log.time[row])) for row, words in sorted(rows)]
        return finding(f"false_{kind}", text, cases)

    def _rows(self, row: Ints) -> KindRows:
        log = self.schedule.log
        return KindRows(row, *(column[row].astype(np.int64) for column in (log.time, log.job, log.value)))
