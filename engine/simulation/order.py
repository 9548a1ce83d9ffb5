"""Queue orders whose keys change with time or with learned estimates: the queue is sorted at each pass."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.fairness.usage import Usage, no_usage, overall_factor, usage_factor
from engine.score.program import MOVING, VARIABLE
from engine.simulation.credits import Credits, cut_bid, fill_up, no_credits, pay
from engine.simulation.machine_state import NEVER
from engine.simulation.queue import Queue, sort_queue
from engine.simulation.stack import NO_SCORE, Score, apply_operator, push_known
from engine.simulation.workload import Ints, Workload

Floats = NDArray[np.float64]

STATIC, TERMS, FAIRSHARE, SLACK, PRIORITY, BALANCED, FIXED, SCORE, NUWT, OWN = range(10)
"""Kinds of orders. STATIC: by ranks fixed at submission. TERMS: by the same keys, with estimates that change.
FIXED: by keys fixed at submission, but jobs that waited too long go first. SCORE: by a formula that changes
with time. OWN: by a user's own code (`own_decisions.py`). The others: the policy's orders of these names."""

CODES = {
    "fairshare": FAIRSHARE,
    "slack": SLACK,
    "priority": PRIORITY,
    "balanced": BALANCED,
    "nuwt": NUWT,
    "own": OWN,
}

_WAIT, _ESTIMATE, _AREA, _USAGE, _QUEUED, _USER_QUEUED, _SLACK, _HOUR, _SUBMIT = range(len(MOVING))
"""Variables of a score, numbered as in MOVING."""

_PRIORITY_STEPS = 2.0**20
"""Priorities are rounded to multiples of 1 / this, so that rounding errors of floats decide no order."""


class TotalWaits(NamedTuple):
    """The total wait of each user's jobs so far: `number * t + offset` at time t, s."""

    number: Ints  # (users,) waiting jobs; (0,) where the order does not use it
    offset: Ints  # (users,) s, waits that have ended, less the submissions of the waiting jobs


class Order(NamedTuple):
    """The order of a queue, and the data for its sort keys."""

    code: int  # kind of order: STATIC to OWN
    terms: Ints  # (2, 3) for key and tie: sign (0: none), whether it is multiplied by estimate, by processors
    threshold: int  # s of wait after which a job goes first; 0: never
    usage: Usage  # of users, or of groups where their usage counts
    factors: Floats  # (users or groups,) cached usage factors
    known_at: Ints  # (users or groups,) s, the time for which the factor is cached
    expected_end: Ints  # (n,) EET, s, for SLACK
    weights: Floats  # (5,) weights of age, fairshare, size, small size and queue, for PRIORITY
    max_age: int  # s of wait after which a job's age counts in full, for PRIORITY
    size: Floats  # (n,) share of the machine's processors that the job needs, for PRIORITY
    queue_rank: Floats  # (n,) from 1 for jobs of the first queue to 0 for jobs of the last, for PRIORITY
    fixed: Floats  # (n,) sort keys, for FIXED
    score: Score  # the formula, for SCORE
    waits: TotalWaits  # total waits of users, for NUWT
    credits: Credits  # the budgets of users in an auction
    by_usage: bool  # whether the order or its ties depend on usage


@cache
def static_order() -> Order:
    """An order by the ranks that the queue holds; all such simulations share it."""
    none, ints = np.zeros(0), np.zeros(0, np.int64)
    return unchanging(
        Order(
            code=STATIC,
            terms=np.zeros((2, 3), np.int64),
            threshold=0,
            usage=no_usage(),
            factors=none,
            known_at=ints,
            expected_end=ints,
            weights=np.zeros(5),
            max_age=0,
            size=none,
            queue_rank=none,
            fixed=none,
            score=NO_SCORE,
            waits=TotalWaits(ints, ints),
            credits=no_credits(),
            by_usage=False,
        )
    )


@inner_kernel
def wait_begins(order: Order, job: int, now: int) -> None:
    """Count the job as waiting from `now` on."""
    if len(order.waits.number) > 0:
        user = order.usage.user[job]
        order.waits.number[user] += 1
        order.waits.offset[user] -= now


@inner_kernel
def wait_ends(order: Order, job: int, now: int) -> None:
    """Count the job, which starts, as waiting no longer; where there are budgets it pays now."""
    pay(order.credits, job)
    if len(order.waits.number) > 0:
        user = order.usage.user[job]
        order.waits.number[user] -= 1
        order.waits.offset[user] += now


