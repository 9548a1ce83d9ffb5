"""The distance of a simulated schedule from the recorded schedule."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints, Mask
from engine.machine.cluster import Cluster
from engine.machine.outages import Outages
from engine.metrics.available_capacity import processor_seconds
from engine.schedule.ranks import rank_correlation
from engine.schedule.schedule import Schedule


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
    # Copies of large columns are saved where all starts are known, which is the usual case.
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


def _utilization(
    submit: Ints, wait: Ints, runtime: Ints, procs: Ints, cluster: Cluster, outages: Outages
) -> float | None:
    begin, end = int(submit.min()), int((submit + wait + runtime).max())
    there = processor_seconds(cluster, outages, begin, end)
    return float((procs * runtime).sum(dtype=np.float64)) / there if there > 0 else None
