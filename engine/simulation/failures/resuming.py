"""Jobs that resume after a failure of their node, so that only the rest of their runtime is left."""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.simulation.workload import Workload


def resumable_workload(work: Workload) -> Workload:
    """A copy of the workload whose runtimes can be shortened for jobs that a failure stops."""
    return work._replace(
        runtime=work.runtime.copy(),
        walltime=work.walltime.copy(),
        estimate=work.estimate.copy(),
        done=np.zeros(len(work.submit), np.int64),
    )


@inner_kernel
def remaining_estimate(whole: int, walltime: int, ran: int) -> int:
    """The rest of an estimate after a run of `ran`, s; if none is left, that of the walltime; at least 1."""
    return int(whole - ran if whole > ran else max(walltime - ran, 1))


@inner_kernel
def seconds_done(work: Workload, job: int) -> int:
    """The runtime that earlier runs of the job completed, s."""
    return int(work.done[job]) if len(work.done) > 0 else 0


@inner_kernel
def shorten_by_run(work: Workload, job: int, ran: int) -> None:
    """Shorten runtime, walltime and estimate of a job that was stopped after it ran for `ran`, s."""
    work.estimate[job] = remaining_estimate(work.estimate[job], work.walltime[job], ran)
    work.walltime[job] = max(work.walltime[job] - ran, 1)
    work.runtime[job] -= ran
    work.done[job] += ran
