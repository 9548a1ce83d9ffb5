"""Statistics of local search: plans before and after, trials, accepted moves, and time.

The table never has more than ROWS rows: when it is full, each two rows are merged, and from then on a row
stands for twice as many searches.
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
"""Equal parts into which the trials of a search are divided, with statistics for each."""

TIME, SEARCHES, JOBS, TRIED, KEPT, TICKS = range(6)
"""Columns of `counted`: the time of the row's first search, s; then sums over the row's searches."""

GAIN, BEFORE = 0, 1
AFTER = BEFORE + len(CRITERIA)


class SearchTable(NamedTuple):
    """Statistics of searches: each row is a sum over some consecutive searches. Empty without a log."""

    counted: Ints  # (ROWS or 0, 6) columns TIME to TICKS
    judged: Floats  # (ROWS or 0, 15) the gain D, then the values of CRITERIA before and after
    parts: Floats  # (PARTS, 2) gain and number of accepted moves in each part of the trials of all searches
    used: Ints  # (2,) rows in use, and number of searches for which a row stands


def make_search_table(on: bool) -> SearchTable:
    """The table before the first search; without rows where it is not `on`."""
    rows = ROWS if on else 0
    return SearchTable(
        counted=np.zeros((rows, TICKS + 1), np.int64),
        judged=np.zeros((rows, AFTER + len(CRITERIA))),
        parts=np.zeros((PARTS, 2)),
        used=np.array([0, 1]),
    )


@inner_kernel
def begin_search(table: SearchTable, now: int, jobs: int, value: Floats) -> None:
    """Note that a search among `jobs` waiting jobs begins; `value`, (criteria,), is of their plan."""
    row = table.used[0] - 1
    # A row takes in as many searches as rows stand for at present. When the table is full, neighbours are
    # merged and each row stands for twice as many: the table keeps its size however long the run is.
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
    """Note that a move with this gain is accepted at one of `trials` trials."""
    row, part = table.used[0] - 1, trial * PARTS // trials
    table.counted[row, KEPT] += 1
    table.judged[row, GAIN] += gain
    table.parts[part, 0] += gain
    table.parts[part, 1] += 1.0


@inner_kernel
def end_search(table: SearchTable, tried: int, ticks: int, value: Floats) -> None:
    """Note that a search ends after `tried` moves and `ticks`; `value`, (criteria,), is of the new plan."""
    row = table.used[0] - 1
    table.counted[row, TRIED] += tried
    table.counted[row, TICKS] += ticks
    for k in range(len(value)):
        table.judged[row, AFTER + k] += value[k]


@inner_kernel
def _halve(table: SearchTable) -> None:
    """Merge each two rows into one."""
    half = len(table.counted) // 2
    # In place: a row is written after the two that it sums up were read, and lies in front of the next two.
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
    # From now on each row takes in twice as many searches.
    table.used[0] = half
    table.used[1] *= 2
