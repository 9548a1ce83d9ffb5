"""Faults of single jobs: missing, unknown, run twice, started early, of a wrong length or size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.audit.clock import DIGITS
from engine.audit.report import AuditFinding, Case, finding, number
from engine.audit.table import Ints, ScheduleTable


def check_jobs(
    table: ScheduleTable, refused: NDArray[np.bool_], procs: Ints, tolerance: float, goes_on: bool = False
) -> tuple[AuditFinding, ...]:
    """The checks of single jobs. Jobs `refused`, a mask (n,), need not run; `tolerance` is in s.

    `procs`, shape (n,), are the processors that each job takes.

    Where a job `goes_on` after failures, the schedule has its last run, which may be shorter than it.
    """
    unknown = [Case("", job) for job in table.unknown]
    return (
        *_missing(table, refused),
        *finding("unknown", "jobs that are not in the trace (or dropped from it)", unknown),
        *_twice(table),
        *_submitted(table, tolerance),
        *_early(table, tolerance),
        *_duration(table, tolerance, goes_on),
        *(() if goes_on else _spans(table, tolerance)),
        *_processors(table, procs),
    )


def _name(table: ScheduleTable, job: int) -> str:
    return str(table.trace.job_id[job])


def _missing(table: ScheduleTable, refused: NDArray[np.bool_]) -> tuple[AuditFinding, ...]:
    absent = np.flatnonzero((table.first_row < 0) & ~refused).tolist()
    submit = table.trace.submit
    cases = [Case("submitted then", _name(table, job), float(submit[job])) for job in absent]
    return finding("missing", "jobs that were not run", cases)


def _twice(table: ScheduleTable) -> tuple[AuditFinding, ...]:
    again = np.flatnonzero(table.first_row[table.job] != np.arange(len(table.job)))
    cases = [
        Case(
            f"run again; first at {number(table.start[table.first_row[table.job[row]]])} s",
            _name(table, table.job[row]),
            float(table.start[row]),
        )
        for row in again
    ]
    return finding("twice", "jobs that were run more than once", cases)


def _submitted(table: ScheduleTable, tolerance: float) -> tuple[AuditFinding, ...]:
    """The check of submissions, in whole seconds: the trace rounds fractional submissions down."""
    job, submitted = table.submitted
    wanted = table.trace.submit[job]
    away = np.abs(submitted - wanted)  # NaN where not given, which is never larger
    cases = [
        Case(
            f"is listed as submitted at {number(submitted[row])} s, not at {wanted[row]:,} s",
            _name(table, job[row]),
            float(wanted[row]),
            float(away[row]),
        )
        for row in np.flatnonzero((away >= 1) & (away > tolerance))
    ]
    return finding("submit", "jobs that were submitted at another time than in the trace", cases, "s")


def _early(table: ScheduleTable, tolerance: float) -> tuple[AuditFinding, ...]:
    # Rounded, since differences of fractional seconds carry an error of floating point numbers.
    early = np.round(table.trace.submit[table.job] - table.start, DIGITS)
    cases = [
        Case(
            f"started {number(early[row])} s before its submission",
            _name(table, table.job[row]),
            float(table.start[row]),
            float(early[row]),
        )
        for row in np.flatnonzero(early > tolerance)
    ]
    return finding("early", "jobs that started before the submission", cases, "s")


def _duration(table: ScheduleTable, tolerance: float, goes_on: bool) -> tuple[AuditFinding, ...]:
    """Whole seconds count: a fractional runtime is rounded up in the trace."""
    wanted = table.runtime[table.job]
    lasted = np.round(table.end - table.start, DIGITS)
    wrong = table.has_end & (np.abs(lasted - wanted) > tolerance) & (np.ceil(lasted) != wanted)
    # A job that goes on after failures ran before, for a time that the schedule does not tell: its last run
    # may be shorter, but not longer or empty.
    if goes_on:
        wrong &= (lasted > wanted) | (lasted <= 0)
    cases = [
        Case(
            f"ran for {number(lasted[row])} s, not {wanted[row]:,} s",
            _name(table, table.job[row]),
            float(table.start[row]),
            float(abs(lasted[row] - wanted[row])),
        )
        for row in np.flatnonzero(wrong)
    ]
    return finding("duration", "jobs that ran for another time than in the trace", cases, "s")


def _spans(table: ScheduleTable, tolerance: float) -> tuple[AuditFinding, ...]:
    """The check of given waits and runtimes against the given submission, start and end."""
    findings: list[AuditFinding] = []
    for name, column, by_times in table.spans:
        away = np.round(np.abs(column - by_times), DIGITS)  # NaN where not given, which is never larger
        cases = [
            Case(
                f"its {name} is listed as {number(column[row])} s; by its times it is "
                f"{number(by_times[row])} s",
                _name(table, table.job[row]),
                float(table.start[row]),
                float(away[row]),
            )
            for row in np.flatnonzero(away > tolerance)
        ]
        findings += finding(f"{name}_column", f"jobs whose {name} contradicts the times", cases, "s")
    return tuple(findings)


def _processors(table: ScheduleTable, procs: Ints) -> tuple[AuditFinding, ...]:
    if table.logged:
        return ()  # the log's own allocation cannot be wrong
    wanted = procs[table.job]
    cases = [
        Case(
            f"ran on {number(table.procs[row])} processors, not {wanted[row]:,}",
            _name(table, table.job[row]),
            float(table.start[row]),
            round(float(abs(table.procs[row] - wanted[row])), DIGITS),
        )
        for row in np.flatnonzero(table.has_procs & (table.procs != wanted))
    ]
    return finding("processors", "jobs that ran on another number of processors", cases, "processors")
