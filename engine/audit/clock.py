"""The clock of a schedule: its offset from the trace's clock, and its resolution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.audit.columns import Floats
from engine.trace import Trace
from engine.words import counted

DIGITS = 3
"""Fractional times count to the millisecond: sums of them differ in the last bit."""

TICKS = 10**DIGITS
"""Ticks in a second; replays count in whole ticks."""


def later(time: float, seconds: float) -> float:
    """The time `seconds` after `time`, rounded to milliseconds."""
    return round(time + seconds, DIGITS)


def find_offset(trace: Trace, job: NDArray[np.int64], own_submit: Floats, start: Floats) -> tuple[float, str]:
    """The seconds to subtract from the schedule's times, and how they were found, as text.

    It is the most common difference of submissions, if the file gives any; if most differ by fractions of a
    second, because the trace has whole seconds, the whole seconds of it. Otherwise it is that
    candidate with which most jobs start in the second of their submission: 0, the
    trace's zero (times since 1970), and the smallest difference of start and submission,
    if at least two jobs have it. `job` are indices into the trace; all have shape (rows,).
    """
    submit = trace.submit[job]
    has_submit = ~np.isnan(own_submit)
    if has_submit.any():
        return _most_common(own_submit[has_submit] - submit[has_submit]), "the submissions in both"
    waits = np.round(start - submit, DIGITS)
    waits = waits[~np.isnan(waits)]
    candidates = [0.0, float(trace.zero)]
    if len(waits) and np.count_nonzero(waits == waits.min()) > 1:
        candidates.append(float(waits.min()))
    hits = [int(np.count_nonzero(waits == value)) for value in candidates]
    best = int(np.argmax(hits))  # the first of equal candidates
    if hits[best] == 0:
        return 0.0, "no submissions in the schedule to compare with"
    return candidates[best], f"{counted(hits[best], 'job')} that started at once"


def _most_common(differences: Floats) -> float:
    rounded = np.round(differences, DIGITS)
    values, counts = np.unique(rounded, return_counts=True)
    if 2 * counts.max() < len(rounded):  # of fractional submissions the trace keeps the second
        values, counts = np.unique(np.floor(rounded), return_counts=True)
    return float(values[np.argmax(counts)])
