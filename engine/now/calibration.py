"""Spans of predicted starts that hold as often as they say: errors of predictions whose jobs have started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints, Mask
from engine.claims.claim import Claim
from engine.now.prediction import Forecast

AHEAD = (600, 3600, 4 * 3600, 16 * 3600)
"""s: starts that are expected within each, or later than the last, are calibrated apart."""

WAITED = (600, 3600, 4 * 3600, 16 * 3600, 48 * 3600, 96 * 3600)
"""s: so are jobs that have waited for less than each, or longer than the last, where that is of use.

A job that could have started long ago by all that is known, and has not, is held by something that is not
known: of jobs of HPC2N that were expected to start at once, half of those in the queue had waited for 15 h,
with half of the machine free, and two thirds were jobs of a single user. They wait on for about as long.
"""

_FEWEST = 20  # predictions that anything is concluded from
_FEW = 60  # predictions of a distance: with fewer, those of the next distances count too
_BLOCKS = 5  # stretches of time, each of which is predicted from the others
_UNSCORED = 2  # first stretches, which are not predicted from earlier stretches alone
_LEVELS = 20  # number of levels tried, in equal steps from the requested share up to 1


@dataclass(frozen=True)
class Scored:
    """Predictions of starts, (n,), in s from their instants, and when the jobs really started.

    `instant` is the number of the instant of each, in the order of time, and `job` that of its job, which had
    `waited` by then, s; less than 0: it is not known how long. Spans are to hold the share `cover`, from 0
    to 1.
    """

    instant: Ints
    planned: Ints
    expected: Ints
    early: Ints
    late: Ints
    started: Ints
    cover: float
    job: Ints
    waited: Ints

    def take(self, chosen: Mask) -> Scored:
        """The chosen predictions alone."""
        names = ("instant", "planned", "expected", "early", "late", "started", "job", "waited")
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    def apart(self) -> int:
        """The number of independent instants: at each most waiting jobs are other jobs than before.

        Predictions at instants with the same waiting jobs repeat each other, and are no further evidence.
        """
        count, before = 0, np.zeros(0, np.int64)
        for instant in np.unique(self.instant).tolist():
            jobs = self.job[self.instant == instant]
            if 2 * np.isin(jobs, before).sum() < len(jobs):
                count, before = count + 1, jobs
        return count


class StartShift(NamedTuple):
    """How much later real starts are than the begin, the middle and the end that are predicted, s."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Calibration:
    """Shifts of spans, for starts expected within each of `AHEAD`, and of what: of replays, or of plans.

    The first row of `shifts` is for jobs of which it is not known how long they have waited. There is one for
    each of `WAITED`, and for longer waits, behind it; or none, if shifts do not differ by waits.

    A part (1 - `level`) / 2 of the starts that were calibrated on lies before a span that is shifted so, half
    before its middle, and as few behind it (conformal quantile regression: Romano, Patterson & Candes 2019,
    each end for itself). `level` is larger than the share that was asked for where starts at other times
    were otherwise held less often. `middle` is of `MIDDLES`: what was nearest to starts at other times.
    """

    shifts: tuple[tuple[StartShift, ...], ...]
    level: float
    of_plan: bool
    middle: str

    @property
    def by_wait(self) -> bool:
        """Whether shifts differ by how long jobs have waited."""
        return len(self.shifts) > 1


class _Way(NamedTuple):
    """A way to calibrate: ends are shifted from plans or replays, by waits too or by distances alone."""

    of_plan: bool
    by_wait: bool


MIDDLES = ("replays, shifted", "plans, shifted", "replays", "plans")
"""What the middle of a span may be: the median of the replays, or the planned start."""


@dataclass(frozen=True)
class CalibrationScore:
    """Errors of predictions, those that are calibrated on other times. Times in s; shares from 0 to 1.

    `held` is the share of real starts within their spans, and `held_least` that of calibrated ones in the
    stretch of time in which fewest were. The pinball loss is the mean over the ends and the middle of spans
    (Koenker & Bassett 1978).
    """

    predictions: int
    instants: int
    held: float
    held_calibrated: float
    held_least: float
    error_planned: float
    error_expected: float
    error_calibrated: float
    pinball: float
    pinball_calibrated: float


