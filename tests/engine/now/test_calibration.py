"""Predictions at instants of a log, and spans that are calibrated on them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.claims.spans import SpanRelation
from engine.logs.queue.state import RUNNING, WAITING, new_job
from engine.logs.read import read_trace
from engine.machine.cluster import parse_cluster
from engine.now import log_instants
from engine.now.calibration import AHEAD, MIDDLES, Scored, calibrate, calibrated, calibrated_ends
from engine.now.log_instants import replay_log
from engine.now.log_queue import LogQueues
from engine.now.log_spans import LogSpans, learn_spans, spans_of, with_spans
from engine.now.prediction import Forecast, Prediction
from engine.now.span_claims import doubt_claims, span_claim
from engine.now.spans import MODEL_ERROR, widened
from engine.slurm.site.site import site_of_machine
from engine.trace import Trace


def _scored(count: int, seed: int = 1) -> Scored:
    """Real starts are around an hour later than expected; spans hold a minute beside that. Five jobs wait
    at each instant, and no job at two of them.
    """
    random = np.random.default_rng(seed)
    expected = random.integers(100, 100_000, count)
    started = np.maximum(expected + 3600 + np.rint(random.laplace(0, 1800, count)).astype(np.int64), 0)
    return Scored(
        instant=np.arange(count) // 5, planned=expected * 3, expected=expected, early=expected - 60,
        late=expected + 60, started=started, cover=0.8, job=np.arange(count),
        waited=np.full(count, -1),
    )  # fmt: skip


def test_calibrated_spans_hold_as_often_as_they_say_and_err_less() -> None:
    taught = calibrate(_scored(4000))
    assert taught is not None
    by, found = taught
    assert found.held < 0.2
    assert 0.8 <= found.held_calibrated < 0.82
    assert found.pinball_calibrated < found.pinball
    assert found.error_calibrated < found.error_expected
    assert (found.predictions, found.instants) == (4000, 800)
    others = _scored(4000, seed=2)  # of which nothing was known
    first, middle, last = calibrated_ends(by, others)
    assert ((first <= others.started) & (others.started <= last)).mean() == pytest.approx(0.8, abs=0.02)
    assert np.abs(middle - others.started).mean() < 2000


def test_the_level_is_raised_where_other_times_are_held_less_often() -> None:
    """Starts of each stretch of time are late by another length."""
    scored = _scored(400)
    late = 3600 * (scored.instant * 5 // 80)
    taught, still = calibrate(replace(scored, started=scored.started + late)), calibrate(scored)
    assert taught is not None
    assert still is not None
    assert taught[0].level > still[0].level
    assert still[1].held_calibrated >= 0.8


def test_a_forecast_is_shifted_as_its_distance_was() -> None:
    taught = calibrate(_scored(4000))
    assert taught is not None
    job = new_job("ann", "", 600, parse_cluster("1x4c").groups[0])
    known, unknown = Prediction(job, 900, 1000, 900, 1100, ""), Prediction(job, None, None, None, None, "")
    seen = (span_claim(SpanRelation.BY_SUBMISSION),)
    found = calibrated(Forecast((known, unknown), 9), taught[0], 0.81, seen)
    prediction = found.waiting[0]
    assert prediction.expected == pytest.approx(4600, rel=0.1)
    assert prediction.early is not None
    assert prediction.late is not None
    assert 1000 < prediction.early < 4000
    assert 5500 < prediction.late < 9000
    assert found.waiting[1] == unknown
    assert (found.evidence, found.share) == (seen, 0.81)


def test_too_few_predictions_say_nothing() -> None:
    assert calibrate(_scored(10)) is None
    few = replace(_scored(40), instant=np.zeros(40, np.int64))
    assert calibrate(few) is None  # of a single instant


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    """One processor; a job of 100 s every 60 s, so that ever more wait."""
    log = tmp_path / "log.swf"
    rows = [f"{k + 1} {60 * k} {40 * k} 100 1 -1 -1 1 200 -1 1 1 1 -1 1 -1 -1 -1" for k in range(60)]
    log.write_text("\n".join(["; MaxProcs: 1", *rows, ""]))
    return read_trace(log)


def test_the_queue_at_a_time_of_a_log(trace: Trace) -> None:
    jobs, started = LogQueues(site_of_machine("1c", trace.cluster), trace).at(150)
    # Job 1 (submitted at 60, started at 100) runs for 50 s already; job 2 (120) starts at 200.
    assert [(job.job_id, job.state, job.elapsed) for job in jobs] == [("1", RUNNING, 50), ("2", WAITING, 0)]
    assert started == {"2": 50}


def test_a_log_is_replayed_from_what_was_known(trace: Trace) -> None:
    scored = replay_log(site_of_machine("1c", trace.cluster), trace, 12)
    assert len(np.unique(scored.instant)) == 12
    assert (scored.planned >= scored.expected).all()  # limits are twice what jobs take
    # All jobs are alike, so that half of their limits is drawn and replays come to what happened.
    assert (np.abs(scored.expected - scored.started) <= 0.25 * scored.started + 120).mean() > 0.9


def test_instants_end_before_jobs_that_still_wait_would_be_missed(trace: Trace) -> None:
    """Its jobs wait for up to 2,360 s, and the last one starts at 5,900 s."""
    times = list(log_instants._instants(trace, 200, np.random.default_rng(1)))
    assert len(times) == 200
    assert 3000 < max(times) <= 5900 - 2200


def test_no_more_instants_are_tried_than_there_is_time_for(trace: Trace) -> None:
    site = site_of_machine("1c", trace.cluster)
    assert len(np.unique(replay_log(site, trace, 12, enough=lambda done: done == 3).instant)) == 3
    few = learn_spans(site, trace, 12, enough=lambda done: done == 3)
    assert few.by is None
    assert "at 3 instants between which most waiting jobs had changed" in few.words


def test_of_few_jobs_nothing_is_concluded_nor_where_spans_do_not_hold() -> None:
    scored = _scored(400)
    assert spans_of(scored, "log").by is not None
    few = spans_of(replace(scored, job=scored.job % 19), "log")
    assert few.by is None
    assert few.words.startswith("log gave only 400 predictions of 19 jobs, at ")
    later = 3600 * 10 ** (scored.instant * 5 // 80)  # the first and the last stretch are unlike the others
    wrong = replace(scored, planned=scored.expected, started=scored.expected + later)
    wrong = spans_of(wrong, "log")
    assert wrong.by is None
    assert wrong.words.startswith("spans calibrated on log held only ")


def test_instants_at_which_the_same_jobs_wait_count_once() -> None:
    scored = _scored(400)
    assert scored.apart() == 80
    assert replace(scored, job=scored.job % 5).apart() == 1
    halves = replace(scored, job=scored.job // 10 * 10 + scored.job % 5)  # two instants have the same jobs
    assert halves.apart() == 40
    assert spans_of(_scored(145), "log").by is None  # of 29 instants
    assert spans_of(_scored(150), "log").by is not None


def test_what_a_log_says_of_spans_goes_before_wider_ones(trace: Trace) -> None:
    site = site_of_machine("1c", trace.cluster)
    learned = spans_of(_scored(400), "log")
    assert learned.by is not None
    job = new_job("ann", "", 600, parse_cluster("1x4c").groups[0])
    found = Forecast((Prediction(job, 900, 1000, 900, 1100, ""),), 9)
    shifted = with_spans(found, 30, 0.8, learned)
    assert (shifted.evidence, shifted.doubt, shifted.share) == (learned.claims, (), learned.share)
    assert 0.7 < shifted.share < 0.8  # of the stretch in which fewest are held, of 0.8 of all
    few = spans_of(_scored(10), "log").claims
    wide = with_spans(found, 30, 0.8, LogSpans(None, few))
    assert (wide.evidence, wide.share) == ((), None)
    assert wide.doubt == doubt_claims(0.8, MODEL_ERROR, few)
    assert wide.waiting == widened(found, 30, 0.8).waiting
    plan = replace(found, replays=0)
    assert with_spans(plan, 30, 0.8, None) == plan
    assert learn_spans(site, trace, 30).by is None  # 60 jobs of which up to 24 wait together


def test_plans_are_taken_where_they_tell_more_than_replays() -> None:
    """Real starts lie an hour behind the planned ones, and replays know nothing of that."""
    random = np.random.default_rng(3)
    planned = random.integers(20_000, 200_000, 400)
    guessed = random.integers(20_000, 200_000, 400)
    scored = replace(
        _scored(400), planned=planned, expected=guessed, early=guessed // 2, late=2 * guessed,
        started=planned + 3600 + random.integers(-60, 60, 400),
    )  # fmt: skip
    taught = calibrate(scored)
    assert taught is not None
    assert taught[0].of_plan
    assert taught[0].middle == "plans, shifted"
    assert taught[1].error_calibrated < 0.01 * taught[1].error_planned
    assert taught[1].pinball_calibrated < 0.1 * taught[1].pinball
    better = calibrate(replace(scored, started=guessed))
    assert better is not None
    assert not better[0].of_plan
    assert better[0].middle.startswith("replays")


def test_jobs_that_have_waited_long_for_an_unknown_reason_wait_on_for_long() -> None:
    """All could start at once; in truth each waits for as long again as it has waited already."""
    random = np.random.default_rng(5)
    waited = np.rint(np.exp(random.uniform(np.log(60), np.log(400_000), 800))).astype(np.int64)
    now = np.zeros(800, np.int64)
    started = np.rint(waited * random.uniform(0.8, 1.2, 800)).astype(np.int64)
    scored = replace(
        _scored(800), planned=now, expected=now, early=now, late=now, started=started, waited=waited
    )
    taught, without = calibrate(scored), calibrate(replace(scored, waited=np.full(800, -1)))
    assert taught is not None
    assert without is not None
    assert taught[0].by_wait
    assert not without[0].by_wait
    assert taught[1].held_calibrated >= 0.8
    assert taught[1].pinball_calibrated < 0.5 * without[1].pinball_calibrated
    job = replace(new_job("", "", 600, parse_cluster("1c").groups[0]), state=WAITING)
    forecast = Forecast(
        tuple(Prediction(replace(job, waited=wait), 0, 0, 0, 0, "") for wait in (0, 30_000, 300_000)), 30
    )
    new, old, older = calibrated(forecast, taught[0], 0.8, ()).waiting
    assert new.late is not None
    assert new.late < 1800
    assert old.early is not None
    assert old.late is not None
    assert 7_000 < old.early < 30_000 < old.late < 70_000
    assert older.expected is not None
    assert older.expected > 100_000
    # Where the queue was printed without submissions, waits are not taken to be none.
    undated = replace(forecast, waiting=tuple(replace(p, job=job) for p in forecast.waiting))
    assert {p.late for p in calibrated(undated, taught[0], 0.8, ()).waiting} != {new.late}


def test_a_predicted_start_is_at_other_times_no_worse_than_its_rivals() -> None:
    """Plans come true but for some jobs, which start at once: no shift of any distance makes that better."""
    random = np.random.default_rng(4)
    planned = random.integers(100, 200_000, 600)
    started = np.where(random.random(600) < 0.1, 0, planned)
    taught = calibrate(replace(_scored(600), planned=planned, expected=planned // 3, started=started))
    assert taught is not None
    assert taught[0].middle in MIDDLES[1::2]
    assert taught[1].error_calibrated <= min(taught[1].error_planned, taught[1].error_expected)
    assert len(taught[0].shifts) == 1
    assert len(taught[0].shifts[0]) == len(AHEAD) + 1


def test_a_queue_that_becomes_busier_is_tested_on_later_times() -> None:
    """Starts of each stretch are later by more: of the last ones the other stretches on both sides know."""
    scored = _scored(400)
    later = 7200 * (scored.instant * 5 // 80)
    busier = replace(scored, started=scored.started + later)
    both, ahead = calibrate(busier), calibrate(busier, ahead=True)
    assert both is not None
    assert ahead is not None
    assert (ahead[1].predictions, ahead[1].instants) == (240, 48)  # of the last three of five stretches
    assert ahead[1].held_calibrated < both[1].held_calibrated
    # What is tested is of other times, and the shifts are of all.
    held = spans_of(busier, "log", ahead=True)
    assert held.by is None
    assert held.claims[0].relation is SpanRelation.NOT_HELD
    assert calibrate(_scored(5), ahead=True) is None
