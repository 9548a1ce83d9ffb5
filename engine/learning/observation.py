"""What a learned policy observes of a simulation: the first waiting jobs and the machine, as numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.simulation.own.visible_state import PassState

JOB_COLUMNS = ("there", "wait", "estimate", "procs", "fits")
"""A job's row: 1 where there is a job, its wait and estimate on a logarithmic scale that ends at 30 days, its
processors as a share of the machine, and 1 where so many are free now."""

MACHINE_COLUMNS = ("free", "waiting", "running")
"""The machine's row: its free processors as a share, and w / (w + n) of w waiting and of w running jobs."""

_LONGEST = 30 * 86_400  # s, where the scale of times ends
# Arrays without axes: NumPy takes twice as long to make an array of a number in each call.
_SCALE = np.array(1.0 / np.log1p(_LONGEST), np.float32)
_MOST = np.array(1.0, np.float32)

Observation = dict[str, NDArray[np.float32]]
"""`jobs`, shape (n, 5), in order of submission, and `machine`, shape (3,); all from 0 to 1."""


def observed(state: PassState, jobs: int) -> Observation:
    """What is seen now of the first `jobs` waiting jobs, and of the machine."""
    (wait, estimate, procs), machine = state.requests(jobs), state.machine
    free = machine.free
    columns = np.zeros((len(JOB_COLUMNS), jobs), np.float32)  # a column's values side by side
    seen, times = columns[:, : len(wait)], columns[1:3]
    seen[1], seen[2], seen[3] = wait, estimate, procs
    # Waits and estimates go from seconds to weeks: on a linear scale nearly all jobs would lie at 0. Places
    # without a job stay 0: whole rows, which lie side by side, take less time than their parts.
    np.log1p(times, out=times)
    np.multiply(times, _SCALE, out=times)
    np.minimum(times, _MOST, out=times)
    seen[4] = procs <= free
    seen[3] *= 1.0 / machine.procs
    seen[0] = 1.0
    waiting, running = machine.waiting, machine.running
    row = (free / machine.procs, waiting / (waiting + jobs), running / (running + jobs))
    return {"jobs": columns.T, "machine": np.array(row, np.float32)}
