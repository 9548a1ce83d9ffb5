"""Claims on spans of predicted starts: how well they held, or why nothing is known of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.claims.claim import NOBODY, Claim, ClaimPlace, ClaimQuantity, NamedThing, Sure, Unit
from engine.claims.spans import SpanRelation
from engine.claims.words import plain, render

if TYPE_CHECKING:
    from engine.now.calibration import CalibrationScore

IN_TESTS = {
    "least": (19, Unit.COUNT),
    "most": (54, Unit.PERCENT),
    "logs": (3, Unit.COUNT),
    "least real": (70, Unit.COUNT),
    "most real": (100, Unit.PERCENT),
    "runs": (6, Unit.COUNT),
}
"""How many starts spans for TESTED of them held that are only wider than those of replays."""

TESTED = 0.8


def span_claim(
    relation: SpanRelation,
    quantities: Sequence[ClaimQuantity] = (),
    of: str = "spans",
    about: Sequence[str] = (),
) -> Claim:
    """A claim on spans, or on the log `of` which they are; `about` are pairs of a role and a name."""
    place = ClaimPlace("runs", 0)
    roles = zip(about[::2], about[1::2], strict=True)
    named = tuple(NamedThing(role, name, place) for role, name in roles)
    subject = NamedThing("subject", of, place)
    return Claim(subject, relation, tuple(quantities), named, NOBODY, (place,), Sure.REPLAYED)


def calibrated_claim(score: CalibrationScore, log: str, *, ahead: bool = False) -> Claim:
    """How well the spans of predictions held, which were calibrated on other times of a log.

    With `ahead` these were earlier times.
    """
    quantities = [
        ClaimQuantity("predictions", score.predictions, Unit.PREDICTIONS),
        ClaimQuantity("instants", score.instants, Unit.INSTANTS),
        ClaimQuantity("held", 100 * score.held_calibrated, Unit.PERCENT),
        ClaimQuantity("least", 100 * score.held_least, Unit.PERCENT),
        ClaimQuantity("raw", 100 * score.held, Unit.PERCENT),
        ClaimQuantity("off", round(score.error_calibrated), Unit.SECONDS),
        ClaimQuantity("planned off", round(score.error_planned), Unit.SECONDS),
    ]
    relation = SpanRelation.CALIBRATED_BEFORE if ahead else SpanRelation.CALIBRATED
    return span_claim(relation, quantities, log)


def few_claim(log: str, predictions: int, jobs: int, apart: int, fewest: ClaimQuantity) -> Claim:
    """That a log gave too few predictions, by the number that is too small: of jobs, or of instants."""
    counts = [
        ClaimQuantity("predictions", predictions, Unit.PREDICTIONS),
        ClaimQuantity("jobs", jobs, Unit.JOBS),
        ClaimQuantity("apart", apart, Unit.INSTANTS),
        fewest,
    ]
    return span_claim(SpanRelation.GAVE_FEW, counts, log)


def doubt_claims(cover: float, factor: float, because: Sequence[Claim]) -> tuple[Claim, ...]:
    """What is known of spans for a share of the starts, wider by a factor than those of replays, and why."""
    tests = [ClaimQuantity(name, value, unit) for name, (value, unit) in IN_TESTS.items()]
    untested = span_claim(SpanRelation.NOT_TESTED)
    wider = ClaimQuantity("factor", factor, Unit.MEASURED)
    return (
        span_claim(SpanRelation.HELD_IN_TESTS, tests) if cover == TESTED else untested,
        span_claim(SpanRelation.WIDER, [wider]),
        *because,
    )


def text_of(claims: Sequence[Claim]) -> str:
    """Claims as the clauses of a sentence that goes on; empty without claims."""
    return "; ".join(plain(render(claim)) for claim in claims)


def coming_claim(weeks: int) -> Claim:
    """Which further jobs come in replays: as in so many weeks of the log; 0: none."""
    if not weeks:
        return span_claim(SpanRelation.NONE_COMES)
    if weeks == 1:
        return span_claim(SpanRelation.COME_AS_IN_WEEK)
    return span_claim(SpanRelation.COME_AS_IN_WEEKS, [ClaimQuantity("weeks", weeks, Unit.WEEKS)])
