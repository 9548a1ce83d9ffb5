"""What a policy promises, and what its scheduler believes, as far as an audit can know it.

Written down a second time, apart from the simulator, so that the two can be held together.
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
"""Keys of orders that are fixed at submission, of the estimate e and the processors r."""

_BACKFILL: dict[str, Callable[[Ints, Ints], Key]] = {"sjf": lambda e, r: (e,)}
"""Orders of which backfilling takes another key than a queue does."""

_TIES: dict[str, Callable[[Ints, Ints], Key]] = {
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


class Places(NamedTuple):
    """The order of n jobs."""

    place: Ints  # (n,) all different: jobs that are alike go by their index
    alike: Ints  # (n,) the same, but those that differ by their index alone tie


def queue_places(policy: Policy, trace: Trace, estimate: Ints, procs: Ints) -> Places:
    """The jobs as the queue has them. `procs`, shape (n,), is what each takes."""
    key = _ORDERS[policy.order](estimate, procs)
    tie = _TIES["fcfs" if policy.order == "fcfs" else policy.ties]  # in submission order none are equal
    return _places((*key, *tie(estimate, procs), trace.submit))


def backfill_places(policy: Policy, trace: Trace, estimate: Ints, procs: Ints) -> Places | None:
    """The same for the order in which jobs are backfilled; None where it is the queue's own."""
    if policy.backfill == "queue":
        return None
    key = _BACKFILL.get(policy.backfill) or _ORDERS[policy.backfill]
    return _places((*key(estimate, procs), trace.submit))


def _places(keys: Key) -> Places:
    order = np.lexsort(keys[::-1])
    other = np.zeros(len(order), np.bool_)
    for key in keys:
        own = key[order]
        other[1:] |= own[1:] != own[:-1]
    place, alike = np.empty((2, len(order)), np.int64)
    place[order], alike[order] = np.arange(len(order)), np.cumsum(other)
    return Places(place, alike)


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
