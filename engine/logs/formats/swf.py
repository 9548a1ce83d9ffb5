"""The Standard Workload Format, version 2.2 (Chapin et al. 1999): 18 numbers a line, headers with `;`."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.limits import MAX_CPUS, MAX_DURATION, MAX_TIME
from engine.logs.tables.columns import UNITS
from engine.logs.tables.unit_doubts import unit_doubts
from engine.logs.text.narrow_tokens import NarrowTokens, Numbers, narrowest
from engine.logs.text.tokens import FIELDS, Tokens
from engine.machine.cluster import Cluster
from engine.trace.names import Names
from engine.trace.records import UNIX_TIMES, Records, mebibytes, note_lines, number_names
from engine.trace.sentinels import NO_VALUE, without_no_values
from engine.trace.trace import MISSING, Note
from engine.trace.wall_clock import ZONE_NAME

JOB, SUBMIT, WAIT, RUNTIME, ALLOCATED, CPU_TIME, USED_RAM, PROCS, WALLTIME, RAM = range(1, 11)
STATUS, USER, GROUP, EXECUTABLE, QUEUE, PARTITION, PRECEDING, THINK_TIME = range(11, 19)

_LABEL = re.compile(r" *([A-Z]\w*) *:\s*(?!//)(.*)")


NO_UNITS: Mapping[str, str] = {}
"""The units of a log that is in those of its format."""


def read_swf(
    path: Path,
    tokens: Tokens | NarrowTokens,
    machine: Cluster | None = None,
    units: Mapping[str, str] = NO_UNITS,
) -> Records:
    """The records of a log in the standard format; `machine` is that of a machines file, otherwise the
    header's. `units` are those of WITHOUT_COLUMNS that are others than s and KB, or said to be these.

    Processors are those requested (field 8), otherwise those allocated (field 5). RAM is that requested
    (field 10), otherwise that used (field 7), in KB per processor. Fractional submissions and waits are
    rounded down, runtimes and walltimes up. A walltime beyond MAX_DURATION is ignored. Columns of narrow
    tokens stay narrow. Raises UnitsError where limits or RAM cannot be in these units.
    """
    header = parse_header(tokens.header)
    fields = _fields(tokens)
    # Numbers larger than any log's would overflow what is computed from them.
    good = ~_too_large(tokens, fields)
    every = bool(good.all())  # no copies then, of gigabytes for long logs

    def chosen(values: Numbers) -> Numbers:
        return values if every else values[good]

    def column(number: int) -> Numbers:
        return chosen(fields(number))

    def rounded_up(number: int) -> Numbers:
        more = chosen(tokens.fraction(number))
        return column(number).astype(np.int64) + more if more.any() else column(number)

    walltime = in_unit(rounded_up(WALLTIME), "walltime", units)
    walltime = np.where(walltime > MAX_DURATION, MISSING, walltime)  # no limit
    allocated, requested = column(ALLOCATED), column(PROCS)
    procs = np.where(requested > 0, requested, allocated)
    # Jobs that ask for no RAM are taken to need what they used, as those that ask for no processors.
    kilobytes = rounded_up(RAM)
    ram_note = _ram_note(kilobytes, machine)
    kilobytes = in_unit(np.where(kilobytes > 0, kilobytes, rounded_up(USED_RAM)), "ram", units)
    submit = in_unit(column(SUBMIT), "submit", units)
    runtime = in_unit(rounded_up(RUNTIME), "runtime", units)
    ram = _job_ram(kilobytes, procs, narrow=isinstance(tokens, NarrowTokens))
    ask_units(path, units, runtime, walltime, ram, procs)
    # The header tells the date of second 0, which the weeks and hours of all charts depend on.
    zero, *zero_notes = start_time(header, submit)
    timezone, timezone_note = _timezone(header)
    return Records(
        path=path,
        line=chosen(tokens.line),
        job_id=column(JOB),
        submit=submit,
        wait=in_unit(column(WAIT), "wait", units),
        runtime=runtime,
        walltime=walltime,
        procs=procs,
        allocated=allocated,
        ram=ram,
        status=column(STATUS),
        user=number_names(column(USER)),
        group=number_names(column(GROUP)),
        queue=number_names(column(QUEUE)),
        executable=number_names(column(EXECUTABLE)),
        preceding=column(PRECEDING),
        think_time=column(THINK_TIME),
        partition=_partitions(column(PARTITION)),
        machine=machine or _machine(header),
        zero=zero,
        timezone=timezone,
        header=header,
        notes=(*zero_notes, *_line_notes(tokens, good), timezone_note, ram_note),
    )


def in_unit(values: Numbers, role: str, units: Mapping[str, str]) -> Numbers:
    """Times in s, or amounts of RAM in KB, of numbers in the unit that `units` says; they are rounded up.

    What is not above 0 is missing, and stays as it is.
    """
    if role not in units:
        return values
    factor = UNITS[role][units[role]] / (UNITS["ram"]["kb"] if role == "ram" else 1.0)
    return np.where(values > 0, np.ceil(values * factor), values).astype(np.int64)


def ask_units(
    path: Path, units: Mapping[str, str], runtime: Numbers, walltime: Numbers, ram: Numbers, procs: Numbers
) -> None:
    """Raise UnitsError if limits, in s, or RAM of jobs, in MiB, cannot be in the format's units.

    All have shape (n,). What `units` says is not asked for.
    """
    for doubt in unit_doubts(runtime, walltime, ram, procs, "kb"):
        if doubt.role not in units:
            raise doubt.error(str(path), {"walltime": "the requested time", "ram": "RAM"}[doubt.role])


def _job_ram(kilobytes: Numbers, procs: Numbers, narrow: bool) -> Numbers:
    """The MiB of jobs with so many KB per processor; MISSING where that is missing."""
    if not (kilobytes > 0).any():
        return np.full(len(procs), MISSING, np.int8 if narrow else np.int64)
    ram = job_ram(mebibytes(kilobytes.astype(np.int64), 1 << 10), procs.astype(np.int64))
    return narrowest(ram) if narrow else ram


def _partitions(column: Numbers) -> Names | None:
    """The partitions of a log that has several."""
    return number_names(column) if len(column) and column.min() < column.max() else None


def job_ram(share: Ints, shares: Ints) -> Ints:
    """The MiB of whole jobs with `shares` shares of `share` MiB; MISSING if either is missing."""
    return np.where((share > 0) & (shares > 0), share * np.maximum(shares, 0), MISSING)


def parse_header(lines: Sequence[str]) -> dict[str, str]:
    """The labelled header lines; values of a repeated label are on separate lines."""
    header: dict[str, str] = {}
    for line in lines:
        if match := _LABEL.fullmatch(line):
            label, value = match[1], match[2].strip()
            header[label] = f"{header[label]}\n{value}" if label in header else value
    return header


def leading_number(text: str | None) -> int | None:
    """The integer that a header field begins with: 338 of `338 (batch partition; 512 total)`."""
    match = re.match(r"\s*(-?\d{1,15})(?!\d)", text or "")
    return int(match[1]) if match else None


def _machine(header: dict[str, str]) -> Cluster | None:
    for label in ("MaxProcs", "MaxNodes"):
        cpus = leading_number(header.get(label))
        if cpus is not None and 1 <= cpus <= MAX_CPUS:
            return Cluster.pool(cpus)
    return None


def start_time(header: Mapping[str, str], submit: Numbers) -> tuple[int, Note, Note]:
    """The Unix time of the log's second 0 and two notes on it; 0 if the submit times are Unix times, or if it
    is unknown.

    A number that is too large for a time of any log in s, and none in ms, is read as ms.
    """
    start = leading_number(header.get("UnixStartTime"))
    in_ms = start is not None and start >= NO_VALUE and UNIX_TIMES < start // 1000 < NO_VALUE
    seconds = start // 1000 if start is not None and in_ms else start
    known = seconds is not None and 0 <= seconds < NO_VALUE
    relative = not (len(submit) and np.median(submit) > UNIX_TIMES)
    missing = "no start time in the header (UnixStartTime): dates are counted from 1970-01-01 00:00 UTC"
    return (
        (seconds or 0) if known and relative else 0,
        Note("start_in_ms", f"UnixStartTime {start} is read as milliseconds", int(in_ms and relative)),
        Note("no_start_time", missing, int(relative and not known)),
    )


def _timezone(header: dict[str, str]) -> tuple[str, Note]:
    name = header.get("TimeZoneString", "").split("\n")[0].strip()
    text = f"time zone {name[:60]!r} is not known: times are shown in UTC"
    if not name:
        return "UTC", Note("time_zone", text, 0)
    if not ZONE_NAME.fullmatch(name):
        return "UTC", Note("time_zone", text, 1)
    try:
        zoneinfo.ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        return "UTC", Note("time_zone", text, 1)
    return name, Note("time_zone", text, 0)


def _ram_note(amounts: Numbers, machine: Cluster | None) -> Note:
    """A note on field 10 with a machines file: RAM per node, and so per task, as the shares of nodes are
    unknown.
    """
    text = "beside a machines file: requested RAM (field 10) is read as KB of each one-CPU task"
    return Note("ram_unit", text, 0 if machine is None else int(np.count_nonzero(amounts > 0)))


def _fields(tokens: Tokens | NarrowTokens) -> Callable[[int], Numbers]:
    """Field 1 to 18 of each record, without numbers that mean no value.

    Not so numbers of jobs, which are names, and submissions, about which there is a note of its own.
    """

    def field(number: int) -> Numbers:
        values = tokens.field(number)
        return values if number in (JOB, SUBMIT) else without_no_values(values)

    return field


def _too_large(tokens: Tokens | NarrowTokens, fields: Callable[[int], Numbers]) -> NDArray[np.bool_]:
    """Records with a time or a number of processors that no log can hold, shape (n,)."""
    large = np.zeros(len(tokens), np.bool_)
    for limit, numbers in (
        (MAX_TIME, (SUBMIT,)),
        (MAX_DURATION, (WAIT, RUNTIME)),
        (MAX_CPUS, (ALLOCATED, PROCS)),
    ):
        for k in numbers:
            large |= fields(k) > limit
            large |= fields(k) < -limit
    return large


def _line_notes(tokens: Tokens | NarrowTokens, good: NDArray[np.bool_]) -> tuple[Note, ...]:
    """Notes on invalid lines (those of count 0 are left out later)."""
    bad = tokens.bad_lines
    why = f" (the first: {bad[0].problem})" if bad else ""
    # Fractions of CPU time and of RAM are usual in the archive's own logs: no note tells them.
    kept = ~np.int64(1 << (CPU_TIME - 1) | 1 << (USED_RAM - 1) | 1 << (RAM - 1))
    return (
        Note(
            "unreadable_line",
            f"lines left out: not 18 numbers{why}",
            tokens.bad,
            tuple(line.number for line in bad[:5]),
        ),
        note_lines(
            "too_large",
            "lines left out: a time or a processor count that is larger than any log's",
            ~good,
            tokens.line,
        ),
        note_lines(
            "short_line",
            f"lines of fewer than {FIELDS} fields: the rest counts as missing",
            tokens.width < FIELDS,
            tokens.line,
        ),
        note_lines(
            "extra_columns",
            f"columns behind the {FIELDS}th are ignored",
            tokens.has_more if isinstance(tokens, NarrowTokens) else tokens.extra[0] >= 0,
            tokens.line,
        ),
        note_lines(
            "fractional",
            "fractional numbers: runtimes and walltimes were rounded up, all others down",
            good & (tokens.fractions & kept != 0),
            tokens.line,
        ),
    )
