"""Pieces of all waits of a schedule, each with its reason, as columns: what `explain` tells of one job.

Sums over them tell what the waits of users, accounts or weeks are made of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints
from engine.schedule.schedule import NO_LOG, Decision, Schedule

NO_REASON = -1
"""The kind of a piece before the first pass that considered the job: `explain` has None there."""


@dataclass(frozen=True, eq=False)
class WaitPieces:
    """Pieces of waits, k of them, by job and then by time: those of a job tile its wait exactly.

    Runs that a failure or a preemption cut short are pieces of the wait, too.
    """

    job: Ints  # (k,) index into the trace
    begin: Ints  # (k,) s from the trace's zero
    end: Ints  # (k,) s, later than `begin`
    kind: Ints  # (k,) a Decision from CPUS on, or NO_REASON
    value: Ints  # (k,) as logged at `begin`; of STOPPED -1, of PREEMPTED the job that preempted it

    @property
    def seconds(self) -> Ints:
        """The lengths, shape (k,)."""
        return self.end - self.begin


def keeps_reasons(schedule: Schedule) -> bool:
    """Whether the schedule has reasons of waits: simulated, with its decision log."""
    return schedule.policy.simulated and schedule.log is not NO_LOG


def wait_pieces(schedule: Schedule) -> WaitPieces:
    """The pieces of the waits of all jobs that were run. Raises ValueError for schedules without reasons.

    The time is linear in the rows of the decision log: KTH-SP2 under conservative has 170,000 rows.
    """
    if not keeps_reasons(schedule):
        raise ValueError("this schedule keeps no reasons of waits")
    from engine.row_groups import grouped  # which loads the compiler

    log, stopped = schedule.log, schedule.stopped
    waited = np.flatnonzero(schedule.ran & (schedule.start > schedule.submit))
    told = np.flatnonzero((log.kind >= Decision.CPUS) & (log.kind != Decision.HEAD))
    # A wait begins without a reason, and does so again whenever a run was cut short.
    nothing = np.full(len(waited), NO_REASON), np.full(len(waited), -1)
    cut = np.where(stopped.preempted, Decision.PREEMPTED, Decision.STOPPED)
    again = np.full(len(stopped), NO_REASON), np.full(len(stopped), -1)
    # Of the rows of a second the last holds: the parts are in the order within a second.
    parts = [
        (waited, schedule.submit[waited], *nothing),
        (stopped.job, stopped.end, *again),
        (log.job[told], log.time[told], log.kind[told], log.value[told]),
        (stopped.job, stopped.start, cut, stopped.by),
    ]
    job, time, kind, value = (np.concatenate(column).astype(np.int64) for column in zip(*parts, strict=True))
    if len(stopped):
        order = np.argsort(time, kind="stable")
        order = order[np.argsort(job[order], kind="stable")]
    else:  # the beginnings come before the log, which is in order of time
        order, _ = grouped(job, len(schedule.start))
    job, time, kind, value = job[order], time[order], kind[order], value[order]
    # A reason holds until the next row of the job, the last until its start.
    start = schedule.start[job]
    end = np.minimum(np.append(time[1:], 0), start)
    is_last = np.append(job[1:] != job[:-1], True)[: len(job)]
    end[is_last] = start[is_last]
    there = end > time
    return WaitPieces(job[there], time[there], end[there], kind[there], value[there])
