"""Predictions at instants of a log, and spans that are calibrated on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.answer import calibration
from engine.answer.calibration import Scored, calibrated, calibration_of, queue_at, replay_log, score
from engine.answer.log_spans import LogSpans, learn_spans, spans_of, with_spans
from engine.answer.spans import IN_TESTS, widened
from engine.machine.cluster import parse_cluster
from engine.simulation.now import Forecast, Prediction
from engine.site.site import site_of_machine
from engine.trace import Trace
from engine.trace.queue_state import RUNNING, WAITING, new_job
from engine.trace.read import read_trace


def _scored(count: int, seed: int = 1) -> Scored:
    """Real starts are log-normal around twice what is expected; spans hold a tenth beside that."""
    random = np.random.default_rng(seed)
    expected = random.integers(100, 100_000, count)
    started = np.rint(2 * (expected + 60) * np.exp(random.normal(0, 0.7, count)) - 60).astype(np.int64)
    early, late = (np.rint(expected * part).astype(np.int64) for part in (0.9, 1.1))
    return Scored(np.arange(count) // 5, expected * 3, expected, early, late, np.maximum(started, 0), 0.8)


def test_calibrated_spans_hold_as_often_as_they_say_and_err_less() -> None:
    found = score(_scored(4000))
    assert found is not None
    assert found.held < 0.2
    assert found.held_calibrated == pytest.approx(0.8, abs=0.03)
    assert found.pinball_calibrated < found.pinball
    assert found.error_calibrated < found.error_expected
    assert found.predictions == 2000
    assert "80 %" in found.describe(0.8)


def test_a_forecast_is_shifted_as_its_distance_was() -> None:
    by = calibration_of(_scored(4000))
    assert by is not None
    job = new_job("ann", "", 600, parse_cluster("1x4c").groups[0])
    known, unknown = Prediction(job, 900, 1000, 900, 1100, ""), Prediction(job, None, None, None, None, "")
    found = calibrated(Forecast((known, unknown), 9), by, "seen")
    prediction = found.waiting[0]
    assert prediction.expected == pytest.approx(2000, rel=0.1)
    assert prediction.early is not None
    assert prediction.late is not None
    assert prediction.early < 1100
    assert prediction.late > 4000
    assert found.waiting[1] == unknown
    assert found.evidence == "seen"


def test_too_few_predictions_say_nothing() -> None:
    assert calibration_of(_scored(10)) is None
    assert score(_scored(10)) is None


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    """One processor; a job of 100 s every 60 s, so that ever more wait."""
    log = tmp_path / "log.swf"
    rows = [f"{k + 1} {60 * k} {40 * k} 100 1 -1 -1 1 200 -1 1 1 1 -1 1 -1 -1 -1" for k in range(60)]
    log.write_text("\n".join(["; MaxProcs: 1", *rows, ""]))
    return read_trace(log)


def test_the_queue_at_a_time_of_a_log(trace: Trace) -> None:
    jobs, started = queue_at(trace, parse_cluster("1c"), 150)
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
    times = list(calibration._instants(trace, 200, np.random.default_rng(1)))
    assert len(times) == 200
    assert 3000 < max(times) <= 5900 - 2200


def test_no_more_instants_are_tried_than_there_is_time_for(trace: Trace) -> None:
    site = site_of_machine("1c", trace.cluster)
    assert len(np.unique(replay_log(site, trace, 12, enough=lambda done: done == 3).instant)) == 3
    few = learn_spans(site, trace, 12, enough=lambda done: done == 3)
    assert few.by is None
    assert "at 3 instants at which jobs waited" in few.words


def test_of_few_jobs_nothing_is_concluded_nor_where_spans_do_not_hold() -> None:
    scored = _scored(400)
    assert spans_of(scored, "log").by is not None
    few = spans_of(replace(scored, jobs=19), "log")
    assert few == LogSpans(
        None, "log gave only 400 predictions of 19 jobs at 80 instants at which jobs waited"
    )
    odd = scored.instant % 2 == 1  # not calibrated on
    wrong = spans_of(replace(scored, started=np.where(odd, 50 * scored.started, scored.started)), "log")
    assert wrong.by is None
    assert wrong.words.startswith("spans calibrated on log held only ")


def test_what_a_log_says_of_spans_goes_before_wider_ones(trace: Trace) -> None:
    site = site_of_machine("1c", trace.cluster)
    learned = learn_spans(site, trace, 30)
    job = new_job("ann", "", 600, parse_cluster("1x4c").groups[0])
    found = Forecast((Prediction(job, 900, 1000, 900, 1100, ""),), 9)
    shifted = with_spans(found, 30, 0.8, learned)
    assert (shifted.evidence, shifted.doubt) == (learned.words, "")
    wide = with_spans(found, 30, 0.8, LogSpans(None, "too few"))
    assert wide.evidence == ""
    assert wide.doubt == f"{IN_TESTS} (too few)"
    assert wide.waiting == widened(found, 30, 0.8).waiting
    plan = replace(found, replays=0)
    assert with_spans(plan, 30, 0.8, None) == plan


def test_plans_are_shifted_where_they_tell_more_than_replays() -> None:
    """Real starts lie three times as far as planned, and replays know nothing of that."""
    random = np.random.default_rng(3)
    planned = random.integers(20_000, 200_000, 400)
    guessed = random.integers(20_000, 200_000, 400)
    scored = Scored(np.arange(400) // 4, planned, guessed, guessed // 2, 2 * guessed, 3 * planned, 0.8)
    found = calibration_of(scored)
    assert found is not None
    assert found.shifts[-1].of_plan
    held = score(scored)
    assert held is not None
    assert held.error_calibrated < 0.01 * held.error_planned
    assert held.pinball_calibrated < 0.1 * held.pinball
    same = replace(scored, started=guessed)
    better = calibration_of(same)
    assert better is not None
    assert not better.shifts[-1].of_plan
