"""What a policy promises, and what its scheduler believes, as far as an audit can know it.

Written down a second time, apart from the simulator, so that the two can be held together.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields

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

_TIES: dict[str, Callable[[int, int], Key]] = {
    "fcfs": lambda e, r: (),
    "longest": lambda e, r: (-e,),
    "shortest": lambda e, r: (e,),
    "widest": lambda e, r: (-r,),
}
"""What orders jobs whose keys are equal, before their submission does."""

_SAY_NOTHING_OF_PROMISES = {
    *("preset", "order", "depth", "backfill", "estimate", "estimate_once", "gate", "ties", "placement"),
    *("penalty", "half_life", "accrue", "shares", "weights", "user_shares"),
}
"""Fields of a policy that are looked at one by one, or that only matter under an order that moves."""


def estimates(policy: Policy, trace: Trace) -> Ints | None:
    """E of each job at submission, shape (n,), s; None where the estimates change as the scheduler learns."""
    if policy.estimate == "requested":
        return trace.walltime
    if policy.estimate == "actual":
        return trace.runtime
    scaled = re.fullmatch(r"scaled(\d*\.?\d+)", policy.estimate)
    if scaled is None:
        return None
    return np.asarray(np.maximum(1, np.floor(float(scaled[1]) * trace.runtime + 0.5)), np.int64)


def queue_keys(policy: Policy, trace: Trace, estimate: Ints) -> list[Key]:
    """Keys that sort the jobs as the queue does; the last two are submission and place in the trace."""
    key = _ORDERS[policy.order]
    tie = _TIES["fcfs" if policy.order == "fcfs" else policy.ties]  # in submission order none are equal
    pairs = zip(estimate.tolist(), trace.procs.tolist(), trace.submit.tolist(), strict=True)
    return [(*key(e, r), *tie(e, r), submit, job) for job, (e, r, submit) in enumerate(pairs)]


def beyond_checking(policy: Policy) -> str | None:
    """Why nothing that this policy promises can be checked; None where something can."""
    if policy.recorded:
        return "the log's own schedule promises nothing"
    if policy.order not in _ORDERS:
        return f"the order {policy.order} is not fixed by submission, estimate and processors"
    if policy.depth == "0":
        return "no waiting job has a reservation"
    for field in fields(policy):
        value = getattr(policy, field.name)
        if field.name not in _SAY_NOTHING_OF_PROMISES and value != field.default:
            return f"{field.name} is set, which can hold jobs back or let others go first"
    if policy.placement not in ("first", "best", "worst"):
        return f"whether a job fits hangs on placement={policy.placement}"
    return None
