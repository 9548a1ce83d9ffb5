"""Planned starts: the reservations of waiting jobs up to a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np

from engine.arrays import Ints


@dataclass(frozen=True, eq=False)
class Promises:
    """Reservations ordered by job, then by the time at which they were made; shape (m,) each."""

    job: Ints  # index into the trace
    made: Ints  # s, when each start was promised
    start: Ints  # s: the job is to start by then

    def of_job(self, job: int) -> Ints:
        """The starts that were promised to a job, in order of time, each once."""
        low, high = np.searchsorted(self.job, [job, job + 1])
        start = self.start[low:high]
        changed = np.append(True, start[1:] != start[:-1])[: len(start)]
        return np.asarray(start[changed])

    def known_at(self, jobs: Ints, time: float) -> Ints:
        """The last start promised to each job until `time` (s), shape as `jobs`; -1: none."""
        if not len(self.job):
            return np.full(len(jobs), -1)
        wanted = jobs * self._span + min(max(floor(time) - self._zero, -1), self._span - 2)
        last = np.searchsorted(self._key, wanted, "right") - 1
        return np.where((last >= 0) & (self.job[last] == jobs), self.start[last], -1)

    @cached_property
    def _key(self) -> Ints:
        """Job and time packed into an ascending number."""
        return self.job * self._span + (self.made - self._zero)

    @cached_property
    def _zero(self) -> int:
        return int(self.made.min(initial=0))

    @cached_property
    def _span(self) -> int:
        return int(self.made.max(initial=0)) - self._zero + 2
