"""The credits of users in an auction: what is left of each budget, what jobs bid, and what starts paid."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.policy.policy import Policy
from engine.simulation.workload import Ints
from engine.trace import Trace

Floats = NDArray[np.float64]


class Credits(NamedTuple):
    """The state of all budgets; arrays are empty where there are none."""

    left: Floats  # (users,) credits; never below 0
    bid: Floats  # (n,) what a waiting job bid at the begin of the last pass
    paid: Floats  # (n,) what a job paid at its first start; NaN before it
    user: Ints  # (n,) whose budget pays
    refill: float  # credits that each user gets at an interval
    cap: float  # credits to which budgets are filled up at most
    interval: int  # s; 0: nothing is refilled
    due: Ints  # (1,) s, the next refill
    by_area: bool  # whether jobs are put in order by their bid for each processor-second


@cache
def no_credits() -> Credits:
    """The state without budgets; all such simulations share it."""
    none, ints = np.zeros(0), np.zeros(0, np.int64)
    return unchanging(Credits(none, none, none, ints, 0.0, 0.0, 0, ints, False))


def make_credits(trace: Trace, policy: Policy, zero: int) -> Credits:
    """The budgets of a policy at the first submission, `zero`, s."""
    budget = policy.budget
    if budget.credits is None:
        return no_credits()
    return Credits(
        left=np.full(len(trace.user.names), budget.credits),
        bid=np.zeros(len(trace)),
        paid=np.full(len(trace), np.nan),
        user=trace.user.codes.astype(np.int64),
        refill=budget.refill,
        cap=budget.cap,
        interval=budget.interval,
        due=np.full(1, zero + budget.interval, np.int64),
        by_area=policy.bids == "density",
    )


def copy_of_credits(credits: Credits) -> Credits:
    """The same state in arrays of its own, where a simulation changes them."""
    if not len(credits.left):
        return credits
    changed = ("left", "bid", "paid", "due")
    return credits._replace(**{name: getattr(credits, name).copy() for name in changed})


@inner_kernel
def fill_up(credits: Credits, now: int) -> None:
    """Give users what they were to get until `now`, s."""
    if credits.interval == 0 or now < credits.due[0]:
        return
    # Several intervals may have passed without a pass. The cap may be taken once for all of them, since
    # nothing was paid in between.
    times = (now - credits.due[0]) // credits.interval + 1
    for user in range(len(credits.left)):
        credits.left[user] = min(credits.cap, credits.left[user] + times * credits.refill)
    credits.due[0] += times * credits.interval


@inner_kernel
def cut_bid(credits: Credits, job: int, worth: float, area: int) -> float:
    """What the job is put in order by, given what it is worth now: at most what its user has left."""
    credits.bid[job] = min(worth, credits.left[credits.user[job]])
    return float(credits.bid[job] / area if credits.by_area else credits.bid[job])


@inner_kernel
def pay(credits: Credits, job: int) -> None:
    """Take the bid of a job that starts out of the budget of its user; a job that was stopped has paid."""
    if len(credits.left) == 0 or credits.paid[job] == credits.paid[job]:
        return
    # Jobs of the same user that started earlier in this pass may have left less than was bid at its begin.
    user = credits.user[job]
    credits.paid[job] = min(credits.bid[job], credits.left[user])
    credits.left[user] -= credits.paid[job]
