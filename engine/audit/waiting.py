"""A list of waiting jobs sorted by fixed ranks; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.audit.table import Ints
from engine.compiler.kernels import inner_kernel


class WaitingJobs(NamedTuple):
    """The waiting jobs, `jobs[bounds[0]:bounds[1]]`, sorted by rank, of n jobs that each wait once."""

    jobs: Ints  # (n,) waiting jobs
    bounds: Ints  # (2,) index of the first one, and index behind the last one
    place: Ints  # (n,) rank of each job, all different
    on: NDArray[np.bool_]  # (n,) whether each job waits


def make_waiting(place: Ints) -> WaitingJobs:
    """An empty list for jobs with these ranks, (n,)."""
    jobs = len(place)
    return WaitingJobs(np.zeros(jobs, np.int64), np.zeros(2, np.int64), place, np.zeros(jobs, np.bool_))


@inner_kernel
def put(waiting: WaitingJobs, job: int) -> None:
    """Insert a job."""
    low, index = waiting.bounds
    place = waiting.place[job]
    waiting.bounds[1] = index + 1
    # New jobs belong near the end under most orders, so the place is looked for from there.
    while index > low and waiting.place[waiting.jobs[index - 1]] > place:
        waiting.jobs[index] = waiting.jobs[index - 1]
        index -= 1
    waiting.jobs[index] = job
    waiting.on[job] = True


@inner_kernel
def take(waiting: WaitingJobs, job: int) -> None:
    """Remove a waiting job; the jobs on the side with fewer of them move by one."""
    low, high = waiting.bounds
    index, end = low, high
    # Waiting jobs are in the order of `place`: the search ends at the job's own.
    while index < end:
        middle = (index + end) >> 1
        if waiting.place[waiting.jobs[middle]] < waiting.place[job]:
            index = middle + 1
        else:
            end = middle
    waiting.on[job] = False
    if index - low < high - index:
        while index > low:
            waiting.jobs[index] = waiting.jobs[index - 1]
            index -= 1
        waiting.bounds[0] = low + 1
    else:
        for later in range(index + 1, high):
            waiting.jobs[later - 1] = waiting.jobs[later]
        waiting.bounds[1] = high - 1
