"""Claims on what spans are made of, on drawn forecasts, before judges that count in these alone."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim
from engine.claims.spans import SpanRelation
from engine.claims.words import render, sentence
from engine.logs.queue.state import QueueState, new_job
from engine.machine.cluster import Cluster, parse_cluster
from engine.now.instant_queue import ON_TIME, queue_at
from engine.now.log_spans import learn_spans, learned_of_replays, order_claim, spans_of
from engine.now.prediction import Forecast, Prediction
from engine.now.queue_forecast import QueueForecast, Replaying
from engine.now.site_queue import SiteQueue
from engine.now.span_claims import span_claim
from engine.now.spans import corrected, widened
from engine.now.spans_meaning import made_claims, share_claim, spans_meaning
from engine.now.stored_predictions import Kept
from engine.now.usual_shares import USED_OF_LIMITS
from engine.policy.policy import parse_policy
from engine.schedule.predictions import accuracy
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from engine.trace import Trace
from tests.engine.now.test_span_claims import (
    COVER,
    Ends,
    calibrated_on_others,
    held,
    held_least,
    pinball,
    scored_log,
)
from tests.engine.verdict.drawn import check_words, logs
from tests.paths import ROOT
from tests.traces import make_trace

JOB = new_job("ann", "", 600, parse_cluster("1x4c").groups[0])
SOON = 60
CONF = "NodeName=a1 CPUs=8\nPartitionName=batch Nodes=a1\nSchedulerParameters=bf_interval=30\n"
within_fixtures = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A node of 8 CPUs."""
    (tmp_path / "slurm.conf").write_text(CONF)
    return read_site_at(tmp_path)


def values(claim: Claim) -> dict[str, float]:
    """The quantities of a claim by name, after its words were checked."""
    check_words(sentence(claim))
    return {quantity.name: quantity.value for quantity in claim.quantities}


@st.composite
def predictions(draw: st.DrawFn) -> Prediction:
    """The prediction of a job, with a span of replays."""
    early, middle, late = sorted(draw(st.lists(st.integers(0, 90_000), min_size=3, max_size=3)))
    return Prediction(JOB, draw(st.integers(0, 90_000)), middle, early, late, "")


@st.composite
def forecasts(draw: st.DrawFn) -> Forecast:
    """A forecast by some replays, fine or coarse, with jobs that come or without."""
    waiting = tuple(draw(st.lists(predictions(), min_size=1, max_size=3)))
    replays = draw(st.integers(0, 200))
    return Forecast(waiting, replays, draw(st.booleans()), weeks=draw(st.integers(0, 5)))


def made_so(claims: Sequence[Claim], found: Forecast, log: str | None) -> bool:
    """Whether it is told of which replays, runtimes and weeks spans are made as it is."""
    replays, drawn, coming = claims
    calibrated, coarse = bool(found.evidence), found.coarse
    kind = {
        (True, False): SpanRelation.REPLAYS,
        (True, True): SpanRelation.COARSE_REPLAYS,
        (False, False): SpanRelation.MOST_REPLAYS,
        (False, True): SpanRelation.MOST_COARSE_REPLAYS,
    }[calibrated, coarse]
    if replays.relation is not kind or values(replays) != {"replays": found.replays}:
        return False
    # Without a log, runtimes are drawn from those of the archive; with one, the log has to be named.
    if log is None:
        told = drawn.relation is SpanRelation.DRAWN_FROM_ARCHIVE and values(drawn) == {
            "logs": len(USED_OF_LIMITS)
        }
    else:
        told = drawn.relation is SpanRelation.DRAWN_FROM_LOG and [each.name for each in drawn.about] == [log]
    # Of one week the text gives no number, of several it does.
    match coming.relation:
        case SpanRelation.NONE_COMES:
            return told and found.weeks == 0
        case SpanRelation.COME_AS_IN_WEEK:
            return told and found.weeks == 1
        case SpanRelation.COME_AS_IN_WEEKS:
            return told and found.weeks > 1 and values(coming) == {"weeks": found.weeks}
    return False


