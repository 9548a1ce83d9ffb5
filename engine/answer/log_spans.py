"""Spans of predicted starts, calibrated on a log so that they hold as often as they say, where it can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.answer.calibration import Calibration, Scored, calibrated, calibration_of, replay_log, score
from engine.answer.spans import widened
from engine.errors import InputError
from engine.simulation.now import Forecast
from engine.site.site import Site
from engine.trace import Trace
from engine.words import plural

INSTANTS = 100
"""Instants of a log on which spans are calibrated, if time suffices for as many."""

FEWEST_INSTANTS = 10
"""Jobs that wait at the same instant are alike: of fewer instants nothing is concluded."""

_FEWEST_JOBS = 20
_LEAST_HELD = 0.15
"""How much less than it should the share may be that held at instants that were not calibrated on."""


class LogSpans(NamedTuple):
    """The shifts of spans that a log shows, and how well they held in words; or None, and why not."""

    by: Calibration | None
    words: str


def learn_spans(
    site: Site,
    trace: Trace,
    instants: int = INSTANTS,
    *,
    cover: float = 0.8,
    seed: int = 0,
    enough: Callable[[int], bool] = lambda _: False,
) -> LogSpans:
    """What a log says of spans, from predictions at random instants, as many as are made before `enough`."""
    try:
        scored = replay_log(site, trace, instants, cover=cover, seed=seed, enough=enough)
    except InputError as error:
        return LogSpans(None, f"{trace.name} cannot be replayed on this site: {error}")
    return spans_of(scored, trace.name)


def spans_of(scored: Scored, name: str) -> LogSpans:
    """What predictions at instants of a log, or of a schedule, say of spans."""
    made = len(np.unique(scored.instant))
    by, held = calibration_of(scored), score(scored)
    if by is None or held is None or made < FEWEST_INSTANTS or 0 < scored.jobs < _FEWEST_JOBS:
        many = plural(len(scored.started), "prediction")
        of_jobs = f" of {plural(scored.jobs, 'job')}" if scored.jobs else ""
        where = f"at {plural(made, 'instant')} at which jobs waited"
        return LogSpans(None, f"{name} gave only {many}{of_jobs} {where}")
    if held.held_calibrated < scored.cover - _LEAST_HELD:
        share = f"{100 * held.held_calibrated:.0f} %"
        return LogSpans(None, f"spans calibrated on {name} held only {share} of the starts at other instants")
    return LogSpans(by, f"on {name}: {held.describe(scored.cover)}")


def with_spans(found: Forecast, cycle: int, cover: float, learned: LogSpans | None) -> Forecast:
    """The forecast with spans calibrated on a log; where there is none, they are made wider, and say so.

    `cycle` is that of the site's backfiller, s.
    """
    if not found.replays:
        return found
    if learned is not None and learned.by is not None:
        return calibrated(found, learned.by, learned.words)
    return widened(found, cycle, cover, learned.words if learned is not None else "")
