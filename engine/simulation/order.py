"""Queue orders: who is tried first. A further order is added here and nowhere else."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiled import inner_kernel
from engine.fairness.usage import Usage, usage_factor, usage_growth
from engine.policy import STATIC_ORDERS
from engine.simulation.queue import Queue, sort_queue
from engine.simulation.workload import Ints

STATIC = 0
FAIRSHARE = 1
_MOVING = {"fairshare": FAIRSHARE}


class Order(NamedTuple):
    """Which order the queue follows, and scratch to work out its keys."""

    code: int  # STATIC, or the code of one whose keys move with time
    usage: Usage
    factors: NDArray[np.float64]  # (users,)
    known_at: Ints  # (users,) the second for which the factor was worked out


def order_code(order: str) -> int:
    """STATIC for an order that is fixed at submission, else the code of its moving keys."""
    return STATIC if order in STATIC_ORDERS else _MOVING[order]


def static_ranks(order: str, ties: str, estimate: Ints, procs: Ints) -> Ints:
    """Place of each job in a static order, shape (n,), all different.

    Equal keys go by submission, or with `ties="longest"` by the longest estimate first
    (and then by submission). An order that moves ranks by submission.
    """
    keys: list[Ints] = []
    if order == "sjf":
        keys = [estimate, procs]
    elif order == "ljf":
        keys = [-estimate]
    elif order == "saf":
        keys = [procs * estimate]
    elif order == "laf":
        keys = [-procs * estimate]
    elif order == "widest":
        keys = [-procs]
    elif order == "narrowest":
        keys = [procs]
    if ties == "longest" and keys:
        keys.append(-estimate)
    return _ranks(keys, len(estimate))


def backfill_ranks(order: str, estimate: Ints, procs: Ints) -> Ints:
    """Place of each job in a backfill order, shape (n,): `sjf` goes by the estimate alone."""
    if order == "sjf":
        return _ranks([estimate], len(estimate))
    return static_ranks(order, "fcfs", estimate, procs)


def _ranks(keys: list[Ints], jobs: int) -> Ints:
    ranks = np.empty(jobs, np.int64)
    # lexsort is stable, so equal keys stay in order of submission.
    ranks[np.lexsort(keys[::-1]) if keys else np.arange(jobs)] = np.arange(jobs)
    return ranks


@inner_kernel
def put_in_order(order: Order, queue: Queue, now: int) -> None:
    """Sort the queue of an order that moves, by its keys of this second."""
    if order.code == FAIRSHARE:
        growth = usage_growth(order.usage, now)
        for place in range(queue.bounds[0], queue.bounds[1]):
            job = queue.jobs[place]
            user = order.usage.user[job]
            if order.known_at[user] != now:
                order.factors[user] = usage_factor(order.usage, user, growth)
                order.known_at[user] = now
            queue.key[job] = order.factors[user]
        sort_queue(queue)
