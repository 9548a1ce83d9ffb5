"""Claims on what is inferred of a wait, and on events in it, before judges by starts and decision log."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from string import Formatter

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.answer.inferred_reasons import infer_wait
from engine.answer.wait_claims import event_claims, inferred_claims, inferred_spans, reason_claim
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.inferred_claims import INFERRED_SENTENCES, EventRelation, InferredRelation
from engine.claims.words import render, sentence
from engine.machine.cluster import Cluster, NodeGroup
from engine.policy.policy import parse_policy
from engine.schedule.explain import explain
from engine.schedule.schedule import Decision, Schedule
from engine.simulation.log_buffer import MOST_ROWS
from engine.simulation.run import simulate
from engine.trace import Names, Trace
from tests.engine.verdict.drawn import DIGIT, check_words, logs
from tests.traces import make_trace


def seconds_of(schedule: Schedule, job: int) -> dict[InferredRelation, int]:
    """The wait of a job second by second, by what its machine of one node has too little of."""
    cluster, start, end = schedule.cluster, schedule.start.tolist(), schedule.end.tolist()
    ram = schedule.trace.ram.clip(0).tolist()
    found = dict.fromkeys(InferredRelation, 0)
    trace, submit = schedule.trace, int(schedule.submit[job])
    barred = submit + (0 if trace.held is None else int(trace.held[job]))
    # Each second of the wait has one reason, the first that holds: they add up to the wait.
    for now in range(submit, start[job]):
        if now < barred:
            found[InferredRelation.BARRED] += 1
            continue
        running = [other for other in range(len(start)) if start[other] <= now < end[other]]
        free = cluster.cpus - sum(int(schedule.procs[other]) for other in running)
        left = None if cluster.ram is None else cluster.ram - sum(ram[other] for other in running)
        if free < schedule.procs[job]:
            found[InferredRelation.TOO_FEW] += 1
        elif left is not None and left < ram[job]:
            found[InferredRelation.TOO_LITTLE_RAM] += 1
        else:
            found[InferredRelation.ENOUGH] += 1
    return found


NO_REASONS = ("None", "", "Unknown")
REASONS = ("Priority", "Resources", "QOSMaxJobsPerUserLimit", *NO_REASONS)


def infers(claim: Claim, schedule: Schedule) -> bool:
    """Whether what is inferred of a job is so, by the starts and ends of all jobs, which all ran."""
    job = claim.subject.place.row
    submit, start = (each.tolist() for each in (schedule.submit, schedule.start))
    users = schedule.trace.user.codes.tolist()
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    jobs = range(len(start))
    match claim.relation:
        case (
            InferredRelation.BARRED
            | InferredRelation.TOO_FEW
            | InferredRelation.TOO_LITTLE_RAM
            | InferredRelation.ENOUGH
        ):
            return said["time"] == seconds_of(schedule, job)[InferredRelation(claim.relation)] > 0
        case InferredRelation.OTHERS_WAITED:
            return said["others"] == sum(
                submit[other] <= submit[job] < start[other] for other in jobs if other != job
            )
        case InferredRelation.USER_HELD:
            there = [other for other in jobs if start[other] <= submit[job] < schedule.end[other]]
            own = [int(schedule.procs[other]) for other in there if users[other] == users[job]]
            return said["processors"] == sum(own)
        case InferredRelation.NAMED_REASON:
            named, (said_of,) = schedule.trace.reason, claim.about
            assert named is not None
            word = named.names[named.codes[job]]
            return not said and said_of.name == word and word not in NO_REASONS
        case InferredRelation.PASSED | InferredRelation.PASSED_MORE:
            # Those that came later and began earlier; the text may name only some, and gives the number of
            # the rest.
            passed = {other for other in jobs if other > job and start[other] < start[job]}
            told = {each.place.row for each in claim.about}
            return told <= passed and said["passed"] == len(passed) == len(told) + said.get("more", 0)
    return False


@settings(max_examples=40, deadline=None, phases=(Phase.generate,))
@given(logs(), st.booleans(), st.booleans(), st.booleans())
def test_what_is_inferred_of_random_logs_holds(
    trace: Trace, with_ram: bool, with_holds: bool, with_reasons: bool
) -> None:
    if not trace.has_recorded_schedule:
        return
    if with_ram:
        drawn = np.arange(len(trace)) * 7 % 20
        trace = replace(trace, ram=drawn, cluster=Cluster((NodeGroup(1, 16, 24),)))
    trace = replace(trace, wait=trace.wait // 8)  # seconds that a judge can count
    if with_holds:
        held = np.where(np.arange(len(trace)) % 3 == 0, trace.wait // 2, 0)
        trace = replace(trace, held=held)
    if with_reasons:
        codes = (np.arange(len(trace)) * 5 % len(REASONS)).astype(np.int32)
        trace = replace(trace, reason=Names(codes, REASONS))
    schedule = simulate(trace, trace.cluster, parse_policy("recorded"))
    for job in range(len(trace)):
        found = infer_wait(schedule, job)
        if found is None:
            continue
        named = with_reasons and REASONS[job * 5 % len(REASONS)] not in NO_REASONS
        told = ["".join(span.text for span in spans) for spans in inferred_spans(schedule, job, found)]
        assert told[0].startswith("The log names a reason: ") == named
        if named:
            assert infers(reason_claim(schedule, job, found), schedule)
            nobody = replace(found, reason="Dependency")
            assert not infers(reason_claim(schedule, job, nobody), schedule)
        for claim in (claim for line in inferred_claims(schedule, job, found) for claim in line):
            assert infers(claim, schedule), claim
            for own in claim.quantities:
                wrong = tuple(
                    replace(each, value=each.value + 7 * (each is own)) for each in claim.quantities
                )
                assert not infers(replace(claim, quantities=wrong), schedule)
        for spans in inferred_spans(schedule, job, found):
            check_words(spans)


def promised(schedule: Schedule, job: int) -> Iterator[tuple[int, int]]:
    """The reservations of a job in the log of decisions: when each was made, and its start, s."""
    log = schedule.log
    for time, own, kind, value in zip(
        log.time.tolist(), log.job.tolist(), log.kind.tolist(), log.value.tolist(), strict=True
    ):
        if own == job and kind == Decision.RESERVED:
            yield time, value


def is_full(schedule: Schedule, job: int) -> bool:
    """Whether the log of decisions had no room for all reasons of a job while it still waited."""
    log = schedule.log
    own = log.job == job
    full = (log.kind[own] == Decision.UNTOLD) & (log.time[own] < schedule.start[job])
    return bool(full.any()) and int(own.sum()) >= MOST_ROWS


def happened(claim: Claim, schedule: Schedule) -> bool:
    """Whether an event of a job is in the log of decisions."""
    job = claim.subject.place.row
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    plans, start = list(promised(schedule, job)), int(schedule.start[job])
    submit = schedule.submit.tolist()
    match claim.relation:
        case EventRelation.RESERVED:
            return (said["made"], said["planned"]) == plans[0]
        case EventRelation.RESERVED_ANEW:
            starts = [planned for _, planned in plans]
            moves = sum(one != other for one, other in pairwise(starts))
            return (said["made"], said["planned"]) == plans[-1] and said["times"] == moves > 0
        case EventRelation.LATER_PLANS_UNTOLD:
            return bool(plans) and is_full(schedule, job)
        case EventRelation.STARTED_THEN:
            return start == plans[-1][1] and not is_full(schedule, job)
        case EventRelation.STARTED_AFTER:
            return said["off"] == start - plans[-1][1] > 0 and not is_full(schedule, job)
        case EventRelation.STARTED_BEFORE:
            return said["off"] == plans[-1][1] - start > 0 and not is_full(schedule, job)
        case EventRelation.OVERTAKEN | EventRelation.OVERTAKEN_MORE:
            told = [each.place.row for each in claim.about]
            # Each came later, and started while the job waited.
            return said["overtaking"] == len(told) + said.get("more", 0) and all(
                other > job and submit[job] <= schedule.start[other] <= start for other in told
            )
        case EventRelation.BACKFILLED:
            (passed,) = (each.place.row for each in claim.about)
            return (
                passed < job and said["waited"] == start - submit[passed] and schedule.start[passed] >= start
            )
    return False


@settings(max_examples=30, deadline=None, phases=(Phase.generate,))
@given(logs(), st.sampled_from(("easy", "conservative", "easy:order=sjf")))
def test_what_happened_in_waits_of_random_logs_is_in_the_decision_log(trace: Trace, policy: str) -> None:
    schedule = simulate(trace, trace.cluster, parse_policy(policy), log=True)
    in_order = "order" not in policy
    for job in range(len(trace)):
        claims = event_claims(schedule, explain(schedule, job), lambda time: f"{time:.0f} s")
        for claim in claims:
            ordered = claim.relation is EventRelation.BACKFILLED or "OVERTAKEN" in claim.relation.name
            assert happened(claim, schedule) or (ordered and not in_order), claim
            assert claim.population == Population(1, int(schedule.submit[job]), int(schedule.submit[job]))
            check_words(sentence(claim))


@settings(max_examples=6, deadline=None, phases=(Phase.generate,))
@given(st.integers(MOST_ROWS // 3, 2 * MOST_ROWS), st.sampled_from(("easy", "conservative")))
def test_plans_that_the_log_has_no_room_for_are_not_told(many: int, policy: str) -> None:
    """A job of the whole machine waits for narrow ones, each of which ends before its limit and moves it."""
    runtime = np.arange(10, 10 + many)
    trace = make_trace(
        [0] * many + [1],
        [*runtime, 50],
        [1] * many + [many],
        walltime=[*(runtime + many), 50],
        cluster=Cluster.pool(many),
    )
    schedule = simulate(trace, trace.cluster, parse_policy(policy), log=True)
    claims = list(event_claims(schedule, explain(schedule, many), lambda time: f"{time:.0f} s"))
    for claim in claims:
        assert happened(claim, schedule), claim
        check_words(sentence(claim))
    kinds = {claim.relation for claim in claims}
    assert EventRelation.RESERVED in kinds
    assert (EventRelation.LATER_PLANS_UNTOLD in kinds) == is_full(schedule, many)
    if many >= 1.5 * MOST_ROWS or many <= MOST_ROWS // 2:
        assert is_full(schedule, many) == (many > MOST_ROWS)


def test_a_job_that_goes_past_a_wide_one_is_told_by_hand() -> None:
    """Of four processors the first job takes two; the wide second one waits, and the third goes past it."""
    trace = make_trace([0, 1, 2], [100, 10, 20], [2, 4, 2], walltime=[100, 10, 20], cluster=Cluster.pool(4))
    schedule = simulate(trace, trace.cluster, parse_policy("easy"), log=True)

    def told(job: int) -> list[str]:
        claims = event_claims(schedule, explain(schedule, job), lambda time: f"{time:.0f} s")
        return ["".join(span.text for span in sentence(claim)) for claim in claims]

    assert told(1) == [
        "First reserved at 1 s: to start by 100 s.",
        "It started just then.",
        f"1 job of 1 user went past it: {trace.shown_id(2)}.",
    ]
    assert told(2) == [f"It was backfilled past job {trace.shown_id(1)}, which had waited 1 s."]


@pytest.mark.parametrize("relation", [*InferredRelation, *EventRelation])
def test_each_kind_has_words_without_digits_of_its_own(relation: InferredRelation | EventRelation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(INFERRED_SENTENCES[relation]) if name}
    names = parts & {"jobs", "job", "reason", "made date", "planned date", "said date", "scheduler", "words"}
    place = ClaimPlace("jobs", 0)
    about = tuple(NamedThing(role, f"{role} 9", place) for role in names)
    quantities = tuple(ClaimQuantity(name, 7, Unit.NUMBER) for name in parts - names)
    subject = NamedThing("subject", "job 7", place)
    spans = render(Claim(subject, relation, quantities, about, Population(1, 0, 0), (place,)))
    assert spans
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
