"""The replay of a schedule, event by event: which jobs run and wait, and what is free; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.audit.clock import TICKS
from engine.audit.policy_rules import queue_places
from engine.audit.refusals import held_processors
from engine.audit.table import Ints, ScheduleTable, asked
from engine.audit.waiting import WaitingJobs, make_waiting, put, take
from engine.compiler.kernels import inner_kernel
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy

NEVER = np.iinfo(np.int64).max
NOBODY = -1
WITHOUT_END = 1 << 62


class Holdings(NamedTuple):
    """What n jobs hold: job j holds the rows `offset[j]:offset[j + 1]`; on a pool one row, its total."""

    offset: Ints  # (n + 1,) first row of each job
    node: Ints  # (rows,) node
    amount: Ints  # (rows, resources) amounts that the job holds on it


class Moments(NamedTuple):
    """The events of the m jobs that ran, in order of time, and how far the replay is.

    Row 0 of `ranges` is for submissions, 1 for starts, 2 for ends: the events of this moment lie in that
    range of `submitted`, `started` or `ended`.
    """

    submitted: Ints  # (m,) jobs by submission, then by index
    started: Ints  # (m,) jobs by start, then by index
    ended: Ints  # (m,) jobs by end, then in the order of starts
    ranges: Ints  # (3, 2) begin and end of each range
    now: Ints  # (1,) ticks, the time of this moment


class RunningByEnd(NamedTuple):
    """The running jobs, `jobs[:many[0]]`, sorted by their expected ends."""

    jobs: Ints  # (n,) running jobs
    ends: Ints  # (n,) ticks, expected ends of the jobs in `jobs`
    many: Ints  # (1,) number of running jobs
    on: Mask  # (n,) whether each job runs


class Replay(NamedTuple):
    """The state after all events at `moments.now[0]`; times are in ticks, TICKS of them a second.

    Only jobs that ran are replayed, and of each only its first run. Which jobs run and wait, and what is
    free, is kept up to date only where it is `listed`.
    """

    submit: Ints  # (n,) time of submission, ticks
    start: Ints  # (n,) start, ticks; NEVER for jobs that did not run
    end: Ints  # (n,) end, ticks; NEVER for jobs that did not run
    estimate: Ints  # (n,) estimated runtime at submission, ticks
    walltime: Ints  # (n,) requested runtime, ticks
    alike: Ints  # (n,) rank in the queue, equal for jobs with equal keys
    threshold: int  # ticks: a job that waits longer goes first; WITHOUT_END: none does
    moments: Moments
    running: RunningByEnd
    waiting: WaitingJobs  # the waiting jobs in queue order
    oldest: Ints  # (1,) index into `moments.submitted`: no job before it waits
    holdings: Holdings
    capacity: Ints  # (nodes, resources) amounts that each node has
    free: Ints  # (nodes, resources) amounts that are free on each node
    second: int  # ticks in a second
    listed: bool  # whether `running`, `waiting` and `free` are kept up to date


def make_replay(
    table: ScheduleTable, cluster: Cluster, policy: Policy, estimate: Ints, listed: bool = True
) -> Replay:
    """The state before the first event; `estimate`, shape (n,), is in s; `listed` as in `Replay`."""
    trace, jobs = table.trace, len(table.trace)
    ran = np.flatnonzero(table.first_row >= 0)
    row = table.first_row[ran]
    # Jobs that did not run stay in the queue for ever.
    start, end = np.full((2, jobs), NEVER)
    start[ran], end[ran] = in_ticks(table.start[row]), in_ticks(table.end[row])
    submit = trace.submit * TICKS
    places = queue_places(policy, trace, estimate, held_processors(trace, cluster, policy))
    capacity, holdings = _holdings(table, cluster)
    return Replay(
        submit=submit,
        start=start,
        end=end,
        estimate=estimate * TICKS,
        walltime=trace.walltime * TICKS,
        alike=places.alike,
        threshold=WITHOUT_END if policy.threshold is None else int(policy.threshold) * TICKS,
        moments=Moments(
            submitted=ran[np.argsort(submit[ran], kind="stable")],
            started=ran[np.argsort(start[ran], kind="stable")],
            # Of jobs that end together those that began first go first.
            ended=ran[np.lexsort((start[ran], end[ran]))],
            ranges=np.zeros((3, 2), np.int64),
            now=np.zeros(1, np.int64),
        ),
        running=RunningByEnd(
            jobs=np.zeros(jobs, np.int64),
            ends=np.zeros(jobs, np.int64),
            many=np.zeros(1, np.int64),
            on=np.zeros(jobs, np.bool_),
        ),
        waiting=make_waiting(places.place),
        oldest=np.zeros(1, np.int64),
        holdings=holdings,
        capacity=capacity,
        free=capacity.copy(),
        second=TICKS,
        listed=listed,
    )


def in_ticks(seconds: NDArray[np.float64]) -> Ints:
    """Times in s as whole numbers of ticks."""
    return np.asarray(np.round(seconds * TICKS), np.int64)


def resources_of(table: ScheduleTable, cluster: Cluster) -> tuple[str, ...]:
    """The resources that a replay counts: those of each node where nodes are known, else limited totals."""
    if by_node(table, cluster):
        return cluster.resources
    limited = [name for name in cluster.resources[1:] if cluster.total(name) is not None]
    return ("cpus", *limited)


def by_node(table: ScheduleTable, cluster: Cluster) -> bool:
    """Whether it is known what jobs held of each resource on each node, so that each node is counted.

    Logs name nodes, and often not how the RAM of a job was spread over them.
    """
    pieces = table.pieces
    return not (cluster.pooled or pieces is None or set(cluster.resources) - pieces.columns.keys())


def _holdings(table: ScheduleTable, cluster: Cluster) -> tuple[Ints, Holdings]:
    """The capacity of the machine, shape (nodes, resources), and what each job holds of it."""
    names, jobs = resources_of(table, cluster), len(table.trace)
    if by_node(table, cluster):
        pieces = table.pieces
        assert pieces is not None
        amount = np.ascontiguousarray(np.stack([pieces[name] for name in names], axis=1))
        return cluster.capacity(), Holdings(pieces.offset, np.ascontiguousarray(pieces["node"]), amount)
    procs = table.trace.procs.copy()
    procs[table.job[::-1]] = np.ceil(np.maximum(0, table.procs))[::-1]
    amount = np.ascontiguousarray(np.stack([procs, *(asked(table, name) for name in names[1:])], axis=1))
    total = [cluster.cpus, *(cluster.total(name) for name in names[1:])]
    return np.array([total], np.int64), Holdings(np.arange(jobs + 1), np.zeros(jobs, np.int64), amount)


@inner_kernel
def next_moment(r: Replay) -> bool:
    """Go to the next moment with a submission, start or end; returns False where there is none."""
    moments, count = r.moments, len(r.moments.submitted)
    ranges = moments.ranges
    now = NEVER
    if ranges[0, 1] < count:
        now = min(now, r.submit[moments.submitted[ranges[0, 1]]])
    if ranges[1, 1] < count:
        now = min(now, r.start[moments.started[ranges[1, 1]]])
    if ranges[2, 1] < count:
        now = min(now, r.end[moments.ended[ranges[2, 1]]])
    if now == NEVER:
        return False
    moments.now[0] = now
    _advance(ranges, 0, moments.submitted, r.submit, now)
    _advance(ranges, 1, moments.started, r.start, now)
    _advance(ranges, 2, moments.ended, r.end, now)
    if not r.listed:
        return True
    # Ends come before starts, since what ends at a second is free in it; a job that starts as it is
    # submitted was never seen to wait by a pass before.
    for index in range(ranges[0, 0], ranges[0, 1]):
        job = moments.submitted[index]
        if r.start[job] >= now:
            put(r.waiting, job)
    for index in range(ranges[2, 0], ranges[2, 1]):
        _stop(r, moments.ended[index])
    for index in range(ranges[1, 0], ranges[1, 1]):
        _start(r, moments.started[index], now)
    return True


@inner_kernel
def _advance(ranges: Ints, row: int, jobs: Ints, time: Ints, now: int) -> None:
    index = ranges[row, 1]
    ranges[row, 0] = index
    while index < len(jobs) and time[jobs[index]] == now:
        index += 1
    ranges[row, 1] = index


@inner_kernel
def _start(r: Replay, job: int, now: int) -> None:
    if r.waiting.on[job]:
        take(r.waiting, job)
    # A job that ends in the second of its start never holds anything.
    if r.end[job] > now:
        r.running.on[job] = True
        _hold(r, job, -1)
        index = r.running.many[0]
        r.running.many[0] = index + 1
        _sink(r.running, index, job, now + r.estimate[job])


@inner_kernel
def _sink(running: RunningByEnd, index: int, job: int, end: int) -> None:
    """Insert a job by its expected end, at the free place `index` or before it."""
    while index > 0 and running.ends[index - 1] > end:
        running.jobs[index] = running.jobs[index - 1]
        running.ends[index] = running.ends[index - 1]
        index -= 1
    running.jobs[index] = job
    running.ends[index] = end


@inner_kernel
def _stop(r: Replay, job: int) -> None:
    running = r.running
    # A job that ended in the second of its start held nothing.
    if not running.on[job]:
        return
    running.on[job] = False
    _hold(r, job, 1)
    index = 0
    while running.jobs[index] != job:
        index += 1
    running.many[0] -= 1
    for later in range(index, running.many[0]):
        running.jobs[later] = running.jobs[later + 1]
        running.ends[later] = running.ends[later + 1]


@inner_kernel
def _hold(r: Replay, job: int, sign: int) -> None:
    holdings = r.holdings
    for row in range(holdings.offset[job], holdings.offset[job + 1]):
        for k in range(r.free.shape[1]):
            r.free[holdings.node[row], k] += sign * holdings.amount[row, k]


@inner_kernel
def update_expected_ends(r: Replay) -> None:
    """Update the expected ends of running jobs.

    A job that ran for all of its estimate is expected to run for its walltime; after that, for a second more.
    """
    running, now = r.running, r.moments.now[0]
    count = 0
    while count < running.many[0] and running.ends[count] <= now:
        count += 1
    for turn in range(count):  # from the last to the first: all jobs behind are in order already
        index = count - 1 - turn
        job = running.jobs[index]
        limit = r.start[job] + r.walltime[job]
        end = limit if limit > now else now + r.second
        while index + 1 < running.many[0] and running.ends[index + 1] < end:
            running.jobs[index] = running.jobs[index + 1]
            running.ends[index] = running.ends[index + 1]
            index += 1
        running.jobs[index] = job
        running.ends[index] = end


@inner_kernel
def head(r: Replay) -> int:
    """The first job of the queue, NOBODY where no job waits."""
    if r.waiting.bounds[0] == r.waiting.bounds[1]:
        return NOBODY
    # Under a threshold the job that waited longest goes first once it starves.
    if r.threshold != WITHOUT_END:
        oldest = _oldest(r)
        if starves(r, oldest):
            return oldest
    return int(r.waiting.jobs[r.waiting.bounds[0]])


@inner_kernel
def _oldest(r: Replay) -> int:
    """The waiting job that was submitted first."""
    while not r.waiting.on[r.moments.submitted[r.oldest[0]]]:
        r.oldest[0] += 1
    return int(r.moments.submitted[r.oldest[0]])


@inner_kernel
def starves(r: Replay, job: int) -> bool:
    """Whether a job has waited longer than the threshold, so that it goes before jobs that have not."""
    return bool(r.threshold != WITHOUT_END and r.moments.now[0] - r.submit[job] > r.threshold)


@inner_kernel
def goes_before(r: Replay, job: int, other: int) -> bool:
    """Whether a job goes before job `other` in the queue; both wait, or waited until now."""
    # Starving jobs go first, among each other by submission; all others by their place in the queue.
    first, second = starves(r, job), starves(r, other)
    if first != second:
        return first
    if first:
        return bool(r.submit[job] < r.submit[other] or (r.submit[job] == r.submit[other] and job < other))
    return bool(r.waiting.place[job] < r.waiting.place[other])
