"""Claims on changes from week to week: which of them are more than noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Relation, Unit
from engine.metrics.evaluation import Evaluation
from engine.schedule.responses import bounded_slowdown
from engine.search.answer import Advantage
from engine.search.interval import FEWEST
from engine.search.weeks import WEEK, weekly_change
from engine.verdict.verdict import JudgedRun, Teller


def _waits(run: Evaluation) -> Floats:
    return run.schedule.wait.astype(np.float64)


def _slowdowns(run: Evaluation) -> Floats:
    return np.nan_to_num(bounded_slowdown(run.schedule))


def _late(run: Evaluation) -> Floats:
    return run.violations.violated.astype(np.float64)


def _lateness(run: Evaluation) -> Floats:
    return run.violations.tardiness.astype(np.float64)


WAITS, LATENESS = "mean wait", "mean lateness"

FOLLOWED: dict[str, Callable[[Evaluation], Floats]] = {
    WAITS: _waits,
    "mean bounded slowdown": _slowdowns,
    "share of late jobs": _late,
    LATENESS: _lateness,
}
"""What is followed from week to week: the mean over jobs of a value of each job, shape (n,)."""


@dataclass(frozen=True)
class WeeklyChange:
    """The change of a mean against a baseline: of the mean week, and over all jobs, in %."""

    label: str
    weekly: Advantage
    per_job: float


def weekly(run: Evaluation, base: Evaluation, label: str) -> WeeklyChange | None:
    """The change of a followed mean; None where there is nothing to compare.

    Both are of the same jobs, which are cut into weeks by their submission. Raises KeyError for other labels.
    """
    jobs = run.jobs & base.jobs
    submit = run.schedule.trace.submit[jobs]
    if not len(submit):
        return None
    week = (submit - int(submit.min())) // WEEK
    jobs_of_week = np.bincount(week)
    there = jobs_of_week > 0  # weeks without a job have no mean
    values, baseline = (FOLLOWED[label](each)[jobs] for each in (run, base))
    means = [
        np.bincount(week, values_of_run, len(jobs_of_week))[there] / jobs_of_week[there]
        for values_of_run in (values, baseline)
    ]
    change = weekly_change(*means)
    if change is None:
        return None
    per_job = 100 * float(values.mean() - baseline.mean()) / float(baseline.mean())
    return WeeklyChange(label, change, per_job)


def weekly_claims(
    run: JudgedRun, place: int, changes: list[WeeklyChange], by_chance: bool
) -> tuple[Claim, ...]:
    """What is claimed of the changes of a run, by its place; `by_chance` if phases explain its mean wait."""
    teller = Teller.of(run, place)
    if not changes:
        return (teller.claim(Relation.NOTHING_TO_COMPARE),)
    # How changes stand to noise is said once of all metrics of which it is true.
    alike: dict[tuple[Relation, int], list[WeeklyChange]] = {}
    claims = []
    for change in changes:
        relation = relation_of(change, by_chance)
        effective = round(change.weekly.effective_weeks) if relation is Relation.DEPENDENT_WEEKS else 0
        alike.setdefault((relation, effective), []).append(change)
        claims.append(teller.claim(Relation.WEEKLY_CHANGE, _quantities(change), [_metric(change, "metric")]))
    return (*claims, *(_against_noise(teller, *key, each) for key, each in alike.items()))


@dataclass(frozen=True)
class Certainty:
    """How surely a followed mean differs from the baseline's in the mean week, and the claims that say so.

    `relation` is None on a log that has no weeks to compare.
    """

    relation: Relation | None
    change: float
    claims: tuple[Claim, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the log has weeks enough to ask; on shorter logs nothing is known of noise."""
        return self.relation not in (None, Relation.TOO_FEW_WEEKS)

    @property
    def is_lower(self) -> bool:
        """Whether the mean is lower by more than noise."""
        return self.relation is Relation.BEYOND_NOISE and self.change < 0

    @property
    def is_higher(self) -> bool:
        """Whether the mean is higher by more than noise."""
        return self.relation is Relation.BEYOND_NOISE and self.change > 0


