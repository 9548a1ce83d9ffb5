"""Why jobs of the present queue wait, by the first passes of the plan, and beside that what Slurm says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.logs.queue.state import NEW, QueuedJob
from engine.now.queue_reasons import NOT_KNOWN, reason_word, why_of
from engine.schedule.schedule import Decision, split_short
from engine.schedule.site_limits import PARTS, HeldBy, SiteLimits
from engine.schedule.site_reasons import untried_by_site
from engine.shown_text import shown_name
from engine.shown_values import format_mib
from engine.simulation.log_buffer import decision_log
from engine.slurm.scheduler.state import NOT_STARTED, SiteRun
from engine.words import format_count, format_seconds, plural

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class WaitReason:
    """Why a job waits now: the kind of reason, None where nothing holds it, and a sentence without a stop."""

    kind: Decision | None
    text: str

    @property
    def name(self) -> str:
        """The kind in a word for programs, such as `priority`; `nothing` where nothing holds the job."""
        return "nothing" if self.kind is None else self.kind.name.lower()


@dataclass(frozen=True)
class QueueNames:
    """What reasons name: the jobs of a plan, running ones first, the resources of nodes, the limits, and the
    reservation of each closure, empty where nodes were away.
    """

    jobs: Sequence[QueuedJob]
    resources: tuple[str, ...]
    limits: SiteLimits
    closed_by: tuple[str, ...]


AT_ONCE = WaitReason(None, "nothing holds it: the next pass of the scheduler starts it")


def first_reasons(run: SiteRun, names: QueueNames, first: int) -> list[WaitReason]:
    """The reason of each job from the `first` on, as the queue is now: all jobs before that run.

    A limit that holds a job now goes before what passes say, as these stop at limits of other jobs. Of the
    rows of the first second the last counts, but for a limit that jobs reach which start then. A job without
    a row there has the first that it gets later, if it does not start at once.
    """
    log, rows = decision_log(run.notes.log), dict[int, tuple[int, Decision, int]]()
    columns = (column.tolist() for column in (log.time, log.job, log.kind, log.value))
    for time, job, kind, value in zip(*columns, strict=True):
        if job < first or not Decision(kind).is_reason or (time > 0 and job in rows):
            continue
        if kind != Decision.SITE_LIMIT or job not in rows:
            rows[job] = time, Decision(kind), value
    start, ends = run.state.start // run.rules.ticks, run.jobs.runtime // run.rules.ticks
    running, found = np.arange(len(names.jobs)) < first, list[WaitReason]()
    limits = _Limits(run, names.limits, running)
    for job in range(first, len(names.jobs)):
        held = limits.held(job)
        if held is not None:
            found.append(_told(names, job, Decision.SITE_LIMIT, held, running))
        elif job not in rows or start[job] == 0:
            found.append(AT_ONCE)
        else:
            time, kind, value = rows[job]
            there = (run.state.start != NOT_STARTED) & (start <= time) & (time < start + ends)
            found.append(_told(names, job, kind, value, there))
    return found


class _Limits:
    """The limits of a queue with what its running jobs, (n,), use."""

    def __init__(self, run: SiteRun, limits: SiteLimits, running: Mask) -> None:
        self._bounds, self._limits = run.bounds, limits
        counted = [np.flatnonzero(limits.counted(number) & running) for number in range(len(limits.owner))]
        self._runs = [len(jobs) for jobs in counted]
        self._used = [limits.total[jobs].sum(axis=0) for jobs in counted]

    def held(self, job: int) -> int | None:
        """The limit that holds a job now, as SITE_LIMIT rows name it; None without one."""
        limits, bounds = self._limits, self._bounds
        for row in range(bounds.offset[job], bounds.offset[job + 1]):
            number = int(bounds.bound[row])
            if not bounds.holds[row]:
                continue
            if self._runs[number] >= limits.most_jobs[number]:
                return number * PARTS
            over = np.flatnonzero(self._used[number] + limits.total[job] > limits.most[number])
            if len(over):
                return number * PARTS + 1 + int(over[0])
        return None


def begins_later(job: QueuedJob) -> WaitReason:
    """The reason of a job that is not to begin before its time."""
    return WaitReason(Decision.BEGIN, f"it is not to begin before {format_seconds(job.begin)} are over")


def both_reasons(job: QueuedJob, own: WaitReason) -> str:
    """The reason by the plan, and that of Slurm beside it where it is another one."""
    word, said = reason_word(job), why_of(job)
    if job.job_id == NEW or said == NOT_KNOWN or own.kind in _SAME.get(word, ()):
        return own.text
    if own.kind is Decision.SITE_LIMIT and word.startswith(("qos", "assoc")):
        return own.text
    return f"{own.text}; Slurm says: {said}"


_ROOM = (
    Decision.CPUS,
    Decision.RAM,
    Decision.RESOURCE,
    Decision.NODES,
    Decision.FRAGMENTED,
    Decision.CLEANING,
)
_SAME: dict[str, tuple[Decision, ...]] = {
    "priority": (Decision.PRIORITY, Decision.RESERVATION, Decision.UNTRIED),
    "resources": _ROOM,
    "jobarraytasklimit": (Decision.SITE_LIMIT,),
    "reqnodenotavail": (Decision.CLOSED, Decision.OUTSIDE),
    "reservation": (Decision.CLOSED, Decision.OUTSIDE, Decision.BEGIN),
    "begintime": (Decision.BEGIN,),
}
"""What Slurm says, and the kinds of reasons that say the same with names and numbers."""


def _told(names: QueueNames, job: int, kind: Decision, value: int, running: Mask) -> WaitReason:
    if kind is Decision.SITE_LIMIT:
        return WaitReason(kind, _limit(names, job, value, running))
    return WaitReason(kind, _WORDS[kind](names, job, value))


def _job(names: QueueNames, number: int) -> str:
    """`job 17 of bob`."""
    other = names.jobs[number]
    return f"job {shown_name(other.job_id)}" + (f" of {shown_name(other.user)}" if other.user else "")


def _cpus(names: QueueNames, job: int, value: int) -> str:
    own = names.jobs[job]
    where = f" of partition {shown_name(own.partition)}" if own.partition else ""
    missing = f"{format_count(value)} of them {'is' if value == 1 else 'are'} not free on the nodes{where}"
    return f"it asks for {plural(own.cpus, 'CPU')}, and {missing}"


def _resource(names: QueueNames, job: int, value: int) -> str:
    column, missing = split_short(value)
    name = names.resources[column]
    return f"{_amount(name, missing)} {'is' if missing == 1 or name == 'ram' else 'are'} missing on its nodes"


def _nodes(names: QueueNames, job: int, value: int) -> str:
    return f"{plural(value, 'node')} with enough free on each {'is' if value == 1 else 'are'} missing"


def _priority(names: QueueNames, job: int, value: int) -> str:
    own, other = names.jobs[job].priority, names.jobs[value].priority
    compared = ""
    if own is not None and other is not None and other > own:
        compared = f" (priority {format_count(round(other))} against {format_count(round(own))})"
    return f"{_job(names, value)} goes first{compared}"


def _planned(names: QueueNames, job: int, value: int) -> str:
    return f"the free nodes are planned for {_job(names, value)}, which it would delay"


def _closed(names: QueueNames, job: int, value: int) -> str:
    name = names.closed_by[value]
    return (
        f"nodes are kept for the reservation {shown_name(name)}" if name else "nodes that it needs are away"
    )


def _outside(names: QueueNames, job: int, value: int) -> str:
    return f"its reservation {shown_name(names.closed_by[value])} is not open"


def _begin(names: QueueNames, job: int, value: int) -> str:
    name = names.jobs[job].reservation
    return (
        f"its reservation {shown_name(name)} has not begun" if name else "it is not to begin before its time"
    )


def _limit(names: QueueNames, job: int, value: int, running: Mask) -> str:
    """`account astro uses 40 of 40 CPUs`."""
    held = names.limits.held_by(value)
    if held.sort in ("spent", "ahead"):
        verb = "has used up" if held.sort == "spent" else "may still take"
        return f"{held.owner} {verb} {_amount(held.resource, held.most)} times minutes, all that is allowed"
    used = names.limits.used(held, running)
    if held.sort == "jobs":
        return f"{held.owner} runs {format_count(used)} of {plural(held.most, 'job')}"
    more = int(names.limits.total[job, names.limits.resource.index(held.resource)])
    text = f"{held.owner} uses {_number(held, used)} of {_amount(held.resource, held.most)}"
    return text if used >= held.most else f"{text}, and it asks for {_number(held, more)}"


def _number(held: HeldBy, amount: int) -> str:
    return format_mib(amount) if held.resource == "ram" else format_count(amount)


def _amount(resource: str, amount: int) -> str:
    """`40 CPUs`, `1.5 GiB of RAM`, `2 gpus`."""
    if resource == "ram":
        return f"{format_mib(amount)} of RAM"
    return plural(amount, {"cpus": "CPU", "gpu": "GPU"}.get(resource, resource))


_WORDS: dict[Decision, Callable[[QueueNames, int, int], str]] = {
    Decision.CPUS: _cpus,
    Decision.RESOURCE: _resource,
    Decision.NODES: _nodes,
    Decision.FRAGMENTED: lambda names, job, value: "enough is free, but not on nodes where its tasks can go",
    Decision.CLEANING: lambda names, job, value: "nodes are still cleaned up after other jobs",
    Decision.PRIORITY: _priority,
    Decision.RESERVATION: _planned,
    Decision.CLOSED: _closed,
    Decision.OUTSIDE: _outside,
    Decision.UNTRIED: lambda names, job, value: untried_by_site({value: 1}),
    Decision.BEGIN: _begin,
    Decision.UNTOLD: lambda names, job, value: NOT_KNOWN,
}
