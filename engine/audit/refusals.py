"""Jobs that need not run: too large for the machine, for a partition of it, or for a limit."""

from __future__ import annotations

import numpy as np

from engine.arrays import Mask
from engine.audit.table import Ints
from engine.audit.whole_nodes import WholeNodes
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.trace import Trace


def may_refuse(trace: Trace, cluster: Cluster, policy: Policy | None, jobs: Ints) -> Mask:
    """The mask of those `jobs`, shape (k,), that a schedule of this policy may leave out.

    That is any job if queues or jobs are bound to nodes, ask for features, or power has a cap: which jobs are
    too large for these is not computed.
    """
    # Which jobs are too large for these is not computed: no absent job is held against the schedule.
    if asks_for_features(trace, cluster):
        return np.ones(len(jobs), np.bool_)
    if policy is None:
        return _too_large(trace, cluster, jobs)
    if policy.queue_nodes or policy.constraints or policy.power_cap is not None:
        return np.ones(len(jobs), np.bool_)
    most = cluster.cpus if policy.max_user_cpus is None else min(cluster.cpus, policy.max_user_cpus)
    queues = [policy.queue_limit(name) for name in trace.queue.names]
    of_queue = np.array([most if limit is None else min(most, limit) for limit in queues], np.int64)
    room = of_queue[trace.queue.codes[jobs]]
    if policy.placement != "contiguous":
        return (trace.procs[jobs] > room) | _too_large(trace, cluster, jobs)
    return np.asarray(held_processors(trace, cluster, policy)[jobs] > room)


def asks_for_features(trace: Trace, cluster: Cluster) -> bool:
    """Whether jobs run only on nodes with the features that they ask for, as the machine has features."""
    return bool(trace.features) and cluster.has_features and not cluster.pooled


def may_give_up(trace: Trace, cluster: Cluster, policy: Policy | None, jobs: Ints) -> Mask:
    """The mask of those `jobs`, shape (k,), that failures may have stopped more often than allowed.

    That is if enough nodes failed since the submission: which failure hit which job is not known.
    """
    restarts = 0 if policy is None or policy.on_failure == "lose" else policy.max_restarts
    starts = cluster.outages(trace.submit).start  # ascending
    return np.asarray(len(starts) - np.searchsorted(starts, trace.submit[jobs], "right") > restarts)


def held_processors(trace: Trace, cluster: Cluster, policy: Policy) -> Ints:
    """Processors that each job takes, shape (n,): where it gets whole nodes more than it asks for.

    A job that had whole nodes counts with what it was allocated, or what its nodes have if these are smaller.
    """
    if policy.placement != "contiguous":
        return WholeNodes(trace, cluster).processors()
    return _nodes_side_by_side(trace, cluster, policy.partitions) * int(cluster.capacity()[0, 0])


def _nodes_side_by_side(trace: Trace, cluster: Cluster, sizes: tuple[int, ...]) -> Ints:
    """The number of equal nodes that each job takes, shape (n,); more than exist if no partition holds it."""
    total, whole = WholeNodes(trace, cluster).least()
    nodes = np.maximum((-(-total // np.maximum(cluster.capacity()[0], 1))).max(axis=1, initial=0), whole)
    if not sizes:
        return np.asarray(nodes)
    known = np.array([*sizes, cluster.nodes + 1])
    return np.asarray(known[np.searchsorted(known[:-1], nodes)])


def _too_large(trace: Trace, cluster: Cluster, jobs: Ints) -> Mask:
    """The mask of those `jobs`, shape (k,), that some placement rule cannot place on the empty machine."""
    whole = WholeNodes(trace, cluster)
    empty = cluster.capacity()
    return np.array([not fits_in(empty, trace, cluster, whole, int(job)) for job in jobs], np.bool_)


def fits_in(left: Ints, trace: Trace, cluster: Cluster, whole: WholeNodes, job: int) -> bool:
    """Whether the job fits into what is `left` of each node, (N, K), with nodes in each of three orders: by
    number, fewest CPUs first, and most CPUs first.
    """
    tasks = trace.tasks
    rows = range(int(tasks.offset[job]), int(tasks.offset[job + 1]))
    # A placement of several groups depends on the order of nodes: one that succeeds is enough.
    for sign in (0, 1, -1):
        free = left.copy()
        for row in rows:
            # Whole nodes are given away as wholes, so that later groups find nothing on them.
            takes = whole.of(row)
            if takes is not None:
                holds = whole.holding(free, takes)
                if len(holds) < takes.nodes:
                    return False
                free[holds[np.argsort(sign * free[holds, 0], kind="stable")[: takes.nodes]]] = 0
                continue
            asked = (tasks[name][row] if name in tasks.columns else 0 for name in cluster.resources)
            need = np.array([max(0, int(amount)) for amount in asked])
            room = np.min([free[:, k] // need[k] for k in range(len(need)) if need[k] > 0], axis=0)
            order = np.argsort(sign * free[:, 0], kind="stable")
            # The nodes are filled in order: each takes what is left behind those in front of it, at most its
            # room.
            before = np.cumsum(room[order]) - room[order]
            taken = np.clip(tasks["count"][row] - before, 0, room[order])
            if taken.sum() < tasks["count"][row]:
                return False
            free[order] -= taken[:, None] * need
    return True