def certainty(
    runs: Sequence[JudgedRun], place: int, baseline: int, label: str, by_chance: bool = False
) -> Certainty:
    """How sure a change of a followed mean is, between two of the runs, which have a measured job.

    The claims are about the other run. `by_chance` as in `weekly_claims`. Raises KeyError for other labels.
    """
    run, base = runs[place], runs[baseline]
    submit = run.schedule.trace.submit[base.jobs]
    span = int(submit.max()) - int(submit.min())
    if span < WEEK:
        return Certainty(None, 0.0, (span_claim(run, place, span),))
    change = weekly(run.evaluation, base.evaluation, label)
    if change is None:  # the mean is 0 under the baseline
        return Certainty(None, 0.0)
    claims = weekly_claims(run, place, [change], by_chance)
    # Of all jobs together is told beside this; where the mean week says the opposite both are needed.
    both = change.weekly.change * change.per_job < 0
    return Certainty(relation_of(change, by_chance), change.weekly.change, claims if both else claims[1:])


def _against_noise(
    teller: Teller, relation: Relation, effective: int, changes: Sequence[WeeklyChange]
) -> Claim:
    """How some changes stand to noise, or why weeks cannot tell; bounds of intervals go by the metric."""
    # What is told beside the number of weeks depends on why the claim cannot be stronger.
    quantities = [ClaimQuantity("weeks", changes[0].weekly.weeks, Unit.WEEKS)]
    if relation is Relation.TOO_FEW_WEEKS:
        quantities.append(ClaimQuantity("fewest", FEWEST, Unit.NUMBER))
    elif relation is Relation.DEPENDENT_WEEKS:
        quantities.append(ClaimQuantity("effective", effective, Unit.NUMBER))
    else:
        for change in changes:
            bounds = (("low", change.weekly.low), ("high", change.weekly.high))
            quantities += [
                ClaimQuantity(f"{side} of {change.label}", bound, Unit.CHANGE)
                for side, bound in bounds
                if bound is not None
            ]
    return teller.claim(relation, quantities, [_metric(change, "metrics") for change in changes])


def span_claim(run: JudgedRun, place: int, span: int) -> Claim:
    """That a log of this span, s, has no weeks to compare."""
    quantity = ClaimQuantity("span", span, Unit.SECONDS)
    return Teller.of(run, place).claim(Relation.UNDER_A_WEEK, [quantity])


def relation_of(change: WeeklyChange, by_chance: bool) -> Relation:
    """How a change stands to noise."""
    advantage = change.weekly
    if advantage.weeks < FEWEST:
        return Relation.TOO_FEW_WEEKS
    if advantage.low is None:
        return Relation.DEPENDENT_WEEKS
    if not advantage.side:
        return (
            Relation.TOO_UNEVEN
            if _hides_all(advantage.change, advantage.low, advantage.high)
            else Relation.WITHIN_NOISE
        )
    # Weeks may agree on what the phases of a site's loops alone explain.
    inside = by_chance and change.label == WAITS
    return Relation.WITHIN_PHASES if inside else Relation.BEYOND_NOISE


def _hides_all(change: float, low: float, high: float | None) -> bool:
    """Whether so wide an interval, around no change, would hold twice and half as much; all in %."""
    # On the logarithm of a ratio an interval is as wide around no change as around the measured change.
    doubled = 100 + change >= 2 * (100 + low)
    return doubled and high is not None and 100 + high >= 2 * (100 + change)


def _metric(change: WeeklyChange, role: str) -> NamedThing:
    return NamedThing(role, change.label, ClaimPlace("metrics", list(FOLLOWED).index(change.label)))


def _quantities(change: WeeklyChange) -> list[ClaimQuantity]:
    """Both changes, and the interval of the weekly one where there is one."""
    advantage = change.weekly
    values = {"change": advantage.change, "per job": change.per_job}
    if advantage.low is not None and advantage.high is not None:
        values |= {"low": advantage.low, "high": advantage.high}
    quantities = [ClaimQuantity(name, value, Unit.CHANGE) for name, value in values.items()]
    return [*quantities, ClaimQuantity("weeks", advantage.weeks, Unit.WEEKS)]
