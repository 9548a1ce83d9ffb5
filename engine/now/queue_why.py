"""Why jobs of the present queue wait, by the first passes of the plan, and beside that what Slurm says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Mask
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Sure, Unit
from engine.claims.holds import HoldRelation
from engine.claims.words import plain, render
from engine.logs.queue.state import NEW, QueuedJob
from engine.now.queue_reasons import NOT_KNOWN, reason_word, slurm_claim, why_of
from engine.schedule.schedule import Decision, split_short
from engine.schedule.site_limits import PARTS, HeldBy, SiteLimits
from engine.schedule.site_reasons import minutes_of, qualities_in_words, resource_of, untried_by_site
from engine.shown_text import shown_name
from engine.simulation.log_buffer import decision_log
from engine.slurm.scheduler.state import NOT_STARTED, SiteRun

_REASONS = np.array([kind for kind in Decision if kind.is_reason], np.int8)
"""The kinds of rows that say why a job waits."""


@dataclass(frozen=True)
class WaitReason:
    """Why a job waits now: the kind of reason, None where nothing holds it, and the claim that says it."""

    kind: Decision | None
    claim: Claim

    @property
    def text(self) -> str:
        """A sentence without a stop."""
        return plain(render(self.claim))

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


def at_once(jobs: Sequence[QueuedJob], job: int) -> WaitReason:
    """The reason of a job of a plan, by its place in that, which nothing holds."""
    return WaitReason(None, _claim(jobs, job, HoldRelation.NOTHING))


def first_reasons(run: SiteRun, names: QueueNames, first: int) -> list[WaitReason]:
    """The reason of each job from the `first` on, as the queue is now: all jobs before that run.

    A limit that holds a job now goes before what passes say, as these stop at limits of other jobs. Of the
    rows of the first second the last counts, but for a limit that jobs reach which start then. A job without
    a row there has the first that it gets later, if it does not start at once.
    """
    log, rows = decision_log(run.notes.log), dict[int, tuple[int, Decision, int]]()
    told = np.isin(log.kind, _REASONS) & (log.job >= first)
    # Of what the rest of the plan says only the first row of each job counts: some of many thousand.
    later = np.flatnonzero(told & (log.time > 0))
    later = later[np.unique(log.job[later], return_index=True)[1]]
    for row in (*np.flatnonzero(told & (log.time <= 0)), *np.sort(later)):
        time, job, kind = int(log.time[row]), int(log.job[row]), Decision(int(log.kind[row]))
        if (time <= 0 or job not in rows) and (kind != Decision.SITE_LIMIT or job not in rows):
            rows[job] = time, kind, int(log.value[row])
    # In seconds, as rows of the log are.
    start, ends = run.state.start // run.rules.ticks, run.jobs.runtime // run.rules.ticks
    running, reasons = np.arange(len(names.jobs)) < first, list[WaitReason]()
    limits = _Limits(run, names.limits, running)
    for job in range(first, len(names.jobs)):
        # A limit that is full now is the plainest reason, whatever the log says of later.
        held = limits.held(job)
        if held is not None:
            reasons.append(told_of_row(names, job, Decision.SITE_LIMIT, held, running))
        elif job not in rows or start[job] == 0:
            reasons.append(at_once(names.jobs, job))
        else:
            time, kind, value = rows[job]
            there = running
            if kind is Decision.SITE_LIMIT:  # what is used of it depends on who runs by then
                there = (run.state.start != NOT_STARTED) & (start <= time) & (time < start + ends)
            reasons.append(told_of_row(names, job, kind, value, there))
    return reasons


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
        # In the order in which the kernel tests them, so that the same limit is named.
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


def begins_later(jobs: Sequence[QueuedJob], job: int) -> WaitReason:
    """The reason of a job of a plan, by its place in that, which is not to begin before its time."""
    left = ClaimQuantity("left", jobs[job].begin, Unit.SECONDS)
    return WaitReason(Decision.BEGIN, _claim(jobs, job, HoldRelation.BEGINS_IN, [left]))


def depends(jobs: Sequence[QueuedJob], job: int, why: str) -> WaitReason:
    """The reason of a job of a plan, by its place in that, which waits for another job: `why` in words."""
    named = NamedThing("why", why, ClaimPlace("jobs", job))
    return WaitReason(Decision.DEPENDENCY, _claim(jobs, job, HoldRelation.DEPENDENCY, (), [named]))


def both_reasons(job: QueuedJob, planned: WaitReason) -> str:
    """The reason by the plan, and that of Slurm beside it where it is another one."""
    word, said = reason_word(job), why_of(job)
    if job.job_id == NEW or said == NOT_KNOWN or planned.kind in _SAME.get(word, ()):
        return planned.text
    if planned.kind is Decision.SITE_LIMIT and word.startswith(("qos", "assoc")):
        return planned.text
    return f"{planned.text}; {plain(render(slurm_claim(job)))}"


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


def _claim(
    jobs: Sequence[QueuedJob],
    job: int,
    relation: HoldRelation,
    quantities: Sequence[ClaimQuantity] = (),
    about: Sequence[NamedThing] = (),
) -> Claim:
    """A claim on a job of a plan, by its place in that; other jobs that it names are evidence."""
    place = ClaimPlace("jobs", job)
    subject = NamedThing("subject", f"job {shown_name(jobs[job].job_id)}", place)
    submit = -(jobs[job].waited or 0)
    others = tuple(each.place for each in about if each.place != place)
    alone, sure = Population(1, submit, submit), Sure.PLANNED
    return Claim(subject, relation, tuple(quantities), tuple(about), alone, (place, *others), sure)


def told_of_row(names: QueueNames, job: int, kind: Decision, value: int, running: Mask) -> WaitReason:
    """What a row of a plan's decision log says of a job, by its place there, while these jobs run, (n,)."""
    if kind is Decision.SITE_LIMIT:
        relation, quantities, about = _limit(names, job, value, running)
    else:
        relation, quantities, about = _SAID[kind](names, job, value)
    return WaitReason(kind, _claim(names.jobs, job, relation, quantities, about))


