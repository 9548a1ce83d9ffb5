"""Spans of predicted starts, calibrated on a log so that they hold as often as they say, where it can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.claims.claim import Claim, ClaimQuantity, Unit
from engine.claims.spans import SpanRelation
from engine.errors import InputError
from engine.now.calibration import Calibration, Scored, calibrate, calibrated
from engine.now.log_instants import REPLAYS, replay_log
from engine.now.prediction import Forecast
from engine.now.span_claims import calibrated_claim, few_claim, span_claim, text_of
from engine.now.spans import widened
from engine.slurm.site.site import Site
from engine.trace import Trace

INSTANTS = 60
"""Instants of a log on which spans are calibrated: always as many, however long these take."""

FEWEST_INSTANTS = 30
"""Jobs that wait together start together: of fewer instants at which mostly other jobs wait, nothing is
concluded. Of n such instants the share that is held is uncertain by the root of 0.16 / n: of 30 by 7 points,
and of the 10 that a day's log may have by 13, beside what differs between its begin and its end.
"""

_FEWEST_JOBS = 20
_LEAST_HELD = 0.5
"""The share that has to be held in each stretch of time that was not calibrated on; else none is claimed."""


class LogSpans(NamedTuple):
    """The shifts of spans that a log shows, and how well they held, as claims and as a share from 0 to 1.

    Or None, and why not. The `share` is that of the stretch of time in which fewest were held: queues change,
    and what comes may be like the times at which spans held least. So it is held or exceeded mostly, where
    the mean of all times is missed whenever the queue is busier than it was.
    """

    by: Calibration | None
    claims: tuple[Claim, ...]
    share: float = 0.0

    @property
    def words(self) -> str:
        """The claims in words; empty without any."""
        return text_of(self.claims)


def learn_spans(
    site: Site,
    trace: Trace,
    instants: int = INSTANTS,
    *,
    cover: float = 0.8,
    replays: int = REPLAYS,
    seed: int = 0,
    arrivals: bool = False,
    enough: Callable[[int], bool] = lambda _: False,
) -> LogSpans:
    """What a log says of spans, from predictions at random instants by so many replays.

    No further instant is tried once `enough` of as many as are done says so, as where a user cancels. With
    `arrivals` further jobs come in these as in the weeks before each instant.
    """
    try:
        scored = replay_log(
            site,
            trace,
            instants,
            replays=replays,
            cover=cover,
            seed=seed,
            arrivals=arrivals,
            enough=enough,
        )
    # A log that cannot be replayed leaves forecasts without spans, with the reason in words.
    except InputError as error:
        why = span_claim(SpanRelation.NOT_REPLAYED, of=trace.shown_name, about=("error", str(error)))
        return LogSpans(None, (why,))
    learned = spans_of(scored, trace.shown_name, waited=bool((trace.wait > 0).any()))
    # The order of the log says something only of spans that hold.
    if learned.by is None:
        return learned
    return learned._replace(claims=(*learned.claims, order_claim(site, trace.shown_name)))


def order_claim(site: Site, log: str) -> Claim:
    """By what jobs of a log go when it is replayed on a site."""
    return span_claim(SpanRelation.BY_PRIORITIES if site.multifactor else SpanRelation.BY_SUBMISSION, of=log)


def spans_of(scored: Scored, name: str, *, waited: bool = True, ahead: bool = False) -> LogSpans:
    """What predictions at instants of a log, or of a schedule, say of spans; `waited`: whether a job did.

    With `ahead` they are tested on later times than they are calibrated on, as in `calibrate`.
    """
    if not len(scored.started):
        # Counts of nothing would not say whether nobody waited, or waits were too late or too short.
        none = SpanRelation.GAVE_NONE if waited else SpanRelation.NOBODY_WAITED
        return LogSpans(None, (span_claim(none, of=name),))
    apart, calibration = scored.apart(), calibrate(scored, ahead=ahead)
    jobs = len(np.unique(scored.job))
    if calibration is None or apart < FEWEST_INSTANTS or jobs < _FEWEST_JOBS:
        # The claim tells the bound that is missed; jobs are fewer than predictions, so they are asked first.
        few_jobs = jobs < _FEWEST_JOBS
        fewest, unit = (_FEWEST_JOBS, Unit.JOBS) if few_jobs else (FEWEST_INSTANTS, Unit.INSTANTS)
        least = ClaimQuantity("fewest", fewest, unit)
        return LogSpans(None, (few_claim(name, len(scored.started), jobs, apart, least),))
    by, score = calibration
    if score.held_least < _LEAST_HELD:
        held = [
            ClaimQuantity("held", 100 * score.held_least, Unit.PERCENT),
            ClaimQuantity("cover", 100 * scored.cover, Unit.PERCENT),
        ]
        return LogSpans(None, (span_claim(SpanRelation.NOT_HELD, held, name),))
    return LogSpans(by, (calibrated_claim(score, name, ahead=ahead),), score.held_least)


def learned_of_replays(learned: LogSpans, made: int, in_log: int) -> LogSpans:
    """What a log says of spans, unless fewer replays were `made` than at each instant of the log (`in_log`).

    Spans of fewer replays hold less: then the log says nothing of them, and a claim says so.
    """
    if made >= in_log:
        return learned
    replays = [ClaimQuantity("replays", made, Unit.REPLAYS), ClaimQuantity("then", in_log, Unit.COUNT)]
    return LogSpans(None, (span_claim(SpanRelation.FEWER_REPLAYS, replays),))


def with_spans(forecast: Forecast, cycle: int, cover: float, learned: LogSpans | None) -> Forecast:
    """The forecast with spans calibrated on a log; where there is none, they are made wider, and say so.

    `cycle` is that of the site's backfiller, s.
    """
    if not forecast.replays:
        return forecast
    if learned is not None and learned.by is not None:
        return calibrated(forecast, learned.by, learned.share, learned.claims)
    return widened(forecast, cycle, cover, learned.claims if learned is not None else ())
