"""The rules of a policy as the audit knows them: estimates, queue orders, guarantees that can be checked.

They are written a second time, independently of the simulator, so that each can be checked by the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.audit.table import Ints
from engine.policy.policy import Policy
from engine.trace import Trace

Key = tuple[Ints, ...]

_ORDERS: dict[str, Callable[[Ints, Ints], Key]] = {
    "fcfs": lambda e, r: (),
    "sjf": lambda e, r: (e, r),
    "ljf": lambda e, r: (-e,),
    "saf": lambda e, r: (r * e,),
    "laf": lambda e, r: (-r * e,),
    "widest": lambda e, r: (-r,),
    "narrowest": lambda e, r: (r,),
}
"""Sort keys of the orders that are fixed at submission, from the estimate e and the processors r."""

_BACKFILL: dict[str, Callable[[Ints, Ints], Key]] = {"sjf": lambda e, r: (e,)}
"""Sort keys of the orders that differ for backfilling."""

_TIES: dict[str, Callable[[Ints, Ints], Key]] = {
    "fcfs": lambda e, r: (),
    "longest": lambda e, r: (-e,),
    "shortest": lambda e, r: (e,),
    "widest": lambda e, r: (-r,),
}
"""Sort keys of jobs whose first keys are equal; after these, jobs go by submission."""


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


class OrderRanks(NamedTuple):
    """The ranks of n jobs in an order."""

    place: Ints  # (n,) all different: jobs with equal keys go by their index
    alike: Ints  # (n,) the same, except that jobs with equal keys have equal ranks


def queue_places(policy: Policy, trace: Trace, estimate: Ints, procs: Ints) -> OrderRanks:
    """The ranks of the jobs in the queue; `procs`, shape (n,), are the processors that each takes."""
    key = _ORDERS[policy.order](estimate, procs)
    tie = _TIES["fcfs" if policy.order == "fcfs" else policy.ties]  # in order of submission there are no ties
    return _places((*key, *tie(estimate, procs), trace.submit))


def backfill_places(policy: Policy, trace: Trace, estimate: Ints, procs: Ints) -> OrderRanks | None:
    """The ranks of the jobs in the backfill order; None where that is the queue's order."""
    if policy.backfill == "queue":
        return None
    key = _BACKFILL.get(policy.backfill) or _ORDERS[policy.backfill]
    return _places((*key(estimate, procs), trace.submit))


def _places(keys: Key) -> OrderRanks:
    order = np.lexsort(keys[::-1])
    other = np.zeros(len(order), np.bool_)
    for key in keys:
        own = key[order]
        other[1:] |= own[1:] != own[:-1]
    place, alike = np.empty((2, len(order)), np.int64)
    place[order], alike[order] = np.arange(len(order)), np.cumsum(other)
    return OrderRanks(place, alike)


def beyond_checking(policy: Policy) -> str | None:
    """The reason why no guarantee of this policy's queue can be checked; None where one can."""
    # The first reason that applies is told; the order is that of how much it rules out.
    if not policy.simulated:
        return "a schedule of the log or of a file promises nothing"
    if policy.power_cap is not None:
        return "the power that a cap leaves to a waiting job is not computed"
    if policy.power_off is not None:
        return "which nodes are off or boot is not computed"
    if policy.price_below is not None:
        return "jobs that wait for cheap energy let others pass"
    if policy.order not in _ORDERS:
        return f"the order {policy.order} is not fixed by submission, estimate and processors"
    if policy.depth == 0 and policy.test_limit is None:
        return "no waiting job has a reservation"
    if policy.allocates_windows:
        return "several jobs are placed together"
    return None


def without_guarantee(policy: Policy, featured: bool = False) -> str | None:
    """The reason why no guaranteed start of the first waiting job can be checked; None where one can.

    `featured` says that jobs run only on nodes with the features that they ask for.
    """
    # Each test names one way in which the promise of a reservation depends on what the audit does not
    # compute.
    if policy.depth == 0:
        return "no waiting job has a reservation"
    if policy.placement not in ("first", "best", "worst", "reliable"):
        return f"whether a job fits depends on placement={policy.placement}"
    if policy.queue_nodes or policy.constraints or featured:
        return "the nodes on which a job may run are not computed"
    if policy.pass_every is not None:
        return "passes are made at fixed times, not at events"
    if policy.gate and policy.test_limit is not None:
        return "not every submitted job is tried by a pass"
    if policy.reserves_within_bounds:
        return "not every first job of the queue gets a reservation that is exact to the second"
    if policy.limited:
        return "a limit can hold the first waiting job back"
    if policy.relaxed is not None and (policy.gate or policy.test_limit or policy.depth != 1):
        return "the latest start depends on the pass that first reserves for a job"
    return None
