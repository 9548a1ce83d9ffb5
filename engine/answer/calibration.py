"""Predicted starts against those of a log: how often spans held, and spans that hold as often as they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster
from engine.simulation.now import Forecast, Prediction, predict
from engine.site.site import Site
from engine.trace import Trace
from engine.trace.queue_state import RUNNING, WAITING, QueuedJob
from engine.words import format_seconds, plural

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

REPLAYS = 30
_USED_JOBS = 2_000  # that ended last before an instant, of which runtimes are drawn
_TRIES = 50  # draws of an instant at which somebody waits
_MOST_WAITING = 300  # jobs of an instant that are scored, the first by submission
AHEAD = (600, 4 * 3600)
"""s: starts that are expected within the first, within the second, or later, are calibrated apart."""

_FEWEST = 20  # predictions that shifts are taken from
_SOON = 60.0  # s: times are compared as the logarithm of the time from now, and this beside it


@dataclass(frozen=True)
class Scored:
    """Predictions of starts, (n,), in s from their instants, and when the jobs really started.

    `instant` is the number of each one's instant, in the order of time. `jobs` is the number of different
    jobs, 0 if it is not known.
    """

    instant: Ints
    planned: Ints
    expected: Ints
    early: Ints
    late: Ints
    started: Ints
    cover: float
    jobs: int = 0


class Shift(NamedTuple):
    """How far real starts lie from what replays say, in logarithms of the time from now.

    With `of_plan` all three are distances from the planned start.
    """

    low: float
    middle: float
    high: float
    of_plan: bool = False


@dataclass(frozen=True)
class Calibration:
    """Shifts of the begin, the middle and the end of spans, for starts expected within each of `AHEAD`.

    A part (1 - cover) / 2 of real starts lies before a span that is shifted so, half before its middle, and
    as few behind it: conformal quantile regression in logarithms, each end and each distance for itself
    (Romano, Patterson & Candes 2019). `cover` is from 0 to 1. Where planned starts that are shifted in the
    same way have the smaller pinball loss on the instants that are calibrated on, they are taken instead of
    replays: so in logs whose jobs waited for reasons that no replay knows.
    """

    shifts: tuple[Shift, ...]
    cover: float


@dataclass(frozen=True)
class Score:
    """Errors of predictions that were not calibrated on. Times in s; shares from 0 to 1.

    `held` is the share of real starts within their spans. The pinball loss is the mean over the ends and the
    middle of spans (Koenker & Bassett 1978); that of planned starts takes all three to be the planned one.
    """

    predictions: int
    instants: int
    held: float
    held_calibrated: float
    error_planned: float
    error_expected: float
    error_calibrated: float
    pinball_planned: float
    pinball: float
    pinball_calibrated: float

    def describe(self, cover: float) -> str:
        """The scores in words."""
        return (
            f"of {plural(self.predictions, 'prediction')} at {plural(self.instants, 'other instant')} "
            f"{100 * self.held_calibrated:.0f} % came within spans that are to hold {100 * cover:.0f} % "
            f"(those of the replays: {100 * self.held:.0f} %); the middle of the span was off by "
            f"{format_seconds(round(self.error_calibrated))} on average, the planned start by "
            f"{format_seconds(round(self.error_planned))}"
        )


def replay_log(
    site: Site,
    trace: Trace,
    instants: int = 100,
    *,
    cover: float = 0.8,
    seed: int = 0,
    enough: Callable[[int], bool] = lambda _: False,
) -> Scored:
    """Predictions at random instants of a log at which jobs waited, each from what was known then.

    Nothing after an instant is used: runtimes are drawn of the last 2,000 jobs that had ended. No further
    instant is tried once `enough` of as many as are done says so; they come in a random order. Reservations
    are not regarded, since those of the site are of today. Raises InputError as `predict` does.
    """
    site = replace(site, clock=None)
    random = np.random.default_rng(seed)
    times = np.unique(np.array(list(_instants(trace, instants, random)), np.int64))
    ends = _Ends.of(trace)
    rows: list[tuple[int, ...]] = []
    for done, instant in enumerate(random.permutation(len(times)).tolist()):
        if enough(done):
            break
        time = int(times[instant])
        jobs, started = queue_at(trace, site.conf.machine, time)
        found = predict(site, jobs, replays=REPLAYS, cover=cover, used=ends.used(time), seed=instant)
        for prediction in found.waiting:
            began = started.get(prediction.job.job_id)
            if prediction.planned is not None and prediction.expected is not None and began is not None:
                assert prediction.early is not None
                assert prediction.late is not None
                span = (prediction.planned, prediction.expected, prediction.early, prediction.late, began)
                rows.append((instant, *span, int(prediction.job.job_id)))
    return scored_of(rows, cover)


def scored_of(rows: Sequence[tuple[int, ...]], cover: float) -> Scored:
    """The predictions of rows with the first fields of `Scored` and the job, in the order of instants."""
    columns = np.array(sorted(rows, key=lambda row: row[0]), np.int64).reshape(len(rows), 7).T
    number, planned, expected, early, late, real, job = np.ascontiguousarray(columns)
    number = np.unique(number, return_inverse=True)[1].astype(np.int64)
    return Scored(number, planned, expected, early, late, real, cover, len(np.unique(job)))


def queue_at(trace: Trace, machine: Cluster, time: int) -> tuple[list[QueuedJob], dict[str, int]]:
    """The jobs that ran and waited by the log at a time, and when the waiting ones started, s from then."""
    start = trace.submit + trace.wait
    known = trace.wait >= 0
    running = np.flatnonzero(known & (start <= time) & (start + trace.recorded_runtime > time))
    waiting = np.flatnonzero(known & (trace.submit <= time) & (start > time))[:_MOST_WAITING]
    jobs = [queued_job(trace, machine, job, time, int(start[job])) for job in running.tolist()]
    jobs += [queued_job(trace, machine, job, time, None) for job in waiting.tolist()]
    return jobs, {str(job): int(start[job] - time) for job in waiting.tolist()}


def queued_job(trace: Trace, machine: Cluster, job: int, time: int, start: int | None) -> QueuedJob:
    """A job of the log as it stands in a queue at a time, s, running since `start`, or waiting."""
    widest = max((group.cpus for group in machine.groups), default=1)
    procs = int(trace.procs[job])
    return QueuedJob(
        job_id=str(job),
        user=trace.user.names[trace.user.codes[job]],
        account=trace.group.names[trace.group.codes[job]],
        partition=trace.queue.names[trace.queue.codes[job]],
        state=WAITING if start is None else RUNNING,
        reason="",
        elapsed=0 if start is None else time - start,
        waited=int(time - trace.submit[job]),
        limit=int(trace.walltime[job]),
        cpus=procs,
        nodes=max(-(-procs // widest), 1),
        ram=0,
        gpus=0,
        spread=True,
        node_list="",
        features="",
        priority=None,
    )


def calibration_of(scored: Scored, chosen: NDArray[np.bool_] | None = None) -> Calibration | None:
    """What the predictions, or the chosen ones, (n,), say of spans; None of fewer than 20."""
    if chosen is None:
        chosen = np.ones(len(scored.started), np.bool_)
    if chosen.sum() < _FEWEST:
        return None
    away = np.searchsorted(AHEAD, scored.expected, "right")
    near = [chosen & (away == k) for k in range(len(AHEAD) + 1)]
    return Calibration(
        tuple(_shift(scored, some if some.sum() >= _FEWEST else chosen) for some in near), scored.cover
    )


def _shift(scored: Scored, chosen: NDArray[np.bool_]) -> Shift:
    """The shifts of the chosen predictions, from replays or from plans, whichever then lose less."""
    part, real = (1 - scored.cover) / 2, _log(scored.started)
    shares = (part, 0.5, 1 - part)
    found = []
    for of_plan in (False, True):
        predicted = [scored.planned] * 3 if of_plan else [scored.early, scored.expected, scored.late]
        ends = [replays[chosen] for replays in predicted]
        low, middle, high = (
            float(np.quantile(real[chosen] - _log(end), share))
            for end, share in zip(ends, shares, strict=True)
        )
        moved = _moved(ends, np.array([[low], [middle], [high]]))
        loss = _pinball(scored.started[chosen], moved, scored.cover)
        found.append((loss, Shift(low, middle, high, of_plan)))
    return min(found, key=lambda choice: choice[0])[1]


def _pinball(started: Ints, ends: Sequence[NDArray[np.number]], cover: float) -> float:
    """The mean pinball loss over the begin, the middle and the end of spans."""
    low, high = (1 - cover) / 2, (1 + cover) / 2
    away = [started - end for end in ends]
    losses = [np.maximum(q * a, (q - 1) * a).mean() for q, a in zip((low, 0.5, high), away, strict=True)]
    return float(np.mean(losses))


def score(scored: Scored) -> Score | None:
    """Scores of the predictions of every other instant, calibrated on the others; None of too few."""
    chosen = scored.instant % 2 == 0
    found = calibration_of(scored, chosen)
    if found is None or chosen.all():
        return None
    last = ~chosen
    early, middle, late = calibrated_ends(found, scored.planned, scored.expected, scored.early, scored.late)
    started = scored.started[last]

    def pinball(ends: Sequence[NDArray[np.number]]) -> float:
        return _pinball(started, [end[last] for end in ends], scored.cover)

    def held(first: NDArray[np.number], final: NDArray[np.number]) -> float:
        return float(((first[last] <= started) & (started <= final[last])).mean())

    def error(predicted: NDArray[np.number]) -> float:
        return float(np.abs(predicted[last] - started).mean())

    return Score(
        predictions=int(last.sum()),
        instants=len(np.unique(scored.instant[last])),
        held=held(scored.early, scored.late),
        held_calibrated=held(early, late),
        error_planned=error(scored.planned),
        error_expected=error(scored.expected),
        error_calibrated=error(middle),
        pinball_planned=pinball([scored.planned] * 3),
        pinball=pinball([scored.early, scored.expected, scored.late]),
        pinball_calibrated=pinball([early, middle, late]),
    )


def calibrated(found: Forecast, by: Calibration, evidence: str) -> Forecast:
    """The same forecast with spans that hold real starts as often as they did on the log."""
    waiting = tuple(_one(prediction, by) for prediction in found.waiting)
    return replace(found, waiting=waiting, evidence=evidence, doubt="")


def _one(prediction: Prediction, by: Calibration) -> Prediction:
    if (
        prediction.planned is None
        or prediction.expected is None
        or prediction.early is None
        or prediction.late is None
    ):
        return prediction
    predicted = (prediction.planned, prediction.expected, prediction.early, prediction.late)
    ends = calibrated_ends(by, *(np.array([value], np.int64) for value in predicted))
    early, middle, late = (max(round(float(end[0])), 0) for end in ends)
    return replace(prediction, early=early, expected=middle, late=late)


def _log(seconds: Ints) -> Floats:
    return np.asarray(np.log(seconds + _SOON), np.float64)


def calibrated_ends(
    by: Calibration, planned: Ints, expected: Ints, early: Ints, late: Ints
) -> tuple[Floats, Floats, Floats]:
    """Begin, middle and end of calibrated spans, (n,) each, in s from now; the middle lies within."""
    away = np.searchsorted(AHEAD, expected, "right")
    shifts = np.array([shift[:3] for shift in by.shifts])[away].T
    of_plan = np.array([shift.of_plan for shift in by.shifts])[away]
    return _moved([np.where(of_plan, planned, predicted) for predicted in (early, expected, late)], shifts)


def _moved(predicted: Sequence[Ints], shifts: Floats) -> tuple[Floats, Floats, Floats]:
    first, middle, last = (
        np.maximum(np.exp(_log(one) + shift) - _SOON, 0) for one, shift in zip(predicted, shifts, strict=True)
    )
    last = np.maximum(first, last)
    return first, np.clip(middle, first, last), last


def _instants(trace: Trace, count: int, random: np.random.Generator) -> Iterator[int]:
    """Random times of the log at which jobs waited, behind its first tenth.

    Jobs that wait at the end of a log are not in it: those that would be missed are kept few by ending as
    long before its last start as 95 % of its jobs waited at most.
    """
    known = trace.wait > 0
    if not known.any():
        return
    submits = np.sort(trace.submit[known])
    starts = np.sort(trace.submit[known] + trace.wait[known])
    first, final = int(trace.submit[0]), int(trace.submit[-1])
    first += (final - first) // 10
    last = min(final, int(starts[-1] - np.quantile(trace.wait[known], 0.95)))
    if last < first:
        return
    for _ in range(count):
        for _ in range(_TRIES):
            time = int(random.integers(first, last + 1))
            if np.searchsorted(submits, time, "right") > np.searchsorted(starts, time, "right"):
                yield time
                break


class _Ends(NamedTuple):
    """The ends of the jobs of a log, ascending, s, and the parts of their limits for which these ran."""

    end: Ints
    part: Floats

    @classmethod
    def of(cls, trace: Trace) -> _Ends:
        known = np.flatnonzero(trace.wait >= 0)
        end = trace.submit[known] + trace.wait[known] + trace.recorded_runtime[known]
        order = np.argsort(end, kind="stable")
        jobs = known[order]
        part = np.minimum(trace.runtime[jobs] / np.maximum(trace.walltime[jobs], 1), 1.0)
        return cls(end[order], np.asarray(part, np.float64))

    def used(self, time: int) -> Floats:
        """The parts of the last jobs to end before a time."""
        count = int(np.searchsorted(self.end, time, "right"))
        return self.part[max(count - _USED_JOBS, 0) : count]
