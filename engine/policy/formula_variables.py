"""The variables of a policy's formula: static columns of jobs, and the machine's clock."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.dates import zone_of
from engine.policy.offers import values_of
from engine.policy.policy import Policy
from engine.score.names import VARIABLES
from engine.score.program import evaluate
from engine.spelling import DAY
from engine.trace import Trace


def score_moves(policy: Policy, trace: Trace) -> bool:
    """True if scores change before or while jobs wait: with time, with the queue, or with the estimates."""
    changing = _estimates_change(policy) and policy.score_names & {"estimate", "area"}
    coming = not trace.comes_in_order and "submit" in policy.score_names
    limited = bool(policy.budget)  # bids are cut to what is left of a budget
    return bool(changing or coming or limited) or any(VARIABLES[name].moves for name in policy.score_names)


def _estimates_change(policy: Policy) -> bool:
    """True if the estimate of a waiting job may change."""
    return policy.estimate.learns or policy.on_failure == "continue"


def score_keys(policy: Policy, columns: Mapping[str, Floats], jobs: int) -> Floats:
    """Keys of the jobs, the highest score first, shape (n,), of a score that does not move."""
    assert policy.formula is not None
    scores = np.broadcast_to(evaluate(policy.formula.node, columns), (jobs,))
    return np.where(np.isnan(scores), np.inf, -scores)


def score_columns(policy: Policy, trace: Trace, procs: Ints, estimate: Ints, zero: int) -> dict[str, Floats]:
    """The columns, shape (n,), that the formula names and that do not change with time.

    `procs` are the processors that each job takes, `estimate` (s) its estimates if these do not change;
    `zero` is the first submission, s.
    """
    names = policy.score_names
    columns: dict[str, NDArray[np.int64] | Floats] = {
        "walltime": trace.walltime,
        "procs": procs,
        "nodes": _of_tasks(trace, "count"),
        "ram": np.maximum(trace.ram, 0),
        "gpus": _of_tasks(trace, "count", "gpus"),
        "submit": np.maximum(trace.submit - zero, 1),
        "runtime": trace.runtime,
        "status": trace.status,
    }
    if not trace.comes_in_order:
        del columns["submit"]  # which only the simulation knows
    if "worth" in names:
        columns["worth"] = values_of(policy, trace)
    # Estimates that change while a job waits are columns of the simulation, as is the area by them.
    if not _estimates_change(policy):
        columns |= {"estimate": estimate, "area": procs * estimate}
    return {name: column.astype(np.float64) for name, column in columns.items() if name in names}


def named_jobs(policy: Policy, trace: Trace) -> NDArray[np.bool_]:
    """The mask of the jobs, (n,), that wait for cheap energy: those for which `price_jobs` is not 0."""
    formula = policy.price_jobs
    if formula is None:
        return np.ones(len(trace), np.bool_)
    columns = {
        "walltime": trace.walltime,
        "procs": trace.procs,
        "nodes": _of_tasks(trace, "count"),
        "ram": np.maximum(trace.ram, 0),
        "gpus": _of_tasks(trace, "count", "gpus"),
    }
    asked = {name: columns[name].astype(np.float64) for name in formula.names}
    value = np.broadcast_to(evaluate(formula.node, asked), (len(trace),))
    return np.asarray((value != 0) & ~np.isnan(value), np.bool_)


def _of_tasks(trace: Trace, *columns: str) -> Ints:
    """The sum over each job's task groups of the product of these columns, shape (n,); 0 without them."""
    tasks = trace.tasks
    if not all(name in tasks.columns for name in columns):
        return np.zeros(len(trace), np.int64)
    products = np.prod([np.maximum(tasks[name], 0) for name in columns], axis=0)
    sums = np.concatenate(([0], np.cumsum(products)))
    return np.asarray(np.diff(sums[tasks.offset]), np.int64)


def clock_changes(trace: Trace) -> tuple[Ints, Ints]:
    """The changes of the machine's clock, shape (changes,), s, and its offset from then on.

    The first change is at the first submission. Changes are known up to a year after the last submission.
    """
    first, last = (int(trace.submit[0]), int(trace.submit[-1])) if len(trace) else (0, 0)
    since, ahead = [first], [_ahead(trace, first)]
    for day in range(first, last + 366 * DAY, DAY):
        if _ahead(trace, day + DAY) == ahead[-1]:
            continue
        low, high = day, day + DAY  # it was set in between
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _ahead(trace, middle) == ahead[-1] else (low, middle)
        since.append(high)
        ahead.append(_ahead(trace, high))
    return np.array(since), np.array(ahead)


def _ahead(trace: Trace, second: int) -> int:
    """By how much the clock is ahead of the trace's time, s."""
    try:
        moment = datetime.fromtimestamp(0, UTC) + timedelta(seconds=trace.zero + second)
        offset = moment.astimezone(zone_of(trace)).utcoffset()
    except (ValueError, OverflowError, OSError):  # beyond the calendar
        offset = None
    return trace.zero + int((offset or timedelta()).total_seconds())
