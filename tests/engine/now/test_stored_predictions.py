"""Predictions that are kept and scored, by hand."""

from dataclasses import replace
from pathlib import Path

from engine.logs.queue.state import RUNNING, WAITING, QueuedJob, QueueState
from engine.now.prediction import Forecast, Prediction
from engine.now.stored_predictions import Kept, PredictionScore, follow, read_kept, score_of, write_kept

JOB = QueuedJob("1", "ann", "", "batch", WAITING, "Priority", 0, 0, 3600, 4, 1, 0, 0, False, "", "", 10.0)
SECOND = replace(JOB, job_id="2")


def test_the_first_prediction_of_a_job_is_scored_when_it_runs() -> None:
    first = Forecast(
        (
            Prediction(JOB, 1000, 500, 400, 600, ""),
            Prediction(SECOND, 3000, 1500, 1400, 1600, ""),
            Prediction(replace(JOB, job_id="3"), None, None, None, None, ""),
        ),
        10,
    )
    kept = follow((), QueueState((JOB, SECOND), 10_000, ()), first)
    assert kept == (Kept("1", 10_000, 11_000, 10_400, 10_600), Kept("2", 10_000, 13_000, 11_400, 11_600))
    assert score_of(kept) is None
    # 500 s later the first one has run for 50 s; the second one has another prediction, which does not count.
    state = QueueState((replace(JOB, state=RUNNING, elapsed=50), SECOND), 10_500, ())
    kept = follow(kept, state, Forecast((Prediction(SECOND, 100, 100, 50, 200, ""),), 10))
    assert [prediction.started for prediction in kept] == [10_450, None]
    assert kept[1].planned == 13_000
    assert score_of(kept) == PredictionScore(1, 1.0, 550.0)
    # The second one starts 200 s late.
    state = QueueState((replace(SECOND, state=RUNNING, elapsed=0),), 11_800, ())
    kept = follow(kept, state, Forecast((), 10))
    assert score_of(kept) == PredictionScore(2, 0.5, 875.0)
    assert score_of(kept, slack=200) == PredictionScore(2, 1.0, 875.0)
    assert follow(kept, QueueState((), None, ()), first) == kept


def test_what_ran_before_or_is_long_gone_is_not_scored() -> None:
    kept = (Kept("1", 10_000, 11_000, 10_400, 10_600),)
    before = QueueState((replace(JOB, state=RUNNING, elapsed=2000),), 11_000, ())
    assert follow(kept, before, Forecast((), 0)) == kept
    late = QueueState((), 10_000 + 61 * 86_400, ())
    assert follow(kept, late, Forecast((), 0)) == ()


def test_they_are_read_as_they_were_written_and_noise_is_none(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "kept.json"
    kept = (Kept("1", 1, 2, 3, 4, 5), Kept("2_[1-3]", 1, 2, 3, 4))
    assert read_kept(path) == ()
    write_kept(path, kept)
    assert read_kept(path) == kept
    for text in (
        "",
        "{}",
        "[[1, 2]]",
        '[["1", 1, 2, 3, 4, "x"]]',
        '[["1", 1, 2, 3, 4e400, null]]',
        "[" * 10_000,
    ):
        path.write_text(text)
        assert read_kept(path) == ()
