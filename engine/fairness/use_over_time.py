"""Decayed use over time, as usage factors have it, at any moments."""

from __future__ import annotations

import math

import numpy as np

from engine.arrays import Floats, Ints
from engine.compiler.kernels import kernel


class UseOverTime:
    """The use by some jobs up to any moment, halved in each half-life (None: no decay).

    `weight`, shape (n,), is the amount that each holds from `start` to `end`, s, such as its share of the
    machine.
    """

    def __init__(self, start: Ints, end: Ints, weight: Floats, half_life: int | None) -> None:
        came, went = np.argsort(start, kind="stable"), np.argsort(end, kind="stable")
        self._start, self._more = np.array(start[came], np.int64), np.array(weight[came], np.float64)
        self._end, self._less = np.array(end[went], np.int64), np.array(weight[went], np.float64)
        self._mean_life = half_life / math.log(2.0) if half_life else 0.0

    def at(self, time: Floats) -> Floats:
        """The use up to each of some ascending times, s, in `weight` times seconds, same shape.

        U(t) = sum of P l (e^(-(t - e) / l) - e^(-(t - start) / l)), e = min(t, end), l = half-life / ln 2.
        """
        use = np.zeros(len(time))
        columns = self._start, self._more, self._end, self._less
        _fill(*columns, self._mean_life, np.array(time, np.float64), use)
        return use

    @property
    def most(self) -> float:
        """The maximum over time, which is at the end of a job."""
        return float(self.at(self._end.astype(np.float64)).max(initial=0.0))


@kernel
def _fill(
    start: Ints, more: Floats, end: Ints, less: Floats, mean_life: float, time: Floats, use: Floats
) -> None:
    used, rate, since = 0.0, 0.0, 0.0
    begun = ended = 0
    for index in range(len(time)):
        while True:
            now = time[index]
            starts = begun < len(start) and start[begun] <= now
            ends = ended < begun and end[ended] <= now
            # Process the earliest of the next start, the next end, and the requested time.
            if starts and (not ends or start[begun] <= end[ended]):
                now = float(start[begun])
            elif ends:
                now = float(end[ended])
                starts = False
            else:
                starts = False
            span = now - since
            if mean_life > 0.0:
                # The exact integral of a constant rate under exponential decay.
                left = math.exp(-span / mean_life)
                used = used * left + rate * mean_life * (1.0 - left)
            else:
                used += rate * span
            since = now
            if starts:
                rate += more[begun]
                begun += 1
            elif ends:
                # Reset to exactly 0 when nothing runs, so that rounding errors do not accumulate.
                rate = rate - less[ended] if begun > ended + 1 else 0.0
                ended += 1
            else:
                break
        use[index] = used
