"""A schedule file as named columns: CSV, Parquet or SWF, of this program or another one.

Files are untrusted: numbers are parsed strictly, sizes are limited, nothing is evaluated.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.input import UnusableError, naming, open_input
from engine.limits import MAX_TRACE_BYTES
from engine.logs.files.content import read_bytes
from engine.logs.tables.header import DELIMITERS
from engine.schedule.node_list import NODE_LIST
from engine.trace.file_names import COMPRESSIONS
from engine.words import counted

Floats = NDArray[np.float64]

NAMES: Mapping[str, tuple[str, ...]] = {
    "job_id": ("job_id", "jobid", "id", "job_number", "job"),
    "submit": ("submit", "submission_time", "submit_time", "submitted"),
    "start": ("start", "starting_time", "start_time", "begin", "begin_time"),
    "end": ("end", "finish_time", "completion_time", "end_time", "finish"),
    "runtime": ("runtime", "run_time", "execution_time", "duration"),
    "wait": ("wait", "waiting_time", "wait_time"),
    "procs": (
        *("procs", "nprocs", "cpus", "ncpus", "alloccpus", "cores", "processors"),
        *("allocated", "allocated_processors"),
        *("requested_number_of_resources", "requested_number_of_processors", "requested_processors"),
    ),
    NODE_LIST: (NODE_LIST,),
}
"""Accepted names of each column; if several are present the first in this order is used."""

LARGEST = float(1 << 50)
"""The largest time (s) or number of processors: sums of these stay exact in float64."""

_NUMBER = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][+-]?\d{1,3})?")
_TEXTS = ("job_id", NODE_LIST)
"""Columns that are not of numbers."""

_SHORT = 15
"""Digits of numbers that are certainly not too large."""

_NOTHING = {"", "na", "nan", "none", "null"}


@dataclass(frozen=True, eq=False)
class Raw:
    """The rows of a schedule file. Columns have shape (rows,), NaN where a value is missing.

    `columns` holds those of NAMES, without `job_id`, that the file has; `ids` are texts, and so are
    `nodes`, the lists of nodes, where there are any.
    """

    path: Path
    ids: list[str]
    columns: dict[str, Floats]
    nodes: list[str] | None = None
    notes: tuple[str, ...] = ()


def read_columns(path: Path) -> Raw:
    """Read a schedule file, in the format of its name's ending. Raises InputError that starts with the path.

    A file needs a column of job ids and one of starts or waits.
    """
    name = path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path
    suffix = name.suffix.lower()
    if suffix == ".swf":
        return _read_swf(path)
    return _read_parquet(path) if suffix == ".parquet" else _read_csv(path)


def _read_csv(path: Path) -> Raw:
    text = read_bytes(path).tobytes().decode("utf-8", errors="replace")
    skipped, first, rest = _header(io.StringIO(text, newline=""))
    rows = csv.reader(chain([first], rest), delimiter=max(DELIMITERS, key=first.count))
    try:
        index = _indices(path, next(rows, []))
        cells_of = itemgetter(*index.values())  # of at least two columns
        cells: list[tuple[str, ...]] = []
        lines: list[int] = []
        # A single getter for all columns reads a row at once; only rows that end early need care.
        for row in rows:
            if row:
                try:
                    cells.append(cells_of(row))
                except IndexError:  # a row that ends early
                    cells.append(tuple(row[k] if k < len(row) else "" for k in index.values()))
                lines.append(skipped + rows.line_num)
    except csv.Error as error:
        raise InputError(f"{path}:{skipped + rows.line_num}: this is not a table: {error}") from error
    columns = zip(*cells, strict=True) if cells else ((),) * len(index)
    # Tables are written by people, too: blanks around a cell mean nothing.
    texts = {role: list(map(str.strip, column)) for role, column in zip(index, columns, strict=True)}
    ids = texts.pop("job_id")
    if not all(ids):
        raise InputError(f"{path}:{lines[ids.index('')]}: this row names no job")
    return _raw(path, ids, texts, lines)


def _raw(path: Path, ids: list[str], texts: dict[str, list[str]], lines: Sequence[int]) -> Raw:
    nodes = texts.pop(NODE_LIST, None)
    columns = {role: _numbers(path, role, cells, lines) for role, cells in texts.items()}
    return Raw(path, ids, columns, nodes)


def _header(lines: Iterator[str]) -> tuple[int, str, Iterator[str]]:
    """The number of leading blank lines and comments (`#`), the line after them, and all other lines."""
    for skipped, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith("#"):
            return skipped, line, lines
    return 0, "", lines


def _indices(path: Path, header: Sequence[str]) -> dict[str, int]:
    """The index of the column for each role. Raises InputError if a required column is missing."""
    # Spellings of the same name differ in case, spaces and dashes.
    known = [re.sub(r"[\s-]+", "_", name.strip().lower()) for name in header]
    index = {}
    for role, names in NAMES.items():
        spelling = next((name for name in names if name in known), None)
        if spelling is not None:
            index[role] = known.index(spelling)
    shown = ", ".join(name.strip()[:40] for name in header[:20]) or "none"
    if "job_id" not in index:
        raise InputError(f"{path}: no column of job ids ({', '.join(NAMES['job_id'])}); found: {shown}")
    if "start" not in index and "wait" not in index:
        wanted = ", ".join((*NAMES["start"], *NAMES["wait"]))
        raise InputError(f"{path}: no column of starts or waits ({wanted}); found: {shown}")
    return index


def _numbers(path: Path, role: str, texts: Sequence[str], lines: Sequence[int]) -> Floats:
    # The usual case, plain digits alone, is told from all texts at once.
    every = "".join(texts)
    if every.isascii() and every.isdigit() and all(texts) and max(map(len, texts)) <= _SHORT:
        return np.array(list(map(float, texts)))
    values = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        if text.lower() in _NOTHING:
            continue
        if not _NUMBER.fullmatch(text) or abs(float(text)) > LARGEST:
            raise InputError(f"{path}:{lines[row]}: {role} {text[:40]!r} is not a number that a log can hold")
        values[row] = float(text)
    return values


def _read_parquet(path: Path) -> Raw:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with naming(path), open_input(path) as opened:
        if opened.is_pipe:
            raise UnusableError("this is a pipe; Parquet is read from its end, so from a file")
    try:
        with pq.ParquetFile(path) as file:
            groups = range(file.metadata.num_row_groups)
            # The size is checked before anything is unpacked: a small file can hold a huge table.
            if sum(file.metadata.row_group(k).total_byte_size for k in groups) > MAX_TRACE_BYTES:
                raise InputError(
                    f"{path}: unpacked, this file is over the limit of {MAX_TRACE_BYTES:,} bytes"
                )
            header = file.schema_arrow.names
            index = _indices(path, header)
            table = file.read(columns=[header[k] for k in index.values()])
        columns = {role: table.column(header[k]) for role, k in index.items()}
        numbers = {role: _stored_numbers(column) for role, column in columns.items() if role not in _TEXTS}
        # What is stored as numbers stays an array; all else is read as text, as in CSV.
        cells = {role: column.to_pylist() for role, column in columns.items() if numbers.get(role) is None}
    except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot read this Parquet file: {error}") from error
    lines = range(1, len(table) + 1)
    ids = [_as_text(value) for value in cells.pop("job_id")]
    if not all(ids):
        raise InputError(f"{path}:{ids.index('') + 1}: this row names no job")
    texts = {role: [_as_text(value) for value in values] for role, values in cells.items()}
    raw = _raw(path, ids, texts, lines)
    return replace(raw, columns={**raw.columns, **{k: v for k, v in numbers.items() if v is not None}})


def _stored_numbers(column: Any) -> Floats | None:
    """The values of a column of numbers, NaN where there is none; None where any has to be read as text."""
    import pyarrow as pa

    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return None
    values: Floats = column.cast(pa.float64(), safe=False).to_numpy().astype(np.float64)
    return None if (np.abs(values) > LARGEST).any() else values


def _as_text(value: Any) -> str:
    """A cell as text, as in a CSV; a whole number that is stored as a float is written as an integer."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _read_swf(path: Path) -> Raw:
    from engine.logs.formats.swf import read_swf
    from engine.logs.text.tokens import tokenize

    tokens = tokenize(read_bytes(path))
    if not len(tokens):
        raise InputError(f"{path}: there is no job in this file")
    records = read_swf(path, tokens)
    # -1 is the format's word for a missing value.
    wait = np.where(records.wait >= 0, records.wait, np.nan)
    procs = np.where(records.allocated > 0, records.allocated, records.procs)
    columns = {
        "submit": records.submit.astype(np.float64),
        "wait": wait,
        "runtime": np.where(records.runtime >= 0, records.runtime, np.nan),
        "procs": np.where(procs > 0, procs, np.nan),
    }
    ids = [str(job) for job in records.job_id.tolist()]
    notes = (f"{counted(tokens.bad, 'unreadable line')}",) if tokens.bad else ()
    return Raw(path, ids, columns, notes=notes)
