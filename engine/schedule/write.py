"""Writing a schedule as a trace in the Standard Workload Format, for other programs."""

from __future__ import annotations

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
    numbers are numbered from 1, and header lines say which is which. The file appears
    complete or not at all. Raises OSError where it cannot be written.
    """
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
