"""Spans of predicted starts: wider than those of replays, and corrected by kept predictions."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from statistics import NormalDist

from engine.claims.claim import Claim, ClaimQuantity, Unit
from engine.claims.spans import SpanRelation
from engine.logs.queue.state import WAITING, QueueState
from engine.now.prediction import Forecast, Prediction
from engine.now.span_claims import doubt_claims, span_claim
from engine.now.stored_predictions import Kept, follow

FEWEST = 20
"""Jobs that have started since, which a correction is made of."""

MODEL_ERROR = 1.5
"""The factor of times from now by which a model of the site is off, for spans that hold 80 %.

Of 1.25, 1.5, 2, 3 and 4 it loses least (pinball loss) on instants of CTC-SP2, and 2 % more than 2 on those of
KTH-SP2. It was chosen on these logs, with the stream of a real Slurm in sight.
"""

_SOON = 60.0  # s: times are compared as the logarithm of the time from now, and this beside it


def widened(forecast: Forecast, cycle: int, cover: float, because: Sequence[Claim] = ()) -> Forecast:
    """The forecast with spans that hold more than the replays do, for real starts that nothing is known of.

    Its doubt says so, and `because` of what no better is known.

    Replays differ in runtimes alone. A real start also differs from them since runtimes may be nearer to the
    limits, so that a span holds the planned start; since a start waits for the next pass of the scheduler, up
    to a `cycle` of s later; and since the model of the site is off, by a factor.
    """
    normal = NormalDist()
    # MODEL_ERROR is of 80 % of starts: a normal distribution of its logarithm gives it for other shares.
    spread = math.log(MODEL_ERROR) * normal.inv_cdf((1 + cover) / 2) / normal.inv_cdf(0.9)

    def wider(prediction: Prediction) -> Prediction:
        if prediction.planned is None or prediction.early is None or prediction.late is None:
            return prediction
        early = _moved(min(prediction.early, prediction.planned), -spread) - cycle
        # A start waits for the next cycle, so the late end moves by a cycle.
        late = _moved(max(prediction.late, prediction.planned), spread) + cycle
        return replace(prediction, early=max(round(early), 0), late=round(late))

    doubt = doubt_claims(cover, math.exp(spread), because) if forecast.replays else ()
    return replace(forecast, waiting=tuple(map(wider, forecast.waiting)), doubt=doubt)


def corrected(
    forecast: Forecast, kept: Sequence[Kept], time: int | None, waiting: Collection[str], cover: float
) -> Forecast:
    """The forecast with spans wider at both ends by as much as kept ones had to be; as it is if few are kept.

    Where kept spans held often enough, they stay, and their share is what was held. Those that are calibrated
    on a log stay as they are: what was kept says nothing of how far these miss.
    `time` is the present, in Unix seconds, and `waiting` are ids of jobs that still wait.
    """
    if forecast.evidence:
        return forecast
    shift, started = (None, 0) if time is None else correction(kept, time, waiting, cover)
    if shift is None or time is None:
        return forecast
    # Of few predictions, whose jobs waited together, not enough is known to make spans narrower.
    share = _held(kept, time, waiting) if shift <= 0 else cover
    shift = max(shift, 0.0)

    def moved(prediction: Prediction) -> Prediction:
        if prediction.expected is None or prediction.early is None or prediction.late is None:
            return prediction
        early, late = (
            max(round(_moved(prediction.early, -shift)), 0),
            max(round(_moved(prediction.late, shift)), 0),
        )
        # The shift narrowed the span beyond nothing: both ends meet in its middle.
        if early > late:
            early = late = (early + late) // 2
        return replace(
            prediction, early=early, late=late, expected=min(max(prediction.expected, early), late)
        )

    evidence = span_claim(SpanRelation.KEPT, [ClaimQuantity("kept", started, Unit.KEPT_PREDICTIONS)])
    return replace(
        forecast,
        waiting=tuple(map(moved, forecast.waiting)),
        evidence=(evidence,),
        doubt=(),
        share=share,
    )


def _held(kept: Sequence[Kept], time: int, waiting: Collection[str]) -> float:
    """The share of kept predictions that held, of those of which it is known, before any correction."""
    held = []
    for prediction in kept:
        low = prediction.early if prediction.low is None else prediction.low
        high = prediction.late if prediction.high is None else prediction.high
        if prediction.started is not None:
            held.append(low <= prediction.started <= high)
        elif prediction.job_id in waiting and time > high:
            held.append(False)
    return sum(held) / max(len(held), 1)


def predicted_and_kept(
    forecast: Forecast, kept: Sequence[Kept], state: QueueState, cover: float
) -> tuple[Forecast, tuple[Kept, ...]]:
    """The forecast corrected by the kept predictions, and these after the state that it is of."""
    waiting = {job.job_id for job in state.jobs if job.state == WAITING}
    kept = follow(kept, state, replace(forecast, waiting=()))  # what has started since
    predictions = corrected(forecast, kept, state.time, waiting, cover)
    return predictions, follow(kept, state, predictions, forecast)


def correction(
    kept: Sequence[Kept], time: int, waiting: Collection[str], cover: float
) -> tuple[float | None, int]:
    """How far ends of spans have to move, as a logarithm of times from now, and the number of started jobs.

    The miss of a prediction is how far its start lies outside the span, in logarithms of the time from the
    prediction on; it is negative inside (conformal quantile regression: Romano, Patterson & Candes 2019,
    equation 6). The correction is the miss of rank ceil((n + 1) cover) among n, or None if fewer than FEWEST
    jobs have started.
    Jobs that still wait count too, or only the early starts would: their misses are known to be at least
    what their waits so far make them. The rank is therefore taken in the estimate of Kaplan & Meier (1958).
    """
    misses: list[tuple[float, bool]] = []  # each with whether the job has started, which makes it exact
    for prediction in kept:
        # Ends as they were predicted, before any correction, where they were kept.
        low = prediction.early if prediction.low is None else prediction.low
        high = prediction.late if prediction.high is None else prediction.high
        first, last = _log(low - prediction.made), _log(high - prediction.made)
        if prediction.started is not None:
            real = _log(prediction.started - prediction.made)
            misses.append((max(first - real, real - last), True))
        # A job that still waits is censored: its miss is at least what a start at this moment would give, and
        # what a start in the middle of the span would give.
        elif prediction.job_id in waiting and time > prediction.made:
            misses.append((max(_log(time - prediction.made), (first + last) / 2) - last, False))
    started = sum(exact for _, exact in misses)
    if started < FEWEST:
        return None, started
    # Kaplan and Meier's estimate: `larger` is the share of jobs whose miss is larger than those seen so far.
    # The job to be predicted counts among those `at_risk`, which makes n + 1 of them.
    misses.sort(key=lambda miss: (miss[0], not miss[1]))
    at_risk, larger = len(misses) + 1, 1.0
    for miss, exact in misses:
        if exact:
            larger *= 1 - 1 / at_risk
        at_risk -= 1
        if larger <= 1 - cover + 1e-9:
            return miss, started
    return max(miss for miss, _ in misses), started


def _log(seconds: float) -> float:
    return math.log(max(seconds, 0) + _SOON)


def _moved(seconds: float, shift: float) -> float:
    return math.exp(_log(seconds) + shift) - _SOON
