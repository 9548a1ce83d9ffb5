"""Blocks of CSV: whole lines of a text, the records in them, and their cells as columns of bytes."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.logs.tables.header import Header
from engine.trace.columns import NAMED

if TYPE_CHECKING:
    import pyarrow as pa

Bytes = NDArray[np.uint8]


class Block:
    """Some whole lines of a text, and the records in them: lines, or several where cells hold line breaks.

    `size` is in bytes of the text, 0 where a quote does not end in the block, and `lines` how many lines they
    are. `starts` and `ends`, shape (records,), are where records that hold anything lie in `data`, `line` the
    numbers of their first lines.
    """

    def __init__(self, text: Bytes, at: int, line: int, size: int) -> None:
        self._newlines, whole = _ends(text[at : at + size])
        self.size = int(whole[-1]) + 1 if len(whole) else 0
        self.data = text[at : at + self.size].tobytes()
        newlines = self._newlines
        # Returns are taken out, but numbers of lines and bytes stay those of the file.
        if b"\r" in self.data:
            self.data = _without_returns(self.data.replace(b"\r\n", b"\n"))
            newlines, whole = _ends(np.frombuffer(self.data, np.uint8))
        self.lines = int(np.searchsorted(self._newlines, self.size))
        starts = np.concatenate((whole[:1] * 0, whole[:-1] + 1))
        # Empty lines are no records.
        filled = whole > starts
        self.starts, self.ends = starts[filled], whole[filled]
        self._first = np.searchsorted(newlines, self.starts)
        self._last = np.searchsorted(newlines, self.ends)
        self.line = line + self._first

    def record(self, index: int) -> str:
        """A record; each character is a byte."""
        return self.data[self.starts[index] : self.ends[index]].decode("latin-1")

    def behind(self, index: int) -> tuple[int, int]:
        """The bytes of the text, and the lines, that end with a record."""
        last = int(self._last[index])
        return int(self._newlines[last]) + 1, last + 1

    def swallows(self, header: Header) -> bool:
        """True if a line within a quoted cell has as many cells as a row: a closing quote is missing
        somewhere.
        """
        for index in np.flatnonzero(self._last > self._first).tolist():
            try:
                cells = cells_of(self.record(index), header.delimiter)
            except csv.Error:
                return True
            if holds_rows(cells, header):
                return True
        return False


def holds_rows(cells: Sequence[str], header: Header) -> bool:
    """True if a line within a cell has as many cells as a row: a closing quote is missing somewhere."""
    lines = (line for cell in cells if "\n" in cell for line in cell.split("\n")[1:])
    return header.width > 2 and any(line.count(header.delimiter) >= header.width - 1 for line in lines)


def parse_block(
    block: Block, header: Header, positions: Mapping[str, int]
) -> tuple[dict[str, pa.Array], list[int]] | None:
    """The columns of a block by role, of the records with as many cells as a row, and the other records.

    `positions` are the cells of each role. None where the block's records are not what a parser of CSV sees.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    odd: list[int] = []

    def skip(row: Any) -> str:
        odd.append(int(row.number) - 1)
        return "skip"

    try:
        block.data.decode()
        handler = skip
    except UnicodeDecodeError:  # pyarrow would print that it cannot show the row to `skip`
        handler = None
    # Columns are read by their places: names of a header may be empty or twice.
    names = {role: str(position) for role, position in positions.items()}
    kinds = dict.fromkeys(names.values(), pa.binary())
    kinds |= {name: pa.dictionary(pa.int32(), pa.binary()) for role, name in names.items() if role in NAMED}
    try:
        table = arrow_csv.read_csv(
            pa.py_buffer(block.data),
            arrow_csv.ReadOptions(
                column_names=[str(k) for k in range(header.width)],
                block_size=len(block.data) + 1,
                use_threads=False,
            ),
            arrow_csv.ParseOptions(
                delimiter=header.delimiter, newlines_in_values=True, invalid_row_handler=handler
            ),
            arrow_csv.ConvertOptions(
                column_types=kinds, include_columns=list(kinds), strings_can_be_null=False
            ),
        )
    # What the fast reader cannot take is read line by line by the caller.
    except pa.ArrowInvalid:
        return None
    # Rows are only told from lines where both counts agree: a quote may have swallowed lines.
    if table.num_rows + len(odd) != len(block.starts) or any(k >= len(block.starts) for k in odd):
        return None
    columns = {name: table.column(name).combine_chunks() for name in kinds}
    return {role: _of_role(role, columns[name]) for role, name in names.items()}, odd


def cells_of(record: str, delimiter: str) -> list[str]:
    """The cells of a record. Raises csv.Error."""
    return next(csv.reader(io.StringIO(record, newline=""), delimiter=delimiter), [])


def columns_of(rows: Sequence[Sequence[str]], positions: Mapping[str, int]) -> dict[str, pa.Array]:
    """Columns by role of rows of cells whose characters are bytes."""
    import pyarrow as pa

    return {
        role: _of_role(role, pa.array([row[position].encode("latin-1") for row in rows], pa.binary()))
        for role, position in positions.items()
    }


def _of_role(role: str, column: Any) -> Any:
    """The column as its role wants it: a column may have several roles."""
    import pyarrow as pa

    coded = pa.types.is_dictionary(column.type)
    if role in NAMED:
        return column if coded else column.dictionary_encode()
    return column.cast(pa.binary()) if coded else column


def _ends(data: Bytes) -> tuple[Ints, Ints]:
    """The ends of lines, and the ends of records: line breaks outside of quotes."""
    newlines = np.flatnonzero(data == ord("\n"))
    return newlines, newlines[~_are_quoted(data, newlines)]


def _are_quoted(data: Bytes, places: Ints) -> NDArray[np.bool_]:
    """Which places are within quotes."""
    quotes = np.flatnonzero(data == ord('"'))
    return (np.searchsorted(quotes, places) & 1).astype(np.bool_)


def _without_returns(data: bytes) -> bytes:
    """The text with spaces in place of carriage returns outside of quotes, where they would end a row."""
    characters = np.frombuffer(data, np.uint8)
    returns = np.flatnonzero(characters == ord("\r"))
    bare = returns[~_are_quoted(characters, returns)]
    if not len(bare):
        return data
    characters = characters.copy()
    characters[bare] = ord(" ")
    return characters.tobytes()