@inner_kernel
def put_in_order(order: Order, work: Workload, queue: Queue, now: int, bf: float) -> None:
    """Compute the keys of all waiting jobs at `now` and sort the queue; `bf` is the balance factor."""
    overall = 0.0
    longest_wait = most = 0
    least = NEVER
    # Bounds of the present queue, to which each job's own values are compared below.
    if order.code == BALANCED:
        for index in range(queue.bounds[0], queue.bounds[1]):
            job = queue.jobs[index]
            longest_wait = max(longest_wait, now - work.submit[job])
            most = max(most, work.walltime[job])
            least = min(least, work.walltime[job])
    # One sum over all owners, computed once for the pass.
    if order.code == PRIORITY and order.weights[1] > 0:
        overall = overall_factor(order.usage, now)
    limited = len(order.credits.left) > 0
    if limited:
        fill_up(order.credits, now)
    # Scores are computed for the whole queue at once, step by step of the formula.
    if order.code == SCORE:
        _put_scores(order, work, queue, now)
    for index in range(queue.bounds[0], queue.bounds[1]):
        job = queue.jobs[index]
        queue.tie[job] = 0.0
        if limited:  # also for jobs that waited too long: they go first, and pay what they bid
            worth = order.score.stack[0, index - queue.bounds[0]]
            order.score.stack[0, index - queue.bounds[0]] = cut_bid(
                order.credits, job, worth, work.need[job, 0] * work.estimate[job]
            )
        # A job that waited too long goes before all others; among such jobs the submission decides, as the
        # ties are equal.
        if order.threshold > 0 and now - work.submit[job] > order.threshold:
            queue.key[job] = -np.inf
        elif order.code == FAIRSHARE:
            queue.key[job] = _factor(order, order.usage.user[job], now)
        elif order.code == NUWT:
            # Keys ascend, so that what should be large goes in with a minus.
            queue.key[job] = -_waited_for_use(order, order.usage.user[job], now)
        elif order.code == BALANCED:
            queue.key[job] = -_balanced(work, job, now, bf, longest_wait, most, least)
        elif order.code == SLACK:
            queue.key[job] = float(order.expected_end[job] - work.estimate[job])
        elif order.code == PRIORITY:
            queue.key[job] = -_priority(order, work, job, now, overall)
        elif order.code == FIXED:
            queue.key[job] = order.fixed[job]
            queue.tie[job] = 1.0  # a key may be -inf too: a job that waited too long still goes first
        elif order.code == SCORE:
            score = order.score.stack[0, index - queue.bounds[0]]
            # A score that is no number goes last.
            queue.key[job] = -score if score == score else np.inf
            queue.tie[job] = 1.0
        else:
            queue.key[job] = _term(order.terms, work, job, 0)
            queue.tie[job] = _term(order.terms, work, job, 1)
    sort_queue(queue)


@inner_kernel
def sort_by_terms(terms: Ints, work: Workload, queue: Queue) -> None:
    """Sort a queue by terms alone, as `Order.terms`, with the present estimates."""
    for index in range(queue.bounds[0], queue.bounds[1]):
        job = queue.jobs[index]
        queue.key[job] = _term(terms, work, job, 0)
        queue.tie[job] = _term(terms, work, job, 1)
    sort_queue(queue)


@inner_kernel
def _put_scores(order: Order, work: Workload, queue: Queue, now: int) -> None:
    """Compute the score of each waiting job, into the first row of the stack."""
    score, waiting = order.score, queue.bounds[1] - queue.bounds[0]
    top = 0
    # The program is in postfix order: values are pushed, operators take theirs from the top.
    for step in range(len(score.code)):
        code = score.code[step]
        if code > VARIABLE:
            top = apply_operator(score, waiting, code, top)
            continue
        if code == VARIABLE:
            _push_variable(order, work, queue, now, int(score.number[step]), top)
        else:
            push_known(score, queue, step, top)
        top += 1


