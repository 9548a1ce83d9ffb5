"""The log's own schedule, as a run like any other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.trace import Pieces, Trace
from engine.trace.even_tasks import even_shares
from engine.trace.trace import zeros

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def recorded_schedule(trace: Trace, cluster: Cluster) -> Schedule:
    """The log's waits, runtimes and allocated processors, unclamped (Standard Workload Format fields 3 to 5).

    Jobs without a recorded wait are not run. Jobs run on the nodes that the log names, if
    it names any and `cluster` is the log's own machine or has nodes of these names; else as on a pool.
    Raises InputError where the log lacks most waits.
    """
    if not trace.has_recorded_schedule:
        raise InputError(
            f"{trace.name}: the log does not say when its jobs started, so there is no recorded schedule"
        )
    # Jobs whose start nobody recorded cannot be placed in time: they stand as not run.
    known = trace.wait >= 0
    start = np.where(known, trace.submit + trace.wait, NOT_RUN)
    nodes = nodes_on(trace, cluster)
    return Schedule(
        trace=trace,
        cluster=cluster,
        policy=parse_policy("recorded"),
        start=start,
        end=np.where(known, start + trace.recorded_runtime, NOT_RUN),
        procs=trace.recorded_procs,
        pieces=one_pool(trace, trace.recorded_procs, known) if nodes is None else _on_nodes(trace, nodes),
    )


def knows_nodes(trace: Trace, cluster: Cluster) -> bool:
    """Whether the nodes of jobs are known in the recorded schedule on this machine."""
    return nodes_on(trace, cluster) is not None


def nodes_on(trace: Trace, cluster: Cluster) -> Pieces | None:
    """The nodes of this machine on which jobs ran by the log; None if not known.

    On a machine other than the log's own they are the nodes with the same host names, if it has all of these.
    """
    recorded, own = trace.recorded_nodes, trace.cluster
    if recorded is None or cluster == own:
        return recorded
    # Numbers of nodes mean nothing on another machine, names do.
    if cluster.pooled or not (cluster.has_names and own.has_names):
        return None
    used = np.unique(recorded["node"])
    # Only nodes that any job used have to exist there.
    found = [cluster.find_node(own.node_name(node)) for node in used.tolist()]
    if None in found:
        return None
    node_of = np.full(own.nodes, -1, np.int64)
    node_of[used] = np.array(found, np.int64)
    return Pieces(recorded.offset, {**recorded.columns, "node": node_of[recorded["node"]]})


def names_nodes(schedule: Schedule) -> bool:
    """Whether the nodes of jobs are known in a schedule that was not simulated."""
    return schedule.policy.recorded and knows_nodes(schedule.trace, schedule.cluster)


def one_pool(trace: Trace, procs: Ints, ran: Mask) -> Pieces:
    """The pieces of jobs whose nodes are not known: node 0 stands for the whole machine."""
    if ran.all():  # columns of the trace serve as they are
        further = {name: trace.asked(name) for name in trace.further_resources}
        ram = trace.asked("ram") if trace.has_ram else zeros(len(trace))
        offset = trace.tasks.offset if trace.tasks.single else np.arange(len(trace) + 1)
        return Pieces(offset, {"node": zeros(len(trace)), "cpus": procs, "ram": ram, **further})
    further = {name: trace.asked(name)[ran] for name in trace.further_resources}
    offset = np.concatenate(([0], np.cumsum(ran))).astype(np.int64)
    node = np.zeros(int(offset[-1]), np.int64)
    return Pieces(offset, {"node": node, "cpus": procs[ran], "ram": trace.asked("ram")[ran], **further})


def _on_nodes(trace: Trace, nodes: Pieces) -> Pieces:
    """The nodes that the log names. RAM and further resources of a job are as the log has them of each node,
    otherwise spread evenly over the job's nodes.
    """
    sizes = np.diff(nodes.offset)
    ram = nodes.columns.get("ram")
    # Most logs tell which nodes a job had, not how much memory it had on each.
    if ram is None:
        ram = np.repeat(np.maximum(trace.ram, 0) // np.maximum(sizes, 1), sizes)
    further = {
        name: nodes.columns[name] if name in nodes.columns else even_shares(trace.asked(name), nodes.offset)
        for name in trace.further_resources
    }
    return Pieces(nodes.offset, {"node": nodes["node"], "cpus": nodes["cpus"], "ram": ram, **further})
