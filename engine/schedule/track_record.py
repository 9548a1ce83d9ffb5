"""The accuracy of planned starts of similar jobs, as known at an instant.

It describes the past and is no interval for a start: the error of the first planned start does not apply to
starts that were replanned since.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.schedule.predictions import StartAccuracy, accuracy, first_starts, prediction_errors
from engine.schedule.schedule import Schedule

LEAST = 10
"""The fewest similar jobs for which statistics are shown."""

_WALLTIMES = (60, 600, 3600, 86_400)
"""Like jobs ask for walltimes between the same two of these, s."""


@dataclass(frozen=True)
class LikeJobs:
    """The number of similar jobs that had started, and the accuracy of their first planned starts in %."""

    count: int
    accuracy: StartAccuracy

    def __str__(self) -> str:
        early, on_time, late = self.accuracy
        return f"{early:.0f} % earlier, {on_time:.0f} % on time, {late:.0f} % later, of {self.count:,}"


@dataclass(frozen=True, eq=False)
class TrackRecord:
    """Errors of the first predictions of jobs that waited, in order of their starts; shape (k,) each."""

    start: Ints  # s, when the error was known
    kind: Ints  # class of walltime
    error: Floats  # s, below 0: earlier than predicted
    kind_of: Ints  # (n,) the class of every job of the trace

    def of(self, jobs: Ints, time: float) -> list[LikeJobs | None]:
        """The record at `time` (s) of the jobs similar to each of `jobs`, shape (k,).

        It covers jobs of the same class of walltime; if fewer than LEAST of these had started by then, all
        jobs; None if there are too few of all.
        """
        # Starts ascend, so that those known by then stand in front.
        known = slice(int(np.searchsorted(self.start, time, "right")))
        kind, error = self.kind[known], self.error[known]
        values: dict[int, LikeJobs | None] = {}
        for own_kind in np.unique(self.kind_of[jobs]).tolist():
            alike = error[kind == own_kind]
            # Too few jobs of the class: all jobs say more.
            alike = error if len(alike) < LEAST else alike
            shares = accuracy(alike) if len(alike) >= LEAST else None
            values[own_kind] = None if shares is None else LikeJobs(len(alike), shares)
        return [values[own_kind] for own_kind in self.kind_of[jobs].tolist()]


def track_record_of(schedule: Schedule) -> TrackRecord:
    """The record of a schedule's predictions; takes time in the number of its decisions."""
    error, start = prediction_errors(schedule), first_starts(schedule)
    finished = np.flatnonzero(~np.isnan(error) & (start > schedule.submit))
    finished = finished[np.argsort(start[finished], kind="stable")]
    kind = np.searchsorted(_WALLTIMES, schedule.trace.walltime, "right")
    return TrackRecord(start[finished], kind[finished], error[finished], kind)
