"""The reliability of nodes: their order by failures so far, for `placement=reliable`."""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.simulation.placement import RELIABLE
from engine.simulation.scheduler import Scheduler


@inner_kernel
def rank_nodes(s: Scheduler, now: int) -> None:
    """Put the nodes in order of their failures so far for each second up, the fewest first, ties by number.

    Time up counts from the first submission, and is at least a second. Only the outages that have begun
    count, so that no node is known to fail before it does.
    """
    if s.machine.placement != RELIABLE or len(s.outage_state.start) == 0:
        return
    failures, up, order = s.outage_state.failures, s.outage_state.up, s.machine.draft.order
    # All is counted anew at each call, as outages that last still shorten the time up.
    for node in range(len(order)):
        failures[node] = 0
        up[node] = now - s.rules.zero
        order[node] = node
    for outage in range(s.outage_state.begun[0]):
        node = s.outage_state.node[outage]
        failures[node] += 1
        up[node] -= min(s.outage_state.end[outage], now) - s.outage_state.start[outage]
    # Fractions are compared by products of whole numbers, so that no rounding decides.
    # Insertion sort: the order of the last call is nearly right.
    for turn in range(1, len(order)):
        node = order[turn]
        while turn > 0:
            before = order[turn - 1]
            if failures[before] * max(up[node], 1) <= failures[node] * max(up[before], 1):
                break
            order[turn] = before
            turn -= 1
        order[turn] = node
