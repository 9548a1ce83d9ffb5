"""What waits are made of: seconds by kind of reason, over groups of jobs.

A simulated schedule logs its reasons. Of a log's own schedule they are inferred: a job waited for room while
less was free than it asked for, and for something else while enough was. Where the log says that it was held,
was not to begin yet or depended on another job, it waited for that, whatever was free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Floats, Ints, Mask
from engine.errors import InputError
from engine.metrics.hours import weeks
from engine.metrics.idle_waits import seconds_short
from engine.schedule.eligible import wait_in_queue_from
from engine.schedule.responses import measured
from engine.schedule.schedule import Decision, Schedule
from engine.schedule.wait_pieces import NO_REASON, WaitPieces, keeps_reasons, wait_pieces
from engine.trace import Names, Trace
from engine.words import clip, plural

if TYPE_CHECKING:
    from pandas import DataFrame


KINDS: Mapping[str, tuple[int, ...]] = {
    "resources": (
        *(Decision.CPUS, Decision.RAM, Decision.RESOURCE, Decision.NODES),
        *(Decision.FRAGMENTED, Decision.CLEANING, Decision.POWER),
    ),
    "priority": (Decision.BEHIND, Decision.PRIORITY),
    "limits": (Decision.LIMIT, Decision.SITE_LIMIT),
    "reservations": (Decision.RESERVATION, Decision.CLOSED, Decision.OUTSIDE),
    "dependencies": (Decision.DEPENDENCY,),
    "not reached": (Decision.UNTRIED,),
    "held": (Decision.HELD, Decision.BEGIN, Decision.PRICE),
    "stopped runs": (Decision.STOPPED, Decision.PREEMPTED),
    "next pass": (NO_REASON,),
    "not known": (Decision.UNTOLD,),
}
"""The kinds of reasons that are told apart, in the order in which they are shown: what of the log each is."""

MEANINGS: Mapping[str, str] = {
    "resources": "processors, RAM, GPUs, nodes or power were not free, or not where the job could use them",
    "priority": "jobs that went first had no room either",
    "limits": "a limit of its user, account, partition or QOS held it",
    "reservations": "what was free was kept for the planned start of another job, or for a reservation",
    "dependencies": "it depended on a job that had not ended",
    "not reached": "a pass of the scheduler looked at so many jobs only, or planned so far only",
    "held": "it was held, not to begin yet, waited for cheap energy, or its partition was down",
    "stopped runs": "it ran, and was stopped by a failure or for another job",
    "next pass": "no pass of the scheduler had looked at it yet",
    "not known": "enough seems to have been free, and something else held it, or the log says no more",
}

_REASONS: Mapping[str, str] = {
    "dependency": "dependencies",
    "begintime": "held",
    "held": "held",
    "partitiondown": "held",
    "partitioninactive": "held",
    "reservation": "reservations",
    "reqnodenotavail": "reservations",
    "limit": "limits",
    "assoc": "limits",
    "qos": "limits",
    "priority": "priority",
    "resources": "resources",
}
"""What a part of Slurm's reasons in a log means: the last one that a job had before it started."""

BY: Mapping[str, Callable[[Trace], Names]] = {
    "account": lambda trace: trace.group,
    "partition": lambda trace: trace.queue,
    "user": lambda trace: trace.user,
    "week": weeks,
}
"""How jobs are grouped: weeks are those of submissions, from Monday on, on the machine's clock."""


