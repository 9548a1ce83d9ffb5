"""What spans of predicted starts mean, in the words of command, pages and window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.claims.claim import Claim, ClaimQuantity, Unit
from engine.claims.spans import SpanRelation
from engine.claims.words import plain, sentence
from engine.now.span_claims import coming_claim, span_claim, text_of
from engine.now.usual_shares import USED_OF_LIMITS

if TYPE_CHECKING:
    from engine.now.prediction import Forecast
    from engine.now.queue_forecast import QueueForecast


def spans_meaning(answer: QueueForecast, span: str = "this span") -> str:
    """The meaning of spans, called `span` here: how often they hold, if known, and what they are made of.

    The text ends with a full stop, and begins within a sentence.
    """
    forecast = answer.forecast
    if not forecast.replays:
        return f"{text_of([span_claim(SpanRelation.NO_REPLAY)])}."
    replays, drawn, coming = made_claims(answer, span)
    made = f"{plain(sentence(drawn))[:-1]}, and {text_of([coming])}."
    if forecast.evidence:
        return f"{share_meaning(forecast)}. {plain(sentence(replays))} {made}"
    return f"{text_of([replays])}. It is {text_of(forecast.doubt)}. {made}"


def made_claims(answer: QueueForecast, span: str) -> tuple[Claim, Claim, Claim]:
    """What spans are made of: replays, what runtimes are drawn from in these, and which further jobs come."""
    forecast = answer.forecast
    replays = [ClaimQuantity("replays", forecast.replays, Unit.REPLAYS)]
    # What spans hold was measured only where they are calibrated; else only what replays do can be told.
    if forecast.evidence:
        relation = SpanRelation.COARSE_REPLAYS if forecast.coarse else SpanRelation.REPLAYS
        made = span_claim(relation, replays)
    else:
        relation = SpanRelation.MOST_COARSE_REPLAYS if forecast.coarse else SpanRelation.MOST_REPLAYS
        made = span_claim(relation, replays, about=("span", span))
    log = answer.queue.log
    if log is None:
        logs = [ClaimQuantity("logs", len(USED_OF_LIMITS), Unit.COUNT)]
        drawn = span_claim(SpanRelation.DRAWN_FROM_ARCHIVE, logs)
    else:
        drawn = span_claim(SpanRelation.DRAWN_FROM_LOG, about=("drawn", log.shown_name))
    return made, drawn, coming_claim(forecast.weeks)


def share_meaning(forecast: Forecast) -> str:
    """How many starts calibrated spans contain, and on what they are calibrated."""
    return (
        f"{text_of([share_claim(forecast.share or 0.0)])}; they are calibrated {text_of(forecast.evidence)}"
    )


def share_claim(share: float) -> Claim:
    """How many of real starts come within calibrated spans, from 0 to 1."""
    return span_claim(SpanRelation.SHARE, [ClaimQuantity("share", 100 * share, Unit.PERCENT)])
