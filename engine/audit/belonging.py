"""The distinction between a schedule of a trace and another log, for a table of jobs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from engine.audit.table import ScheduleTable, read_table
from engine.errors import InputError
from engine.trace import Trace
from engine.trace.dependencies import NOBODY, predecessors

_TABLE = re.compile(r".*\.(?:csv|parquet)(?:\.(?:gz|bz2|xz|zst))?", re.IGNORECASE)
_MOST = 0.9
"""Such a part of its rows at least are of jobs of the trace: cleaning may have left some out of that."""
_CLOSE = 1.0
"""Seconds by which times may differ: traces have whole seconds, and round runtimes up."""
_FEWEST = 2  # jobs: the submission of a single job fits any trace


def is_table_name(path: Path) -> bool:
    """Whether a file may be a schedule by its name. One in the Standard Workload Format is a log, always."""
    return _TABLE.fullmatch(path.name) is not None


def is_schedule_of(path: Path, trace: Trace) -> bool:
    """Whether a CSV or Parquet file gives the jobs of this trace other starts than the log does.

    Its jobs are those of the trace if nearly all ids are known and have the same submissions; if it has
    no submissions, if they have the same runtimes. A file that cannot be read is not a schedule.
    """
    if not is_table_name(path):
        return False
    try:
        table = read_table(path, trace)
    except (InputError, OSError):
        return False
    return _same_jobs(table) and not _as_recorded(table)


def _same_jobs(table: ScheduleTable) -> bool:
    trace, job, came = table.trace, *table.submitted
    if len(table.job) < _FEWEST or len(job) < _MOST * (len(job) + len(table.unknown)):
        return False
    has_submit = ~np.isnan(came)
    if trace.dependencies:  # submissions of jobs that follow others depend on the schedule
        has_submit &= predecessors(trace)[job] == NOBODY
    if has_submit.any():
        differ = came[has_submit] - trace.submit[job[has_submit]]
    elif table.has_end.any():
        row = table.has_end
        differ = table.end[row] - table.start[row] - table.runtime[table.job[row]]
    else:
        return False
    return bool(np.mean(np.abs(differ) <= _CLOSE) >= _MOST)


def _as_recorded(table: ScheduleTable) -> bool:
    """Whether jobs start as in the log: then the table is the log, or a copy of it."""
    trace, job = table.trace, table.job
    known = trace.wait[job] >= 0
    start = (trace.submit + trace.wait)[job]
    return bool(known.any() and (np.abs(table.start - start)[known] <= _CLOSE).all())
