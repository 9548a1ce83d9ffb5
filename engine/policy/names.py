"""Names that keys of policies are made of: orders, factors, criteria, and titles of groups of keys."""

from __future__ import annotations

from enum import StrEnum

MOVING_ORDERS = ("fairshare", "balanced", "slack", "nuwt", "priority")
"""Orders whose sort keys change with time, or need more than a job's own request."""

VALUE_ORDERS = ("queues", "auction")
"""Orders by the values of jobs."""

ON_FAILURE = ("restart", "continue", "lose")
"""Treatments of a job whose node fails."""

FACTORS = ("age", "fairshare", "size", "small", "queue")
"""Factors of a multifactor priority, in the order in which they are summed."""

CRITERIA = (
    *("wait", "response", "slowdown", "nuwt_mean", "nuwt_std", "violated", "tardiness"),
    *("awq", "awf", "response_l2", "fair_slowdown"),
)
"""Criteria that a search for a better plan can improve, in the order in which gains are summed."""

CRITERIA_OF_ENDS = ("violated", "tardiness", "fair_slowdown")
"""Criteria of plans that depend on when users may expect their jobs to end."""


class KeyGroup(StrEnum):
    """Titles of groups of keys in forms."""

    ORDER = "Order, balance and windows"
    LIMITS = "Limits"
    RESERVATIONS = "Reservations and backfilling"
    PLANS = "Plans that are kept"
    ESTIMATES = "Estimates"
    FAIRSHARE = "Fairshare"
    VALUE = "Value"
    PLACEMENT = "Placement and queues"
    RANDOM = "Random draws"