@dataclass(frozen=True, eq=False)
class GroupWaits:
    """The waits of g groups of jobs by kind of reason; of the jobs that waited, no others count.

    `names` are those of each group by each field of `by`, `jobs` and `seconds`, (g,), its jobs that waited
    and their waits together, and `parts`, (g, kinds), what these are made of; a row sums to its wait. Groups
    are in order of waits, the longest first, or of time where they are weeks. `inferred`: by what seems to
    have been free, since no reasons were recorded. `measured` are the jobs that count, shape (n,), if not
    all.
    """

    by: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    jobs: Ints
    seconds: Ints
    parts: Ints
    inferred: bool
    measured: Mask | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of reasons, a column of `parts` each."""
        return tuple(KINDS)

    def __repr__(self) -> str:
        groups, jobs = plural(len(self.names), "group"), plural(int(self.jobs.sum()), "job")
        return f"<waits by {', '.join(self.by)}: {groups} of {jobs} that waited>"

    @property
    def table(self) -> DataFrame:
        """The groups as a pandas table, with the shares of the kinds, from 0 to 1."""
        import pandas as pd

        groups = {field: [names[k] for names in self.names] for k, field in enumerate(self.by)}
        shares = dict(zip(self.kinds, self.shares.T, strict=True))
        return pd.DataFrame({**groups, "jobs": self.jobs, "wait_s": self.seconds, **shares})

    @property
    def shown(self) -> tuple[int, ...]:
        """The columns of `parts` in which there is anything."""
        return tuple(np.flatnonzero(self.parts.sum(axis=0)).tolist())

    @property
    def shares(self) -> Floats:
        """The parts of each wait, from 0 to 1, (g, kinds); they sum to 1."""
        return self.parts / np.maximum(self.seconds, 1)[:, None]


def usual_by(trace: Trace) -> str:
    """How jobs are grouped unless asked for: by account, partition or user, the first that has several."""
    return next((name for name in ("account", "partition") if len(BY[name](trace).names) > 1), "user")


def parse_by(text: str) -> tuple[str, ...]:
    """The groupings of `account,week`. Raises InputError for one that is not known."""
    by = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    if unknown := [name for name in by if name not in BY]:
        raise InputError(f"waits by {clip(text)}: {clip(unknown[0])!r} is none of {', '.join(BY)}")
    return by


def waits_of(schedule: Schedule, by: Sequence[str] = ("account",), jobs: Mask | None = None) -> GroupWaits:
    """The waits of the jobs that were run, of `jobs` (n,) where given, by these groups of BY."""
    trace, chosen = schedule.trace, measured(schedule, jobs)
    of_job, inferred = seconds_by_kind(schedule)
    waited = np.flatnonzero(chosen & (schedule.start > schedule.submit))
    columns = [BY[name](trace) for name in by]
    codes = np.stack([column.codes[waited].astype(np.int64) for column in columns])
    groups, number = np.unique(codes, axis=1, return_inverse=True)
    groups_count = groups.shape[1] if len(waited) else 0
    parts = np.zeros((groups_count, len(KINDS)), np.int64)
    np.add.at(parts, number.reshape(-1), of_job[waited])
    seconds = parts.sum(axis=1)
    # Weeks stay in order of time; other groups are in order of what they waited.
    order = np.argsort(-seconds, kind="stable")
    if "week" in by:
        order = order[np.argsort(groups[by.index("week")][order], kind="stable")]
    names = tuple(
        tuple(column.names[code] for column, code in zip(columns, groups[:, k].tolist(), strict=True))
        for k in order.tolist()
    )
    count = np.bincount(number.reshape(-1), minlength=groups_count)
    return GroupWaits(tuple(by), names, count[order], seconds[order], parts[order], inferred, jobs)


def seconds_by_kind(schedule: Schedule) -> tuple[Ints, bool]:
    """Seconds of each job's wait by kind, (n, kinds), 0 of jobs that were not run; and if they are inferred.

    The time is that of a sort of the log's rows, or of one of the starts for each size of jobs.
    """
    seconds = np.zeros((len(schedule.trace), len(KINDS)), np.int64)
    if keeps_reasons(schedule):
        pieces = wait_pieces(schedule)
        np.add.at(seconds, (pieces.job, _column_of(pieces)), pieces.seconds)
        return seconds, False
    wait = np.where(schedule.ran, np.maximum(schedule.start - schedule.submit, 0), 0)
    short, every, told = seconds_short(schedule), np.arange(len(wait)), _told_by_log(schedule)
    seconds[:, list(KINDS).index("resources")] = short
    # What the log says of the time before the queue is sure; the rest is only what room does not explain.
    barred = np.where(schedule.ran, wait_in_queue_from(schedule) - schedule.submit, 0)
    seconds[every, _kind_of_hold(schedule, told)] += barred
    seconds[every, told] += wait - barred - short
    return seconds, True


def _kind_of_hold(schedule: Schedule, told: Ints) -> Ints:
    """The place in KINDS of what barred each job; a log may tell the time and not the cause."""
    held, dependent = (list(KINDS).index(kind) for kind in ("held", "dependencies"))
    usual = np.where(schedule.trace.preceding > 0, dependent, held)
    return np.where(np.isin(told, (held, dependent)), told, usual)


def _told_by_log(schedule: Schedule) -> Ints:
    """The place in KINDS of the reason that the log itself names for each job, `not known` without one."""
    reason = schedule.trace.reason
    places, unknown = {kind: place for place, kind in enumerate(KINDS)}, list(KINDS).index("not known")
    if reason is None or not schedule.policy.recorded:
        return np.full(len(schedule.trace), unknown, np.int64)
    words = [name.lower().replace("_", "") for name in reason.names]
    kinds = [next((kind for part, kind in _REASONS.items() if part in word), "not known") for word in words]
    return np.array([places[kind] for kind in kinds], np.int64)[reason.codes]


def _column_of(pieces: WaitPieces) -> Ints:
    """The place in KINDS of each piece."""
    column = np.full(max(Decision) + 2, list(KINDS).index("not known"), np.int64)
    for place, kinds in enumerate(KINDS.values()):
        column[[kind - NO_REASON for kind in kinds]] = place  # NO_REASON is the least of them, -1
    return np.asarray(column[pieces.kind - NO_REASON], np.int64)
