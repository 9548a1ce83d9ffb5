"""Rows of Slurm's accounting as columns by the names of their fields, and the jobs and steps in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Floats, Ints, Mask
from engine.logs.sacct.derivations import real_times
from engine.logs.sacct.job_fields import TEXTS, TIMES, SlurmJobs
from engine.logs.sacct.jobs import records_of
from engine.logs.sacct.steps import STEP_TEXTS, SlurmSteps
from engine.logs.sacct.times import DateOrder, GatheredTimes
from engine.logs.sacct.usage import USAGE, read_usage
from engine.logs.text.delimited import join_names
from engine.machine.cluster import Cluster
from engine.trace.names import Names
from engine.trace.records import Records
from engine.trace.trace import Note

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class SlurmRows:
    """n rows of accounting, each a job or a step.

    `columns` have shape (n,) and are named as sacct names its fields: JobID and the fields of TIMES are
    binary arrays, as may be those of USAGE, and the others of TEXTS are dictionaries of bytes; fields that
    the source lacks are absent. `line` are line numbers from 1. `done` is the part of the source that ends
    with these rows, 0 to 1.
    """

    columns: Mapping[str, pa.Array]
    line: Ints
    is_step: Mask
    done: float


def rows_of(columns: Mapping[str, pa.Array], line: Ints, done: float) -> SlurmRows:
    """Rows with these columns; those with a dot in their JobID (`12.batch`) are steps."""
    import pyarrow.compute as pc

    steps = pc.match_substring(columns["JobID"], b".").to_numpy(zero_copy_only=False)
    return SlurmRows(columns, line, np.asarray(steps, np.bool_), done)


def column_of(field: str, texts: pa.Array) -> pa.Array:
    """A column of bytes as rows have it: a dictionary, but for ids, times and what jobs used."""
    plain = field == "JobID" or field in TIMES or field in USAGE
    return texts if plain else texts.dictionary_encode()


def rows_of_texts(texts: Sequence[Mapping[str, str]], line: Sequence[int], done: float = 1.0) -> SlurmRows:
    """Rows, each given as texts by the names of its fields; a row may lack fields that others have."""
    import pyarrow as pa

    columns = {}
    for field in dict.fromkeys(field for row in texts for field in row):
        cells = [row.get(field, "").encode("utf-8", "replace") for row in texts]
        columns[field] = column_of(field, pa.array(cells, pa.binary()))
    return rows_of(columns, np.array(line, np.int64), done)


def records_of_rows(
    path: Path,
    blocks: Iterable[SlurmRows],
    machine: Cluster | None,
    *,
    dates: str = "",
    notes: Callable[[], Sequence[Note]] = tuple,
    progress: Callable[[float], None] | None = None,
) -> Records:
    """The records of a log in any print, from its rows; `dates` is the order of day and month, if given.

    Raises InputError if that order is ambiguous.
    """
    return records_of(path, jobs_of(blocks, DateOrder(path, dates), notes, progress), machine)


def jobs_of(
    blocks: Iterable[SlurmRows],
    order: DateOrder,
    notes: Callable[[], Sequence[Note]] = tuple,
    progress: Callable[[float], None] | None = None,
) -> SlurmJobs:
    """The jobs of all rows, and their steps; `notes` are evaluated after all rows are read.

    The `order` of day and month is derived from all dates. Raises InputError if it is ambiguous.
    """
    jobs = _Gathered([name for name in TEXTS if name not in USAGE], TIMES, order)
    steps = _Gathered(STEP_TEXTS, (), order)
    before = 0  # rows of all blocks so far
    # Jobs and steps stand mixed in the log, and are gathered apart.
    for rows in blocks:
        jobs.add(rows, ~rows.is_step, before)
        steps.add(rows, rows.is_step, before)
        before += len(rows.line)
        if progress is not None:
            progress(rows.done)
    count = sum(map(len, steps.line))
    times, walls = jobs.joined_times()
    return SlurmJobs(
        ids=jobs.joined_ids(),
        line=joined(jobs.line),
        row=joined(jobs.row),
        texts=jobs.joined_texts(),
        times=real_times(times),
        walls=walls,
        numbers=jobs.joined_numbers(),
        steps=SlurmSteps(steps.joined_ids(), joined(steps.row), steps.joined_texts(), steps.joined_numbers()),
        notes=(
            Note("steps", "job steps, which are part of jobs", count),
            *notes(),
        ),
    )


class _Gathered:
    """Some columns of chosen rows, block by block."""

    def __init__(self, texts: Sequence[str], times: Sequence[str], order: DateOrder) -> None:
        self.ids: list[pa.BinaryArray] = []
        self.line: list[Ints] = []
        self.row: list[Ints] = []  # positions among all rows of the source
        self.texts: dict[str, list[pa.DictionaryArray | int]] = {name: [] for name in texts}
        self.given: set[str] = set()  # fields of any block; rows of blocks that lack a field are counted
        self.times = {name: GatheredTimes(order) for name in times}
        self.numbers: dict[str, dict[int, Floats]] = {}  # by the block

    def add(self, rows: SlurmRows, chosen: Mask, before: int) -> None:
        """Keep the chosen rows of a block, shape (n,), which so many rows of other blocks precede."""
        import pyarrow as pa

        # A block of jobs alone is taken as it is, without a copy.
        every = bool(chosen.all())
        mask = None if every else pa.array(chosen)

        def part(name: str) -> pa.Array:
            column = rows.columns[name]
            return column if mask is None else column.filter(mask)

        self.ids.append(part("JobID"))
        self.line.append(rows.line if every else rows.line[chosen])
        self.row.append(before + np.flatnonzero(chosen))
        count = len(self.line[-1])
        for name, parts in self.texts.items():
            parts.append(part(name) if name in rows.columns else count)
        for name, times in self.times.items():
            if name in rows.columns:
                times.add(part(name), self.line[-1])
            else:
                times.add_none(count)
        for name in USAGE:
            if name in rows.columns:
                for key, values in read_usage(name, part(name), rows.columns).items():
                    self.numbers.setdefault(key, {})[len(self.line) - 1] = values
        self.given.update(rows.columns)

    def joined_ids(self) -> pa.BinaryArray:
        """The ids of all chosen rows."""
        import pyarrow as pa

        return pa.chunked_array(self.ids, pa.binary()).combine_chunks()

    def joined_texts(self) -> dict[str, Names]:
        """Each column of texts in the source; its blocks are released as they are joined."""
        given = [name for name in self.texts if name in self.given]
        return {name: join_names([_filled(part) for part in self.texts.pop(name)]) for name in given}

    def joined_times(self) -> tuple[dict[str, Ints], dict[str, Mask]]:
        """Each column of times in the source, and masks of local times."""
        found = {name: self.times.pop(name).joined() for name in tuple(self.times) if name in self.given}
        return {name: times for name, (times, _) in found.items()}, {
            name: wall for name, (_, wall) in found.items()
        }

    def joined_numbers(self) -> dict[str, Floats]:
        """Each number of `read_usage` that the source has."""
        return {key: self._number(self.numbers.pop(key)) for key in tuple(self.numbers)}

    def _number(self, blocks: Mapping[int, Floats]) -> Floats:
        """A column of numbers, NaN in blocks that lack it."""
        none = (np.full(len(line), np.nan) for line in self.line)
        return np.concatenate([blocks.get(k, empty) for k, empty in enumerate(none)])


def joined(blocks: Sequence[Ints]) -> Ints:
    """The numbers of all blocks."""
    return np.concatenate(blocks) if blocks else np.empty(0, np.int64)


def _filled(part: pa.DictionaryArray | int) -> pa.DictionaryArray:
    """A column of a block; empty texts where it lacks this field."""
    import pyarrow as pa

    if not isinstance(part, int):
        if not pa.types.is_null(part.type.value_type):
            return part
        part = len(part)  # a part without any text in this column
    codes = pa.array(np.zeros(part, np.int32))
    return pa.DictionaryArray.from_arrays(codes, pa.array([b""], pa.binary()))
