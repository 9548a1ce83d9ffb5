"""The most that jobs hold of a machine at once."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints


def most_at_once(start: Ints, end: Ints, amount: Ints) -> int:
    """The greatest sum of the amounts of jobs that run at once; all shape (n,), n at least 1.

    Within a second ends come before starts. Columns are let go as early as they can be: they are long.
    """
    # The greatest sum comes with a start: at each, all that has started less all that has ended by then.
    held = amount[np.argsort(start, kind="stable")]
    np.cumsum(held, out=held)
    freed = amount[np.argsort(end, kind="stable")]
    np.cumsum(freed, out=freed)
    moment, ends = np.sort(start, kind="stable"), np.sort(end, kind="stable")
    ended = np.searchsorted(ends, moment, side="right")
    del moment, ends
    after_ends = ended > 0
    # Where nothing has ended yet, there is nothing to subtract.
    ended -= 1
    held[after_ends] -= freed[ended[after_ends]]
    return int(held.max())
