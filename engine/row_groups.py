"""Rows of a table by a small whole number that each has, such as its user or its job."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints
from engine.compiler.kernels import kernel


@kernel
def grouped(code: Ints, groups: int) -> tuple[Ints, Ints]:
    """The rows of each group, ascending: those of group g are order[offset[g]:offset[g + 1]].

    `code`, shape (n,), is the group of each row, 0 to groups - 1; returns the order, (n,), and the offsets,
    (groups + 1,). It counts instead of comparing, so that it passes over the rows once.
    """
    # A counting sort: sizes, then their sums as begins, then each row to the next place of its group.
    offset = np.zeros(groups + 1, np.int64)
    for group in code:
        offset[group + 1] += 1
    for group in range(groups):
        offset[group + 1] += offset[group]
    position = offset[:-1].copy()
    order = np.empty(len(code), np.int64)
    for row in range(len(code)):
        order[position[code[row]]] = row
        position[code[row]] += 1
    return order, offset
