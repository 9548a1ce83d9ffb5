"""A job asked for differently, and when it would then have run: measured by simulating the log again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.claims.advice import is_worth
from engine.policy.policy import Policy
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.trace import MISSING, Names, Pieces, Trace
from engine.words import format_count, format_seconds, plural

_ROUND = 300
"""Proposed walltimes are multiples of this, s."""

_MOST_QUEUES = 3
_LEAST_SHARE = 0.01
"""Other queues that are tried have at least this share of the jobs."""


@dataclass(frozen=True, eq=False)
class ChangedRequest:
    """A changed request of a job: the change in words, and the log with only this job changed."""

    text: str
    trace: Trace


@dataclass(frozen=True)
class Outcome:
    """The start and end that a changed job would have had, s, and how much earlier these are.

    `sooner` and `done_sooner` are negative where it would have been later. Of a waiting job the start is the
    planned one, s from now, None where it would never start, and its end is not known. `wait` is that of the
    job as it is, s; of a waiting job from now on.
    """

    text: str
    start: int | None
    end: int | None
    sooner: int | None
    done_sooner: int | None
    wait: int = 0

    @property
    def gain(self) -> int | None:
        """How much earlier the job would have ended, s, or else started; None where neither is known."""
        return self.sooner if self.done_sooner is None else self.done_sooner

    @property
    def helps(self) -> bool:
        """True if the job would have ended earlier, or would start earlier, by more than a little, or start
        at all.
        """
        if self.gain is None:  # a waiting job that has no planned start as it is
            return self.start is not None
        return is_worth(self.gain, self.wait)


def changes_of(schedule: Schedule, job: int) -> list[ChangedRequest]:
    """Other requests that the user of a job, an index into the trace, could have made.

    A walltime closer to the runtime, half the walltime, half the processors for twice as long (assuming the
    same speed on each), and, if the policy uses queues, each of the other large queues.
    """
    trace = schedule.trace
    changes = [*_walltimes(trace, job), *narrower(trace, job)]
    if uses_queues(schedule.policy):
        changes += other_queues(trace, job)
    return changes


def outcome_of(
    schedule: Schedule, job: int, change: ChangedRequest, control: Control | None = None
) -> Outcome | None:
    """The changed job under the same policy on the same machine; None where it is not run there.

    Raises Cancelled.
    """
    from engine.simulation.run import simulate

    other = simulate(change.trace, schedule.cluster, schedule.policy, control=control)
    if not other.ran[job]:
        return None
    start, end = int(other.start[job]), int(other.end[job])
    sooner, done_sooner = int(schedule.start[job]) - start, int(schedule.end[job]) - end
    return Outcome(change.text, start, end, sooner, done_sooner, int(schedule.wait[job]))


def uses_queues(policy: Policy) -> bool:
    """True if a job's queue matters under a policy."""
    if policy.site is not None:
        return True
    limits = policy.max_queue_cpus is not None or bool(policy.queue_limits)
    weighed = policy.order == "priority" and "queue" in policy.weights
    return (
        policy.site is not None
        or limits
        or weighed
        or policy.order == "queues"
        or "queue" in policy.score_names
    )


def shorter(trace: Trace, job: int, walltime: int) -> ChangedRequest:
    """The job with a walltime of so many s, rounded up to a proposed one."""
    walltime = -(-walltime // _ROUND) * _ROUND
    text = f"a walltime of {format_seconds(walltime)} instead of {format_seconds(int(trace.walltime[job]))}"
    return ChangedRequest(text, replace(trace, walltime=_with(trace.walltime, job, walltime)))


def _walltimes(trace: Trace, job: int) -> list[ChangedRequest]:
    asked, ran = int(trace.walltime[job]), int(trace.runtime[job])
    if asked == MISSING:
        return []
    # A half of the walltime, and what the job needed with a tenth to spare.
    changes = {
        int(change.trace.walltime[job]): change
        for change in (shorter(trace, job, -(-asked // 2)), shorter(trace, job, -(-(ran * 11) // 10)))
    }
    return [change for walltime, change in changes.items() if ran <= walltime < asked]


def narrower(trace: Trace, job: int) -> list[ChangedRequest]:
    """Half the processors, if the job has a single group of tasks that can be halved."""
    tasks, procs = slice(*trace.tasks.offset[job : job + 2].tolist()), int(trace.procs[job])
    width = tasks.stop - tasks.start
    if procs < 2 or width > 1:
        return []
    fewer = -(-procs // 2)
    columns = dict(trace.tasks.columns)
    # Fewer tasks are offered before smaller tasks: a program that scales needs no change for them.
    if width == 1:
        count, cpus = int(columns["count"][tasks.start]), int(columns["cpus"][tasks.start])
        if count >= 2:
            columns["count"] = _with(columns["count"], tasks.start, -(-count // 2))
            fewer = -(-count // 2) * cpus
        elif cpus >= 2:
            columns["cpus"] = _with(columns["cpus"], tasks.start, -(-cpus // 2))
            fewer = -(-cpus // 2)
        if fewer >= procs:
            return []
    # The work stays the same: less processors, more time, by the request and by the runtime.
    longer = {
        name: _with(column, job, -(-int(column[job]) * procs // fewer))
        for name, column in (("runtime", trace.runtime), ("walltime", trace.walltime))
        if column[job] != MISSING
    }
    text = f"{plural(fewer, 'processor')} instead of {format_count(procs)}, running longer in proportion"
    changed = replace(
        trace,
        procs=_with(trace.procs, job, fewer),
        tasks=Pieces(trace.tasks.offset, columns),
        runtime=longer["runtime"],
        walltime=longer.get("walltime", trace.walltime),
    )
    return [ChangedRequest(text, changed)]


def other_queues(trace: Trace, job: int) -> list[ChangedRequest]:
    """The same job in each of the other queues that many jobs are in, the largest first."""
    queue = trace.queue
    jobs = np.bincount(queue.codes, minlength=len(queue.names))
    order = [code for code in np.argsort(-jobs, kind="stable").tolist() if code != queue.codes[job]]
    large = [code for code in order if jobs[code] >= _LEAST_SHARE * len(trace)][:_MOST_QUEUES]
    changes = []
    for code in large:
        codes = queue.codes.copy()
        codes[job] = code
        text = f"queue {queue.shown[code]} instead of {queue.shown[queue.codes[job]]}"
        changes.append(ChangedRequest(text, replace(trace, queue=Names(codes, queue.names))))
    return changes


def _with(column: NDArray[np.int64], place: int, value: int) -> NDArray[np.int64]:
    changed = column.copy()
    changed[place] = value
    return changed
