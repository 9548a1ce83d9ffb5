"""Parquet files, written by pandas or databases, whose columns are fields of sacct or slurmdbd."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.input import UnusableError
from engine.limits import MAX_TRACE_BYTES
from engine.logs.files.content import Progress
from engine.logs.sacct.prints.dump import in_fields, marked_notes
from engine.logs.sacct.prints.fields import check_fields
from engine.logs.sacct.prints.heads import Head, head_of_names, is_sacct
from engine.logs.sacct.prints.text import Marks, wanted_fields
from engine.logs.sacct.rows import SlurmRows, column_of, records_of_rows
from engine.machine.cluster import Cluster
from engine.trace.records import Records
from engine.trace.trace import Note

_ROWS = 1 << 16  # that are read at once
_LOOKED_AT = 20  # rows that decide whether times are dates


def is_slurm_parquet(path: Path) -> bool:
    """True if the columns of a Parquet file are fields of sacct or of the job table. Raises InputError."""
    names, head = _head(path)
    if "JobID" not in head.fields:
        return False
    # Names of the job table in the database are names of nothing else.
    if head.table:
        return True
    if "Submit" not in head.fields:
        return False
    # Names such as JobID and Submit stand in other tables, too: the first values decide.
    rows = next(_batches(path, [names[head.fields.index("Submit")]], _LOOKED_AT), None)
    if rows is None:
        return is_sacct(head, [])
    filler = [""] * len(head.fields)
    at = head.fields.index("Submit")
    texts = texts_of(rows.column(0)).to_pylist()[:_LOOKED_AT]
    cells = [[*filler[:at], text.decode("utf-8", "replace"), *filler[at + 1 :]] for text in texts]
    return is_sacct(head, cells)


def read_slurm_parquet(
    path: Path,
    files: Sequence[Path],
    machine: Cluster | None,
    progress: Progress | None = None,
    dates: str = "",
) -> Records:
    """The records of Parquet files that form a log; `dates` as for `read_slurm`. Raises InputError."""
    marks = Marks()
    taken = "read as what sacct prints, or as slurmdbd's job table, by the names of columns"
    notes = (Note("sacct", taken, 1),)
    return records_of_rows(
        path,
        parquet_rows(files, marks),
        machine,
        dates=dates,
        notes=lambda: (*marked_notes(marks), *notes),
        progress=progress,
    )


def texts_of(column: Any) -> Any:
    """A column of any type as sacct would print its values: bytes, empty for missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    # Dates become times at midnight, and all times the text that sacct prints.
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("s"))
        kind = column.type
    if pa.types.is_timestamp(kind):
        column = column.cast(pa.timestamp("s", kind.tz), safe=False)
        if kind.tz is None:
            column = pc.strftime(column, "%Y-%m-%dT%H:%M:%S")
        else:
            column = column.cast(pa.int64())
    elif pa.types.is_duration(kind):
        seconds = column.cast(pa.duration("s"), safe=False).cast(pa.int64()).cast(pa.string())
        # A duration in seconds alone would be read as minutes.
        column = pc.binary_join_element_wise("0:0:", seconds, "")
    elif pa.types.is_floating(kind):
        column = _numbers(column)
    elif pa.types.is_nested(kind) or pa.types.is_null(kind):
        column = pa.nulls(len(column), pa.string())
    if not (pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)):
        column = column.cast(pa.string())
    return column.cast(pa.binary()).fill_null(b"")


def _numbers(column: Any) -> Any:
    """Floating-point numbers as texts, whole numbers without decimals; null for missing numbers."""
    import pyarrow as pa

    values = np.asarray(column.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False))
    # Beyond 2^53 floating-point numbers are not exact: they are no ids.
    whole = np.isfinite(values) & (np.abs(values) < 2.0**53) & (values == np.trunc(values))
    texts = [
        None if value != value else str(int(value)) if is_whole else str(value)
        for value, is_whole in zip(values.tolist(), whole.tolist(), strict=True)
    ]
    return pa.array(texts, pa.string())


def _head(path: Path) -> tuple[tuple[str, ...], Head]:
    """The names of the columns, and what they are in sacct."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = tuple(pq.read_schema(path).names)
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise _unreadable(path, error) from error
    return names, head_of_names([name or "?" for name in names] or ["?"], "")


def parquet_rows(files: Sequence[Path], marks: Marks) -> Iterator[SlurmRows]:
    """The rows of all files, both jobs and steps, numbered continuously."""
    line = 1
    for k, file in enumerate(files):
        names, head = _head(file)
        check_fields(file, head.fields)
        wanted = wanted_fields(head)
        chosen = {name: names[at] for at, name in enumerate(head.fields) if name in wanted}
        for batch in _batches(file, list(chosen.values()), _ROWS):
            columns = {}
            for name, own in chosen.items():
                texts = texts_of(batch.column(batch.schema.get_field_index(own)))
                columns[name] = column_of(name, texts)
            lines = np.arange(line, line + batch.num_rows)
            line += batch.num_rows
            yield in_fields(columns, lines, head, marks, (k + 1) / len(files))


def _batches(path: Path, names: Sequence[str], rows: int) -> Iterator[Any]:
    """Some columns of a file, `rows` rows at a time. Raises InputError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            groups = range(file.metadata.num_row_groups)
            if sum(file.metadata.row_group(k).total_byte_size for k in groups) > MAX_TRACE_BYTES:
                raise UnusableError(f"unpacked, this file is over the limit of {MAX_TRACE_BYTES:,} bytes")
            yield from file.iter_batches(batch_size=rows, columns=list(names), use_threads=False)
    except UnusableError as error:
        raise InputError(f"{path}: {error}") from error
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(f"{path}: cannot read this Parquet file: {error}")
