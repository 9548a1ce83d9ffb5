"""Backfilling in a schedule: the backfilled jobs, the overtaken jobs, and their numbers."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints
from engine.schedule.schedule import Decision, Schedule

NOBODY = -1
"""Stands for a job's index where no job was passed."""


def passed_first(schedule: Schedule) -> Ints:
    """The waiting job that each job was backfilled past when it started, of several the first in the queue.

    Indices into the trace, shape (n,); NOBODY where a job was started in its turn, or not run.
    """
    log = schedule.log
    rows = np.flatnonzero((log.kind == Decision.BACKFILLED) & (log.time == schedule.start[log.job]))
    passed = np.full(len(schedule.start), NOBODY, np.int64)
    passed[log.job[rows]] = log.value[rows]
    return passed


def times_passed(schedule: Schedule) -> Ints:
    """The number of waiting jobs that each job was backfilled past at its start, shape (n,); 0: not
    backfilled.

    These are the first of them in the queue, and the jobs after it that were submitted before the job and
    started after it (as in `DecisionLog.past_job`).
    """
    first = passed_first(schedule)
    job = np.flatnonzero(first != NOBODY)
    count = np.zeros(len(first), np.int64)
    turn = schedule.turn
    # Starts in the order of submission: the jobs between two turns are then a slice.
    in_turn = np.empty_like(schedule.start)
    in_turn[turn] = schedule.start
    count[job] = 1 + larger_between(in_turn, turn[first[job]] + 1, turn[job], schedule.start[job])
    return count


def larger_between(values: Ints, low: Ints, high: Ints, bound: Ints) -> Ints:
    """The number of values[low[q]:high[q]] greater than bound[q], for each query q; shape as `bound`.

    By a wavelet matrix (Navarro 2014, Wavelet trees for all): a pass over values and queries for each bit of
    the values' ranks, instead of a pass over the values for each query.
    """
    # Only the order of values counts, so ranks stand for them, which have few bits.
    known, rank = np.unique(values, return_inverse=True)
    wanted = np.searchsorted(known, bound, "right")
    # An empty range may be given with its ends crossed.
    low, high = np.minimum(low, high), high
    count = np.zeros(len(wanted), np.int64)
    # At each bit, from the highest, values with the bit set are moved behind those without, in order: so
    # each range of the array stays a range.
    for bit in range(len(known).bit_length() - 1, -1, -1):
        is_set = (rank >> bit & 1).astype(np.bool_)
        ones = np.concatenate(([0], np.cumsum(is_set)))
        # Where the bound has a 0 and a value a 1, the value is greater: all such are counted, and the search
        # goes on among those that have the same bit as the bound.
        below, above = ones[low], ones[high]
        is_one = (wanted >> bit & 1).astype(np.bool_)
        count += np.where(is_one, 0, above - below)
        zeros = len(rank) - ones[-1]
        low = np.where(is_one, zeros + below, low - below)
        high = np.where(is_one, zeros + above, high - above)
        rank = np.concatenate((rank[~is_set], rank[is_set]))
    # What is left in the range has the rank of the bound, the first value that is greater.
    return np.asarray(count + high - low, np.int64)