@within_fixtures
@given(forecasts(), st.booleans(), st.sampled_from((None, "log 7")))
def test_what_spans_are_made_of_is_told(
    site: Site, found: Forecast, calibrated: bool, log: str | None
) -> None:
    if calibrated:
        found = replace(found, evidence=(span_claim(SpanRelation.BY_SUBMISSION),), share=0.8)
    trace = None if log is None else replace(make_trace([0], [1], 1, cluster=Cluster.pool(8)), name=log)
    queue = SiteQueue(site, QueueState((), 1000, ()), log=trace)
    answer = QueueForecast(queue, found)
    text = spans_meaning(answer)
    if not found.replays:
        (none,) = (span_claim(SpanRelation.NO_REPLAY),)
        assert text == "".join(span.text for span in render(none)) + "."
        return
    claims = made_claims(answer, "this span")
    assert made_so(claims, found, log)
    for claim in claims:  # and it would be refused with another number
        for quantity in claim.quantities:
            wrong = replace(claim, quantities=(replace(quantity, value=quantity.value + 9),))
            assert not made_so([wrong if each is claim else each for each in claims], found, log)
    others = replace(found, coarse=not found.coarse), replace(found, weeks=found.weeks + 1)
    assert not any(made_so(claims, other, log) for other in others)
    if calibrated:
        share = share_claim(found.share or 0.0)
        assert (share.relation, values(share)) == (SpanRelation.SHARE, {"share": 80.0})


def numbers_of_the_guide() -> list[int]:
    """The numbers that the guide names as measured for spans without a log."""
    text = " ".join((ROOT / "resources/guide/queue.md").read_text("utf-8").split())
    found = re.search(
        r"contained (\d+) to (\d+) % of the starts in (\w+) .*?, and (\d+) to (\d+) % in (\w+) ", text
    )
    assert found is not None
    words = {"three": 3, "six": 6}
    return [int(words.get(part, part)) for part in found.groups()]


@settings(max_examples=60, deadline=None)
@given(forecasts(), st.sampled_from((0.5, 0.8, 0.9)), st.integers(0, 300))
def test_spans_are_wider_by_what_is_told(found: Forecast, cover: float, cycle: int) -> None:
    wide = widened(found, cycle, cover)
    if not found.replays:
        assert wide.doubt == ()
        return
    tests, wider = wide.doubt
    # What was tested is said of spans for the tested share alone.
    if cover == 0.8:
        assert tests.relation is SpanRelation.HELD_IN_TESTS
        assert list(values(tests).values()) == numbers_of_the_guide()
    else:
        assert tests.relation is SpanRelation.NOT_TESTED
    assert wider.relation is SpanRelation.WIDER
    factor = values(wider)["factor"]
    for before, after in zip(found.waiting, wide.waiting, strict=True):
        assert before.planned is not None
        assert before.early is not None
        assert before.late is not None
        begin, end = min(before.early, before.planned), max(before.late, before.planned)
        # Times are counted from a minute before now, so that those of now are moved, too.
        # A second more or less is what is rounded.
        assert after.early == pytest.approx(max((begin + SOON) / factor - SOON - cycle, 0), abs=1)
        assert after.late == pytest.approx((end + SOON) * factor - SOON + cycle, abs=1)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.integers(0, 5000)), max_size=60),
    st.sampled_from((0.5, 0.8)),
    st.booleans(),
)
def test_kept_predictions_are_those_whose_jobs_have_started(
    starts: list[int | None], cover: float, waits: bool
) -> None:
    kept = [Kept(str(k), 0, 150, 100, 200, start) for k, start in enumerate(starts)]
    waiting = [each.job_id for each in kept if waits]
    found = Forecast((Prediction(JOB, 900, 500, 300, 700, ""),), 9)
    after = corrected(found, kept, 10_000, waiting, cover)
    started = sum(start is not None for start in starts)
    assert bool(after.evidence) == (started >= 20)
    for claim in after.evidence:
        assert (claim.relation, values(claim)) == (SpanRelation.KEPT, {"kept": started})


KNOWN = spans_of(scored_log(1, 150), "log")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 40), st.integers(1, 40))
def test_too_few_replays_are_told_with_both_numbers(made: int, then: int) -> None:
    learned = learned_of_replays(KNOWN, made, then)
    if made >= then:
        assert learned.by is not None
        return
    assert learned.by is None
    (claim,) = learned.claims
    assert claim.relation is SpanRelation.FEWER_REPLAYS
    assert values(claim) == {"replays": made, "then": then}


