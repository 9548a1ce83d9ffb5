"""Reasons of waits of random runs: every claim holds before its judge, every number is its quantity."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings

from engine.claims.claim import Claim
from engine.claims.waits import WAIT_SENTENCES, WaitRelation
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.schedule.explain import ReasonInterval, explain, reason_so_far
from engine.schedule.schedule import Decision, Schedule
from engine.simulation.run import simulate
from tests.engine.schedule.wait_judges import JUDGES, Watched, holds
from tests.engine.simulation.workloads import Case, cases
from tests.engine.verdict.drawn import check_words
from tests.traces import make_trace


@settings(max_examples=60, phases=(Phase.generate,))  # shrinking takes minutes
@given(cases())
def test_each_claim_of_a_wait_holds(case: Case) -> None:
    check(simulate(*case, log=True))


@pytest.mark.parametrize("policy", ["conservative", "easy", "easy:depth=2", "fcfs"])
def test_what_changes_within_a_reason_is_said(policy: str) -> None:
    """Reasons last while other jobs end, so that numbers and names of their first second go stale."""
    runtimes = [30, 50, 70, 90, 40, 20, 60, 80, 35, 45]
    trace = make_trace(
        list(range(10)),
        runtimes,
        [3, 3, 3, 3, 8, 5, 1, 12, 2, 9],
        walltime=[runtime + 60 * (job % 3) for job, runtime in enumerate(runtimes)],
        user=[f"u{job % 3}" for job in range(10)],
    )
    check(simulate(trace, Cluster.pool(12), parse_policy(policy), log=True))


def check(schedule: Schedule) -> None:
    """All claims about all waits of a schedule hold, and so do their sums by kind."""
    watched = Watched(schedule)
    for job in range(len(schedule.start)):
        explanation = explain(schedule, job)
        for interval in explanation.intervals:
            assert interval.claims
            for claim in interval.claims:
                assert holds(claim, [(interval.begin, interval.end)], watched), (str(schedule.policy), claim)
            check_words(interval.words)
            # At an instant nothing of what comes later is told.
            middle = (interval.begin + interval.end) // 2
            so_far = reason_so_far(schedule, job, middle)
            assert so_far is not None
            assert (so_far.begin, so_far.end) == (interval.begin, middle + 1)
            if interval.kind is not Decision.STOPPED:  # it runs then, and nothing is asked of it
                assert all(holds(claim, [(interval.begin, middle + 1)], watched) for claim in so_far.claims)
        for cause in explanation.summary:
            own = [interval for interval in explanation.intervals if interval.kind is cause.kind]
            assert cause.seconds == sum(interval.seconds for interval in own)
            for claim in cause.claims:
                assert _sums_up(claim, own, watched), (str(schedule.policy), claim)
            check_words(cause.words)


def _sums_up(claim: Claim, own: list[ReasonInterval], watched: Watched) -> bool:
    """Whether a claim about all intervals of a kind holds of them."""
    relation = claim.relation
    if relation in (WaitRelation.KEPT_FREE, WaitRelation.KEPT_FREE_AND_OTHERS):
        seconds: dict[int, int] = {}
        for interval in own:
            if interval.claims[0].relation is WaitRelation.KEPT_FREE:
                seconds[interval.value] = seconds.get(interval.value, 0) + interval.seconds
        others = claim.quantity("others").value if claim.quantities else 0
        (named,) = claim.about
        return seconds[named.place.row] == max(seconds.values()) and others == len(seconds) - 1
    # Sums of these kinds are several claims, each about the intervals that say the same.
    apart = own[0].kind in (Decision.LIMIT, Decision.UNTRIED, Decision.RESERVATION)
    alike = [each for each in own if not apart or relation in {claim.relation for claim in each.claims}]
    return holds(claim, [(each.begin, each.end) for each in alike], watched)


def test_each_kind_has_a_judge_but_those_of_sites_and_of_full_logs() -> None:
    assert set(WaitRelation) - set(JUDGES) == {
        WaitRelation.KEPT_FREE_AND_OTHERS,  # said of sums, which are told from the intervals
        WaitRelation.PROCESSORS_MISSING_AT_FIRST,
        WaitRelation.RAM_MISSING_AT_FIRST,
        WaitRelation.PREEMPTED,
        WaitRelation.PREEMPTED_MORE,
        WaitRelation.UNTOLD,
    }


def test_each_kind_has_a_sentence_without_digits() -> None:
    assert set(WAIT_SENTENCES) == set(WaitRelation)
    assert not any(character.isdigit() for text in WAIT_SENTENCES.values() for character in text)
