"""The header line of a table: its form, and the detection of further headers."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import NamedTuple

from engine.logs.tables.columns import NAMES, ColumnMap, normal

MAX_COLUMNS = 1000

_NUMBER = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][+-]?\d{1,3})?", re.ASCII)
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?!\d)", re.ASCII)
_WITH_NUMBER = re.compile(r'(?:^|[,;\t|])\s*"?[+-]?\d+\.?\d*"?\s*(?=[,;\t|\r\n]|$)', re.ASCII)
DELIMITERS = ",;\t|"
"""What may part the cells of tables."""


class Header(NamedTuple):
    """The names of columns, the delimiter, and the number of cells of rows without a name above them."""

    names: tuple[str, ...]
    delimiter: str
    before: int = 0
    behind: int = 0

    @property
    def width(self) -> int:
        """The number of cells of a row."""
        return self.before + len(self.names) + self.behind

    def fitted(self, rows: Sequence[Sequence[str]]) -> Header:
        """The header for a table that begins with these rows, which may all have a cell without a name.

        That cell is the first, as for row names of R, or an empty last cell.
        """
        if not rows or any(len(row) != len(self.names) + 1 for row in rows):
            return self
        empty = all(not row[-1].strip() for row in rows)
        return self._replace(before=int(not empty), behind=int(empty))


def split_header(text: str) -> list[str]:
    """The names in the first line that is not a comment."""
    return list(header_in(text).names)


def header_in(text: str) -> Header:
    """The first line that is not a comment as names of columns, however many comments are above it."""
    lines = text.replace("\r", "\n").split("\n")
    return header_of(next((line for line in lines if line.strip() and not line.startswith("#")), ""))


def header_of(line: str) -> Header:
    """A line as names of columns, parted by what is most frequent of commas, semicolons, tabs and bars."""
    delimiter = max(DELIMITERS, key=line.count)
    try:
        names = next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])
    except csv.Error:
        names = []
    return Header(tuple(name.strip().lstrip("\ufeff") for name in names), delimiter)


def names_columns(header: Sequence[str]) -> bool:
    """True if a first line looks like the header of a table, whatever its columns are: no number, no date."""
    names = [name for name in header if name]
    plain = {name for name in names if not (_NUMBER.fullmatch(name) or _DATE.match(name))}
    return len(names) >= 3 and len(header) <= MAX_COLUMNS and len(plain) == len(names)


class HeaderTest:
    """Distinguishes a header from a row of cells within a table: it has names of columns, and no numbers.

    `firsts` are lines at which further files begin: a header there may have any names.
    """

    def __init__(self, first: Header, mapping: ColumnMap | None, firsts: frozenset[int]) -> None:
        self._mapped = frozenset(mapping.columns.values()) if mapping is not None else frozenset()
        self._known = {normal(name) for names in NAMES.values() for name in names}
        self._known |= {normal(name) for name in (*first.names, *self._mapped) if name}
        self._firsts = firsts

    def header(self, text: str, line: int) -> Header | None:
        """A record, whose characters are bytes, as a header; None if it is not one. `line` counts from 1."""
        # A record with a number in a cell is of a job, not of names.
        if _WITH_NUMBER.search(text) and not self._mapped:
            return None
        header = header_of(text.encode("latin-1").decode("utf-8", "replace"))
        if self._mapped and self._mapped <= set(header.names):
            return header
        if any(_NUMBER.fullmatch(name) for name in header.names):
            return None
        known = sum(normal(name) in self._known for name in header.names if name)
        # Where a further file begins any names will do; elsewhere at least two known names are needed.
        found = known >= 2 or (line in self._firsts and names_columns(header.names))
        return header if found else None
