"""The distribution of the starts of jobs that wait at an instant, from replays with drawn runtimes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from engine.arrays import Floats, Ints
from engine.errors import InputError
from engine.now.log_arrivals import AHEAD_S, LogArrivals, weeks_before
from engine.now.prediction import Past, predict
from engine.now.site_instant import queue_of
from engine.now.used_parts import UsedParts, used_parts
from engine.now.usual_shares import usual_parts
from engine.schedule.instant import Instant
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.control import thread_pool
from engine.simulation.make.scheduler import PastUsage
from engine.simulation.run import simulate
from engine.slurm.site.site import Site
from engine.trace import MISSING, Trace

_MOST_LIKE = 2_000  # jobs that ended last, of which runtimes are drawn
_FEWEST_OF_USER = 10  # ended jobs of a user whose jobs are then drawn from these alone
_LEAST_LEFT = 0.02  # of the walltime, that a running job runs on at least
_DRAINED, _LEAST_AHEAD = 2, 3600  # times that the queue takes by its walltimes, and s, for which jobs come

_COMES = 1
"""The second of a replay at which waiting jobs come, so that jobs that run start first; its instant."""

_USAGE: WeakKeyDictionary[Schedule, PastUsage] = WeakKeyDictionary()
"""Of the schedules that are in use."""


class StartSpread(NamedTuple):
    """The median of a job's starts in the replays, and the span of most of them; s from the trace's zero."""

    early: int
    middle: int
    late: int


class Draws(NamedTuple):
    """How many replays, the share of them that a span holds, and the seed of what is drawn.

    With `arrivals` further jobs come in replays as in the last weeks of the log; else none comes.
    """

    replays: int
    cover: float = 0.8
    seed: int = 0
    arrivals: bool = False


def start_spreads(schedule: Schedule, instant: Instant, draws: Draws) -> dict[int, StartSpread]:
    """The starts of the jobs that wait at the instant, by job; a job that starts in no replay has none.

    Nothing that is not known at the instant is used: of jobs that had ended by then the parts of their
    walltimes are drawn for which they ran, of the same user's where at least ten had ended; of a running
    job only parts that it has not outlived. Jobs of a user with the same walltime run alike in a replay.
    Under a policy the running jobs start first, on nodes that it chooses, and users have used what they
    had by then; under a site they keep their nodes. Raises InputError, also for schedules that were read.
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
        return _by_site(site.on(schedule.cluster), schedule, instant, draws)
    return _by_policy(schedule, instant, draws)


def start_by_limits(schedule: Schedule, instant: Instant, job: int, anew: bool = False) -> int | None:
    """The start of a job that waits at the instant, s from then, if all jobs ran for their walltimes and no
    further one came; None if it never started. Under a policy, as `start_spreads` replays it.

    `anew` submits it behind all that wait. Raises InputError as `simulate` does.
    """
    # Jobs that start at this very second run already.
    running = instant.running[schedule.start[instant.running] <= instant.time]
    waiting = instant.waiting
    # Jobs are submitted in this order: the job goes behind all that wait.
    if anew:
        waiting = np.append(waiting[waiting != job], job)
    known = np.concatenate((running, waiting))
    elapsed = np.zeros(len(known), np.int64)
    elapsed[: len(running)] = instant.time - schedule.start[running]
    base = _queues(schedule, known, elapsed, len(running), instant.time, False)[0]
    used = _used_before(schedule, instant.time)
    # Every job runs for its walltime: this is the plan by limits.
    trace = replace(base, runtime=np.array(base.walltime))
    starts = simulate(trace, schedule.cluster, schedule.policy, used=used).start
    start = int(starts[np.flatnonzero(known == job)[0]])
    # The instant is the second _COMES of the replay, not its begin.
    return None if start == NOT_RUN else start - _COMES


def weeks_of_arrivals(schedule: Schedule, time: int) -> int:
    """The number of weeks before a time as in which further jobs can come."""
    return len(list(weeks_before(schedule.trace.submit, time)))


