"""The numbers of nodes that jobs of a site may take: by what they ask for, and by their partitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.machine.cluster import Cluster
from engine.simulation.workload import Workload
from engine.slurm.scheduler.limits import JobKind, job_kinds, most_nodes
from engine.slurm.scheduler.state import ANY_NODES, Ints, Mask
from engine.slurm.site.site import Site
from engine.trace import Trace


class NodeCounts(NamedTuple):
    """The nodes of n jobs as in `SiteJobs.nodes`, (n, 3), and which jobs, (n,), no number of nodes suits."""

    nodes: Ints
    never: Mask


def node_counts(
    site: Site, partitions: Sequence[str], part: Ints, kinds: Sequence[JobKind], least: Ints, most: Ints
) -> NodeCounts:
    """The numbers of nodes of jobs that ask for `least` to `most` nodes, (n,) each; 0 where for none.

    `part`, (n,), is the number of a job's partition among `partitions`. As Slurm does, a job that asks for
    tasks alone gets as few nodes as hold them, within MinNodes and MaxNodes of its partition and what limits
    of its kind allow; one that asks for a range gets as many as it can. One whose range is outside of these
    never starts.
    """
    limits = [_limits_of(site, name) for name in partitions]
    lower, upper = np.array(limits, np.int64).reshape(-1, 2)[part].T
    upper = np.minimum(upper, most_nodes(site, kinds))
    asked = least > 0
    low = np.where(asked, np.maximum(least, lower), np.maximum(lower, 1))
    high = np.where(asked, np.minimum(most, upper), upper)
    wanted = np.where(asked, high, low)
    return NodeCounts(np.ascontiguousarray(np.stack([low, wanted, high], axis=1)), asked & (low > high))


def counts_of_trace(site: Site, trace: Trace, cluster: Cluster) -> NodeCounts:
    """The numbers of nodes of the jobs of a trace on a cluster; on a pool, which has none to count, any."""
    none = np.zeros(len(trace), np.int64)
    if cluster.pooled and cluster != site.machine:  # a site of one node has one to count
        return NodeCounts(np.tile([1, 1, ANY_NODES], (len(trace), 1)), none > 0)
    least, most = (none if column is None else column for column in (trace.least_nodes, trace.most_nodes))
    part = trace.queue.codes.astype(np.int64)
    return node_counts(site, trace.queue.names, part, job_kinds(trace), least, most)


def _limits_of(site: Site, name: str) -> tuple[int, int]:
    """MinNodes and MaxNodes of a partition, the first of several; 0 and ANY_NODES where it has none."""
    partition = site.conf.partition(name.split(",")[0])
    keys = {} if partition is None else partition.keys
    texts = [keys.get(key, "").strip() for key in ("minnodes", "maxnodes")]
    known = [int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else None for text in texts]
    return known[0] or 0, ANY_NODES if known[1] is None else known[1]


def with_node_counts(work: Workload, nodes: Ints) -> Workload:
    """The workload with groups of tasks that can lie on these numbers of `nodes`, (n, 3).

    A job whose nodes are bounded has a single group, and tasks of one CPU where it has fewer tasks than it
    needs nodes.
    """
    work = _with_single_groups(work, nodes)
    first = work.group_offset[:-1]
    # A job with fewer tasks than nodes cannot be spread by whole tasks: its tasks are cut into single CPUs.
    each = work.group_need[first, 0]
    split = (np.diff(work.group_offset) == 1) & (each > 1) & ~work.exclusive[first]
    split &= work.group_tasks[first] < nodes[:, 0]
    if not split.any():
        return work
    rows, times = first[split], each[split]
    tasks, need = work.group_tasks.copy(), work.group_need.copy()
    tasks[rows] *= times
    # Each part has its share of the memory and of the other resources, rounded up.
    need[rows] = -(-need[rows] // times[:, None])
    return work._replace(group_tasks=tasks, group_need=need)


def _with_single_groups(work: Workload, nodes: Ints) -> Workload:
    """The workload with a single group of tasks of each job whose nodes are bounded.

    Its tasks differ in a MiB or a GPU at most: each needs the most of these. Jobs stay as they are whose
    tasks are on a node each, or differ in CPUs or in the nodes on which they may run.
    """
    first, sizes = work.group_offset[:-1], np.diff(work.group_offset)
    total = np.add.reduceat(work.group_tasks, first) if len(first) else work.group_tasks
    # Only jobs whose number of nodes is bounded, and which have more tasks than nodes.
    joined = (sizes > 1) & ((nodes[:, 0] > 1) | (nodes[:, 2] < ANY_NODES)) & (nodes[:, 0] < total)
    if joined.any():
        columns = [work.zone, work.exclusive.astype(np.int64), *np.ascontiguousarray(work.group_need.T)]
        for k, column in enumerate(columns):  # the third is that of CPUs
            difference = np.maximum.reduceat(column, first) - np.minimum.reduceat(column, first)
            # Zone, exclusiveness and CPUs must be equal; memory and the like may differ by one, as a
            # division leaves it.
            joined &= difference <= int(k > 2)
    if not joined.any():
        return work
    stays = ~np.repeat(joined, sizes)
    stays[first] = True
    need, tasks = work.group_need.copy(), work.group_tasks.copy()
    # The larger amount holds for all tasks.
    need[first[joined]] = np.maximum.reduceat(work.group_need, first, axis=0)[joined]
    tasks[first[joined]] = total[joined]
    return work._replace(
        group_offset=np.concatenate(([0], np.cumsum(np.where(joined, 1, sizes)))).astype(np.int64),
        group_tasks=tasks[stays],
        group_need=need[stays],
        group_most=work.group_most[stays],
        zone=work.zone[stays],
        exclusive=work.exclusive[stays],
    )
