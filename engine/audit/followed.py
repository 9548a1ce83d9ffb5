"""A schedule whose jobs follow others, as one of jobs that came when it says that they did."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.audit.table import ScheduleTable, Submissions
from engine.trace.dependencies import NOBODY, as_submitted, predecessors, think_times

Ints = NDArray[np.int64]


def as_followed(table: ScheduleTable) -> ScheduleTable:
    """The same runs of the trace as it must have been submitted: without dependencies, and in that order.

    A job comes at the end of the run of the one that it follows, and its think time after it; where that one
    was not run, when the schedule says, else when the log says.
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
    """When each job of the trace must have been submitted by the ends of the schedule, shape (n,), s.

    Of jobs that were not run nothing but what the schedule or else the log says is known.
    """
    trace = table.trace
    ahead, submit = predecessors(trace), np.array(trace.submit)
    follows = np.flatnonzero(ahead != NOBODY)
    row = table.first_row[ahead[follows]]
    known = (row >= 0) & (table.first_row[follows] >= 0)
    end = np.floor(table.end[row[known]])
    submit[follows[known]] = end.astype(np.int64) + think_times(trace)[follows[known]]
    said = np.full(len(trace), np.nan)
    said[table.submitted.job] = table.submitted.time
    other = follows[~known]
    other = other[np.isfinite(said[other])]
    submit[other] = np.floor(said[other]).astype(np.int64)
    return submit
