"""Which nodes a policy switches off when idle, and why some policies cannot."""

from __future__ import annotations

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.machine.power import node_watts, power_of, unknown_of_switching
from engine.policy.policy import Policy
from engine.policy.switching_off import cannot_switch
from engine.simulation.switching import NO_SWITCHING, Switching, make_switching
from engine.trace import Trace
from engine.words import listed


def make_nodes_switched(
    trace: Trace, cluster: Cluster, policy: Policy, zero: int, fair_starts: bool
) -> Switching:
    """The nodes of a machine as the policy switches them, all on at `zero`, s. Raises InputError."""
    if policy.power_off is None:
        return NO_SWITCHING
    reason = cannot_switch(cluster, policy) or (
        "fair starts are not computed where nodes are switched off" if fair_starts else ""
    )
    if reason:
        raise InputError(f"{policy.spelling}: {reason}")
    model = power_of(trace.cluster)
    watts = None if model is None else node_watts(model, cluster)
    if watts is None:
        raise InputError(
            f"{policy.spelling}: power_off needs the power of all nodes of {cluster}, with boot_s, the "
            "seconds that a node takes to be on again: --power tells it"
        )
    if model is not None and (unknown := unknown_of_switching(model, cluster)):
        raise InputError(
            f"{policy.spelling}: --power does not tell {listed(unknown)} of all nodes, without which nobody "
            "knows what switching them off costs and saves"
        )
    return make_switching(policy.power_off, watts.boot_s, len(trace), zero)
