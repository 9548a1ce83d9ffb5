"""The clock of a schedule: by how much it differs from the trace's, and how finely it is read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.audit.columns import Floats
from engine.trace import Trace
from engine.words import counted

DIGITS = 3
"""Fractional times count to the millisecond: sums of them differ in the last bit."""

TICKS = 10**DIGITS
"""Ticks of a second, of which replays count whole numbers."""


def later(time: float, seconds: float) -> float:
    """`time` and so many seconds, to the millisecond."""
    return round(time + seconds, DIGITS)


def find_offset(trace: Trace, job: NDArray[np.int64], own_submit: Floats, start: Floats) -> tuple[float, str]:
    """Seconds to take from the schedule's times, and how they were found.

    The most common difference of submissions, where the file gives any; where most differ by parts of a
    second of their own, since the trace has whole ones, the whole seconds of it. Otherwise the one
    of a few candidates at which most jobs start the second they are submitted: none, the
    trace's zero (times since 1970), and the smallest difference of start and submission,
    where two jobs or more have it. `job` are indices into the trace; all shape (rows,).
    """
    submit = trace.submit[job]
    said = ~np.isnan(own_submit)
    if said.any():
        return _most_common(own_submit[said] - submit[said]), "the submissions in both"
    waits = np.round(start - submit, DIGITS)
    waits = waits[~np.isnan(waits)]
    candidates = [0.0, float(trace.zero)]
    if len(waits) and np.count_nonzero(waits == waits.min()) > 1:
        candidates.append(float(waits.min()))
    hits = [int(np.count_nonzero(waits == value)) for value in candidates]
    best = int(np.argmax(hits))  # the first of equal ones
    if hits[best] == 0:
        return 0.0, "no submissions in the schedule to compare with"
    return candidates[best], f"{counted(hits[best], 'job')} that started at once"


def _most_common(differences: Floats) -> float:
    rounded = np.round(differences, DIGITS)
    values, counts = np.unique(rounded, return_counts=True)
    if 2 * counts.max() < len(rounded):  # of fractional submissions the trace keeps the second
        values, counts = np.unique(np.floor(rounded), return_counts=True)
    return float(values[np.argmax(counts)])
