"""Claims on a change of rules before a judge that counts the waits of drawn schedules itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim
from engine.claims.rules import RulesRelation
from engine.claims.words import plain, render
from engine.policy.policy import parse_policy
from engine.report.rule_change import rule_change
from engine.search.weeks import WEEK
from engine.simulation.run import simulate
from engine.slurm.scheduler.phases import PhaseSpread
from tests.engine.verdict.drawn import check_words
from tests.traces import make_trace


@dataclass(frozen=True)
class Sides:
    """The waits of jobs before and after a date, s: by the record, and in each phase by both rules."""

    recorded: tuple[list[int], list[int]]
    old: list[tuple[list[int], list[int]]]
    new: list[tuple[list[int], list[int]]]
    weeks: tuple[int, int]


def change(before: Sequence[int], after: Sequence[int]) -> float:
    """The change of a mean wait that is not 0, in %."""
    return 100 * (fmean(after) - fmean(before)) / fmean(before)


def changes_of(relation: str, sides: Sides) -> list[float]:
    """The change that a claim on `RULES` or `LOAD` is about, in every phase; empty where one is from 0."""
    if relation.startswith("RULES"):  # phases of two machines are independent of each other
        pairs = [(old[1], new[1]) for old in sides.old for new in sides.new]
    else:
        pairs = [(old[0], old[1]) for old in sides.old]
    return [change(*pair) for pair in pairs] if all(fmean(pair[0]) for pair in pairs) else []


def holds(claim: Claim, sides: Sides) -> bool:
    """Whether what is said of a change of rules is so."""
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    old, new, kind = sides.old[0], sides.new[0], claim.relation

    def tells(**values: float) -> bool:
        return all(said[name] == pytest.approx(value, abs=1e-6) for name, value in values.items())

    means = dict(zip(("before", "after"), map(fmean, sides.recorded), strict=True))
    weeks = dict(zip(("first", "second"), sides.weeks, strict=True))
    match kind:
        case RulesRelation.RECORDED:
            return tells(**means) and means["before"] == 0
        case RulesRelation.RECORDED_FEW_WEEKS:
            told = tells(**means, **weeks, change=change(*sides.recorded), fewest=12)
            return told and min(sides.weeks) < 12
        case RulesRelation.RECORDED_DEPENDENT_WEEKS:
            return tells(**means, **weeks, change=change(*sides.recorded)) and min(sides.weeks) >= 12
        case RulesRelation.RECORDED_WITHIN:
            told = tells(**means, change=change(*sides.recorded), level=95) and min(sides.weeks) >= 12
            return told and -100 <= said["low"] <= said["change"] <= said["high"]
        case RulesRelation.NOBODY_WAITS:
            return not any((*old[0], *old[1], *new[1]))
        case RulesRelation.FROM_NOTHING:
            told = tells(old=fmean(old[0]), later=fmean(old[1]), new=fmean(new[1]))
            return told and 0 in (said["old"], said["later"]) and any(said.values())
        case RulesRelation.TOGETHER:
            return tells(change=change(old[0], new[1]))
        case RulesRelation.RULES | RulesRelation.LOAD:
            alone = change(old[1], new[1]) if kind is RulesRelation.RULES else change(*old)
            # Of phases nothing is told where there is one, or where a change would be from 0 in one.
            return tells(change=alone) and (len(sides.old) == 1 or not changes_of(kind.name, sides))
        case (
            RulesRelation.RULES_IN_PHASES
            | RulesRelation.LOAD_IN_PHASES
            | RulesRelation.RULES_BY_CHANCE
            | RulesRelation.LOAD_BY_CHANCE
        ):
            found = changes_of(kind.name, sides)
            told = tells(change=found[0], low=min(found), high=max(found), phases=len(sides.old))
            by_chance = min(found) <= 1e-9 and max(found) >= -1e-9
            return told and by_chance == kind.name.endswith("BY_CHANCE")
    return False


SURE = {
    RulesRelation.RECORDED_WITHIN: RulesRelation.INTERVAL,
    RulesRelation.RECORDED_FEW_WEEKS: RulesRelation.FEW_WEEKS,
    RulesRelation.RECORDED_DEPENDENT_WEEKS: RulesRelation.DEPENDENT_WEEKS,
}
"""What is said beside the recorded change of how sure it is, and by itself in the report's table."""

FIRST_WORDS = {
    RulesRelation.INTERVAL: "95 % interval ",
    RulesRelation.FEW_WEEKS: "{first} and {second} week",
    RulesRelation.DEPENDENT_WEEKS: "{first} and {second} weeks depend",
}


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_what_is_said_of_a_change_of_rules_holds(data: st.DataObject) -> None:
    jobs, phases = data.draw(st.integers(2, 40)), data.draw(st.integers(1, 3))
    span, trend = data.draw(st.sampled_from((4, 30, 60))) * WEEK, data.draw(st.booleans())

    def drawn() -> list[int]:
        most = data.draw(st.sampled_from((0, 1, 300)))
        return data.draw(st.lists(st.integers(0, most), min_size=jobs, max_size=jobs))

    submit = sorted(data.draw(st.lists(st.integers(0, span), min_size=jobs, max_size=jobs)))
    if data.draw(st.booleans()):  # a job in most weeks: enough of them for an interval
        submit = [span * job // jobs for job in range(jobs)]
    recorded = [100 + time // WEEK * 50 for time in submit] if trend else drawn()
    old, new = ([drawn() for _ in range(phases)] for _ in range(2))
    at = data.draw(st.sampled_from((span // 2, data.draw(st.integers(1, span)))))
    sides = [[job for job in range(jobs) if (submit[job] >= at) == after] for after in (False, True)]
    assume(all(sides))
    trace = make_trace(submit=submit, runtime=[50] * jobs, wait=recorded)
    easy = simulate(trace, trace.cluster, parse_policy("easy"))
    models = [replace(easy, start=trace.submit + np.array(model[0])) for model in (old, new)]
    spreads = (PhaseSpread(np.array(old)), PhaseSpread(np.array(new))) if phases > 1 else None
    found = rule_change(models[0], models[1], at, spreads)

    def by_side(waits: Sequence[int]) -> tuple[list[int], list[int]]:
        return [waits[job] for job in sides[0]], [waits[job] for job in sides[1]]

    first, second = ((submit[own[-1]] - submit[own[0]]) // WEEK + 1 for own in sides)
    case = Sides(by_side(recorded), [*map(by_side, old)], [*map(by_side, new)], (first, second))
    for claim in found.claims:
        assert holds(claim, case), (claim, case)
        assert claim.population.jobs == jobs
        check_words(render(claim))
        for quantity in claim.quantities:
            if quantity.name in ("low", "high") and claim.relation is RulesRelation.RECORDED_WITHIN:
                continue  # the test of intervals counts how often these hold
            wrong = [replace(own, value=own.value + 7 * (own is quantity)) for own in claim.quantities]
            assert not holds(replace(claim, quantities=tuple(wrong)), case), quantity
    told = RulesRelation(found.claims[0].relation)
    if told in SURE:
        assert found.sureness in plain(render(found.claims[0]))
        assert found.sureness.startswith(FIRST_WORDS[SURE[told]].format(first=first, second=second))
