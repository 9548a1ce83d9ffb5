"""Jobs from the rows of tables: the values of each role, and notes about unreadable cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints, Mask
from engine.errors import InputError
from engine.limits import MAX_DURATION
from engine.logs.rows import NUMBERS, JobColumns, job_ids
from engine.logs.tables.cells import (
    NO_LIMIT,
    NO_MOMENT,
    CellFormat,
    NumberColumn,
    count_matches,
    distinct_texts,
    read_column,
    read_texts,
    text_at,
)
from engine.logs.tables.columns import IDS, MOMENTS, SERIAL, UNITS, ColumnsError, normal
from engine.logs.tables.id_lists import ascends, length_of_list, number_or_list, read_singles, single_in
from engine.logs.tables.marks import COUNTS, date_order, decimal_mark
from engine.logs.tables.moments import in_seconds, of_serials, real_moments, seem_serials
from engine.logs.tables.notes import TableNotes
from engine.logs.tables.rows import TableRows
from engine.logs.tables.unit_doubts import UnitsError, unit_doubts
from engine.logs.tables.words import (
    exit_code,
    gpus_in,
    ids_in,
    joules_in,
    length_in,
    lists_ids,
    mebibytes_in,
    status_in,
)
from engine.logs.text.delimited import join_names
from engine.trace.columns import JOULES, MARK, NAMED, SECONDS, USED, USED_COLUMNS
from engine.trace.names import Names
from engine.trace.records import (
    ELAPSED,
    UNIX_TIMES,
    WAITED,
    WALL_ANY,
    WALL_ELIGIBLE,
    WALL_END,
    WALL_START,
    WALL_SUBMIT,
    text_names,
)
from engine.trace.status import COMPLETED, FAILED
from engine.trace.trace import MISSING, Note
from engine.words import clip

if TYPE_CHECKING:
    import pyarrow as pa


_WALL = {"submit": WALL_SUBMIT, "eligible": WALL_ELIGIBLE, "start": WALL_START, "end": WALL_END}
_PER = {"": 0.0, "c": 1.0, "n": 2.0}
_SHORT = rb"^\s*[0-9]{1,3}:[0-9]{2}\s*$"
_OF_EACH = rb"[A-Za-z]\s*[cnCN]\s*$"

_MAYBE_IDS = rb"[0-9]\s*[-,;\s]\s*[0-9]|^\s*\["
_PAIR = rb"^\s*[0-9]{1,6},[0-9]{1,6}\s*$"
_IDS_OF_BATSIM, _OF_BATSIM = "allocated_processors", "requested_number_of_"
_LONGEST_ID = 1000  # bytes
_MOST = float(1 << 62)


def preview_of(table: TableRows) -> JobColumns:
    """The jobs of a table's rows; ambiguous dates and decimals are missing."""
    notes = TableNotes()
    try:
        part = _Part(table, date_order([table]), decimal_mark(table), notes)
    except ColumnsError:
        part = _Part(table, table.columns.dates, table.columns.decimal or ".", notes)
    return _joined([part], [part.numbers(bool(part.dated))])


def jobs_of(tables: Sequence[TableRows]) -> tuple[JobColumns, tuple[Note, ...], bool]:
    """The jobs of all tables in order of their lines, notes on odd values, and True if times are local.

    Raises InputError, which names the file, if the order of day and month or the decimal separator is
    ambiguous, or if a table counts seconds from a log's own zero and another has dates.
    """
    # All tables share an order of day and month, as a table may tell what another leaves open.
    order = date_order(tables)
    notes = TableNotes()
    parts = [_Part(table, order, decimal_mark(table), notes) for table in tables]
    dated = _is_dated(parts)
    numbers = [part.numbers(dated) for part in parts]
    for part, own in zip(parts, numbers, strict=True):
        part.ask_units(own)
    jobs = _joined(parts, numbers)
    line = jobs.numbers["line"]
    # Tables of different headers take turns in a file: jobs go back into its order.
    if (np.diff(line) < 0).any():
        jobs = jobs.take(np.argsort(line, kind="stable"))
    on_clocks = any(bool((own["wall_clock"] & WALL_ANY).any()) for own in numbers)
    return jobs, notes.all(tables), on_clocks


