"""A machine that only counts its processors, as nodes: a queue on it is planned by processors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.machine.cluster import Cluster, NodeGroup
from engine.slurm.site.site import Site
from engine.trace.queue_state import QueuedJob

MOST_NODES = 1024
"""Nodes that a pool is planned as, at most. Jobs share nodes, so larger ones hardly move planned starts."""


def on_processors(site: Site, jobs: Sequence[QueuedJob]) -> tuple[Site, list[QueuedJob]]:
    """The site with its pool as nodes, and the jobs with requests for processors on any of these.

    A plan of Slurm's backfiller keeps whole nodes: of a pool that is one node, all of it. The nodes
    have as many processors as divide the requests of all jobs and the machine. Both stay as they are where
    the site's own files have the node, or where it has more than processors, which a job needs in one place.
    """
    pool = site.conf.machine
    if not pool.pooled or site.conf.groups or pool.resources != ("cpus",) or pool.limits_ram:
        return site, list(jobs)
    each = int(np.gcd.reduce([pool.cpus, *(max(job.cpus, 1) for job in jobs)]))
    # On a machine of many processors nodes are larger than that: a replay takes time for each node.
    each = each * -(-pool.cpus // (each * MOST_NODES))
    nodes, rest = divmod(pool.cpus, each)
    groups = (NodeGroup(nodes, each), *([NodeGroup(1, rest)] if rest else []))
    own = replace(site, conf=replace(site.conf, machine=Cluster(groups)))
    return own, [
        replace(job, nodes=1, most_nodes=0, spread=True, ram=0, gpus=0, node_list="") for job in jobs
    ]
