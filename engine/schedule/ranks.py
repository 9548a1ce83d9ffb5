"""The correlation of two columns by the ranks of their values."""

from __future__ import annotations

import math

import numpy as np

from engine.arrays import Floats, Ints


def rank_correlation(x: Ints, y: Ints) -> float | None:
    """Spearman's rho: the correlation of the ranks, -1 to 1; equal values share their mean rank.

    `x` and `y` have shape (n,). None where all values of either are equal (Spearman 1904).
    """
    middle = (len(x) - 1) / 2.0
    a, b = _ranks(x), _ranks(y)
    a -= middle
    b -= middle
    spread = float((a**2).sum()) * float((b**2).sum())
    return float((a * b).sum()) / math.sqrt(spread) if spread > 0 else None


def _ranks(values: Ints) -> Floats:
    """Ranks from 0, shape (n,); equal values share the mean of theirs."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(values)])
    del ordered  # columns of millions of jobs are let go as early as they can be
    counts = np.diff(np.append(first, len(values)))
    shared = np.repeat(first + (counts - 1) / 2.0, counts)
    del first, counts
    ranks = np.empty(len(values))
    ranks[order] = shared
    return ranks
