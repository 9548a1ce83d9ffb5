"""Reasons for waiting as claims, whose words follow a length of time: `40 min` *short of processors ...*.

Amounts and jobs are those of the schedule over the whole time of the reason, wherever it tells them: the log
has them as they were when the reason was new.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.waits import WaitRelation
from engine.claims.words import TextSpan, render
from engine.dates import date_of
from engine.policy.formula_variables import score_columns
from engine.schedule.free_steps import free_steps, held
from engine.schedule.names import name_job
from engine.schedule.schedule import Decision, LimitKind, Schedule, Untried, split_short
from engine.schedule.site_reasons import HeldSpans, describe_site_reason, untried_by_site
from engine.score.program import evaluate
from engine.shown_values import how_often, resource_words
from engine.words import listed, plural

UNNAMED = -1
"""The value of a RESERVATION where the job that it names has started, and no other is known."""

_FIRST_BY = {
    "sjf": "estimate", "ljf": "estimate", "saf": "area", "laf": "area",
    "widest": "width", "narrowest": "width", "queues": "price", "auction": "bid",
}  # fmt: skip
"""By what jobs went first, where that is not the name of the order."""

_LIMITS = {
    LimitKind.USER_JOBS: (WaitRelation.USER_JOBS, Unit.JOBS),
    LimitKind.USER_CPUS: (WaitRelation.USER_PROCESSORS, Unit.PROCESSORS),
    LimitKind.QUEUE_CPUS: (WaitRelation.QUEUE_PROCESSORS, Unit.PROCESSORS),
}


@dataclass(frozen=True, eq=False)
class WaitPart:
    """The parts of a job's wait with one kind of reason: `spans` of (begin, end, value) in order of time, s.

    `kind` is None for the time before the first pass, or a Decision, which says what values are.
    """

    schedule: Schedule
    job: int
    kind: Decision | None
    spans: Sequence[tuple[int, int, int]]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What is said of it; empty for kinds that only a site's Slurm gives."""
        return tuple(_CLAIMS[self.kind](self)) if self.kind in _CLAIMS and not self._of_site else ()

    @property
    def words(self) -> tuple[TextSpan, ...]:
        """The reason in words, which follow a length of time."""
        if not (claims := self.claims):
            assert self.kind is not None
            return (TextSpan(self._site_words(self.kind)),)
        joined = list(render(claims[0]))
        for claim in claims[1:]:
            joined += [TextSpan(" and "), *render(claim)]
        return tuple(joined)

    @cached_property
    def logged(self) -> Mapping[int, int]:
        """The seconds by value, in order of time."""
        seconds: dict[int, int] = {}
        for begin, end, value in self.spans:
            seconds[value] = seconds.get(value, 0) + end - begin
        return seconds

    @property
    def first(self) -> int:
        """The value of the first span."""
        return self.spans[0][2]

    @property
    def times(self) -> list[tuple[int, int]]:
        """The spans without their values."""
        return [(begin, end) for begin, end, _ in self.spans]

    def claim(
        self,
        relation: WaitRelation,
        quantities: Sequence[ClaimQuantity] = (),
        about: Sequence[NamedThing] = (),
    ) -> Claim:
        """A claim about the job in these spans."""
        place, submit = ClaimPlace("jobs", self.job), int(self.schedule.submit[self.job])
        subject = NamedThing("subject", name_job(self.schedule, self.job), place)
        alone = Population(1, submit, submit)
        return Claim(subject, relation, tuple(quantities), tuple(about), alone, (place,))

    def named(self, other: int, role: str = "job") -> NamedThing:
        """Another job."""
        return NamedThing(role, name_job(self.schedule, other), ClaimPlace("jobs", other))

    @property
    def _of_site(self) -> bool:
        return self.kind is Decision.UNTRIED and self.schedule.policy.site is not None

    def _site_words(self, kind: Decision) -> str:
        if self._of_site:
            return untried_by_site(self.logged)
        since: dict[int, int] = {}
        for begin, _, value in self.spans:
            since.setdefault(value, begin)
        return describe_site_reason(self.schedule, self.job, kind, HeldSpans(self.logged, since))


