"""Columns of tables, texts or typed, as numbers: times, durations, amounts, counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Mask
from engine.logs.tables.words import NOTHING, number_of
from engine.logs.text.clock_times import UNREADABLE, clock_times
from engine.trace.sentinels import INFINITE, NO_VALUE, without_no_values
from engine.trace.trace import MISSING
from engine.words import clip

if TYPE_CHECKING:
    import pyarrow as pa


_LONGEST = 200  # first characters of a cell that are examined
_LARGEST = float(1 << 62)
_NUMBER = rb"^\s*[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?\s*$"
_COMMA_NUMBER = rb"^\s*[+-]?[0-9]{1,30}(?:,[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?\s*$"
_PER_SECOND = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}

NO_MOMENT = (float(NO_VALUE), float(INFINITE))
"""Values for "none" in 32-bit times; in 64-bit times it is any value from 2^62 on."""

NO_LIMIT = (2.0**31 - 1, *NO_MOMENT)
"""Values for "none" in limits."""


@dataclass(frozen=True)
class CellFormat:
    """The format of the cells of a role: the unit of numbers, the decimal separator, and other possible
    words.

    `words` converts other texts to numbers in the unit of the role; without it they are dates, and `order` is
    that of day and month. `endless` are numbers that mean "none". Negative numbers are missing, or read
    without their sign if `unsigned`.
    """

    factor: float = 1.0
    decimal: str = "."
    words: Callable[[str, str], float | None] | None = None
    order: str = ""
    endless: tuple[float, ...] = ()
    unsigned: bool = False

    def read(self, text: str) -> float | None:
        """A text that is no plain number, and no date; None where it cannot be read."""
        number = number_of(text, self.decimal)
        if number is not None:
            return float(_scaled(np.array([number]), self)[0])
        found = None if self.words is None else self.words(text, self.decimal)
        return None if found is None else max(found, float(MISSING))


@dataclass(eq=False)
class NumberColumn:
    """A column as numbers, shape (n,): MISSING for missing, infinite for no limit.

    `odd` marks unreadable cells, `first` is the text of the first of these. `dates` marks dates, and `wall`
    those in local time.
    """

    values: Floats
    odd: Mask
    dates: Mask
    wall: Mask
    first: str = ""

    @classmethod
    def missing(cls, n: int) -> NumberColumn:
        """An empty column."""
        odd, dates, wall = (np.zeros(n, np.bool_) for _ in range(3))
        return cls(np.full(n, float(MISSING)), odd, dates, wall)

    @classmethod
    def joined(cls, parts: Sequence[NumberColumn]) -> NumberColumn:
        """Chunks of a column joined."""
        names = ("values", "odd", "dates", "wall")
        whole = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(**whole, first=next((part.first for part in parts if part.first), ""))

    def take(self, index: Any) -> NumberColumn:
        """The cells at these positions."""
        return NumberColumn(
            self.values[index], self.odd[index], self.dates[index], self.wall[index], self.first
        )


def read_column(chunks: Iterable[pa.Array], n: int, how: CellFormat) -> NumberColumn:
    """A column of n cells, in chunks, as numbers. Lengths and moments that have a type are in seconds."""
    parts = [_read(chunk, how) for chunk in chunks]
    return NumberColumn.joined(parts) if parts else NumberColumn.missing(n)


def count_matches(column: pa.Array, pattern: bytes) -> int:
    """The number of matching texts in a column, counting dictionary entries once; 0 for other types."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not is_text(column):
        return 0
    texts = column.dictionary if pa.types.is_dictionary(column.type) else column
    return int(pc.sum(pc.match_substring_regex(texts.cast(pa.binary()), pattern)).as_py() or 0)


def distinct_texts(chunks: Iterable[pa.Array], pattern: bytes) -> list[str]:
    """The different texts of a column that match a pattern."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found: dict[str, None] = {}
    for column in filter(is_text, chunks):
        texts = (column.dictionary if pa.types.is_dictionary(column.type) else column).cast(pa.binary())
        own = pc.unique(texts.filter(pc.match_substring_regex(texts, pattern).fill_null(False)))
        found |= dict.fromkeys(text[:_LONGEST].decode("utf-8", "replace") for text in own.to_pylist())
    return list(found)


def read_texts(chunks: Iterable[pa.Array], n: int, read: Callable[[str], int | None]) -> NumberColumn:
    """A column of n cells, in chunks, of which `read` makes each text a number; None: it cannot be read."""
    import pyarrow as pa

    parts = []
    for chunk in chunks:
        cells = NumberColumn.missing(len(chunk))
        # Each different text is read once.
        column = chunk.cast(pa.string()).fill_null("").dictionary_encode()
        texts = [text[:_LONGEST] for text in column.dictionary.to_pylist()]
        found = [MISSING if text.strip().lower() in NOTHING else read(text) for text in texts]
        codes = column.indices.to_numpy(zero_copy_only=False)
        cells.odd = np.array([value is None for value in found], np.bool_)[codes]
        cells.values = np.array([MISSING if value is None else value for value in found], np.float64)[codes]
        cells.first = next((text for text, value in zip(texts, found, strict=True) if value is None), "")
        parts.append(cells)
    return NumberColumn.joined(parts) if parts else NumberColumn.missing(n)


def value_of(cell: pa.Scalar) -> Any:
    """A cell as a Python value; the number of units for times and durations that Python cannot represent."""
    try:
        return cell.as_py()
    except (OverflowError, ValueError):
        return getattr(cell, "value", None)


def text_at(chunks: Iterable[pa.Array], row: int) -> str:
    """The contents of a cell, in a single line."""
    for chunk in chunks:
        if row < len(chunk):
            cell = value_of(chunk[row])
            text = (
                cell[:_LONGEST].decode("utf-8", "backslashreplace") if isinstance(cell, bytes) else str(cell)
            )
            return clip(text, _LONGEST)
        row -= len(chunk)
    return ""


def is_text(column: pa.Array) -> bool:
    """True if a column contains texts, or bytes that are texts."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return any(
        test(kind) for test in (pa.types.is_binary, pa.types.is_string, pa.types.is_large_string)
    ) or pa.types.is_large_binary(kind)


