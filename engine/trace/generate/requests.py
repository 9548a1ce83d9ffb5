"""Requested walltimes, after Tsafrir, Etsion & Feitelson 2005 ("Modeling User Runtime Estimates").

Nearly all jobs of a log request one of about twenty values, whose popularity falls with rank; a long value is
the most popular. A request is an upper bound but otherwise says little about the runtime, and some jobs run
until they are killed at their limit. The rare values, which the paper has besides the popular ones, are left
out here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.trace.generate.generated_log import HOUR

POPULAR = 20
"""The number of popular values: about this many cover nine of ten jobs of a log."""

HEAD = 0.2
"""The share of jobs with the most popular value; each further value is rarer by the same factor."""

REACHED = 0.07
"""Part of the jobs that run until their request: 2 to 9 % of the jobs of KTH-SP2, CTC-SP2 and HPC2N."""

LEAST_KEPT = 0.5
"""The least share of its runtime that a job runs before it is killed at its request."""

_MINUTE = 60


def _by_rank() -> tuple[float, ...]:
    """Parts of the jobs by rank: a geometric series that begins with HEAD and adds up to 1."""
    low, high = 0.0, 1.0
    # Bisection: 60 halvings reach the precision of floating-point numbers.
    for _ in range(60):
        factor = (low + high) / 2
        if (1.0 - factor) / (1.0 - factor**POPULAR) > HEAD:
            low = factor
        else:
            high = factor
    parts = HEAD * factor ** np.arange(POPULAR)
    return tuple((parts / parts.sum()).tolist())


@dataclass(frozen=True)
class WalltimeRequests:
    """The walltimes that users request.

    `values` (s) are distinct, `parts` are the shares of jobs that request each; jobs that would run longer
    than the largest are killed then. The share `reached` of all jobs runs until its request, as far as
    runtimes allow.
    """

    values: tuple[int, ...]
    parts: tuple[float, ...] = _by_rank()
    reached: float = REACHED

    @property
    def longest(self) -> int:
        """The largest value, s."""
        return max(self.values)


BATCH = WalltimeRequests(
    (
        *(24 * HOUR, 15 * _MINUTE, 4 * HOUR, HOUR, 5 * _MINUTE, 12 * HOUR, 2 * HOUR, 30 * _MINUTE, 6 * HOUR),
        *(48 * HOUR, 10 * _MINUTE, 8 * HOUR, 3 * HOUR, 18 * HOUR, 36 * HOUR, 20 * _MINUTE, 10 * HOUR),
        *(5 * HOUR, 72 * HOUR, 90 * _MINUTE),
    )
)
"""Requests on a machine of parallel jobs of minutes to two days, as in Lublin & Feitelson 2003."""

CAMPUS = WalltimeRequests(
    tuple(
        hours * HOUR
        for hours in (24, 48, 168, 12, 96, 4, 72, 336, 6, 120, 720, 240, 2, 8, 36, 1, 480, 60, 18, 3)
    )
)
"""Requests on a machine on which jobs may run for up to 30 days."""


def draw_requests(
    requests: WalltimeRequests, runtime: Floats, begins: Sequence[int] | Ints, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """The walltime of each group of jobs with equal requests, and the resulting runtimes, s.

    `runtime`, shape (jobs,), are the full runtimes, group after group; `begins`, shape (groups,), the first
    job of each. Returns a walltime per group and a runtime per job. Values are given to as many jobs as their
    shares say, each to any group for which it is long enough, the longest groups first.
    """
    begins = np.asarray(begins, np.int64)
    values = np.sort(np.array(requests.values, np.int64))
    odds = np.array(requests.parts)[np.argsort(requests.values)]
    runtime = np.clip(np.floor(runtime), 1.0, float(values[-1]))
    longest = np.maximum.reduceat(runtime, begins)
    jobs = np.split(runtime, begins[1:])
    # Round limits such as an hour are asked for by fixed shares of all jobs.
    deal = _Deal(values, (odds / odds.sum() * len(runtime)).tolist())
    chosen = np.full(len(begins), -1, np.int64)
    # Some jobs reach their limit: their limit is made shorter than the time that they need.
    deal.cut(chosen, jobs, longest, requests.reached * len(runtime), rng)
    deal.serve(chosen, jobs, longest, rng)
    walltime = values[chosen]
    return walltime, np.minimum(runtime.astype(np.int64), np.repeat(walltime, [len(job) for job in jobs]))


class _Deal:
    """The remaining requests: the ascending `values`, s, and the number of jobs for each."""

    def __init__(self, values: Ints, left: list[float]) -> None:
        self.values, self.left = values, left

    def cut(
        self, chosen: Ints, jobs: Sequence[Floats], longest: Floats, wanted: float, rng: np.random.Generator
    ) -> None:
        """Give random groups values that are too short, until enough jobs reach their limit."""
        # Values that are too short for the group, but not by so much that nothing would be left of its jobs.
        most = np.searchsorted(self.values, longest, side="left").tolist()
        least = np.searchsorted(self.values, LEAST_KEPT * longest, side="left").tolist()
        for group in rng.permutation(np.flatnonzero(np.less(least, most))).tolist():
            if wanted < 1.0:
                break
            value = self._any(least[group], most[group], rng.random())
            reach = int(np.count_nonzero(jobs[group] >= self.values[value]))
            # Not more jobs than the value still has, nor far beyond what is wanted.
            if self.left[value] >= len(jobs[group]) and reach <= 2.0 * wanted:
                wanted -= reach
                self._take(chosen, group, value, len(jobs[group]))

    def serve(self, chosen: Ints, jobs: Sequence[Floats], longest: Floats, rng: np.random.Generator) -> None:
        """Choose for all other groups, the longest first, any value that is long enough."""
        enough = np.searchsorted(self.values, longest, side="left").tolist()
        luck = rng.random(len(jobs)).tolist()
        for group in np.argsort(-longest, kind="stable").tolist():
            if chosen[group] < 0:
                value = self._any(enough[group], len(self.left), luck[group])
                self._take(chosen, group, value, len(jobs[group]))

    def _any(self, first: int, end: int, luck: float) -> int:
        """A random value between two indices, weighted by its remaining jobs; the first if none remain."""
        sought = luck * sum(self.left[first:end])
        for value in range(first, end):
            sought -= self.left[value]
            if sought < 0.0:
                return value
        return first

    def _take(self, chosen: Ints, group: int, value: int, jobs: int) -> None:
        self.left[value] = max(self.left[value] - jobs, 0.0)
        chosen[group] = value
