"""What local search did: how good plans were before and after, what was tried and kept, and how long it took.

However long a simulation is, it fills a table of ROWS rows: when that is full, each two rows become one, and
a row stands for twice as many searches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.policy.names import CRITERIA
from engine.simulation.workload import Ints

Floats = NDArray[np.float64]

ROWS = 4096
"""Rows of the table; an even number."""

PARTS = 20
"""Parts of the trials of a search, of each of which it is known what it gained."""

TIME, SEARCHES, JOBS, TRIED, KEPT, TICKS = range(6)
"""Columns: s of the first search of a row; all others are sums over its searches."""

GAIN, BEFORE = 0, 1
AFTER = BEFORE + len(CRITERIA)


class SearchTable(NamedTuple):
    """Rows of searches, sums over those that each stands for; without any where nothing is noted."""

    counted: Ints  # (ROWS or 0, 6)
    judged: Floats  # (ROWS or 0, 15) the gain, then CRITERIA before and after
    parts: Floats  # (PARTS, 2) gain, and moves that were kept, in each part of the trials of all searches
    used: Ints  # (2,) rows that are begun, and searches that a row stands for


def make_search_table(on: bool) -> SearchTable:
    """Nothing was searched; where it is not `on`, nothing will be noted."""
    rows = ROWS if on else 0
    return SearchTable(
        counted=np.zeros((rows, TICKS + 1), np.int64),
        judged=np.zeros((rows, AFTER + len(CRITERIA))),
        parts=np.zeros((PARTS, 2)),
        used=np.array([0, 1]),
    )


@inner_kernel
def begin_search(table: SearchTable, now: int, jobs: int, value: Floats) -> None:
    """A search begins among so many waiting jobs; `value` (7,) is of their plan."""
    row = table.used[0] - 1
    if row < 0 or table.counted[row, SEARCHES] == table.used[1]:
        row += 1
        if row == len(table.counted):
            _halve(table)
            row = table.used[0]
        table.used[0] = row + 1
        table.counted[row, TIME] = now
    table.counted[row, SEARCHES] += 1
    table.counted[row, JOBS] += jobs
    for k in range(len(value)):
        table.judged[row, BEFORE + k] += value[k]


@inner_kernel
def note_kept(table: SearchTable, trial: int, trials: int, gain: float) -> None:
    """A move is kept at a trial of so many."""
    row, part = table.used[0] - 1, trial * PARTS // trials
    table.counted[row, KEPT] += 1
    table.judged[row, GAIN] += gain
    table.parts[part, 0] += gain
    table.parts[part, 1] += 1.0


@inner_kernel
def end_search(table: SearchTable, tried: int, ticks: int, value: Floats) -> None:
    """The search is over after so many moves and ticks of the clock; `value` (7,) is of the plan now."""
    row = table.used[0] - 1
    table.counted[row, TRIED] += tried
    table.counted[row, TICKS] += ticks
    for k in range(len(value)):
        table.judged[row, AFTER + k] += value[k]


@inner_kernel
def _halve(table: SearchTable) -> None:
    """Make one row of each two."""
    half = len(table.counted) // 2
    for row in range(half):
        table.counted[row, TIME] = table.counted[2 * row, TIME]
        for k in range(SEARCHES, table.counted.shape[1]):
            table.counted[row, k] = table.counted[2 * row, k] + table.counted[2 * row + 1, k]
        for k in range(table.judged.shape[1]):
            table.judged[row, k] = table.judged[2 * row, k] + table.judged[2 * row + 1, k]
    for row in range(half, len(table.counted)):
        for k in range(table.counted.shape[1]):
            table.counted[row, k] = 0
        for k in range(table.judged.shape[1]):
            table.judged[row, k] = 0.0
    table.used[0] = half
    table.used[1] *= 2
