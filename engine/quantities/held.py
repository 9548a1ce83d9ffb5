"""What jobs held of the machine, over all of its resources and their runtimes."""

from __future__ import annotations

import numpy as np

from engine.quantities.quantity import Floats, Jobs


def held_area(jobs: Jobs) -> Floats:
    """R P_j D_j of each job, shape (n,), in processor-seconds; r D where the machine does not limit RAM.

    R are the machine's processors and P_j the share of it that the job weighs: the larger of its shares of
    CPUs and RAM (`max`), whatever the penalty of the policy, so that runs can be compared.
    """
    from engine.policy.penalty import penalties
    from engine.simulation.workload import make_workload

    run, trace = jobs.known_schedule, jobs.trace
    if not run.cluster.limits_ram or len(trace) == 0:
        return run.procs.astype(np.float64) * run.runtime
    work = make_workload(trace, run.cluster, trace.walltime)
    return penalties(work, "max") * run.cluster.cpus * run.runtime