def describe_not_run(schedule: Schedule, job: int) -> str:
    """The reason why a job was not run, as a sentence."""
    if not schedule.given_up[job]:
        return "Not run: too large for this machine."
    if schedule.policy.on_failure == "lose":
        return f"Lost: a node failed under it, and {_area_lost(schedule, job)} of its run were lost."
    times = int(schedule.times_stopped[job])
    again = schedule.policy.max_restarts
    return (
        f"Given up: nodes failed under it {how_often(times)}, and a job is started again {how_often(again)}; "
        f"{_area_lost(schedule, job)} of its runs were lost."
    )


def _area_lost(schedule: Schedule, job: int) -> str:
    """`800 processor-seconds`: processors times the time of a job's runs that were cut short."""
    own = schedule.stopped.job == job
    seconds = int((schedule.stopped.end[own] - schedule.stopped.start[own]).sum())
    return plural(int(schedule.procs[job]) * seconds, "processor-second")


def _until_pass(part: WaitPart) -> Iterator[Claim]:
    yield part.claim(WaitRelation.UNTIL_PASS)


def _cpus(part: WaitPart) -> Iterator[Claim]:
    relations = (
        *(WaitRelation.PROCESSORS_MISSING, WaitRelation.PROCESSORS_MISSING_RANGE),
        *(WaitRelation.PROCESSORS_MISSING_UP_TO, WaitRelation.PROCESSORS_MISSING_AT_FIRST),
    )
    yield _missing(part, 0, Unit.NUMBER, relations)


def _ram(part: WaitPart) -> Iterator[Claim]:
    relations = (
        *(WaitRelation.RAM_MISSING, WaitRelation.RAM_MISSING_RANGE),
        *(WaitRelation.RAM_MISSING_UP_TO, WaitRelation.RAM_MISSING_AT_FIRST),
    )
    yield _missing(part, 1, Unit.MIB, relations)


def _resource(part: WaitPart) -> Iterator[Claim]:
    """A claim on each further resource that was short, one after the other."""
    relations = (
        *(WaitRelation.RESOURCE_MISSING, WaitRelation.RESOURCE_MISSING_RANGE),
        *(WaitRelation.RESOURCE_MISSING_UP_TO, WaitRelation.RESOURCE_MISSING_AT_FIRST),
    )
    # The value holds both the resource and the amount that was missing of it.
    short = [(begin, end, *split_short(value)) for begin, end, value in part.spans]
    for column in dict.fromkeys(each for _, _, each, _ in short):
        spans = [(begin, end, missing) for begin, end, each, missing in short if each == column]
        clipped = replace(part, spans=spans)
        name = resource_words(part.schedule.cluster.resources[column])[0]
        named = NamedThing("resource", name, ClaimPlace("jobs", part.job))
        yield _missing(clipped, column, Unit.NUMBER, relations, [named])


def _missing(
    part: WaitPart,
    column: int,
    unit: Unit,
    relations: Sequence[WaitRelation],
    about: Sequence[NamedThing] = (),
) -> Claim:
    """How much of a resource was missing: from the schedule, over all of the time.

    At a site it is what was missing at first, on the nodes that the job may use.
    """
    schedule, job = part.schedule, part.job
    alike, between, up_to, at_first = relations
    every = schedule.trace.asked(schedule.cluster.resources[column]) if column > 1 else schedule.procs
    asked = ClaimQuantity("asked", int(every[job]), unit)
    first = part.claim(at_first, [ClaimQuantity("most", part.first, unit), asked], about)
    if schedule.policy.site is not None or column >= len(schedule.cluster.resources):
        return first
    asked_by_job = held(schedule.pieces.take(np.array([job])), schedule.cluster.resources)[0, column]
    least_free, most_free = free_steps(schedule).bounds(part.times, column)
    least, most = max(int(asked_by_job) - most_free, 0), max(int(asked_by_job) - least_free, 0)
    if not most:
        return first  # within the second of the pass alone
    # Whole nodes are more than the job asked for: what it takes is what has to be free.
    amounts = [ClaimQuantity("most", most, unit), ClaimQuantity("asked", int(asked_by_job), unit)]
    if least == most:
        return part.claim(alike, amounts, about)
    if not least:  # where passes are rare, enough may have become free before the next pass
        return part.claim(up_to, amounts, about)
    return part.claim(between, [ClaimQuantity("least", least, unit), *amounts], about)


