"""Spans that are wider than those of replays, and corrected by kept predictions."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.claims.spans import SpanRelation
from engine.logs.queue.state import RUNNING, QueueState, new_job
from engine.machine.cluster import parse_cluster
from engine.now.prediction import Forecast, Prediction
from engine.now.span_claims import span_claim, text_of
from engine.now.spans import FEWEST, corrected, correction, predicted_and_kept, widened
from engine.now.stored_predictions import Kept

JOB = new_job("ann", "", 600, parse_cluster("1x4c").groups[0])
ONE = Prediction(JOB, 900, 500, 300, 700, "")


def test_a_span_holds_the_plan_a_cycle_and_an_error_of_the_model() -> None:
    none = Prediction(JOB, None, None, None, None, "")
    found = widened(Forecast((ONE, none), 9), 30, 0.8)
    early, late = found.waiting[0].early, found.waiting[0].late
    assert early == round(360 / 1.5 - 60) - 30
    assert late == round(960 * 1.5 - 60) + 30
    assert found.waiting[0].expected == ONE.expected
    assert found.waiting[1] == none
    (narrow,) = widened(Forecast((ONE,), 9), 30, 0.5).waiting
    assert narrow.late is not None
    assert late is not None
    assert 930 < narrow.late < late
    (soon,) = widened(Forecast((replace(ONE, planned=5, early=0, late=3),), 9), 30, 0.8).waiting
    assert soon.early == 0


def _kept(starts: list[int], wait: int = 0) -> list[Kept]:
    """Predictions of starts between 100 and 200 s of jobs that did so, and of others that still wait."""
    done = [Kept(str(k), 0, 150, 100, 200, start) for k, start in enumerate(starts)]
    return done + [Kept(f"w{k}", 0, 150, 100, 200) for k in range(wait)]


@given(st.lists(st.integers(0, 5000), min_size=FEWEST, max_size=150), st.sampled_from([0.5, 0.8, 0.9]))
def test_where_all_have_started_the_rank_is_that_of_conformal_prediction(
    starts: list[int], cover: float
) -> None:
    misses = sorted(max(math.log(160) - math.log(s + 60), math.log(s + 60) - math.log(260)) for s in starts)
    rank = min(math.ceil((len(starts) + 1) * cover - 1e-9), len(starts))
    shift, many = correction(_kept(starts), 10_000, (), cover)
    assert many == len(starts)
    assert shift == pytest.approx(misses[rank - 1])


def test_of_few_nothing_follows() -> None:
    kept = _kept([1000] * (FEWEST - 1), wait=50)
    found = Forecast((ONE,), 9)
    assert corrected(found, kept, 900, [prediction.job_id for prediction in kept], 0.8) == found
    assert corrected(found, _kept([1000] * FEWEST), None, (), 0.8) == found


def test_jobs_that_still_wait_widen_spans_and_jobs_that_are_gone_do_not() -> None:
    kept = _kept([150] * FEWEST, wait=FEWEST)
    gone, _ = correction(kept, 900, (), 0.8)
    waiting, _ = correction(kept, 900, [prediction.job_id for prediction in kept], 0.8)
    assert gone is not None
    assert waiting is not None
    assert gone < 0  # all of them started in the middle
    assert waiting >= math.log(960 / 260) - 1e-9


def test_corrected_spans_hold_as_often_as_they_say() -> None:
    """Real starts are log-normal around three times what is told; spans are far too narrow."""
    random = np.random.default_rng(36)

    def draw() -> tuple[int, int]:
        expected = int(random.integers(100, 20_000))
        return expected, max(round(3 * (expected + 60) * math.exp(random.normal(0, 0.5))) - 60, 0)

    held = 0
    for _ in range(200):
        kept = [
            Kept(str(k), 0, e, round(0.9 * e), round(1.1 * e), start)
            for k, (e, start) in enumerate(draw() for _ in range(30))
        ]
        expected, start = draw()
        prediction = replace(ONE, expected=expected, early=round(0.9 * expected), late=round(1.1 * expected))
        found = corrected(Forecast((prediction,), 9), kept, 10**6, (), 0.8)
        assert text_of(found.evidence) == "by 30 kept predictions whose jobs have started"
        (now,) = found.waiting
        assert now.early is not None
        assert now.late is not None
        assert now.expected is not None
        assert now.early <= now.expected <= now.late
        held += now.early <= start <= now.late
    assert held / 200 == pytest.approx(0.8, abs=0.09)


def test_spans_that_held_often_enough_stay_and_claim_what_held() -> None:
    found = Forecast((ONE,), 9)
    kept = _kept([150] * 19 + [900])  # one of 20 was missed
    stays = corrected(found, kept, 10**6, (), 0.8)
    assert stays.waiting == found.waiting
    assert stays.share == 0.95
    assert "20 kept predictions" in text_of(stays.evidence)
    waits = [prediction.job_id for prediction in _kept([150] * 19 + [900], 5)]
    over = corrected(
        found, _kept([150] * 22 + [900], 2), 10**6, waits, 0.8
    )  # two wait longer than their spans
    assert over.share == 22 / 25
    wider = corrected(found, _kept([900] * 20), 10**6, (), 0.8)
    assert wider.share == 0.8
    assert wider.waiting[0].late is not None
    assert wider.waiting[0].late > 700
    of_log = replace(found, evidence=(span_claim(SpanRelation.BY_SUBMISSION),), share=0.81)
    assert corrected(of_log, _kept([900] * 20), 10**6, (), 0.8) == of_log


def test_what_is_kept_is_what_was_reported_and_the_span_before() -> None:
    kept = [replace(prediction, job_id=f"k{prediction.job_id}") for prediction in _kept([1000] * FEWEST)]
    state = QueueState((JOB, replace(JOB, job_id="r", state=RUNNING, elapsed=10)), 5000, ())
    forecast, after = predicted_and_kept(Forecast((ONE,), 9), kept, state, 0.8)
    (prediction,) = forecast.waiting
    assert prediction.late is not None
    assert prediction.late > 700
    assert (after[-1].late, after[-1].low, after[-1].high) == (5000 + prediction.late, 5300, 5700)
