"""The present queue as a schedule: running jobs, and waiting jobs from their planned starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints
from engine.logs.queue.state import RUNNING, QueuedJob, QueueState
from engine.machine.cluster import Cluster
from engine.now.prediction import Forecast
from engine.now.queue_arrays import NO_LIMIT
from engine.policy.policy import parse_policy
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.recorded_run import one_pool
from engine.trace import MISSING, Names, Pieces, Trace

LOOK_BACK = 60 * 86_400
"""The zero of such a trace is this long before now, s; earlier times count as the zero."""

_LEAST_LEFT = 60  # s that a job beyond its limit is shown to run on


@dataclass(frozen=True, eq=False)
class QueueSchedule:
    """The schedule, in whose trace entry k is `jobs[k]`; `now` is in s from the trace's zero.

    Running jobs end by their limits, and so do waiting ones. Jobs without a planned start are not run.
    Nodes are not known: the machine is a pool, whose processors are assigned afterwards.
    """

    schedule: Schedule
    jobs: tuple[QueuedJob, ...]
    now: int


def queue_schedule(
    name: str, state: QueueState, forecast: Forecast, machine: Cluster, zero: int
) -> QueueSchedule:
    """The schedule of a queue with the planned starts of `forecast`; `zero` is in Unix seconds."""
    assert state.time is not None
    now = state.time - zero
    planned = {prediction.job.job_id: prediction.planned for prediction in forecast.waiting}
    # A dump that lacks the submission of a running job gives its start at least.
    came = {id(job): max(now - max(job.waited, job.elapsed), 0) for job in state.jobs}
    jobs = sorted(state.jobs, key=lambda job: came[id(job)])
    submit = np.array([came[id(job)] for job in jobs], np.int64)
    limit = np.array([NO_LIMIT if job.limit is None else max(job.limit, 1) for job in jobs], np.int64)
    start = np.full(len(jobs), NOT_RUN, np.int64)
    end = start.copy()
    for k, job in enumerate(jobs):
        at = planned.get(job.job_id)
        if job.state == RUNNING:
            start[k] = max(now - job.elapsed, 0)
            # A job beyond its limit runs all the same, and ends soon.
            end[k] = max(start[k] + limit[k], now + _LEAST_LEFT)
        elif at is not None:
            start[k], end[k] = now + at, now + at + limit[k]
    pool = Cluster.pool(machine.cpus)
    trace = _trace(name, jobs, pool, {"submit": submit, "walltime": limit, "start": start}, zero)
    schedule = Schedule(
        trace=trace,
        cluster=pool,
        policy=parse_policy("recorded"),
        start=start,
        end=end,
        procs=np.array(trace.procs),
        pieces=one_pool(trace, trace.procs, start != NOT_RUN),
    )
    return QueueSchedule(schedule, tuple(jobs), now)


def _trace(
    name: str, jobs: Sequence[QueuedJob], machine: Cluster, times: dict[str, Ints], zero: int
) -> Trace:
    """The jobs as a trace in order of submission; only running jobs have waits."""
    count = len(jobs)
    missing = np.full(count, MISSING, np.int64)
    procs = np.array([job.cpus for job in jobs], np.int64)
    runs = np.array([job.state == RUNNING for job in jobs], np.bool_)
    ram = np.array([job.ram * job.nodes or MISSING for job in jobs], np.int64)
    # Only an even share on each node is known; other jobs are a single task.
    even = np.array([job.cpus % job.nodes == 0 for job in jobs], np.bool_)
    nodes = np.array([job.nodes for job in jobs], np.int64)
    tasks = np.where(even, nodes, 1)
    columns = {"count": tasks, "cpus": procs // tasks, "ram": np.maximum(ram, 0) // tasks}
    elapsed = np.array([job.elapsed for job in jobs], np.int64)
    return Trace(
        name=name,
        cluster=machine,
        job_id=np.array([job.job_id for job in jobs], object).astype(str),
        submit=times["submit"],
        runtime=times["walltime"].copy(),
        walltime=times["walltime"],
        procs=procs,
        ram=ram,
        wait=np.where(runs, times["start"] - times["submit"], MISSING),
        recorded_runtime=np.where(runs, elapsed, MISSING),
        recorded_procs=procs.copy(),
        status=missing,
        user=_names([job.user for job in jobs]),
        group=_names([job.account for job in jobs]),
        queue=_names([job.partition for job in jobs]),
        executable=_names([""] * count),
        preceding=missing.copy(),
        think_time=missing.copy(),
        tasks=Pieces(np.arange(count + 1), columns),
        reason=_names([job.reason for job in jobs]),
        zero=zero,
    )


def _names(words: Sequence[str]) -> Names:
    known = {word: code for code, word in enumerate(dict.fromkeys(words))}
    return Names(np.array([known[word] for word in words], np.int32), tuple(known))
