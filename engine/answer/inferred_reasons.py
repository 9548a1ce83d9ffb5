"""Possible reasons for a job's wait in a schedule of others, inferred from starts and ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.schedule.eligible import wait_in_queue_from
from engine.schedule.schedule import NO_LOG, Schedule

_NAMED = 5
"""Most jobs that are named as started past a job."""

_NAMED_ALONE = "the log names reasons, but not for how long these lasted"


@dataclass(frozen=True)
class Inference:
    """The parts for a job's wait (s) that could be inferred from the other jobs of its schedule.

    For `short` s fewer processors were idle than it requested; for `ram_short` s enough processors, but less
    RAM than it requested; for `idle` s enough of both, so the cause is not in the log. Before, for `barred` s
    it was held, was not to begin yet or followed a job that ran, as its log says. Their sum is its wait.
    `passed` jobs were submitted after it and started before it; `first_passed` are the first of these to
    start, indices into the trace. `ahead` jobs were waiting when it was submitted, and its user held `own`
    processors then. `untold` says why the schedule has no reasons; `reason` is the one that the log names for
    its own wait, or empty.
    """

    short: int
    ram_short: int
    idle: int
    passed: int
    first_passed: tuple[int, ...]
    ahead: int
    own: int
    barred: int = 0
    reason: str = ""
    untold: str = "no reasons were recorded"


def names_reasons(schedule: Schedule) -> NDArray[np.bool_]:
    """The jobs for which the log of a recorded schedule names a reason, (n,); of other schedules none."""
    reason = schedule.trace.reason if schedule.policy.recorded else None
    if reason is None:
        return np.zeros(len(schedule.submit), np.bool_)
    named = np.array([bool(_given(name)) for name in reason.names], np.bool_)
    return np.asarray(named[reason.codes], np.bool_)


def why_untold(schedule: Schedule) -> str:
    """Why a schedule has no reasons for waits, to follow `since`; empty if it has."""
    if not schedule.policy.simulated:
        # The log's word stands beside what is inferred: it must not be denied there.
        return _NAMED_ALONE if names_reasons(schedule).any() else "no reasons were recorded"
    return "this run was simulated without keeping reasons" if schedule.log is NO_LOG else ""


def infer_wait(schedule: Schedule, job: int) -> Inference | None:
    """The inferred reasons for the wait of `job`, an index into the trace; None if it did not wait.

    Nodes that were down count as not idle. The time is linear in the number of jobs.
    """
    submit, begin = int(schedule.submit[job]), int(schedule.start[job])
    if not schedule.ran[job] or begin <= submit:
        return None
    trace, start, end = schedule.trace, schedule.start, schedule.end
    there = schedule.ran & (start < begin) & (end > submit)
    there[job] = False
    # Use at the submission, and its changes until the start, also by nodes that fail and come back.
    failing = np.concatenate((schedule.outages.start, schedule.outages.end))
    failing = failing[(failing > submit) & (failing < begin)]
    times = np.concatenate((np.maximum(start[there], submit), np.minimum(end[there], begin), failing))
    order = np.argsort(times, kind="stable")
    edges = np.concatenate(([submit], times[order], [begin]))
    # Only what is idle while the job is in the queue is idle beside it.
    queued = int(wait_in_queue_from(schedule)[job])
    lasting = np.diff(np.maximum(edges, queued))
    used = _levels(schedule.procs[there], order) + _down(schedule, edges[:-1])
    enough = schedule.cluster.cpus - used >= schedule.procs[job]
    ram = np.maximum(trace.ram, 0)
    fits = np.ones(len(lasting), np.bool_)
    if schedule.cluster.ram is not None:
        fits = schedule.cluster.ram - _levels(ram[there], order) >= ram[job]
    # The job itself is among those that wait from its submission on.
    waiting = schedule.ran & (schedule.submit <= submit) & (start > submit)
    of_user = trace.user.codes == trace.user.codes[job]
    running = schedule.ran & (start <= submit) & (end > submit)
    passed = np.flatnonzero(schedule.ran & (schedule.turn > schedule.turn[job]) & (start < begin))
    reason = trace.reason if schedule.policy.recorded else None  # it is of the recorded wait alone
    named = _given(reason.names[reason.codes[job]]) if reason is not None else ""
    untold = why_untold(schedule) or "no reasons were recorded"
    if untold == _NAMED_ALONE and not named:
        untold = "the log names no reason for it"
    return Inference(
        short=int(lasting[~enough].sum()),
        ram_short=int(lasting[enough & ~fits].sum()),
        idle=int(lasting[enough & fits].sum()),
        passed=len(passed),
        first_passed=tuple(passed[np.argsort(start[passed], kind="stable")][:_NAMED].tolist()),
        ahead=int(waiting.sum()) - 1,
        own=int(schedule.procs[of_user & running].sum()),
        barred=queued - submit,
        reason=named,
        untold=untold,
    )


def _given(reason: str) -> str:
    """The reason, or nothing where it says that there is none."""
    return "" if reason.lower() in ("none", "unknown", "n/a") else reason


def _levels(amounts: Ints, order: Ints) -> Ints:
    """The sum of what jobs hold from each time on: all their starts, then all their ends, in this order.

    Further times, of changes of nodes, come after both.
    """
    none = np.zeros(len(order) - 2 * len(amounts), np.int64)
    changes = np.concatenate((amounts, -amounts, none))[order]
    return np.concatenate(([0], np.cumsum(changes)))


def _down(schedule: Schedule, times: Ints) -> Ints:
    """Processors on nodes that are down at each time, same shape."""
    outages = schedule.outages
    if not len(outages):
        return np.zeros(len(times), np.int64)
    cpus = schedule.cluster.node_cpus()[outages.node].astype(np.int64)
    events = np.concatenate((outages.start, outages.end))
    order = np.argsort(events, kind="stable")
    # Processors that are down after each event.
    total = np.concatenate(([0], np.cumsum(np.concatenate((cpus, -cpus))[order])))
    return np.asarray(total[np.searchsorted(events[order], times, "right")], np.int64)
