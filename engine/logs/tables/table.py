"""Tables of jobs: CSV and Parquet with one row per job, and columns by their names or by a mapping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.limits import MAX_TRACE_BYTES
from engine.logs.files.content import Progress
from engine.logs.rows import records_of_columns
from engine.logs.tables.columns import ColumnMap, guess_columns
from engine.logs.tables.header import names_columns, split_header
from engine.logs.tables.jobs import jobs_of
from engine.logs.tables.parquet import parts_of, read_parquet_rows
from engine.logs.tables.rows import TableRows, read_rows
from engine.machine.cluster import Cluster
from engine.trace.records import Records

_CELL = 8  # bytes


def is_table(head: bytes) -> bool:
    """True if the first line names columns, including submissions."""
    header = split_header(head.decode("utf-8", "replace"))
    return len(header) > 1 and "submit" in guess_columns(header).columns


def is_odd_table(head: bytes) -> bool:
    """True if the first line names columns, but none that is recognisable as submissions."""
    text = head.decode("utf-8", "replace")
    return names_columns(split_header(text)) and not text.lstrip().startswith(";")


def read_csv(
    path: Path,
    text: NDArray[np.uint8],
    machine: Cluster | None,
    progress: Progress | None = None,
    columns: ColumnMap | None = None,
    firsts: Sequence[int] = (),
) -> Callable[[], Records]:
    """A function that makes the records of a CSV, after the text is released.

    Commas, semicolons, tabs or bars separate its cells; lines that begin with `#` are comments. `columns`
    maps roles to columns, by default their names do; a header may occur anywhere, and has its own columns.
    `firsts` are the lines at which further files begin. Raises InputError if columns are missing.
    """
    return partial(_records, path, read_rows(str(path), text, columns, progress, firsts), machine)


def read_parquet(
    path: Path,
    files: Sequence[Path],
    machine: Cluster | None,
    columns: ColumnMap | None = None,
    progress: Progress | None = None,
) -> Records:
    """The jobs of the Parquet files of the log at `path`, by the same rules; rows are counted through them.

    Raises InputError.
    """
    tables: list[TableRows] = []
    first, room = 1, MAX_TRACE_BYTES
    for k, file in enumerate(files, 1):
        tables.append(read_parquet_rows(file, columns, first, parts_of(file, path)))
        first += len(tables[-1])
        # The bound is on all files of the log together.
        room -= _CELL * len(tables[-1]) * len(tables[-1].cells)
        if room < 0:
            raise InputError(f"{file}: with this file the log is over the limit of {MAX_TRACE_BYTES:,} bytes")
        if progress is not None:
            progress(k / len(files))
    return _records(path, tables, machine)


def _records(path: Path, tables: Sequence[TableRows], machine: Cluster | None) -> Records:
    jobs, notes, dated = jobs_of(tables)
    return records_of_columns(path, jobs, machine, notes, dated=dated)
