"""Nodes of a schedule: the state of each node at an instant, and the runs on a node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.machine.cluster import Cluster
from engine.schedule.instant import capacity_left
from engine.schedule.schedule import Schedule
from engine.trace import MISSING, Trace

_GPU = ("gpu", "gpus")
"""Names of GPUs among the further resources of machines."""


@dataclass(frozen=True, eq=False)
class NodesAt:
    """The nodes of a machine at `time`, s; columns have an entry for each node, shape (nodes,).

    Free RAM and GPUs are NaN if the node's total or the use by jobs is unknown. Runs on nodes, (k,), stand
    node by node: of a job on several nodes there are several.
    """

    time: int
    cpus: Ints
    free_cpus: Ints
    free_ram: Floats  # MiB
    free_gpus: Floats
    up: NDArray[np.bool_]
    jobs: Ints
    users: Ints
    run_node: Ints
    run_job: Ints  # indices into the trace

    def jobs_on(self, node: int) -> Ints:
        """The jobs that run on a node then, ascending."""
        return self.run_job[np.searchsorted(self.run_node, node) : np.searchsorted(self.run_node, node + 1)]


@dataclass(frozen=True, eq=False)
class NodeRuns:
    """The runs on a node, in order of their starts, (k,): job, start and end in s, processors there."""

    job: Ints
    start: Ints
    end: Ints
    cpus: Ints


def knows_nodes(schedule: Schedule) -> bool:
    """True if the nodes of jobs are known: they are not for a pool, or for a log without nodes."""
    return not schedule.cluster.pooled and bool(schedule.pieces["node"].any())


def nodes_at(schedule: Schedule, time: int) -> NodesAt:
    """The state of the nodes at `time`, s, of a schedule with known nodes; a job no longer runs at its
    end.
    """
    cluster, trace, further = schedule.cluster, schedule.trace, schedule.further
    running = np.flatnonzero(schedule.ran & (schedule.start <= time) & (time < schedule.end))
    cut = np.flatnonzero((further.start <= time) & (time < further.end))
    down = schedule.outages.down_at(time)
    left = capacity_left(schedule, running, cut, down)
    whole, cut_pieces = schedule.pieces.take(running), further.pieces.take(cut)
    node = np.concatenate((whole["node"], cut_pieces["node"]))
    job = np.concatenate(
        (np.repeat(running, np.diff(whole.offset)), np.repeat(further.job[cut], np.diff(cut_pieces.offset)))
    )
    held = np.concatenate((whole["cpus"], cut_pieces["cpus"]))
    gpus = _free_gpus(schedule, node, job, held)
    pairs = np.unique(np.stack((node, job), axis=1), axis=0)  # a node may hold several tasks of a job
    by_user = np.unique(np.stack((pairs[:, 0], trace.user.codes[pairs[:, 1]]), axis=1), axis=0)
    up = np.ones(cluster.nodes, np.bool_)
    up[down] = False
    ram = np.full(cluster.nodes, np.nan)
    if cluster.limits_ram:
        known = [group.ram is not None for group in cluster.groups]
        ram = np.where(np.repeat(known, [group.count for group in cluster.groups]), left[:, 1], np.nan)
    return NodesAt(
        time=time,
        cpus=cluster.node_cpus(),
        free_cpus=left[:, 0],
        free_ram=ram,
        free_gpus=np.where(up, gpus, np.minimum(gpus, 0)),
        up=up,
        jobs=np.bincount(pairs[:, 0], minlength=cluster.nodes),
        users=np.bincount(by_user[:, 0], minlength=cluster.nodes),
        run_node=pairs[:, 0],
        run_job=pairs[:, 1],
    )


def _free_gpus(schedule: Schedule, node: Ints, job: Ints, held: Ints) -> Floats:
    """GPUs of each node that no job uses; a job's GPUs are distributed like its processors. NaN: unknown."""
    there, asked = node_gpus(schedule.cluster), schedule.trace.gpus
    if asked is None or np.isnan(there).all():
        return np.full(len(there), np.nan)
    of_job = np.where(asked == MISSING, 0, asked)[job]
    used = np.bincount(node, of_job * held / np.maximum(schedule.procs[job], 1), len(there))
    return np.maximum(there - np.round(used), 0)


def node_gpus(cluster: Cluster) -> Floats:
    """GPUs of each node, shape (nodes,), NaN if its group does not specify them."""
    gpus_of_groups = [
        sum(gpus_of_node for name, gpus_of_node in group.extra if name.lower() in _GPU)
        for group in cluster.groups
    ]
    gpus = np.array([gpus_of_node or np.nan for gpus_of_node in gpus_of_groups], np.float64)
    return np.repeat(gpus, [group.count for group in cluster.groups])


def logged_on(trace: Trace, cluster: Cluster, node: int) -> Ints | None:
    """The jobs that ran on a node of this machine according to the log, ascending; None if the log does not
    have nodes.

    Nodes of other machines are matched by host name.
    """
    recorded, own = trace.recorded_nodes, trace.cluster
    name = cluster.host_name(node)
    place = node if cluster == own else None if name is None else own.find_node(name)
    if recorded is None or place is None:
        return None
    rows = np.flatnonzero(recorded["node"] == place)
    return np.unique(np.searchsorted(recorded.offset, rows, "right") - 1).astype(np.int64)


def runs_on(schedule: Schedule, node: int) -> NodeRuns:
    """The jobs that ran on a node, with times; also further runs, such as those that a failure stopped."""
    further, columns = schedule.further, []
    whole = (np.arange(len(schedule.start)), schedule.start, schedule.end, schedule.pieces)
    for job, start, end, pieces in (whole, (further.job, further.start, further.end, further.pieces)):
        rows = np.flatnonzero(pieces["node"] == node)
        # A run may have several pieces on the node: their CPUs add up.
        runs, which = np.unique(np.searchsorted(pieces.offset, rows, "right") - 1, return_inverse=True)
        cpus = np.bincount(which, pieces["cpus"][rows], len(runs)).astype(np.int64)
        columns.append((job[runs], start[runs], end[runs], cpus))
    job, start, end, cpus = (np.concatenate(each) for each in zip(*columns, strict=True))
    order = np.lexsort((job, start))
    return NodeRuns(job[order], start[order], end[order], cpus[order])
