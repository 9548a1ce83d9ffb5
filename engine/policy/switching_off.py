"""Why some policies cannot switch idle nodes off."""

from __future__ import annotations

from engine.machine.cluster import Cluster
from engine.policy.policy import Policy


def cannot_switch(cluster: Cluster, policy: Policy) -> str:
    """The reason why nodes cannot be switched off under the policy; empty where they can."""
    if cluster.pooled:
        return "power_off needs a machine of nodes: a pool does not tell which processors are idle"
    if cluster.failures is not None:
        return "power_off is not kept where nodes fail"
    if policy.placement != "first":
        return "power_off takes nodes that are on first, with placement=first"
    plans = policy.allocates_windows or policy.relaxed is not None or policy.reserves_within_bounds
    if policy.depth not in ("stop", 0, 1) or plans:
        return "power_off is kept beside one reservation, with depth=stop, 0 or 1: plans know of no boots"
    if policy.power_cap is not None:
        return "power_off is not kept under a power_cap"
    if policy.estimate.learns:
        return "power_off needs estimates that are not learned"
    if policy.uses_fairshare or policy.order == "nuwt" or policy.budget or policy.pay != "bid":
        return "power_off is not kept in orders that go by what users had, or have left"
    if policy.tunings:
        return "power_off is not kept where the policy is tuned as it runs"
    return "code of your own knows of no boots" if policy.own is not None else ""
