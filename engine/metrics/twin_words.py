"""What is said of a site's schedule beside the recorded one, as claims over the jobs that both ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.twins import NearnessRelation, TwinRelation
from engine.claims.words import TextSpan, line
from engine.metrics.twin import Twin
from engine.schedule.schedule import Schedule


def twin_claims(schedule: Schedule, twin: Twin, cycle: int) -> tuple[Claim, ...]:
    """How near starts, makespan, use and the order of accounts come to the log's, with the backfiller's
    `cycle` in s.
    """
    return tuple(_claims(schedule, twin, cycle))


def twin_spans(schedule: Schedule, twin: Twin, cycle: int) -> tuple[TextSpan, ...]:
    """These claims as a sentence."""
    _, _, first, *rest = line(twin_claims(schedule, twin, cycle))  # without the name of the model
    return (first, *rest, TextSpan("."))


def unlike_claims(schedule: Schedule, twin: Twin) -> tuple[Claim, ...]:
    """What of the log is not modelled, and of how many jobs."""
    return tuple(
        _claim(
            schedule,
            NearnessRelation.NOT_MODELLED,
            [ClaimQuantity("unlike", count, Unit.JOBS)],
            [NamedThing("what", text, ClaimPlace("runs", 0))],
        )
        for text, count in twin.unlike
    )


def _claims(schedule: Schedule, twin: Twin, cycle: int) -> Iterator[Claim]:
    # In the order in which a reader asks: how many starts are near, by how much the middle job differs,
    # whether the order of waits is the same, then the machine as a whole.
    shares = {"near": twin.whole.cycle, "nearer": twin.whole.tenth}
    near = [ClaimQuantity(name, 100 * share, Unit.PERCENT) for name, share in shares.items()]
    near.append(ClaimQuantity("cycle", cycle, Unit.SECONDS))
    yield _claim(schedule, NearnessRelation.NEAR_STARTS, near)
    half = ClaimQuantity("difference", round(twin.start_difference), Unit.SECONDS)
    yield _claim(schedule, NearnessRelation.HALF_DIFFER, [half])
    if twin.correlation is not None:
        correlation = ClaimQuantity("correlation", twin.correlation, Unit.CORRELATION)
        yield _claim(schedule, TwinRelation.CORRELATED, [correlation])
    sides = ("recorded", "simulated")
    spans = [
        ClaimQuantity(name, value, Unit.SECONDS) for name, value in zip(sides, twin.makespan, strict=True)
    ]
    yield _claim(schedule, NearnessRelation.MAKESPAN, spans)
    parts = zip(sides, twin.utilization, strict=True)
    yield _claim(
        schedule,
        NearnessRelation.UTILIZATION,
        [ClaimQuantity(name, 100 * part, Unit.TENTHS) for name, part in parts],
    )
    if twin.order_kept is not None:
        yield _claim(
            schedule, NearnessRelation.SAME_ORDER if twin.order_kept else NearnessRelation.NOT_SAME_ORDER
        )


def _claim(
    schedule: Schedule,
    relation: TwinRelation | NearnessRelation,
    quantities: Sequence[ClaimQuantity] = (),
    about: Sequence[NamedThing] = (),
) -> Claim:
    both = schedule.ran & (schedule.trace.wait >= 0)
    submit = schedule.trace.submit[both]
    model = NamedThing("subject", "the model", ClaimPlace("runs", 0))
    people = Population(len(submit), int(submit.min()), int(submit.max()))
    return Claim(model, relation, tuple(quantities), tuple(about), people, (model.place,))
