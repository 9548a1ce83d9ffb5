"""Lines of Slurm's accounting that belong to the same job: runs of a requeued job, parts of a heterogeneous
job.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.limits import MAX_CPUS, MAX_EXTRA, MAX_TASK_RAM, MAX_TIME
from engine.trace.columns import USED_COLUMNS
from engine.trace.names import Names
from engine.trace.records import Records, note_lines
from engine.trace.trace import MISSING, Note, Pieces

T = TypeVar("T", bound=np.generic)

_MOST = {
    "procs": MAX_CPUS,
    "allocated": MAX_CPUS,
    "ram": MAX_TASK_RAM * MAX_CPUS,
    "gpus": MAX_EXTRA * MAX_CPUS,
    **{name: column.most for name, column in USED_COLUMNS.items() if column.most},
}
"""Columns that are summed over the parts of a job, and the largest valid sums."""


def last_runs(
    ids: NDArray[Any],
    owners: tuple[Names, ...],
    start: Ints,
    never: Callable[[], NDArray[np.bool_]],
    line: Ints,
) -> tuple[Ints, Note]:
    """The lines, ascending, without earlier runs of the same job: with the same id and the same owners.

    For a job that waits again it is the line without a start, otherwise the run that started last. A line
    that `never` ran, for example of a job cancelled in the queue, counts only if the job has no run. Of
    several the last line counts. All shape (n,).
    """
    import pandas as pd

    key = pd.factorize(ids)[0].astype(np.int64)
    earlier = np.zeros(len(ids), np.bool_)
    if int(key.max(initial=-1)) + 1 < len(ids):
        for names in owners:
            key = pd.factorize(key * len(names.names) + names.codes)[0].astype(np.int64)
        began = np.where(never(), MISSING, np.where(start > 0, start, MAX_TIME + 1))
        order = np.lexsort((line, began, key))
        earlier[order[:-1]] = key[order[1:]] == key[order[:-1]]
    text = "earlier runs of jobs that were requeued, or the same lines again: the last run counts"
    return np.flatnonzero(~earlier), note_lines("requeued", text, earlier, line)


def join_parts(records: Records) -> Records:
    """The same with a single record for all parts (`12+0`, `12+1`) of each heterogeneous job.

    It replaces the part with the lowest number, wherever that is, and has its times and names; processors,
    RAM, GPUs, task groups and nodes are those of all parts.
    """
    ids = records.job_id
    # Ids that are numbers have no parts.
    if ids.dtype.kind != "U" or not len(ids):
        return records
    parts = np.flatnonzero(np.char.find(ids, "+") > 0)
    if not len(parts):
        return records
    names = [str(ids[row]).partition("+")[::2] for row in parts.tolist()]
    # The part with the lowest number stands for the job.
    first: dict[str, int] = {}
    for _, row, job in sorted(
        (_number(part), row, job) for row, (job, part) in zip(parts.tolist(), names, strict=True)
    ):
        first.setdefault(job, row)
    owner = np.arange(len(ids))
    owner[parts] = [first[job] for job, _ in names]
    order = np.argsort(owner, kind="stable")
    kept = np.unique(owner)
    records = _with_task_queues(records, owner)
    changed: dict[str, Any] = {}
    # Every column is joined by its kind, so that new columns need no entry here but for how they add up.
    for entry in fields(records):
        value = getattr(records, entry.name)
        if isinstance(value, Pieces):
            changed[entry.name] = _joined(value, order, owner[order], kept)
        elif isinstance(value, Names):
            changed[entry.name] = value.take(kept)
        elif isinstance(value, np.ndarray):
            most = _MOST.get(entry.name)
            changed[entry.name] = value[kept] if most is None else _sums(value, most, owner, kept)
    changed["job_id"] = np.char.partition(ids[kept], "+")[:, 0]
    largest = (name for name, column in USED_COLUMNS.items() if not column.most)
    for name in ("runtime", "end", *largest):
        if (value := getattr(records, name)) is not None:
            changed[name] = _maxima(value, owner, kept)
    for name in ("least_nodes", "most_nodes"):  # each part asks for its own
        if (value := getattr(records, name)) is not None:
            changed[name] = np.where(np.isin(kept, parts), 0, value[kept])
    if records.nodes is not None:  # where a job has whole nodes, its tasks say how many each part has
        changed["nodes"] = np.where(np.isin(kept, parts), 0, records.nodes[kept])
    text = "parts of heterogeneous jobs, put together"
    note = note_lines("heterogeneous", text, np.isin(np.arange(len(ids)), parts), records.line)
    return replace(records, **changed, notes=(*records.notes, note))


def _with_task_queues(records: Records, owner: Ints) -> Records:
    """The same with the partition of each group of tasks, where any part has another than the first part."""
    codes, tasks = records.queue.codes, records.tasks
    if tasks is None or (codes == codes[owner]).all():
        return records
    columns = {**tasks.columns, "queue": np.repeat(codes.astype(np.int64), np.diff(tasks.offset))}
    return replace(records, tasks=Pieces(tasks.offset, columns), task_queues=records.queue.names)


def _number(part: str) -> int:
    """The number of a part; the largest number for other texts."""
    return int(part) if part.isascii() and part.isdecimal() else MAX_CPUS


def _sums(values: NDArray[T], most: int, owner: Ints, kept: Ints) -> NDArray[T]:
    """Sums of the given amounts; MISSING if none is given or the sum is too large."""
    total = np.zeros(len(values), values.dtype)
    np.add.at(total, owner, np.maximum(values, 0))
    total = total[kept]
    return np.where(total > most, MISSING, np.where(total > 0, total, values[kept])).astype(values.dtype)


def _maxima(values: NDArray[T], owner: Ints, kept: Ints) -> NDArray[T]:
    most = values.copy()
    np.maximum.at(most, owner, values)
    return most[kept]


def _joined(pieces: Pieces, order: Ints, owner: Ints, kept: Ints) -> Pieces:
    """The rows of all parts, as rows of the whole."""
    rows = pieces.take(order)
    ends = np.searchsorted(owner, kept, side="right")
    return Pieces(np.concatenate(([0], rows.offset[ends])).astype(np.int64), rows.columns)
