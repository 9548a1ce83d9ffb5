"""The machine of a site with its partitions, and the partitions of jobs with parts in several of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.machine.cluster import Cluster
from engine.simulation.workload import Workload
from engine.slurm.scheduler.priority_factors import number_of
from engine.slurm.scheduler.state import Ints, Mask, SiteJobs, SiteMachine
from engine.slurm.site.site import Site
from engine.trace import Trace

_OTHER = ""  # the partition of jobs whose queue the site's file does not name


def site_machine(
    site: Site, queues: Sequence[str], cluster: Cluster, capacity: Ints, zones: Mask
) -> tuple[SiteMachine, Ints]:
    """The machine with its nodes in the order in which Slurm takes them, and that order, shape (N,)."""
    nodes = cluster.nodes
    names = cluster.node_names()
    switch = {name: k for k, (_, members) in enumerate(site.switches, 1) for name in members}
    # A leaf switch is a block; nodes that no switch names form the last one.
    block = np.array([switch.get(name, len(site.switches) + 1 if switch else 0) for name in names], np.int64)
    # slurmctld sorts nodes by their names, with topology/tree leaf by leaf.
    order = np.array(sorted(range(nodes), key=lambda node: (block[node], _by_number(names[node]))), np.int64)
    group_of = np.repeat(np.arange(1, len(cluster.groups) + 1), [g.count for g in cluster.groups])
    # Weights are of the file's groups: another machine has none.
    same = len(cluster.groups) == len(site.conf.groups)
    parts = [_nodes_of(site, cluster, name) for name in (*queues, _OTHER)]
    tiers = []
    for name in (*queues, _OTHER):
        partition = site.conf.partition(name.split(",")[0])
        tiers.append(number_of(partition.keys if partition else {}, "priority", "prioritytier"))
    weight = (
        [number_of(group.keys, "weight") for group in site.conf.groups] if same else [1] * len(cluster.groups)
    )
    machine = SiteMachine(
        capacity=np.ascontiguousarray(capacity[order]),
        zones=np.ascontiguousarray(zones[:, order]),
        parts=np.ascontiguousarray(np.array(parts)[:, order]),
        tier=np.array(tiers, np.int64),
        block=np.ascontiguousarray(block[order]),
        weight=np.ascontiguousarray(np.array(weight, np.int64)[group_of - 1][order]),
    )
    return machine, order


def _nodes_of(site: Site, cluster: Cluster, name: str) -> Mask:
    """The cluster's nodes of a partition, the first of several, (N,): all, where the site does not say."""
    partition = site.conf.partition(name.split(",")[0])
    if partition is None or not partition.groups or len(cluster.groups) != len(site.conf.groups):
        return np.ones(cluster.nodes, np.bool_)
    numbers = [k for k, group in enumerate(cluster.groups, 1) for _ in range(group.count)]
    return np.isin(numbers, partition.groups)


def in_own_partitions(
    work: Workload, trace: Trace, site: Site, cluster: Cluster, merged: Sequence[str]
) -> Workload:
    """The workload with the parts of heterogeneous jobs in their own partitions; `merged` are one."""
    if not trace.task_queues:
        return work
    together = [_nodes_of(site, cluster, name) for name in merged]
    nodes = [
        np.any(together, axis=0) if name in merged else _nodes_of(site, cluster, name)
        for name in trace.task_queues
    ]
    sizes, queue = np.diff(trace.tasks.offset), trace.tasks["queue"]
    # Only jobs whose parts are in different partitions need zones of their own: for all others the partition
    # does it.
    several = np.repeat(np.minimum.reduceat(queue, trace.tasks.offset[:-1]), sizes) != np.repeat(
        np.maximum.reduceat(queue, trace.tasks.offset[:-1]), sizes
    )
    zone, zones = np.array(work.zone), list(work.zone_nodes)
    made: dict[tuple[int, int], int] = {}
    # Zones are shared among groups with the same nodes and partition.
    for group in np.flatnonzero(several).tolist():
        key = int(zone[group]), int(queue[group])
        if key not in made:
            made[key] = len(zones)
            zones.append(work.zone_nodes[key[0]] & nodes[key[1]])
        zone[group] = made[key]
    return work._replace(zone=zone, zone_nodes=np.array(zones))


def across_partitions(trace: Trace, jobs: SiteJobs, machine: SiteMachine) -> tuple[SiteJobs, SiteMachine]:
    """Jobs with parts in several partitions, each in a partition of the nodes of all its zones.

    Such a partition has the tier of the job's first part.
    """
    if not trace.task_queues:
        return jobs, machine
    part, parts, tier = jobs.part.copy(), list(machine.parts), list(machine.tier)
    made: dict[tuple[int, ...], int] = {}
    queue = trace.tasks["queue"]
    for job in range(len(part)):
        partitions = np.unique(queue[slice(*trace.tasks.offset[job : job + 2].tolist())])
        if len(partitions) < 2:
            # A job in one partition keeps it.
            continue
        zones = np.unique(jobs.zone[jobs.offset[job] : jobs.offset[job + 1]])
        # Jobs with the same zones and the same first partition share the partition that is made for them.
        key = (int(part[job]), *zones.tolist())
        if key not in made:
            made[key] = len(parts)
            parts.append(machine.zones[zones].any(axis=0))
            tier.append(machine.tier[part[job]])
        part[job] = made[key]
    parts_of_all = np.ascontiguousarray(np.array(parts))
    return jobs._replace(part=part), machine._replace(parts=parts_of_all, tier=np.array(tier, np.int64))


def _by_number(name: str) -> tuple[str, int]:
    """The order of names of nodes: by what precedes the number at the end, then by that number."""
    before = name.rstrip("0123456789")
    return before, int(name[len(before) :] or 0)
