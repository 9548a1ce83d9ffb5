"""Which keys of a policy have no use beside the others, and why."""

from __future__ import annotations

from collections.abc import Mapping

from engine.estimate.estimators import learns
from engine.policy.keys import CRITERIA_OF_ENDS
from engine.policy.static_order import STATIC_ORDERS
from engine.score.parse import FormulaError, names_of, parse_formula

LIMIT_KEYS = ("max_user_jobs", "max_user_cpus", "max_queue_cpus")
"""Keys of what may run at once."""

RESERVING_KEYS = ("user_test_limit", "horizon", "resolution")
"""Keys of what a pass that makes reservations looks at, and how exactly."""

_USAGE = ("penalty", "half_life", "accrue", "shares", "usage_of")
_SEARCH = ("plan_depth", "search_every", "trials", "criteria")
_AT_PASSES = (
    "gate",
    "threshold",
    "relaxed",
    *LIMIT_KEYS,
    "queue_limits",
    "pass_every",
    "test_limit",
    *RESERVING_KEYS,
)


def idle_keys(said: Mapping[str, str]) -> dict[str, str]:
    """Keys that order, depth, estimate and tuning leave without a use, each with the reason.

    `said` has the spelled value of each key; they need not be right.
    """
    by_order = _by_order(said["order"], said["weights"], said["score"])
    if said["search"] != "none":
        by_order.pop("penalty", None)  # users' normalized waits go by it
    return (
        by_order
        | _by_expected_ends(said)
        | _by_tuning(said["tune"])
        | _by_estimate(said["estimate"])
        | _by_search(said["search"], said["replan"])
        | _by_failures(said["on_failure"])
        | _by_depth(said["depth"])
    )


def _by_order(order: str, weights: str, score: str) -> dict[str, str]:
    idle: dict[str, str] = {}
    if len(STATIC_ORDERS.get(order, ())) != 1:
        idle["ties"] = f"order={order} settles ties itself"
    if order == "fcfs":
        idle["threshold"] = "order=fcfs goes by submission anyway"
    if order != "priority":
        idle |= dict.fromkeys(("weights", "max_age", "queue_priority"), f"order={order} weighs no factors")
        if order == "nuwt":
            idle |= dict.fromkeys(_USAGE[1:], "order=nuwt forgets no usage, and knows no shares")
        elif order != "fairshare" and (order != "score" or "usage" not in _names(score)):
            idle |= dict.fromkeys(_USAGE, f"order={order} does not go by usage")
    else:
        if "fairshare=" not in weights:
            idle |= dict.fromkeys(_USAGE[1:], f"weights={weights} leave usage out")
        if "age=" not in weights:
            idle["max_age"] = f"weights={weights} leave age out"
        if "queue=" not in weights:
            idle["queue_priority"] = f"weights={weights} leave queues out"
    if order != "score":
        idle["score"] = f"order={order} goes by no formula"
    if order != "queues":
        idle |= dict.fromkeys(("n", "prices"), f"order={order} has no queues with prices")
    if order != "balanced":
        idle["bf"] = f"order={order} balances nothing"
    return idle


def _by_expected_ends(said: Mapping[str, str]) -> dict[str, str]:
    ordered = said["order"] == "slack" or (said["order"] == "score" and "slack" in _names(said["score"]))
    criteria = any(f"{name}=" in said["criteria"] for name in CRITERIA_OF_ENDS)
    if ordered or ":violated_" in said["tune"] or (said["search"] != "none" and criteria):
        return {}
    return {"eet_share": "nothing goes by the ends that users may expect"}


def _names(score: str) -> frozenset[str]:
    """What a formula names; one that cannot be read, nothing."""
    try:
        return names_of(parse_formula(score))
    except FormulaError:
        return frozenset()


def _by_tuning(tune: str) -> dict[str, str]:
    if {"bf", "2d"} & set(tune.split(";")):
        return {}
    return {"queue_depth": f"it is the threshold of tune=bf and tune=2d, not of tune={tune}"}


def _by_estimate(estimate: str) -> dict[str, str]:
    return {} if learns(estimate) else {"estimate_once": f"estimate={estimate} never changes"}


def _by_search(search: str, replan: str) -> dict[str, str]:
    if search == "none":
        return dict.fromkeys(_SEARCH, "search=none searches for no better plan")
    idle = {"plan_depth": f"search={search} makes no plan anew as a whole"}
    if search == "greedy":
        idle = {"trials": "search=greedy tries no moves"}
    if replan != "planned":
        idle["search"] = f"replan={replan} plans in another order than the search finds"
    return idle


def _by_failures(on_failure: str) -> dict[str, str]:
    if on_failure == "lose":
        return {"max_restarts": "on_failure=lose starts no job again"}
    return {}


def _by_depth(depth: str) -> dict[str, str]:
    idle: dict[str, str] = {}
    if depth not in ("1", "all"):
        idle["window"] = f"depth={depth} places jobs one by one"
    if depth == "stop":
        idle["backfill"] = "depth=stop lets nothing pass a blocked job"
    if depth in ("all", "kept"):
        idle["backfill"] = f"depth={depth} reserves for every job, so nothing is left to backfill"
    if depth in ("stop", "0"):
        idle["relaxed"] = f"depth={depth} makes no reservations that it could relax"
        idle |= dict.fromkeys(RESERVING_KEYS, f"it is about passes that reserve, and depth={depth} does not")
    if depth != "kept":
        idle |= dict.fromkeys(("replan", "gap", "search"), f"depth={depth} keeps no plan from pass to pass")
    if depth == "kept":
        idle |= dict.fromkeys(_AT_PASSES, "depth=kept starts jobs at planned times, not at passes")
        idle["estimate_once"] = "depth=kept keeps the estimate made at submission anyway"
    return idle
