"""Text in lines of delimited fields, as columns of bytes: parsed by pyarrow, a block of lines at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.trace.records import spell_names
from engine.trace.trace import Names

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int64]

BLOCK = 1 << 23
"""Bytes that are parsed at once, some 20 ms: how long a cancel waits. A longer line is left out."""

_SEPARATOR = "\x1f"  # what fields are parted by in blocks that had to be mended


@dataclass(frozen=True, eq=False)
class Block:
    """Some lines of a text: n of them have as many fields as they should.

    `columns` hold bytes, shape (n,), by the position of the field; `line` are line numbers from
    1, `bad` those of the lines that were left out. `end` is where the next block begins.
    """

    columns: Mapping[int, pa.Array]
    line: Ints
    bad: Ints
    end: int


def read_blocks(
    text: NDArray[np.uint8],
    delimiter: str,
    width: int,
    plain: Sequence[int],
    coded: Sequence[int],
    *,
    skip: int = 0,
    last_takes_rest: bool = False,
) -> Iterator[Block]:
    """The blocks of a text that ends in a newline, without its first `skip` lines.

    A line has `width` fields, which nothing quotes. Of those at the positions `plain` columns are
    binary arrays, of those at `coded` dictionaries. `last_takes_rest` lets the last field
    hold delimiters. Empty lines are passed over.
    """
    at, number = 0, 1
    while at < len(text):
        data = text[at : at + BLOCK].tobytes()
        size = data.rfind(b"\n") + 1
        if not size:
            at = _next_line(text, at)
            yield Block(_parse([], width, plain, coded), np.empty(0, np.int64), np.array([number]), at)
            number += 1
            continue
        data = data[:size]
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b" ")
        lines = data.count(b"\n")
        if skip:
            passed = min(skip, lines)
            parts = data.split(b"\n", passed)
            data, skip = parts[-1], skip - passed
            number, lines = number + passed, lines - passed
        at += size
        yield _block(data, number, lines, delimiter, width, plain, coded, last_takes_rest, at)
        number += lines


def join_names(arrays: Sequence[pa.DictionaryArray]) -> Names:
    """One column of identifiers of the dictionaries of all blocks, as `spell_names` spells them."""
    import pyarrow as pa

    if not arrays:
        return Names(np.empty(0, np.int32), ())
    joined = pa.chunked_array(arrays).unify_dictionaries()
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in joined.chunks]).astype(np.int32)
    values = joined.chunk(0).dictionary.to_pylist()
    return Names(codes, spell_names(values))


def _next_line(text: NDArray[np.uint8], at: int) -> int:
    """Where the next line begins."""
    while at < len(text):
        found = text[at : at + BLOCK].tobytes().find(b"\n")
        if found >= 0:
            return at + found + 1
        at += BLOCK
    return len(text)


def _block(
    data: bytes,
    number: int,
    lines: int,
    delimiter: str,
    width: int,
    plain: Sequence[int],
    coded: Sequence[int],
    last_takes_rest: bool,
    end: int,
) -> Block:
    """The lines of a block, numbered from `number` on; only one with odd lines is looked at line by line."""
    import pyarrow as pa

    with suppress(pa.ArrowInvalid):  # as soon as one line has another number of fields
        columns = _parse(data, width, plain, coded, delimiter)
        if len(next(iter(columns.values()))) == lines:
            return Block(columns, np.arange(number, number + lines), np.empty(0, np.int64), end)
    kept, line, bad = [], [], []
    for own, row in enumerate(data.split(b"\n")[:-1], number):
        fields = row.split(delimiter.encode(), width - 1 if last_takes_rest else -1)
        if len(fields) == width and _SEPARATOR.encode() not in row:
            kept.append(_SEPARATOR.encode().join(fields))
            line.append(own)
        elif row:
            bad.append(own)
    return Block(_parse(kept, width, plain, coded), np.array(line, np.int64), np.array(bad, np.int64), end)


def _parse(
    data: bytes | list[bytes],
    width: int,
    plain: Sequence[int],
    coded: Sequence[int],
    delimiter: str = _SEPARATOR,
) -> dict[int, Any]:
    """Columns by position of the lines that have `width` fields."""
    import pyarrow as pa
    from pyarrow import csv

    if isinstance(data, list):
        data = b"".join(row + b"\n" for row in data)
    kinds = {k: pa.binary() for k in plain} | {k: pa.dictionary(pa.int32(), pa.binary()) for k in coded}
    if not data.strip(b"\n"):
        return {k: pa.array([], kind) for k, kind in kinds.items()}
    table = csv.read_csv(
        pa.py_buffer(data),
        csv.ReadOptions(column_names=[str(k) for k in range(width)], block_size=len(data) + 1),
        csv.ParseOptions(delimiter=delimiter, quote_char=False),
        csv.ConvertOptions(
            column_types={str(k): kind for k, kind in kinds.items()},
            include_columns=[str(k) for k in kinds],
            strings_can_be_null=False,
        ),
    )
    return {k: table.column(str(k)).combine_chunks() for k in kinds}
