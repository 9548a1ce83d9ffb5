"""Simulation of a part of a run, so that the jobs in view can be shown before the whole run is done."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.policy.policy import Policy
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.control import Control
from engine.simulation.run import simulate
from engine.trace import Pieces


def jobs_in_view(schedule: Schedule, start: float, end: float) -> NDArray[np.bool_]:
    """The jobs, shape (n,), that were in the system between `start` and `end` (s), or shortly before.

    They were submitted before the end and had not ended, in this schedule, at a lead time before
    the start that is as long as the window: during it the queue of a separate simulation fills up. Jobs that
    the schedule never ran are included.
    """
    lead = start - (end - start)
    return np.asarray((schedule.trace.submit < end) & ((schedule.end > lead) | ~schedule.ran))


def simulate_part(
    schedule: Schedule, policy: Policy, jobs: NDArray[np.bool_], control: Control | None = None
) -> Schedule:
    """The schedule of some jobs of a trace, a mask of shape (n,), under another policy, without the others.

    `schedule` gives the trace and the machine. In the result the other jobs did not run, and
    there is no decision log. Raises what `simulate` does.
    """
    trace = schedule.trace
    cluster = schedule.cluster
    if cluster.failures is not None:  # use the failures drawn for the whole trace, not for this part
        cluster = replace(cluster, failures=schedule.outages)
    part = simulate(trace.take(jobs), cluster, policy, control=control)

    def spread(values: NDArray[np.int64], elsewhere: int | NDArray[np.int64]) -> NDArray[np.int64]:
        whole = np.array(np.broadcast_to(elsewhere, len(trace)))
        whole[jobs] = values
        return whole

    sizes = spread(np.diff(part.pieces.offset), 0)
    return replace(
        part,
        trace=trace,
        cluster=schedule.cluster,
        stopped=replace(part.stopped, job=np.flatnonzero(jobs)[part.stopped.job]),
        start=spread(part.start, NOT_RUN),
        end=spread(part.end, NOT_RUN),
        procs=np.array(trace.procs),
        pieces=Pieces(np.concatenate(([0], np.cumsum(sizes))), part.pieces.columns),
        estimate=spread(part.estimate, trace.walltime) if part.estimate is not None else None,
    )
