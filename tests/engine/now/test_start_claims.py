"""Claims on starts, before judges that see only the schedule or the queue, and plan it by hand."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Sure, Unit
from engine.claims.starts import START_SENTENCES, StartRelation
from engine.claims.words import plain, render, sentence
from engine.logs.queue.state import RUNNING, WAITING, QueuedJob, QueueState
from engine.now.instant_job import InstantJob
from engine.now.instant_queue import queue_at
from engine.now.queue_forecast import Replaying, forecast_queue
from engine.now.queued_job import QueueNow, WaitingJob, request_claims
from engine.now.site_queue import queue_at_site
from engine.now.start_claims import ExpectedSpan, OfNodes, StartTeller
from engine.now.what_if import Outcome
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from engine.trace import Trace
from engine.words import format_seconds, plural
from tests.engine.verdict.drawn import DIGIT, PROCESSORS, check_words, logs

JOB = QueuedJob("2", "ann", "", "batch", WAITING, "Resources", 0, 0, 3600, 4, 1, 0, 0, False, "", "", 10.0)
STEP = 65  # of the plan of a site: two of its cycles, s


@dataclass(frozen=True)
class Asked:
    """A job as a judge sees it: processors, and the longest that it takes, s from now on."""

    procs: int
    takes: int


def free_from(machine: int, running: Sequence[Asked], procs: int) -> int:
    """When so many processors are free, s from now, if running jobs take as long as they may."""
    times = [0, *sorted(job.takes for job in running)]
    return next(
        time for time in times if machine - sum(job.procs for job in running if job.takes > time) >= procs
    )


def most_used(starts: Sequence[tuple[int, Asked]], running: Sequence[Asked]) -> int:
    """The most processors that are held at once, if all start as planned and take as long as they may."""
    held = [(0, job) for job in running] + list(starts)
    return max(sum(job.procs for begin, job in held if begin <= time < begin + job.takes) for time, _ in held)


@settings(max_examples=60, deadline=None, phases=(Phase.generate,))
@given(logs(), st.sampled_from(("easy", "conservative")), st.integers(0, 1 << 30))
def test_starts_at_an_instant_are_those_of_a_plan_by_walltimes(trace: Trace, policy: str, drawn: int) -> None:
    schedule = simulate(trace, trace.cluster, parse_policy(policy), log=True)
    times = sorted({*schedule.submit.tolist(), *schedule.start.tolist(), *schedule.end.tolist()})
    now = times[drawn % len(times)] + 1
    if now in times:  # what happens in this second is not planned yet
        return
    asked = [Asked(int(p), int(w)) for p, w in zip(schedule.procs, trace.walltime, strict=True)]
    begins, ends, submits = (each.tolist() for each in (schedule.start, schedule.end, schedule.submit))
    jobs = range(len(begins))
    running = [
        Asked(asked[job].procs, begins[job] + asked[job].takes - now)
        for job in jobs
        if begins[job] <= now < ends[job]
    ]
    waiting = [job for job in jobs if submits[job] <= now < begins[job]]
    queue, starts = queue_at(schedule, now, Replaying(replays=0)), []
    for job in waiting:
        claim = InstantJob(queue, job, str).started
        check_words(sentence(claim))
        limit = asked[job].takes
        assert InstantJob(queue, job, str).asked() == [
            f"Job {trace.job_id[job]} (user {trace.user.names[trace.user.codes[job]]}) asks for "
            f"{plural(asked[job].procs, 'processor')}, for {format_seconds(limit)}.",
            f"It has waited {format_seconds(now - submits[job])}.",
        ]
        assert claim.population == Population(1, submits[job], submits[job])
        assert claim.subject == NamedThing("subject", f"Job {trace.job_id[job]}", ClaimPlace("jobs", job))
        if claim.relation is StartRelation.NOT_PLANNED:
            # Only the first job of the queue has a reservation under EASY, and all have under conservative.
            assert policy == "easy"
            assert job != waiting[0]
            continue
        assert (claim.relation, claim.sure) == (StartRelation.PLANNED, Sure.PLANNED)
        start = round(claim.quantity("start").value)
        earliest = free_from(PROCESSORS, running, asked[job].procs)
        assert start == earliest if job == waiting[0] else start >= earliest
        starts.append((start, asked[job]))
    assert not starts or most_used(starts, running) <= PROCESSORS


@pytest.mark.parametrize("seed", range(12))
def test_starts_of_a_queue_are_those_of_a_plan_by_limits(seed: int, tmp_path: Path) -> None:
    """Jobs of one CPU each to a whole node, in an order of priorities; the first is never delayed."""
    draw, machine = random.Random(seed), 8
    (tmp_path / "slurm.conf").write_text(
        f"NodeName=a1 CPUs={machine}\nPartitionName=batch Nodes=a1\nSchedulerParameters=bf_interval=30\n"
    )
    runs = [
        replace(
            JOB,
            job_id=str(number),
            state=RUNNING,
            cpus=4,
            elapsed=600,
            limit=draw.randrange(900, 30_000),
            node_list="a1",
        )
        for number in (1, 2)
    ]
    priorities = draw.sample(range(1, 999), 6)
    waits = [
        replace(
            JOB,
            job_id=str(100 + number),
            cpus=draw.randrange(1, machine + 1),
            limit=draw.randrange(600, 90_000),
            ram=draw.choice((0, 700, 2560)),
            gpus=0,
            priority=float(priority),
            waited=draw.randrange(1, 900),
        )
        for number, priority in enumerate(priorities)
    ]
    state = QueueState((*runs, *waits), 1000, ())
    replays = 3 * (seed % 2)
    found = forecast_queue(queue_at_site(read_site_at(tmp_path), state), Replaying(replays=replays))
    queue = QueueNow(found, str, "")
    claims = {job.job_id: WaitingJob(queue, job).started for job in found.jobs}
    running = [Asked(job.cpus, (job.limit or 0) - job.elapsed) for job in runs]
    first = max(waits, key=lambda job: job.priority or 0)
    starts = []
    for place, job in enumerate(found.jobs):
        claim = claims[job.job_id]
        check_words(sentence(claim))
        assert claim.subject == NamedThing("subject", f"Job {job.job_id}", ClaimPlace("jobs", place))
        so_far = WaitingJob(queue, job).so_far
        assert so_far is not None
        check_words(sentence(so_far))
        known = {quantity.name: quantity.value for quantity in so_far.quantities}
        if job.state == RUNNING:
            assert claim.relation is StartRelation.RUNS
            assert known == {"elapsed": job.elapsed, "left": (job.limit or 0) - job.elapsed}
            continue
        assert known == {"waited": job.waited}
        asked = request_claims(job)
        assert {each.name: each.value for claim in asked for each in claim.quantities} == {
            "processors": job.cpus,
            "nodes": job.nodes,
            **({"ram": job.ram} if job.ram else {}),
            **({"gpus": job.gpus} if job.gpus else {}),
            "limit": job.limit,
        }
        for claim_of_request in asked:
            check_words(render(claim_of_request))
        assert claim.population == Population(1, -(job.waited or 0), -(job.waited or 0))
        said = {quantity.name: quantity.value for quantity in claim.quantities}
        earliest = free_from(machine, running, job.cpus)
        if replays:
            # Without a log no share is known; jobs may use less than their limits, and never more.
            assert (claim.relation, claim.sure) == (StartRelation.EXPECTED_UNSURE, Sure.REPLAYED)
            assert 0 <= said["early"] <= said["start"] <= said["late"]
            continue
        assert claim.relation is StartRelation.PLANNED
        assert said["start"] >= earliest
        assert job.job_id != first.job_id or said["start"] <= earliest + STEP
        starts.append((round(said["start"]), Asked(job.cpus, job.limit or 0)))
    assert not starts or most_used(starts, running) <= machine


TELLER = StartTeller.of("Job 7", 3, 50)


def test_requests_and_dates_by_hand() -> None:
    asked = TELLER.request(4, None, OfNodes(2, 2560, 1))
    assert [plain(render(claim)) for claim in asked] == [
        *("4 processors on 2 nodes", "2.5 GiB of RAM per node", "1 GPU per node", "without a time limit")
    ]
    for claim in asked:
        check_words(render(claim))
    dated = TELLER.start_at(90, ExpectedSpan(30, 60, 120), "{} s".format)
    assert [plain(sentence(claim)) for claim in dated] == [
        "Planned start, if all jobs use their time limits: 90 s.",
        "Expected start (median): 60 s.",
        "From 30 s to 120 s.",
    ]
    assert [each.value for claim in dated for each in claim.quantities] == [90, 60, 30, 120]
    assert [claim.sure for claim in dated] == [Sure.PLANNED, Sure.REPLAYED, Sure.REPLAYED]
    (never,) = TELLER.start_at(None, None, str)
    assert plain(sentence(never)) == "Job 7 has no planned start."


@pytest.mark.parametrize(
    ("outcome", "moment", "text"),
    [
        (Outcome("2 processors", None, None, None, None), None, "it would not start"),
        (Outcome("2 processors", 90, None, None, None), "at 90 s", "planned start at 90 s"),
        (Outcome("2 processors", 90, None, 0, None, 90), "at 90 s", "the same planned start"),
        (
            Outcome("2 processors", 90, None, 150, None, 240),
            "at 90 s",
            "planned start at 90 s, 2 min 30 s earlier",
        ),
        (Outcome("2 processors", 90, None, -30, None, 60), "at 90 s", "planned start at 90 s, 30 s later"),
    ],
)
def test_effects_by_hand(outcome: Outcome, moment: str | None, text: str) -> None:
    claim = TELLER.effect(outcome, moment)
    assert plain(render(claim)) == text
    assert [quantity.value for quantity in claim.quantities] in ([], [abs(outcome.sooner or 0)])


def test_spans_of_a_known_share_say_how_sure_they_are() -> None:
    span = ExpectedSpan(30, 3700, 40_000)
    claims = [TELLER.start(9000, span, share) for share in (0.8, None)] + [TELLER.start(30, None, None)]
    for claim in claims:
        check_words(sentence(claim))
    assert [plain(sentence(claim)) for claim in claims] == [
        "Job 7 starts in 1 h 1 min (30 s to 11 h; 80 % sure).",
        "Job 7 starts in 1 h 1 min (30 s to 11 h; likelihood unknown).",
        "Job 7 starts now if all jobs use their time limits.",
    ]


def test_the_best_change_by_hand() -> None:
    little = Outcome("queue b instead of a", 500, None, 30, None, 7200)
    more = Outcome("a walltime of 1 h instead of 4 h", 3600, None, 3700, None, 7300)
    now = Outcome("2 processors instead of 8, running longer in proportion", 0, None, 7300, None, 7300)
    ended = Outcome("2 processors", 100, 200, 0, 40_000, 50_000)
    texts = []
    for outcomes in ([little, more], [little, more, now], [ended], [little]):
        claim = TELLER.help(outcomes)
        assert claim is not None
        check_words(sentence(claim))
        texts.append(plain(sentence(claim)))
        # The change is the best of all that help, by its place among those that were tried.
        gains = [outcome.gain or 0 for outcome in outcomes]
        assert [named.place.row for named in claim.about] in ([], [gains.index(max(gains))])
    assert texts == [
        "It is planned 1 h 1 min earlier with a walltime of 1 h.",
        "It starts now with 2 processors, running longer in proportion.",
        "It would have ended 11 h earlier with 2 processors.",
        "No change that was tried helps.",
    ]
    assert TELLER.help([]) is None


@pytest.mark.parametrize("relation", StartRelation)
def test_each_kind_has_words_without_digits_of_its_own(relation: StartRelation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(START_SENTENCES[relation]) if name} - {"subject"}
    names = parts & {"moment", "change", "owner", "planned date", "expected date", "early date", "late date"}
    about = tuple(NamedThing(role, f"{role} 9", ClaimPlace("jobs", 0)) for role in names)
    quantities = tuple(ClaimQuantity(name, 7, Unit.NUMBER) for name in parts - names)
    claim = Claim(TELLER.subject, relation, quantities, about, TELLER.population, (TELLER.subject.place,))
    spans = render(claim)
    assert spans
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
