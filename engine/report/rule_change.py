"""What a change of a site's rules did to waits: by the record, and by the models of both configurations.

Waits before and after a date differ by the rules and by the load. Both configurations are simulated on the
whole log, so that a model starts the second span with its own queue:

- first rules, second span against first span: what the change of the load alone brings;
- second rules against first rules, on the second span: what the change of the rules alone brings;
- second rules on the second span against first rules on the first: what the models say of both together,
  to be compared with the record.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints, Mask
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.rules import RulesRelation
from engine.claims.words import plain, render, sentence
from engine.errors import InputError
from engine.metrics.groups import job_classes
from engine.schedule.schedule import Schedule
from engine.search.interval import FEWEST, Interval, mean_interval
from engine.search.weeks import WEEK
from engine.slurm.scheduler.phases import PhasedChange, PhaseSpread, phased_change, phased_shift
from engine.trace import Trace

GROUPED = ("account", "partition", "size")
LEAST_JOBS = 30
"""Jobs of a group on each side of the date that are compared by themselves."""


@dataclass(frozen=True)
class SpanWaits:
    """Mean waits, s, of the jobs of a group that were submitted before and after a date.

    `by` is a name in GROUPED, or empty for all jobs. Pairs are (before, after): `recorded` by the log,
    `first` and `second` by the models of the rules before and after the change, on the same jobs.
    """

    by: str
    name: str
    jobs: tuple[int, int]
    recorded: tuple[float, float]
    first: tuple[float, float]
    second: tuple[float, float]

    @property
    def recorded_change(self) -> float | None:
        """The change of the recorded mean, relative to the mean before; None if nobody waited."""
        return _change(*self.recorded)

    @property
    def load_change(self) -> float | None:
        """What the other jobs of the second span bring under the first rules."""
        return _change(*self.first)

    @property
    def rules_change(self) -> float | None:
        """What the second rules bring on the second span, against the first rules there."""
        return _change(self.first[1], self.second[1])

    @property
    def model_change(self) -> float | None:
        """Rules and load together, by the models."""
        return _change(self.first[0], self.second[1])


@dataclass(frozen=True)
class RuleChange:
    """Waits before and after a change of rules, and how sure their difference is.

    `at` is in s from the trace's zero. `weeks` are those of each span; `interval` bounds the change of the
    recorded mean, relative (None under 12 weeks a side). `rules` is the change by the rules on the second
    span, and `load` that by the load under the first rules, with their spreads over phases of slurmctld's
    loops; None where no phases were simulated. `span` holds the first and the last submission of
    the jobs, s.
    """

    at: int
    whole: SpanWaits
    groups: tuple[SpanWaits, ...]
    weeks: tuple[int, int]
    interval: Interval | None
    rules: PhasedChange | None
    load: PhasedChange | None
    span: tuple[int, int] = (0, 0)

    @property
    def sentence(self) -> str:
        """What changed, how much of it the rules explain, and how sure that is."""
        recorded, *models = self.claims
        text = plain(sentence(recorded)).removesuffix(".")
        return f"{text}; {', '.join(plain(render(claim)) for claim in models)}."

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the record says, and then what the models say of rules and load."""
        return (self._recorded, *self._by_models)

    @property
    def sureness(self) -> str:
        """The interval of the recorded change in words, or why none is told."""
        relation, quantities = self._sure
        return plain(render(self._claim(relation, quantities)))

    @property
    def _sure(self) -> tuple[RulesRelation, list[ClaimQuantity]]:
        """The interval of the recorded change, or the weeks that give none."""
        if self.interval is not None:
            level = ClaimQuantity("level", LEVEL, Unit.PERCENT)
            return RulesRelation.INTERVAL, [level, *_changes(low=self.interval.low, high=self.interval.high)]
        weeks = [
            ClaimQuantity("first", self.weeks[0], Unit.NUMBER),
            ClaimQuantity("second", self.weeks[1], Unit.WEEKS),
        ]
        if min(self.weeks) < FEWEST:
            return RulesRelation.FEW_WEEKS, [*weeks, ClaimQuantity("fewest", FEWEST, Unit.NUMBER)]
        return RulesRelation.DEPENDENT_WEEKS, weeks

    @property
    def _recorded(self) -> Claim:
        """The recorded change, with its interval or the reason why none is told."""
        means = _seconds(before=self.whole.recorded[0], after=self.whole.recorded[1])
        changed = self.whole.recorded_change
        if changed is None:
            return self._claim(RulesRelation.RECORDED, means)
        sure, quantities = self._sure
        return self._claim(_WITH[sure], [*means, *_changes(change=changed), *quantities])

    @property
    def _by_models(self) -> tuple[Claim, ...]:
        """What the models say of rules and load."""
        whole = self.whole
        alone, other, together = whole.rules_change, whole.load_change, whole.model_change
        if not any((*whole.first, whole.second[1])):
            return (self._claim(RulesRelation.NOBODY_WAITS, []),)
        if alone is None or other is None or together is None:
            # A change from 0 has no percentage: the means alone are told.
            means = _seconds(old=whole.first[0], new=whole.second[1], later=whole.first[1])
            return (self._claim(RulesRelation.FROM_NOTHING, means),)
        return (
            self._in_phases(self.rules, alone, _RULES),
            self._in_phases(self.load, other, _LOAD),
            self._claim(RulesRelation.TOGETHER, _changes(change=together)),
        )

    def _in_phases(
        self, phased: PhasedChange | None, change: float, relations: Sequence[RulesRelation]
    ) -> Claim:
        """A change by one model, with its range over phases where these were simulated."""
        alone, in_phases, by_chance = relations
        if phased is None:
            return self._claim(alone, _changes(change=change))
        return self._claim(by_chance if phased.by_chance else in_phases, phased.quantities)

    def _claim(self, relation: RulesRelation, quantities: Sequence[ClaimQuantity]) -> Claim:
        """A claim on all compared jobs, on both sides of the date."""
        subject = NamedThing("subject", "the change of the rules", ClaimPlace("runs", 0))
        people = Population(sum(self.whole.jobs), *self.span)
        return Claim(subject, relation, tuple(quantities), (), people, (subject.place,))


