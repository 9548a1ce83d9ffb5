"""What jobs offer if a policy sells the machine: the price of their queue, or their bid."""

from __future__ import annotations

from engine.arrays import Floats
from engine.policy.names import VALUE_ORDERS
from engine.policy.policy import Policy
from engine.trace import Trace
from engine.value.prices import price, priced_queue
from engine.value.valuation import job_values


def values_of(policy: Policy, trace: Trace) -> Floats:
    """The value of each job to its user, shape (n,), by the valuation of the policy."""
    return job_values(trace, policy.valuation, policy.seed)


def offers(policy: Policy, trace: Trace) -> Floats | None:
    """What each job offers when it comes, shape (n,), the highest first; None if nothing is sold.

    In an auction that is its value, otherwise the price of its queue.
    """
    if policy.order not in VALUE_ORDERS:
        return None
    values = values_of(policy, trace)
    if policy.order == "auction":
        return values
    low, high = policy.prices.low, policy.prices.high
    return price(priced_queue(values, policy.n, low, high), policy.n, low, high)
