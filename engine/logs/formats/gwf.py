"""The Grid Workload Format of the Grid Workloads Archive: 29 fields a line, comments with `#`.

The first eleven fields are those of the Standard Workload Format; users, groups, executables, queues and
sites are texts (`U12`, `G2`), where that has numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.limits import MAX_CPUS
from engine.logs.files.content import Progress
from engine.logs.formats.swf import NO_UNITS, ask_units, in_unit, leading_number, parse_header, start_time
from engine.logs.rows import JobRow, records_of_rows, text_lines
from engine.logs.text.json_document import number_of
from engine.machine.cluster import Cluster
from engine.trace.records import KEPT_LINES, Records, text_names
from engine.trace.trace import MISSING, Note

_JOB, _SUBMIT, _WAIT, _RUNTIME, _ALLOCATED, _, _USED_RAM, _PROCS, _WALLTIME, _RAM, _STATUS = range(11)
_USER, _GROUP, _EXECUTABLE, _QUEUE, _, _SUBMIT_SITE, _RUN_SITE = range(11, 18)
_WITH_UNIT = (
    *(("submit", _SUBMIT), ("wait", _WAIT), ("runtime", _RUNTIME), ("walltime", _WALLTIME)),
    *(("ram", _RAM), ("ram", _USED_RAM)),
)
_FIELDS = 29
_NUMBERS = (_SUBMIT, _WAIT, _RUNTIME, _ALLOCATED, _PROCS, _WALLTIME, _STATUS)
_NUMBER = re.compile(r"-?\d{1,20}(\.\d{1,20})?([eE][+-]?\d{1,3})?", re.ASCII)
_LOOKED_AT = 200  # first lines that are examined: many of them may be comments
_MAX_HEADER = 1000  # lines
_STATUSES = range(6)  # 0 failed, 1 completed, 2 to 4 parts of a job, 5 cancelled
_KIB = 1 << 10


def is_gwf(head: bytes) -> bool:
    """True if the first line that is not a comment has the fields of this format."""
    for line in head.decode("utf-8", "replace").split("\n")[:_LOOKED_AT]:
        if line.strip() and not line.lstrip().startswith("#"):
            return _is_record(_fields(line))
    return False


def read_gwf(
    path: Path,
    text: NDArray[np.uint8],
    machine: Cluster | None,
    progress: Progress | None = None,
    units: Mapping[str, str] = NO_UNITS,
) -> Records:
    """The jobs of such a log; the partition of a job is the site where it ran, otherwise that of its
    submission.

    Processors are those requested, otherwise those allocated; RAM is that requested, otherwise that used, in
    KB per processor, if `units` say no other unit. Fractional submissions and waits are rounded down,
    runtimes and walltimes up. Raises UnitsError where limits or RAM cannot be in these units.
    """
    header: list[str] = []
    rows, sites = [], []
    bad, fractional, early = [], [], []
    for number, line in text_lines(text, progress):
        if line.lstrip().startswith("#"):
            if len(header) < _MAX_HEADER:
                header.append(line.lstrip().removeprefix("#"))
            continue
        fields = _fields(line)
        if not _is_record(fields):
            bad.append(number)
            continue
        values = [number_of(field) for field in fields[: _STATUS + 1]]
        # Units go first: what follows counts in seconds and MiB.
        for role, place in _WITH_UNIT if units else ():
            values[place] = float(in_unit(np.array([values[place]]), role, units)[0])
        if any(value % 1 for value in (values[k] for k in _NUMBERS)):
            fractional.append(number)
        if values[_WAIT] < MISSING:
            early.append(number)
        rows.append(_job(number, fields, values))
        sites.append(_name(fields, _RUN_SITE) or _name(fields, _SUBMIT_SITE))
    labels = parse_header(header)
    columns = ([getattr(row, name) for row in rows] for name in ("runtime", "walltime", "ram", "procs"))
    # Only all jobs together show that a unit cannot be right.
    ask_units(path, units, *map(np.array, columns))
    records = records_of_rows(
        path,
        rows,
        machine or _machine(labels),
        (
            _note("unreadable_line", f"lines left out: not {_FIELDS} fields of a job", bad),
            _note("early_start", "starts before the submission (reservations): the wait counts as 0", early),
            _note(
                "fractional",
                "fractional numbers: runtimes and walltimes were rounded up, all others down",
                fractional,
            ),
        ),
        dated=False,
    )
    return _dated(records, dict(zip((row.line for row in rows), sites, strict=True)), labels)


def _dated(records: Records, sites: dict[int, str], labels: dict[str, str]) -> Records:
    """The records with sites as partitions, if there are several, and with the log's zero."""
    zero, *zero_notes = start_time(labels, records.submit)
    names = text_names([sites[line] for line in records.line.tolist()])
    return replace(
        records,
        partition=names if len(names.names) > 1 else None,
        zero=zero,
        header=labels,
        notes=(*zero_notes, *records.notes),
    )


def _fields(line: str) -> list[str]:
    """The fields of a line, which tabs part, or blanks."""
    return [field.strip() for field in line.split("\t")] if line.count("\t") >= _FIELDS - 1 else line.split()


def _is_record(fields: Sequence[str]) -> bool:
    """True if the fields of a record are numbers where numbers are required."""
    return len(fields) >= _FIELDS and all(_NUMBER.fullmatch(fields[k]) for k in _NUMBERS)


def _job(line: int, fields: Sequence[str], values: Sequence[float]) -> JobRow:
    submit, wait, runtime, walltime = (values[k] for k in (_SUBMIT, _WAIT, _RUNTIME, _WALLTIME))
    procs, allocated = int(values[_PROCS]), int(values[_ALLOCATED])
    # What was asked for goes before what was given; the format has -1 where a value is not known.
    procs = procs if procs > 0 else allocated
    share = next((values[k] for k in (_RAM, _USED_RAM) if values[k] > 0), 0.0)
    status = int(values[_STATUS])
    # A negative wait is of a reservation, and counts as 0; only -1 means that the wait is missing.
    started = submit >= 0 and wait != MISSING
    return JobRow(
        line=line,
        job_id=fields[_JOB],
        submit=math.floor(submit) if submit >= 0 else MISSING,
        start=math.floor(submit) + math.floor(max(wait, 0)) if started else MISSING,
        runtime=math.ceil(runtime) if runtime > 0 else MISSING,
        walltime=math.ceil(walltime) if walltime > 0 else MISSING,
        procs=procs,
        allocated=allocated,
        ram=math.ceil(share / _KIB) * procs if share > 0 < procs else MISSING,
        status=status if status in _STATUSES else MISSING,
        user=_name(fields, _USER),
        group=_name(fields, _GROUP),
        queue=_name(fields, _QUEUE),
        executable=_name(fields, _EXECUTABLE),
    )


def _name(fields: Sequence[str], k: int) -> str:
    """The text of a field; empty if it is missing."""
    return "" if fields[k] == "-1" else fields[k]


def _machine(labels: dict[str, str]) -> Cluster | None:
    cpus = leading_number(labels.get("MaxProcs"))
    return Cluster.pool(cpus) if cpus is not None and 1 <= cpus <= MAX_CPUS else None


def _note(rule: str, text: str, lines: list[int]) -> Note:
    return Note(rule, text, len(lines), tuple(lines[:KEPT_LINES]))