_RULES = (RulesRelation.RULES, RulesRelation.RULES_IN_PHASES, RulesRelation.RULES_BY_CHANCE)
_LOAD = (RulesRelation.LOAD, RulesRelation.LOAD_IN_PHASES, RulesRelation.LOAD_BY_CHANCE)
_WITH = {
    RulesRelation.INTERVAL: RulesRelation.RECORDED_WITHIN,
    RulesRelation.FEW_WEEKS: RulesRelation.RECORDED_FEW_WEEKS,
    RulesRelation.DEPENDENT_WEEKS: RulesRelation.RECORDED_DEPENDENT_WEEKS,
}
"""The recorded change with how sure it is."""

LEVEL = 95.0
"""Of intervals, in %."""


def _seconds(**values: float) -> list[ClaimQuantity]:
    return [ClaimQuantity(name, value, Unit.SECONDS) for name, value in values.items()]


def _changes(**parts: float) -> list[ClaimQuantity]:
    """Relative changes in %."""
    return [ClaimQuantity(name, 100 * part, Unit.CHANGE) for name, part in parts.items()]


def rule_change(
    first: Schedule, second: Schedule, at: int, phases: tuple[PhaseSpread, PhaseSpread] | None = None
) -> RuleChange:
    """Compare the spans before and after `at`, s from the zero of the trace.

    `first` and `second` are schedules of the whole log by the rules before and after the change, `phases` the
    same under further phases. Counted are jobs that ran by the log, by both, and in every phase, so that all
    numbers are of the same jobs. Raises InputError where there are none on a side.
    """
    trace = first.trace
    jobs = first.ran & second.ran & (trace.wait >= 0)
    # A job that does not run in some phase is left out of all phases: else means would be of different jobs.
    for spread in phases or ():
        jobs &= (spread.wait >= 0).all(axis=0)
    after = trace.submit >= at
    if not (jobs & ~after).any() or not (jobs & after).any():
        side = "before" if not (jobs & ~after).any() else "after"
        raise InputError(f"{trace.name}: no job ran that was submitted {side} this date")
    sides = jobs & ~after, jobs & after
    names = {
        "account": trace.group,
        "partition": trace.queue,
        "size": job_classes(trace),
    }
    groups = []
    for by in GROUPED:
        codes = names[by].codes
        for code, name in enumerate(names[by].names):
            of_code = sides[0] & (codes == code), sides[1] & (codes == code)
            # A mean of a few jobs is no sign of a rule.
            if min(int(of_code[0].sum()), int(of_code[1].sum())) >= LEAST_JOBS:
                groups.append(_span_waits(by, name, of_code, first, second))
    weekly = [weekly_deviations(trace, side) for side in sides]
    return RuleChange(
        at=at,
        whole=_span_waits("", "all jobs", sides, first, second),
        groups=tuple(groups),
        weeks=(len(weekly[0]), len(weekly[1])),
        interval=ratio_interval(trace.wait, sides, (weekly[0], weekly[1])),
        rules=None if phases is None else phased_change(*phases, sides[1]),
        load=None if phases is None else phased_shift(phases[0], *sides),
        span=(int(trace.submit[jobs].min()), int(trace.submit[jobs].max())),
    )


