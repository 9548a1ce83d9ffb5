"""Judges of what searches claim: each simulates the judged span anew, and counts week by week."""

from collections import defaultdict
from collections.abc import Callable
from statistics import mean

from engine.claims.claim import Claim
from engine.claims.searches import SearchRelation
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace

WEEK = 7 * 86_400

Said = dict[str, float]


def judge(claim: Claim, claims: tuple[Claim, ...], rest: Trace) -> bool:
    """Whether a claim of a search by mean and longest wait holds on its judged span, with the claims beside
    it."""
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    people = claim.population
    judged = [job for job, submit in enumerate(rest.submit.tolist()) if people.begin <= submit <= people.end]
    if len(judged) != people.jobs:
        return False
    assert isinstance(claim.relation, SearchRelation)
    return JUDGES[claim.relation](claim, said, claims, rest)


def _waits(name: str, rest: Trace, people: tuple[int, int]) -> dict[int, list[int]]:
    """The waits of the judged jobs by week."""
    schedule = simulate(rest, rest.cluster, parse_policy(name))
    weeks: dict[int, list[int]] = defaultdict(list)
    for submit, start in zip(schedule.submit.tolist(), schedule.start.tolist(), strict=True):
        if people[0] <= submit <= people[1]:
            weeks[(submit - people[0]) // WEEK].append(start - submit)
    return weeks


def _changes(claim: Claim, said: Said, claims: tuple[Claim, ...], rest: Trace) -> bool:
    (metric,) = claim.about
    of_week: Callable[[list[int]], float] = {"mean wait": mean, "longest wait": max}[metric.name]
    (head,) = (each for each in claims if each.relation is SearchRelation.COMPARED)
    names = [each.name for each in head.about]
    people = (claim.population.begin, claim.population.end)
    # Weeks of both runs are paired, as the claim is about the mean of the weekly changes.
    own, base = ([of_week(waits) for waits in _waits(name, rest, people).values()] for name in names)
    # Without any wait before there is no change in %.
    if claim.relation is SearchRelation.NO_CHANGE_KNOWN:
        return not any(base)
    change = 100 * (mean(own) / mean(base) - 1)
    span, weeks = people[1] - people[0], len(own)
    true = abs(said["change"] - change) < 1e-6 * max(1, abs(change))
    # From here on each kind of claim needs more weeks than the one before.
    if claim.relation is SearchRelation.CHANGE_UNDER_A_WEEK:
        return true and said["span"] == span < WEEK and said["fewest"] == 12
    true = true and said["weeks"] == weeks and span >= WEEK
    if claim.relation is SearchRelation.CHANGE_OF_FEW_WEEKS:
        return true and weeks < said["fewest"] == 12
    if claim.relation is SearchRelation.CHANGE_OF_DEPENDENT_WEEKS:
        return true and weeks >= 12 and said["effective"] <= 5
    ordered = -100 <= said["low"] <= change + 1e-9 and change <= said["high"] + 1e-9
    return true and weeks >= 12 and said["level"] == 95 and ordered


def _ends(claims: tuple[Claim, ...]) -> dict[str, tuple[float, float]]:
    """The intervals beside a claim, by their objective."""
    return {
        claim.about[0].name: (claim.quantity("low").value, claim.quantity("high").value)
        for claim in claims
        if claim.relation is SearchRelation.CHANGE
    }


def _worse(claim: Claim, said: Said, claims: tuple[Claim, ...], rest: Trace) -> bool:
    """Waits are the worse the longer they are."""
    return {each.name for each in claim.about} == {
        name for name, ends in _ends(claims).items() if ends[0] > 0
    }


def _not_shown(claim: Claim, said: Said, claims: tuple[Claim, ...], rest: Trace) -> bool:
    low, high = _ends(claims).get("mean wait", (-1.0, 1.0))
    if claim.relation is SearchRelation.NOT_SHOWN:
        return low > 0
    return low <= 0 <= high


def _compared(claim: Claim, said: Said, claims: tuple[Claim, ...], rest: Trace) -> bool:
    best, base = claim.about
    return best.name != base.name and any(each.relation is not claim.relation for each in claims)


def _best(claim: Claim, said: Said, claims: tuple[Claim, ...], rest: Trace) -> bool:
    return len(claims) == 1 and [each.name for each in claim.about] == [claim.subject.name]


JUDGES: dict[SearchRelation, Callable[[Claim, Said, tuple[Claim, ...], Trace], bool]] = {
    SearchRelation.COMPARED: _compared,
    SearchRelation.CHANGE: _changes,
    SearchRelation.CHANGE_OF_FEW_WEEKS: _changes,
    SearchRelation.CHANGE_UNDER_A_WEEK: _changes,
    SearchRelation.CHANGE_OF_DEPENDENT_WEEKS: _changes,
    SearchRelation.NO_CHANGE_KNOWN: _changes,
    SearchRelation.BASELINE_IS_BEST: _best,
    SearchRelation.WORSE: _worse,
    SearchRelation.NOT_SHOWN: _not_shown,
    SearchRelation.MAY_BE_CHANCE: _not_shown,
}
"""The judge of each kind that a search with a front and without bounds can have."""
