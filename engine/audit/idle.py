"""Idle machines: times at which a job waits that could have started, under policies that promise otherwise.

They promise it twice. Every policy that is simulated keeps the empty machine for no job: if all nodes are up,
something runs while a job waits. A policy that never reserves starts whatever fits: at no time after its
pass are as many processors free as any waiting job takes. Written apart from the simulator, from the times
of the schedule alone.
"""

from __future__ import annotations

import numpy as np

from engine.audit.clock import DIGITS
from engine.audit.columns import Floats
from engine.audit.report import AuditFinding, Case, finding, number
from engine.audit.table import Ints, ScheduleTable
from engine.machine.cluster import Cluster
from engine.machine.power import SERIES
from engine.policy.policy import Policy


def check_idle(
    table: ScheduleTable, cluster: Cluster, policy: Policy, procs: Ints, tolerance: float
) -> tuple[AuditFinding, ...]:
    """Times, longer than `tolerance` (s), in which a job waits that could have started.

    `procs`, shape (n,), are the processors that each job takes.
    """
    empty_machines = _empty_machines(table, tolerance + (policy.pass_every or 0))
    return empty_machines + (
        _free_processors(table, cluster, procs, tolerance) if fills(cluster, policy) else ()
    )


def keeps_busy(cluster: Cluster, policy: Policy) -> bool:
    """Whether the policy promises that something runs while a job waits.

    A site starts jobs at times of its own. Where nodes fail, or jobs are stopped for others, schedules do
    not list the runs that this stopped. Jobs may wait for hours with more power or cheaper energy,
    or for nodes that boot.
    """
    by_hours = policy.power_cap == SERIES or policy.price_below is not None
    waits = by_hours or policy.power_off is not None
    stops = cluster.failures is not None or policy.preempt_value is not None
    return policy.simulated and policy.site is None and not stops and not waits


def fills(cluster: Cluster, policy: Policy) -> bool:
    """Whether the policy promises that no job waits for which enough processors are free.

    That is without reservations and without limits, at each event, where processors alone decide what fits.
    """
    bounded = (
        policy.limited
        or policy.power_cap is not None
        or policy.test_limit is not None
        or policy.user_test_limit is not None
    )
    alone = cluster.pooled and all(cluster.total(name) is None for name in cluster.resources[1:])
    plain = policy.pass_every is None and not policy.allocates_windows and not policy.queue_nodes
    return policy.depth == 0 and alone and plain and not bounded


def _empty_machines(table: ScheduleTable, patience: float) -> tuple[AuditFinding, ...]:
    """Times in which nothing runs and a job waits, longer than `patience` (s)."""
    job = np.flatnonzero(table.first_row >= 0)
    job = job[np.argsort(table.start[table.first_row[job]], kind="stable")]
    row = table.first_row[job]
    start, submit = table.start[row], table.trace.submit[job]
    # A gap lies between the latest end of all earlier runs, if there are any, and the next start.
    end = np.maximum.accumulate(np.append(-np.inf, table.end[row][:-1]))[: len(job)]
    gaps = np.flatnonzero(start > end)
    until = start[gaps]
    first = _first_submitted(submit)[gaps]
    waiting, since = job[first], np.maximum(end[gaps], submit[first])
    length = np.round(until - since, DIGITS)
    cases = [
        _case("nothing runs", table, *values)
        for values in zip(waiting.tolist(), since.tolist(), length.tolist(), strict=True)
        if values[2] > patience
    ]
    return finding("idle", "times at which the machine was idle while a job could have started", cases, "s")


def _first_submitted(submit: Ints) -> Ints:
    """For each place of an array of submissions, shape (n,), that of the least from there on."""
    least = np.minimum.accumulate(submit[::-1])[::-1]
    # The next place that holds the least of all behind it holds also the least from this place on.
    which = np.where(submit == least, np.arange(len(submit)), len(submit))
    return np.asarray(np.minimum.accumulate(which[::-1])[::-1], np.int64)


def _free_processors(
    table: ScheduleTable, cluster: Cluster, procs: Ints, tolerance: float
) -> tuple[AuditFinding, ...]:
    """Jobs for which enough processors were free, for longer than `tolerance` (s), while they waited."""
    ran = np.flatnonzero(table.first_row >= 0)
    start, submit = table.start[table.first_row[ran]], table.trace.submit[ran].astype(np.float64)
    times, free = _free_over_time(table, cluster, submit)
    # Of the steps in which a job waits, those that are short count for nothing.
    lasts = np.append(np.round(np.diff(times), DIGITS), np.inf)
    room = np.where(lasts > tolerance, free, -1.0)
    first, behind = np.searchsorted(times, submit), np.searchsorted(times, start)
    idle = _most_between(room, first, behind) >= procs[ran]
    cases = []
    for row in np.flatnonzero(idle & (start > submit)).tolist():
        steps = np.arange(first[row], behind[row])
        enough = steps[room[steps] >= procs[ran[row]]]
        since, length = float(times[enough[0]]), float(lasts[enough].sum())
        cases.append(_case("enough processors are free", table, int(ran[row]), since, length))
    text = "jobs that waited while enough processors were free"
    return finding("idle_processors", text, sorted(cases, key=lambda case: case.time or 0.0), "s")


def _free_over_time(table: ScheduleTable, cluster: Cluster, submit: Floats) -> tuple[Floats, Floats]:
    """The times of all events, ascending, and the processors that are free from each to the next."""
    times, index = np.unique(np.concatenate((table.start, table.end, submit)), return_inverse=True)
    change = np.concatenate((-table.procs, table.procs, np.zeros(len(submit))))
    step = np.zeros(len(times))
    np.add.at(step, index, change)
    return times, np.round(cluster.cpus + np.cumsum(step), DIGITS)  # sums of fractions differ in the last bit


def _most_between(values: Floats, first: Ints, behind: Ints) -> Floats:
    """The largest of `values[first:behind]` for each pair, shape (pairs,); -1 where the range is empty.

    By a sparse table (Bender & Farach-Colton 2000): two ranges of a power of two cover each range.
    """
    most = np.full(len(first), -1.0)
    size, level = behind - first, values
    for power in range(max(int(size.max(initial=0)), 1).bit_length()):
        width = 1 << power
        fits = (size >= width) & (size < 2 * width)
        most[fits] = np.maximum(level[first[fits]], level[behind[fits] - width])
        level = np.maximum(level[:-width], level[width:]) if width < len(level) else level
    return most


def _case(what: str, table: ScheduleTable, job: int, since: float, length: float) -> Case:
    text = f"{what} for {number(length)} s while the job waits"
    return Case(text, str(table.trace.job_id[job]), since, length)
