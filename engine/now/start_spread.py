"""The distribution of the starts of jobs that wait at an instant, from replays with drawn runtimes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.now.prediction import Past, predict
from engine.now.site_instant import queue_of
from engine.schedule.instant import Instant
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.control import thread_pool
from engine.simulation.run import simulate
from engine.trace import MISSING, Trace

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST_LIKE = 2_000  # jobs that ended last, of which runtimes are drawn
_FEWEST_OF_USER = 10  # ended jobs of a user whose jobs are then drawn from these alone
_LEAST_LEFT = 0.02  # of the walltime, that a running job runs on at least


class StartSpread(NamedTuple):
    """The median of a job's starts in the replays, and the span of most of them; s from the trace's zero."""

    early: int
    middle: int
    late: int


@dataclass(frozen=True)
class Draws:
    """How many replays, the share of them that a span holds, and the seed of what is drawn."""

    replays: int
    cover: float = 0.8
    seed: int = 0


def start_spreads(schedule: Schedule, instant: Instant, draws: Draws) -> dict[int, StartSpread]:
    """The starts of the jobs that wait at the instant, by job; a job that starts in no replay has none.

    Nothing that is not known at the instant is used: of jobs that had ended by then the parts of their
    walltimes are drawn for which they ran, of the same user's where at least ten had ended; of a running job
    only parts that it has not outlived. No further job comes. Under a policy the running jobs start first, on
    nodes that it chooses, and it knows no usage from before; under a site they keep their nodes, and parts
    are those of all users. Raises InputError, also for schedules that were read.
    """
    if not schedule.policy.simulated:
        raise InputError(
            f"{schedule.policy.spelling} is read, not simulated, so that nothing can be replayed under it; "
            "replays need another policy"
        )
    if not len(instant.waiting) or draws.replays < 1:
        return {}
    site = schedule.policy.site
    if site is not None:
        used = _parts(schedule, _ended(schedule, instant.time))
        jobs = queue_of(site, schedule, instant)
        there, past = site.on(schedule.cluster), Past(used)
        found = predict(
            there, jobs, replays=draws.replays, cover=draws.cover, past=past, seed=draws.seed
        ).waiting
        return {
            int(prediction.job.job_id): StartSpread(
                *(instant.time + s for s in (prediction.early, prediction.expected, prediction.late))
            )
            for prediction in found
            if prediction.early is not None
            and prediction.expected is not None
            and prediction.late is not None
        }
    return _by_policy(schedule, instant, draws)


def _by_policy(schedule: Schedule, instant: Instant, draws: Draws) -> dict[int, StartSpread]:
    running = instant.running[schedule.start[instant.running] <= instant.time]
    jobs = np.concatenate((running, instant.waiting))
    elapsed = np.zeros(len(jobs), np.int64)
    elapsed[: len(running)] = instant.time - schedule.start[running]
    base = _at_the_instant(schedule.trace, jobs, elapsed, len(running))
    pools = _pools(schedule, jobs, instant.time)
    random = np.random.default_rng(draws.seed)
    lengths = [_drawn(random, pools, base.walltime + elapsed, elapsed) for _ in range(draws.replays)]

    def starts(length: Ints) -> Ints:
        # The policy plans with what is left of walltimes, and no job runs for longer.
        trace = replace(base, runtime=np.minimum(length, base.walltime))
        return simulate(trace, schedule.cluster, schedule.policy).start[len(running) :]

    with thread_pool(os.cpu_count() or 1) as pool:
        found = np.array(list(pool.map(starts, lengths)), np.int64)
    quantiles = ((1 - draws.cover) / 2, 0.5, (1 + draws.cover) / 2)
    spreads = {}
    for place, job in enumerate(instant.waiting.tolist()):
        own = found[:, place][found[:, place] != NOT_RUN]
        if len(own):
            # Who waits comes at second 1, behind those that run: a start then is one at once.
            later = np.where(own > 1, own, 0)
            spreads[job] = StartSpread(
                *(instant.time + round(q) for q in np.quantile(later, quantiles).tolist())
            )
    return spreads


def _at_the_instant(trace: Trace, jobs: Ints, elapsed: Ints, running: int) -> Trace:
    """The jobs alone: the running ones come at second 0, with what is left of their walltimes, and the others
    at second 1.
    """
    submit = np.ones(len(jobs), np.int64)
    submit[:running] = 0
    none = np.full(len(jobs), MISSING, np.int64)
    return replace(
        trace.take(jobs),
        submit=submit,
        walltime=np.maximum(trace.walltime[jobs] - elapsed, 1),
        wait=none,
        preceding=none,
        think_time=none,
        held=None,
        dependencies=False,
        notes=(),
    )


def _ended(schedule: Schedule, time: int) -> Ints:
    """The jobs that ended last by a time, in order of their ends."""
    ended = np.flatnonzero(schedule.ran & (schedule.end <= time))
    return np.asarray(ended[np.argsort(schedule.end[ended], kind="stable")[-_MOST_LIKE:]], np.int64)


def _parts(schedule: Schedule, jobs: Ints) -> Floats:
    """The parts of their walltimes for which jobs ran, ascending."""
    trace = schedule.trace
    return np.sort(np.minimum(trace.runtime[jobs] / np.maximum(trace.walltime[jobs], 1), 1.0))


def _pools(schedule: Schedule, jobs: Ints, time: int) -> list[Floats]:
    """What is drawn from for each job: the parts of like jobs, or all parts alike where none has ended."""
    trace, ended = schedule.trace, _ended(schedule, time)
    every = _parts(schedule, ended) if len(ended) else np.linspace(0.01, 1.0, 100)
    of_user: dict[int, Floats] = {}
    for user in np.unique(trace.user.codes[jobs]).tolist():
        own = ended[trace.user.codes[ended] == user]
        of_user[user] = _parts(schedule, own) if len(own) >= _FEWEST_OF_USER else every
    return [of_user[user] for user in trace.user.codes[jobs].tolist()]


def _drawn(random: np.random.Generator, pools: Sequence[Floats], limit: Ints, elapsed: Ints) -> Ints:
    """For how long each job still runs, s, shape (n,)."""
    left = np.empty(len(pools), np.int64)
    chances = random.random(len(pools)).tolist()
    for job, (parts, chance) in enumerate(zip(pools, chances, strict=True)):
        done = elapsed[job] / max(int(limit[job]), 1)
        first = int(np.searchsorted(parts, done, "right")) if elapsed[job] else 0
        part = parts[first + int(chance * (len(parts) - first))] if first < len(parts) else done
        part = max(part, done + _LEAST_LEFT) if elapsed[job] else part
        left[job] = max(int(np.ceil((part - done) * limit[job])), 1)
    return left
