"""Spans of starts at an instant of a schedule, calibrated on earlier instants of the same schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.claims.claim import ClaimQuantity, Unit
from engine.claims.spans import SpanRelation
from engine.now.calibration import Calibration, shifted
from engine.now.log_instants import REPLAYS, scored_of
from engine.now.log_spans import LogSpans, spans_of
from engine.now.site_instant import planned_by_site
from engine.now.span_claims import span_claim
from engine.now.start_spread import Draws, StartSpread, start_spreads
from engine.schedule.instant import Instant, at_instant
from engine.schedule.schedule import Schedule

_STARTED = 0.95  # of the jobs that wait at an instant, whose starts have to be known
_TRIES = 50  # draws of such an instant
_FEWEST_AS_LONG = 3  # of the instants, at which as many jobs waited: else no span is claimed
_NAME = "the schedule until then"


def learn_schedule_spans(schedule: Schedule, time: int, draws: Draws, instants: int) -> LogSpans:
    """What the starts before `time` say of spans of starts, from predictions at earlier random instants.

    Nothing from `time` on is used. Spans are tested on later times than they are calibrated on, and nothing
    is claimed of a queue longer than nearly all of these instants had.
    Raises InputError as `start_spreads` does.
    """
    random = np.random.default_rng(draws.seed)
    rows: list[tuple[int, ...]] = []
    times = sorted(set(_instants(schedule, time, instants, random)))
    # Few replays are enough here, as there are many instants.
    replays = min(draws.replays, REPLAYS)
    for number, moment in enumerate(times):
        instant = planned_instant(schedule, moment)
        planned = dict(zip(instant.planned.tolist(), instant.promised.tolist(), strict=True))
        spreads = start_spreads(schedule, instant, draws._replace(replays=replays, seed=number))
        for job, spread in spreads.items():
            start = int(schedule.start[job])
            # A start after the time is not known yet: it may not enter.
            if start <= time:
                ends = (planned.get(job, spread.middle), spread.middle, spread.early, spread.late, start)
                waited = moment - int(schedule.submit[job])
                rows.append((number, *(end - moment for end in ends), job, waited))
    waited = bool((np.minimum(schedule.start, time) > schedule.submit).any())
    learned = spans_of(scored_of(rows, draws.cover), _NAME, waited=waited, ahead=True)
    return learned if learned.by is None else _unless_long(learned, schedule, time, times)


def _unless_long(learned: LogSpans, schedule: Schedule, time: int, times: Sequence[int]) -> LogSpans:
    """What was learned at `times`, or nothing where hardly ever as many jobs waited as wait at `time`.

    Errors of one runtime add up over the jobs behind it, so that those of short queues say nothing of them.
    """
    # The same count at the time itself and at each instant that was learned from.
    waiting, *further = (
        int(((schedule.submit <= moment) & (schedule.start > moment)).sum()) for moment in (time, *times)
    )
    as_long = sum(count >= waiting for count in further)
    if as_long >= _FEWEST_AS_LONG:
        return learned
    counts = [
        ClaimQuantity("waiting", waiting, Unit.JOBS),
        ClaimQuantity("as long", as_long, Unit.COUNT),
        ClaimQuantity("instants", len(further), Unit.INSTANTS),
        ClaimQuantity("fewest", _FEWEST_AS_LONG, Unit.COUNT),
    ]
    return LogSpans(None, (span_claim(SpanRelation.LONG_QUEUE, counts, _NAME),))


def planned_instant(schedule: Schedule, time: int) -> Instant:
    """The schedule at `time`, s, with planned starts under a site too. Raises InputError."""
    instant, site = at_instant(schedule, time), schedule.policy.site
    return instant if site is None else planned_by_site(site, schedule, instant)


def calibrated_spreads(
    spreads: dict[int, StartSpread], schedule: Schedule, instant: Instant, by: Calibration
) -> dict[int, StartSpread]:
    """The starts of jobs with spans and medians that are calibrated."""
    planned = dict(zip(instant.planned.tolist(), instant.promised.tolist(), strict=True))
    now = instant.time
    # Calibration works on delays from now, and the spans are moved back to times after it.
    rows = [
        (
            planned.get(job, spread.middle) - now,
            spread.middle - now,
            spread.early - now,
            spread.late - now,
            now - int(schedule.submit[job]),
        )
        for job, spread in spreads.items()
    ]
    ends = shifted(rows, by)
    return {
        job: StartSpread(now + early, now + middle, now + late)
        for job, (early, middle, late) in zip(spreads, ends, strict=True)
    }


def _instants(schedule: Schedule, time: int, count: int, random: np.random.Generator) -> Iterator[int]:
    """Random times before `time`, behind the first tenth, at which jobs waited of which most started by then.

    Jobs that have not would be missed where they count: among the late ones.
    """
    first = int(schedule.submit.min(initial=time))
    first += (time - first) // 10
    for _ in range(count if first < time else 0):
        for _ in range(_TRIES):
            moment = int(random.integers(first, time))
            waiting = (schedule.submit <= moment) & (schedule.start > moment)
            started = int((waiting & (schedule.start <= time)).sum())
            if started and started >= _STARTED * int(waiting.sum()):
                yield moment
                break
