"""Limits of a policy: what the jobs of one user or of one queue may hold at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.audit.capacity import over
from engine.audit.report import AuditFinding, Case, finding, number
from engine.audit.table import Ints, ScheduleTable
from engine.compiler.kernels import inner_kernel
from engine.policy.policy import Policy
from engine.trace import Trace
from engine.trace.names import Names

_WITHOUT_END = 1 << 62


@dataclass(frozen=True, eq=False)
class AuditedLimit:
    """A limit on what the jobs of one user, of one queue, or of a group of jobs, hold at once."""

    noun: str  # `user`, `queue`, or what the group is called
    names: Names  # the users or queues
    unit: str  # what is limited: jobs or processors
    amount: Ints  # (n,) amount that each job of the trace holds
    most: Ints  # (names,) limit of each user or queue


def check_limits(
    table: ScheduleTable, policy: Policy, held: Ints, tolerance: float
) -> tuple[AuditFinding, ...]:
    """Each maximal interval, longer than `tolerance` (s), in which jobs together pass a limit.

    `held` are the processors that each job of the trace takes, shape (n,).
    """
    limits = _limits(table.trace, policy, held)
    return tuple(found for limit in limits for found in check_limit(table, limit, tolerance))


class Held(NamedTuple):
    """L limits as arrays, each on at most W users or queues."""

    whose: Ints  # (L, n) number of each job's user or queue
    amount: Ints  # (L, n) amount that each job holds
    most: Ints  # (L, W) limit of each user or queue
    used: Ints  # (L, W) scratch: amounts held in the pass that is checked; 0 between passes


def make_held(trace: Trace, policy: Policy, held: Ints) -> Held:
    """The limits of a policy; without any, L is 0."""
    # Kinds of limits have different numbers of owners: the rows are filled up with what nothing can reach.
    limits = _limits(trace, policy, held) if policy.limited else []
    width = max((len(limit.most) for limit in limits), default=0)
    most = np.full((len(limits), width), _WITHOUT_END)
    for row, limit in enumerate(limits):
        most[row, : len(limit.most)] = limit.most
    rows = (len(limits), len(trace) if limits else 0)
    return Held(
        whose=np.array([limit.names.codes for limit in limits], np.int64).reshape(rows),
        amount=np.array([limit.amount for limit in limits], np.int64).reshape(rows),
        most=most,
        used=np.zeros_like(most),
    )


@inner_kernel
def use(held: Held, job: int, sign: int) -> None:
    """Add (`sign` 1) or remove (-1) what a job holds."""
    for row in range(held.most.shape[0]):
        held.used[row, held.whose[row, job]] += sign * held.amount[row, job]


@inner_kernel
def holds_back(held: Held, job: int) -> bool:
    """Whether a job would exceed a limit, given what the added jobs hold."""
    for row in range(held.most.shape[0]):
        whose = held.whose[row, job]
        if held.used[row, whose] + held.amount[row, job] > held.most[row, whose]:
            return True
    return False


def _limits(trace: Trace, policy: Policy, held: Ints) -> list[AuditedLimit]:
    """The limits that the policy has."""
    single, users, queues = np.ones_like(held), len(trace.user.names), trace.queue.names
    limits = []
    if policy.max_user_jobs is not None:
        limits.append(AuditedLimit("user", trace.user, "jobs", single, np.full(users, policy.max_user_jobs)))
    if policy.max_user_cpus is not None:
        limits.append(
            AuditedLimit("user", trace.user, "processors", held, np.full(users, policy.max_user_cpus))
        )
    most = [policy.queue_limit(queue) for queue in queues]
    # A limit of any queue makes a row; queues without one have no bound in it.
    if any(limit is not None for limit in most):
        room = np.array([_WITHOUT_END if limit is None else limit for limit in most], np.int64)
        limits.append(AuditedLimit("queue", trace.queue, "processors", held, room))
    return limits


def check_limit(table: ScheduleTable, limit: AuditedLimit, tolerance: float) -> tuple[AuditFinding, ...]:
    """Each maximal interval, longer than `tolerance` (s), in which jobs together pass this limit."""
    names, noun, unit = limit.names, limit.noun, limit.unit
    whose = names.codes[table.job]
    # Runs are sorted by owner once, so that each owner's runs are one slice.
    order = np.argsort(whose, kind="stable")
    first = np.searchsorted(whose[order], np.arange(len(names.names) + 1))
    cases = []
    for code, name in enumerate(names.names):
        own, most = order[first[code] : first[code + 1]], int(limit.most[code])
        for begin, until, peak in over(table.start[own], table.end[own], limit.amount[table.job[own]], most):
            if until - begin > tolerance:
                who = f"{noun} {name}".rstrip()
                text = f"{who}: {number(peak)} of {most:,} {unit}, for {number(until - begin)} s"
                cases.append(Case(text, time=begin, amount=peak - most))
    cases.sort(key=lambda case: case.time or 0.0)
    return finding(
        f"limit_{noun}_{unit}", f"times at which a {noun} had more {unit} than it may", cases, unit
    )
