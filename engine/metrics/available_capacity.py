"""The available part of the machine over time."""

from __future__ import annotations

from engine.arrays import Ints
from engine.machine.cluster import Cluster
from engine.machine.outages import Outages
from engine.metrics.series import StepSeries
from engine.schedule.schedule import Schedule


def available(schedule: Schedule, of_node: Ints) -> StepSeries:
    """The part that is up of an amount that nodes have, shape (nodes,), from the first submission on."""
    return StepSeries(*schedule.outages.left_of(of_node, schedule.first_submit))


def resource_seconds(cluster: Cluster, outages: Outages, resource: str, begin: int, end: int) -> float | None:
    """The integral of the available amount of a resource from `begin` to `end`, s; None if unknown."""
    whole = cluster.total(resource)
    if whole is None:
        return None
    of_node = cluster.capacity()[:, cluster.resources.index(resource)]
    return whole * (end - begin) - outages.clipped(begin, end).cpu_seconds(of_node)


def processor_seconds(cluster: Cluster, outages: Outages, begin: int, end: int) -> float:
    """The processor-seconds of working nodes from `begin` to `end`, s."""
    return cluster.cpus * (end - begin) - outages.clipped(begin, end).cpu_seconds(cluster.node_cpus())
