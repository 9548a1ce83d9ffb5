"""The tables of starts between the passes of a backfiller, made for a trace, a machine and a policy."""

from __future__ import annotations

import numpy as np

from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.simulation.scheduler import Between
from engine.simulation.workload import zones
from engine.trace import Trace


def make_between(trace: Trace, cluster: Cluster, policy: Policy) -> Between:
    """The queues of jobs, and which of them share nodes."""
    if policy.between != "head":
        return Between(np.zeros(0, np.int64), np.zeros((0, 0), np.bool_), np.zeros(0, np.int64))
    zone, nodes = zones(trace, cluster, policy.bindings)
    first_of_group = np.cumsum([0] + [group.count for group in cluster.groups])[:-1]
    groups = nodes[:, first_of_group].astype(np.int64)  # bindings are of whole groups
    shared = groups @ groups.T > 0
    queues = len(trace.queue.names)
    return Between(trace.queue.codes.astype(np.int64), shared[np.ix_(zone, zone)], np.zeros(queues, np.int64))
