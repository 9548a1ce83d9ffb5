"""Schedules of traces with dependencies, checked with the submissions that their ends imply."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.arrays import Ints
from engine.audit.table import ScheduleTable, Submissions
from engine.trace.dependencies import NOBODY, as_submitted, predecessors, think_times


def as_followed(table: ScheduleTable) -> ScheduleTable:
    """The table for a trace without dependencies, whose jobs have the submissions that the schedule implies.

    A job is submitted its think time after the end of the job that it follows; if that one
    was not run, when the schedule says, or else when the log says.
    """
    shown = as_submitted(table.trace, implied_submissions(table))
    place = shown.back(np.arange(len(table.trace)))
    return replace(
        table,
        trace=shown.trace,
        job=place[table.job],
        submitted=Submissions(place[table.submitted.job], table.submitted.time),
        pieces=None if table.pieces is None else table.pieces.take(shown.job),
    )


def implied_submissions(table: ScheduleTable) -> Ints:
    """The submission of each job of the trace that the ends of the schedule imply, shape (n,), s.

    For jobs that were not run it is that of the schedule, or else of the log.
    """
    trace = table.trace
    ahead, submit = predecessors(trace), np.array(trace.submit)
    follows = np.flatnonzero(ahead != NOBODY)
    row = table.first_row[ahead[follows]]
    # When the second job came can be derived from the end of the first only if both ran.
    known = (row >= 0) & (table.first_row[follows] >= 0)
    # The simulator counts whole seconds, so the second in which a job ends counts.
    end = np.floor(table.end[row[known]])
    submit[follows[known]] = end.astype(np.int64) + think_times(trace)[follows[known]]
    stated = np.full(len(trace), np.nan)
    stated[table.submitted.job] = table.submitted.time
    # For all others the submission that the schedule states counts, if it states any.
    other = follows[~known]
    other = other[np.isfinite(stated[other])]
    submit[other] = np.floor(stated[other]).astype(np.int64)
    return submit
