"""Races: policies that lose on the first part of the searched span are not simulated on the whole of it.

As in successive halving (Jamieson & Talwalkar 2016, AISTATS, 240-248), each round simulates a longer part for
fewer policies. What is dropped is not a fixed share but, as in a race (Maron & Moore 1994, NIPS 6, 59-66;
Birattari et al. 2002, GECCO, 11-18), each policy that is worse than another by more than their spread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.metrics.summary import summary
from engine.policy.policy import Policy
from engine.search.answer import Dropped, Trial, front_of
from engine.search.interval import FEWEST, effective_number
from engine.search.question import Facts, Objective, Question
from engine.search.span import FEWEST_JOBS, WARM_UP, Span, SpanMeasure, facts_of
from engine.simulation.control import Control
from engine.trace import Trace
from engine.trace.transform import select

Floats = NDArray[np.float64]

PARTS = (1 / 8, 1 / 3)
"""The parts of the searched span, from its begin on, on which races are held, one after the other."""

BLOCKS = 24
"""The spans of equal length that a part is cut into, over which the spread of a difference is taken."""


@dataclass(frozen=True, eq=False)
class RaceEntry:
    """A policy on the part of a race: its metrics, and those of each block, shape (blocks,), by name.

    A block without a value has NaN.
    """

    facts: Facts
    blocks: dict[str, Floats]


def parts_to_race(first: Trace) -> list[Trace]:
    """The parts of the searched span that have enough jobs in their blocks, the shortest first."""
    begin, end = int(first.submit[0]), int(first.submit[-1])
    parts = [select(first, end=begin + int(part * (end - begin))) for part in PARTS]
    return [part for part in parts if (1 - WARM_UP) * len(part) >= BLOCKS * FEWEST_JOBS]


class Race:
    """A race of all policies of a search on one part of the searched span.

    The baseline takes part. Policies come in groups; each is compared with those that came before or with it.
    """

    def __init__(self, span: Span, question: Question) -> None:
        self._span, self._question = span, question
        own = entry_of(span.own, question.baseline, None)
        assert own is not None, "the baseline fits the trace, as the span was measured under it"
        self._entries = {question.baseline: own}
        submit = span.own.trace.submit
        self._seconds = int(submit[-1]) - int(submit[0])

    def held(self, policies: Sequence[Policy]) -> list[Dropped | None]:
        """For each policy what it lost with; None where it stays in the search. Raises Cancelled, InputError.

        Policies that do not fit the part stay: whether they fit the log is told by the whole span.
        """
        entries = self._span.each(entry_of, policies)
        self._entries |= {
            policy: entry for policy, entry in zip(policies, entries, strict=True) if entry is not None
        }
        rivals = self._rivals()
        return [
            self._dropped(policy, entry)
            if entry is not None and any(loses(entry, rival, self._question.objectives) for rival in rivals)
            else None
            for policy, entry in zip(policies, entries, strict=True)
        ]

    def _rivals(self) -> list[RaceEntry]:
        """The entries that keep all bounds and that no other beats: only these can make a policy lose.

        Fewer comparisons than with all entries make it less likely that a policy loses by luck.
        """
        trials = [self._trial(policy, entry.facts) for policy, entry in self._entries.items()]
        return [self._entries[trial.policy] for trial in front_of(trials, self._question.objectives)]

    def _trial(self, policy: Policy, facts: Facts) -> Trial:
        kept = all(bound.excess(facts, self._span.baseline) <= 0.0 for bound in self._question.bounds)
        return Trial(policy, self._question.values_of(facts), kept)

    def _dropped(self, policy: Policy, entry: RaceEntry) -> Dropped:
        return Dropped(self._trial(policy, entry.facts), self._seconds)

    def expected(self, lost: Dropped, whole: Facts) -> dict[str, float | None]:
        """The values that a policy would have on the whole span if it stayed as far from the baseline there.

        `whole` has the metrics of the baseline on the whole span. They tell a sampler where not to look.
        """
        expected: dict[str, float | None] = {}
        for name, value in lost.trial.values.items():
            here, there = self._span.baseline[name], whole[name]
            if value is not None and here is not None and there is not None and float(here) != 0.0:
                value *= float(there) / float(here)
            expected[name] = value
        return expected


def entry_of(measure: SpanMeasure, policy: Policy, control: Control | None) -> RaceEntry | None:
    """A policy on the part of a race; None where it does not fit its jobs. Raises Cancelled."""
    found = measure.tried(policy, control)
    if found is None:
        return None
    submit, jobs = measure.trace.submit, found.jobs
    begin, end = int(submit[measure.measured].min()), int(submit[-1]) + 1
    block = np.asarray((submit - begin) * BLOCKS // (end - begin))
    values: dict[str, list[float]] = {name: [] for name in measure.objectives}
    for number in range(BLOCKS):
        metrics = summary(found.schedule, found.violations, jobs & (block == number), found.extra)
        for name, of_blocks in values.items():
            value = metrics.get(name)  # none of the user who fares worst, who differs from block to block
            of_blocks.append(np.nan if value is None else float(value))
    facts = facts_of(found, measure.own or found)
    return RaceEntry(facts, {name: np.array(of_blocks) for name, of_blocks in values.items()})


def loses(entry: RaceEntry, rival: RaceEntry, objectives: Sequence[Objective]) -> bool:
    """Whether an entry is worse than a rival in each objective, by more than their spread.

    That is, the mean difference of paired blocks is worse than its standard error, with blocks that depend
    on each other counted as fewer. An interval of 95 % would need weeks: after bad days long queues stay.
    A race may err, as halving by rank alone does: it says what not to look at, and no finalist rests on it.
    """
    if entry is rival:
        return False
    for objective in objectives:
        sign = -1.0 if objective.large else 1.0
        difference = sign * (entry.blocks[objective.metric] - rival.blocks[objective.metric])
        both = difference[~np.isnan(difference)]
        if len(both) < FEWEST:
            return False
        effective = effective_number(both)
        if effective <= 1.0:  # then nothing is known of the error
            return False
        error = float(both.std()) / math.sqrt(effective - 1.0)
        if not float(both.mean()) > error:
            return False
    return True
