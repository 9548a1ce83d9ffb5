"""Claims on when a job of a queue starts, and on what changes of its request bring."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.claims.claim import Claim, Named, Place, Population, Quantity, Sure, Unit
from engine.claims.starts import StartRelation
from engine.now.what_if import Outcome

_INSTEAD = re.compile(r" instead of .*?(?=, |$)")


class ExpectedSpan(NamedTuple):
    """The expected start of a job, and the span of its start, s from now."""

    early: int
    expected: int
    late: int


@dataclass(frozen=True)
class StartTeller:
    """Makes claims about the start of one job: the subject, by its place in the queue or trace."""

    subject: Named
    population: Population

    @classmethod
    def of(cls, name: str, place: int, submit: int) -> StartTeller:
        """The teller of a job of that name, submitted at so many s from now, or from the trace's zero."""
        return cls(Named("subject", name, Place("jobs", place)), Population(1, submit, submit))

    def asks(self, user: str, processors: int, limit: int | None) -> Claim:
        """What it asks for: processors, and a time limit, s, if it has one."""
        about = [Named("user", f"user {user}", self.subject.place)]
        quantities = [self._quantity("processors", processors, Unit.PROCESSORS)]
        if limit is None:
            return self._claim(StartRelation.ASKS, quantities, about)
        quantities.append(self._quantity("limit", limit, Unit.SECONDS))
        return self._claim(StartRelation.ASKS_FOR_TIME, quantities, about)

    def has_waited(self, seconds: int) -> Claim:
        """How long it has waited so far, s."""
        return self._claim(StartRelation.HAS_WAITED, [self._quantity("waited", seconds, Unit.SECONDS)])

    def has_run(self, elapsed: int, limit: int | None) -> Claim:
        """How long it has run, and when its time limit ends it; s."""
        quantities = [self._quantity("elapsed", elapsed, Unit.SECONDS)]
        if limit is None:
            return self._claim(StartRelation.HAS_RUN, quantities)
        quantities.append(self._quantity("left", max(limit - elapsed, 0), Unit.SECONDS))
        return self._claim(StartRelation.HAS_RUN_WITH_LIMIT, quantities)

    def runs(self) -> Claim:
        """That it runs."""
        return self._claim(StartRelation.RUNS)

    def start(self, planned: int | None, span: ExpectedSpan | None, share: float | None) -> Claim:
        """When it starts: by the plan (s from now, None without one), or as expected.

        `share` of the starts come within such spans, from 0 to 1; None where that is not known.
        """
        if span is not None:
            quantities = [
                self._quantity("start", span.expected, Unit.FROM_NOW),
                self._quantity("early", span.early, Unit.ROUGH),
                self._quantity("late", span.late, Unit.ROUGH),
            ]
            if share is None:
                return self._claim(StartRelation.EXPECTED_UNSURE, quantities, sure=Sure.REPLAYED)
            quantities.append(Quantity("share", 100 * share, Unit.PERCENT))
            return self._claim(StartRelation.EXPECTED, quantities, sure=Sure.REPLAYED)
        if planned is None:
            return self._claim(StartRelation.NOT_PLANNED, sure=Sure.PLANNED)
        start = self._quantity("start", planned, Unit.FROM_NOW)
        return self._claim(StartRelation.PLANNED, [start], sure=Sure.PLANNED)

    def effect(self, outcome: Outcome, moment: str | None) -> Claim:
        """The planned start of the changed job, which `moment` spells, and how much earlier that is."""
        if moment is None:
            return self._claim(StartRelation.EFFECT_NEVER, sure=Sure.PLANNED)
        if outcome.sooner == 0:
            return self._claim(StartRelation.EFFECT_SAME, sure=Sure.PLANNED)
        about = [Named("moment", moment, self.subject.place)]
        if outcome.sooner is None:
            return self._claim(StartRelation.EFFECT_PLANNED, (), about, Sure.PLANNED)
        earlier = outcome.sooner > 0
        relation = StartRelation.EFFECT_EARLIER if earlier else StartRelation.EFFECT_LATER
        by = self._quantity("by", abs(outcome.sooner), Unit.SECONDS)
        return self._claim(relation, [by], about, Sure.PLANNED)

    def help(self, outcomes: Sequence[Outcome]) -> Claim | None:
        """What the best of the tried changes brings; None if none was tried."""
        helping = [place for place, outcome in enumerate(outcomes) if outcome.helps]
        if not helping:
            return self._claim(StartRelation.NO_HELP) if outcomes else None
        place = max(helping, key=lambda place: outcomes[place].gain or 0)
        best = outcomes[place]
        # Its user knows the request as it is; the full text has both.
        about = [Named("change", _INSTEAD.sub("", best.text), Place("changes", place))]
        if best.done_sooner is not None:  # measured on the log
            by = self._quantity("by", best.done_sooner, Unit.ROUGH)
            return self._claim(StartRelation.HELP_ENDED, [by], about)
        if best.start is not None and (best.start < 60 or best.gain is None):
            start = self._quantity("start", best.start, Unit.FROM_NOW)
            return self._claim(StartRelation.HELP_STARTS, [start], about, Sure.PLANNED)
        # Of the plan by time limits, where the start that is told beside it is the expected one.
        by = self._quantity("by", best.gain or 0, Unit.ROUGH)
        return self._claim(StartRelation.HELP_PLANNED, [by], about, Sure.PLANNED)

    def _quantity(self, name: str, value: float, unit: Unit) -> Quantity:
        return Quantity(name, value, unit, self.subject.place)

    def _claim(
        self,
        relation: StartRelation,
        quantities: Sequence[Quantity] = (),
        about: Sequence[Named] = (),
        sure: Sure = Sure.COUNTED,
    ) -> Claim:
        evidence = (self.subject.place, *(named.place for named in about if named.role == "change"))
        return Claim(self.subject, relation, tuple(quantities), tuple(about), self.population, evidence, sure)
