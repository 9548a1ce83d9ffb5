"""The fields of a dump of `sacct`: named by its first line, given by the user, or guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError
from engine.logs.sacct.derivations import cpu_time_field
from engine.logs.sacct.job_fields import TEXTS, TIMES
from engine.logs.sacct.prints.cells import Splitter
from engine.logs.sacct.prints.head_places import find_head
from engine.logs.sacct.prints.heads import Head, canonical, head_of, split_line
from engine.logs.tables.columns import ColumnsError
from engine.logs.text.clock_times import unix_time
from engine.trace.trace import MISSING
from engine.words import clip, plural

_MAX_FIELDS = 1000
_LOOKED_AT = 20  # first lines, among which has to be a line that looks like a job
_DELIMITERS = ("^|^", "|", "\t", ";", ",", "^")  # that lines without named fields may have
_PROCESSORS = frozenset(("ReqCPUS", "NCPUS", "AllocCPUS", "ReqTRES", "AllocTRES", "tres_alloc", "tres_req"))
_FEWEST = 5  # the fewest fields of a line that may be a dump with unknown fields

KNOWN = (*TEXTS, *TIMES, "JobID")
"""The fields that are read."""

LAYOUTS: tuple[tuple[str, ...], ...] = tuple(
    tuple(text.split())
    for text in (
        "JobID JobIDRaw Cluster Partition QOS Account Group GID User UID Submit Eligible Start End Elapsed "
        "ExitCode State NNodes NCPUS ReqCPUS ReqMem ReqTRES AllocTRES Timelimit NodeList JobName",
        "JobID JobIDRaw Cluster Partition Account Group GID User UID Submit Eligible Start End Elapsed "
        "ExitCode State NNodes NCPUS ReqCPUS ReqMem ReqGRES ReqTRES Timelimit NodeList JobName",
    )
)
"""Fields of files without a header, by their number: as accounting warehouses collect them."""


@dataclass(frozen=True)
class FieldsSample:
    """The first lines of a dump that names no fields, cell by cell, and the fields that they seem to have.

    There are no `fields` where no guess fits.
    """

    fields: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def first_lines(head: bytes) -> list[str]:
    """The first lines that hold anything."""
    lines = head.decode("utf-8", "replace").split("\n")[: 4 * _LOOKED_AT]
    return [line.rstrip("\r") for line in lines if line.strip()][:_LOOKED_AT]


def guess_head(lines: Sequence[str]) -> Head | None:
    """The layout that any of these lines has, with its times where they should be."""
    for line in lines:
        for delimiter in _DELIMITERS:
            values = line.split(delimiter)
            for layout in LAYOUTS:
                extra = len(values) - len(layout)
                # sacct -p ends each line with a delimiter, so that there is an empty cell more.
                if extra not in (0, 1) or (extra and values[-1]):
                    continue
                # Times at the right places make chance impossible.
                times = {name: unix_time(values[layout.index(name)][:100]) for name in TIMES}
                if times["Submit"] > 0 and min(times.values()) >= MISSING:
                    return Head((*layout, "") if extra else layout, delimiter, lines=0)
    return None


def given_head(path: Path, text: str, lines: Sequence[str]) -> Head:
    """The fields that a user names, separated by commas, bars or blanks, for lines like these.

    The delimiter is derived from the lines. Raises ColumnsError if the fields do not describe jobs, or no
    line has as many.
    """
    names = [name for name in re.split(r"[\s,|]+", text.strip()) if name]
    fields = canonical(names)
    check_fields(path, fields)
    # A line that names fields is no example of a record.
    lines = [line for line in lines if head_of([line]) is None] or lines
    for delimiter in _DELIMITERS:
        ended = all(line.endswith(delimiter) for line in lines)
        head = Head((*fields, "") if ended else fields, delimiter, lines=0)
        if any(fits(head, line) for line in lines):
            return head
    counts = {len(line.split("|")) - line.endswith("|") for line in lines}
    most = max(counts, default=0)
    raise ColumnsError(f"{path}: {plural(len(fields), 'field')} are given, and the first lines have {most}")


def fits(head: Head, line: str) -> bool:
    """True if a line has the fields of a head."""
    if head.spans or head.quoted:
        return len(split_line(line, head)) == len(head.fields)
    if line.count(head.delimiter) + 1 == len(head.fields):
        return True
    return Splitter(head.fields, head.delimiter).split(line) is not None


def check_fields(path: Path, fields: Sequence[str], line: int = 1) -> None:
    """Raise ColumnsError if these fields, which this line names, do not describe jobs."""
    if len(fields) > _MAX_FIELDS:
        raise InputError(f"{path}:{line}: {len(fields):,} fields in a line, of {_MAX_FIELDS:,} at most")
    # A field that stands twice may have two values: neither is better.
    if twice := [name for name in KNOWN if fields.count(name) > 1]:
        raise ColumnsError(f"{path}:{line}: the field {twice[0]} stands twice in this line")
    missing = [name for name in ("JobID", "Submit", "Start") if name not in fields]
    # The end follows from the start and the elapsed time.
    if not {"End", "Elapsed"} & set(fields):
        missing.append("End")
    # CPU time over elapsed time tells the processors, too.
    if not _PROCESSORS & set(fields) and cpu_time_field(tuple(fields)) is None:
        missing.append("NCPUS")
    if missing:
        raise ColumnsError(
            f"{path}:{line}: these fields of sacct do not contain {', '.join(missing)}: "
            f"{clip('|'.join(fields))!r}; print them too, with sacct --parsable2 --format"
        )


def is_unnamed(head: bytes) -> bool:
    """True if a file that begins like this may be a dump without named fields."""
    lines = first_lines(head)
    counts = {line.count("|") for line in lines[:_LOOKED_AT]}
    return bool(counts) and min(counts) + 1 >= _FEWEST and find_head(head) is None


def fields_sample(head: bytes) -> FieldsSample | None:
    """A sample for choosing the fields of a dump that begins like this; None if it names them, or is not a
    dump.
    """
    lines = first_lines(head)
    guess = guess_head(lines)
    if (guess is None and not is_unnamed(head)) or find_head(head) is not None:
        return None
    delimiter = "|" if guess is None else guess.delimiter
    rows = tuple(tuple(line.split(delimiter)[:_MAX_FIELDS]) for line in lines)
    return FieldsSample(tuple(name for name in guess.fields if name) if guess else (), rows)


def unnamed_fields(path: Path, line: int = 1, otherwise: str | None = None) -> ColumnsError:
    """The error for a dump with unknown fields, from this line on; `otherwise` is what it may be instead."""
    instead = f"; if not, {otherwise}" if otherwise else ""
    return ColumnsError(
        f"{path}:{line}: no line names the fields of this log, and they are none that are known; if sacct "
        f"printed it, say them with --fields JobID,Submit,Start,...{instead}"
    )