def _read(column: pa.Array, how: CellFormat) -> NumberColumn:
    """A chunk of a column."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        values = _read(column.dictionary, how)
        # A value for missing cells is appended behind the values; cells without a code point to it.
        missing = NumberColumn.missing(1)
        codes = column.indices.cast(pa.int64()).fill_null(len(values.values))
        return NumberColumn.joined([values, missing]).take(codes.to_numpy(zero_copy_only=False))
    if is_text(column):
        return _of_texts(column, how)
    return _of_type(column, how)


def _of_type(column: pa.Array, how: CellFormat) -> NumberColumn:
    """A chunk of typed cells; types that are not numbers count as unreadable."""
    import pyarrow as pa

    kind, cells = column.type, NumberColumn.missing(len(column))
    known = np.array(column.is_valid().to_numpy(zero_copy_only=False), np.bool_)
    if pa.types.is_date(kind):
        column, kind = column.cast(pa.timestamp("s"), safe=False), pa.timestamp("s")
    # A time without a time zone is read off a clock on the wall.
    if pa.types.is_timestamp(kind):
        cells.dates = known
        cells.wall = known if kind.tz is None else cells.wall
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time(kind):
        # The column's own unit counts, whatever the user said of numbers.
        how = replace(how, factor=1.0 / _PER_SECOND[kind.unit])
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        column = column.cast(width).cast(pa.int64())
    elif pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    if pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        # Neither a number nor a time: all of its cells are odd.
        cells.odd = known
        cells.first = next((clip(str(value_of(cell))[:_LONGEST]) for cell in column.drop_null()), "")
        return cells
    numbers = column.cast(pa.float64(), safe=False).fill_null(MISSING).to_numpy(zero_copy_only=False)
    numbers = np.where(np.isnan(numbers), MISSING, numbers)
    cells.values = _scaled(numbers, how)
    cells.dates &= numbers >= 0
    cells.wall &= numbers >= 0
    return cells


def _scaled(numbers: Floats, how: CellFormat) -> Floats:
    """Numbers in the unit of their role; those that mean "none" are infinite, negative numbers missing."""
    numbers = np.abs(numbers) if how.unsigned else numbers
    endless = (numbers >= _LARGEST) | np.isin(numbers, how.endless)
    factor = how.factor
    scaled = numbers * factor if factor >= 1 else numbers / round(1 / factor)  # exact, unlike a product
    scaled = np.where(endless | (scaled >= _LARGEST), math.inf, scaled)
    unset = (numbers < 0) | (without_no_values(numbers) != numbers) & ~endless
    return np.where(unset, float(MISSING), scaled)


def _of_texts(column: pa.Array, how: CellFormat) -> NumberColumn:
    """A chunk of texts: plain numbers are read at once, other texts once for each distinct text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = column.cast(pa.binary()).fill_null(b"")
    cells = NumberColumn.missing(len(column))
    # Nearly all cells are plain numbers, which whole columns are read of at once.
    plain = pc.match_substring_regex(column, _COMMA_NUMBER if how.decimal == "," else _NUMBER)
    mask = np.asarray(plain.to_numpy(zero_copy_only=False), np.bool_)
    texts = pc.utf8_trim_whitespace(column.filter(plain).cast(pa.string()))
    if how.decimal == ",":
        texts = pc.replace_substring(texts, ",", ".")
    cells.values[mask] = _scaled(texts.cast(pa.float64()).to_numpy(zero_copy_only=False), how)
    others = np.flatnonzero(~mask)
    if len(others):
        _read_others(column.take(pa.array(others)), others, cells, how)
    return cells


def _read_others(
    texts: pa.BinaryArray, rows: NDArray[np.int64], cells: NumberColumn, how: CellFormat
) -> None:
    """Read texts that are no plain numbers into the `rows` of `cells`."""
    # Only columns that are no counts may hold dates.
    if how.words is None:
        times, wall = clock_times(texts, how.order)
        cells.values[rows] = np.maximum(times, MISSING)
        cells.dates[rows], cells.wall[rows] = times >= 0, wall
        left = np.flatnonzero(times == UNREADABLE)
        if not len(left):
            return
        texts, rows = texts.take(left), rows[left]
    encoded = texts.dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    cell_texts = [
        text[:_LONGEST].decode("utf-8", "backslashreplace").strip() for text in encoded.dictionary.to_pylist()
    ]
    found = [float(MISSING) if text.lower() in NOTHING else how.read(text) for text in cell_texts]
    odd = np.array([value is None for value in found], np.bool_)
    values = np.array([float(MISSING) if value is None else value for value in found], np.float64)
    cells.values[rows], cells.odd[rows] = values[codes], odd[codes]
    if odd.any():
        cells.first = cell_texts[int(codes[int(np.argmax(odd[codes]))])]
