"""A schedule as a trace in the Standard Workload Format: what another program reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.atomic import write_atomically
from engine.schedule.schedule import Schedule
from engine.trace.trace import MISSING, Names

_ROW = " ".join(["%d"] * 18) + "\n"
_BLOCK = 10_000
_CANCELLED = 5


def write_swf(schedule: Schedule, path: Path) -> None:
    """Write a schedule with the waits, runtimes and processors that it gave its jobs.

    Jobs that were not run are records without wait, runtime and allocated processors, with
    the status of a cancelled job. RAM is KB a processor, rounded up. Names that are not all
    numbers are numbered from 1, and header lines say which is which. The file appears
    whole or not at all. Raises OSError where it cannot be written.
    """

    def fill(part: Path) -> None:
        # The names of files, which are quoted, may hold bytes that are no UTF-8.
        with part.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(_header(schedule))
            file.writelines(_lines(schedule))

    write_atomically(path, fill)


def _header(schedule: Schedule) -> Iterator[str]:
    trace, cluster = schedule.trace, schedule.cluster
    yield "; Version: 2.2\n"
    yield f"; Conversion: Batchscope, {_one_line(trace.name)} under {schedule.policy.spelling}\n"
    yield f"; MaxJobs: {len(trace)}\n; MaxRecords: {len(trace)}\n"
    yield f"; UnixStartTime: {trace.zero}\n; TimeZoneString: {trace.timezone}\n"
    yield f"; MaxNodes: {cluster.nodes}\n; MaxProcs: {cluster.cpus}\n"
    for label, column in (
        ("Queue", trace.queue),
        ("User", trace.user),
        ("Group", trace.group),
        ("Executable", trace.executable),
    ):
        if not _are_numbers(column):
            for number, name in enumerate(column.names, 1):
                yield f"; {label}: {number} {_one_line(name)}\n"


def _lines(schedule: Schedule) -> Iterator[str]:
    trace, ran = schedule.trace, schedule.ran
    n = len(trace)
    ids = trace.job_id if trace.job_id.dtype.kind == "i" else np.arange(1, n + 1)
    missing = np.full(n, MISSING)
    kilobytes = np.where(trace.ram > 0, -(-(trace.ram << 10) // np.maximum(trace.procs, 1)), MISSING)
    columns = (
        ids,
        trace.submit,
        schedule.wait,
        np.where(ran, schedule.runtime, MISSING),
        np.where(ran, schedule.procs, MISSING),
        missing,
        missing,
        trace.procs,
        trace.walltime,
        kilobytes,
        np.where(ran, trace.status, _CANCELLED),
        _numbers(trace.user),
        _numbers(trace.group),
        _numbers(trace.executable),
        _numbers(trace.queue),
        missing,
        trace.preceding,
        trace.think_time,
    )
    for begin in range(0, n, _BLOCK):
        block = [column[begin : begin + _BLOCK].tolist() for column in columns]
        yield "".join([_ROW % row for row in zip(*block, strict=True)])


def _are_numbers(column: Names) -> bool:
    """Whether every name is a number as this format spells it."""
    return all(name.removeprefix("-").isdecimal() and name == _plain(name) for name in column.names)


def _plain(name: str) -> str:
    return str(int(name)) if len(name) <= 15 else ""


def _numbers(column: Names) -> NDArray[np.int64]:
    """The number of each job's name, shape (n,)."""
    if _are_numbers(column):
        return np.array([int(name) for name in column.names], np.int64)[column.codes]
    return column.codes.astype(np.int64) + 1


def _one_line(text: str) -> str:
    return " ".join(text.split())
