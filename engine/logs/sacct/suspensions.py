"""Jobs of Slurm whose Elapsed is not the time from Start to End: suspended jobs, and clock changes."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints, Mask
from engine.trace.records import note_lines
from engine.trace.trace import Note

_SLACK = 2  # s by which the two may differ
_CHANGES = (3600, 1800, 7200)  # s by which clocks are put forward or back

_SUSPENDED = "jobs that were suspended: each ran for Elapsed, which is shorter than from Start to End"
_SHORTER = "jobs whose Elapsed is shorter than from Start to End, as of suspended ones: each ran for Elapsed"
_CLOCKS = "jobs that ran while clocks were put forward or back: each ran for Elapsed"


def elapsed_notes(
    start: Ints, end: Ints, elapsed: Ints, suspended: Ints, wall: Mask, line: Ints
) -> tuple[Note, ...]:
    """Notes on jobs for which Elapsed is not the time from Start to End, s, shape (n,) each.

    `wall` marks local times, in which clock changes occur.
    """
    given = (start > 0) & (end > 0) & (elapsed > 0)
    gap = np.where(given, end - start - elapsed, 0)
    paused = (suspended > 0) & (gap > _SLACK)
    clocks = ~paused & wall & np.isin(np.abs(gap), _CHANGES)
    return (
        note_lines("suspended", _SUSPENDED, paused, line),
        note_lines("suspended", _SHORTER, ~paused & ~clocks & (gap > _SLACK), line),
        note_lines("clock_change", _CLOCKS, clocks, line),
    )
