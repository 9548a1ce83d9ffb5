"""How long jobs waited while less was free than they asked for, of all jobs of a schedule at once.

It is what `engine.answer.inferred_reasons.infer_wait` finds for one job, by the same definition.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.schedule.eligible import wait_in_queue_from
from engine.schedule.schedule import Schedule


def seconds_short(schedule: Schedule) -> Ints:
    """Seconds of each job's wait in the queue while too few processors or too little RAM was free, (n,).

    While it was held or depended on another job, by its log, it did not wait for room.

    Nodes that were down count as not free. Jobs of one size are looked up together in one sum over time, so
    that the time is linear in the number of events, for each size of jobs.
    """
    trace, cluster = schedule.trace, schedule.cluster
    ran = schedule.ran & (schedule.end > schedule.start)
    ram = np.maximum(trace.ram, 0)
    outages = schedule.outages
    down = cluster.node_cpus()[outages.node].astype(np.int64) if len(outages) else np.zeros(0, np.int64)
    procs, start, end = schedule.procs[ran], schedule.start[ran], schedule.end[ran]
    # Starts take and ends give back; nodes that fail count as taken.
    event = np.concatenate((start, end, outages.start, outages.end))
    cpus = np.concatenate((procs, -procs, down, -down))
    held = np.concatenate((ram[ran], -ram[ran], np.zeros(2 * len(outages), np.int64)))
    order = np.argsort(event, kind="stable")
    times = event[order]
    # The use from each event on.
    used, ram_used = np.cumsum(cpus[order]), np.cumsum(held[order])
    lasting = np.diff(times, append=times[-1:])
    short = np.zeros(len(trace), np.int64)
    came = wait_in_queue_from(schedule)
    waited = np.flatnonzero(schedule.ran & (schedule.start > schedule.submit))
    limits_ram = cluster.ram is not None
    sizes = np.column_stack([schedule.procs, ram if limits_ram else np.zeros_like(ram)])[waited]
    # Jobs of the same size are short of the same things at the same times.
    kinds, number = np.unique(sizes, axis=0, return_inverse=True)
    by_size = np.argsort(number.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(number.reshape(-1), minlength=len(kinds)))
    for k, (asked, asked_ram) in enumerate(kinds.tolist()):
        jobs = waited[by_size[(ends[k - 1] if k else 0) : ends[k]]]
        full = cluster.cpus - used < asked
        if cluster.ram is not None:
            full |= cluster.ram - ram_used < asked_ram
        # Before the first event nothing is used, and what is short then is so all the time.
        until = np.concatenate(([0], np.cumsum(np.where(full, lasting, 0))))
        # The time within a wait is a difference of sums at its ends.
        short[jobs] = _at(schedule.start[jobs], times, until, full) - _at(came[jobs], times, until, full)
    return short


def _at(moment: Ints, times: Ints, until: Ints, full: NDArray[np.bool_]) -> Ints:
    """The seconds that were full before each moment, given the sums `until` each event."""
    place = np.searchsorted(times, moment, "right") - 1
    since = np.where(place >= 0, moment - times[np.maximum(place, 0)], 0)
    return np.asarray(
        until[np.maximum(place, 0)] + np.where((place >= 0) & full[np.maximum(place, 0)], since, 0), np.int64
    )
