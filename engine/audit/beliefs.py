"""What a policy promises, and what its scheduler believes, as far as an audit can know it.

Written down a second time, apart from the simulator, so that the two can be held together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.audit.table import Ints
from engine.policy.policy import Policy
from engine.trace import Trace

Key = tuple[float, ...]

_ORDERS: dict[str, Callable[[int, int], Key]] = {
    "fcfs": lambda e, r: (),
    "sjf": lambda e, r: (e, r),
    "ljf": lambda e, r: (-e,),
    "saf": lambda e, r: (r * e,),
    "laf": lambda e, r: (-r * e,),
    "widest": lambda e, r: (-r,),
    "narrowest": lambda e, r: (r,),
}
"""Keys of orders that are fixed at submission, of the estimate e and the processors r."""

_BACKFILL: dict[str, Callable[[int, int], Key]] = {"sjf": lambda e, r: (e,)}
"""Orders of which backfilling takes another key than a queue does."""

_TIES: dict[str, Callable[[int, int], Key]] = {
    "fcfs": lambda e, r: (),
    "longest": lambda e, r: (-e,),
    "shortest": lambda e, r: (e,),
    "widest": lambda e, r: (-r,),
}
"""What orders jobs whose keys are equal, before their submission does."""


def estimates(policy: Policy, trace: Trace) -> Ints | None:
    """E of each job at submission, shape (n,), s; None where the estimates change as the scheduler learns."""
    estimate = policy.estimate
    if estimate.kind == "requested":
        return trace.walltime
    if estimate.kind == "actual":
        return trace.runtime
    if estimate.kind != "scaled":
        return None
    return np.asarray(np.maximum(1, np.floor(estimate.number * trace.runtime + 0.5)), np.int64)


def queue_keys(policy: Policy, trace: Trace, estimate: Ints, procs: Ints) -> list[Key]:
    """Keys that sort the jobs as the queue does; the last two are submission and index in the trace.

    `procs`, shape (n,), is what each job takes.
    """
    key = _ORDERS[policy.order]
    tie = _TIES["fcfs" if policy.order == "fcfs" else policy.ties]  # in submission order none are equal
    pairs = zip(estimate.tolist(), procs.tolist(), trace.submit.tolist(), strict=True)
    return [(*key(e, r), *tie(e, r), submit, job) for job, (e, r, submit) in enumerate(pairs)]


def backfill_keys(policy: Policy, trace: Trace, estimate: Ints, procs: Ints) -> list[Key] | None:
    """The same for the order in which jobs are backfilled; None where it is the queue's own."""
    if policy.backfill == "queue":
        return None
    key = _BACKFILL.get(policy.backfill) or _ORDERS[policy.backfill]
    pairs = zip(estimate.tolist(), procs.tolist(), trace.submit.tolist(), strict=True)
    return [(*key(e, r), submit, job) for job, (e, r, submit) in enumerate(pairs)]


def ranks(keys: list[Key]) -> Ints:
    """The rank of each key, shape (n,), where jobs that are alike but for their index in the trace tie."""
    rank = {key: index for index, key in enumerate(sorted({key[:-1] for key in keys}))}
    return np.array([rank[key[:-1]] for key in keys], np.int64)


def beyond_checking(policy: Policy) -> str | None:
    """Why nothing that this policy promises of its queue can be checked; None where something can."""
    if not policy.simulated:
        return "a schedule of the log or of a file promises nothing"
    if policy.order not in _ORDERS:
        return f"the order {policy.order} is not fixed by submission, estimate and processors"
    if policy.depth == 0 and policy.test_limit is None:
        return "no waiting job has a reservation"
    if policy.allocates_windows:
        return "jobs are placed several together"
    return None


def without_guarantee(policy: Policy, featured: bool = False) -> str | None:
    """Why the first waiting job has no guaranteed start, only a reservation at passes; None where it has.

    `featured` says that jobs keep to nodes with the features that they ask for.
    """
    if policy.depth == 0:
        return "no waiting job has a reservation"
    if policy.placement not in ("first", "best", "worst"):
        return f"whether a job fits hangs on placement={policy.placement}"
    if policy.queue_nodes or policy.constraints or featured:
        return "which nodes a job may run on is not worked out"
    if policy.pass_every is not None:
        return "passes are made at their own times"
    if policy.gate and policy.test_limit is not None:
        return "not every arrival has a pass that comes to it"
    if policy.reserves_within_bounds:
        return "not every job that comes first is looked at, and reserved for to the second"
    if policy.limited:
        return "a limit can hold the first waiting job back"
    if policy.relaxed is not None and (policy.gate or policy.test_limit or policy.depth != 1):
        return "the pass that first reserves for a job says how late it may start"
    return None
