"""Jobs that a workload adds: the trace with them, as it is simulated, and the schedule of the log's own jobs.

Each added job is like a job of the log and comes with it, just behind it in order of submission.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.schedule.schedule import (
    NO_LOG,
    Decision,
    DecisionLog,
    FurtherRuns,
    PrioritiesAt,
    Schedule,
)
from engine.trace import MISSING, Trace

Ints = NDArray[np.int64]

NOBODY = -1

_NAMES_A_JOB = (Decision.BACKFILLED, Decision.RESERVATION, Decision.PRIORITY, Decision.DEPENDENCY)
"""Kinds of decisions whose value is an index into the trace, or NOBODY."""


@dataclass(frozen=True)
class WithAdded:
    """A trace with its added jobs as jobs of its own: job k is like job `like[k]` of the original trace.

    The original jobs are those at `own`, shape (n,), in their order.
    """

    trace: Trace
    like: Ints
    own: Ints

    def of_log(self, made: Schedule, original: Trace) -> Schedule:
        """The schedule `made` of this trace as one of the original, with runs of added jobs apart.

        Where decisions name an added job, they name the job that it is like.
        """
        own, like = self.own, self.like
        is_own = np.zeros(len(like), np.bool_)
        is_own[own] = True

        def of_own(values: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if values is None else values[own]

        # Runs of added jobs stay as use of the machine, under the job that they are like.
        extra = np.flatnonzero(~is_own & made.ran)
        runs = FurtherRuns(
            like[extra],
            made.start[extra],
            made.end[extra],
            made.pieces.take(extra),
            np.full(len(extra), NOBODY),
        )
        # What failures cut short of an added job is use of the machine by it, as its last run is.
        stopped = made.stopped
        mine, others = np.flatnonzero(is_own[stopped.job]), np.flatnonzero(~is_own[stopped.job])
        by = np.where(stopped.by >= 0, like[stopped.by], NOBODY)
        parts = [
            FurtherRuns(
                like[stopped.job[which]],
                stopped.start[which],
                stopped.end[which],
                stopped.pieces.take(which),
                named,
            )
            for which, named in ((mine, by[mine]), (others, np.full(len(others), NOBODY)))
        ]
        cancelled = made.cancelled_for
        return replace(
            made,
            trace=original,
            start=made.start[own],
            end=made.end[own],
            procs=made.procs[own],
            pieces=made.pieces.take(own),
            came=of_own(made.came),
            stopped=parts[0],
            added=runs.joined(parts[1]) if len(others) else runs,
            cancelled_for=None
            if cancelled is None
            else np.where(cancelled[own] >= 0, like[cancelled[own]], NOBODY),
            log=self._log(made.log, is_own),
            said=None if made.said is None else made.said.of_own(is_own, like),
            priorities=None if made.priorities is None else _OfOwn(made.priorities, made, own),
            estimate=of_own(made.estimate),
            prices_paid=of_own(made.prices_paid),
            fair_start=of_own(made.fair_start),
        )

    def _log(self, log: DecisionLog, is_own: NDArray[np.bool_]) -> DecisionLog:
        """The rows on the original jobs; rows of the heads of queues, which are of no job, stay."""
        if log is NO_LOG:
            return log
        kept = np.flatnonzero(is_own[log.job] | (log.kind == Decision.HEAD))
        kind, value = log.kind[kept], log.value[kept]
        names = np.isin(kind, _NAMES_A_JOB) & (value >= 0)
        value = np.where(names, self.like[np.where(names, value, 0)], value)
        return DecisionLog(log.time[kept], self.like[log.job[kept]], kind, value)


@dataclass(frozen=True)
class _OfOwn:
    """Priorities of the original jobs, by those of the schedule in which added jobs have places, too."""

    inner: PrioritiesAt
    made: Schedule
    own: Ints

    def factors(self, schedule: Schedule, time: int, jobs: Sequence[int]) -> Sequence[Mapping[str, float]]:
        return self.inner.factors(self.made, time, [int(self.own[job]) for job in jobs])


def with_added(trace: Trace) -> WithAdded:
    """The trace with the jobs that its `copies` add; they have no ids, so that no job follows them."""
    assert trace.copies is not None
    copies = trace.copies + 1
    # Each job is followed by its copies at once, so that a copy waits right behind its original.
    like = np.repeat(np.arange(len(trace)), copies)
    first = np.cumsum(copies) - copies
    whole = trace.take(like)
    # A copy has no id that a dependency could name: a missing number, or the name with a plus sign.
    names = np.issubdtype(whole.job_id.dtype, np.integer)
    ids = np.full(len(like), MISSING) if names else np.char.add(whole.job_id.astype(str), "+")
    ids[first] = trace.job_id
    return WithAdded(replace(whole, job_id=ids, copies=None), like, first)
