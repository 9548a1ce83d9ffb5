"""Columns that only some logs have."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.quantities.node_sets import NodeSets
from engine.quantities.quantity import Jobs, Quantity, Unit, Values
from engine.trace import Names
from engine.trace.columns import CODE, COLUMNS, COUNT, MEBIBYTES, NAME, SECONDS, TOLD_COLUMNS, ShownIn

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


def known(name: str, jobs: Jobs) -> Floats:
    """A column of numbers, shape (n,); NaN where the log does not have them."""
    values = getattr(jobs.trace, name)
    if values is None:
        return np.full(len(jobs.trace), np.nan)
    return np.where(values == COLUMNS[name].missing, np.nan, values)


def _told(name: str, jobs: Jobs) -> Names | Floats:
    """A column of what logs tell of jobs, shape (n,): empty names, or NaN, if the log does not."""
    column, values = COLUMNS[name], getattr(jobs.trace, name)
    if column.unit == COUNT:
        return known(name, jobs)
    return Names(np.zeros(len(jobs.trace), np.int32), (str(column.missing),)) if values is None else values


_UNITS: dict[str, Unit] = {NAME: "name", CODE: "name", COUNT: "count", SECONDS: "s", MEBIBYTES: "MiB"}


def of_column(name: str, values: Callable[[Jobs], Values], **more: Any) -> Quantity:
    """The quantity that a column is by itself, but for what a job used."""
    column = COLUMNS[name]
    return Quantity(name, column.title, _UNITS[column.unit], column.text, values, shown=column.shown, **more)


TOLD_BY_SOME = (
    Quantity(
        "node",
        "Nodes",
        "name",
        "a node on which it ran by the log, by its host name",
        lambda jobs: NodeSets.of_log(jobs.trace),
        shown=_FIELD,
    ),
    *(of_column(name, partial(_told, name)) for name in TOLD_COLUMNS),
)
"""Quantities that only some logs have, above all those of Slurm."""
