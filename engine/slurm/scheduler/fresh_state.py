"""A simulation of a site before anything runs: its state and scratch arrays."""

from __future__ import annotations

import numpy as np

from engine.slurm.options.rules import SiteRules
from engine.slurm.scheduler.bounds import make_closures, no_bounds
from engine.slurm.scheduler.dependent_submissions import known_at_first, make_followers
from engine.slurm.scheduler.ends import room_for_ends
from engine.slurm.scheduler.node_failures import no_failures
from engine.slurm.scheduler.plans import room_for_plans
from engine.slurm.scheduler.preempt import no_preemption
from engine.slurm.scheduler.reason_log import make_notes
from engine.slurm.scheduler.state import (
    NOT_STARTED,
    Ints,
    SiteBounds,
    SiteClosures,
    SiteFailures,
    SiteFollowers,
    SiteJobs,
    SiteMachine,
    SitePreemption,
    SiteRun,
    SiteScratch,
    SiteState,
    SiteWeights,
)
from engine.slurm.scheduler.stops import LOST_RUNS, make_stops, no_stops
from engine.trace.dependencies import NOBODY


def fresh_run(
    jobs: SiteJobs,
    machine: SiteMachine,
    rules: SiteRules,
    weights: SiteWeights,
    bounds: SiteBounds | None = None,
    closures: SiteClosures | None = None,
    followers: SiteFollowers | None = None,
    preemption: SitePreemption | None = None,
    failures: SiteFailures | None = None,
    log: bool = False,
    room: int = LOST_RUNS,
) -> SiteRun:
    """A simulation in which nothing runs and nothing waits yet; without limits where none are given.

    With a `log` it notes why jobs wait. There is `room` for so many lost runs of each job on average.

    Where jobs follow or preempt others, or nodes fail, the run writes submissions and runtimes into its own
    copies of them.
    """
    count, associations = len(jobs.submit), len(weights.parent)
    (nodes, kinds), parts = machine.capacity.shape, len(machine.tier)
    closures = make_closures([]) if closures is None else closures
    if followers is None:
        followers = make_followers(np.full(count, NOBODY, np.int64), np.zeros(count, np.int64))
    preemption = no_preemption() if preemption is None else preemption
    failures = no_failures() if failures is None else failures
    # Columns that the run rewrites are copied: an array of the trace is shared by every run of it.
    stops = bool(len(preemption.kind) or len(failures.node))
    changed: tuple[str, ...] = ("submit", "begin") if len(followers.first) else ()
    if stops:
        changed = ("submit", "begin", "runtime", "limit")
    elif len(closures.first):
        changed = (*changed, "runtime")
    jobs = jobs._replace(**{name: getattr(jobs, name).copy() for name in changed})
    # Jobs that follow nobody are known from the start, in order of submission; the others come after the
    # ends that they wait for.
    known, coming = known_at_first(followers, count), np.zeros(count, np.int64)
    coming[: len(known)] = known[np.argsort(jobs.submit[known], kind="stable")]

    def none(*shape: int) -> Ints:
        return np.zeros(shape, np.int64)

    # Each job's rows lie at a fixed place: a start then needs no search for room.
    many = np.minimum(jobs.tasks, nodes)  # rows that each group may need
    first = np.concatenate(([0], np.cumsum(many)))[jobs.offset[:-1]].astype(np.int64)
    state = SiteState(
        free=machine.capacity.copy(),
        completing=none(nodes),
        rows=none(max(int(many.sum()), 1), 3),
        first=first,
        places=none(count),
        start=np.full(count, NOT_STARTED, np.int64),
        by=none(count),
        line=none(count),
        ends=none(count),
        running=none(1),
        queue=none(count),
        waiting=none(1),
        priority=np.zeros(count),
        factor=np.zeros(associations),
        usage=weights.usage.copy(),
        charged=none(count),
        coming=coming,
        known=np.full(1, len(known), np.int64),
    )
    scratch = SiteScratch(
        free=none(nodes, kinds),
        usable=np.zeros(nodes, np.bool_),
        closed=np.zeros(nodes, np.bool_),
        rows=none(rules.most_rows, 3),
        chosen=none(nodes, 2),
        room=none(nodes),
        ahead=none(nodes),
        sets=none(nodes, 5),
        tested=none(jobs.tested.shape[1], int(jobs.tested.max(initial=0)) + 1),
        of_part=none(parts),
        stopped=np.zeros(parts, np.bool_),
        full=np.zeros(len(closures.first), np.bool_),
    )
    # What is counted against limits begins at nothing, whatever an earlier run left in these arrays.
    bounds = no_bounds(count, kinds) if bounds is None else bounds
    fresh = {name: np.zeros_like(getattr(bounds, name)) for name in ("run", "used", "spent", "ahead")}
    fresh["total"] = bounds.total.copy()
    return SiteRun(
        jobs,
        machine,
        rules,
        weights,
        state,
        scratch,
        room_for_plans(jobs, machine, min(rules.bf_tests, count) + len(closures.first) + 1),
        room_for_ends(count, nodes, kinds, len(state.rows)),
        bounds._replace(**fresh),
        closures,
        followers,
        preemption,
        failures._replace(passed=none(2), down=np.zeros_like(failures.down)),
        make_stops(jobs, nodes, room) if stops else no_stops(),
        make_notes(log, count, nodes, parts, len(closures.first)),
    )
