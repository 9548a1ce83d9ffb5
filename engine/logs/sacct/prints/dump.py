"""Slurm's accounting as `sacct` prints it, a job or a step a line, whatever parts the fields."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.errors import InputError
from engine.logs.files.content import Progress
from engine.logs.files.parts import LogPart
from engine.logs.sacct.derivations import with_memory_units, with_processors
from engine.logs.sacct.jobs import records_of
from engine.logs.sacct.prints.fields import (
    check_fields,
    first_lines,
    fits,
    given_head,
    guess_head,
    unnamed_fields,
)
from engine.logs.sacct.prints.head_places import find_head, heads_in
from engine.logs.sacct.prints.heads import Head
from engine.logs.sacct.prints.job_table import sacct_columns, with_unnamed
from engine.logs.sacct.prints.quotes import QuotedBlocks
from engine.logs.sacct.prints.text import Marks, TextBlocks, TextRows
from engine.logs.sacct.rows import SlurmRows, jobs_of, rows_of
from engine.logs.sacct.times import DateOrder
from engine.logs.text.delimited import BLOCK
from engine.machine.cluster import Cluster
from engine.trace.records import KEPT_LINES, Records
from engine.trace.trace import Note

if TYPE_CHECKING:
    import pyarrow as pa

_PARTS = b"\x1f"
_CUT = b"+"  # at the end of a value that is longer than its column


class FixedBlocks(TextBlocks):
    """A reader of blocks of lines with fields at fixed positions, as sacct prints them without -P."""

    def __init__(self, path: Path, head: Head, marks: Marks) -> None:
        super().__init__(replace(head, delimiter=_PARTS.decode(), spans=()), marks)
        self._path, self._spans = path, head.spans
        self._id = head.fields.index("JobID")
        self._goes_on = False

    def read_regular(self, data: bytes, number: int, final: bool) -> None:
        """None, so that each line is examined by `read_odd`."""

    def read_odd(self, data: bytes, number: int, final: bool) -> tuple[TextRows, int]:
        """The rows of lines, as for lines with delimiters. Raises InputError if ids of jobs are cut off."""
        lines = [self._cells(line.rstrip(b"\r"), number + k) for k, line in enumerate(data.split(b"\n")[:-1])]
        parted = b"".join(lines)
        return super().read_regular(parted, number, final) or super().read_odd(parted, number, final)

    def _cells(self, line: bytes, number: int) -> bytes:
        """The line with delimiters, or without any where it does not have these columns."""
        # A delimiter within a value would part it once more.
        line = line.replace(_PARTS, b" ")
        spans = self._spans
        # Anything between the columns says that the line is not of this table.
        between = b"".join(line[a[1] : b[0]] for a, b in pairwise(spans))
        if between.strip() or line[spans[-1][1] :].strip() or len(line) <= spans[-1][0]:
            line = line.strip()
            return b"\n" if not line or not line.strip(b"- ") else line + b"\n"
        cells = [line[begin:end].strip() for begin, end in spans]
        id_, (begin, end) = cells[self._id], spans[self._id]
        # An id that was cut is the id of another job: nothing can be made of such a log.
        if id_.endswith(_CUT) and b"." not in id_ and len(id_) == end - begin:
            shown = id_.decode("utf-8", "replace")
            raise InputError(
                f"{self._path}:{number}: the id {shown!r} is cut at the width of its column, so that jobs "
                "cannot be told from each other; print them with sacct -P"
            )
        if any(cell.endswith(_CUT) and len(cell) == b - a for cell, (a, b) in zip(cells, spans, strict=True)):
            self.marks.cut.append(number)
        return _PARTS.join(cells) + b"\n"


_HEAD = 1 << 16  # bytes of a file that determine its fields


def is_slurm(head: bytes) -> bool:
    """True if a file that begins like this contains lines of `sacct`."""
    return find_head(head) is not None or guess_head(first_lines(head)) is not None


def read_slurm(
    path: Path,
    text: NDArray[np.uint8],
    machine: Cluster | None,
    progress: Progress | None = None,
    given: str = "",
    parts: Sequence[LogPart] = (),
    dates: str = "",
) -> Callable[[], Records]:
    """A function that makes the records of such a file, after the text is released.

    `machine` has its nodes, otherwise it is derived. The fields are those `given` by the user, otherwise
    those named in the first line of a file, and after a further such line those of that line; a file without
    such a line continues the previous file, or its fields are guessed from LAYOUTS. `parts` are the files of
    the text. `dates` is the order of day and month, by default derived from all dates. Raises InputError if
    fields are missing, or the order is ambiguous.
    """
    fixed = given_head(path, given, first_lines(text[:_HEAD].tobytes())) if given else None
    dump = _Dump(path, text, parts, fixed)
    jobs = jobs_of(dump.rows(), DateOrder(path, dates), dump.notes, progress)
    return partial(records_of, path, jobs, machine)


def rows_in(
    path: Path, text: NDArray[np.uint8], parts: Sequence[LogPart] = (), given: str = ""
) -> Iterator[SlurmRows]:
    """The rows of such a file, jobs and steps, as they stand there. Raises InputError."""
    fixed = given_head(path, given, first_lines(text[:_HEAD].tobytes())) if given else None
    return _Dump(path, text, parts, fixed).rows()


class _Dump:
    """A text of `sacct`, read from its begin to its end."""

    def __init__(
        self, path: Path, text: NDArray[np.uint8], parts: Sequence[LogPart], given: Head | None
    ) -> None:
        self._path, self._text, self._given = path, text, given
        self._parts = parts or (LogPart(str(path), 0, 1),)
        self._marks = Marks()
        self._guessed: Head | None = None  # of the last file that names no fields
        self._blocks: dict[Head, TextBlocks] = {}
        self._heads: dict[bytes, Head] = {}
        # The reader of the present lines; there is none before the first head is found or guessed.
        self._now: TextBlocks | None = None if given is None else self._with(given, 1)

    def rows(self) -> Iterator[SlurmRows]:
        """The rows of all files, jobs and steps alike, a block at a time."""
        ends = [*(part.begin for part in self._parts[1:]), len(self._text)]
        for part, end in zip(self._parts, ends, strict=True):
            at, number = self._begin(part, end)
            while at < end:
                # Blocks end at the end of a line.
                data = self._text[at : min(end, at + BLOCK)].tobytes()
                size = data.rfind(b"\n") + 1
                if size:
                    used = yield from self._block(data[:size], number, at, at + size >= end)
                    at, number = at + _bytes_of(data[:size], used), number + used
                # A line that is longer than a block is no record.
                else:
                    self._marks.bad.append(number)
                    at, number = self._next_line(at, end), number + 1

    def notes(self) -> tuple[Note, ...]:
        """Notes on odd properties of the text."""
        marks = self._marks
        guessed = () if self._guessed is None else self._guessed.fields
        heads = [head for head in self._blocks if head.delimiter != "|" or head.quoted or head.table]
        return (
            *marked_notes(marks),
            Note(
                "fields_guessed",
                f"no line names the fields, taken for: {', '.join(guessed)}",
                int(bool(guessed)),
            ),
            Note(
                "too_many_odd",
                "too many odd lines to look for the fields of all of them: some are left out for that",
                int(any(blocks.gave_up for blocks in self._blocks.values())),
            ),
            *(Note("sacct", f"read as {head.description}", 1) for head in heads),
        )

    def _begin(self, part: LogPart, end: int) -> tuple[int, int]:
        """Find the fields of a file; the byte and the number of its first line that may be a job's."""
        sample = self._text[part.begin : min(end, part.begin + _HEAD)].tobytes()
        # A file may name its fields anew; a further file without such a line goes on with the last fields.
        place = None if self._given is not None else find_head(sample)
        if place is not None:
            number = part.line + sample.count(b"\n", 0, place.begin)
            self._now = self._with(place.head, number)
            return part.begin + place.end, number + place.head.lines
        # Without a head the fields are guessed, but only where the known fields do not fit.
        lines = first_lines(sample)
        if self._now is None or (
            self._given is None and not any(fits(self._now.head, line) for line in lines)
        ):
            self._guessed = guess_head(lines)
            if self._guessed is None:
                raise unnamed_fields(self._path, part.line)
            self._now = self._with(self._guessed, part.line)
        return part.begin, part.line

    def _with(self, head: Head, line: int) -> TextBlocks:
        """The reader of lines with the fields of a head, which this line contains."""
        if head not in self._blocks:
            check_fields(self._path, head.fields, line)
            if head.spans:
                self._blocks[head] = FixedBlocks(self._path, head, self._marks)
            else:
                self._blocks[head] = (QuotedBlocks if head.quoted else TextBlocks)(head, self._marks)
        return self._blocks[head]

    def _block(self, data: bytes, number: int, at: int, final: bool) -> Generator[SlurmRows, None, int]:
        """The rows of some whole lines, the first of this number; it returns of how many lines they are."""
        assert self._now is not None
        done = (at + len(data)) / len(self._text)
        # The usual case: a block without odd lines is read at once.
        regular = self._now.read_regular(data, number, final)
        if regular is not None:
            yield in_fields(regular[0].columns, regular[0].line, self._now.head, self._marks, done)
            return regular[1]
        lines = used = 0
        pieces = self._pieces(data, number)
        # A block may hold the heads of further files: its pieces have readers of their own.
        for k, (blocks, piece) in enumerate(pieces):
            blank = len(piece) - len(piece.lstrip(b"\n"))
            first, text, last = number + lines + blank, piece[blank:], k == len(pieces) - 1
            if text:
                whole = final or not last
                rows, used = blocks.read_regular(text, first, whole) or blocks.read_odd(text, first, whole)
                yield in_fields(rows.columns, rows.line, blocks.head, self._marks, done)
            used = lines + blank + (used if text else 0)
            lines += piece.count(b"\n")
        return used

    def _pieces(self, data: bytes, number: int) -> list[tuple[TextBlocks, bytes]]:
        """Lines by their readers, with empty lines in place of those that name their fields."""
        assert self._now is not None
        pieces: list[tuple[TextBlocks, bytes]] = []
        text: list[bytes] = []
        begin = 0
        for place in heads_in(data, self._heads):
            text.append(data[begin : place.begin])
            number += data.count(b"\n", begin, place.begin)
            if self._given is None and self._with(place.head, number) is not self._now:
                pieces.append((self._now, b"".join(text)))
                text = []
                self._now = self._with(place.head, number)
            # Lines that name fields become empty, so that the numbers of the lines behind stay true.
            text.append(b"\n" * place.head.lines)
            number, begin = number + place.head.lines, place.end
        return [*pieces, (self._now, b"".join((*text, data[begin:])))]

    def _next_line(self, at: int, end: int) -> int:
        """The beginning of the next line, after a line that is longer than a block."""
        while at < end:
            found = self._text[at : min(end, at + BLOCK)].tobytes().find(b"\n")
            if found >= 0:
                return at + found + 1
            at += BLOCK
        return end


