"""Parquet files as columns by role."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from engine.errors import InputError
from engine.input import UnusableError
from engine.limits import FREE_BYTES, MAX_RATIO, MAX_TRACE_BYTES
from engine.logs.tables.cells import value_of
from engine.logs.tables.columns import ColumnMap, check_columns
from engine.logs.tables.header import Header
from engine.logs.tables.rows import TableRows
from engine.trace.columns import NAMED
from engine.words import clip

if TYPE_CHECKING:
    import pyarrow as pa

_CELL = 8  # bytes that a cell takes at least
_MAX_NAME, _MAX_ID = 1 << 16, 200  # bytes
_DEEPEST, _MOST_INSIDE = 4, 1000  # fields within fields, and how many of them are offered
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def parquet_header(path: Path) -> tuple[str, ...]:
    """The names of the columns, and of fields inside columns, as `times.submit`. Raises InputError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
        inner = [name for field in schema for name in _inside(field, _DEEPEST)]
        return tuple(dict.fromkeys((*schema.names, *inner[:_MOST_INSIDE])))
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise _unreadable(path, error) from error


def parts_of(file: Path, folder: Path) -> dict[str, str]:
    """The columns given by names of folders like `year=2024`, below `folder`, for all rows of a file."""
    if not file.is_relative_to(folder):
        return {}
    pairs = (name.split("=", 1) for name in file.relative_to(folder).parts[:-1] if "=" in name)
    return {unquote(name): "" if value == _NO_VALUE else unquote(value) for name, value in pairs}


def read_parquet_rows(
    path: Path, mapping: ColumnMap | None, first: int = 1, parts: Mapping[str, str] | None = None
) -> TableRows:
    """The rows of a Parquet file, which are numbered from `first` on.

    `parts` are further columns, each with the value of all rows. Raises InputError.
    """
    import pyarrow as pa

    own = parquet_header(path)
    # Parts of the path, as in month=3/, are columns of a value each.
    further = {name: value for name, value in (parts or {}).items() if name not in own}
    header = (*own, *further)
    columns = (mapping or ColumnMap()).of_header(header)
    check_columns(str(path), columns, header)
    wanted = list(dict.fromkeys(columns.columns.values()))
    table = read_parquet_columns(path, [name for name in wanted if name not in further] or list(own[:1]))
    n = len(next(iter(table.values())))
    for name in wanted:
        if name in further:
            value = pa.array([further[name].encode("utf-8", "surrogateescape")], pa.binary())
            codes = pa.array(np.zeros(n, np.int32))
            table[name] = pa.chunked_array([pa.DictionaryArray.from_arrays(codes, value)])
    # From here on it is a table like those that are read from texts.
    rows = TableRows(str(path), Header(header, ","), columns)
    rows.cells = {
        role: [_of_role(role, chunk) for chunk in table[name].chunks]
        for role, name in columns.columns.items()
    }
    rows.unread = [
        f"{clip(name, 40)!r} ({str(table[name].type).partition('<')[0]})"
        for role, name in columns.columns.items()
        if role in (*NAMED, "job_id") and _is_nested(table[name].type)
    ]
    rows.line = [np.arange(first, first + n)]
    return rows


def read_parquet_columns(
    path: Path, names: Sequence[str], most: int | None = None
) -> dict[str, pa.ChunkedArray]:
    """Some columns of a Parquet file, or of its first `most` rows: texts are dictionaries.

    Raises InputError where it cannot be read, or is larger than a log may be.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            leaves = [file.schema.column(k) for k in range(len(file.schema))]
            coded = [leaf.path for leaf in leaves if _is_coded(leaf)]
            wanted = [k for k, leaf in enumerate(leaves) if _is_below(leaf.path, names)]
            # The first bound needs the number of rows alone; only a file that it allows is measured in full.
            size = _CELL * file.metadata.num_rows * len(wanted) if most is None else 0
            if size <= MAX_TRACE_BYTES:
                size = max(size, _size(file, wanted, most))
        if size > MAX_TRACE_BYTES:
            raise UnusableError(f"unpacked, this file is over the limit of {MAX_TRACE_BYTES:,} bytes")
        if size > max(FREE_BYTES, MAX_RATIO * path.stat().st_size):
            raise UnusableError(
                f"this file unpacks to over {MAX_RATIO} times its size, and to over {FREE_BYTES:,} bytes"
            )
        # Opened once more, since which columns are dictionaries has to be said before.
        with pq.ParquetFile(path, read_dictionary=coded) as file:
            if most is None:
                table = file.read(columns=list(names), use_threads=False)
            else:
                batches = file.iter_batches(batch_size=most, columns=list(names), use_threads=False)
                table = pa.Table.from_batches([batch for batch in [next(batches, None)] if batch is not None])
        found = {name: _column(table, name) for name in names}
        return {name: column for name, column in found.items() if column is not None}
    except UnusableError as error:
        raise InputError(f"{path}: {error}") from error
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise _unreadable(path, error) from error


def _inside(field: Any, deepest: int) -> Iterator[str]:
    """The names of the fields of a column, with the column's name before them."""
    import pyarrow as pa

    if deepest and pa.types.is_struct(field.type):
        for k in range(field.type.num_fields):
            inner = field.type.field(k)
            yield f"{field.name}.{inner.name}"
            yield from (f"{field.name}.{name}" for name in _inside(inner, deepest - 1))


