"""The verdict of a search, as claims, which say no more than the judged span supports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Unit
from engine.claims.phases import PhaseRelation
from engine.claims.searches import SearchRelation
from engine.claims.words import TextSpan, plain, render, sentence
from engine.metrics.metric_names import parse_metric
from engine.schedule.accuracy import WEEK
from engine.search.answer import Advantage, SearchResult
from engine.search.interval import FEWEST
from engine.search.question import WORST_USER, MetricBound, Question
from engine.words import in_sentence

LEVEL = 95.0
"""Of intervals, in %."""

_CHANGES = (
    SearchRelation.CHANGE,
    SearchRelation.CHANGE_OF_FEW_WEEKS,
    SearchRelation.CHANGE_UNDER_A_WEEK,
    SearchRelation.CHANGE_OF_DEPENDENT_WEEKS,
    SearchRelation.NO_CHANGE_KNOWN,
)
"""What follows `against the baseline on the judged span`, in a sentence."""


def verdict(question: Question, answer: SearchResult) -> str:
    """The result on the span that no trial saw, and its significance, in words."""
    claims = search_claims(question, answer)
    changes = [plain(render(claim)) for claim in claims if claim.relation in _CHANGES]
    texts = []
    for claim in claims:
        if claim.relation is SearchRelation.COMPARED:
            texts.append(f"{plain(render(claim))}: {'; '.join(changes)}.")
            # What chance explains follows the changes that it explains.
            texts += [f"{plain(spans)}." for spans in belief_spans(answer)]
        elif claim.relation not in _CHANGES:
            texts.append(plain(sentence(claim)))
    return " ".join(texts)


def search_claims(question: Question, answer: SearchResult) -> tuple[Claim, ...]:
    """What is claimed of the first policy of the front, or why there is none."""
    found = _of_best(question, answer) if answer.front else (_why_none(question, answer),)
    return (*found, *_of_races(question, answer))


def _of_races(question: Question, answer: SearchResult) -> Iterator[Claim]:
    """How many policies lost on the first part of the searched span, so that they were dropped."""
    if not answer.dropped:
        return
    longest = max(lost.seconds for lost in answer.dropped)
    quantities = [
        ClaimQuantity("tried", len(answer.trials) + len(answer.dropped), Unit.NUMBER),
        ClaimQuantity("lost", len(answer.dropped), Unit.NUMBER),
        ClaimQuantity("span", longest, Unit.SECONDS),
    ]
    yield _claim(answer, _base(question), SearchRelation.DROPPED, quantities)


def _of_best(question: Question, answer: SearchResult) -> Iterator[Claim]:
    best, base = answer.front[0], _base(question)
    # Nothing that was tried is better: there is nothing to compare.
    if best.trial.policy == question.baseline:
        yield _claim(answer, base, SearchRelation.BASELINE_IS_BEST, about=[base])
        return
    first = NamedThing("best", best.trial.policy.label, ClaimPlace("trials", answer.trials.index(best.trial)))
    yield _claim(answer, first, SearchRelation.COMPARED, about=[first, base])
    metrics = [_metric(question, objective.metric) for objective in question.objectives]
    for metric, advantage in zip(metrics, answer.advantages, strict=True):
        relation, quantities = _change(advantage)
        yield _claim(answer, first, relation, quantities, [metric])
    # A gain in an objective may be bought with a loss in another: that is said at once.
    worse = [objective.metric for objective in answer.worse(question.objectives)]
    if worse:
        names = [_metric(question, name, "metrics") for name in worse]
        yield _claim(answer, first, SearchRelation.WORSE, about=names)
    # Bounds come before chance: a policy that breaks a bound is no answer at all.
    if not best.kept:
        base_values = answer.baseline.values
        broken = [bound for bound in question.bounds if bound.excess(best.values, base_values) > 0]
        yield _claim(answer, first, SearchRelation.BREAKS, about=_bounds(question, broken))
    elif not answer.shown(question.objectives):
        # Chance is named only where nothing else explains that the gain is not shown.
        doubtful = answer.beliefs is not None and answer.beliefs.misleading is not None
        chance = not doubtful and question.objectives[0].metric not in worse
        relation = SearchRelation.MAY_BE_CHANCE if chance else SearchRelation.NOT_SHOWN
        yield _claim(answer, first, relation)


def _claim(
    answer: SearchResult,
    subject: NamedThing,
    relation: SearchRelation,
    quantities: Sequence[ClaimQuantity] = (),
    about: Sequence[NamedThing] = (),
) -> Claim:
    return Claim(subject, relation, tuple(quantities), tuple(about), answer.judged, (subject.place,))


def _base(question: Question) -> NamedThing:
    """The baseline, the first of the runs that are judged."""
    return NamedThing("base", question.baseline.label, ClaimPlace("runs", 0))


def _metric(question: Question, metric: str, role: str = "metric") -> NamedThing:
    """The name of an objective inside a sentence, by its place among the objectives."""
    worst = metric == WORST_USER
    name = "mean wait of the user who fares worst" if worst else in_sentence(parse_metric(metric).label)
    places = [objective.metric for objective in question.objectives]
    return NamedThing(role, name, ClaimPlace("metrics", places.index(metric)))


def _bounds(question: Question, bounds: Sequence[MetricBound]) -> list[NamedThing]:
    return [
        NamedThing("bounds", str(bound), ClaimPlace("bounds", question.bounds.index(bound)))
        for bound in bounds
    ]


def _change(advantage: Advantage | None) -> tuple[SearchRelation, list[ClaimQuantity]]:
    """A change with its interval, or with the reason why it has none."""
    if advantage is None:
        return SearchRelation.NO_CHANGE_KNOWN, []
    change, weeks = (
        ClaimQuantity("change", advantage.change, Unit.LOWER),
        ClaimQuantity("weeks", advantage.weeks, Unit.WEEKS),
    )
    fewest = ClaimQuantity("fewest", FEWEST, Unit.WEEKS)
    # The reasons for having no interval go from the plainest to the finest: too short, then too few weeks,
    # then weeks that depend on each other.
    if 0 < advantage.span < WEEK:
        span = ClaimQuantity("span", advantage.span, Unit.SECONDS)
        return SearchRelation.CHANGE_UNDER_A_WEEK, [change, span, fewest]
    if advantage.low is not None and advantage.high is not None:
        level = ClaimQuantity("level", LEVEL, Unit.PERCENT)
        ends = [
            ClaimQuantity("low", advantage.low, Unit.LOWER),
            ClaimQuantity("high", advantage.high, Unit.LOWER),
        ]
        return SearchRelation.CHANGE, [change, weeks, level, *ends]
    if advantage.weeks < FEWEST:
        return SearchRelation.CHANGE_OF_FEW_WEEKS, [change, weeks, fewest]
    effective = ClaimQuantity("effective", round(advantage.effective_weeks), Unit.NUMBER)
    return SearchRelation.CHANGE_OF_DEPENDENT_WEEKS, [change, weeks, effective]


def belief_spans(answer: SearchResult) -> Iterator[tuple[TextSpan, ...]]:
    """Sentences on a search that varied a site, without a stop, with what their parts say: what chance
    explains of the change of the first, the verdict, and why it misleads.
    """
    beliefs = answer.beliefs
    if beliefs is None:
        return
    for change in beliefs.changes[:1]:
        if change is not None:
            yield sentence(change_of_best(change))[:-1]
    if beliefs.verdict:
        yield beliefs.verdict
    if beliefs.misleading is not None:
        yield (*sentence(beliefs.misleading)[:-1], TextSpan(": changes of it cannot be believed"))


def change_of_best(change: Claim) -> Claim:
    """A change of the mean wait as it is said of the first policy, which the sentence before has named."""
    return replace(change, relation=_OF_BEST[change.relation])


_OF_BEST: dict[StrEnum, PhaseRelation] = {
    PhaseRelation.CHANGED: PhaseRelation.BEST_CHANGED,
    PhaseRelation.CHANGED_BY_CHANCE: PhaseRelation.BEST_CHANGED_BY_CHANCE,
}
"""The change of the mean wait of which policy is clear from the sentence before."""


def _why_none(question: Question, answer: SearchResult) -> Claim:
    """Why no policy that was tried is on the front."""
    base = _base(question)
    if not answer.trials and answer.contradiction:
        why = NamedThing("why", answer.contradiction, base.place)
        return _claim(answer, base, SearchRelation.CONTRADICTION, about=[why])
    if not answer.trials:
        return _claim(answer, base, SearchRelation.NONE_FITS)
    unknown = [
        objective.metric
        for objective in question.objectives
        if all(trial.values[objective.metric] is None for trial in answer.trials)
    ]
    if unknown:
        names = [
            NamedThing("metrics", name, _metric(question, name).place)  # as it is typed, not as it reads
            for name in unknown
        ]
        return _claim(answer, base, SearchRelation.NO_VALUES, about=names)
    if question.bounds:
        return _claim(answer, base, SearchRelation.NONE_KEEPS, about=_bounds(question, question.bounds))
    return _claim(answer, base, SearchRelation.NONE_HAS_ALL)


def listed_bounds(question: Question) -> str:
    """All bounds in words."""
    return " and ".join(map(str, question.bounds))
