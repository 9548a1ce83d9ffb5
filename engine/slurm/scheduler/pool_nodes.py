"""A machine that only counts its processors, as nodes on which a site's schedulers plan by processors.

A plan of Slurm's backfiller keeps whole nodes: of a machine that is one node, all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.machine.cluster import Cluster, NodeGroup
from engine.schedule.schedule import Schedule
from engine.slurm.scheduler.state import Ints
from engine.slurm.site.site import Site
from engine.trace import Pieces, Trace

MOST_NODES = 1024
"""Nodes that a pool is planned as, at most. Jobs share nodes, so larger ones hardly move planned starts."""


def nodes_of_pool(site: Site, pool: Cluster, asked: Ints) -> Cluster | None:
    """The pool as nodes of as many processors as divide it and all requests, (n,); None for other machines.

    The node of a site's own files is one, and so is one with more than processors, which a job needs in one
    place.
    """
    described = bool(site.conf.groups) and pool == site.conf.machine
    if not pool.pooled or described or pool.resources != ("cpus",) or pool.limits_ram:
        return None
    each = int(np.gcd.reduce(np.append(np.maximum(asked, 1), pool.cpus)))
    # On a machine of many processors nodes are larger than that: a plan takes time for each node.
    each = each * -(-pool.cpus // (each * MOST_NODES))
    nodes, rest = divmod(pool.cpus, each)
    return Cluster((NodeGroup(nodes, each), *([NodeGroup(1, rest)] if rest else [])))


def schedule_on_pool(trace: Trace, pool: Cluster, simulate: Callable[[Trace], Schedule]) -> Schedule:
    """The schedule of a trace on a pool, simulated on nodes by `simulate`, with all jobs on the pool's node.

    In the simulation the processors of a job may be on any nodes.
    """
    # Numbers of nodes that the log asks for are those of another machine.
    single = {"count": np.array(trace.procs), "cpus": np.ones_like(trace.procs)}
    tasks = Pieces(np.arange(len(trace) + 1), single)
    on_any = replace(trace, tasks=tasks, least_nodes=None, most_nodes=None)
    schedule = simulate(on_any)
    stopped = schedule.stopped
    return replace(
        schedule,
        trace=trace,
        cluster=pool,
        pieces=_on_one_node(schedule.pieces),
        stopped=replace(stopped, pieces=_on_one_node(stopped.pieces)),
    )


def _on_one_node(pieces: Pieces) -> Pieces:
    """The processors of each run on a single node."""
    runs = np.diff(pieces.offset) > 0
    offset = np.concatenate(([0], np.cumsum(runs)))
    total = np.concatenate(([0], np.cumsum(pieces["cpus"])))
    cpus = np.diff(total[pieces.offset])[runs]
    return Pieces(offset, {"node": np.zeros(len(cpus), np.int64), "cpus": cpus})
