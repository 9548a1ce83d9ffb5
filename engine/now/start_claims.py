"""Claims on when a job of a queue starts, and on what changes of its request bring."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Sure, Unit
from engine.claims.starts import StartRelation
from engine.now.what_if import Outcome

_INSTEAD = re.compile(r" instead of .*?(?=, |$)")


class ExpectedSpan(NamedTuple):
    """The expected start of a job, and the span of its start, s from now."""

    early: int
    expected: int
    late: int


class OfNodes(NamedTuple):
    """What a job asks for on each of so many nodes: MiB of RAM and GPUs, or 0."""

    nodes: int
    ram: int
    gpus: int


@dataclass(frozen=True)
class StartTeller:
    """Makes claims about the start of one job: the subject, by its place in the queue or trace."""

    subject: NamedThing
    population: Population

    @classmethod
    def of(cls, name: str, place: int, submit: int) -> StartTeller:
        """The teller of a job of that name, submitted at so many s from now, or from the trace's zero."""
        return cls(NamedThing("subject", name, ClaimPlace("jobs", place)), Population(1, submit, submit))

    def asks(self, owner: str) -> Claim:
        """That the job of an owner, such as `user ann`, asks for what follows."""
        return self._claim(StartRelation.ASKS, (), [NamedThing("owner", owner, self.subject.place)])

    def request(
        self, processors: int, limit: int | None, of_nodes: OfNodes | None = None
    ) -> tuple[Claim, ...]:
        """What it asks for, a claim each: processors, what it asks of nodes, a time limit, s, or none."""
        quantities = [self._quantity("processors", processors, Unit.PROCESSORS)]
        claims = []
        if of_nodes is None:
            claims.append(self._claim(StartRelation.PROCESSORS, quantities))
        else:
            quantities.append(self._quantity("nodes", of_nodes.nodes, Unit.NODES))
            claims.append(self._claim(StartRelation.PROCESSORS_ON_NODES, quantities))
            if of_nodes.ram:
                ram = self._quantity("ram", of_nodes.ram, Unit.MIB)
                claims.append(self._claim(StartRelation.RAM_OF_NODE, [ram]))
            if of_nodes.gpus:
                gpus = self._quantity("gpus", of_nodes.gpus, Unit.GPUS)
                claims.append(self._claim(StartRelation.GPUS_OF_NODE, [gpus]))
        if limit is None:
            return (*claims, self._claim(StartRelation.FOR_ANY_TIME))
        time = self._quantity("limit", limit, Unit.SECONDS)
        return (*claims, self._claim(StartRelation.FOR_TIME, [time]))

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
        # A span says more than a planned time, which is told only where there is none.
        if span is not None:
            quantities = [
                self._quantity("start", span.expected, Unit.FROM_NOW),
                self._quantity("early", span.early, Unit.ROUGH),
                self._quantity("late", span.late, Unit.ROUGH),
            ]
            # Without a measured share the claim says less.
            if share is None:
                return self._claim(StartRelation.EXPECTED_UNSURE, quantities, sure=Sure.REPLAYED)
            quantities.append(ClaimQuantity("share", 100 * share, Unit.PERCENT))
            return self._claim(StartRelation.EXPECTED, quantities, sure=Sure.REPLAYED)
        if planned is None:
            return self._claim(StartRelation.NOT_PLANNED, sure=Sure.PLANNED)
        start = self._quantity("start", planned, Unit.FROM_NOW)
        return self._claim(StartRelation.PLANNED, [start], sure=Sure.PLANNED)

    def start_at(
        self, planned: int | None, span: ExpectedSpan | None, moment: Callable[[int], str]
    ) -> tuple[Claim, ...]:
        """The planned start, s, as `moment` spells it, and what is expected, if there are replays."""
        if planned is None:
            return (self._claim(StartRelation.NOT_PLANNED, sure=Sure.PLANNED),)

        def at(relation: StartRelation, sure: Sure, **times: int) -> Claim:
            about = [
                NamedThing(f"{name} date", moment(time), self.subject.place) for name, time in times.items()
            ]
            quantities = [self._quantity(name, time, Unit.SECONDS) for name, time in times.items()]
            return self._claim(relation, quantities, about, sure)

        claims = [at(StartRelation.PLANNED_AT, Sure.PLANNED, planned=planned)]
        if span is not None:
            claims.append(at(StartRelation.EXPECTED_AT, Sure.REPLAYED, expected=span.expected))
            claims.append(at(StartRelation.SPAN, Sure.REPLAYED, early=span.early, late=span.late))
        return tuple(claims)

    def effect(self, outcome: Outcome, moment: str | None) -> Claim:
        """The planned start of the changed job, which `moment` spells, and how much earlier that is."""
        if moment is None:
            return self._claim(StartRelation.EFFECT_NEVER, sure=Sure.PLANNED)
        if outcome.sooner == 0:
            return self._claim(StartRelation.EFFECT_SAME, sure=Sure.PLANNED)
        about = [NamedThing("moment", moment, self.subject.place)]
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
        about = [NamedThing("change", _INSTEAD.sub("", best.text), ClaimPlace("changes", place))]
        if best.done_sooner is not None:  # measured on the log
            by = self._quantity("by", best.done_sooner, Unit.ROUGH)
            return self._claim(StartRelation.HELP_ENDED, [by], about)
        if best.start is not None and (best.start < 60 or best.gain is None):
            start = self._quantity("start", best.start, Unit.FROM_NOW)
            return self._claim(StartRelation.HELP_STARTS, [start], about, Sure.PLANNED)
        # The gain is that of the plan by time limits, the start beside it is the expected start.
        by = self._quantity("by", best.gain or 0, Unit.ROUGH)
        return self._claim(StartRelation.HELP_PLANNED, [by], about, Sure.PLANNED)

    def _quantity(self, name: str, value: float, unit: Unit) -> ClaimQuantity:
        return ClaimQuantity(name, value, unit, self.subject.place)

    def _claim(
        self,
        relation: StartRelation,
        quantities: Sequence[ClaimQuantity] = (),
        about: Sequence[NamedThing] = (),
        sure: Sure = Sure.COUNTED,
    ) -> Claim:
        evidence = (self.subject.place, *(named.place for named in about if named.role == "change"))
        return Claim(self.subject, relation, tuple(quantities), tuple(about), self.population, evidence, sure)