def _power(part: WaitPart) -> Iterator[Claim]:
    cap, most = part.schedule.policy.power_cap, ClaimQuantity("most", part.first / 1e6, Unit.MEASURED)
    if isinstance(cap, str):
        yield part.claim(WaitRelation.POWER_MISSING_BY_HOUR, [most])
    else:
        held = ClaimQuantity("cap", cap or 0.0, Unit.MEASURED)
        yield part.claim(WaitRelation.POWER_MISSING, [held, most])


def _price(part: WaitPart) -> Iterator[Claim]:
    below = part.schedule.policy.price_below
    yield part.claim(WaitRelation.PRICE, [ClaimQuantity("most", below or 0.0, Unit.MEASURED)])


def _fragmented(part: WaitPart) -> Iterator[Claim]:
    schedule, trace = part.schedule, part.schedule.trace
    # Jobs that take whole nodes leave less free than they ask for, and rooms change while the reason lasts.
    enough = schedule.policy.site is not None or all(
        free_steps(schedule).bounds(part.times, column)[0] >= trace.asked(name)[part.job]
        for column, name in enumerate(schedule.cluster.resources)
    )
    yield part.claim(WaitRelation.SCATTERED if enough else WaitRelation.NO_ROOM)


def _reservation(part: WaitPart) -> Iterator[Claim]:
    named = {job: seconds for job, seconds in part.logged.items() if job not in (UNNAMED, part.job)}
    if named:
        yield _with_others(part, named, WaitRelation.KEPT_FREE, WaitRelation.KEPT_FREE_AND_OTHERS)
    if UNNAMED in part.logged:
        yield part.claim(WaitRelation.KEPT_FREE_UNNAMED)
    if part.job in part.logged:
        yield part.claim(WaitRelation.OWN_RESERVATION)


def _with_others(
    part: WaitPart, named: Mapping[int, int], alone: WaitRelation, several: WaitRelation
) -> Claim:
    """The job with most seconds by its name, and how many others there are."""
    most = part.named(max(named, key=lambda other: named[other]))
    if len(named) == 1:
        return part.claim(alone, about=[most])
    return part.claim(several, [ClaimQuantity("others", len(named) - 1, Unit.OTHER_JOBS)], [most])


def _limit(part: WaitPart) -> Iterator[Claim]:
    policy, queue = part.schedule.policy, part.schedule.trace.queue
    most = {
        LimitKind.USER_JOBS: policy.max_user_jobs,
        LimitKind.USER_CPUS: policy.max_user_cpus,
        LimitKind.QUEUE_CPUS: policy.queue_limit(queue.names[queue.codes[part.job]]),
    }
    for limit in map(LimitKind, part.logged):
        relation, unit = _LIMITS[limit]
        yield part.claim(relation, [ClaimQuantity("most", most[limit] or 0, unit)])


def _behind(part: WaitPart) -> Iterator[Claim]:
    schedule = part.schedule
    policy = schedule.policy
    first = ClaimQuantity("most", part.first, Unit.JOBS)
    if policy.order == "score":
        score = score_at(schedule, part.job, part.spans[0][0])
        if score is not None:
            yield part.claim(WaitRelation.BEHIND_BY_SCORE, [ClaimQuantity("score", score, Unit.SCORE), first])
            return
    # Only an order of submission can be counted from the schedule; runs that begin again go back to it.
    in_order = policy.order == "fcfs" and policy.backfill == "queue" and policy.threshold is None
    least, most = _jobs_in_front(part)
    if not in_order or len(schedule.further) or not least:
        yield part.claim(WaitRelation.BEHIND_AT_FIRST, [first], [_order(part)])
        return
    if least == most:
        yield part.claim(WaitRelation.BEHIND, [ClaimQuantity("most", most, Unit.JOBS)])
    else:
        amounts = [ClaimQuantity("least", least, Unit.NUMBER), ClaimQuantity("most", most, Unit.JOBS)]
        yield part.claim(WaitRelation.BEHIND_RANGE, amounts)


def _jobs_in_front(part: WaitPart) -> tuple[int, int]:
    """The fewest and the most jobs that were submitted earlier and waited, within the spans."""
    schedule = part.schedule
    in_front = schedule.ran & (schedule.turn < schedule.turn[part.job])
    starts = np.sort(schedule.start[in_front])
    # All were submitted before this job, so that their number only falls.
    most = len(starts) - int(np.searchsorted(starts, part.spans[0][0], "right"))
    return len(starts) - int(np.searchsorted(starts, part.spans[-1][1] - 1, "right")), most


