"""The rows of CSV, below each of its headers, as columns by role."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints, Mask
from engine.errors import InputError
from engine.logs.files.content import Progress
from engine.logs.tables.blocks import Block, cells_of, columns_of, holds_rows, parse_block
from engine.logs.tables.columns import ColumnMap, check_columns
from engine.logs.tables.header import MAX_COLUMNS, Header, HeaderTest, header_of
from engine.logs.text.clock_times import UNREADABLE, clock_times

if TYPE_CHECKING:
    import pyarrow as pa

Bytes = NDArray[np.uint8]

BLOCK = 1 << 23
"""Bytes that are parsed at once, some 30 ms: how long a cancel waits."""

FIRST_BLOCK = 1 << 16
"""Bytes of the first block below a header."""

_MAX_HEADERS = 1000  # the most different headers of a log
_MAX_TURNS = 10_000  # headers of a log
_SAMPLED = 50  # rows that determine the number of cells


@dataclass(eq=False)
class TableRows:
    """n rows of a table whose columns have the roles of `columns`, in order of their lines.

    `cells` are chunks of columns by role: binary arrays, those of NAMED dictionaries of bytes, or, of
    files that have types, arrays of those. `line` are chunks of line numbers from 1. `short` and `long` are
    lines of rows that were left out for their number of cells, `broken` those of rows with an unclosed quote.
    `unread` are columns with nested cells. `where` is the file, and the line of the header.
    """

    where: str
    header: Header
    columns: ColumnMap
    cells: dict[str, list[pa.Array]] = field(default_factory=dict)
    line: list[Ints] = field(default_factory=list)
    short: list[int] = field(default_factory=list)
    long: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return sum(map(len, self.line))

    @property
    def positions(self) -> dict[str, int]:
        """The cell of each role in a row."""
        names = self.header.names
        return {role: self.header.before + names.index(name) for role, name in self.columns.columns.items()}

    def add(self, cells: Mapping[str, Any], line: Ints) -> None:
        """Append rows."""
        if len(line):
            for role, column in cells.items():
                self.cells.setdefault(role, []).append(column)
            self.line.append(line)

    def leave_out(self, cells: Sequence[str], line: int) -> None:
        """Count a row with another number of cells."""
        (self.short if len(cells) < self.header.width else self.long).append(line)


def read_rows(
    path: str,
    text: Bytes,
    mapping: ColumnMap | None,
    progress: Progress | None = None,
    firsts: Sequence[int] = (),
) -> list[TableRows]:
    """The rows of a text, separately below each header: a header may occur anywhere, with its own columns.

    `mapping` gives the columns, by default their names do. `firsts` are the lines at which further files
    begin. Raises InputError, which names the line, if there are too many columns or they do not describe
    jobs.
    """
    head = text[:FIRST_BLOCK]
    if (head[:-1] == ord("\r")).any() and not (head[:-1] == ord("\n")).any():
        text = np.where(text == ord("\r"), np.uint8(ord("\n")), text)  # as on the first Macintosh
    at, line, header = _first_header(text)
    reader = _Reader(path, text, mapping, HeaderTest(header, mapping, frozenset(firsts)))
    reader.turn(header, at, line)
    reader.read(progress)
    return list(reader.tables.values())


def _first_header(text: Bytes) -> tuple[int, int, Header]:
    """The first line that is neither blank nor a comment: where it ends, its number, and its names."""
    number = 0
    for at, line in _lines(text, 0):
        number += 1
        if line.strip() and not line.startswith("#"):
            return at, number, header_of(line.encode("latin-1").decode("utf-8", "replace"))
    return len(text), number, Header((), ",")


def _lines(text: Bytes, at: int) -> Iterator[tuple[int, str]]:
    """The lines from byte `at` on, each after the byte behind its end; a character of a line is a byte."""
    while at < len(text):
        size = FIRST_BLOCK
        while not len(newlines := np.flatnonzero(text[at : at + size] == ord("\n"))):
            size *= 2  # until the block holds a newline: the text ends in a newline
        begin = at
        for end in newlines.tolist():
            yield begin + end + 1, text[at : begin + end + 1].tobytes().decode("latin-1")
            at = begin + end + 1


class _Reader:
    """The state of reading a text from its begin to its end."""

    def __init__(self, path: str, text: Bytes, mapping: ColumnMap | None, test: HeaderTest) -> None:
        self.tables: dict[Header, TableRows] = {}
        self._path, self._text, self._mapping, self._test = path, text, mapping or ColumnMap(), test
        self._at, self._line, self._size, self._turns = 0, 1, FIRST_BLOCK, 0
        self._table = TableRows("", Header((), ","), ColumnMap())

    def turn(self, header: Header, at: int, lines: int) -> None:
        """Continue after a header, which ends at byte `at` after `lines` lines. Raises InputError."""
        where = f"{self._path}:{lines}"
        self._at, self._line, self._size = at, lines + 1, FIRST_BLOCK
        self._turns += 1
        # The lines behind show whether the header has a cell too few, as where rows have names.
        header = header.fitted(list(islice(self._sample(header.delimiter), _SAMPLED)))
        if header not in self.tables:
            if len(header.names) > MAX_COLUMNS:
                raise InputError(f"{where}: {len(header.names):,} columns, of {MAX_COLUMNS:,} at most")
            columns = self._mapping.of_header(header.names)
            check_columns(where, columns, header.names)
            self.tables[header] = TableRows(where, header, columns, {role: [] for role in columns.columns})
        if len(self.tables) > _MAX_HEADERS or self._turns > _MAX_TURNS:
            raise InputError(f"{where}: over {_MAX_HEADERS:,} different headers, or {_MAX_TURNS:,} headers")
        self._table = self.tables[header]

    def read(self, progress: Progress | None) -> None:
        """Read on to the end. Raises InputError."""
        while self._at < len(self._text):
            block = Block(self._text, self._at, self._line, self._size)
            parsed = None
            # A quote that is not closed would swallow the block: then lines are read singly.
            if block.size and not block.swallows(self._table.header):
                parsed = parse_block(block, self._table.header, self._table.positions)
            if parsed is None:
                self._read_singly()
            else:
                self._take(block, *parsed)
            if progress is not None:
                progress(min(1.0, self._at / len(self._text)))

    def _sample(self, delimiter: str) -> Iterator[list[str]]:
        """The first rows from here on that hold anything and lie in the first block."""
        text = self._text[self._at : self._at + FIRST_BLOCK].tobytes().decode("latin-1")
        whole = text[: text.rfind("\n") + 1]
        try:
            for row in csv.reader(whole.splitlines(keepends=True), delimiter=delimiter):
                if any(cell.strip() for cell in row) and not row[0].startswith("#"):
                    yield row
        except csv.Error:
            return

    def _take(self, block: Block, columns: Mapping[str, Any], odd: list[int]) -> None:
        """Take the rows of a block, up to another header."""

        table, others = self._table, set(odd)
        rows = np.setdiff1d(np.arange(len(block.starts)), odd, assume_unique=True)
        taken = np.ones(len(rows), np.bool_)
        wide: list[tuple[int, list[str]]] = []
        asked = rows[self._unreadable(columns["submit"])] if "submit" in columns else rows[:0]
        # A header may stand again in the middle, where files were put together.
        for record in sorted((*odd, *asked.tolist())):
            text, line = block.record(record), int(block.line[record])
            header = self._test.header(text, line)
            if header is not None and header.names != table.header.names:
                # With other columns behind it, this block ends in front of the header.
                taken &= rows < record
                self._keep(columns, block.line[rows], taken, wide)
                end, lines = block.behind(record)
                self.turn(header, self._at + end, self._line + lines - 1)
                return
            if header is not None:
                taken[np.searchsorted(rows, record)] = record in others  # the same header again
            elif record in others:
                self._take_odd(text, line, wide)
        self._keep(columns, block.line[rows], taken, wide)
        self._at, self._line = self._at + block.size, self._line + block.lines
        self._size = min(2 * self._size, BLOCK)

    def _keep(
        self, columns: Mapping[str, Any], line: Ints, taken: Mask, wide: Sequence[tuple[int, list[str]]]
    ) -> None:
        """Append the valid rows of a block, and those with additional empty cells."""
        import pyarrow as pa

        if not taken.all():
            mask = pa.array(taken)
            columns, line = {role: column.filter(mask) for role, column in columns.items()}, line[taken]
        self._table.add(columns, line)
        self._add([cells for _, cells in wide], [line for line, _ in wide])

    def _add(self, rows: Sequence[Sequence[str]], line: Sequence[int]) -> None:
        """Append rows whose characters are bytes."""
        self._table.add(columns_of(rows, self._table.positions), np.array(line, np.int64))

    def _take_odd(self, text: str, line: int, wide: list[tuple[int, list[str]]]) -> None:
        """Take a record with another number of cells: into `wide` if the additional cells are empty."""
        width = self._table.header.width
        try:
            cells = cells_of(text, self._table.header.delimiter)
        except csv.Error:
            self._table.broken.append(line)
            return
        # Cells that are too many but empty are a habit of spreadsheets.
        if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
            wide.append((line, cells))
        elif len(cells) >= width or (text.strip() and not text.startswith("#")):
            self._table.leave_out(cells, line)

    def _unreadable(self, column: pa.BinaryArray) -> Mask:
        """The rows whose cell for the submission is no number and no date: some may be headers."""
        import pyarrow.compute as pc

        asked = pc.invert(pc.match_substring_regex(column, rb"^\s*(?:[+-]?[0-9.]|$)"))
        mask = np.array(asked.to_numpy(zero_copy_only=False), np.bool_)
        if mask.any():
            mask[mask] = clock_times(column.filter(asked), "dmy")[0] == UNREADABLE
        return mask

    def _read_singly(self) -> None:
        """Read about a block row by row, because its quotes are not those of CSV."""
        table, delimiter = self._table, self._table.header.delimiter
        begin, first = self._at, self._line
        # A row may be many lines of text, by its quotes: so places are counted by what the reader took.
        seen: list[tuple[int, str]] = []  # the lines of a row, and where they end

        def lines() -> Iterator[str]:
            for at, line in _lines(self._text, begin):
                seen.append((at, line))
                yield line

        rows: list[list[str]] = []
        numbers: list[int] = []
        reader = csv.reader(lines(), delimiter=delimiter)
        try:
            for cells in reader:
                line, count = self._line, len(seen)
                text = "".join(part for _, part in seen)
                self._at, self._line = seen[-1][0], line + count
                seen.clear()
                header = self._test.header(text, line)
                if header is not None and header.names != table.header.names:
                    self._add(rows, numbers)
                    self.turn(header, self._at, self._line - 1)
                    return
                # A quote that does not end swallows the rows behind it.
                if holds_rows(cells, table.header):
                    table.broken.extend(range(line, line + count))
                elif header is None and len(cells) == table.header.width:
                    rows.append(cells)
                    numbers.append(line)
                elif header is None:
                    wide: list[tuple[int, list[str]]] = []
                    self._take_odd(text.rstrip("\n"), line, wide)
                    rows += [cells for _, cells in wide]
                    numbers += [line for line, _ in wide]
                if self._at - begin >= self._size:
                    break
        except csv.Error as error:
            line = first + reader.line_num - 1
            raise InputError(f"{self._path}:{line}: this is not a table: {error}") from error
        self._add(rows, numbers)
