"""The distance of a simulated schedule from the recorded schedule."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster
from engine.machine.outages import Outages
from engine.metrics.available import processor_seconds
from engine.schedule.schedule import Schedule

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def distance_to_recorded(schedule: Schedule, jobs: Mask) -> dict[str, float | None]:
    """The metrics `recorded_...`, over those of `jobs` (shape (n,), all run) whose wait is in the log.

    The median of |start - recorded start| in seconds; the rank correlation of waits (Spearman 1904); and the
    utilization minus that of the recorded schedule, each sum(r D) of the same jobs divided by the available
    capacity in their makespan, of the schedule's and of the log's own machine. None if the log has no
    schedule, for the recorded schedule itself, and without jobs.
    """
    trace = schedule.trace
    names = ("recorded_start_difference", "recorded_wait_correlation", "recorded_utilization_difference")
    known = jobs & (trace.wait >= 0)
    if schedule.policy.recorded or not trace.has_recorded_schedule or not known.any():
        return dict.fromkeys(names)
    every = bool(known.all())

    def of(column: Ints) -> Ints:
        """The values of jobs whose start is in the log: only they can be compared."""
        return column if every else column[known]

    wait, recorded_wait, submit = of(schedule.wait), of(trace.wait), of(trace.submit)
    ours = _utilization(
        submit, wait, of(schedule.runtime), of(schedule.procs), schedule.cluster, schedule.outages
    )
    logs = _utilization(
        submit,
        recorded_wait,
        of(trace.recorded_runtime),
        of(trace.recorded_procs),
        trace.cluster,
        trace.cluster.outages(trace.submit),
    )
    apart = wait - recorded_wait
    values = (
        float(np.median(np.abs(apart, out=apart), overwrite_input=True)),
        rank_correlation(wait, recorded_wait),
        None if ours is None or logs is None else ours - logs,
    )
    return dict(zip(names, values, strict=True))


def rank_correlation(x: Ints, y: Ints) -> float | None:
    """Spearman's rho: the correlation of the ranks, -1 to 1; equal values share their mean rank.

    `x` and `y` have shape (n,). None where all values of either are equal (Spearman 1904).
    """
    middle = (len(x) - 1) / 2.0
    a, b = _ranks(x), _ranks(y)
    a -= middle
    b -= middle
    spread = float((a**2).sum()) * float((b**2).sum())
    return float((a * b).sum()) / math.sqrt(spread) if spread > 0 else None


def _ranks(values: Ints) -> Floats:
    """Ranks from 0, shape (n,); equal values share the mean of theirs."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(values)])
    del ordered  # columns of millions of jobs are let go as early as they can be
    many = np.diff(np.append(first, len(values)))
    shared = np.repeat(first + (many - 1) / 2.0, many)
    del first, many
    ranks = np.empty(len(values))
    ranks[order] = shared
    return ranks


def _utilization(
    submit: Ints, wait: Ints, runtime: Ints, procs: Ints, cluster: Cluster, outages: Outages
) -> float | None:
    begin, end = int(submit.min()), int((submit + wait + runtime).max())
    there = processor_seconds(cluster, outages, begin, end)
    return float((procs * runtime).sum(dtype=np.float64)) / there if there > 0 else None