def _by_site(site: Site, schedule: Schedule, instant: Instant, draws: Draws) -> dict[int, StartSpread]:
    log = LogArrivals(schedule.cluster, schedule.trace) if draws.arrivals else None
    coming = () if log is None else log.before(instant.time)
    waiting = predict(
        site,
        queue_of(site, schedule, instant),
        replays=draws.replays,
        cover=draws.cover,
        past=Past(_used_by(schedule, instant.time), coming),
        seed=draws.seed,
    ).waiting
    return {
        int(prediction.job.job_id): StartSpread(
            *(instant.time + s for s in (prediction.early, prediction.expected, prediction.late))
        )
        for prediction in waiting
        if prediction.early is not None and prediction.expected is not None and prediction.late is not None
    }


def _by_policy(schedule: Schedule, instant: Instant, draws: Draws) -> dict[int, StartSpread]:
    running = instant.running[schedule.start[instant.running] <= instant.time]
    known = np.concatenate((running, instant.waiting))
    elapsed = np.zeros(len(known), np.int64)
    elapsed[: len(running)] = instant.time - schedule.start[running]
    queues = _queues(schedule, known, elapsed, len(running), instant.time, draws.arrivals)
    runs = np.arange(len(known)) < len(running)
    limit = queues[0].walltime[: len(known)] + elapsed - _COMES * runs
    pools = _pools(schedule, known, instant.time)
    random = np.random.default_rng(draws.seed)
    # Jobs of a user with the same limit run alike, and are drawn at the same rank. Drawn apart, their sum
    # would hardly differ between replays, and spans would be far too short.
    alike = np.unique(np.stack((schedule.trace.user.codes[known], limit)), axis=1, return_inverse=True)[1]
    lengths = [_drawn(random, pools, alike.ravel(), limit, elapsed) for _ in range(draws.replays)]
    used = _used_before(schedule, instant.time)

    def starts(draw: int) -> Ints:
        base = queues[draw % len(queues)]
        # The policy plans with what is left of walltimes, and no job runs for longer. Who comes runs as then.
        length = np.concatenate((lengths[draw] + _COMES * runs, base.runtime[len(known) :]))
        trace = replace(base, runtime=np.minimum(length, base.walltime))
        return simulate(trace, schedule.cluster, schedule.policy, used=used).start[len(running) : len(known)]

    with thread_pool(os.cpu_count() or 1) as pool:
        drawn_starts = np.array(list(pool.map(starts, range(draws.replays))), np.int64)
    quantiles = ((1 - draws.cover) / 2, 0.5, (1 + draws.cover) / 2)
    spreads = {}
    for place, job in enumerate(instant.waiting.tolist()):
        starts_of_job = drawn_starts[:, place][drawn_starts[:, place] != NOT_RUN]
        if len(starts_of_job):
            ahead = np.quantile(starts_of_job - _COMES, quantiles).tolist()
            spreads[job] = StartSpread(*(instant.time + round(q) for q in ahead))
    return spreads


