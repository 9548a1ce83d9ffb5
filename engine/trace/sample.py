"""The first rows of a log whose columns a person may have to name, before all of it is read."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError
from engine.limits import MAX_TRACE_BYTES
from engine.trace.files import read_head
from engine.trace.read import is_dump, is_table_alone, without_messages
from engine.trace.rows import JobRow
from engine.trace.slurm_fields import FieldsSample, fields_sample
from engine.trace.table import Row, RowReader, is_parquet, split_header, texts
from engine.trace.table_columns import NAMES, UNITS, ColumnMap, guess_columns, normal

_HEAD = 1 << 16  # bytes that are looked at
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
"""Words in names of columns, by what they say of jobs; the first role that takes a column has it."""

_UNIT_WORDS = {
    **dict.fromkeys(("ms", "milliseconds"), "ms"),
    **dict.fromkeys(("min", "mins", "minutes"), "min"),
    **dict.fromkeys(("h", "hours"), "h"),
    **dict.fromkeys(("d", "days"), "d"),
    **{unit: unit for unit in ("kb", "mb", "gb", "tb")},
    **{f"{unit[0]}ib": unit for unit in ("kb", "mb", "gb", "tb")},
    "bytes": "b",
}


@dataclass(frozen=True)
class TableSample:
    """The names of a table's columns, and the cells of its first rows."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def key(self) -> str:
        """What tables with the same columns have in common."""
        return ",".join(normal(name) for name in self.header)

    def guess(self) -> ColumnMap:
        """What the columns may mean: by usual names, else by words in them that fit what cells hold."""
        found = dict(guess_columns(self.header).columns)
        units = {}
        for role, words in _WORDS.items():
            left = [name for name in self.header if name not in found.values()]
            fits = (name for name in left if words & _words_of(name) and self._fits(role, name))
            name = found.get(role) or next(fits, None)
            if name is None:
                continue
            found[role] = name
            unit = next((unit for word, unit in _UNIT_WORDS.items() if word in _words_of(name)), "")
            if unit in UNITS.get(role, ()):
                units[role] = unit
        return ColumnMap({role: found[role] for role in NAMES if role in found}, units)

    def _fits(self, role: str, name: str) -> bool:
        """Whether most rows say something of jobs there."""
        values = [getattr(job, "start" if role == "end" else role) for job in self._alone(role, name)]
        known = [value for value in values if (value if isinstance(value, str) else value >= 0)]
        return 2 * len(known) > len(values)

    def _alone(self, role: str, name: str) -> list[JobRow]:
        """The rows as jobs of which one column alone tells; an end is read as a start."""
        return self.jobs(ColumnMap({"start" if role == "end" else role: name}))

    def jobs(self, columns: ColumnMap) -> list[JobRow]:
        """The rows as jobs, where each column has the role that is said; of columns that are there."""
        there = {role: name for role, name in columns.columns.items() if name in self.header}
        reader = RowReader(ColumnMap(there, columns.units), self.header)
        return [reader.job(line, cells) for line, cells in self.rows]


def table_sample(path: Path) -> TableSample | None:
    """The first rows of a CSV or Parquet file; None where the log is no table. Raises InputError."""
    if is_parquet(path):
        return _of_parquet(path)
    head = without_messages(read_head(path, _HEAD))
    if not is_table_alone(head):
        return None
    text = head.decode("utf-8", "replace")
    header = split_header(text)
    whole = text if len(head) < _HEAD else text[: text.rfind("\n") + 1]
    return TableSample(tuple(header), tuple(_rows(path, whole, header)))


def dump_sample(path: Path) -> FieldsSample | None:
    """The first lines of a dump of sacct that names no fields; None where it does, or is none.

    Raises InputError.
    """
    if is_parquet(path):
        return None
    head = without_messages(read_head(path, _HEAD))
    return fields_sample(head) if is_dump(head) else None


def _rows(path: Path, text: str, header: list[str]) -> Iterator[Row]:
    """The first rows behind the header that are no shorter than it."""
    lines = [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines:
        return  # the first line is longer than what is looked at, or there are comments alone
    first = lines[0][1]
    try:
        cells = list(csv.reader((line for _, line in lines), delimiter=max(",;\t", key=first.count)))
    except csv.Error as error:
        raise InputError(f"{path}: this is no table: {error}") from error
    found = [row for row in cells[1:] if len(row) >= len(header)]
    yield from enumerate(found[:_ROWS], lines[0][0] + 1)


def _of_parquet(path: Path) -> TableSample:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            header = tuple(file.schema_arrow.names)
            if file.metadata.num_row_groups and file.metadata.row_group(0).total_byte_size > MAX_TRACE_BYTES:
                raise InputError(f"{path}: this file is over the limit of {MAX_TRACE_BYTES:,} bytes")
            batch = next(file.iter_batches(batch_size=_ROWS), None)
        if batch is None:
            return TableSample(header, ())
        columns = [texts(batch.column(k)) for k in range(batch.num_columns)]
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise InputError(f"{path}: cannot read this Parquet file: {error}") from error
    return TableSample(header, tuple(enumerate(zip(*columns, strict=True), 1)))


def _words_of(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", name.lower()))
