"""The schedule of a run: simulated, the log's own, or from a file of another program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.errors import InputError
from engine.limits import MAX_CPUS, MAX_TIME
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.schedule.schedule import NOT_RUN, FairBy, Schedule
from engine.simulation.control import Control, thread_pool
from engine.simulation.recorded_run import one_pool
from engine.simulation.stages import Stages
from engine.trace import Trace
from engine.words import counted_text


def schedule_of(
    trace: Trace,
    cluster: Cluster,
    policy: Policy,
    *,
    log: bool = False,
    fair_starts: bool = False,
    fair_by: FairBy = "estimate",
    control: Control | None = None,
) -> Schedule:
    """The schedule of `trace` on `cluster` under `policy`, or from the file that the policy names.

    Other arguments are as for `simulate`. Raises Cancelled and InputError.
    """
    if policy.file:
        return given_schedule(trace, cluster, policy)
    from engine.simulation.run import simulate  # which brings all kernels with it

    return simulate(
        trace, cluster, policy, log=log, fair_starts=fair_starts, fair_by=fair_by, control=control
    )


def schedules_of(
    trace: Trace,
    runs: Sequence[tuple[Cluster, Policy]],
    *,
    log: bool = False,
    fair_starts: bool = False,
    fair_by: FairBy = "estimate",
    stages: Stages | None = None,
) -> list[Schedule]:
    """The schedules of `trace`, each on a machine under a policy, as `schedule_of` gives them, in that order.

    They are simulated on all cores, since compiled code holds no lock. `stages` has their progress, and
    cancels them all. Raises Cancelled and InputError.
    """
    shared = stages or Stages(Control(), len(runs))

    def simulated(run: tuple[Cluster, Policy]) -> Schedule:
        cluster, policy = run
        schedule = schedule_of(
            trace,
            cluster,
            policy,
            log=log,
            fair_starts=fair_starts,
            fair_by=fair_by,
            control=shared.control if stages else None,
        )
        shared.end()
        return schedule

    with thread_pool(max(1, min(len(runs), os.cpu_count() or 1))) as workers:
        waiting = [workers.submit(simulated, run) for run in runs]
        try:
            return [future.result() for future in waiting]  # in their order, and so are their errors
        except BaseException:
            # The others would run on to their ends before the error is told.
            shared.cancel()
            for future in waiting:
                future.cancel()
            raise


def faults_of(trace: Trace, cluster: Cluster, policy: Policy) -> tuple[str, ...]:
    """The rules that the schedule of a file breaks on this machine, in words, a line for each kind. Raises
    InputError.
    """
    from engine.audit.audit import audit
    from engine.audit.table import read_table

    report = audit(read_table(Path(policy.file), trace, cluster=cluster), cluster)
    return tuple(
        f"{counted_text(finding.count, finding.text)}{finding.how_bad}" for finding in report.findings
    )


def given_schedule(trace: Trace, cluster: Cluster, policy: Policy) -> Schedule:
    """The schedule of a file, joined to the trace by job ids, with its own starts, ends and processors.

    Starts and ends are rounded down; no start is before the submission, and a job takes at least a second. If
    the file runs a job several times the first run counts; jobs without a run are not run. The places of jobs
    count as unknown. Raises InputError if the file cannot be read, or has a time outside of the limits.
    """
    from engine.audit.dependent_submissions import implied_submissions
    from engine.audit.table import read_table

    path = Path(policy.file)
    table = read_table(path, trace)
    ran = table.first_row >= 0
    row = table.first_row[ran]
    start, end, procs = np.floor(table.start[row]), np.floor(table.end[row]), np.floor(table.procs[row])
    # Checked as floating-point numbers: a conversion to integers would wrap around silently.
    known = np.isfinite(start) & np.isfinite(end) & np.isfinite(procs)
    if not (known & (np.abs(start) <= MAX_TIME) & (np.abs(end) <= MAX_TIME) & (procs <= MAX_CPUS)).all():
        raise InputError(f"{path}: this schedule has a time, or a number of processors, that no log can hold")
    starts = np.full(len(trace), NOT_RUN, np.int64)
    ends, held = starts.copy(), np.array(trace.procs)
    came = implied_submissions(table) if trace.dependencies else None
    submit = trace.submit if came is None else came
    starts[ran] = np.maximum(start.astype(np.int64), submit[ran])
    ends[ran] = np.maximum(end.astype(np.int64), starts[ran] + 1)
    held[ran] = np.maximum(procs.astype(np.int64), 1)
    return Schedule(
        trace=trace,
        cluster=cluster,
        policy=policy,
        start=starts,
        end=ends,
        came=came,
        procs=held,
        pieces=one_pool(trace, held, ran),
    )