def _span_waits(by: str, name: str, sides: tuple[Mask, Mask], first: Schedule, second: Schedule) -> SpanWaits:
    def means(wait: Ints) -> tuple[float, float]:
        before, after = (float(wait[side].mean()) for side in sides)
        return before, after

    counts = int(sides[0].sum()), int(sides[1].sum())
    return SpanWaits(by, name, counts, means(first.trace.wait), means(first.wait), means(second.wait))


def weekly_deviations(trace: Trace, jobs: Mask) -> Floats:
    """How far each week moves the mean wait of a span, shape (weeks,), relative to that mean.

    The mean over jobs is a ratio of two sums over weeks, S / N. To first order a week with s seconds of
    waiting of n jobs moves its logarithm by (s / S - n / N), which is told here times the number of weeks.
    """
    submit, wait = trace.submit[jobs], trace.wait[jobs]
    week = (submit - int(submit.min())) // WEEK
    jobs_of, waited = np.bincount(week).astype(np.float64), np.bincount(week, wait)
    total = float(waited.sum())
    if total <= 0.0:
        return np.zeros(len(jobs_of))
    return np.asarray(len(jobs_of) * (waited / total - jobs_of / jobs_of.sum()))


def ratio_interval(wait: Ints, sides: tuple[Mask, Mask], weekly: tuple[Floats, Floats]) -> Interval | None:
    """The 95 % interval of the relative change of the mean wait between two spans that share no week.

    The variances of both logarithms add, since the spans are apart; `mean_interval` gives each. The bounds
    are those of a ratio, and never below -1. None where either span has too few independent weeks.
    """
    before, after = (float(wait[side].mean()) for side in sides)
    bounds = [mean_interval(deviations) for deviations in weekly]
    if before <= 0.0 or after <= 0.0 or bounds[0] is None or bounds[1] is None:
        return None
    # A mean before that is too large makes the change too small: its bounds change sides.
    low = math.hypot(bounds[1].low, bounds[0].high)
    high = math.hypot(bounds[1].high, bounds[0].low)
    ratio = math.log(after / before)
    return Interval(math.exp(ratio - low) - 1.0, math.exp(ratio + high) - 1.0)


def reported(change: RuleChange) -> Iterator[SpanWaits]:
    """All jobs first, then the groups in the order of GROUPED, the largest first."""
    yield change.whole
    for by in GROUPED:
        yield from sorted((g for g in change.groups if g.by == by), key=lambda group: -sum(group.jobs))


def _change(before: float, after: float) -> float | None:
    return after / before - 1.0 if before > 0.0 else None
