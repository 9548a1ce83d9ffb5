"""Tables of jobs: CSV and Parquet with a row a job, and columns by their names or by a mapping."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.input import UnusableError, is_folder, naming, open_input
from engine.limits import MAX_TRACE_BYTES
from engine.machine.cluster import Cluster
from engine.trace.clock_times import UNREADABLE, seconds_of, unix_time
from engine.trace.files import Progress
from engine.trace.records import (
    ELAPSED,
    KEPT_LINES,
    WAITED,
    WALL_ELIGIBLE,
    WALL_END,
    WALL_START,
    WALL_SUBMIT,
    Records,
)
from engine.trace.rows import JobRow, records_of_rows
from engine.trace.table_columns import ColumnMap, check_columns, guess_columns
from engine.trace.trace import MISSING, Note
from engine.words import clip

_PARQUET = b"PAR1"
_MAX_COLUMNS = 1000
_PROGRESS_EVERY = 10_000  # rows
_NUMBER = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][+-]?\d{1,3})?", re.ASCII)
_OFFSET = re.compile(r":\d\d(\.\d+)?\s*(Z|[+-]\d\d:?\d\d)$", re.IGNORECASE)
_NOTHING = frozenset(("", "na", "nan", "none", "null", "unknown", "n/a"))
_LARGEST = float(1 << 62)
_LENGTHS = ("wait", "runtime", "walltime")
_WALL = {"submit": WALL_SUBMIT, "eligible": WALL_ELIGIBLE, "start": WALL_START, "end": WALL_END}
_MOMENTS = ("submit", "eligible", "start", "end")
_COUNTS = ("procs", "allocated", "nodes", "tasks", "gpus", "status")

Row = tuple[int, Sequence[str]]
"""The number of a line, and its cells."""


def is_table(head: bytes) -> bool:
    """Whether the first line names columns, among them one of submissions."""
    header = split_header(head.decode("utf-8", "replace"))
    return len(header) > 1 and "submit" in guess_columns(header).columns


def names_columns(header: Sequence[str]) -> bool:
    """Whether a first line looks like the header of a table, whatever its columns are."""
    names = [name for name in header if name and not _NUMBER.fullmatch(name)]
    return 3 <= len(header) <= _MAX_COLUMNS and len(set(names)) == len(header)


def is_odd_table(head: bytes) -> bool:
    """Whether the first line names columns, but none that tells of submissions by its name."""
    text = head.decode("utf-8", "replace")
    header = split_header(text)
    return names_columns(header) and not text.lstrip().startswith(";")


def is_parquet(path: Path) -> bool:
    """Whether a file begins like Parquet. Raises InputError where it cannot be read."""
    if is_folder(path):
        return False
    with naming(path), open_input(path) as file:
        return not file.is_pipe and file.read()[:4] == _PARQUET


def read_csv(
    path: Path,
    text: NDArray[np.uint8],
    machine: Cluster | None,
    progress: Progress | None = None,
    columns: ColumnMap | None = None,
) -> Records:
    """The jobs of a CSV; commas, semicolons or tabs part its cells, lines that begin with `#` are comments.

    `columns` tells which column has which role, else their names do. Times are dates or
    seconds. Raises InputError where columns are missing.
    """
    lines = io.StringIO(text.tobytes().decode("utf-8", "replace"), newline="")
    before, first = next(
        ((k, line) for k, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")), (0, "")
    )
    reader = csv.reader(lines, delimiter=max(",;\t", key=first.count))
    header = split_header(first)

    def rows() -> Iterator[Row]:
        try:
            for row in reader:
                if progress is not None and reader.line_num % _PROGRESS_EVERY == 0:
                    progress(min(1.0, lines.tell() / max(len(text), 1)))
                if row and [cell.strip() for cell in row] != header:  # that of a further file
                    yield before + reader.line_num, row
        except csv.Error as error:
            raise InputError(f"{path}:{before + reader.line_num}: this is no table: {error}") from error

    return _records(path, header, rows(), machine, columns)


def read_parquet(path: Path, machine: Cluster | None, columns: ColumnMap | None = None) -> Records:
    """The jobs of a Parquet file, by the same rules. Raises InputError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            groups = range(file.metadata.num_row_groups)
            if sum(file.metadata.row_group(k).total_byte_size for k in groups) > MAX_TRACE_BYTES:
                raise UnusableError(f"unpacked, this file is over the limit of {MAX_TRACE_BYTES:,} bytes")
            header = file.schema_arrow.names
            wanted = set((columns or guess_columns(header)).columns.values())
            table = file.read(columns=[name for name in header if name in wanted])
        names = table.column_names
        cells = [texts(table.column(k)) for k in range(len(names))]
    except UnusableError as error:
        raise InputError(f"{path}: {error}") from error
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise InputError(f"{path}: cannot read this Parquet file: {error}") from error
    columns = columns or guess_columns(header)
    check_columns(path, columns, header)
    rows = ((line, row) for line, row in enumerate(zip(*cells, strict=True), 1))
    return _records(path, names, rows, machine, columns)


