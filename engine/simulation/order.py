"""Queue orders whose keys move with time: the queue is sorted anew at each pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiled import inner_kernel
from engine.fairness.usage import Usage, usage_factor, usage_growth
from engine.simulation.queue import Queue, sort_queue
from engine.simulation.workload import Ints
from engine.static_order import STATIC_ORDERS

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
