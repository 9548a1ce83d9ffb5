"""The failures of a log's machine, in the files beside the logs of the Alea simulator.

Each line is a failure with fields separated by blanks: the time in Unix seconds, the name of the node group,
the duration in seconds, and the numbers of the nodes within the group, from 0. Without numbers the whole
group failed. A time before the log's zero counts from that zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.errors import InputError
from engine.limits import MAX_DURATION, MAX_FAILURES_BYTES, MAX_OUTAGES, MAX_TIME
from engine.logs.files.content import read_bytes
from engine.machine.outages import Outages
from engine.trace.records import KEPT_LINES
from engine.trace.trace import Note, Trace

NO_NODES = Note(
    "failures_of_pool", "the file of failures is not used: the machine is a pool, without nodes to fail", 1
)


@dataclass(frozen=True)
class _Line:
    """A parsed line: a span of nodes, or an error."""

    problem: str = ""
    nodes: tuple[int, ...] = ()
    start: int = 0
    duration: int = 0


def with_failures(trace: Trace, path: Path) -> Trace:
    """The trace with a machine that fails as in a file; invalid lines are counted in its notes.

    Raises InputError, a single line that starts with the path, if the file has another format or is too
    large, or the machine is a pool.
    """
    if trace.cluster.pooled:
        raise InputError(
            f"{path}: failures need nodes, and the machine is a pool, {trace.cluster}; say which nodes "
            "it has by a machines file"
        )
    spans: list[tuple[int, int, int]] = []
    wrong: dict[str, list[int]] = {"unreadable": [], "unknown": []}
    # Without waits: a failure after it may still meet a job in a schedule, so that it is noted and kept.
    last = int((trace.submit + trace.runtime).max())
    outside = []
    for number, line in _lines(path, trace):
        if line.problem:
            wrong[line.problem].append(number)
            continue
        # A line may be about many nodes.
        spans += [(node, line.start, line.start + line.duration) for node in line.nodes]
        if len(spans) > MAX_OUTAGES:
            raise InputError(f"{path}:{number}: these are more than {MAX_OUTAGES:,} failures of nodes")
        if line.start > last or line.start + line.duration < trace.submit[0]:
            outside.append(number)
    # A file of which no line is a failure is probably another file.
    if not spans:
        known = ", ".join(group.name for group in trace.cluster.groups if group.name) or "none with a name"
        first = min(min(lines) for lines in wrong.values() if lines) if any(wrong.values()) else 1
        raise InputError(
            f"{path}:{first}: no failure here: expected 'time group seconds node node ...' of {known}"
        )
    outages = Outages.merged(*np.array(spans, np.int64).T)
    return replace(trace, cluster=replace(trace.cluster, failures=outages)).with_notes(
        _note(
            "failures_unreadable", "lines of the file of failures that cannot be read", wrong["unreadable"]
        ),
        _note(
            "failures_unknown", "failures of groups or nodes that the machine does not have", wrong["unknown"]
        ),
        _note("failures_outside", "failures before the first or after the last job", outside),
    )


def _lines(path: Path, trace: Trace) -> Iterator[tuple[int, _Line]]:
    """Each line with contents, by its number from 1."""
    text = read_bytes(path, limit=MAX_FAILURES_BYTES).tobytes().decode("utf-8", "replace")
    first = 0
    groups: dict[str, tuple[int, int]] = {}
    for group in trace.cluster.groups:
        groups.setdefault(group.name, (first, group.count))
        first += group.count
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if fields and not fields[0].startswith((";", "#")):
            yield number, _read_line(fields, groups, trace.zero)


def _read_line(fields: list[str], groups: dict[str, tuple[int, int]], zero: int) -> _Line:
    try:
        time, duration, *nodes = (int(field) for field in (fields[0], *fields[2:]))
    except ValueError:
        return _Line("unreadable")
    if len(fields) < 3 or not (0 <= time <= MAX_TIME and 0 < duration <= MAX_DURATION):
        return _Line("unreadable")
    # The format names a group, and nodes by their numbers within it.
    if fields[1] not in groups:
        return _Line("unknown")
    first, count = groups[fields[1]]
    if not all(0 <= node < count for node in nodes):
        return _Line("unknown")
    # Dates since 1970 become times of the log; small numbers are such times already.
    start = time - zero if time >= zero else time
    return _Line("", tuple(first + node for node in nodes or range(count)), start, duration)


def _note(rule: str, text: str, lines: list[int]) -> Note:
    return Note(rule, text, len(lines), tuple(lines[:KEPT_LINES]))
