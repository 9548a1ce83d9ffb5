"""Predicted starts of the present queue's jobs, from simulations of the site's own Slurm."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.claims.claim import Claim
from engine.logs.queue.state import HELD, RUNNING, WAITING, QueuedJob
from engine.machine.features import read_features
from engine.now.pool_nodes import on_processors
from engine.now.queue_arrays import limit_of, places_of_het_jobs, queue_arrays
from engine.now.queue_dependencies import dependencies_of
from engine.now.queue_nodes import nodes_of_running, queue_node_counts
from engine.now.queue_partitions import nodes_of_queues, with_partitions
from engine.now.queue_reasons import is_shut_out, why_never, why_of, with_users_who_run
from engine.now.queue_why import (
    QueueNames,
    WaitReason,
    at_once,
    begins_later,
    both_reasons,
    depends,
    first_reasons,
)
from engine.now.used_parts import UsedParts
from engine.now.usual_shares import usual_parts
from engine.simulation.control import thread_pool
from engine.slurm.scheduler.closed_nodes import TICKS, closure_names_now, with_reservations_now
from engine.slurm.scheduler.dependent_submissions import make_followers
from engine.slurm.scheduler.fresh_state import fresh_run
from engine.slurm.scheduler.limits import JobKind, bounds_of
from engine.slurm.scheduler.loop import fits_at_all, run_site, start_running
from engine.slurm.scheduler.partitions import site_machine
from engine.slurm.scheduler.places import NEVER
from engine.slurm.scheduler.preempt_rules import PreemptionRules, preemption_of
from engine.slurm.scheduler.simulate_site import in_ticks, job_ticks
from engine.slurm.scheduler.site_decisions import limits_of
from engine.slurm.scheduler.state import NOT_STARTED, SiteRun, SiteWeights
from engine.slurm.site.site import Site
from engine.trace.dependencies import NOBODY

MANY = 300
"""Waiting jobs beyond which replays are made in coarse steps."""

_COARSE_PLANS, _COARSE_CYCLE = 20, 900  # plans of a backfill cycle and s between cycles, in coarse steps
_LOOK_S = 0.05  # between two looks at how many replays are done


class Coming(NamedTuple):
    """Jobs that are still to come: `submit` is s from now, `runtime` how long they run, s; shapes (jobs,)."""

    jobs: tuple[QueuedJob, ...]
    submit: Ints
    runtime: Ints


class Past(NamedTuple):
    """What the log of a site says about its jobs.

    `used` are the parts of their limits that jobs ran for, None if they are not known. `coming` are further
    jobs, as they came in each of several weeks; without any no further job comes.
    """

    used: UsedParts | None = None
    coming: tuple[Coming, ...] = ()


_NONE_COMES = Coming((), np.zeros(0, np.int64), np.zeros(0, np.int64))
_NO_PAST = Past()


@dataclass(frozen=True)
class Prediction:
    """When a waiting job starts, in s from now. None: not known, as of a held job, or one that never fits.

    `planned` is what requested limits alone say, `expected` the median of the replays, of which the share
    that was asked for starts the job from `early` to `late`; these three are None where no replay was made.
    They are not calibrated: real starts lie outside more often than replays do.
    `why` it waits is a sentence: `reason`, that of the plan, which is None where there is no plan; and what
    Slurm says, where that is something else.
    """

    job: QueuedJob
    planned: int | None
    expected: int | None
    early: int | None
    late: int | None
    why: str
    reason: WaitReason | None = None


@dataclass(frozen=True)
class Forecast:
    """The waiting jobs by their planned starts, those that have none last; and how many replays were made.

    `coarse` says that replays (of `first_forecast`: the plan) were made in coarse steps: a backfill cycle
    every 900 s at most, in which the first 20 jobs that cannot start are planned, and others start only where
    they are in the way of none of these. `evidence` says what spans are calibrated on, and how well they held
    there, and `share` how many of real starts came within such spans, from 0 to 1; without calibration they
    are empty and None: `doubt` then says how often such spans held in tests. Further jobs came in replays as
    in so many `weeks` of a log; 0: none came.
    """

    waiting: tuple[Prediction, ...]
    replays: int
    coarse: bool = False
    evidence: tuple[Claim, ...] = ()
    doubt: tuple[Claim, ...] = ()
    share: float | None = None
    weeks: int = 0


def predict(
    site: Site,
    jobs: Sequence[QueuedJob],
    *,
    replays: int = 100,
    cover: float = 0.8,
    past: Past = _NO_PAST,
    seed: int = 0,
    enough: Callable[[int], bool] = lambda _: False,
) -> Forecast:
    """When the waiting jobs start, by one plan and by replays, until `enough` of as many as are done says so.

    Runtimes are drawn of the parts of limits that jobs used in the `past`, of the same user's if at least ten
    are known, given what running jobs have run; without them, of those that jobs of archived logs used. In
    replays further jobs come as in the weeks of the past, in turn; in the plan none does. Raises InputError.

    Where many jobs wait, replays are made in coarse steps. By these, deep queues start too early: each job's
    starts are therefore stretched by as much as its planned start is by the steps of its plan.
    """
    queue = _Queue(site, jobs)
    # A job at its limit still has a minute: nobody ends it in the same second.
    by_limits = np.maximum(queue.limit - queue.elapsed, 60)
    coarse = len(queue.waiting) > MANY and replays > 0
    parts = UsedParts(usual_parts(), {}) if past.used is None else past.used
    random = np.random.default_rng(seed)
    # Each replay has the arrivals of another past week, in turn.
    queues = [_Queue(site, jobs, week) for week in past.coming[: max(replays, 1)]] or [queue]
    drawn = [
        (drawn_queue := queues[k % len(queues)], _drawn(random, parts, drawn_queue)) for k in range(replays)
    ]
    # The first plan is exact: a second plan in the coarse steps of replays shows by how much these are off.
    (planned, *coarsely), replayed = _simulated(queue, by_limits, drawn, enough, coarse)
    for plan in coarsely:
        stretch = _stretch(planned, plan)
        # Starts that never came stay below 0.
        replayed = np.where(replayed < 0, replayed, np.rint(replayed * stretch).astype(np.int64))
    weeks = min(len(past.coming), len(replayed))
    return Forecast(_predictions(queue, jobs, planned, replayed, cover), len(replayed), coarse, weeks=weeks)


def first_forecast(site: Site, jobs: Sequence[QueuedJob]) -> Forecast:
    """The planned starts alone, in coarse steps: an answer to show until `predict` has a better one.

    With 2,000 waiting jobs on 1,000 nodes it takes a tenth of the time of the plan. Raises InputError.
    """
    queue = _Queue(site, jobs)
    planned = queue.starts(np.maximum(queue.limit - queue.elapsed, 60), coarse=True, log=True)
    return Forecast(_predictions(queue, jobs, planned, np.zeros((0, len(planned)), np.int64), 0.8), 0, True)


def _stretch(planned: Ints, coarse: Ints) -> Floats:
    """The factor by which each planned start is later than in coarse steps, shape (n,)."""
    factor = (planned + _COARSE_CYCLE) / (coarse + _COARSE_CYCLE)
    return np.asarray(np.where((planned < 0) | (coarse < 0), 1.0, np.clip(factor, 0.25, 6.0)), np.float64)


def _predictions(
    queue: _Queue, jobs: Sequence[QueuedJob], planned: Ints, replayed: Ints, cover: float
) -> tuple[Prediction, ...]:
    """The prediction of each waiting job, from its plan and its starts in replays, (replays, waiting)."""
    predictions = []
    for place, job in enumerate(queue.waiting):
        drawn, start = np.sort(replayed[:, place][replayed[:, place] >= 0]), int(planned[place])
        # Where no replay starts the job, its planned start is no promise either.
        never = start < 0 or bool(len(replayed) and not len(drawn))
        planned_start, (why, reason) = None if never else start, queue.why(place, never)
        times: tuple[int | None, int | None, int | None] = (None, None, None)
        if len(drawn) and not never:
            early, middle, late = np.quantile(drawn, [(1 - cover) / 2, 0.5, (1 + cover) / 2]).tolist()
            times = (round(middle), round(early), round(late))
        predictions.append(Prediction(job, planned_start, *times, why, reason))
    held = [Prediction(job, None, None, None, None, why_of(job)) for job in jobs if job.state == HELD]
    # Those that never start stand behind those that do, held jobs last.
    predictions.sort(key=lambda prediction: (prediction.planned is None, prediction.planned or 0))
    return (*predictions, *held)


def within(seconds: float) -> Callable[[int], bool]:
    """A test for `enough` that is true once `seconds` from now are over."""
    end = time.monotonic() + seconds
    return lambda _: time.monotonic() >= end


def _simulated(
    queue: _Queue,
    by_limits: Ints,
    drawn: Sequence[tuple[_Queue, Ints]],
    enough: Callable[[int], bool],
    coarse: bool,
) -> tuple[list[Ints], Ints]:
    """When the waiting jobs start by the plan, (waiting,), and in each queue with these times left to run.

    Of the latter as many are done as there are before `enough`: shape (replays, waiting), in the order of the
    draws. With `coarse` these are made in coarse steps, and a second plan is. Threads run side by side in
    compiled code.
    """
    steps = (False, True) if coarse else (False,)
    controls = np.zeros((len(steps) + len(drawn), 2), np.int64)
    with thread_pool(os.cpu_count() or 1) as pool:
        plans = [
            pool.submit(queue.starts, by_limits, 0, controls[k], part, not part)
            for k, part in enumerate(steps)
        ]
        pending = [
            pool.submit(each_queue.starts, left, k, controls[len(steps) + k], coarse)
            for k, (each_queue, left) in enumerate(drawn)
        ]
        try:
            done = wait(pending, 0).done
            while len(done) < len(pending) and not enough(len(done)):
                done = wait(pending, _LOOK_S).done
            controls[len(steps) :, 0] = 1  # those that run stop, and no other begins; plans are needed
            for future in pending:
                future.cancel()
            wait(plans)
        finally:  # also as the user interrupts
            pool.shutdown(wait=False, cancel_futures=True)
            controls[:, 0] = 1
    rows = [future.result() for future in pending if future in done]
    starts = np.array(rows, np.int64).reshape(len(rows), len(queue.waiting))
    return [future.result() for future in plans], starts


class _Queue:
    """The jobs as arrays: the running ones first, then the waiting ones, then those that come."""

    def __init__(self, site: Site, jobs: Sequence[QueuedJob], coming: Coming = _NONE_COMES) -> None:
        self.waiting = [job for job in jobs if job.state == WAITING]
        self.running = [job for job in jobs if job.state == RUNNING]
        held = [job for job in jobs if job.state == HELD]
        self.coming = _with_priorities(site, jobs, coming)
        self.site = site = with_users_who_run(site, jobs)
        queued = with_partitions(site, [*self.running, *self.waiting, *self.coming.jobs])
        site, queued = on_processors(site, queued)
        cluster = site.conf.machine
        self._planned, self._queued = site, queued
        places = range(len(self.running), len(self.running) + len(self.waiting))
        self.reasons = [at_once(queued, place) for place in places]
        self.elapsed = np.array([job.elapsed for job in queued], np.int64)
        self.limit = np.array([limit_of(site, job) for job in queued], np.int64)
        queues = tuple(dict.fromkeys(job.partition for job in queued))
        words = tuple(dict.fromkeys(["", *(job.features for job in queued)]))
        counts = [group.count for group in cluster.groups]
        zones = np.array([np.repeat(read_features(word, cluster).groups, counts) for word in words])
        self._machine, order = site_machine(site, queues, cluster, cluster.capacity(), zones)
        down = np.isin(cluster.node_names(), site.conf.down)[order]  # what runs there runs on
        parts = nodes_of_queues(site, queues, self._machine.parts, order)
        self._machine = self._machine._replace(parts=np.ascontiguousarray(parts & ~down))
        part = np.array([queues.index(job.partition) for job in queued], np.int64)
        zone = np.array([words.index(job.features) for job in queued], np.int64)
        self._nodes = np.array([nodes_of_running(job, cluster) for job in self.running], np.bool_)
        self._nodes = np.ascontiguousarray(self._nodes.reshape(len(self.running), cluster.nodes)[:, order])
        kinds = [
            JobKind(
                job.account, job.user, job.qos, job.partition, job.array if job.at_once else "", job.at_once
            )
            for job in queued
        ]
        asked, never_there = queue_node_counts(site, queues, queued, kinds, part, self._machine)
        self._jobs = queue_arrays(queued, cluster, part, zone, self.limit, asked)
        self.depends = dependencies_of([*self.running, *self.waiting, *held])
        submit = np.array([job.begin for job in queued], np.int64)
        if self.coming.jobs:
            submit[len(queued) - len(coming.jobs) :] = coming.submit
        if submit.any():
            self._jobs = self._jobs._replace(submit=submit, begin=submit.copy())
        total = self._jobs.tasks[:, None] * self._jobs.need
        known = np.array([job.limit or 0 for job in queued], np.int64)
        self._kinds = kinds
        inside, self._machine, self._closures = with_reservations_now(
            site, cluster, order, [job.reservation for job in queued], job_ticks(self._jobs), self._machine
        )
        self._jobs = self._jobs._replace(begin=inside.begin // TICKS, inside=inside.inside, zone=inside.zone)
        self._closed_by = closure_names_now(site, cluster, order)
        nodes = np.array([job.nodes for job in queued], np.int64)
        self._bounds, never, self._limit_names = bounds_of(
            site, kinds, cluster.resources, total, known, nodes, TICKS
        )
        self._fits = np.ones(len(queued), np.bool_)
        if queued:
            # A job wider than its partition never starts. Slurm prints for jobs that ask for CPUs the least
            # number of nodes with so many CPUs.
            never |= never_there | (nodes > self._machine.parts.sum(axis=1)[part])
            never |= np.array([is_shut_out(site, job) for job in queued], np.bool_)
            never[[place for place, on in self.depends.items() if on.job == NOBODY]] = True
            self._fits = fits_at_all(self._run(self.limit, 0, False)) & ~never
        # What follows a job that never starts never does either.
        for _ in self.depends:
            for place, on in self.depends.items():
                self._fits[place] &= on.job == NOBODY or self._fits[on.job]
        self._together = places_of_het_jobs(self.waiting)

    def starts(
        self,
        left: Ints,
        draw: int = 0,
        control: Ints | None = None,
        coarse: bool = False,
        log: bool = False,
    ) -> Ints:
        """When the waiting jobs start, s from now, shape (waiting,), NOT_STARTED of those that never do.

        `left` is how much longer running jobs run, and how long waiting ones do, shape (n,). `control` is as
        for `run_site`: of a run that was cancelled, not all starts are known. `coarse` is as in `Forecast`.
        With a `log` the `reasons` for which these jobs wait now are set.
        """
        running, waiting = len(self.running), slice(len(self.running), len(self.running) + len(self.waiting))
        if not self.waiting:
            return np.zeros(0, np.int64)
        run = self._run(left, draw, coarse, log)
        start_running(run, self._nodes, run.jobs.submit[:running] - self.elapsed[:running] * TICKS)
        run_site(run, np.zeros(2, np.int64) if control is None else control)
        start = run.state.start[waiting]
        if log:
            self.reasons = first_reasons(run, self._names(run), running)
        start = np.where((start == NOT_STARTED) | ~self._fits[waiting], NOT_STARTED, start // TICKS)
        for places in self._together:  # the parts of a job start with the last of them
            start[places] = NOT_STARTED if (start[places] == NOT_STARTED).any() else start[places].max()
        return start

    def _names(self, run: SiteRun) -> QueueNames:
        """What the reasons of a run name."""
        resources = self._planned.conf.machine.resources
        limits = limits_of(self._limit_names, run.bounds, 60 * TICKS)
        return QueueNames(self._queued, resources, limits, self._closed_by)

    def _run(self, left: Ints, draw: int, coarse: bool, log: bool = False) -> SiteRun:
        running = len(self.running)
        runtime = left.copy()
        runtime[:running] += self.elapsed[:running]
        jobs = self._jobs._replace(runtime=np.maximum(runtime, 1))
        if not self._fits.all():  # what never fits is out of the way
            jobs = jobs._replace(begin=np.where(self._fits, jobs.begin, np.int64(1) << 50))
        rules = in_ticks(self.site.rules(int(jobs.tasks.max(initial=1))), draw)
        ordered = any(job.priority is not None for job in self.waiting)
        exempt = PreemptionRules(self._planned).exempt * TICKS
        clock = (self.site.clock or 0) * TICKS
        rules = rules._replace(
            multifactor=int(ordered), first_full=0, first_backfill=0, exempt=exempt, clock=clock
        )
        if not len(self._bounds.spent):  # the weights below are 0: computed again, priorities are as before
            rules = rules._replace(first_calc=NEVER, calc_period=NEVER)
        if coarse:
            cycle = max(rules.bf_interval, _COARSE_CYCLE * TICKS)
            rules = rules._replace(bf_plans=_COARSE_PLANS, bf_interval=cycle)
        none = np.zeros(1, np.int64)
        weights = SiteWeights(0.0, 0.0, 0.0, 0.0, 1.0, none, np.ones(1), np.zeros(1, np.bool_), np.zeros(1))
        jobs = job_ticks(jobs)
        preemption = preemption_of(self._planned, self._kinds, TICKS)
        follows = np.full(len(jobs.submit), NOBODY, np.int64)
        for place, on in self.depends.items():
            follows[place] = on.job
        followers = make_followers(follows, np.zeros(len(follows), np.int64))
        more = self._bounds, self._closures, followers, preemption
        return fresh_run(jobs, self._machine, rules, weights, *more, log=log)

    def why(self, place: int, never: bool) -> tuple[str, WaitReason | None]:
        """Why the waiting job at a place waits, in words, and the reason of the plan, where there is one.

        `never` says that the plan has no start for it. The words join Slurm's reason and the plan's.
        """
        number, job = len(self.running) + place, self.waiting[place]
        dependency = self.depends.get(number)
        if dependency is not None:
            unplanned = never and dependency.job != NOBODY
            text = f"{dependency.why}, and that has no planned start" if unplanned else dependency.why
            return text, depends(self._queued, number, text)
        if never:
            return why_never(self.site, job, self._part_in_the_way(place)), None
        reason = self.reasons[place] if job.begin <= 0 else begins_later(self._queued, number)
        return both_reasons(job, reason), reason

    def _part_in_the_way(self, place: int) -> str:
        """The part that never starts of the job of a part that might; empty where it does not fit itself."""
        running = len(self.running)
        if not self._fits[running + place]:
            return ""
        parts = next((places for places in self._together if place in places), [])
        never = (self.waiting[other].job_id for other in parts if not self._fits[running + other])
        return next(never, "")


def _drawn(random: np.random.Generator, parts: UsedParts, queue: _Queue) -> Ints:
    """How much longer running jobs run, and how long others do, s, shape (n,).

    A part of the limit is drawn from those that are larger than what the job has run already. Jobs that come
    run as long as they did in the log.
    """
    done = queue.elapsed / np.maximum(queue.limit, 1)
    done[len(queue.running) :] = 0.0
    users = [job.user for job in (*queue.running, *queue.waiting, *queue.coming.jobs)]
    part = parts.drawn(random, users, done)
    left = np.maximum(np.ceil((part - done) * queue.limit).astype(np.int64), 1)
    left[len(left) - len(queue.coming.runtime) :] = queue.coming.runtime
    return left


def _with_priorities(site: Site, jobs: Sequence[QueuedJob], coming: Coming) -> Coming:
    """The jobs that come, with the priorities of jobs submitted now, less the age that these reach by then.

    Priorities of a queue stay what they are in a replay, while those of a site grow alike with age.
    """
    if not coming.jobs or not any(job.priority is not None for job in jobs if job.state == WAITING):
        return coming
    age, longest = float(site.value("PriorityWeightAge")), site.value("PriorityMaxAge")
    younger = age * np.minimum(coming.submit / max(longest, 1), 1.0)
    of_user: dict[str, float] = {}
    for job in coming.jobs:
        if job.user not in of_user:
            of_user[job.user] = asked_job(jobs, job).priority or 0.0
    priorities = [max(of_user[job.user] - less, 0.0) for job, less in zip(coming.jobs, younger, strict=True)]
    coming_jobs = [replace(job, priority=value) for job, value in zip(coming.jobs, priorities, strict=True)]
    return coming._replace(jobs=tuple(coming_jobs))


def asked_job(jobs: Sequence[QueuedJob], job: QueuedJob) -> QueuedJob:
    """A job submitted now, with the priority of its user's waiting jobs, or otherwise the median priority."""
    priorities = [
        queued_job.priority
        for queued_job in jobs
        if queued_job.state == WAITING and queued_job.priority and queued_job.user == job.user
    ]
    others = [
        queued_job.priority for queued_job in jobs if queued_job.state == WAITING and queued_job.priority
    ]
    known = min(priorities) if priorities else float(np.median(others)) if others else None
    return replace(job, priority=known)