_Said = tuple[HoldRelation, Sequence[ClaimQuantity], Sequence[NamedThing]]


def _other(names: QueueNames, number: int) -> NamedThing:
    """`job 17 of bob`."""
    other = names.jobs[number]
    of_user = f" of {shown_name(other.user)}" if other.user else ""
    return NamedThing("job", f"job {shown_name(other.job_id)}{of_user}", ClaimPlace("jobs", number))


def _own(role: str, name: str, job: int) -> NamedThing:
    """A thing of the job itself, such as its partition, which is seen there."""
    return NamedThing(role, name, ClaimPlace("jobs", job))


def _cpus(names: QueueNames, job: int, value: int) -> _Said:
    queued = names.jobs[job]
    said = [ClaimQuantity("asked", queued.cpus, Unit.CPUS), ClaimQuantity("missing", value, Unit.COUNT)]
    if not queued.partition:
        return HoldRelation.PROCESSORS, said, []
    partition = _own("partition", f"partition {shown_name(queued.partition)}", job)
    return HoldRelation.PROCESSORS_OF_PARTITION, said, [partition]


def _resource(names: QueueNames, job: int, value: int) -> _Said:
    column, missing = split_short(value)
    name = names.resources[column]
    if name == "ram":
        return HoldRelation.RAM, [ClaimQuantity("missing", missing, Unit.MIB)], []
    resource = _own("resource", resource_of(name, missing), job)
    return HoldRelation.RESOURCE, [ClaimQuantity("missing", missing, Unit.COUNT)], [resource]


def _nodes(names: QueueNames, job: int, value: int) -> _Said:
    return HoldRelation.NODES, [ClaimQuantity("missing", value, Unit.NODES)], []


def _priority(names: QueueNames, job: int, value: int) -> _Said:
    priority, other = names.jobs[job].priority, names.jobs[value].priority
    first = [_other(names, value)]
    if priority is None or other is None or other <= priority:
        return HoldRelation.BEHIND, [], first
    priorities = [
        ClaimQuantity("higher", round(other), Unit.COUNT),
        ClaimQuantity("own", round(priority), Unit.COUNT),
    ]
    return HoldRelation.BEHIND_BY_PRIORITY, priorities, first


def _closed(names: QueueNames, job: int, value: int) -> _Said:
    name = names.closed_by[value]
    if not name:
        return HoldRelation.AWAY, [], []
    return HoldRelation.KEPT, [], [_own("reservation", shown_name(name), job)]