def calibrate(scored: Scored, *, ahead: bool = False) -> tuple[Calibration, CalibrationScore] | None:
    """What predictions say of spans, and how well spans held that were calibrated so; None of fewer than 20.

    The log is cut into five stretches, of which each is predicted from the four others, without jobs that
    wait in both: so shares are measured as they will be at a time that is not in the log. The level is raised
    until the share that is held then is the one that is asked for; likewise ends are shifted from replays or
    from plans, by how long jobs have waited or not, and the middle is the one of `MIDDLES`, whichever then
    errs least.

    With `ahead` each stretch is predicted from the earlier ones alone, and the first two are not scored: a
    queue that becomes busier is not foretold by what came after. None where nothing is scored.
    """
    scores = _stretches(scored) >= (_UNSCORED if ahead else 0)
    if len(scored.started) < _FEWEST or len(np.unique(scored.instant)) < 2 or not scores.any():
        return None
    every, scored = scored, scored.take(scores)
    stretch = _stretches(every)[scores]

    def tried(level: float, way: _Way) -> tuple[Floats, Floats, Floats]:
        return _crossed(every, level, way, ahead=ahead)

    levels = scored.cover + (1 - scored.cover) * np.arange(_LEVELS) / _LEVELS
    # First the way of shifting ends is chosen, at the lowest level; then the level is raised for it alone.
    ways = [_Way(of_plan, by_wait) for of_plan in (False, True) for by_wait in (False, True)]
    crossed = {way: tried(float(levels[0]), way) for way in ways}
    best = min(ways, key=lambda way: _pinball(scored, crossed[way]))
    level, ends = float(levels[0]), crossed[best]
    for level in levels.tolist():
        ends = tried(level, best)
        # The lowest level that holds gives the shortest spans.
        if _held(scored, ends[0], ends[2]) >= scored.cover:
            break
    middles: dict[str, NDArray[np.number]] = {
        "replays": scored.expected,
        "plans": scored.planned,
        "replays, shifted": crossed[best._replace(of_plan=False)][1],
        "plans, shifted": crossed[best._replace(of_plan=True)][1],
    }
    # An expected start lies within its own span.
    middles = {name: np.clip(middle, ends[0], ends[2]) for name, middle in middles.items()}
    errors = {name: float(np.abs(middles[name] - scored.started).mean()) for name in MIDDLES}
    nearest = min(MIDDLES, key=lambda name: errors[name])
    replays = scored.early, scored.expected, scored.late
    inside = (ends[0] <= scored.started) & (scored.started <= ends[2])
    score = CalibrationScore(
        predictions=len(scored.started),
        instants=len(np.unique(scored.instant)),
        held=_held(scored, scored.early, scored.late),
        held_calibrated=float(inside.mean()),
        held_least=min(float(inside[stretch == number].mean()) for number in np.unique(stretch)),
        error_planned=float(np.abs(scored.planned - scored.started).mean()),
        error_expected=float(np.abs(scored.expected - scored.started).mean()),
        error_calibrated=errors[nearest],
        pinball=_pinball(scored, replays),
        pinball_calibrated=_pinball(scored, (ends[0], middles[nearest], ends[2])),
    )
    return _fitted(every, level, best, nearest), score


