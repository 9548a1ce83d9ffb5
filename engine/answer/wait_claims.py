"""Claims on a job's wait beside its reasons: what can be inferred, and what happened meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import pairwise

from engine.answer.inferred_reasons import Inference
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Sure, Unit
from engine.claims.inferred_claims import EventRelation, InferredRelation
from engine.claims.words import TextSpan, plain, render, sentence
from engine.schedule.explain import Explanation
from engine.schedule.schedule import Decision, Schedule
from engine.shown_text import shown_name

NAMED_JOBS = 5
"""The most jobs that a sentence names."""

SAID_REASONS = 5
"""The most reasons of a scheduler that are shown of a job."""

_INFERRED = TextSpan("Inferred: ")


def inferred_lines(schedule: Schedule, job: int, inferred: Inference) -> list[str]:
    """The text of `inferred_spans`."""
    return [plain(spans) for spans in inferred_spans(schedule, job, inferred)]


def inferred_spans(schedule: Schedule, job: int, inferred: Inference) -> Iterator[tuple[TextSpan, ...]]:
    """Sentences for users on what held a job; each says whether it is inferred."""
    parts, *others = inferred_claims(schedule, job, inferred)
    spans = [span for part in parts for span in (TextSpan("; "), *render(part))][1:]
    if inferred.reason:
        yield sentence(reason_claim(schedule, job, inferred))
        yield (_INFERRED, *spans, TextSpan("."))
    else:
        yield (TextSpan(f"Inferred, since {inferred.untold}: "), *spans, TextSpan("."))
    for (claim,) in others:
        yield (_INFERRED, *render(claim), TextSpan("."))


def inferred_claims(schedule: Schedule, job: int, inferred: Inference) -> tuple[tuple[Claim, ...], ...]:
    """The parts of the wait, then each other thing that is inferred of it by itself."""

    def claim(relation: InferredRelation, *quantities: ClaimQuantity, jobs: Sequence[int] = ()) -> Claim:
        return _claim(schedule, job, relation, quantities, _jobs(schedule, jobs), Sure.INFERRED)

    parts = {
        InferredRelation.BARRED: inferred.barred,
        InferredRelation.TOO_FEW: inferred.short,
        InferredRelation.TOO_LITTLE_RAM: inferred.ram_short,
        InferredRelation.ENOUGH: inferred.idle,
    }
    # The parts of the wait belong into a single sentence; each of the other claims stands by itself.
    told = [tuple(claim(each, ClaimQuantity("time", s, Unit.SECONDS)) for each, s in parts.items() if s)]
    if inferred.ahead:
        told.append(
            (claim(InferredRelation.OTHERS_WAITED, ClaimQuantity("others", inferred.ahead, Unit.JOBS)),)
        )
    if inferred.own:
        processors = ClaimQuantity("processors", inferred.own, Unit.PROCESSORS)
        told.append((claim(InferredRelation.USER_HELD, processors),))
    if inferred.passed:
        passed, rest = (
            ClaimQuantity("passed", inferred.passed, Unit.JOBS),
            inferred.passed - len(inferred.first_passed),
        )
        more = [ClaimQuantity("more", rest, Unit.NUMBER)] if rest else []
        relation = InferredRelation.PASSED_MORE if rest else InferredRelation.PASSED
        told.append((claim(relation, passed, *more, jobs=inferred.first_passed),))
    return tuple(told)


def reason_claim(schedule: Schedule, job: int, inferred: Inference) -> Claim:
    """That the log names a reason for a job, which it does."""
    named = [NamedThing("reason", shown_name(inferred.reason), ClaimPlace("jobs", job))]
    return _claim(schedule, job, InferredRelation.NAMED_REASON, (), named, Sure.COUNTED)


def event_claims(
    schedule: Schedule, explained: Explanation, moment: Callable[[float], str]
) -> Iterator[Claim]:
    """What happened between a job's submission and its start; `moment` shows a time, s from the trace's zero.

    A date is a thing whose name ends in `date`; the claim has its seconds beside it.
    """

    def claim(relation: EventRelation, *quantities: ClaimQuantity, about: Sequence[NamedThing] = ()) -> Claim:
        return _claim(schedule, explained.job, relation, quantities, about, Sure.COUNTED)

    def dated(relation: EventRelation, made: int, start: int, *quantities: ClaimQuantity) -> Claim:
        place = ClaimPlace("jobs", explained.job)
        times = {"made": made, "planned": start}
        dates = [NamedThing(f"{name} date", moment(time), place) for name, time in times.items()]
        seconds = (ClaimQuantity(name, time, Unit.SECONDS) for name, time in times.items())
        return claim(relation, *quantities, *seconds, about=dates)

    # First what was reserved: the first promise, how often it moved, and whether the job started then.
    if explained.promises:
        first, last = explained.promises[0], explained.promises[-1]
        yield dated(EventRelation.RESERVED, first.made, first.start)
        starts = [promise.start for promise in explained.promises]
        moved = sum(one != other for one, other in pairwise(starts))
        if moved:
            times = ClaimQuantity("times", moved, Unit.TIMES)
            yield dated(EventRelation.RESERVED_ANEW, last.made, last.start, times)
        off = explained.start - last.start
        # Without the later plans nothing can be said of how the last promise came out.
        if any(cause.kind == Decision.UNTOLD for cause in explained.summary):
            yield claim(EventRelation.LATER_PLANS_UNTOLD)
        elif not off:
            yield claim(EventRelation.STARTED_THEN)
        else:
            relation = EventRelation.STARTED_AFTER if off > 0 else EventRelation.STARTED_BEFORE
            yield claim(relation, ClaimQuantity("off", abs(off), Unit.SECONDS))
    # Then who started ahead of the job, and whom the job passed: the first few by name, the rest by count.
    if others := sorted(set(explained.overtaken)):
        users = len({int(schedule.trace.user.codes[other]) for other in others})
        counts = [
            ClaimQuantity("overtaking", len(others), Unit.JOBS),
            ClaimQuantity("users", users, Unit.USERS),
        ]
        rest = len(others) - NAMED_JOBS
        if rest > 0:
            counts.append(ClaimQuantity("more", rest, Unit.NUMBER))
        relation = EventRelation.OVERTAKEN_MORE if rest > 0 else EventRelation.OVERTAKEN
        yield claim(relation, *counts, about=_jobs(schedule, others[:NAMED_JOBS]))
    for waiting in sorted(set(explained.overtook))[:NAMED_JOBS]:
        waited = explained.start - int(schedule.submit[waiting])
        named = _jobs(schedule, [waiting], "job")
        yield claim(EventRelation.BACKFILLED, ClaimQuantity("waited", waited, Unit.SECONDS), about=named)
    yield from said_claims(schedule, explained, moment)


def said_claims(
    schedule: Schedule, explained: Explanation, moment: Callable[[float], str]
) -> Iterator[Claim]:
    """What a scheduler of a user's own said of the job while it waited; `moment` shows a time, s."""
    if schedule.said is None:
        return
    job, place = explained.job, ClaimPlace("jobs", explained.job)
    by = NamedThing("scheduler", schedule.said.by, place)
    for reason in explained.said[:SAID_REASONS]:
        dated = NamedThing("said date", moment(reason.time), place)
        words = NamedThing("words", shown_name(reason.text), place)
        at = ClaimQuantity("said", reason.time, Unit.SECONDS)
        yield _claim(schedule, job, EventRelation.SAID, [at], [dated, by, words], Sure.COUNTED)
    if (rest := len(explained.said) - SAID_REASONS) > 0:
        more = ClaimQuantity("more", rest, Unit.TIMES)
        yield _claim(schedule, job, EventRelation.SAID_MORE, [more], [by], Sure.COUNTED)
    if job in schedule.said.cut_short:
        yield _claim(schedule, job, EventRelation.SAID_UNTOLD, [], [by], Sure.COUNTED)


def _jobs(schedule: Schedule, jobs: Sequence[int], role: str = "jobs") -> list[NamedThing]:
    return [NamedThing(role, schedule.trace.shown_id(job), ClaimPlace("jobs", job)) for job in jobs]


def _claim(
    schedule: Schedule,
    job: int,
    relation: StrEnum,
    quantities: Sequence[ClaimQuantity],
    about: Sequence[NamedThing],
    sure: Sure,
) -> Claim:
    place, submit = ClaimPlace("jobs", job), int(schedule.submit[job])
    subject = NamedThing("subject", f"job {schedule.trace.shown_id(job)}", place)
    rows = (place, *(each.place for each in about if each.place != place))
    return Claim(
        subject, relation, tuple(quantities), tuple(about), Population(1, submit, submit), rows, sure
    )
