"""Quality notes about times of jobs: what elapsed against start and end, clocks against absolute times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.trace.records import note_lines
from engine.trace.trace import Note


def elapsed_note(runtime: NDArray[Any], between: NDArray[Any], line: Ints) -> Note:
    """A note on runtimes in the log that differ from the time `between` start and end.

    All shape (n,), s; negative values are missing.
    """
    text = "given runtimes that are not end less start (suspended jobs, or clocks were changed): they count"
    odd = (runtime >= 0) & (between >= 0) & (np.abs(runtime - between) > 1)
    return note_lines("elapsed", text, odd, line)


def early_note(submit: Ints, start: Ints, started: NDArray[np.bool_], line: Ints) -> Note:
    """A note on jobs that started before their submission, which no job can; all shape (n,), s."""
    text = "a start before the submission: the job counts as started when it was submitted"
    return note_lines("early_start", text, started & (start < submit), line)


MIXED_TIMES = "mixed_times"
"""The rule of the note about jobs with both local times and absolute times."""


def mixed_note(bits: NDArray[Any], offsets: Mapping[int, NDArray[np.bool_]], line: Ints) -> Note:
    """A note on jobs with partly local times: their waits and runtimes need the time zone.

    `bits` are those of `Records.wall_clock`, `offsets` marks the jobs that have each of them; all shape (n,).
    """
    clocks, absolute = np.zeros(len(line), np.bool_), np.zeros(len(line), np.bool_)
    # Only times that are there count on either side.
    for bit, there in offsets.items():
        clocks |= there & ((bits & bit) > 0)
        absolute |= there & ((bits & bit) == 0)
    text = (
        "jobs with times of clocks in a zone that is not named beside absolute ones: name it with --timezone"
    )
    return note_lines(MIXED_TIMES, text, clocks & absolute, line)
