"""Priorities of a log's jobs at any of its times, as the site's slurmctld computes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.schedule.schedule import Schedule
from engine.slurm.scheduler.billing import billing_of_trace
from engine.slurm.scheduler.fairshare import Tree, classic, fair_tree
from engine.slurm.scheduler.priority_factors import FACTORS, base_factors, site_weights
from engine.slurm.site.site import Site
from engine.trace import Trace

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class RunTimes(NamedTuple):
    """When each job came, (n,), and the job, start and end of each run, (r,): also of those that were cut
    short. All times are in s.
    """

    came: Ints
    job: Ints
    start: Ints
    end: Ints


class Priorities:
    """What priorities of the jobs are made of, and what their users had used by any time.

    `nodes` are how many each job takes, of a `machine` of so many nodes and processors: by default that of
    the site's files. What was used before the log is not known.
    """

    def __init__(
        self, site: Site, trace: Trace, runs: RunTimes, nodes: Ints, machine: tuple[int, int] | None = None
    ) -> None:
        self._weights, self._leaf = site_weights(site, trace)
        weights, own = self._weights, site.conf.machine
        self._tree = Tree(weights.parent, weights.shares, weights.leaf)
        self._fair_tree = site.fair_tree
        # Usage is that of the last computation of priorities, which on average was half a period ago.
        self._age_of_usage = site.rules(1).calc_period // 2
        self._fixed = base_factors(site, trace, nodes, machine or (own.nodes, own.cpus))
        self._runs, self._billing = runs, billing_of_trace(site, trace, nodes)
        self._requeue_delay = site.rules(1).requeue_delay

    def at(self, time: int, jobs: Ints) -> Floats:
        """The priorities of jobs at a time, shape (jobs,)."""
        age, fairshare, size, partition, quality = self.factors(time, jobs)
        total = size + partition + quality + age + fairshare
        return np.asarray(np.floor(total), np.float64)

    def factors(self, time: int, jobs: Ints) -> tuple[Floats, ...]:
        """What these are made of, each shape (jobs,), in the order of `FACTORS`."""
        weights = self._weights
        factor = np.zeros(len(weights.parent))
        if weights.fairshare:
            # slurmctld computes usage at intervals: what counts at this moment is as old as the last
            # calculation.
            usage = self._usage(time - self._age_of_usage)
            factor = (
                fair_tree(self._tree, usage)
                if self._fair_tree
                else classic(self._tree, usage, weights.dampening)
            )
        age = np.zeros(len(jobs))
        if weights.max_age > 0:
            # A job that has not come yet has no age, and the factor ends at PriorityMaxAge.
            age = np.clip((time - self._came(time, jobs)) / weights.max_age, 0.0, 1.0)
        fixed = (part[jobs] for part in self._fixed)
        return weights.age * age, weights.fairshare * factor[self._leaf[jobs]], *fixed

    def _came(self, time: int, jobs: Ints) -> Ints:
        """When the jobs that wait at a time came, (jobs,): those that were requeued before came anew."""
        came, before = np.array(self._runs.came), self._runs.end <= time
        np.maximum.at(came, self._runs.job[before], self._runs.end[before] + self._requeue_delay)
        return np.asarray(came[jobs], np.int64)

    def _usage(self, time: int) -> Floats:
        """The decayed usage of each leaf by a time, billing units x s, shape (associations,)."""
        ran = np.flatnonzero(self._runs.start < time)
        begun = (time - self._runs.start[ran]).astype(np.float64)
        ended = np.maximum(time - self._runs.end[ran], 0).astype(np.float64)
        weights = self._weights
        half_life = weights.half_life
        if half_life > 0:  # the integral of 2^(-t / half-life) over the run
            rate = math.log(2) / half_life
            spent = (np.exp(-rate * ended) - np.exp(-rate * begun)) / rate
        else:
            spent = begun - ended
        job = self._runs.job[ran]
        return np.bincount(self._leaf[job], self._billing[job] * spent, len(self._weights.parent)).astype(
            np.float64
        )


def runs_of(schedule: Schedule, came: Ints) -> RunTimes:
    """The runs of a schedule, whose jobs `came` then, s."""
    ran, stopped = np.flatnonzero(schedule.ran), schedule.stopped
    return RunTimes(
        came,
        np.concatenate((ran, stopped.job)),
        np.concatenate((schedule.start[ran], stopped.start)),
        np.concatenate((schedule.end[ran], stopped.end)),
    )


class SitePriorities:
    """Priorities of the jobs of a schedule that was simulated for a site: `PrioritiesAt`.

    The arguments are those of `Priorities`. They are read when a job is first asked about.
    """

    def __init__(self, site: Site, trace: Trace, nodes: Ints, machine: tuple[int, int]) -> None:
        self._site, self._trace, self._nodes, self._machine = site, trace, nodes, machine
        self._known: Priorities | None = None

    def factors(self, schedule: Schedule, time: int, jobs: Sequence[int]) -> list[dict[str, float]]:
        """What the priority of each of the jobs is made of at a time, s, by name."""
        if self._known is None:
            held = 0 if self._trace.held is None or schedule.came is not None else self._trace.held
            runs = runs_of(schedule, schedule.submit + held)
            self._known = Priorities(self._site, self._trace, runs, self._nodes, self._machine)
        parts = self._known.factors(time, np.array(jobs, np.int64))
        return [
            {name: float(part[k]) for name, part in zip(FACTORS, parts, strict=True)}
            for k in range(len(jobs))
        ]
