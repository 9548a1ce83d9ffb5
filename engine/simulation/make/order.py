"""The order of a queue before the first event, made from a trace, a machine and a policy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.fairness.usage import Usage
from engine.machine.cluster import Cluster
from engine.policy.formula_variables import clock_changes, score_columns, score_keys, score_moves
from engine.policy.offers import offers
from engine.policy.policy import Policy
from engine.policy.static_order import SortTerm, queue_terms
from engine.score.program import compile_formula
from engine.simulation.credits import make_credits
from engine.simulation.order import CODES, FIXED, SCORE, STATIC, TERMS, Order, TotalWaits, static_order
from engine.simulation.queue_factor import queue_factors
from engine.simulation.stack import NO_SCORE, Score
from engine.simulation.workload import Workload
from engine.trace import Names, Trace

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def make_order(
    trace: Trace,
    cluster: Cluster,
    policy: Policy,
    work: Workload,
    usage: Usage,
    changing: bool,
    refused: Mask,
    expected_end: Ints,
    zero: int,
) -> Order:
    """The order of a policy before the first submission; `changing`: estimates change while jobs wait."""
    # An order that cannot change while jobs wait is sorted once, at submission; only what moves is sorted
    # again.
    terms = queue_terms(policy.order, policy.ties)
    moves = bool(terms) and (changing or policy.threshold is not None)
    keys = fixed_keys(policy, trace, work, zero) if policy.threshold is not None else None
    users, owners, jobs = len(trace.user.names), len(owners_of(trace, policy).names), len(trace)
    priority = policy.order == "priority"
    scored = policy.formula is not None and score_moves(policy, trace)
    # A formula that moves goes before keys with a threshold, and those before the order's own code.
    code = CODES.get(policy.order, TERMS if moves else STATIC)
    code = SCORE if scored else FIXED if keys is not None else code
    if code == STATIC and not policy.uses_fairshare:
        return static_order()
    return Order(
        code=code,
        terms=terms_table(terms),
        threshold=policy.threshold or 0,
        usage=usage,
        factors=np.zeros(owners),
        known_at=np.full(owners, -1, np.int64),
        expected_end=expected_end,
        weights=np.array(policy.factor_weights),
        max_age=policy.max_age,
        size=work.need[:, 0] / max(cluster.cpus, 1) if priority else np.zeros(0),
        queue_rank=queue_factors(trace, policy, refused) if priority and jobs else np.zeros(0),
        fixed=np.zeros(0) if keys is None else keys,
        score=_score(policy, trace, work, zero) if scored else NO_SCORE,
        waits=TotalWaits(*np.zeros((2, users if policy.order == "nuwt" else 0), np.int64)),
        credits=make_credits(trace, policy, zero),
        by_usage=policy.uses_fairshare,
    )


def fixed_keys(policy: Policy, trace: Trace, work: Workload, zero: int) -> Floats | None:
    """Sort keys, (n,), of an order that is known in advance but not from the jobs' requests; else None."""
    if policy.formula is not None:
        if score_moves(policy, trace):
            return None
        columns = score_columns(policy, trace, work.need[:, 0], work.estimate, zero)
        return score_keys(policy, columns, len(trace))
    offered = offers(policy, trace)
    return None if offered is None else -offered


def _score(policy: Policy, trace: Trace, work: Workload, zero: int) -> Score:
    """The program of a formula that moves."""
    assert policy.formula is not None
    formula = policy.formula.node
    program = compile_formula(formula, score_columns(policy, trace, work.need[:, 0], work.estimate, zero))
    # Only a formula that asks for the hour needs the clock of the log's place.
    since, ahead = clock_changes(trace) if "hour" in policy.score_names else (NO_SCORE.since, NO_SCORE.ahead)
    return Score(
        code=program.code,
        number=program.number,
        columns=program.columns,
        stack=np.zeros((program.height, len(trace))),
        user=trace.user.codes.astype(np.int64),
        waiting=np.zeros(len(trace.user.names), np.int64),
        since=since,
        ahead=ahead,
        zero=zero,
    )


def terms_table(terms: tuple[SortTerm, ...]) -> Ints:
    """Sort keys as kernels read them, shape (2, 3)."""
    rows = [*terms, SortTerm(0, False, False), SortTerm(0, False, False)][:2]
    return np.array(rows, np.int64)


def owners_of(trace: Trace, policy: Policy) -> Names:
    """Whose usage counts for each job: its user's, or its group's."""
    return trace.group if policy.usage_of == "group" else trace.user