def _outside(names: QueueNames, job: int, value: int) -> _Said:
    return HoldRelation.NOT_OPEN, [], [_own("reservation", shown_name(names.closed_by[value]), job)]


def _begin(names: QueueNames, job: int, value: int) -> _Said:
    name = names.jobs[job].reservation
    if not name:
        return HoldRelation.BEGINS_LATER, [], []
    return HoldRelation.NOT_BEGUN, [], [_own("reservation", shown_name(name), job)]


def _untried(names: QueueNames, job: int, value: int) -> _Said:
    return HoldRelation.NOT_REACHED, [], [_own("why", untried_by_site({value: 1}), job)]


def _limit(names: QueueNames, job: int, value: int, running: Mask) -> _Said:
    """`account astro uses 40 of 40 CPUs`."""
    held = names.limits.held_by(value)
    owner = _own("owner", held.owner, job)
    # Limits of jobs, of amounts at one time, and of amounts times time are told in different words.
    if held.sort == "jobs":
        runs = ClaimQuantity(
            "used", names.limits.used(held, names.limits.amounts(held) * running), Unit.COUNT
        )
        counts = [runs, ClaimQuantity("most", held.most, Unit.JOBS)]
        # More than the limit may run, as a quality of service may free its jobs from it: then it is told
        # which does.
        more = _passed(names, job, held, running, Unit.COUNT) if runs.value > held.most else None
        if more is not None:
            return HoldRelation.JOBS_PASSED, [*counts, more[0]], [owner, more[1]]
        return HoldRelation.JOBS_OF_OWNER, counts, [owner]
    unit = Unit.MIB if held.resource == "ram" else Unit.COUNT
    most = ClaimQuantity("most", held.most, unit)
    if held.sort in ("spent", "ahead"):
        about = [owner, _own("resource", minutes_of(held.resource), job)]
        return HoldRelation.SPENT if held.sort == "spent" else HoldRelation.AHEAD, [most], about
    about = [owner, _own("resource", resource_of(held.resource, held.most), job)]
    amounts = [
        ClaimQuantity("used", names.limits.used(held, names.limits.amounts(held) * running), unit),
        most,
    ]
    if amounts[0].value > held.most and (more := _passed(names, job, held, running, unit)) is not None:
        return HoldRelation.AMOUNT_PASSED, [*amounts, more[0]], [*about, more[1]]
    # Full already, or full with this job: only the second depends on what it asks for.
    if amounts[0].value >= held.most:
        return HoldRelation.AMOUNT_OF_OWNER, amounts, about
    own = int(names.limits.amounts(held)[job])
    return HoldRelation.AMOUNT_WITH_IT, [*amounts, ClaimQuantity("more", own, unit)], about


def _passed(
    names: QueueNames, job: int, held: HeldBy, running: Mask, unit: Unit
) -> tuple[ClaimQuantity, NamedThing] | None:
    """What running jobs use of a limit that does not hold them, and the qualities of service that do; or
    None where no job does.
    """
    used, qualities = names.limits.passed(held, names.limits.amounts(held) * running)
    if not qualities:
        return None
    return ClaimQuantity("passed", used, unit), _own("quality", qualities_in_words(qualities), job)


def _alone(relation: HoldRelation) -> Callable[[QueueNames, int, int], _Said]:
    return lambda names, job, value: (relation, [], [])


_SAID: dict[Decision, Callable[[QueueNames, int, int], _Said]] = {
    Decision.CPUS: _cpus,
    Decision.RESOURCE: _resource,
    Decision.NODES: _nodes,
    Decision.FRAGMENTED: _alone(HoldRelation.SCATTERED),
    Decision.CLEANING: _alone(HoldRelation.CLEANING),
    Decision.PRIORITY: _priority,
    Decision.RESERVATION: lambda names, job, value: (HoldRelation.PLANNED, [], [_other(names, value)]),
    Decision.CLOSED: _closed,
    Decision.OUTSIDE: _outside,
    Decision.UNTRIED: _untried,
    Decision.BEGIN: _begin,
    Decision.UNTOLD: _alone(HoldRelation.NOT_KNOWN),
}
"""What is claimed of each kind of reason, whose value names a job, an amount or a reservation."""
