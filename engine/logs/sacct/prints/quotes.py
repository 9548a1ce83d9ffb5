"""Lines of sacct as CSV with quotes, as spreadsheets and pandas write them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.logs.sacct.prints.cells import STEPS_A_LINE, Split, Splitter
from engine.logs.sacct.prints.heads import Head
from engine.logs.sacct.prints.text import Columns, Marks, TextBlocks, TextRows

_MAX_LINES = 1_000  # of a record
_PARTS = "\x1f"  # separator of cells that are distributed to fields again


class QuotedBlocks(TextBlocks):
    """A reader of blocks of lines with quoted fields, which contain delimiters and line breaks."""

    def __init__(self, head: Head, marks: Marks) -> None:
        super().__init__(replace(head, quoted=False), marks)
        self._goes_on = self._hides = False

    def _parsed(self, data: bytes) -> Columns | None:
        return self._columns(data, quoted=b'"' in data)

    def _mended(self, lines: list[str], number: int, final: bool) -> tuple[TextRows, int]:
        # Without a quote a line is a record, as in plain prints.
        if not any('"' in line for line in lines):
            return super()._mended(lines, number, final)
        records: dict[int, Split] = {}
        used = 0
        splitter = Splitter(self.head.fields, _PARTS)
        self._splitter.steps += STEPS_A_LINE * len(lines)
        for begin, end in _records(lines, self._is_next):
            # The record may go on in the next block.
            if end > len(lines) and not final and begin:
                break
            end = min(end, len(lines))
            used = end
            split = self._split(lines[begin:end], splitter)
            if split is not None:
                records[begin] = split
                self.marks.joined += range(number + begin + 1, number + end)
            else:
                filled = [k for k in range(begin, end) if lines[k].strip()]
                self.marks.bad += [number + k for k in filled]
        none = self._arrays({name: [] for name in self._index})
        return self._rows(none, np.empty(0, np.int64), self._sure(records, number), number), used

    def _cells(self, lines: Sequence[str], strict: bool) -> list[list[str]]:
        """The rows of these lines as CSV; empty if they are not CSV."""
        text = [f"{line}\n" for line in lines]
        try:
            return list(csv.reader(text, delimiter=self.head.delimiter, strict=strict))
        except csv.Error:
            return []

    def _is_record(self, line: str) -> bool:
        """True if a line is a complete record when quotes are ignored."""
        return (
            line.count(self._delimiter) + 1 == len(self.head.fields)
            and self._splitter.split(line) is not None
        )

    def _is_next(self, line: str) -> bool:
        """True if a line is a record, or the beginning of one that a line break in a field cuts in two."""
        return self._splitter.begins(line) or self._is_record(line)

    def _split(self, lines: Sequence[str], splitter: Splitter) -> Split | None:
        """The cells of a record, distributed to the fields again if there are too many."""
        width = len(self.head.fields)
        rows = self._cells(lines, strict=True)
        if len(rows) == 1 and len(rows[0]) == width:
            return Split(tuple(rows[0]))
        if len(lines) == 1 and self._is_record(lines[0]):  # a quote is a letter of a name here
            return Split(tuple(lines[0].split(self._delimiter)))
        rows = self._cells(lines, strict=False)
        if len(rows) == 1 and len(rows[0]) == width:
            return Split(tuple(rows[0]))
        if len(rows) != 1:
            return None
        split = splitter.split(_PARTS.join(cell.replace(_PARTS, " ") for cell in rows[0]))
        if split is None:
            return None
        values = (value.replace(_PARTS, self.head.delimiter) for value in split.values)
        return Split(tuple(values), split.unsure)


def _records(lines: Sequence[str], is_next: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """The first and last line of each record: a record ends when its quotes are closed.

    A record whose quotes are not closed within the lines ends after them. It is its first line alone if its
    quotes stay open for very long, or if the next line is a record or begins like one (`is_next`), because
    sacct itself does not escape a quote in a name.
    """
    begin = 0
    while begin < len(lines):
        end, open_ = begin, False
        while end < len(lines) and end - begin < _MAX_LINES:
            # sacct does not escape quotes: an open quote before a line that begins a record is part of a
            # name.
            if open_ and is_next(lines[end]):
                end = begin + _MAX_LINES
                break
            # An odd number of quotes opens or closes.
            open_ ^= lines[end].count('"') % 2 == 1
            end += 1
            if not open_:
                break
        if open_:
            end = begin + 1 if end - begin >= _MAX_LINES else len(lines) + 1
        yield begin, end
        begin = end
