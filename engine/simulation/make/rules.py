"""The rules of a policy as the kernels read them: what passes may rely on, and what they have to do."""

from __future__ import annotations

from engine.machine.power import SERIES
from engine.policy.policy import Policy
from engine.policy.static_order import SortTerm, backfill_terms
from engine.simulation.scheduler import ALL, KEPT, NO_LIMIT, STOP, Rules

_DEPTHS = {"stop": STOP, "all": ALL, "kept": KEPT}


def make_rules(policy: Policy, pooled: bool, static: bool, log: bool, zero: int, changing: bool) -> Rules:
    """The rules of a policy on a pool or on nodes.

    `static` says that the queue's order is fixed at submission, `changing` that estimates change while jobs
    wait; `zero` is the first submission, s.
    """
    depth = _DEPTHS[policy.depth] if policy.depth in _DEPTHS else int(policy.depth)
    own_backfill_order = policy.backfill != "queue" and depth >= 0
    # Jobs come in order of submission: where they stay in it, the queue is appended to and never sorted.
    by_arrival = policy.order == "fcfs" and not own_backfill_order
    without_start, with_start = _stable_without_start(policy, pooled, static), _stable_with_start(policy)
    # The kernels ask these flags in their innermost loops: each is worked out here once, and none by the
    # kernels.
    return Rules(
        depth=depth,
        keeps=depth == KEPT,
        relaxed=-1.0 if policy.relaxed is None else float(policy.relaxed),
        gate=policy.gate,
        pass_every=policy.pass_every or 0,
        zero=zero,
        test_limit=policy.test_limit or NO_LIMIT,
        horizon=policy.horizon or NO_LIMIT,
        resolution=policy.resolution or 1,
        max_restarts=0 if policy.on_failure == "lose" else policy.max_restarts,
        plans=depth == KEPT
        or depth > 1
        or policy.relaxed is not None
        or policy.allocates_windows
        or policy.reserves_within_bounds,
        windows=policy.allocates_windows,
        own_backfill_order=own_backfill_order,
        by_arrival=by_arrival,
        backfill_order_moves=own_backfill_order
        and (policy.backfill == "own" or (changing and of_estimate(backfill_terms(policy.backfill)))),
        always_whole=log or policy.relaxed is not None or policy.preempt_value is not None,
        stable_without_start=without_start,
        stable_with_start=with_start,
        planned=policy.replan == "planned",
        best_gap=policy.gap == "best",
        searches=policy.search != "none",
        resumes=without_start
        and with_start
        and depth == ALL
        and by_arrival
        and _keeps_estimates(policy)
        and not policy.pass_every,
        capped=policy.power_cap is not None,
        by_hours=depth != KEPT and (policy.power_cap == SERIES or policy.price_below is not None),
        preempts=policy.preempt_value is not None,
        is_fork=False,
        exact=True,
    )


def _stable_without_start(policy: Policy, pooled: bool, static: bool) -> bool:
    """Whether a pass that started no job would start none later either, as long as no event happens.

    It holds on a pool, where a job that did not fit beside a reservation fits no better as time passes. It
    does not hold on nodes, where a job of different tasks may fit into less; in an order that changes with
    time, which may put another job first; with relaxed reservations, which may begin at a time without an
    event; with windows, whose choice depends on ends; with a horizon, which reservations come to lie within;
    and with preemption, for which only jobs count as running that started in an earlier second.
    """
    moves = policy.relaxed is not None or policy.allocates_windows or policy.reserves_within_bounds
    return pooled and static and not moves and policy.preempt_value is None


def _stable_with_start(policy: Policy) -> bool:
    """Whether the starts of a pass change nothing for jobs that the same pass tried before.

    A limit on the number of jobs tried breaks that: the next pass tries others in place of those started. So
    do limits of users and queues: a start may put a job that has a reservation over its limit; and jobs that
    wait for cheap energy, which lose their reservations when it becomes dear. So do jobs that are stopped.
    """
    limited = policy.limited or policy.price_below is not None or policy.preempt_value is not None
    return not limited and policy.test_limit is None and policy.user_test_limit is None


def _keeps_estimates(policy: Policy) -> bool:
    """Whether the estimate of a waiting job is the same at each pass."""
    return not policy.estimate.learns or policy.estimate_once


def of_estimate(terms: tuple[SortTerm, ...]) -> bool:
    """Whether an order looks at estimates of runtimes."""
    return any(term.estimate for term in terms)
