"""Writing a schedule as a trace in the Standard Workload Format, for other programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.atomic import write_atomically
from engine.schedule.schedule import Schedule
from engine.shown_text import in_a_line
from engine.trace.dependencies import as_submitted
from engine.trace.status import CANCELLED
from engine.trace.swf_text import swf_header, swf_lines
from engine.trace.trace import MISSING


def write_swf(schedule: Schedule, path: Path) -> None:
    """Write a schedule with the waits, runtimes and processors that it gave its jobs.

    Jobs that were not run are records without wait, runtime and allocated processors, with
    the status of a cancelled job. RAM is KB a processor, rounded up. Names that are not all
    numbers are numbered from 1, and header lines say which is which. Runs of jobs that
    a workload adds are records of their own, with numbers behind those of the log. The file
    appears complete or not at all. Raises OSError where it cannot be written.
    """
    schedule = _with_added(schedule) if len(schedule.added) else schedule
    shown = as_submitted(schedule.trace, schedule.submit)
    trace, jobs, ran = shown.trace, shown.job, schedule.ran[shown.job]

    def fill(part: Path) -> None:
        # The names of files, which are quoted, may hold bytes that are no UTF-8.
        with part.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            conversion = f"{trace.shown_name} under {in_a_line(schedule.policy.spelling)}"
            file.writelines(swf_header(trace, schedule.cluster, conversion))
            lines = swf_lines(
                trace,
                wait=schedule.wait[jobs],
                runtime=np.where(ran, schedule.runtime[jobs], MISSING),
                allocated=np.where(ran, schedule.procs[jobs], MISSING),
                status=np.where(ran, trace.status, CANCELLED),
            )
            file.writelines(lines)

    write_atomically(path, fill)


def _with_added(schedule: Schedule) -> Schedule:
    """The times and processors of all runs, those of added jobs each behind the job that it is like."""
    trace, added = schedule.trace, schedule.added
    rows = np.concatenate((np.arange(len(trace)), added.job))
    order = np.argsort(rows, kind="stable")  # the job itself comes first
    like, is_added = rows[order], order >= len(trace)
    ids = trace.job_id[like]
    if ids.dtype.kind == "i":
        ids[is_added] = ids.max() + 1 + np.arange(len(added))
    else:
        ids = np.where(is_added, np.char.add(ids.astype(str), "+"), ids.astype(str))
    return replace(
        schedule,
        trace=replace(trace.take(like), job_id=ids, copies=None),
        start=np.concatenate((schedule.start, added.start))[order],
        end=np.concatenate((schedule.end, added.end))[order],
        procs=np.concatenate((schedule.procs, trace.procs[added.job]))[order],
        came=None if schedule.came is None else schedule.came[like],
    )