def _order(part: WaitPart) -> NamedThing:
    """What is ahead in the queue, in words."""
    policy = part.schedule.policy
    text = f"ahead by {_FIRST_BY.get(policy.order, policy.order)}"
    if policy.backfill != "queue" or policy.threshold is not None:
        text = "ahead in the queue"
    elif policy.order in ("fcfs", "score"):
        text = "submitted earlier" if policy.order == "fcfs" else "of higher score"
    return NamedThing("order", text, ClaimPlace("jobs", part.job))


def _untried(part: WaitPart) -> Iterator[Claim]:
    policy = part.schedule.policy
    if set(part.logged) - {Untried.OF_USER}:
        yield part.claim(WaitRelation.UNTRIED, [ClaimQuantity("most", policy.test_limit or 0, Unit.JOBS)])
    if Untried.OF_USER in part.logged:
        of_user = ClaimQuantity("most", policy.user_test_limit or 0, Unit.JOBS)
        yield part.claim(WaitRelation.UNTRIED_OF_USER, [of_user])


def _stopped(part: WaitPart) -> Iterator[Claim]:
    schedule, place = part.schedule, ClaimPlace("jobs", part.job)
    nodes = listed([schedule.cluster.host_name(node) or str(node) for node in sorted(part.logged)])
    after = "the rest waits" if schedule.policy.on_failure == "continue" else "it had to begin again"
    relation = WaitRelation.STOPPED_MORE if len(part.logged) > 1 else WaitRelation.STOPPED
    yield part.claim(relation, about=[NamedThing("nodes", nodes, place), NamedThing("after", after, place)])


def _preempted(part: WaitPart) -> Iterator[Claim]:
    yield _with_others(part, part.logged, WaitRelation.PREEMPTED, WaitRelation.PREEMPTED_MORE)


def _untold(part: WaitPart) -> Iterator[Claim]:
    yield part.claim(WaitRelation.UNTOLD)


_CLAIMS: dict[Decision | None, Callable[[WaitPart], Iterator[Claim]]] = {
    None: _until_pass,
    Decision.CPUS: _cpus,
    Decision.RAM: _ram,
    Decision.RESOURCE: _resource,
    Decision.POWER: _power,
    Decision.PRICE: _price,
    Decision.FRAGMENTED: _fragmented,
    Decision.RESERVATION: _reservation,
    Decision.LIMIT: _limit,
    Decision.BEHIND: _behind,
    Decision.UNTRIED: _untried,
    Decision.STOPPED: _stopped,
    Decision.PREEMPTED: _preempted,
    Decision.UNTOLD: _untold,
}


def score_at(schedule: Schedule, job: int, time: int) -> float | None:
    """The score of `job` at `time`, s, under a policy with order=score.

    None if the score depends on data that the schedule does not have: usage, expected ends, changing
    estimates.
    """
    policy, trace = schedule.policy, schedule.trace
    estimate = trace.walltime if schedule.estimate is None else schedule.estimate
    known = score_columns(policy, trace, schedule.procs, estimate, schedule.first_submit)
    values = {name: column[job : job + 1] for name, column in known.items()}
    # What changes with time is computed as it was at this moment; all else are columns.
    waits = schedule.ran & (schedule.submit <= time) & (schedule.start > time)
    moving = {
        "wait": time - int(schedule.submit[job]),
        "submit": max(int(schedule.submit[job]) - schedule.first_submit, 1),
        "queued": int(waits.sum()),
        "user_queued": int((waits & (trace.user.codes == trace.user.codes[job])).sum()),
    }
    if "hour" in policy.score_names and (moment := date_of(trace, time)) is not None:
        moving["hour"] = moment.hour
    values |= {name: np.array([float(value)]) for name, value in moving.items()}
    # A name that is neither has no value here, so the score is not known.
    if not policy.score_names <= values.keys():
        return None
    score = float(np.broadcast_to(evaluate(policy.score.node, values), (1,))[0])
    # A score that is no number goes last, as in the kernels.
    return -math.inf if math.isnan(score) else score
