"""Queue orders by a job's own request. To add an order, add a line to STATIC_ORDERS."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints


class SortTerm(NamedTuple):
    """A sort key of a job: `sign` times its estimate E (s) and its processors r, each where it counts."""

    sign: int
    estimate: bool
    procs: bool


_SHORT, _LONG = SortTerm(1, True, False), SortTerm(-1, True, False)
_SMALL, _LARGE = SortTerm(1, True, True), SortTerm(-1, True, True)
_NARROW, _WIDE = SortTerm(1, False, True), SortTerm(-1, False, True)

STATIC_ORDERS: dict[str, tuple[SortTerm, ...]] = {
    "fcfs": (),
    "sjf": (_SHORT, _NARROW),
    "ljf": (_LONG,),
    "saf": (_SMALL,),
    "laf": (_LARGE,),
    "widest": (_WIDE,),
    "narrowest": (_NARROW,),
}
"""Orders by name: at most two sort keys, ascending, the first key first."""

TIES: dict[str, tuple[SortTerm, ...]] = {
    "fcfs": (),
    "longest": (_LONG,),
    "shortest": (_SHORT,),
    "widest": (_WIDE,),
}
"""The sort keys for jobs whose first keys are equal, by name."""


def queue_terms(order: str, ties: str) -> tuple[SortTerm, ...]:
    """The sort keys of a queue order; none for an order that needs more than a job's own request.

    Equal jobs are ordered by the key of `ties`, a name in TIES, and then by submission.
    """
    terms = STATIC_ORDERS.get(order, ())
    return (*terms, *TIES[ties]) if len(terms) == 1 else terms


def backfill_terms(order: str) -> tuple[SortTerm, ...]:
    """The sort keys of a backfill order: `sjf` uses only the estimate; own code has no fixed ones."""
    return (_SHORT,) if order == "sjf" else STATIC_ORDERS.get(order, ())


def ranks(terms: tuple[SortTerm, ...], estimate: Ints, procs: Ints, shared: bool = False) -> Ints:
    """Rank of each job in the order of these keys, shape (n,), all different, or `shared` by equal jobs."""
    if not terms:
        return np.zeros(len(estimate), np.int64) if shared else np.arange(len(estimate))
    neutral = np.ones(len(estimate), np.int64)
    # A term is a product: what it does not have counts as 1.
    keys = [
        term.sign * (estimate if term.estimate else neutral) * (procs if term.procs else neutral)
        for term in terms
    ]
    return key_ranks(*keys, shared=shared)


def key_ranks(*keys: NDArray[Any], shared: bool = False) -> Ints:
    """Rank of each job in the ascending order of these keys, the first key counting most; each of shape (n,).

    Equal jobs are ranked by submission, or share a rank if that is not known yet.
    """
    jobs = np.arange(len(keys[0]))
    order = np.lexsort(keys[::-1])  # which is stable, so equal keys stay in order of submission
    rank = np.empty_like(jobs)
    if not shared:
        rank[order] = jobs
        return rank
    differs = np.zeros(len(jobs), np.bool_)
    for key in keys:
        differs[1:] |= key[order][1:] != key[order][:-1]
    rank[order] = np.cumsum(differs)
    return rank