def texts(column: Any) -> list[str]:
    """The cells of a column as a CSV would spell them; moments as seconds since 1970."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("s"), safe=False).cast(pa.int64())
    return ["" if value is None else str(value) for value in column.to_pylist()]


def split_header(text: str) -> list[str]:
    """The names in the first line that is no comment."""
    first = next((line for line in text.split("\n") if line.strip() and not line.startswith("#")), "")
    try:
        header = next(csv.reader([first], delimiter=max(",;\t", key=first.count)), [])
    except csv.Error:
        return []
    return [name.strip().lstrip("\ufeff") for name in header]


def _records(
    path: Path, header: Sequence[str], rows: Iterator[Row], machine: Cluster | None, columns: ColumnMap | None
) -> Records:
    """The records of all rows. Raises InputError."""
    if len(header) > _MAX_COLUMNS:
        raise InputError(f"{path}: {len(header):,} columns, of {_MAX_COLUMNS:,} at most")
    columns = columns or guess_columns(header)
    check_columns(path, columns, header)
    table = RowReader(columns, header)
    jobs, bad, odd = [], [], []
    for line, cells in rows:
        if len(cells) < len(header):
            bad.append(line)
            continue
        table.odd = False
        jobs.append(table.job(line, cells))
        if table.odd:
            odd.append(line)
    shown = ", ".join(f"{role}: {clip(name, 40)}" for role, name in columns.columns.items())
    rounded = "fractional numbers: runtimes and walltimes were rounded up, all others down"
    notes = (
        _note("unreadable_line", "rows left out: they have too few cells", bad),
        _note("unreadable_cell", "cells that cannot be read: they count as missing", odd),
        _note("fractional", rounded, table.fractional),
        Note("columns", f"columns were taken for {shown}", 1),
    )
    return records_of_rows(path, jobs, machine, notes, dated=table.wall_clock)


def _note(rule: str, text: str, lines: list[int]) -> Note:
    return Note(rule, text, len(lines), tuple(lines[:KEPT_LINES]))


class RowReader:
    """Where the cells of each role are, and how they are read."""

    def __init__(self, columns: ColumnMap, header: Sequence[str]) -> None:
        self._index = {role: list(header).index(name) for role, name in columns.columns.items()}
        self._factor = {role: columns.factor(role) for role in self._index}
        self._length = cache(_length)
        self.odd = False  # whether the last row had a cell that cannot be read
        self.wall_clock = False  # whether any date names no distance to UTC
        self._bits = 0  # of the row
        self.fractional: list[int] = []

    def job(self, line: int, cells: Sequence[str]) -> JobRow:
        """The job of a row; what it does not say follows from what it does."""
        self._bits = 0
        submit, eligible, start, end = (self._moment(role, cells) for role in _MOMENTS)
        wait, runtime, walltime = (self._duration(role, cells) for role in _LENGTHS)
        if start < 0 <= wait and submit >= 0:
            start = submit + wait
            self._bits |= WAITED
        if runtime > 0:
            self._bits |= ELAPSED
        elif runtime < 0 and 0 <= start <= end:
            runtime = end - start
        if any(value % 1 for value in (submit, start, runtime, walltime)):
            self.fractional.append(line)
        procs, allocated, nodes, tasks, gpus, status = (self._count(role, cells) for role in _COUNTS)
        return JobRow(
            line=line,
            job_id=self._text("job_id", cells) or str(line),
            submit=math.floor(submit),
            eligible=math.floor(eligible),
            start=math.floor(start),
            runtime=math.ceil(runtime),
            walltime=math.ceil(walltime),
            procs=procs,
            allocated=allocated,
            nodes=tasks if tasks > 0 else nodes,
            ram=math.ceil(self._number("ram", cells)),
            gpus=max(gpus, 0),
            status=status,
            user=self._text("user", cells),
            group=self._text("group", cells),
            queue=self._text("queue", cells),
            executable=self._text("executable", cells),
            end=math.floor(end),
            wall_clock=self._bits,
            cpu_used=self._duration("cpu_used", cells),
            ram_used=math.ceil(self._number("ram_used", cells)),
            ram_used_bound=self._text("ram_used_bound", cells).lower() in ("1", "true"),
            ram_of_use=self._text("ram_of_use", cells).lower() in ("1", "true"),
            task_ram=math.ceil(self._number("task_ram", cells)),
            task_ram_mean=math.ceil(self._number("task_ram_mean", cells)),
            gpu_used=self._number("gpu_used", cells),
            gpu_ram_used=math.ceil(self._number("gpu_ram_used", cells)),
            energy=round(self._number("energy", cells)),
        )

    def _text(self, role: str, cells: Sequence[str]) -> str:
        return cells[self._index[role]].strip() if role in self._index else ""

    def _read(self, role: str, cells: Sequence[str], read: Callable[[str], float | None]) -> float:
        """What `read` makes of a cell; MISSING where there is none, or where it cannot be read."""
        text = self._text(role, cells)
        if text.lower() in _NOTHING:
            return MISSING
        value = read(text)
        if value is None:
            self.odd = True
            return MISSING
        return max(value, MISSING)

    def _number(self, role: str, cells: Sequence[str]) -> float:
        return self._read(role, cells, lambda text: _real(text, self._factor[role]))

    def _count(self, role: str, cells: Sequence[str]) -> int:
        return int(self._read(role, cells, lambda text: _real(text)))

    def _duration(self, role: str, cells: Sequence[str]) -> float:
        return self._read(role, cells, lambda text: self._length(text, self._factor[role]))

    def _moment(self, role: str, cells: Sequence[str]) -> float:
        """A date, or seconds since the log's zero."""
        text = self._text(role, cells)
        plain = _NUMBER.fullmatch(text) is not None
        found = self._read(role, cells, lambda t: _real(t, self._factor[role]) if plain else _date(t))
        if found >= 0 and not plain and not _OFFSET.search(text):
            self._bits |= _WALL[role]
            self.wall_clock = True
        return found


def _real(text: str, factor: float = 1.0) -> float | None:
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text) * factor
    return value if abs(value) < _LARGEST else None


def _length(text: str, factor: float) -> float | None:
    """A number of units, or `1-02:03:04`."""
    return seconds_of(text) if ":" in text else _real(text, factor)


def _date(text: str) -> float | None:
    time = unix_time(text[:100])
    return None if time == UNREADABLE else time
