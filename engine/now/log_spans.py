"""Spans of predicted starts, calibrated on a log so that they hold as often as they say, where it can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.now.calibration import Calibration, Scored, calibrate, calibrated
from engine.now.log_instants import REPLAYS, replay_log
from engine.now.prediction import Forecast
from engine.now.spans import widened
from engine.slurm.site.site import Site
from engine.trace import Trace
from engine.words import plural

INSTANTS = 60
"""Instants of a log on which spans are calibrated: always as many, however long these take."""

FEWEST_INSTANTS = 30
"""Jobs that wait together start together: of fewer instants at which mostly other jobs wait, nothing is
concluded. Of n such instants the share that is held is uncertain by the root of 0.16 / n: of 30 by 7 points,
and of the 10 that a day's log may have by 13, beside what differs between its begin and its end.
"""

_FEWEST_JOBS = 20
_LEAST_HELD = 0.15
"""How much less than it should the share may be that held at times that were not calibrated on."""


class LogSpans(NamedTuple):
    """The shifts of spans that a log shows, and how well they held, in words and as a share from 0 to 1.

    Or None, and why not.
    """

    by: Calibration | None
    words: str
    share: float = 0.0


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
    except InputError as error:
        return LogSpans(None, f"{trace.shown_name} cannot be replayed on this site: {error}")
    order = "the site's priorities then" if site.multifactor else "submission"
    learned = spans_of(scored, trace.shown_name)
    return (
        learned if learned.by is None else learned._replace(words=f"{learned.words}; its jobs go by {order}")
    )


def spans_of(scored: Scored, name: str) -> LogSpans:
    """What predictions at instants of a log, or of a schedule, say of spans."""
    apart, found = scored.apart(), calibrate(scored)
    if found is None or apart < FEWEST_INSTANTS or len(np.unique(scored.job)) < _FEWEST_JOBS:
        many = plural(len(scored.started), "prediction")
        of_jobs = plural(len(np.unique(scored.job)), "job")
        where = f"at {plural(apart, 'instant')} so far apart that most of the jobs that waited were others"
        fewest = f"of fewer than {FEWEST_INSTANTS} nothing is concluded"
        return LogSpans(None, f"{name} gave only {many} of {of_jobs}, {where}: {fewest}")
    by, held = found
    if held.held_calibrated < scored.cover - _LEAST_HELD:
        share = f"{100 * held.held_calibrated:.0f} %"
        return LogSpans(None, f"spans calibrated on {name} held only {share} of the starts at other times")
    return LogSpans(by, f"on {name}: {held.describe()}", held.held_calibrated)


def learned_of_replays(learned: LogSpans, made: int, then: int) -> LogSpans:
    """What a log says of spans of as many replays as were made; nothing where there are fewer than `then`.

    So many were made at each of its instants: spans of fewer hold less.
    """
    if made >= then:
        return learned
    few = f"time sufficed for {plural(made, 'replay')}"
    return LogSpans(None, f"{few}, and at each instant of the log {then} were made")


def with_spans(found: Forecast, cycle: int, cover: float, learned: LogSpans | None) -> Forecast:
    """The forecast with spans calibrated on a log; where there is none, they are made wider, and say so.

    `cycle` is that of the site's backfiller, s.
    """
    if not found.replays:
        return found
    if learned is not None and learned.by is not None:
        return calibrated(found, learned.by, learned.share, learned.words)
    return widened(found, cycle, cover, learned.words if learned is not None else "")