def _joined(parts: Sequence[_Part], numbers: Sequence[Mapping[str, Ints]]) -> JobColumns:
    used = [part.used() for part in parts]
    return JobColumns(
        used={
            role: np.concatenate([own.get(role, part.nothing) for own, part in zip(used, parts, strict=True)])
            for role in USED
            if any(role in own for own in used)
        },
        numbers={name: np.concatenate([own[name] for own in numbers]) for name in NUMBERS},
        job_id=_joined_ids(parts),
        names={role: _joined_names(parts, role) for role in NAMED},
    )


def _is_dated(parts: Sequence[_Part]) -> bool:
    """True if the times of a log are dates. Raises InputError if only some tables have dates."""
    kinds: dict[bool, _Part] = {}
    for part in parts:
        if part.dated is not None:
            kinds.setdefault(part.dated, part)
    if len(kinds) == 2:
        first, other = kinds.values()
        what = {True: "dates", False: "seconds from a zero of its own"}
        raise InputError(
            f"{other.table.where}: times are {what[bool(other.dated)]}, and those of "
            f"{first.table.where} {what[bool(first.dated)]}: together they are not one log"
        )
    return True in kinds


class _Part:
    """The cells of a table as numbers of jobs."""

    def __init__(self, table: TableRows, order: str, decimal: str, notes: TableNotes) -> None:
        self.table, self._notes, self._decimal = table, notes, decimal
        self.line = np.concatenate(table.line) if table.line else np.empty(0, np.int64)
        self._serials: list[str] = []  # roles whose numbers may be dates of a spreadsheet
        self._singles: list[str] = []  # roles whose single numbers may be ids or counts
        self._pairs: dict[str, str] = {}  # a number of each role whose decimals may be a second id
        self._moments = {role: self._moment(role, order) for role in MOMENTS}

    @property
    def nothing(self) -> Floats:
        """An empty column, shape (n,)."""
        return np.full(len(self.line), float(MISSING))

    @cached_property
    def dated(self) -> bool | None:
        """True if submissions are dates; None if there are none."""
        submit = self._moments["submit"]
        known = submit.values >= 0
        return bool((submit.dates | (submit.values > UNIX_TIMES)).any()) if known.any() else None

    def numbers(self, dated: bool) -> dict[str, Ints]:
        """The numbers of all jobs by the names of `JobRow`, each shape (n,)."""
        moments = {role: real_moments(cells, dated) for role, cells in self._moments.items()}
        submit, start, end = (moments[role].values for role in ("submit", "start", "end"))
        wait, runtime = (self._length(role) for role in ("wait", "runtime"))
        walltime = self._length("walltime", endless=True)
        wall = np.zeros(len(self.line), np.int64)
        for role, bit in _WALL.items():
            wall |= np.where(moments[role].wall, bit, 0)
        # A start that is missing follows from the submission and the wait.
        waited = (start < 0) & (wait >= 0) & (submit >= 0)
        start = np.where(waited, submit + wait, start)
        between = np.where((start >= 0) & (end >= start), end - start, float(MISSING))
        wall |= np.where(waited, WAITED, 0) | np.where(runtime > 0, ELAPSED, 0)
        # The column of runtimes goes before what start and end leave; where they differ, a note counts it.
        self._notes.compare(runtime, between, self.line)
        runtime = np.where(runtime >= 0, runtime, between)
        fractions = [values % 1 > 0 for values in (submit, start, runtime, walltime)]
        self._notes.add_fractions(np.logical_or.reduce(fractions), self.line)
        counts = self._counts(runtime > 0)
        return {
            "line": self.line,
            "submit": _whole(np.floor(submit)),
            "eligible": _whole(np.floor(moments["eligible"].values)),
            "start": _whole(np.floor(start)),
            "end": _whole(np.floor(end)),
            "runtime": _whole(np.ceil(runtime)),
            "walltime": _whole(np.ceil(walltime)),
            "procs": counts["procs"],
            "allocated": counts["allocated"],
            "nodes": np.where(counts["tasks"] > 0, counts["tasks"], counts["nodes"]),
            "gpus": np.maximum(counts["gpus"], 0),
            "whole": np.zeros(len(self.line), np.int64),
            "ram": self._ram(counts),
            "status": self._status(),
            "wall_clock": wall,
        }

    def ask_units(self, numbers: Mapping[str, Ints]) -> None:
        """Raise UnitsError if dates, counts, limits or RAM may be in another unit, and nothing names it."""
        # Asked before anything else: wrong dates make all other numbers wrong.
        if self._serials:
            columns = self.table.columns.columns
            names = ", ".join(repr(clip(columns[role], 40)) for role in self._serials)
            what = f"numbers in {names} may be days since 1900, as spreadsheets write dates"
            units = (dict.fromkeys(self._serials, unit) for unit in (SERIAL, "s"))
            raise UnitsError(self.table.where, what, *units)
        for role in self._singles:
            column = repr(clip(self.table.columns.columns[role], 40))
            what = f"single numbers in {column} may be counts, or ids as in its lists"
            raise UnitsError(self.table.where, what, {role: IDS}, {role: "count"})
        for role, text in self._pairs.items():
            column = repr(clip(self.table.columns.columns[role], 40))
            what = f"{text!r} in {column} may be a number with decimals, or two ids"
            raise UnitsError(self.table.where, what, {role: IDS}, {role: "count"})
        procs = np.maximum(numbers["procs"], numbers["allocated"])
        for doubt in unit_doubts(numbers["runtime"], numbers["walltime"], numbers["ram"], procs, "mb"):
            if self._is_plain(doubt.role):
                column = self.table.columns.columns[doubt.role]
                raise doubt.error(self.table.where, repr(clip(column, 40)))

    def _is_plain(self, role: str) -> bool:
        """True of a column of plain numbers, whose unit neither its name nor the user said."""
        chunks = self.table.cells.get(role, ())
        of_words = any(count_matches(chunk, rb"[A-Za-z:]") for chunk in chunks)
        return role not in self.table.columns.units and not of_words

    def used(self) -> dict[str, Floats]:
        """The usage of jobs, by the names in USED that exist as columns, each shape (n,)."""
        return {role: self._used(role) for role in USED if role in self.table.cells}

    def _used(self, role: str) -> Floats:
        column = USED_COLUMNS[role]
        if column.unit == SECONDS:
            return self._length(role)
        words = joules_in if column.unit == JOULES else status_in if column.unit == MARK else _amount
        values = self._finite(role, self._read(role, replace(self._how(role), words=words)))
        whole = np.round if column.unit == JOULES else np.ceil
        return values if column.dtype is np.float64 else whole(values)

    def names(self, role: str) -> list[pa.DictionaryArray]:
        """The names of a role, in chunks; empty names if no column has it."""
        import pyarrow as pa

        if role in self.table.cells:
            return self.table.cells[role]
        codes = pa.array(np.zeros(len(self.line), np.int32))
        return [pa.DictionaryArray.from_arrays(codes, pa.array([b""], pa.binary()))]

    @property
    def ids(self) -> list[pa.Array]:
        """The ids of jobs, in chunks of bytes."""
        return self.table.cells.get("job_id", [])

    def _read(self, role: str, how: CellFormat) -> NumberColumn:
        """The column of a role; what cannot be read in it becomes a note."""
        cells = read_column(self.table.cells.get(role, ()), len(self.line), how)
        self._notes.add_odd(self.table, role, cells, self.line)
        return cells

    def _how(self, role: str) -> CellFormat:
        return CellFormat(self.table.columns.factor(role), self._decimal)

    def _moment(self, role: str, order: str) -> NumberColumn:
        cells = self._read(role, replace(self._how(role), order=order, endless=NO_MOMENT))
        unit = self.table.columns.units.get(role)
        if unit == SERIAL:
            return of_serials(cells)
        # Without a unit the size of the numbers tells whether they are milliseconds, dates or seconds.
        if unit is None:
            if seem_serials(cells):
                self._serials.append(role)
            cells, taken_for = in_seconds(cells)
            self._notes.add_taken(self.table, role, taken_for)
        return cells

    def _length(self, role: str, endless: bool = False) -> Floats:
        """Seconds; MISSING also for "no limit", which `endless` allows."""
        how = replace(self._how(role), words=length_in, endless=NO_LIMIT if endless else ())
        cells = self._read(role, how)
        short = sum(count_matches(chunk, _SHORT) for chunk in self.table.cells.get(role, ()))
        self._notes.add_short_lengths(self.table, role, short)
        if endless:
            return np.where(cells.values > MAX_DURATION, float(MISSING), cells.values)
        return self._finite(role, cells)

    def _finite(self, role: str, cells: NumberColumn) -> Floats:
        """The values without infinite values, which count as unreadable."""
        beyond = np.isinf(cells.values)
        if not beyond.any():
            return cells.values
        first = text_at(self.table.cells[role], int(np.argmax(beyond)))
        self._notes.add_odd(self.table, role, replace(cells, odd=beyond, first=first), self.line)
        return np.where(beyond, float(MISSING), cells.values)

    def _counts(self, ran: Mask) -> dict[str, Ints]:
        """Whole numbers by their roles; of lists of ids, how many these are."""
        listed = [role for role in COUNTS if self._may_list(role)]
        counts = {role: self._count(role) for role in COUNTS if role not in listed}
        # Processors and nodes are seldom counted in parts, and a comma of decimals parts two ids as well.
        self._pairs = {role: text for role in counts if (text := self._pair_of_ids(role))}
        for role in listed:
            # Requested and allocated processors are mostly the same, and tell ids from counts.
            other = counts.get({"procs": "allocated", "allocated": "procs"}.get(role, ""), self.nothing)
            counts[role] = self._count(role, self._are_ids(role, other, ran))
        return {role: counts[role] for role in COUNTS}

    def _count(self, role: str, ids: bool = False) -> Ints:
        """Whole numbers: parts of processors, nodes or GPUs are rounded up; of `ids` each counts as 1."""
        if ids:
            cells = read_texts(self.table.cells[role], len(self.line), ids_in)
            self._notes.add_odd(self.table, role, cells, self.line)
            self._notes.add_ids(self.table, role)
            return _whole(cells.values)
        words = gpus_in if role == "gpus" else number_or_list
        values = self._finite(role, self._read(role, replace(self._how(role), words=words)))
        self._notes.add_parts(self.table, role, values % 1 > 0, self.line)
        return _whole(np.ceil(np.round(values, 6)))

    def _may_list(self, role: str) -> bool:
        """True if a count may be given by ids: a list, the name of the column or the user says so."""
        if role not in self.table.cells:
            return False
        chunks, name = self.table.cells[role], normal(self.table.columns.columns[role])
        of_batsim = name == _IDS_OF_BATSIM and any(
            normal(head).startswith(_OF_BATSIM) for head in self.table.header.names
        )
        said = self.table.columns.units.get(role) == IDS
        return of_batsim or said or any(lists_ids(text) for text in distinct_texts(chunks, _MAYBE_IDS))

    def _pair_of_ids(self, role: str) -> str:
        """A number of a count that may as well be two ids, as `4,5`; empty where there is none."""
        if self._decimal != "," or role not in UNITS or role in self.table.columns.units:
            return ""
        texts = [text.strip() for text in distinct_texts(self.table.cells.get(role, ()), _PAIR)]
        # Ids ascend: a single number like 7,5 shows that the column has decimals.
        return texts[0] if texts and all(map(ascends, texts)) else ""

    def _are_ids(self, role: str, other: Ints | Floats, ran: Mask) -> bool:
        """Whether the single numbers among lists are ids; where they may be either, the user is asked."""
        if role in self.table.columns.units:
            return self.table.columns.units[role] == IDS
        chunks, n = self.table.cells[role], len(self.line)
        found = read_singles(
            read_texts(chunks, n, length_of_list), read_texts(chunks, n, single_in), other, ran
        )
        if not found and role in UNITS:
            self._singles.append(role)
        return found != "count"

    def _ram(self, counts: dict[str, Ints]) -> Ints:
        """MiB of the whole job."""
        how = replace(self._how("ram"), words=_amount, endless=NO_LIMIT)
        values = self._read("ram", how).values
        values = np.where(np.isinf(values), float(MISSING), values)
        per = read_column(self._amounts(), len(self.line), replace(how, words=_per)).values
        procs = np.where(counts["procs"] > 0, counts["procs"], counts["allocated"])
        times = np.where(per == _PER["c"], procs, np.where(per == _PER["n"], counts["nodes"], 1))
        return _whole(np.where(times > 0, np.ceil(values * np.maximum(times, 1)), float(MISSING)))

    def _amounts(self) -> list[pa.Array]:
        """The column of RAM, if some of its texts may be amounts per CPU or node."""
        chunks = self.table.cells.get("ram", [])
        return chunks if any(count_matches(chunk, _OF_EACH) for chunk in chunks) else []

    def _status(self) -> Ints:
        """The status of jobs, as in the Standard Workload Format; a column may contain exit codes."""
        code = "exit" in self.table.columns.columns.get("status", "").lower()
        how = CellFormat(words=exit_code, unsigned=True) if code else CellFormat(words=status_in)
        values = self._finite("status", self._read("status", how))
        if code:
            values = np.where(values > 0, FAILED, np.where(values == 0, COMPLETED, MISSING))
        return _whole(np.floor(values))


