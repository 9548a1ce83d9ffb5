"""Limits of a policy: what the jobs of one user or of one queue may hold at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.audit.capacity import over
from engine.audit.report import Case, Finding, finding, number
from engine.audit.table import Ints, ScheduleTable
from engine.policy.policy import Policy
from engine.trace import Trace
from engine.trace.trace import Names


def check_limits(table: ScheduleTable, policy: Policy, held: Ints, tolerance: float) -> tuple[Finding, ...]:
    """Each maximal interval, longer than `tolerance` (s), in which jobs together pass a limit.

    `held` are the processors that each job of the trace takes, shape (n,).
    """
    trace = table.trace
    one = np.ones_like(held)
    users, queues = trace.user, trace.queue
    return (
        *_check(table, users, "user", one, policy.max_user_jobs, "jobs", tolerance),
        *_check(table, users, "user", held, policy.max_user_cpus, "processors", tolerance),
        *_check(table, queues, "queue", held, policy.max_queue_cpus, "processors", tolerance),
    )


def limited(policy: Policy) -> bool:
    """Whether the policy has any such limit."""
    return any(
        limit is not None for limit in (policy.max_user_jobs, policy.max_user_cpus, policy.max_queue_cpus)
    )


def held_back(
    trace: Trace, policy: Policy, held: Ints, running: Ints, jobs: Ints, started: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which of the `jobs`, shape (k,), a limit holds when their turn comes, beside those that run.

    Those that `started` count for all behind them.
    """
    tallies = _tallies(trace, policy, held)
    used = [np.bincount(whose[running], amount[running], whose.max() + 1) for whose, amount, _ in tallies]
    back = np.zeros(len(jobs), np.bool_)
    for index, job in enumerate(jobs):
        for (whose, amount, limit), mine in zip(tallies, used, strict=True):
            if started[index]:
                mine[whose[job]] += amount[job]
            else:
                back[index] |= mine[whose[job]] + amount[job] > limit
    return back


def _tallies(trace: Trace, policy: Policy, held: Ints) -> list[tuple[NDArray[np.int32], Ints, int]]:
    """Whose each job is, what of it counts, and how much is allowed: of each limit that there is."""
    user, queue, one = trace.user.codes, trace.queue.codes, np.ones_like(held)
    limits = (
        (user, one, policy.max_user_jobs),
        (user, held, policy.max_user_cpus),
        (queue, held, policy.max_queue_cpus),
    )
    return [(whose, amount, limit) for whose, amount, limit in limits if limit is not None]


def _check(
    table: ScheduleTable,
    names: Names,
    noun: str,
    amount: Ints,
    limit: int | None,
    unit: str,
    tolerance: float,
) -> tuple[Finding, ...]:
    if limit is None:
        return ()
    whose = names.codes[table.job]
    order = np.argsort(whose, kind="stable")
    first = np.searchsorted(whose[order], np.arange(len(names.names) + 1))
    cases = []
    for code, name in enumerate(names.names):
        own = order[first[code] : first[code + 1]]
        for begin, until, peak in over(table.start[own], table.end[own], amount[table.job[own]], limit):
            if until - begin > tolerance:
                text = f"{noun} {name}: {number(peak)} of {limit:,} {unit}, for {number(until - begin)} s"
                cases.append(Case(text, time=begin, amount=peak - limit))
    cases.sort(key=lambda case: case.time or 0.0)
    return finding(
        f"limit_{noun}_{unit}", f"times at which a {noun} had more {unit} than it may", cases, unit
    )
