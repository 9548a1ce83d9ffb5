"""What changed requests bring, on drawn schedules: before a judge that simulates and plans again."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.answer.logged_job import LoggedJob
from engine.claims.claim import Claim
from engine.claims.starts import StartRelation
from engine.claims.words import render, sentence
from engine.now.instant_job import InstantJob
from engine.now.instant_queue import queue_at
from engine.now.queue_forecast import Replaying
from engine.now.what_if import changes_of, narrower, outcome_of, shorter
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.verdict.drawn import check_words, logs
from tests.traces import make_trace

POLICIES = ("fcfs", "easy", "conservative")


def slowly(trace: Trace) -> Trace:
    """The same trace in minutes in place of seconds, so that there is a minute to save."""
    columns = ("submit", "runtime", "recorded_runtime", "walltime")
    return replace(trace, **{name: 60 * getattr(trace, name) for name in columns})


def helped(claim: Claim, schedule: Schedule) -> bool:
    """Whether the best change of a job's request is the one that is told, by simulations of all of them."""
    job, wait = claim.subject.place.row, int(schedule.wait[claim.subject.place.row])
    saved = []
    for change in changes_of(schedule, job):
        other = simulate(change.trace, schedule.cluster, schedule.policy)
        saved.append(int(schedule.end[job]) - int(other.end[job]))
    # Advice saves a minute and a twentieth of the wait at least.
    worth = [each for each in saved if each >= 60 and 20 * each >= wait]
    match claim.relation:
        case StartRelation.NO_HELP:
            return bool(saved) and not worth
        case StartRelation.HELP_ENDED:
            (place,) = (named.place.row for named in claim.about)
            (by,) = claim.quantities
            return by.value == max(worth, default=0) == saved[place]
    return False


@settings(max_examples=40, deadline=None, phases=(Phase.generate,))
@given(logs(), st.sampled_from(POLICIES))
def test_the_change_that_would_have_helped_most_is_told(trace: Trace, policy: str) -> None:
    schedule = simulate(slowly(trace), trace.cluster, parse_policy(policy), log=True)
    trace = schedule.trace
    for job in range(min(len(trace), 4)):
        outcomes = [outcome_of(schedule, job, change) for change in changes_of(schedule, job)]
        claim = LoggedJob.of(schedule, job).teller.help([each for each in outcomes if each is not None])
        assert (claim is None) == (not outcomes)
        if claim is None:
            continue
        assert helped(claim, schedule), claim
        check_words(sentence(claim))
        for own in claim.quantities:
            wrong = replace(claim, quantities=(replace(own, value=own.value + 9),))
            assert not helped(wrong, schedule)


SLACK = 1
"""s: in the plan, jobs that wait come a second after the instant, and those behind them may start so late."""


def planned_so(claim: Claim, planned: int, changed: int) -> bool:
    """Whether a change of a job moves its start from `planned` to `changed`, s from now, as is told."""
    said = sum(quantity.value for quantity in claim.quantities)
    match claim.relation:
        case StartRelation.EFFECT_SAME:
            return abs(changed - planned) <= SLACK
        case StartRelation.EFFECT_EARLIER:
            return said > 0 and abs(planned - changed - said) <= SLACK
        case StartRelation.EFFECT_LATER:
            return said > 0 and abs(changed - planned - said) <= SLACK
    return False


def best_of_plan(claim: Claim, starts: Sequence[int], planned: int) -> bool:
    """Whether no other change brings a start earlier than the one that is told, or none by enough."""
    saved = [planned - start for start in starts]
    worth = [each for each in saved if each >= 60 + SLACK and 20 * each >= planned + 20 * SLACK]
    if claim.relation is StartRelation.NO_HELP:
        return not worth
    (place,), (said,) = (named.place.row for named in claim.about), claim.quantities
    if saved[place] < max(worth, default=0) - SLACK:
        return False
    if claim.relation is StartRelation.HELP_STARTS:
        return said.value < 60 and abs(said.value - starts[place]) <= SLACK
    return claim.relation is StartRelation.HELP_PLANNED and abs(said.value - saved[place]) <= SLACK


def start_in_plan(schedule: Schedule, now: int, job: int, changed: Trace | None = None) -> int:
    """When a waiting job starts, s from now, if all take as long as they may; `changed` comes last of all."""
    begins, ends, submits = (each.tolist() for each in (schedule.start, schedule.end, schedule.submit))
    jobs, trace = range(len(begins)), schedule.trace if changed is None else changed
    running = [each for each in jobs if begins[each] <= now < ends[each]]
    waiting = [each for each in jobs if submits[each] <= now < begins[each]]
    if changed is not None:
        waiting = [*(each for each in waiting if each != job), job]
    takes = [begins[each] + int(trace.walltime[each]) - now for each in running]
    takes += [int(trace.walltime[each]) for each in waiting]
    procs = [int(trace.procs[each]) for each in (*running, *waiting)]
    # Running jobs come first and have room together, so that they start at once.
    rest = make_trace([0] * len(takes), takes, procs, walltime=takes, cluster=schedule.cluster)
    return int(simulate(rest, schedule.cluster, schedule.policy).start[len(running) + waiting.index(job)])


@settings(max_examples=100, deadline=None, phases=(Phase.generate,))
@given(logs(), st.sampled_from(("fcfs", "easy")), st.integers(0, 1 << 30))
def test_effects_at_an_instant_are_those_of_both_plans(trace: Trace, policy: str, drawn: int) -> None:
    schedule = simulate(slowly(trace), trace.cluster, parse_policy(policy), log=True)
    trace = schedule.trace
    times = sorted({*schedule.submit.tolist(), *schedule.start.tolist(), *schedule.end.tolist()})
    now = times[drawn % len(times)] + 1
    if now in times:  # what happens in this second is not planned yet
        return
    queue = queue_at(schedule, now, Replaying(replays=0))
    waiting = [job for job in range(len(trace)) if schedule.submit[job] <= now < schedule.start[job]]
    for job in waiting[:3]:
        own, planned, asked = (
            InstantJob(queue, job, str),
            start_in_plan(schedule, now, job),
            trace.walltime[job],
        )
        parts = [shorter(trace, job, -(-int(asked) // part)) for part in (2, 4)]
        changes = {change.text: change.trace for change in (*parts, *narrower(trace, job))}
        outcomes = own.tried() or ()
        starts = [start_in_plan(schedule, now, job, changes[each.text]) for each in outcomes]
        for outcome, changed in zip(outcomes, starts, strict=True):
            claim = own.teller.effect(outcome, str(outcome.start))
            assert planned_so(claim, planned, changed), (claim, planned, changed)
            check_words(render(claim))
            for quantity in claim.quantities:
                wrong = replace(claim, quantities=(replace(quantity, value=quantity.value + 9),))
                assert not planned_so(wrong, planned, changed)
        best = own.teller.help(outcomes)
        if best is not None:
            assert best_of_plan(best, starts, planned), (best, starts, planned)
            check_words(sentence(best))
