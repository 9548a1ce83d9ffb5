"""The most that jobs hold of a machine at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def most_at_once(start: Ints, end: Ints, amount: Ints) -> int:
    """The greatest sum of the amounts of jobs that run at once; all shape (n,), n at least 1.

    Within a second ends come before starts. Columns are let go as early as they can be: they are long.
    """
    held = amount[np.argsort(start, kind="stable")]
    np.cumsum(held, out=held)
    freed = amount[np.argsort(end, kind="stable")]
    np.cumsum(freed, out=freed)
    moment, ends = np.sort(start, kind="stable"), np.sort(end, kind="stable")
    ended = np.searchsorted(ends, moment, side="right")
    del moment, ends
    some = ended > 0
    ended -= 1
    held[some] -= freed[ended[some]]
    return int(held.max())