def _amount(text: str, decimal: str) -> float | None:
    found = mebibytes_in(text, decimal)
    return None if found is None else found[0]


def _per(text: str, decimal: str) -> float | None:
    found = mebibytes_in(text, decimal)
    return None if found is None else _PER[found[1]]


def _whole(values: Floats) -> Ints:
    """Whole numbers, clamped to the limit."""
    return np.minimum(values, _MOST).astype(np.int64)


def _joined_ids(parts: Sequence[_Part]) -> NDArray[Any]:
    """The ids of jobs, (n,), as numbers if all are numbers, otherwise as texts; line numbers if missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = []
    for part in parts:
        lines = pa.array(part.line).cast(pa.string()).cast(pa.binary())
        if not part.ids:
            chunks.append(lines)
            continue
        own = pa.chunked_array(part.ids, pa.binary())
        empty = pc.match_substring_regex(own, rb"^\s*$")
        chunks += pc.if_else(empty, lines, own).chunks
    ids = pa.chunked_array(chunks, pa.binary())
    # Ids that are all numbers stay numbers, as logs of the archive have them.
    if pc.all(pc.match_substring_regex(ids, rb"^\s*[0-9]{1,15}\s*$")).as_py() is not False:
        numbers = pc.utf8_trim_whitespace(ids.cast(pa.string())).cast(pa.int64())
        return np.asarray(numbers.to_numpy(), np.int64)
    texts = pc.binary_slice(ids, 0, _LONGEST_ID).to_pylist()
    return job_ids([text.decode("utf-8", "backslashreplace").strip() for text in texts])


def _joined_names(parts: Sequence[_Part], role: str) -> Names:
    """The names of a role in all tables, without blanks around them."""
    column = join_names([chunk for part in parts for chunk in part.names(role)])
    names = [name.strip() for name in column.names]
    if tuple(names) == column.names:
        return column
    merged = text_names(names)
    return Names(merged.codes[column.codes], merged.names)
