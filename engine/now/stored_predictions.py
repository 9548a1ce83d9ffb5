"""Predictions that are stored, and scored once their jobs have started."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np

from engine.atomic import write_atomically
from engine.errors import InputError
from engine.input import exists, read_text
from engine.logs.queue.state import RUNNING, QueueState
from engine.now.prediction import Forecast

MOST_KEPT = 20_000
"""Of more the oldest are forgotten."""

_LONGEST = 60 * 86_400  # s that a job is waited for
_MOST_BYTES = 16 << 20
_MOST_TIME = 1 << 40


@dataclass(frozen=True)
class Kept:
    """The first prediction of a job, `made` at a moment; all times in Unix seconds.

    It was planned to start at `planned`, and predicted to start from `early` to `late`. `started` is when it
    did, None if it has not. The span from `low` to `high` is the prediction before it was corrected by
    other kept predictions, None if it was not corrected.
    """

    job_id: str
    made: int
    planned: int
    early: int
    late: int
    started: int | None = None
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class PredictionScore:
    """The accuracy of predictions: the share `within` of `jobs` that started did so within their spans.

    Half of them started within `planned_off` s of their planned starts. The share is from 0 to 1.
    """

    jobs: int
    within: float
    planned_off: float


def _marked(kept: Sequence[Kept], state: QueueState, now: int) -> list[Kept]:
    """Predictions with the starts that a queue shows, without those of jobs that were never seen again."""
    # A running job tells when it started.
    runs = {job.job_id: now - job.elapsed for job in state.jobs if job.state == RUNNING}
    known = []
    for prediction in kept:
        start = runs.get(prediction.job_id)
        # A start before the prediction was made is another run of the same id.
        if prediction.started is None and start is not None and start >= prediction.made:
            known.append(replace(prediction, started=start))
        # A job that was never seen again is dropped in the end; scored predictions stay.
        elif prediction.started is not None or now - prediction.made <= _LONGEST:
            known.append(prediction)
    return known


def follow(
    kept: Sequence[Kept], state: QueueState, forecast: Forecast, before: Forecast | None = None
) -> tuple[Kept, ...]:
    """The stored predictions after a new state of the queue: started jobs are marked, new predictions added.

    A job that left the queue without having been seen to run stays unscored; its prediction is
    dropped after 60 days. Without a time of the queue, or without replays, nothing changes. `before` is the
    forecast before it was corrected.
    """
    now = state.time
    if now is None:
        return tuple(kept)
    known = _marked(kept, state, now)
    there = {prediction.job_id for prediction in known}
    spans = {
        prediction.job.job_id: (prediction.early, prediction.late)
        for prediction in (before or forecast).waiting
    }
    # A job keeps its first prediction: later predictions would be easier.
    for new in forecast.waiting:
        if new.planned is None or new.early is None or new.late is None or new.job.job_id in there:
            continue
        low, high = spans.get(new.job.job_id, (None, None))
        span = {} if low is None or high is None else {"low": now + low, "high": now + high}
        ends = (now + new.planned, now + new.early, now + new.late)
        known.append(Kept(new.job.job_id, now, *ends, **span if before is not None else {}))
    # The newest are kept.
    return tuple(known[-MOST_KEPT:])


def score_of(kept: Sequence[Kept], slack: int = 60) -> PredictionScore | None:
    """The score of the jobs that have started, with `slack` s added to their spans; None where none has."""
    ended = [prediction for prediction in kept if prediction.started is not None]
    if not ended:
        return None
    start = np.array([prediction.started for prediction in ended], np.int64)
    early, late, planned = (
        np.array([getattr(prediction, name) for prediction in ended], np.int64)
        for name in ("early", "late", "planned")
    )
    inside = (start >= early - slack) & (start <= late + slack)
    return PredictionScore(len(ended), float(inside.mean()), float(np.median(np.abs(start - planned))))


def read_kept(path: Path) -> tuple[Kept, ...]:
    """The predictions of a file; empty if it does not exist or holds something else."""
    try:
        rows = json.loads(read_text(path, _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return ()
    predictions = []
    # A file that holds anything else is not ours: nothing of it is believed.
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, list) or len(row) not in (6, 8) or not isinstance(row[0], str):
            return ()
        times = row[1:5] + [time for time in row[5:] if time is not None]
        if not all(type(time) is int and abs(time) < _MOST_TIME for time in times):
            return ()
        predictions.append(Kept(*row))
    return tuple(predictions)


def read_own(path: Path) -> tuple[Kept, ...]:
    """The predictions of a file that will be overwritten; empty if it does not exist.

    Raises InputError for a file that holds something else or cannot be read, since it must not be lost.
    """
    kept = read_kept(path)
    if not kept and exists(path) and read_text(path, _MOST_BYTES).strip() != "[]":
        raise InputError(f"{path}: it holds no predictions that were kept, and is left as it is")
    return kept


def write_kept(path: Path, kept: Sequence[Kept], *, own_name: bool = False) -> None:
    """Write the predictions, in folders that are made where they lack; `own_name`: no link is followed.

    Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps([astuple(prediction) for prediction in kept])
    write_atomically(path, lambda part: part.write_text(text, "utf-8"), own_name=own_name)
