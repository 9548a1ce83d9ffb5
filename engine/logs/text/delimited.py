"""Lines of delimited cells as columns of bytes, parsed by pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.trace.names import Names
from engine.trace.records import format_names

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 23
"""Bytes of lines that are parsed at once, some 20 ms: how long a cancel waits."""

_THREADED = 1 << 16
"""Bytes of lines from which on threads convert the columns."""


def join_names(arrays: Sequence[pa.DictionaryArray]) -> Names:
    """A column of identifiers from the dictionaries of all blocks, formatted by `format_names`."""
    import pyarrow as pa

    if not arrays:
        return Names(np.empty(0, np.int32), ())
    joined = pa.chunked_array(arrays).unify_dictionaries()
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in joined.chunks]).astype(np.int32)
    values = joined.chunk(0).dictionary.to_pylist()
    return Names(codes, format_names(values))


def parse_cells(
    data: bytes, width: int, plain: Sequence[int], coded: Sequence[int], delimiter: str, quoted: bool = False
) -> dict[int, Any] | None:
    """Columns, by position, of lines that all have `width` cells; None if a line has more or fewer.

    Columns at the positions `plain` are binary arrays, those at `coded` dictionaries of bytes. Empty lines
    are skipped. With `quoted`, cells may be quoted as in CSV.
    """
    import pyarrow as pa
    from pyarrow import csv

    kinds = {k: pa.binary() for k in plain} | {k: pa.dictionary(pa.int32(), pa.binary()) for k in coded}
    if not data.strip(b"\n"):
        return {k: pa.array([], kind) for k, kind in kinds.items()}
    try:
        table = csv.read_csv(
            pa.py_buffer(data),
            csv.ReadOptions(
                column_names=[str(k) for k in range(width)],
                block_size=len(data) + 1,
                use_threads=len(data) > _THREADED,  # handing columns to threads costs some milliseconds
            ),
            csv.ParseOptions(
                delimiter=delimiter, quote_char='"' if quoted else False, newlines_in_values=quoted
            ),
            csv.ConvertOptions(
                column_types={str(k): kind for k, kind in kinds.items()},
                include_columns=[str(k) for k in kinds],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    return {k: table.column(str(k)).combine_chunks() for k in kinds}
