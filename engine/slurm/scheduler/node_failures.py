"""Failures of nodes: slurmctld takes a node that does not answer out of use, with the jobs on it.

It does not know when the node comes back: nothing is planned there until it does. Jobs on the node are queued
again as after a preemption, or given up.
"""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.dependent_submissions import expect_followers
from engine.slurm.scheduler.places import NEVER, cleaning, end_run
from engine.slurm.scheduler.reason_log import note_requeued
from engine.slurm.scheduler.state import NOT_STARTED, Ints, SiteFailures, SiteRun
from engine.slurm.scheduler.stops import queue_again, record_stop


def make_failures(node: Ints, first: Ints, last: Ints, nodes: int, restarts: int) -> SiteFailures:
    """Failures of these of so many nodes, each (m,), in ticks and in order of their begins.

    Those of the same node neither overlap nor touch. A job is queued again as often as `restarts` says.
    """
    return SiteFailures(
        node=np.ascontiguousarray(node, np.int64),
        first=np.ascontiguousarray(first, np.int64),
        last=np.ascontiguousarray(last, np.int64),
        ending=np.argsort(last, kind="stable").astype(np.int64),
        passed=np.zeros(2, np.int64),
        down=np.zeros(nodes if len(node) else 0, np.bool_),
        restarts=restarts,
    )


def no_failures() -> SiteFailures:
    """Every node works at all times."""
    none = np.zeros(0, np.int64)
    return make_failures(none, none, none, 0, 0)


@inner_kernel
def next_failure(s: SiteRun) -> int:
    """The next tick at which a node fails or comes back; NEVER without one."""
    f, time = s.failures, NEVER
    # Begins and ends are two sorted lists of the same failures, each with its own place of progress.
    if f.passed[0] < len(f.first):
        time = min(time, f.first[f.passed[0]])
    if f.passed[1] < len(f.last):
        time = min(time, f.last[f.ending[f.passed[1]]])
    return int(time)


@inner_kernel
def fail_nodes(s: SiteRun, now: int, arrived: int) -> tuple[int, int]:
    """Take down the nodes that fail by now, and bring back those that are repaired.

    `arrived` is the number of submitted jobs. Returns it without those that are queued again, and how many
    jobs were given up.
    """
    f, given_up = s.failures, 0
    while f.passed[0] < len(f.first) and f.first[f.passed[0]] <= now:
        node = f.node[f.passed[0]]
        f.passed[0] += 1
        # Jobs may share a node: all of them go before it is taken down.
        job = _job_on(s, node, now)
        while job >= 0:
            arrived, gone = _stop(s, job, now, arrived)
            given_up += gone
            job = _job_on(s, node, now)
        # A job whose last second has begun still holds what it has: less than nothing is free until its end.
        for k in range(s.state.free.shape[1]):
            s.state.free[node, k] -= s.machine.capacity[node, k]
        f.down[node] = True
    # Repairs have an order of their own, as outages differ in length.
    while f.passed[1] < len(f.last) and f.last[f.ending[f.passed[1]]] <= now:
        node = f.node[f.ending[f.passed[1]]]
        f.passed[1] += 1
        for k in range(s.state.free.shape[1]):
            s.state.free[node, k] += s.machine.capacity[node, k]
        f.down[node] = False
    return arrived, given_up


@inner_kernel
def _job_on(s: SiteRun, node: int, now: int) -> int:
    """A running job on a node that does not end by itself in this second, or -1."""
    state, second = s.state, now // s.rules.ticks
    for k in range(state.running[0]):
        job = state.line[k]
        # Ends are a tick late, and those of the second in which the node fails come first.
        if (state.start[job] + s.jobs.runtime[job] - 1) // s.rules.ticks <= second:
            continue
        for at in range(state.first[job], state.first[job] + state.places[job]):
            if state.rows[at, 0] == node:
                return int(job)
    return -1


@inner_kernel
def _stop(s: SiteRun, job: int, now: int, arrived: int) -> tuple[int, int]:
    """End the run of a job whose node fails, and queue the job again, or give it up.

    Returns the number of submitted jobs without those that are queued again, and 1 if it is given up.
    """
    end_run(s, job, now, now + cleaning(s, job))
    record_stop(s, job, now, -1)
    # A preemption that was under way is over with the run.
    if len(s.preemption.by):
        s.preemption.by[job] = -1
    # A job that failed too often is given up; its followers then count from now, as nothing else will end
    # it.
    s.stops.times[job] += 1
    if s.stops.times[job] > s.failures.restarts:
        s.state.start[job] = NOT_STARTED
        expect_followers(s, job, now, arrived)
        return arrived, 1
    arrived = queue_again(s, job, now, arrived)
    if s.notes.log.on:
        note_requeued(s, job, now)
    return arrived, 0