def drifting(seed: int, days: int) -> float:
    """The share that spans hold at other times, as a judge counts it, where starts come ever later: that of
    the fifth in which it is the lowest.
    """
    scored = scored_log(seed, 150)
    # Every fifth starts later than the one before: what was learned earlier cannot hold.
    late = np.arange(150) // 30 * days * 86_400
    scored = replace(scored, started=scored.started + late)
    found = spans_of(scored, "log 7")
    started = scored.started.tolist()
    by_plan, by_replays = (calibrated_on_others(scored, COVER, by_plan=plan) for plan in (True, False))
    is_by_plan = pinball(by_plan, started) < pinball(by_replays, started)
    # Wider and wider levels, until the spans hold what they claim.
    levels = [COVER + (1 - COVER) * step / 20 for step in range(20)]
    ends: Ends = []
    for level in levels:
        ends = calibrated_on_others(scored, level, by_plan=is_by_plan)
        if held(ends, started) >= 100 * COVER:
            break
    share = held_least(ends, scored, scored)
    (claim,) = found.claims
    if share < 50:
        assert claim.relation is SpanRelation.NOT_HELD
        assert claim.subject.name == "log 7"
        assert values(claim) == pytest.approx({"held": share, "cover": 80.0})
        assert found.by is None
    else:
        assert claim.relation is SpanRelation.CALIBRATED
        assert found.by is not None
        assert 100 * found.share == pytest.approx(share)
    return share


@pytest.mark.parametrize("days", [0, 1, 30])
def test_spans_that_do_not_hold_at_other_times_are_told(days: int) -> None:
    """Spans of the middle of a log hold its middle alone, where its begin and its end are days apart."""
    for seed in range(2):
        assert drifting(seed, days) < 50 or days < 30


@within_fixtures
@given(st.sampled_from(("", "PriorityType=priority/basic\n", "PriorityType=priority/multifactor\n")))
def test_jobs_go_by_what_the_file_says(tmp_path: Path, line: str) -> None:
    (tmp_path / "slurm.conf").write_text(CONF + line)
    claim = order_claim(read_site_at(tmp_path), "log")
    check_words(sentence(claim))
    by_priorities = claim.relation is SpanRelation.BY_PRIORITIES
    assert by_priorities or claim.relation is SpanRelation.BY_SUBMISSION
    # Slurm's own default is multifactor, since version 20.11.
    assert by_priorities == ("basic" not in line)


@within_fixtures
@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.booleans())
def test_a_log_that_cannot_be_replayed_is_told_with_why(site: Site, waits: list[int], wide: bool) -> None:
    """A job is wider than the node of the site, or none is."""
    many = len(waits)
    procs = [64 if wide else 2] * many
    trace = make_trace(
        [100 * k for k in range(many)],
        [60] * many,
        procs,
        walltime=[200] * many,
        wait=waits,
        cluster=Cluster.pool(64),
    )
    (claim,) = learn_spans(site, replace(trace, name="log 7"), 1, replays=1).claims
    check_words(sentence(claim))
    assert claim.subject.name.startswith("log 7")
    if claim.relation is SpanRelation.NOT_REPLAYED:
        assert wide
    elif not any(waits):
        assert claim.relation is SpanRelation.NOBODY_WAITED


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-200, 200), min_size=1, max_size=40))
def test_starts_on_time_are_those_within_what_is_told(late: list[int]) -> None:
    assert ON_TIME.relation is SpanRelation.ON_TIME
    bound = values(ON_TIME)["tolerance"]
    found = accuracy(np.array(late, np.float64))
    assert found is not None
    assert found.on_time == pytest.approx(100 * sum(abs(each) <= bound for each in late) / len(late))


@settings(max_examples=10, deadline=None, phases=(Phase.generate,))
@given(logs(), st.integers(1, 4), st.integers(0, 1 << 30))
def test_a_table_of_an_instant_tells_its_replays(trace: Trace, replays: int, drawn: int) -> None:
    schedule = simulate(trace, trace.cluster, parse_policy("easy"), log=True)
    now = int(schedule.submit[drawn % len(trace)])
    queue = queue_at(schedule, now, Replaying(replays=replays, instants=0))
    assert queue.spread_claim.relation is SpanRelation.SPREAD_OF_REPLAYS
    assert values(queue.spread_claim) == {"replays": replays}
    assert f"are of {replays} replay" in queue.note
