"""Possible reasons for a job's wait in a schedule without recorded reasons, inferred from starts and ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.schedule.schedule import Schedule
from engine.words import format_seconds, plural

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Inference:
    """The parts of a job's wait (s) that could be inferred from the other jobs of its schedule.

    For `short` s fewer processors were idle than it requested; for `idle` s enough were idle, so the cause is
    not in the log. Their sum is its wait. `passed` jobs were submitted after it and started before it,
    `ahead` jobs were waiting when it was submitted, and its user held `own` processors then.
    """

    short: int
    idle: int
    passed: int
    ahead: int
    own: int

    @property
    def lines(self) -> list[str]:
        """Sentences for users; each states that it is inferred."""
        parts = []
        if self.short:
            parts.append(f"for {format_seconds(self.short)} too few processors seem to have been idle")
        if self.idle:
            parts.append(
                f"for {format_seconds(self.idle)} enough seem to have been idle, so that something else "
                "probably held it: a limit, its priority, a reservation, the nodes or the RAM it needed"
            )
        lines = [f"Inferred, since no reasons were recorded: {'; '.join(parts)}."]
        if self.ahead:
            lines.append(f"Inferred: {plural(self.ahead, 'job')} waited when it came.")
        if self.passed:
            lines.append(f"Inferred: {plural(self.passed, 'job')} that came later started before it.")
        if self.own:
            lines.append(f"Inferred: its user held {plural(self.own, 'processor')} when it came.")
        return lines


def infer_wait(schedule: Schedule, job: int) -> Inference | None:
    """The inferred reasons for the wait of `job`, an index into the trace; None if it did not wait.

    Nodes that were down count as not idle. The time is linear in the number of jobs.
    """
    submit, begin = int(schedule.submit[job]), int(schedule.start[job])
    if not schedule.ran[job] or begin <= submit:
        return None
    start, end = schedule.start, schedule.end
    there = schedule.ran & (start < begin) & (end > submit)
    there[job] = False
    procs = schedule.procs[there]
    # Use at the submission, and its changes until the start.
    times = np.concatenate((np.maximum(start[there], submit), np.minimum(end[there], begin)))
    order = np.argsort(times, kind="stable")
    used = np.cumsum(np.concatenate((procs, -procs))[order])
    edges = np.concatenate(([submit], times[order], [begin]))
    levels = np.concatenate(([0], used))
    levels = levels + _down(schedule, edges[:-1])
    free = schedule.cluster.cpus - levels
    lasting = np.diff(edges)
    enough = int(lasting[free >= schedule.procs[job]].sum())
    waiting = schedule.ran & (schedule.submit <= submit) & (start > submit)
    own = schedule.trace.user.codes == schedule.trace.user.codes[job]
    running = schedule.ran & (start <= submit) & (end > submit)
    return Inference(
        short=begin - submit - enough,
        idle=enough,
        passed=int((schedule.ran & (schedule.turn > schedule.turn[job]) & (start < begin)).sum()),
        ahead=int(waiting.sum()) - 1,
        own=int(schedule.procs[own & running].sum()),
    )


def _down(schedule: Schedule, times: Ints) -> Ints:
    """Processors on nodes that are down at each time, same shape."""
    outages = schedule.outages
    if not len(outages):
        return np.zeros(len(times), np.int64)
    cpus = schedule.cluster.node_cpus()[outages.node].astype(np.int64)
    events = np.concatenate((outages.start, outages.end))
    order = np.argsort(events, kind="stable")
    total = np.concatenate(([0], np.cumsum(np.concatenate((cpus, -cpus))[order])))
    return np.asarray(total[np.searchsorted(events[order], times, "right")], np.int64)
