"""Fair starts under a site's own Slurm: when a job would have started if no later one had been submitted.

Each is the start of the job in a simulation of its own, of the jobs up to it: what had ended at its
submission ran as it did, all else runs for the walltime that it asked for, or, if asked for, for its real
runtime. Nodes fail as in reality.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from engine.simulation.control import Cancelled, Control
from engine.slurm.options.rules import SiteRules
from engine.slurm.scheduler.bounds import of_chosen
from engine.slurm.scheduler.closed_nodes import TICKS
from engine.slurm.scheduler.fresh_state import fresh_run
from engine.slurm.scheduler.limits import JobKind
from engine.slurm.scheduler.loop import run_site
from engine.slurm.scheduler.preempt_rules import preemption_of
from engine.slurm.scheduler.state import (
    NOT_STARTED,
    Ints,
    SiteBounds,
    SiteClosures,
    SiteFailures,
    SiteJobs,
    SiteMachine,
    SiteRun,
    SiteWeights,
)
from engine.slurm.site.site import Site

_MOST = 600_000
"""Jobs that all these simulations together have, at about a tenth of a ms each: a minute of computing.

Of longer logs a sample is computed: by numbers, never by the clock, so that results repeat.
"""
_LEAST = 20
_SEED = 1


class SiteParts(NamedTuple):
    """What simulations of a site are made of: k jobs in order of submission, and of each what limits it."""

    site: Site
    jobs: SiteJobs
    estimate: Ints  # (k,) ticks from the decision to the end of a job that runs for its walltime
    machine: SiteMachine
    rules: SiteRules
    weights: SiteWeights
    bounds: SiteBounds
    closures: SiteClosures
    kinds: Sequence[JobKind]
    failures: SiteFailures

    def first(self, count: int, runtime: Ints) -> SiteRun:
        """A simulation of the first jobs alone, with runtimes of shape (many,), ticks."""
        chosen = np.arange(count)
        jobs = take_jobs(self.jobs, chosen)._replace(runtime=runtime)
        preemption = preemption_of(self.site, list(self.kinds[:count]), TICKS)
        bounds, machine = of_chosen(self.bounds, chosen), self.machine
        more = None, preemption, self.failures
        return fresh_run(jobs, machine, self.rules, self.weights, bounds, self.closures, *more)


def take_jobs(jobs: SiteJobs, chosen: Ints) -> SiteJobs:
    """The chosen jobs alone."""
    sizes = np.diff(jobs.offset)[chosen]
    offset = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    # The positions of all groups of the chosen jobs: each job's first group, and a count from there.
    groups = np.repeat(jobs.offset[chosen] - offset[:-1], sizes) + np.arange(offset[-1])
    of_groups: dict[str, Any] = {
        name: getattr(jobs, name)[groups] for name in ("tasks", "need", "most", "zone", "exclusive")
    }
    whole: dict[str, Any] = {"offset": offset}
    if len(jobs.turn):
        of_groups["turn"] = jobs.turn[groups]
    if len(jobs.own_offset):
        own = np.diff(jobs.own_offset)[chosen]
        whole["own_offset"] = np.concatenate(([0], np.cumsum(own))).astype(np.int64)
        rows = np.repeat(jobs.own_offset[chosen] - whole["own_offset"][:-1], own)
        whole["own_node"] = jobs.own_node[rows + np.arange(whole["own_offset"][-1])]
    # All fields but these have one entry for each job, so that new fields need no entry here.
    by_job = {*jobs._fields} - {"offset", "turn", "own_offset", "own_node", *of_groups}
    of_jobs: dict[str, Any] = {name: getattr(jobs, name)[chosen] for name in by_job}
    return SiteJobs(**whole, **of_jobs, **of_groups)


def sample_of(jobs: int) -> Ints:
    """The jobs, ascending, whose fair starts are computed: all, or a sample by a seed where all take long."""
    if jobs * (jobs + 1) // 2 <= _MOST:
        return np.arange(jobs)
    count = min(max(2 * _MOST // jobs, _LEAST), jobs)
    return np.sort(np.random.default_rng(_SEED).choice(jobs, count, replace=False))


def site_fair_starts(parts: SiteParts, done: SiteRun, exact: bool, control: Control) -> Ints:
    """The fair start of each job, shape (k,), ticks; NOT_STARTED for jobs beyond the sample, or that never
    start.

    `done` is the simulation of all jobs; `exact` takes real runtimes. Raises Cancelled.
    """
    jobs, state = parts.jobs, done.state
    fair = np.full(len(jobs.submit), NOT_STARTED, np.int64)
    ended = np.where(state.start == NOT_STARTED, np.iinfo(np.int64).max, state.start + done.jobs.runtime)
    for job in sample_of(len(jobs.submit)).tolist():
        runtime = jobs.runtime[: job + 1].copy()
        if not exact:
            # Only what had ended by then is known to have ended sooner. The others run as in a log where they
            # took their walltimes: that is the launch more than the limit, and decides which second passes
            # are at.
            open_still = ended[: job + 1] > jobs.submit[job]
            runtime[open_still] = parts.estimate[: job + 1][open_still]
        run = parts.first(job + 1, runtime)
        run_site(run, control.array)
        if control.cancelled:
            raise Cancelled
        lost = run.stops.lost[: run.stops.many[0]]
        fair[job] = min([int(run.state.start[job]), *lost[lost[:, 0] == job, 1].tolist()])
    return fair
