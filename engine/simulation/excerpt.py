"""A part of a run simulated by itself, so that what is in view need not wait for the whole."""

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

    They came before the end and had not ended, in this schedule, when the window's own length before
    its start was left: while that passes, the queue of a simulation of them alone fills up. Those that
    it never ran count too.
    """
    lead = start - (end - start)
    return np.asarray((schedule.trace.submit < end) & ((schedule.end > lead) | ~schedule.ran))


def simulate_part(
    schedule: Schedule, policy: Policy, jobs: NDArray[np.bool_], control: Control | None = None
) -> Schedule:
    """Some jobs of a trace, a mask of shape (n,), under another policy, as if there were no others.

    `schedule` tells the trace and the machine. In what is returned the others did not run, and
    there is no decision log. Raises what `simulate` does.
    """
    trace = schedule.trace
    cluster = schedule.cluster
    if cluster.failures is not None:  # those of the whole trace, whatever part of it is simulated
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
