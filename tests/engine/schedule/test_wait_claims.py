"""Reasons of waits of random runs: every claim holds before its judge, every number is its quantity."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim, ClaimQuantity, Unit
from engine.claims.waits import WAIT_SENTENCES, WaitRelation
from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.power import NodePower, PowerModel, Rates, with_power
from engine.policy.policy import Policy, parse_policy
from engine.schedule.explain import ReasonInterval, explain, reason_so_far
from engine.schedule.schedule import Decision, Schedule
from engine.simulation.log_buffer import MOST_ROWS
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


@settings(max_examples=40, phases=(Phase.generate,))
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 60), st.integers(1, 8)), min_size=2, max_size=12),
    st.sampled_from(("easy", "conservative", "aggressive", "easy:depth=0,pass_every=3")),
)
def test_what_is_said_of_a_cap_on_power_holds(jobs: list[tuple[int, int, int]], policy: str) -> None:
    """Eight of twelve processors may be busy at once."""
    apart, runtimes, procs = zip(*jobs, strict=True)
    cluster = with_power(Cluster.pool(12), PowerModel((NodePower(idle_w=100, core_w=20, gpu_w=0),)))
    trace = make_trace(np.cumsum(apart), list(runtimes), list(procs), cluster=cluster)
    capped = parse_policy(policy).with_keys(power_cap="1.36")
    check(simulate(trace, cluster, capped, log=True))


@settings(max_examples=40, phases=(Phase.generate,))
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 60), st.integers(1, 8)), min_size=2, max_size=12),
    st.sampled_from(("easy", "conservative", "aggressive", "easy:depth=0,pass_every=3", "fcfs")),
    st.sampled_from(("power_cap=series", "price_below=0.2,price_wait=40")),
)
def test_what_is_said_of_hours_holds(jobs: list[tuple[int, int, int]], policy: str, key: str) -> None:
    """Eight to twelve of twelve processors may be busy at once; energy is dear every other time."""
    apart, runtimes, procs = zip(*jobs, strict=True)
    assume(policy != "conservative" or "price" not in key)
    time = np.array([0, 30, 60, 90, 150])
    model = PowerModel(
        (NodePower(idle_w=100, core_w=20, gpu_w=0),),
        price=Rates(time, np.array([0.3, 0.1, 0.3, 0.1, 0.3])),
        cap=Rates(time, np.array([1.36, 1.44, 1.38, 1.44, 1.36])),
    )
    cluster = with_power(Cluster.pool(12), model)
    trace = make_trace(np.cumsum(apart), list(runtimes), list(procs), cluster=cluster)
    check(simulate(trace, cluster, parse_policy(f"{policy}{',' if ':' in policy else ':'}{key}"), log=True))


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
        spans = [(each.begin, each.end) for each in own]
        if relation is WaitRelation.KEPT_FREE_AND_OTHERS and not holds(claim, spans, watched):
            return False
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


def site_of(folder: Path, *lines: str) -> Policy:
    """A site of two nodes of 4 CPUs, whose partitions have the rest of the lines."""
    conf = folder / "slurm.conf"
    conf.write_text("\n".join(("NodeName=a[1-2] CPUs=4", *lines, "")))
    return parse_policy(f"site:{conf}")


def judged_at_site(schedule: Schedule) -> list[Claim]:
    """All claims on waits of a schedule of a site, each of which holds; other reasons have none."""
    watched, claims = Watched(schedule), []
    for job in range(len(schedule.start)):
        explanation = explain(schedule, job)
        for interval in explanation.intervals:
            for claim in interval.claims:
                assert holds(claim, [(interval.begin, interval.end)], watched), claim
                claims.append(claim)
        for cause in explanation.summary:
            own = [each for each in explanation.intervals if each.kind is cause.kind]
            for claim in cause.claims:
                assert holds(claim, [(each.begin, each.end) for each in own], watched), claim
                claims.append(claim)
            if cause.claims:
                check_words(cause.words)
    return claims


@pytest.mark.parametrize("seed", range(4))
def test_processors_that_are_missing_at_first_are_told_of_sites(seed: int, tmp_path: Path) -> None:
    draw, jobs = np.random.default_rng(seed), 15
    policy = site_of(tmp_path, "PartitionName=batch Nodes=ALL")
    trace = make_trace(
        np.cumsum(draw.integers(0, 40, jobs)),
        draw.integers(60, 600, jobs),
        draw.choice([1, 2, 4, 8], jobs),
        queue=["batch"] * jobs,
    )
    assert policy.site is not None
    schedule = simulate(trace, policy.site.conf.machine, policy, log=True)
    claims = judged_at_site(schedule)
    told = [claim for claim in claims if claim.relation is WaitRelation.PROCESSORS_MISSING_AT_FIRST]
    assert told
    for claim in told:
        wrong = tuple(replace(each, value=each.value + 8) for each in claim.quantities)
        begin = next(
            each.begin
            for each in explain(schedule, claim.subject.place.row).intervals
            if each.kind is Decision.CPUS
        )
        assert not holds(replace(claim, quantities=wrong), [(begin, begin + 1)], Watched(schedule))


def test_preempted_runs_are_told_with_who_came_first(tmp_path: Path) -> None:
    """A job of the low partition is preempted by two of the high one, one after the other."""
    policy = site_of(
        tmp_path,
        "PartitionName=low Nodes=ALL PriorityTier=1 PreemptMode=REQUEUE",
        "PartitionName=high Nodes=ALL PriorityTier=2",
        "PriorityType=priority/basic",
        "PreemptType=preempt/partition_prio",
        "PreemptMode=REQUEUE",
    )
    trace = make_trace(
        [0, 100, 2000], [3000, 300, 300], 8, walltime=[4000] * 3, queue=["low", "high", "high"]
    )
    assert policy.site is not None
    schedule = simulate(trace, policy.site.conf.machine, policy, log=True)
    assert schedule.stopped.job.tolist() == [0, 0]
    claims = judged_at_site(schedule)
    kinds = [claim.relation for claim in claims]
    assert kinds.count(WaitRelation.PREEMPTED) == 2  # of both intervals
    (more,) = (claim for claim in claims if claim.relation is WaitRelation.PREEMPTED_MORE)
    assert more.quantity("others").value == 1
    runs = [*zip(schedule.stopped.start.tolist(), schedule.stopped.end.tolist(), strict=True)]
    wrong = (replace(more.quantity("others"), value=2),)
    assert not holds(replace(more, quantities=wrong), runs, Watched(schedule))


def test_a_full_log_is_told_where_more_changed_than_it_has_room_for() -> None:
    short = 2 * MOST_ROWS
    trace = make_trace(
        [0] * short + [1], [*range(10, 10 + short), 50], [1] * short + [short], user=["v"] * short + ["u"]
    )
    schedule = simulate(trace, Cluster.pool(short), parse_policy("easy"), log=True)
    interval = explain(schedule, short).intervals[-1]
    (claim,) = interval.claims
    assert claim.relation is WaitRelation.UNTOLD
    watched = Watched(schedule)
    assert holds(claim, [(interval.begin, interval.end)], watched)
    assert not holds(claim, [(20, 21)], watched)  # too little had changed by then


def test_ram_that_is_missing_at_first_is_that_of_the_first_second() -> None:
    trace = make_trace(
        [0, 1], [50, 50], [1, 1], ram=[6, 5], user=["a", "b"], cluster=Cluster((NodeGroup(1, 4, 8),))
    )
    schedule = simulate(trace, trace.cluster, parse_policy("fcfs"), log=True)
    (interval,) = explain(schedule, 1).intervals
    (claim,) = interval.claims
    assert interval.kind is Decision.RAM
    first = replace(claim, relation=WaitRelation.RAM_MISSING_AT_FIRST)
    for missing in (2, 3, 4):
        asked, most = ClaimQuantity("asked", 1, Unit.MIB), ClaimQuantity("most", missing, Unit.MIB)
        told = replace(first, quantities=(most, asked))
        assert holds(told, [(interval.begin, interval.end)], Watched(schedule)) == (missing == 3)


def test_each_kind_has_a_judge() -> None:
    assert set(WaitRelation) == set(JUDGES)


def test_each_kind_has_a_sentence_without_digits() -> None:
    assert set(WAIT_SENTENCES) == set(WaitRelation)
    assert not any(character.isdigit() for text in WAIT_SENTENCES.values() for character in text)
