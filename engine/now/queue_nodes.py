"""The nodes on which jobs of the present queue run, and how many nodes the waiting ones may take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.errors import InputError
from engine.logs.queue.state import RUNNING, QueuedJob
from engine.machine.cluster import Cluster
from engine.slurm.scheduler.limits import JobKind
from engine.slurm.scheduler.node_counts import NodeCounts, node_counts
from engine.slurm.scheduler.state import ANY_NODES, SiteMachine
from engine.slurm.site.site import Site
from engine.slurm.values.host_list import expand_hosts


def nodes_of_running(job: QueuedJob, cluster: Cluster) -> NDArray[np.bool_]:
    """The nodes that a running job is on, (N,); all where its list is not known."""
    there = _listed(job, cluster)
    return there if there.any() else ~there


def _listed(job: QueuedJob, cluster: Cluster) -> NDArray[np.bool_]:
    nodes = np.zeros(cluster.nodes, np.bool_)
    # A list that cannot be read tells nothing of where the job runs.
    try:
        names = expand_hosts(job.node_list) if job.node_list else []
    except InputError:
        names = []
    for name in names:
        node = cluster.find_node(name)
        if node is not None:
            nodes[node] = True
    return nodes


def queue_node_counts(
    site: Site,
    queues: Sequence[str],
    jobs: Sequence[QueuedJob],
    kinds: Sequence[JobKind],
    part: Ints,
    machine: SiteMachine,
) -> NodeCounts:
    """The numbers of nodes that jobs of these kinds may take; `part`, (n,), is the number of their queue.

    Running jobs stay on the nodes that they have.
    """
    asked = [_asked(job, machine, queue) for job, queue in zip(jobs, part.tolist(), strict=True)]
    least, most = np.array(asked, np.int64).reshape(len(jobs), 2).T
    counts = node_counts(site, queues, part, kinds, least, most)
    for row, job in enumerate(jobs):
        # What a running job once asked for does not matter any more.
        if job.state == RUNNING:
            listed = int(_listed(job, site.conf.machine).sum())
            counts.nodes[row] = (listed, listed, listed) if listed else (1, 1, ANY_NODES)
            counts.never[row] = False
    return counts


def _asked(job: QueuedJob, machine: SiteMachine, queue: int) -> tuple[int, int]:
    """The least and the largest number of nodes that a job asked for; 0 where it asked for tasks alone.

    A print that does not tell these apart has slurmctld's guess for such a job: as few nodes as have the
    CPUs. More nodes than these, even of the smallest node, are a request.
    """
    if not job.spread:
        return job.nodes, job.most_nodes or job.nodes
    cpus = machine.capacity[machine.parts[queue], 0]
    if job.most_nodes is None and len(cpus) and job.nodes > -(-job.cpus // max(int(cpus.min()), 1)):
        return job.nodes, job.nodes
    return 0, 0
