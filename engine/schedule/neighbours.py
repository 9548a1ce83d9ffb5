"""The neighbours of a job: jobs before and after it on its processors, and jobs waiting at its submission."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.schedule.schedule import Schedule

if TYPE_CHECKING:
    from engine.schedule.processors import Boxes

Ints = NDArray[np.int64]


def on_processors(schedule: Schedule, boxes: Boxes, job: int) -> tuple[Ints, Ints]:
    """The last jobs before `job` on each of its processors, and the first jobs after it.

    Each once, the nearest in time first, by index. `boxes` are of the same schedule; takes
    time in their number. Without boxes of `job` there are no neighbours.
    """
    of_job = boxes.job == job
    mine = np.zeros(schedule.cluster.cpus + 1, bool)
    for first, count in zip(boxes.first[of_job].tolist(), boxes.count[of_job].tolist(), strict=True):
        mine[first : first + count] = True
    shared = np.concatenate(([0], np.cumsum(mine)))  # how many of the first p processors are the job's
    touch = (shared[boxes.first + boxes.count] > shared[boxes.first]) & ~of_job
    rows = np.flatnonzero(touch)
    other = boxes.job[rows].astype(np.int64)
    start, end = int(schedule.start[job]), int(schedule.end[job])
    before, after = schedule.end[other] <= start, schedule.start[other] >= end
    latest = rows[before][np.argsort(-schedule.end[other[before]], kind="stable")]
    earliest = rows[after][np.argsort(schedule.start[other[after]], kind="stable")]
    return _covering(boxes, latest, mine), _covering(boxes, earliest, mine)


def waiting_at_submission(schedule: Schedule, job: int) -> Ints:
    """The jobs that were submitted before `job` and waited at its submission, in order of submission."""
    turn = schedule.turn
    waiting = np.flatnonzero((turn < turn[job]) & (schedule.start > schedule.submit[job]))
    return np.asarray(waiting[np.argsort(turn[waiting])])


def _covering(boxes: Boxes, rows: Ints, mine: NDArray[np.bool_]) -> Ints:
    """The jobs of these rows of boxes that are the first on any of the processors, in that order."""
    # Each row takes the processors on which none was before it; once all are taken, no further job counts.
    left = mine.copy()
    jobs: dict[int, None] = {}
    for row in rows:
        processors = slice(int(boxes.first[row]), int(boxes.first[row] + boxes.count[row]))
        if left[processors].any():
            left[processors] = False
            jobs[int(boxes.job[row])] = None
            if not left.any():
                break
    return np.array(list(jobs), np.int64)