@inner_kernel
def _push_variable(order: Order, work: Workload, queue: Queue, now: int, variable: int, top: int) -> None:
    """Push the present value of a variable that changes with time, for each waiting job."""
    score, low, high = order.score, queue.bounds[0], queue.bounds[1]
    # Counts of users are of this moment's queue: counted once, before the values are pushed.
    if variable == _USER_QUEUED:
        for index in range(low, high):
            score.waiting[score.user[queue.jobs[index]]] = 0
        for index in range(low, high):
            score.waiting[score.user[queue.jobs[index]]] += 1
    # The value of each waiting job at this moment goes into the row.
    for index in range(low, high):
        job = queue.jobs[index]
        if variable == _WAIT:
            value = float(now - work.submit[job])
        elif variable == _ESTIMATE:
            value = float(work.estimate[job])
        elif variable == _AREA:
            value = float(work.need[job, 0] * work.estimate[job])
        elif variable == _USAGE:
            value = _factor(order, order.usage.user[job], now)
        elif variable == _QUEUED:
            value = float(high - low)
        elif variable == _USER_QUEUED:
            value = float(score.waiting[score.user[job]])
        elif variable == _SLACK:
            value = float(order.expected_end[job] - now - work.estimate[job])
        elif variable == _SUBMIT:
            value = float(max(work.submit[job] - score.zero, 1))
        else:
            value = float(_hour(score, now))
        score.stack[top, index - low] = value


@inner_kernel
def _hour(score: Score, now: int) -> int:
    """The hour of the day at the machine's place, 0 to 23."""
    change = 0
    while change + 1 < len(score.since) and score.since[change + 1] <= now:
        change += 1
    return int((now + score.ahead[change]) // 3600 % 24)


@inner_kernel
def _term(terms: Ints, work: Workload, job: int, number: int) -> float:
    # A term is a factor, times the estimate and the processors where the order has these in it.
    value = terms[number, 0]
    if terms[number, 1] != 0:
        value *= work.estimate[job]
    if terms[number, 2] != 0:
        value *= work.need[job, 0]
    return float(value)


@inner_kernel
def _factor(order: Order, user: int, now: int) -> float:
    """The user's usage factor at `now`, computed once per second."""
    if order.known_at[user] != now:
        order.factors[user] = usage_factor(order.usage, user, now)
        order.known_at[user] = now
    return float(order.factors[user])


@inner_kernel
def _waited_for_use(order: Order, user: int, now: int) -> float:
    """The total wait of the user's jobs so far over the user's usage so far, at least 1 processor-second."""
    waited = order.waits.number[user] * now + order.waits.offset[user]
    return float(waited / max(_factor(order, user, now), 1.0))


@inner_kernel
def _balanced(
    work: Workload, job: int, now: int, bf: float, longest_wait: int, most: int, least: int
) -> float:
    """The balanced priority S_p of Tang et al. 2013, equations 1 to 3.

    `longest_wait` is that of the waiting jobs, `most` and `least` are the bounds of their walltimes, all s.
    """
    by_wait = by_walltime = 0.0
    # Both parts go from 0 to 100; where all jobs are equal a part tells nothing and is 0.
    if longest_wait > 0:
        by_wait = 100 * (now - work.submit[job]) / longest_wait
    if most > least:
        by_walltime = 100 * (most - work.walltime[job]) / (most - least)
    return float(bf * by_wait + (1 - bf) * by_walltime)


@inner_kernel
def _priority(order: Order, work: Workload, job: int, now: int, overall: float) -> float:
    """The multifactor priority: weighted sum of age, fairshare, size, small size and queue, in whole steps.

    Each factor is from 0 to 1. Fairshare is 2^-(U / S): U is the owner's part of all usage, S the owner's
    part of all shares. `overall` is the ratio of all usage to all shares.
    """
    total = 0.0
    # Factors without a weight are not computed: those of fairshare are dear.
    if order.weights[0] > 0:
        total += order.weights[0] * min(1.0, (now - work.submit[job]) / order.max_age)
    if order.weights[1] > 0:
        factor = _factor(order, order.usage.user[job], now)
        total += order.weights[1] * (2.0 ** (-factor / overall) if overall > 0 else 1.0)
    if order.weights[2] > 0:
        total += order.weights[2] * order.size[job]
    if order.weights[3] > 0:
        total += order.weights[3] * (1.0 - order.size[job])
    if order.weights[4] > 0:
        total += order.weights[4] * order.queue_rank[job]
    # Whole steps, so that rounding errors do not order jobs of the same priority.
    return float(np.floor(total * _PRIORITY_STEPS + 0.5))