def _queues(
    schedule: Schedule, known: Ints, elapsed: Ints, running: int, time: int, arrivals: bool
) -> list[Trace]:
    """The jobs of the queue as a trace, once for each week as in which further jobs come; else once.

    Running jobs come at second 0, with what is left of their walltimes and the second until `_COMES`, when
    the others come, and further ones behind these in their order.
    """
    trace = schedule.trace
    left = np.maximum(trace.walltime[known] - elapsed, 1)
    # Later arrivals hardly delay the jobs that wait now, once all these have run one after the other.
    drained = int((left * trace.procs[known]).sum()) // max(schedule.cluster.cpus, 1)
    ahead = int(np.clip(_DRAINED * drained, _LEAST_AHEAD, AHEAD_S))
    weeks = list(weeks_before(trace.submit, time, ahead)) if arrivals else []
    planned_for = np.where(np.arange(len(known)) < running, left + _COMES, left)
    # A queue is made for each week of arrivals: the jobs that wait now are the same in all of them.
    queues = []
    for begin, first, last in weeks or [(0, 0, 0)]:
        coming = np.arange(first, last)
        jobs = np.concatenate((known, coming))
        submit = np.full(len(jobs), _COMES, np.int64)
        submit[:running] = 0
        # Arrivals keep their distances from the begin of their week.
        submit[len(known) :] += np.maximum(trace.submit[coming] - begin, 0)
        none = np.full(len(jobs), MISSING, np.int64)
        queues.append(
            replace(
                trace.take(jobs),
                submit=submit,
                walltime=np.concatenate((planned_for, trace.walltime[coming])),
                wait=none,
                preceding=none,
                think_time=none,
                held=None,
                came=None,
                dependencies=False,
                notes=(),
            )
        )
    return queues


def _used_before(schedule: Schedule, time: int) -> Floats | None:
    """What users had used by a time, where the order of the policy depends on it."""
    if not schedule.policy.uses_fairshare:
        return None
    usage = _USAGE.get(schedule)
    if usage is None:
        usage = _USAGE[schedule] = PastUsage(schedule.trace, schedule.cluster, schedule.policy)
    return usage.at(schedule.start, schedule.end, time)


def _ended(schedule: Schedule, time: int) -> Ints:
    """The jobs that ended last by a time, in order of their ends."""
    ended = np.flatnonzero(schedule.ran & (schedule.end <= time))
    return np.asarray(ended[np.argsort(schedule.end[ended], kind="stable")[-_MOST_LIKE:]], np.int64)


def _used_by(schedule: Schedule, time: int) -> UsedParts:
    """The parts of the jobs that ended last by a time."""
    trace, ended = schedule.trace, _ended(schedule, time)
    part = np.minimum(trace.runtime[ended] / np.maximum(trace.walltime[ended], 1), 1.0)
    return used_parts(part, trace.user.codes[ended], trace.user.names)


def _parts(schedule: Schedule, jobs: Ints) -> Floats:
    """The parts of their walltimes for which jobs ran, ascending."""
    trace = schedule.trace
    return np.sort(np.minimum(trace.runtime[jobs] / np.maximum(trace.walltime[jobs], 1), 1.0))


def _pools(schedule: Schedule, jobs: Ints, time: int) -> list[Floats]:
    """What is drawn from for each job: the parts of like jobs; where none has ended, of archived logs."""
    trace, ended = schedule.trace, _ended(schedule, time)
    every = _parts(schedule, ended) if len(ended) else usual_parts()
    of_user: dict[int, Floats] = {}
    for user in np.unique(trace.user.codes[jobs]).tolist():
        ended_of_user = ended[trace.user.codes[ended] == user]
        of_user[user] = _parts(schedule, ended_of_user) if len(ended_of_user) >= _FEWEST_OF_USER else every
    return [of_user[user] for user in trace.user.codes[jobs].tolist()]


def _drawn(
    random: np.random.Generator, pools: Sequence[Floats], alike: Ints, limit: Ints, elapsed: Ints
) -> Ints:
    """For how long each job still runs, s, shape (n,). Jobs with the same number in `alike`, (n,), run for
    the part of their limits at the same rank of what is drawn from.
    """
    left = np.empty(len(pools), np.int64)
    chances = random.random(int(alike.max(initial=-1)) + 1)[alike].tolist()
    for job, (parts, chance) in enumerate(zip(pools, chances, strict=True)):
        done = elapsed[job] / max(int(limit[job]), 1)
        first = int(np.searchsorted(parts, done, "right")) if elapsed[job] else 0
        part = parts[first + int(chance * (len(parts) - first))] if first < len(parts) else done
        part = max(part, done + _LEAST_LEFT) if elapsed[job] else part
        left[job] = max(int(np.ceil((part - done) * limit[job])), 1)
    return left
