"""Small traces and schedules, written down by hand, for tests."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.arrays import Ints
from engine.machine.cluster import Cluster
from engine.machine.outages import Outages
from engine.policy.policy import parse_policy
from engine.schedule.schedule import NO_LOG, NOT_RUN, DecisionLog, FurtherRuns, Schedule
from engine.trace import MISSING, Names, Pieces, Trace
from engine.trace.gpu_tasks import tasks_with_gpus

Numbers = Sequence[int] | Ints
Task = tuple[int, int, int]  # count, CPUs a task, MiB a task


def make_trace(
    submit: Numbers,
    runtime: Numbers,
    procs: Numbers | int = 1,
    *,
    walltime: Numbers | None = None,
    user: Sequence[str | int] | None = None,
    queue: Sequence[str | int] | None = None,
    executable: Sequence[str | int] | None = None,
    group: Sequence[str | int] | None = None,
    ram: Numbers | None = None,
    tasks: Sequence[Sequence[Task]] | None = None,
    wait: Numbers | None = None,
    recorded_runtime: Numbers | None = None,
    recorded_procs: Numbers | None = None,
    gpus: Numbers | None = None,
    cluster: Cluster | None = None,
    name: str = "test",
    zero: int = 0,
) -> Trace:
    """A trace of the given jobs; `submit` ascends.

    One user and one queue; walltimes equal to the runtimes; RAM and waits missing; each job
    as many one-CPU tasks as it has processors (`ram` is MiB of the whole job, rounded up a
    task); on a pool of 100 processors; where nothing else is said.
    """
    n = len(submit)
    r = np.full(n, procs, np.int64) if isinstance(procs, int) else _ints(procs)
    d = _ints(runtime)
    m = np.full(n, MISSING, np.int64) if ram is None else _ints(ram)
    missing = np.full(n, MISSING, np.int64)
    # Where no groups of tasks are given, each processor is a task, with its part of the RAM rounded up.
    if tasks is None:
        tasks = [[(int(r[j]), 1, -(-int(m[j]) // int(r[j])) if m[j] > 0 else MISSING)] for j in range(n)]
    groups = _pieces([[(*task,) for task in groups] for groups in tasks], ("count", "cpus", "ram"))
    return Trace(
        name=name,
        cluster=cluster or Cluster.pool(100),
        job_id=np.arange(1, n + 1, dtype=np.int64),
        submit=_ints(submit),
        runtime=d,
        walltime=d.copy() if walltime is None else _ints(walltime),
        procs=r,
        ram=m,
        wait=missing.copy() if wait is None else _ints(wait),
        recorded_runtime=d.copy() if recorded_runtime is None else _ints(recorded_runtime),
        recorded_procs=r.copy() if recorded_procs is None else _ints(recorded_procs),
        status=np.ones(n, np.int64),
        user=make_names(user if user is not None else ["alice"] * n),
        group=make_names(group if group is not None else ["staff"] * n),
        queue=make_names(queue if queue is not None else ["batch"] * n),
        executable=make_names(executable if executable is not None else ["-1"] * n),
        preceding=missing.copy(),
        think_time=missing.copy(),
        gpus=None if gpus is None else _ints(gpus),
        tasks=groups if gpus is None else tasks_with_gpus(groups, _ints(gpus)),
        zero=zero,
    )


def make_schedule(
    trace: Trace,
    start: Numbers,
    *,
    runtime: Numbers | None = None,
    procs: Numbers | None = None,
    cluster: Cluster | None = None,
    policy: str = "easy",
    log: DecisionLog = NO_LOG,
    passes: int = 0,
    estimate: Numbers | None = None,
) -> Schedule:
    """A schedule with these starts (NOT_RUN: refused), everything on node 0."""
    begin = _ints(start)
    d = trace.runtime if runtime is None else _ints(runtime)
    r = trace.procs.copy() if procs is None else _ints(procs)
    ran = begin != NOT_RUN
    rows = [[(0, int(r[j]), int(trace.ram[j]))] if ran[j] else [] for j in range(len(trace))]
    return Schedule(
        trace=trace,
        cluster=cluster or trace.cluster,
        policy=parse_policy(policy),
        start=begin,
        end=np.where(ran, begin + d, NOT_RUN),
        procs=r,
        pieces=_pieces(rows, ("node", "cpus", "ram")),
        log=log,
        passes=passes,
        estimate=None if estimate is None else _ints(estimate),
    )


def with_stopped(schedule: Schedule, *runs: tuple[int, int, int, int]) -> Schedule:
    """The same with runs that failures cut short, in order of end: job, start, end and node of each.

    The node fails then, for ten seconds.
    """
    job, start, end, node = np.array(runs, np.int64).T
    pieces = _pieces(
        [[(int(n), int(schedule.procs[j]), 0)] for j, n in zip(job, node, strict=True)],
        ("node", "cpus", "ram"),
    )
    failures = Outages.merged(node, end, end + 10)
    return replace(
        schedule,
        cluster=replace(schedule.cluster, failures=failures),
        stopped=FurtherRuns(job, start, end, pieces, np.full(len(job), -1)),
    )


def make_names(values: Sequence[str | int]) -> Names:
    """Codes in order of first appearance."""
    codes: dict[str, int] = {}
    numbered = [codes.setdefault(str(value), len(codes)) for value in values]
    return Names(np.array(numbered, np.int32), tuple(codes))


def _pieces(rows: Sequence[Sequence[tuple[int, ...]]], columns: tuple[str, ...]) -> Pieces:
    offset = np.concatenate(([0], np.cumsum([len(job) for job in rows]))).astype(np.int64)
    table = np.array([row for job in rows for row in job], np.int64).reshape(-1, len(columns))
    return Pieces(offset, {name: np.ascontiguousarray(table[:, k]) for k, name in enumerate(columns)})


def _ints(values: Numbers) -> Ints:
    return np.array(values, np.int64)


def with_zone(trace: Trace, timezone: str, zero: int) -> Trace:
    """The trace of a machine in another time zone, with its zero (Unix seconds) at another moment."""
    return replace(trace, timezone=timezone, zero=zero)
