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

MANY = 20_000
"""With more jobs than this the time before a window that is simulated with it is shorter."""

_LEADS = (1.0, 0.5, 0.25)
"""That time, as parts of the window."""


def jobs_in_view(schedule: Schedule, start: float, end: float) -> NDArray[np.bool_]:
    """The jobs, shape (n,), that were in the system between `start` and `end` (s), or shortly before.

    They were submitted before the end and had not ended, in this schedule, at a lead time before the start:
    during it the queue of a separate simulation fills up. It is as long as the window, or, where that would
    be more than MANY jobs, a half or a quarter of it. Jobs that the schedule never ran are included.
    """
    came = schedule.trace.submit < end
    jobs = came
    for lead in _LEADS:
        jobs = came & ((schedule.end > start - lead * (end - start)) | ~schedule.ran)
        if np.count_nonzero(jobs) <= MANY:
            break
    return np.asarray(jobs)


def simulate_part(
    schedule: Schedule,
    policy: Policy,
    jobs: NDArray[np.bool_],
    control: Control | None = None,
    since: float | None = None,
) -> Schedule:
    """The schedule of some jobs of a trace, a mask of shape (n,), under another policy, without the others.

    `schedule` gives the trace and the machine. In the result the other jobs did not run, nor those that had
    ended by the time `since` (s), and there is no decision log. Raises what `simulate` does.
    """
    trace = schedule.trace
    cluster = schedule.cluster
    if cluster.failures is not None:  # use the failures drawn for the whole trace, not for this part
        cluster = replace(cluster, failures=schedule.outages)
    part = simulate(trace.take(jobs), cluster, policy, control=control)
    index = np.flatnonzero(jobs)
    # Jobs that ended before `since` only bring the machine into the state of that time.
    kept = part.ran if since is None else part.ran & (part.end > since)
    shown = index[kept]

    def spread(values: NDArray[np.int64], elsewhere: int | NDArray[np.int64]) -> NDArray[np.int64]:
        whole = np.array(np.broadcast_to(elsewhere, len(trace)))
        whole[shown] = values[kept]
        return whole

    pieces = part.pieces if kept.all() else part.pieces.take(kept)
    # Jobs that are not shown have no pieces: their offsets repeat the one before.
    sizes = np.zeros(len(trace) + 1, np.int64)
    sizes[shown + 1] = np.diff(pieces.offset)
    return replace(
        part,
        trace=trace,
        cluster=schedule.cluster,
        # The part numbers its own jobs: here they get the numbers of the whole trace again.
        stopped=replace(
            part.stopped,
            job=index[part.stopped.job],
            by=np.where(part.stopped.preempted, index[part.stopped.by], -1),
        ),
        added=replace(part.added, job=index[part.added.job]),
        cancelled_for=None,
        start=spread(part.start, NOT_RUN),
        end=spread(part.end, NOT_RUN),
        procs=trace.procs,
        pieces=Pieces(np.cumsum(sizes, out=sizes), pieces.columns),
        estimate=spread(part.estimate, trace.walltime) if part.estimate is not None else None,
    )
