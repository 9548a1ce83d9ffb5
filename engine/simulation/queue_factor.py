"""The factor `queue` of priorities: the value of a job's queue."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.policy.policy import Policy
from engine.trace import Trace

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def queue_factors(trace: Trace, policy: Policy, refused: Mask) -> Floats:
    """The factor of each job's queue in its priority, 0 to 1, shape (n,)."""
    priority = policy.queue_priority.as_dict()
    if not priority:
        return _ranks(trace, refused)
    highest = max(priority.values())
    factor = np.array([priority.get(name, 0.0) / highest for name in trace.queue.names])
    return np.asarray(factor[trace.queue.codes])


def _ranks(trace: Trace, refused: Mask) -> Floats:
    """Factors, (n,), from 1 for the queue with the shortest median walltime down to 0; ties share one.

    Queues none of whose jobs is run do not count.
    """
    queue, walltime = trace.queue.codes[~refused], trace.walltime[~refused]
    median = np.zeros(len(trace.queue.names))
    for code in np.unique(queue):
        median[code] = np.median(walltime[queue == code])
    ranked = np.unique(median[np.unique(queue)])
    rank = np.searchsorted(ranked, median[trace.queue.codes])
    return np.asarray(1.0 - rank / max(len(ranked) - 1, 1))
