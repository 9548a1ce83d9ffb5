"""Predicted starts at random instants of a log, from what was known then, and when jobs really started."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.now.calibration import Scored
from engine.now.log_arrivals import LogArrivals
from engine.now.log_queue import LogQueues
from engine.now.prediction import Past, predict
from engine.now.used_parts import UsedParts, used_parts
from engine.slurm.site.site import Site
from engine.trace import Trace

REPLAYS = 30
"""Replays at each instant of a log."""

_USED_JOBS = 2_000  # that ended last before an instant, of which runtimes are drawn
_TRIES = 50  # draws of an instant at which somebody waits


def replay_log(
    site: Site,
    trace: Trace,
    instants: int = 100,
    *,
    cover: float = 0.8,
    replays: int = REPLAYS,
    seed: int = 0,
    arrivals: bool = False,
    enough: Callable[[int], bool] = lambda _: False,
) -> Scored:
    """Predictions at random instants of a log at which jobs waited, each from what was known then.

    Nothing after an instant is used: runtimes are drawn of the last 2,000 jobs that had ended, and with
    `arrivals` further jobs come as in the weeks before it; in the log's first week none comes. No further
    instant is tried once `enough` of as many as are done says so; they come in a random order. Reservations
    are not regarded, since those of the site are of today. Raises InputError as `predict` does.
    """
    # Without a clock no reservation is placed in time.
    site = replace(site, clock=None)
    random = np.random.default_rng(seed)
    # Instants that are drawn twice count once.
    times = np.unique(np.array(list(_instants(trace, instants, random)), np.int64))
    ends, queues = _Ends.of(trace), LogQueues(site, trace)
    log_arrivals = LogArrivals(site.conf.machine, trace) if arrivals else None
    rows: list[tuple[int, ...]] = []
    # A random order: what was done when the user cancels is still a sample of the whole log.
    for done, instant in enumerate(random.permutation(len(times)).tolist()):
        if enough(done):
            break
        time = int(times[instant])
        jobs, started = queues.at(time)
        coming = () if log_arrivals is None else log_arrivals.before(time)
        # Only what was known then may enter: runtimes of jobs that had ended, arrivals of weeks before.
        past = Past(ends.used(time), coming)
        predictions = predict(site, jobs, replays=replays, cover=cover, past=past, seed=instant)
        for prediction in predictions.waiting:
            began = started.get(prediction.job.job_id)
            # A job whose true start the log does not tell cannot be scored.
            if prediction.planned is not None and prediction.expected is not None and began is not None:
                assert prediction.early is not None
                assert prediction.late is not None
                span = (prediction.planned, prediction.expected, prediction.early, prediction.late, began)
                rows.append((instant, *span, int(prediction.job.job_id), prediction.job.waited))
    return scored_of(rows, cover)


def scored_of(rows: Sequence[tuple[int, ...]], cover: float) -> Scored:
    """Predictions of rows: the first fields of `Scored`, the job and its wait so far; put in time order."""
    columns = np.array(sorted(rows, key=lambda row: row[0]), np.int64).reshape(len(rows), 8).T
    number, planned, expected, early, late, real, job, waited = np.ascontiguousarray(columns)
    number = np.unique(number, return_inverse=True)[1].astype(np.int64)
    return Scored(number, planned, expected, early, late, real, cover, job, waited)


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
    # Behind the first tenth there are ended jobs, whose runtimes can be drawn.
    first += (final - first) // 10
    last = min(final, int(starts[-1] - np.quantile(trace.wait[known], 0.95)))
    if last < first:
        return
    for _ in range(count):
        for _ in range(_TRIES):
            # Instants without a waiting job predict nothing: they are drawn again, a few times.
            time = int(random.integers(first, last + 1))
            if np.searchsorted(submits, time, "right") > np.searchsorted(starts, time, "right"):
                yield time
                break


class _Ends(NamedTuple):
    """The ends of the jobs of a log, ascending, s, and the parts of their limits for which these ran."""

    end: Ints
    part: Floats
    user: NDArray[np.int32]
    names: tuple[str, ...]

    @classmethod
    def of(cls, trace: Trace) -> _Ends:
        known = np.flatnonzero(trace.wait >= 0)
        end = trace.submit[known] + trace.wait[known] + trace.recorded_runtime[known]
        order = np.argsort(end, kind="stable")
        jobs = known[order]
        part = np.minimum(trace.runtime[jobs] / np.maximum(trace.walltime[jobs], 1), 1.0)
        return cls(end[order], np.asarray(part, np.float64), trace.user.codes[jobs], trace.user.names)

    def used(self, time: int) -> UsedParts:
        """The parts of the last jobs to end before a time."""
        count = int(np.searchsorted(self.end, time, "right"))
        last = slice(max(count - _USED_JOBS, 0), count)
        return used_parts(self.part[last], self.user[last], self.names)
