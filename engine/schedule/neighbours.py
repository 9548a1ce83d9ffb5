"""The neighbours of a job: jobs before and after it on its processors, and jobs waiting at its submission."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.schedule.schedule import Schedule

if TYPE_CHECKING:
    from engine.schedule.processors import Boxes


def on_processors(schedule: Schedule, boxes: Boxes, job: int) -> tuple[Ints, Ints]:
    """The last jobs before `job` on each of its processors, and the first jobs after it.

    Each once, the nearest in time first, by index. `boxes` are of the same schedule; takes
    time in their number. Without boxes of `job` there are no neighbours.
    """
    of_job = boxes.job == job
    on_job = np.zeros(schedule.cluster.cpus + 1, bool)  # whether the job has a processor
    for first, count in zip(boxes.first[of_job].tolist(), boxes.count[of_job].tolist(), strict=True):
        on_job[first : first + count] = True
    shared = np.concatenate(([0], np.cumsum(on_job)))  # how many of the first p processors are the job's
    touch = (shared[boxes.first + boxes.count] > shared[boxes.first]) & ~of_job
    rows = np.flatnonzero(touch)
    other = boxes.job[rows].astype(np.int64)
    start, end = int(schedule.start[job]), int(schedule.end[job])
    before, after = schedule.end[other] <= start, schedule.start[other] >= end
    latest = rows[before][np.argsort(-schedule.end[other[before]], kind="stable")]
    earliest = rows[after][np.argsort(schedule.start[other[after]], kind="stable")]
    return _first_jobs(boxes, latest, on_job), _first_jobs(boxes, earliest, on_job)


def waiting_at_submission(schedule: Schedule, job: int) -> Ints:
    """The jobs that were submitted before `job` and waited at its submission, in order of submission."""
    turn = schedule.turn
    waiting = np.flatnonzero((turn < turn[job]) & (schedule.start > schedule.submit[job]))
    return np.asarray(waiting[np.argsort(turn[waiting])])


def _first_jobs(boxes: Boxes, rows: Ints, processors: NDArray[np.bool_]) -> Ints:
    """The jobs that are the first on any of the processors if boxes come in the order of `rows`.

    `processors` tells of each processor of the machine whether it counts.
    """
    # A box takes the processors that no box before it has; once all are taken, no further job is a first.
    free = processors.copy()
    jobs: dict[int, None] = {}
    for row in rows:
        of_box = slice(int(boxes.first[row]), int(boxes.first[row] + boxes.count[row]))
        if free[of_box].any():
            free[of_box] = False
            jobs[int(boxes.job[row])] = None
            if not free.any():
                break
    return np.array(list(jobs), np.int64)
