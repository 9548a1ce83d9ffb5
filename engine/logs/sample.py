"""The first rows of a log whose columns the user may have to name, before all of it is read."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.errors import InputError
from engine.logs.files.content import log_files, read_head
from engine.logs.files.parquet import is_parquet
from engine.logs.read import without_messages
from engine.logs.readers import is_dump, is_table_alone
from engine.logs.rows import JobRow, rows_of
from engine.logs.sacct.prints.fields import FieldsSample, fields_sample
from engine.logs.sacct.prints.parquet import is_slurm_parquet
from engine.logs.tables.columns import NAMES, UNIT_WORDS, UNITS, ColumnMap, guess_columns, normal
from engine.logs.tables.header import Header, header_of
from engine.logs.tables.jobs import preview_of
from engine.logs.tables.parquet import cell_texts, parquet_header, read_parquet_columns
from engine.logs.tables.rows import TableRows
from engine.trace.columns import NAMED

_HEAD = 1 << 16  # first bytes that are examined
_ROWS = 50

_WORDS: Mapping[str, frozenset[str]] = {
    role: frozenset(words.split())
    for role, words in {
        "submit": "submit submitted submission queued created arrival arrived",
        "eligible": "eligible",
        "start": "start started starts begin began",
        "end": "end ended finish finished completed completion",
        "walltime": "walltime limit requested_time wallclock timelimit",
        "wait": "wait waited waiting",
        "runtime": "runtime ran run elapsed duration execution length",
        "procs": "procs processors cores cpus cpu slots ncpus cores",
        "nodes": "nodes hosts",
        "ram": "ram mem memory",
        "gpus": "gpu gpus",
        "user": "user who owner person login",
        "group": "group account project",
        "queue": "queue partition class",
        "job_id": "job id number",
        "executable": "name what application app command",
    }.items()
}
"""Words in names of columns, by role; the first role with a matching word gets the column."""

Row = tuple[int, Sequence[str]]
"""The number of a line, and its cells."""


@dataclass(frozen=True)
class TableSample:
    """The names of a table's columns, and the cells of its first rows."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    delimiter: str = ","

    @property
    def key(self) -> str:
        """The common key of tables with the same columns."""
        return ",".join(normal(name) for name in self.header)

    def guess(self) -> ColumnMap:
        """The possible meanings of the columns: by usual names, otherwise by words in them that fit the
        cells.
        """
        usual = guess_columns(self.header)
        found, units = dict(usual.columns), dict(usual.units)
        for role, words in _WORDS.items():
            left = [name for name in self.header if name not in found.values()]
            fits = (name for name in left if words & _words_of(name) and self._fits(role, name))
            name = found.get(role) or next(fits, None)
            if name is None:
                continue
            found[role] = name
            named = (unit for word, unit in UNIT_WORDS.items() if word in _words_of(name))
            unit = next((unit for unit in named if unit in UNITS.get(role, ())), "")
            if unit:
                units.setdefault(role, unit)
        return ColumnMap({role: found[role] for role in NAMES if role in found}, units)

    def _fits(self, role: str, name: str) -> bool:
        """True if most rows have a valid value there."""
        values = [getattr(job, "start" if role == "end" else role) for job in self._alone(role, name)]
        known = [value for value in values if (value if isinstance(value, str) else value >= 0)]
        return 2 * len(known) > len(values)

    def _alone(self, role: str, name: str) -> list[JobRow]:
        """The rows as jobs from a single column; an end is read as a start."""
        return self.jobs(ColumnMap({"start" if role == "end" else role: name}))

    def jobs(self, columns: ColumnMap) -> list[JobRow]:
        """The rows as jobs, with the given roles of columns; roles of missing columns are ignored."""
        import pyarrow as pa

        there = {role: name for role, name in columns.columns.items() if name in self.header}
        if not self.rows or not there:
            return [JobRow(line, str(line)) for line, _ in self.rows]
        mapping = ColumnMap(there, columns.units, columns.dates, columns.decimal)
        table = TableRows("", Header(self.header, self.delimiter), mapping)
        for role, position in table.positions.items():
            texts = [cells[position].encode("utf-8", "backslashreplace") for _, cells in self.rows]
            column = pa.array(texts, pa.binary())
            table.cells[role] = [column.dictionary_encode() if role in NAMED else column]
        table.line = [np.array([line for line, _ in self.rows], np.int64)]
        return rows_of(preview_of(table))


def table_sample(path: Path) -> TableSample | None:
    """The first rows of a CSV or Parquet file; None if the log is not a table, or is Slurm's accounting.

    Raises InputError.
    """
    first = log_files(path)[0]
    if is_parquet(first):
        return None if is_slurm_parquet(first) else _of_parquet(first)
    head = without_messages(read_head(path, _HEAD))
    if not is_table_alone(head):
        return None
    text = head.decode("utf-8", "backslashreplace")
    whole = text if len(head) < _HEAD else text[: text.rfind("\n") + 1]
    return _of_text(path, whole)


def dump_sample(path: Path) -> FieldsSample | None:
    """The first lines of a dump of sacct without field names; None for a dump with names, or another file.

    Raises InputError.
    """
    if is_parquet(log_files(path)[0]):
        return None
    head = without_messages(read_head(path, _HEAD))
    return fields_sample(head) if is_dump(head) else None


def _of_text(path: Path, text: str) -> TableSample:
    """The names in the first line that is not a comment, and the first rows after it that are not shorter."""
    lines = [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip() and not line.startswith("#")
    ]
    # The first line may be longer than the examined bytes, or there are only comments.
    if not lines:
        return TableSample((), ())
    header = header_of(lines[0][1])
    try:
        cells = list(csv.reader((f"{line}\n" for _, line in lines[1:]), delimiter=header.delimiter))
    except csv.Error as error:
        raise InputError(f"{path}: this is not a table: {error}") from error
    before = header.fitted(cells[:_ROWS]).before
    found = [row[before:] for row in cells if len(row) >= before + len(header.names)]
    return TableSample(header.names, tuple(enumerate(found[:_ROWS], lines[0][0] + 1)), header.delimiter)


def _of_parquet(path: Path) -> TableSample:
    """The names of the columns, and the first rows as texts."""
    header = parquet_header(path)
    table = read_parquet_columns(path, list(dict.fromkeys(header)), most=_ROWS)
    cells = {
        name: [cell for chunk in column.chunks for cell in cell_texts(chunk)]
        for name, column in table.items()
    }
    rows = zip(*(cells[name] for name in header), strict=True) if cells else ()
    return TableSample(header, tuple(enumerate(rows, 1)))


def _words_of(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", name.lower()))
