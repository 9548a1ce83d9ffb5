"""The use of the machine by jobs, over all of its resources and their runtimes."""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats
from engine.quantities.quantity import Jobs


def held_area(jobs: Jobs) -> Floats:
    """R P_j D_j of each job, shape (n,), in processor-seconds; r D if the machine has only processors.

    R are the machine's processors and P_j is the job's share of it: the largest of its shares of CPUs, RAM
    and others, or the value of another penalty of the `jobs`.
    """
    from engine.policy.penalty import penalties
    from engine.simulation.workload import make_workload

    run, trace = jobs.known_schedule, jobs.trace
    if run.cluster.resources == ("cpus",) or len(trace) == 0:
        return run.procs.astype(np.float64) * run.runtime
    work = make_workload(trace, run.cluster, trace.walltime)
    return penalties(work, jobs.penalty) * run.cluster.cpus * run.runtime
