"""What is left of jobs that failures of nodes stopped, where they go on instead of starting anew."""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.simulation.workload import Workload


def resumable_workload(work: Workload) -> Workload:
    """The same, where jobs that a failure stopped have only the rest of their runtime before them."""
    return work._replace(
        runtime=work.runtime.copy(),
        walltime=work.walltime.copy(),
        estimate=work.estimate.copy(),
        done=np.zeros(len(work.submit), np.int64),
    )


@inner_kernel
def remaining_estimate(whole: int, walltime: int, ran: int) -> int:
    """What is left, s, of an estimate after a run; where that used it up, of the walltime; at least 1."""
    return int(whole - ran if whole > ran else max(walltime - ran, 1))


@inner_kernel
def seconds_done(work: Workload, job: int) -> int:
    """What earlier runs did of the job, s."""
    return int(work.done[job]) if len(work.done) > 0 else 0


@inner_kernel
def shorten_by_run(work: Workload, job: int, ran: int) -> None:
    """The job was stopped after a run of so many seconds, which it need not do again."""
    work.estimate[job] = remaining_estimate(work.estimate[job], work.walltime[job], ran)
    work.walltime[job] = max(work.walltime[job] - ran, 1)
    work.runtime[job] -= ran
    work.done[job] += ran