def _stretches(scored: Scored) -> Ints:
    """The number of the stretch of time of each prediction, (n,), from 0."""
    instants = np.unique(scored.instant, return_inverse=True)[1]
    count = int(instants.max(initial=0)) + 1
    return np.asarray(instants * min(_BLOCKS, count) // count, np.int64)


def _crossed(scored: Scored, level: float, way: _Way, *, ahead: bool) -> tuple[Floats, Floats, Floats]:
    """Begin, middle and end of spans in each stretch of time that is scored, calibrated on the others.

    They have shape (n,) of the predictions in these. With `ahead` the others are the earlier ones.
    """
    blocks = _stretches(scored)
    crossed = np.zeros((3, len(blocks)))
    middle = MIDDLES[int(way.of_plan)]
    first = _UNSCORED if ahead else 0
    for block in range(first, int(blocks.max()) + 1):
        in_block = blocks == block
        # With `ahead` nothing later may enter, as in a forecast.
        known = blocks < block if ahead else ~in_block
        # A job that waits in both stretches would tell about itself: it is left out, unless too few remain.
        others = known & ~np.isin(scored.job, scored.job[in_block])
        by = _fitted(scored.take(others if others.sum() >= _FEWEST else known), level, way, middle)
        crossed[:, in_block] = calibrated_ends(by, scored.take(in_block))
    low, mid, high = crossed[:, blocks >= first]
    return low, mid, high


def _fitted(scored: Scored, level: float, way: _Way, middle: str) -> Calibration:
    """The shifts that these predictions need."""
    away, waited = _classes(scored)
    shares = ((1 - level) / 2, 0.5, (1 + level) / 2)
    off = [scored.started - centre for centre in _centres(scored, way.of_plan, middle)]
    rows = []
    for wait in range(len(WAITED) + 2 if way.by_wait else 1):
        shifts = []
        for distance in range(len(AHEAD) + 1):
            steps = np.abs(away - distance)
            if wait > 0:
                steps = np.maximum(steps, np.abs(waited - wait))
            near, reach = steps == 0, 0
            # Too few predictions in a class: those of neighbouring classes count as well.
            while near.sum() < _FEW and reach <= len(WAITED) + 1:
                reach += 1
                near = steps <= reach
            # A shift is the quantile of what starts were later than the centre of the span.
            low, mid, high = (float(np.quantile(late[near], q)) for late, q in zip(off, shares, strict=True))
            shifts.append(StartShift(low, mid if middle.endswith("shifted") else 0.0, high))
        rows.append(tuple(shifts))
    return Calibration(tuple(rows), level, way.of_plan, middle)


def _classes(predicted: Scored) -> tuple[Ints, Ints]:
    """How far ahead starts are expected, and how long the jobs have waited, (n,) each: columns and rows."""
    waited = np.where(predicted.waited < 0, 0, 1 + np.searchsorted(WAITED, predicted.waited, "right"))
    return np.searchsorted(AHEAD, predicted.expected, "right"), waited


def calibrated_ends(by: Calibration, predicted: Scored) -> tuple[Floats, Floats, Floats]:
    """Begin, middle and end of calibrated spans, (n,) each, in s from now; the middle lies within."""
    away, waited = _classes(predicted)
    shifts = np.array(by.shifts)[waited if by.by_wait else 0, away].T
    ends = _centres(predicted, by.of_plan, by.middle)
    first, middle, last = (np.maximum(end + shift, 0.0) for end, shift in zip(ends, shifts, strict=True))
    last = np.maximum(first, last)
    return first, np.clip(middle, first, last), last


def _centres(predicted: Scored, of_plan: bool, middle: str) -> tuple[Ints, Ints, Ints]:
    """What the begin, the middle and the end of spans are shifted from."""
    central = predicted.planned if middle.startswith("plans") else predicted.expected
    if of_plan:
        return predicted.planned, central, predicted.planned
    return predicted.early, central, predicted.late


def _held(scored: Scored, first: NDArray[np.number], last: NDArray[np.number]) -> float:
    return float(((first <= scored.started) & (scored.started <= last)).mean())


def _pinball(scored: Scored, ends: Sequence[NDArray[np.number]]) -> float:
    """The mean pinball loss over the begin, the middle and the end of spans."""
    shares = ((1 - scored.cover) / 2, 0.5, (1 + scored.cover) / 2)
    away = [scored.started - end for end in ends]
    losses = [np.maximum(q * a, (q - 1) * a).mean() for q, a in zip(shares, away, strict=True)]
    return float(np.mean(losses))


def calibrated(forecast: Forecast, by: Calibration, share: float, evidence: tuple[Claim, ...]) -> Forecast:
    """The same forecast with spans that hold real starts as often as they did on the log."""
    dated = any(job.job.waited > 0 for job in forecast.waiting)  # a print without submissions has no waits
    rows = {
        place: (job.planned, job.expected, job.early, job.late, job.job.waited if dated else -1)
        for place, job in enumerate(forecast.waiting)
        if job.planned is not None
        and job.expected is not None
        and job.early is not None
        and job.late is not None
    }
    waiting = list(forecast.waiting)
    for place, ends in zip(rows, shifted(list(rows.values()), by), strict=True):
        early, middle, late = ends
        waiting[place] = replace(waiting[place], early=early, expected=middle, late=late)
    return replace(forecast, waiting=tuple(waiting), share=share, evidence=evidence, doubt=())


def shifted(rows: Sequence[tuple[int, int, int, int, int]], by: Calibration) -> list[tuple[int, int, int]]:
    """Begin, middle and end of the spans of predictions (planned, expected, early, late, waited), s from now.

    `waited` is how long the job has waited so far, -1 if that is not known.
    """
    planned, expected, early, late, waited = np.array(rows, np.int64).reshape(len(rows), 5).T
    none = np.zeros(len(rows), np.int64)
    ends = calibrated_ends(by, Scored(none, planned, expected, early, late, none, 0.0, none, waited))
    return [(a, b, c) for a, b, c in np.rint(np.array(ends).T).astype(np.int64).tolist()]
