"""Columns that only some logs have."""

from __future__ import annotations

import numpy as np

from engine.quantities.node_sets import NodeSets
from engine.quantities.quantity import Floats, Jobs, Quantity
from engine.trace import MISSING, Names
from engine.trace.columns import Ints, ShownIn

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


def _names(jobs: Jobs, column: Names | None) -> Names:
    """A column of names, shape (n,); empty names if the log has none."""
    return Names(np.zeros(len(jobs.trace), np.int32), ("",)) if column is None else column


def _numbers(jobs: Jobs, column: Ints | None) -> Floats:
    """A column of numbers, shape (n,); NaN if the log does not have them."""
    if column is None:
        return np.full(len(jobs.trace), np.nan)
    return np.where(column == MISSING, np.nan, column)


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
    Quantity(
        "qos",
        "QOS",
        "name",
        "its quality of service, where the log has such",
        lambda jobs: _names(jobs, jobs.trace.qos),
        shown=_FIELD,
    ),
    Quantity(
        "reason",
        "Reason",
        "name",
        "why it waited or ended, as the log has it",
        lambda jobs: _names(jobs, jobs.trace.reason),
        shown=_FIELD,
    ),
    Quantity(
        "reservation",
        "Reservation",
        "name",
        "the reservation of nodes that it ran in",
        lambda jobs: _names(jobs, jobs.trace.reservation),
        shown=_FIELD,
    ),
    Quantity(
        "priority",
        "Priority",
        "count",
        "its priority, as the log has it",
        lambda jobs: _numbers(jobs, jobs.trace.priority),
        shown=_FIELD,
    ),
)
"""Quantities that only some logs have, above all those of Slurm."""
