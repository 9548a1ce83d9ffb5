"""Jobs as text in the Standard Workload Format: what other programs read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.arrays import Ints
from engine.machine.cluster import Cluster
from engine.shown_text import escaped
from engine.trace.dependencies import NOBODY, predecessors
from engine.trace.names import Names
from engine.trace.trace import MISSING, Trace

_ROW = " ".join(["%d"] * 18) + "\n"
_BLOCK = 10_000


def swf_header(trace: Trace, cluster: Cluster, conversion: str) -> Iterator[str]:
    """The header lines: `conversion` names the source of the file. Names that are not numbers are
    numbered, and written so that different names stay different, whatever their length.
    """
    yield "; Version: 2.2\n"
    yield f"; Conversion: Batchscope, {conversion}\n"
    yield f"; MaxJobs: {len(trace)}\n; MaxRecords: {len(trace)}\n"
    yield f"; UnixStartTime: {trace.zero}\n; TimeZoneString: {trace.timezone}\n"
    yield f"; MaxNodes: {cluster.nodes}\n; MaxProcs: {cluster.cpus}\n"
    for label, column in (
        ("Queue", trace.queue),
        ("User", trace.user),
        ("Group", trace.group),
        ("Executable", trace.executable),
    ):
        # The format has numbers alone, so that the names stand in the header.
        if not are_numbers(column):
            for number, name in enumerate(column.names, 1):
                yield f"; {label}: {number} {escaped(name)}\n"


def swf_lines(trace: Trace, *, wait: Ints, runtime: Ints, allocated: Ints, status: Ints) -> Iterator[str]:
    """The lines of the jobs of a trace with these waits and runtimes (s), processors and statuses.

    All shape (n,), MISSING for missing values; yields blocks of many lines. RAM is KB per processor, rounded
    up.
    """
    n = len(trace)
    numbered = trace.job_id.dtype.kind == "i"
    # Where ids are no numbers jobs are numbered, and so are those that they follow.
    follows = np.empty(0, np.int64) if numbered else predecessors(trace)
    missing = np.full(n, MISSING)
    kilobytes = np.where(trace.ram > 0, -(-(trace.ram << 10) // np.maximum(trace.procs, 1)), MISSING)
    columns = (
        trace.job_id if numbered else np.arange(1, n + 1),
        trace.submit,
        wait,
        runtime,
        allocated,
        missing,
        missing,
        trace.procs,
        trace.walltime,
        kilobytes,
        status,
        _numbers(trace.user),
        _numbers(trace.group),
        _numbers(trace.executable),
        _numbers(trace.queue),
        missing,
        trace.preceding if numbered else np.where(follows == NOBODY, MISSING, follows + 1),
        trace.think_time if numbered else np.where(follows == NOBODY, MISSING, trace.think_time),
    )
    # Blocks of lines, so that a large log needs no second copy in memory.
    for begin in range(0, n, _BLOCK):
        block = [column[begin : begin + _BLOCK].tolist() for column in columns]
        yield "".join([_ROW % row for row in zip(*block, strict=True)])


def are_numbers(column: Names) -> bool:
    """True if every name is a number in this format's spelling."""
    return all(name.removeprefix("-").isdecimal() and name == _plain(name) for name in column.names)


def _plain(name: str) -> str:
    return str(int(name)) if len(name) <= 15 else ""


def _numbers(column: Names) -> Ints:
    """The number of each job's name, shape (n,)."""
    if are_numbers(column):
        return np.array([int(name) for name in column.names], np.int64)[column.codes]
    return column.codes.astype(np.int64) + 1
