"""How far predicted starts may be off: by how much those of like jobs were, as far as an instant knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.schedule.predictions import first_starts, prediction_errors
from engine.schedule.schedule import Schedule
from engine.trace import MISSING

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SHARES = (10.0, 90.0)
"""The percentiles of errors between which a start is expected."""

LEAST = 10
"""Of fewer like jobs nothing is said."""

_WALLTIMES = (60, 600, 3600, 86_400)
"""Like jobs ask for walltimes between the same two of these, s.

Their processors are not compared: over plans of HPC2N, KTH-SP2 and wagap classes of walltime alone held the
real start in 76 to 82 % of cases, where 80 % are meant, and classes of walltime and size in 61 to 84 %.
"""


@dataclass(frozen=True, eq=False)
class Spread:
    """Errors of the first predictions of jobs that waited, in order of their starts; shape (k,) each."""

    start: Ints  # s, when the error was known
    kind: Ints  # class of walltime
    error: Floats  # s, below 0: earlier than predicted
    kind_of: Ints  # (n,) the class of every job of the trace

    def around(self, jobs: Ints, promised: Ints, time: float) -> tuple[Ints, Ints]:
        """The earliest and latest likely start of jobs that are promised one at `time`, s; shape as `jobs`.

        Where jobs of the same class of walltime that had started by then were off by no more than the 10th
        and the 90th percentile; of fewer than LEAST such jobs by those of all; MISSING (-1) without so
        many. No start is expected before `time`.
        """
        known = slice(int(np.searchsorted(self.start, time, "right")))
        kind, error = self.kind[known], self.error[known]
        earliest, latest = np.full((2, len(jobs)), MISSING)
        for one in np.unique(self.kind_of[jobs]):
            alike = error[kind == one]
            alike = error if len(alike) < LEAST else alike
            if len(alike) < LEAST:
                continue
            low, high = np.percentile(alike, SHARES)
            own = self.kind_of[jobs] == one
            earliest[own] = np.maximum(promised[own] + np.rint(low), time)
            latest[own] = np.maximum(promised[own] + np.rint(high), time)
        return earliest, latest


def spread_of(schedule: Schedule) -> Spread:
    """What is known of a schedule's predictions; takes time in the number of its decisions."""
    error, start = prediction_errors(schedule), first_starts(schedule)
    told = np.flatnonzero(~np.isnan(error) & (start > schedule.submit))
    told = told[np.argsort(start[told], kind="stable")]
    kind = np.searchsorted(_WALLTIMES, schedule.trace.walltime, "right")
    return Spread(start[told], kind[told], error[told], kind)
