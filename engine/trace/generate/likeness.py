"""The similarity of two logs: distributions of the quantities in the workload model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints
from engine.trace.trace import Trace

PERCENTILES = (10, 25, 50, 75, 90, 99)


@dataclass(frozen=True, eq=False)
class Likeness:
    """A quantity in two logs: its name, and the sorted values of the first and of the second."""

    name: str
    seconds: bool  # or a count
    first: Ints
    second: Ints

    @property
    def distance(self) -> float:
        """The largest difference of their cumulative distributions, 0 to 1 (Kolmogorov and Smirnov)."""
        at = np.union1d(self.first, self.second)
        shares = [
            np.searchsorted(sample, at, side="right") / len(sample) for sample in (self.first, self.second)
        ]
        return float(np.abs(shares[0] - shares[1]).max())

    def percentiles(self) -> list[tuple[int, float, float]]:
        """(Percent, value in the first log, in the second) for each of PERCENTILES."""
        both = (np.percentile(sample, PERCENTILES).tolist() for sample in (self.first, self.second))
        return list(zip(PERCENTILES, *both, strict=True))


def likenesses(first: Trace, second: Trace) -> list[Likeness]:
    """Sizes, runtimes, walltimes, gaps and jobs of users, of the jobs that ran: two or more in each log."""
    pairs = zip(_quantities(first), _quantities(second), strict=True)
    return [
        Likeness(name, seconds, np.sort(sample), np.sort(other_sample))
        for (name, seconds, sample), (*_, other_sample) in pairs
    ]


def _quantities(trace: Trace) -> list[tuple[str, bool, Ints]]:
    ran = trace.runtime > 0
    return [
        ("processors", False, trace.procs[ran]),
        ("runtime", True, trace.runtime[ran]),
        ("walltime", True, trace.walltime[ran]),
        ("gap", True, np.diff(trace.submit[ran])),
        ("jobs of a user", False, np.unique(trace.user.codes[ran], return_counts=True)[1]),
    ]
