"""Queue orders that are fixed at submission. A further one is a line in STATIC_ORDERS and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

STATIC_ORDERS: dict[str, Callable[[Ints, Ints], list[Ints]]] = {
    "fcfs": lambda estimate, procs: [],
    "sjf": lambda estimate, procs: [estimate, procs],
    "ljf": lambda estimate, procs: [-estimate],
    "saf": lambda estimate, procs: [procs * estimate],
    "laf": lambda estimate, procs: [-procs * estimate],
    "widest": lambda estimate, procs: [-procs],
    "narrowest": lambda estimate, procs: [procs],
}
"""Orders by name: keys from estimates (s) and processors, each shape (n,); ascending, the first one first."""


def static_ranks(order: str, ties: str, estimate: Ints, procs: Ints) -> Ints:
    """Place of each job in an order, shape (n,), all different.

    Equal keys go by submission, or with `ties="longest"` by the longest estimate first
    (and then by submission). An order that moves ranks by submission.
    """
    keys = STATIC_ORDERS.get(order, STATIC_ORDERS["fcfs"])(estimate, procs)
    if ties == "longest" and keys:
        keys.append(-estimate)
    return _ranks(keys, len(estimate))


def backfill_ranks(order: str, estimate: Ints, procs: Ints) -> Ints:
    """Place of each job in a backfill order, shape (n,): `sjf` goes by the estimate alone."""
    if order == "sjf":
        return _ranks([estimate], len(estimate))
    return static_ranks(order, "fcfs", estimate, procs)


def _ranks(keys: list[Ints], jobs: int) -> Ints:
    ranks = np.empty(jobs, np.int64)
    # lexsort is stable, so equal keys stay in order of submission.
    ranks[np.lexsort(keys[::-1]) if keys else np.arange(jobs)] = np.arange(jobs)
    return ranks