def _bytes_of(data: bytes, lines: int) -> int:
    """The bytes of the first lines of some whole lines."""
    left = data.count(b"\n") - lines
    end = len(data)
    for _ in range(left):
        end = data.rfind(b"\n", 0, end - 1) + 1
    return end


def _note(rule: str, text: str, lines: Sequence[int]) -> Note:
    return Note(rule, text, len(lines), tuple(sorted(lines)[:KEPT_LINES]))


def in_fields(
    columns: Mapping[str, pa.Array], line: Ints, head: Head, marks: Marks, done: float
) -> SlurmRows:
    """Rows, whose columns a head names, in the fields and units of sacct; shape (n,)."""
    if head.table:
        marks.unnamed += line[with_unnamed(columns)].tolist()
        columns = sacct_columns(columns)
    columns, in_bytes = with_memory_units(with_processors(columns))
    marks.in_bytes += line[in_bytes].tolist()
    return rows_of(columns, line, done)


def marked_notes(marks: Marks) -> tuple[Note, ...]:
    """Notes on odd lines."""
    return (
        _note(
            "unreadable_line",
            "lines left out: without the fields of a job or a step",
            marks.bad,
        ),
        _note(
            "cut_value",
            "lines with values that sacct cut at the width of the column: print with sacct -P",
            marks.cut,
        ),
        _note("joined_line", "lines that are part of a field of the line before", marks.joined),
        _note(
            "ambiguous_name",
            "records read without a name or list: delimiters leave several ways to read each",
            marks.unsure,
        ),
        _note(
            "ambiguous_line",
            "lines left out: delimiters in fields leave several ways to read each",
            marks.torn,
        ),
        _note(
            "bytes",
            "amounts of ReqMem without a unit, too large for MiB: taken for bytes",
            marks.in_bytes,
        ),
        _note(
            "unnamed_resources",
            "jobs with resources that this table names by numbers of the site alone, as 1001, be it "
            "GPUs or not",
            marks.unnamed,
        ),
    )
