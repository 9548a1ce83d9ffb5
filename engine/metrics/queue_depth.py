"""Queue depth: how long all waiting jobs together have waited so far (Tang et al. 2013, section 4.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

MINUTE = 60


def mean_queue_depth(wait: Ints, span: int) -> float | None:
    """The time-average over `span` seconds, in minutes; None where there is no span.

    A job that waits Q adds Q^2 / 2 to the area under the depth.
    """
    if span <= 0:
        return None
    return float((wait.astype(np.float64) ** 2).sum()) / (2 * span * MINUTE)


def max_queue_depth(submit: Ints, start: Ints) -> float | None:
    """The deepest the queue ever is, in minutes; None without jobs. `submit` ascends, in seconds.

    The depth only falls when a job starts, so it is deepest just before a start.
    """
    if len(submit) == 0:
        return None
    order = np.argsort(start, kind="stable")
    moment = start[order]
    began = np.searchsorted(moment, moment, "left")
    came = np.searchsorted(submit, moment, "right")
    waiting = came - began
    submitted = _sums(submit)[came] - _sums(submit[order])[began]
    return float((waiting * moment - submitted).max()) / MINUTE


def _sums(values: Ints) -> Ints:
    """Sums of the first 0, 1, ... n values."""
    return np.concatenate(([0], np.cumsum(values)))
