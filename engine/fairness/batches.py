"""Bags of tasks: jobs that a user submits one after the other and waits for as one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.trace import Trace

Ints = NDArray[np.int64]


def bag_ends(trace: Trace, ends: Ints, gap: int) -> Ints:
    """The latest of `ends` within each job's bag of tasks, shape (n,), as `ends`.

    A bag is jobs of one user that request the same (processors, walltime and RAM), each
    submitted at most `gap` seconds after the one before it in the bag. Beyond Toth &
    Klusacek 2014, who name such batches as future work: to a user who waits for all
    of them it does not matter which ends first.
    """
    if len(trace) == 0:
        return ends.copy()
    order, first = _bags(trace, gap)
    latest = np.empty_like(ends)
    sizes = np.diff(np.append(first, len(trace)))
    latest[order] = np.repeat(np.maximum.reduceat(ends[order], first), sizes)
    return latest


def last_of_bags(trace: Trace, ends: Ints, gap: int) -> NDArray[np.bool_]:
    """Which jobs are the last of their bags to end, shape (n,), of several the one that came last."""
    last = np.zeros(len(trace), np.bool_)
    if len(trace) == 0:
        return last
    order, first = _bags(trace, gap)
    bag = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(trace))))
    by_end = np.lexsort((np.arange(len(trace)), ends[order], bag))
    last[order[by_end[np.append(first[1:], len(trace)) - 1]]] = True
    return last


def _bags(trace: Trace, gap: int) -> tuple[Ints, Ints]:
    """The jobs bag by bag, in order of submission, shape (n,), and where each bag begins there."""
    request = (trace.user.codes, trace.procs, trace.walltime, trace.ram)
    order = np.lexsort((trace.submit, *request))
    opens = np.diff(trace.submit[order], prepend=0) > gap
    for column in request:
        opens[1:] |= np.diff(column[order]) != 0
    opens[0] = True
    return order, np.flatnonzero(opens)
