"""Quality notes about times of jobs: what elapsed against start and end, clocks against absolute times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.trace.records import note_lines
from engine.trace.trace import Note

Ints = NDArray[np.int64]


def elapsed_note(runtime: NDArray[Any], between: NDArray[Any], line: Ints) -> Note:
    """The note of runtimes that the log gives, where they are not what lies `between` start and end.

    All shape (n,), s; what is negative is not given.
    """
    text = "given runtimes that are not end less start (suspended jobs, or clocks were changed): they count"
    odd = (runtime >= 0) & (between >= 0) & (np.abs(runtime - between) > 1)
    return note_lines("elapsed", text, odd, line)


MIXED_TIMES = "mixed_times"
"""The rule of the note of jobs with times of wall clocks beside absolute ones."""


def mixed_note(bits: NDArray[Any], given: Mapping[int, NDArray[np.bool_]], line: Ints) -> Note:
    """The note of jobs whose times are in part of wall clocks: their waits and runtimes need the zone.

    `bits` are those of `Records.wall_clock`, `given` marks the jobs that have each of them; all shape (n,).
    """
    clocks, absolute = np.zeros(len(line), np.bool_), np.zeros(len(line), np.bool_)
    for bit, there in given.items():
        clocks |= there & ((bits & bit) > 0)
        absolute |= there & ((bits & bit) == 0)
    text = (
        "jobs with times of clocks in a zone that is not named beside absolute ones: name it with --timezone"
    )
    return note_lines(MIXED_TIMES, text, clocks & absolute, line)