def _column(table: pa.Table, name: str) -> pa.ChunkedArray | None:
    """A column, or a field of a nested column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # A column may have a dot in its own name.
    if name in table.column_names:
        return table.column(table.column_names.index(name))
    first, dot, rest = name.partition(".")
    if not dot or first not in table.column_names:
        return None
    column = table.column(table.column_names.index(first))
    for part in rest.split("."):
        if not pa.types.is_struct(column.type) or column.type.get_field_index(part) < 0:
            return None
        column = pc.struct_field(column, part)
    return column


def cell_texts(column: pa.Array) -> list[str]:
    """The cells of a column as texts, as in a CSV."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return [_text(value_of(cell)).decode("utf-8", "backslashreplace") for cell in column]


def _is_coded(leaf: Any) -> bool:
    """True if a column of a file contains texts, or bytes, which can be read as dictionaries."""
    return leaf.physical_type == "BYTE_ARRAY" and leaf.logical_type.type in ("STRING", "NONE", "JSON", "ENUM")


def _is_below(path: str, names: Sequence[str]) -> bool:
    """True if a leaf of the schema is one of these columns, or inside such a column."""
    return any(path == name or path.startswith(f"{name}.") for name in names)


def _size(file: Any, wanted: Sequence[int], most: int | None) -> int:
    """Bytes that the wanted columns unpack to, as the file says: their pages, or their cells, if more."""
    groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
    if most is not None:
        return sum(int(group.total_byte_size) for group in groups[:1])
    # A damaged entry of a column ends the whole process where it is asked for by itself. A scan meets it
    # first and raises, holds a page at a time, and takes a fifth of the time of reading.
    file.scan_contents([file.schema.column(k).path for k in wanted])
    chunks = [group.column(k) for group in groups for k in wanted]
    return max(
        sum(int(chunk.total_uncompressed_size) for chunk in chunks),
        _CELL * sum(int(chunk.num_values) for chunk in chunks),
    )


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(f"{path}: cannot read this Parquet file: {error}")


def _of_role(role: str, column: Any) -> Any:
    """A chunk as `TableRows` holds it: names as dictionaries of bytes, ids as bytes, of lists what counts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage
    kind = column.type
    # Of lists of nodes their number counts, of others the first entry.
    if _is_list(kind):
        column = pc.list_value_length(column) if role == "nodes" else _firsts(column)
    if role not in (*NAMED, "job_id"):
        return column
    most = _MAX_NAME if role in NAMED else _MAX_ID
    names = _names(pa.nulls(len(column)) if _is_nested(column.type) else column, most)
    return names if role in NAMED else names.dictionary.take(names.indices)


def _is_nested(kind: Any) -> bool:
    """True if cells have parts, except plain lists of cells."""
    import pyarrow as pa

    return bool(pa.types.is_nested(kind.value_type if _is_list(kind) else kind))


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return any(test(kind) for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))


def _firsts(column: Any) -> Any:
    """The first entry of each list; null for empty lists."""
    import pyarrow as pa
    import pyarrow.compute as pc

    sizes = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    starts = np.cumsum(sizes) - sizes
    return column.flatten().take(pa.array(starts, pa.int64(), mask=sizes == 0))


def _names(column: Any, most: int) -> Any:
    """A column as a dictionary of different names of at most `most` bytes; missing values are empty names."""
    import pyarrow as pa

    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    values = [_text(value_of(value))[:most] for value in encoded.dictionary]
    place: dict[bytes, int] = {}
    codes = np.array([place.setdefault(value, len(place)) for value in (*values, b"")], np.int32)
    indices = encoded.indices.cast(pa.int64()).fill_null(len(values)).to_numpy(zero_copy_only=False)
    return pa.DictionaryArray.from_arrays(pa.array(codes[indices]), pa.array(list(place), pa.binary()))


def _text(value: Any) -> bytes:
    """A value as text, as in a CSV."""
    if value is None:
        return b""
    if isinstance(value, bytes):
        return value
    if isinstance(value, float | Decimal) and math.isfinite(value) and value == int(value):
        value = int(value)
    return b"" if value != value else str(value).encode("utf-8", "backslashreplace")
