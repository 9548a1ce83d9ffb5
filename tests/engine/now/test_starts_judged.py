"""What is told of requests and starts of drawn queues, before judges that see jobs and plan alone."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim
from engine.claims.starts import StartRelation
from engine.claims.words import render, sentence
from engine.logs.queue.state import RUNNING, WAITING, QueuedJob, QueueState
from engine.now.prediction import Forecast, Prediction
from engine.now.queue_forecast import QueueForecast, Replaying, forecast_queue
from engine.now.queued_job import QueueNow, WaitingJob, expected_span, request_claims
from engine.now.site_queue import SiteQueue, queue_at_site
from engine.now.start_claims import StartTeller
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from tests.engine.verdict.drawn import check_words

JOB = QueuedJob("2", "ann", "", "batch", WAITING, "", 0, 0, 3600, 4, 1, 0, 0, False, "", "", 10.0)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Two nodes of 4 CPUs."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "slurm.conf").write_text(
        "NodeName=a[1-2] CPUs=4\nPartitionName=batch Nodes=a[1-2]\nSchedulerParameters=bf_interval=30\n"
    )
    return read_site_at(folder)


@st.composite
def queued(draw: st.DrawFn) -> QueuedJob:
    """A job that waits or runs, with or without a time limit, RAM and GPUs."""
    return replace(
        JOB,
        state=draw(st.sampled_from((WAITING, RUNNING))),
        elapsed=draw(st.integers(0, 90_000)),
        waited=draw(st.integers(0, 90_000)),
        limit=draw(st.one_of(st.none(), st.integers(60, 90_000))),
        cpus=draw(st.integers(1, 4000)),
        nodes=draw(st.integers(1, 99)),
        ram=draw(st.sampled_from((0, 700, 2560))),
        gpus=draw(st.integers(0, 8)),
    )


def values(claim: Claim) -> dict[str, float]:
    """The quantities of a claim by name."""
    return {quantity.name: quantity.value for quantity in claim.quantities}


def of_request(claim: Claim, job: QueuedJob) -> bool:
    """Whether a job asks for what is told."""
    match claim.relation:
        case StartRelation.PROCESSORS_ON_NODES:
            return values(claim) == {"processors": job.cpus, "nodes": job.nodes}
        case StartRelation.RAM_OF_NODE:
            return values(claim) == {"ram": job.ram} and job.ram > 0
        case StartRelation.GPUS_OF_NODE:
            return values(claim) == {"gpus": job.gpus} and job.gpus > 0
        case StartRelation.FOR_TIME:
            return values(claim) == {"limit": job.limit}
        case StartRelation.FOR_ANY_TIME:
            return job.limit is None and not values(claim)
    return False


def so_far(claim: Claim | None, job: QueuedJob) -> bool:
    """Whether a job has waited or run as long as is told; nothing is told of no time."""
    if claim is None:
        return job.state == WAITING and not job.waited
    match claim.relation:
        case StartRelation.HAS_WAITED:
            return job.state == WAITING and values(claim) == {"waited": job.waited}
        case StartRelation.HAS_RUN:
            return job.state == RUNNING and job.limit is None and values(claim) == {"elapsed": job.elapsed}
        case StartRelation.HAS_RUN_WITH_LIMIT:
            assert job.limit is not None
            left = max(job.limit - job.elapsed, 0)
            return job.state == RUNNING and values(claim) == {"elapsed": job.elapsed, "left": left}
    return False


def refused_otherwise(claim: Claim, judge: object, job: QueuedJob) -> None:
    """The judge refuses the claim with another number."""
    assert callable(judge)
    for quantity in claim.quantities:
        changed = [replace(own, value=own.value + 9) if own is quantity else own for own in claim.quantities]
        assert not judge(replace(claim, quantities=tuple(changed)), job)


@settings(max_examples=80, deadline=None)
@given(queued())
def test_a_request_is_told_as_it_is(site: Site, job: QueuedJob) -> None:
    claims = request_claims(job)
    for claim in claims:
        assert of_request(claim, job), claim
        check_words(render(claim))
        refused_otherwise(claim, of_request, job)
    told = {claim.relation for claim in claims}
    assert (StartRelation.RAM_OF_NODE in told) == (job.ram > 0)
    assert (StartRelation.GPUS_OF_NODE in told) == (job.gpus > 0)
    answer = QueueForecast(SiteQueue(site, QueueState((job,), 1000, ())), Forecast((), 0))
    waiting = WaitingJob(QueueNow(answer, str, ""), job)
    asks = waiting.teller.asks("user ann")
    assert asks.relation is StartRelation.ASKS
    assert [each.name for each in asks.about] == ["user ann"]
    claim_so_far = waiting.so_far
    assert so_far(claim_so_far, job), claim_so_far
    if claim_so_far is not None:
        check_words(sentence(claim_so_far))
        refused_otherwise(claim_so_far, so_far, job)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4000), st.one_of(st.none(), st.integers(60, 90_000)))
def test_of_a_pool_only_processors_are_told(processors: int, limit: int | None) -> None:
    first, second = StartTeller.of("Job 7", 0, 0).request(processors, limit)
    assert (first.relation, values(first)) == (StartRelation.PROCESSORS, {"processors": processors})
    assert second.relation is (StartRelation.FOR_ANY_TIME if limit is None else StartRelation.FOR_TIME)


@st.composite
def predictions(draw: st.DrawFn) -> Prediction:
    """The prediction of a job, by a plan alone or by replays too, or without a start."""
    planned = draw(st.one_of(st.none(), st.integers(0, 90_000)))
    if planned is None or draw(st.booleans()):
        return Prediction(JOB, planned, None, None, None, "")
    early, middle, late = sorted(draw(st.lists(st.integers(0, 90_000), min_size=3, max_size=3)))
    return Prediction(JOB, planned, middle, early, late, "")


def dated(claims: Sequence[Claim], found: Prediction) -> bool:
    """Whether dates of a start are those of the plan and of the replays."""
    told = {claim.relation: values(claim) for claim in claims}
    dates = [each.name for claim in claims for each in claim.about]
    if found.planned is None:
        return told == {StartRelation.NOT_PLANNED: {}}
    wanted: dict[StartRelation, dict[str, float]] = {StartRelation.PLANNED_AT: {"planned": found.planned}}
    moments = [found.planned]
    if found.expected is not None and found.early is not None and found.late is not None:
        wanted[StartRelation.EXPECTED_AT] = {"expected": found.expected}
        wanted[StartRelation.SPAN] = {"early": found.early, "late": found.late}
        moments += [found.expected, found.early, found.late]
    return told == wanted and dates == [f"second {moment}" for moment in moments]


@settings(max_examples=80, deadline=None)
@given(predictions(), st.sampled_from((None, 0.5, 0.8, 0.95)))
def test_starts_are_told_with_their_dates_and_how_sure_they_are(
    found: Prediction, share: float | None
) -> None:
    teller = StartTeller.of("Job 2", 0, 0)
    claims = teller.start_at(found.planned, expected_span(found), "second {}".format)
    assert dated(claims, found)
    for claim in claims:
        check_words(sentence(claim))
    claim = teller.start(found.planned, expected_span(found), share)
    check_words(sentence(claim))
    if found.expected is None:
        assert claim.relation in (StartRelation.PLANNED, StartRelation.NOT_PLANNED)
        return
    times = {"start": found.expected, "early": found.early, "late": found.late}
    if share is None:
        assert (claim.relation, values(claim)) == (StartRelation.EXPECTED_UNSURE, times)
    else:
        assert (claim.relation, values(claim)) == (StartRelation.EXPECTED, {**times, "share": 100 * share})


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 16), st.integers(1, 4), st.integers(10, 80))
def test_a_change_that_makes_a_job_start_is_told_apart(
    site: Site, cpus: int, nodes: int, minutes: int
) -> None:
    """On two nodes of 4 CPUs, jobs that ask for more never start, and half of them may."""
    nodes = max(nodes, -(-cpus // 4))  # Slurm prints the least number of nodes with so many CPUs
    job = replace(JOB, cpus=max(cpus, nodes), nodes=nodes, limit=60 * minutes)
    queue = QueueNow(
        forecast_queue(queue_at_site(site, QueueState((job,), 1000, ())), Replaying(replays=0)), str, ""
    )
    own = WaitingJob(queue, job)
    fits = fits_there(job.cpus, job.nodes)
    for outcome in own.tried() or ():
        narrower = "processor" in outcome.text
        cpus_then, nodes_then = halved(job) if narrower else (job.cpus, job.nodes)
        claim = own.teller.effect(outcome, None if outcome.start is None else f"second {outcome.start}")
        check_words(render(claim))
        then = fits_there(cpus_then, nodes_then)
        if not then:
            assert claim.relation is StartRelation.EFFECT_NEVER
        elif not fits:
            assert claim.relation is StartRelation.EFFECT_PLANNED
        else:
            assert claim.relation is StartRelation.EFFECT_SAME


def fits_there(cpus: int, nodes: int) -> bool:
    """Whether two nodes of 4 CPUs have room."""
    return cpus <= 8 and nodes <= 2


def halved(job: QueuedJob) -> tuple[int, int]:
    """Half the nodes of a job, or half its processors on a single one."""
    nodes = -(-job.nodes // 2)
    return max(job.cpus * nodes // job.nodes if job.nodes > 1 else -(-job.cpus // 2), 1), nodes
