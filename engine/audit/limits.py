"""Limits of a policy: what the jobs of one user or of one queue may hold at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.audit.capacity import over
from engine.audit.report import Case, Finding, finding, number
from engine.audit.table import Ints, ScheduleTable
from engine.policy.policy import Policy
from engine.trace import Trace
from engine.trace.trace import Names

_WITHOUT_END = 1 << 62


@dataclass(frozen=True, eq=False)
class _Limit:
    """What the jobs of one user, or of one queue, may have at once: of each at most so much of the unit."""

    noun: str  # whose jobs they are
    names: Names
    unit: str
    amount: Ints  # (n,) what each job of the trace has of it
    most: Ints  # (names,)


def check_limits(table: ScheduleTable, policy: Policy, held: Ints, tolerance: float) -> tuple[Finding, ...]:
    """Each maximal interval, longer than `tolerance` (s), in which jobs together pass a limit.

    `held` are the processors that each job of the trace takes, shape (n,).
    """
    limits = _limits(table.trace, policy, held)
    return tuple(found for limit in limits for found in _check(table, limit, tolerance))


def held_back(
    trace: Trace, policy: Policy, held: Ints, running: Ints, jobs: Ints, started: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which of the `jobs`, shape (k,), a limit holds when their turn comes, beside those that run.

    Those that `started` count for all behind them.
    """
    limits = _limits(trace, policy, held)
    used = [
        np.bincount(one.names.codes[running], one.amount[running], len(one.names.names)) for one in limits
    ]
    back = np.zeros(len(jobs), np.bool_)
    for index, job in enumerate(jobs):
        for limit, mine in zip(limits, used, strict=True):
            whose, amount = limit.names.codes[job], limit.amount[job]
            if started[index]:
                mine[whose] += amount
            else:
                back[index] |= mine[whose] + amount > limit.most[whose]
    return back


def _limits(trace: Trace, policy: Policy, held: Ints) -> list[_Limit]:
    """The limits that the policy has."""
    one, users, queues = np.ones_like(held), len(trace.user.names), trace.queue.names
    found = []
    if policy.max_user_jobs is not None:
        found.append(_Limit("user", trace.user, "jobs", one, np.full(users, policy.max_user_jobs)))
    if policy.max_user_cpus is not None:
        found.append(_Limit("user", trace.user, "processors", held, np.full(users, policy.max_user_cpus)))
    most = [policy.queue_limit(queue) for queue in queues]
    if any(limit is not None for limit in most):
        room = np.array([_WITHOUT_END if limit is None else limit for limit in most], np.int64)
        found.append(_Limit("queue", trace.queue, "processors", held, room))
    return found


def _check(table: ScheduleTable, limit: _Limit, tolerance: float) -> tuple[Finding, ...]:
    names, noun, unit = limit.names, limit.noun, limit.unit
    whose = names.codes[table.job]
    order = np.argsort(whose, kind="stable")
    first = np.searchsorted(whose[order], np.arange(len(names.names) + 1))
    cases = []
    for code, name in enumerate(names.names):
        own, most = order[first[code] : first[code + 1]], int(limit.most[code])
        for begin, until, peak in over(table.start[own], table.end[own], limit.amount[table.job[own]], most):
            if until - begin > tolerance:
                text = f"{noun} {name}: {number(peak)} of {most:,} {unit}, for {number(until - begin)} s"
                cases.append(Case(text, time=begin, amount=peak - most))
    cases.sort(key=lambda case: case.time or 0.0)
    return finding(
        f"limit_{noun}_{unit}", f"times at which a {noun} had more {unit} than it may", cases, unit
    )
