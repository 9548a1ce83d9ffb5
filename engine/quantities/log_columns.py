"""Columns that only some logs have."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.quantities.node_sets import NodeSets
from engine.quantities.quantity import Floats, Jobs, Quantity
from engine.trace import MISSING, Names
from engine.trace.columns import TOLD_COLUMNS, Ints, ShownIn

_FIELD: frozenset[ShownIn] = frozenset({"filter"})


STATUSES = {
    -1: "unknown",
    0: "failed",
    1: "completed",
    2: "partial",
    3: "last-partial",
    4: "failed-partial",
    5: "cancelled",
}
"""The meanings of the Standard Workload Format's numbers in the column status."""


def status(jobs: Jobs) -> Names:
    """The status of each job in the log, shape (n,)."""
    numbers, codes = np.unique(jobs.trace.status, return_inverse=True)
    return Names(codes.astype(np.int32), tuple(STATUSES.get(int(k), str(k)) for k in numbers))


def _numbers(jobs: Jobs, column: Ints | None) -> Floats:
    """A column of numbers, shape (n,); NaN if the log does not have them."""
    if column is None:
        return np.full(len(jobs.trace), np.nan)
    return np.where(column == MISSING, np.nan, column)


def _told(name: str, jobs: Jobs) -> Names | Floats:
    """A column of what logs tell of jobs, shape (n,): empty names, or NaN, if the log does not."""
    column = getattr(jobs.trace, name)
    if TOLD_COLUMNS[name].unit == "count":
        return _numbers(jobs, column)
    return Names(np.zeros(len(jobs.trace), np.int32), ("",)) if column is None else column


def gpus(jobs: Jobs) -> Floats:
    """GPUs of each job, shape (n,); NaN if the log does not have them."""
    return _numbers(jobs, jobs.trace.gpus)


TOLD_BY_SOME = (
    Quantity(
        "node",
        "Nodes",
        "name",
        "a node on which it ran by the log, by its host name",
        lambda jobs: NodeSets.of_log(jobs.trace),
        shown=_FIELD,
    ),
    *(
        Quantity(name, column.title, column.unit, column.text, partial(_told, name), shown=_FIELD)
        for name, column in TOLD_COLUMNS.items()
    ),
)
"""Quantities that only some logs have, above all those of Slurm."""
