"""Notes on odd rows and cells of tables, with the column and its first bad text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.arrays import Floats, Ints, Mask
from engine.logs.tables.cells import NumberColumn
from engine.logs.tables.rows import TableRows
from engine.trace.records import KEPT_LINES
from engine.trace.time_notes import elapsed_note
from engine.trace.trace import Note
from engine.words import clip, plural

_SHORT = "rows left out: too few cells"
_LONG = "rows left out: more cells than columns"
_BROKEN = "lines left out: a quote there, or in a line above, does not end"
_FRACTIONS = "fractional numbers: runtimes and walltimes were rounded up, all others down"


@dataclass
class _Found:
    """The number of occurrences, the first lines, and an example."""

    count: int = 0
    lines: list[int] = field(default_factory=list)
    first: str = ""

    def add(self, mask: Mask, line: Ints, first: str = "") -> None:
        """Count the marked rows; both shape (n,)."""
        self.count += int(np.count_nonzero(mask))
        self.lines = sorted(self.lines + line[np.flatnonzero(mask)[:KEPT_LINES]].tolist())[:KEPT_LINES]
        self.first = self.first or first

    def note(self, rule: str, text: str) -> Note:
        """The findings, in words."""
        return Note(rule, text, self.count, tuple(self.lines))


class TableNotes:
    """Notes on the tables of a log."""

    def __init__(self) -> None:
        self._odd: dict[str, _Found] = {}
        self._taken: dict[tuple[str, str], _Found] = {}
        self._parts: dict[str, _Found] = {}
        self._ids: dict[str, int] = {}
        self._fractions = _Found()
        self._elapsed: list[Note] = []
        self._lengths: dict[str, int] = {}

    def add_odd(self, table: TableRows, role: str, cells: NumberColumn, line: Ints) -> None:
        """Cells of a column that cannot be read."""
        if cells.odd.any():
            self._odd.setdefault(table.columns.columns[role], _Found()).add(cells.odd, line, cells.first)

    def add_taken(self, table: TableRows, role: str, kind: str) -> None:
        """Note a column of numbers that was read as times in another unit than seconds."""
        if kind:
            found = self._taken.setdefault((table.columns.columns[role], kind), _Found())
            found.count += len(table)

    def add_parts(self, table: TableRows, role: str, mask: Mask, line: Ints) -> None:
        """Counts that are no whole numbers."""
        if mask.any():
            self._parts.setdefault(table.columns.columns[role], _Found()).add(mask, line)

    def add_ids(self, table: TableRows, role: str) -> None:
        """Note a column of counts that was read as lists of ids."""
        name = table.columns.columns[role]
        self._ids[name] = self._ids.get(name, 0) + len(table)

    def add_fractions(self, mask: Mask, line: Ints) -> None:
        """Times and lengths that are no whole seconds."""
        self._fractions.add(mask, line)

    def add_short_lengths(self, table: TableRows, role: str, count: int) -> None:
        """Lengths like `1:30`, which may be of minutes or of hours."""
        if count:
            self._lengths[table.columns.columns[role]] = (
                self._lengths.get(table.columns.columns[role], 0) + count
            )

    def compare(self, runtime: Floats, between: Floats, line: Ints) -> None:
        """Compare given runtimes with the time from start to end; differences over 1 s are noted."""
        self._elapsed.append(elapsed_note(runtime, between, line))

    def all(self, tables: Sequence[TableRows]) -> tuple[Note, ...]:
        """All notes, among them what columns were taken for, and rows that were left out."""
        short, long, broken = (
            sorted(line for table in tables for line in getattr(table, kind))
            for kind in ("short", "long", "broken")
        )
        return (
            _note("unreadable_line", _SHORT, short),
            _note("long_line", _LONG, long),
            _note("broken_line", _BROKEN, broken),
            *(found.note("unreadable_cell", _odd(name, found)) for name, found in self._odd.items()),
            *(
                Note("moments", f"numbers in {clip(name, 40)!r} were taken for {kind}", found.count)
                for (name, kind), found in self._taken.items()
            ),
            _unread([text for table in tables for text in table.unread]),
            self._fractions.note("fractional", _FRACTIONS),
            *(
                found.note("parts", f"fractions in {clip(name, 40)!r} were rounded up to whole ones")
                for name, found in self._parts.items()
            ),
            *(
                Note(
                    "ids",
                    f"rows whose {clip(name, 40)!r} was taken for lists of ids: each id counts as 1",
                    count,
                )
                for name, count in self._ids.items()
            ),
            *(Note("short_lengths", _lengths(name), count) for name, count in self._lengths.items()),
            _sum(self._elapsed),
            Note("row_names", _ROW_NAMES, sum(len(table) for table in tables if table.header.before)),
            Note("columns", _columns(tables), 1),
        )


_ROW_NAMES = "rows have a cell more than the header names: the first one was taken for a name of the row"


def _odd(name: str, found: _Found) -> str:
    first = clip(found.first, 40)
    return f"cells of {clip(name, 40)!r} that cannot be read, as {first!r}: each counts as missing"


def _lengths(name: str) -> str:
    return f"lengths in {clip(name, 40)!r} like 1:30 were read as minutes and seconds"


def _columns(tables: Sequence[TableRows]) -> str:
    first = tables[0].columns
    shown = ", ".join(f"{role}: {clip(name, 40)}" for role, name in first.columns.items())
    others = sum(table.columns.columns != first.columns for table in tables)
    more = f"; those below {plural(others, 'further header')} are others" if others else ""
    return f"the columns were taken for {shown}{more}"


def _unread(columns: Sequence[str]) -> Note:
    text = f"columns that are not read, since cells have parts: {', '.join(dict.fromkeys(columns))}"
    return Note("unread_column", text, len(columns))


def _sum(notes: Sequence[Note]) -> Note:
    """The notes of a rule, merged."""
    lines = sorted(line for note in notes for line in note.lines)
    return replace(notes[0], count=sum(note.count for note in notes), lines=tuple(lines[:KEPT_LINES]))


def _note(rule: str, text: str, lines: list[int]) -> Note:
    return Note(rule, text, len(lines), tuple(lines[:KEPT_LINES]))
