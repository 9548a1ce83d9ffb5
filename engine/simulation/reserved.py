"""The reservations of a site, and nodes that were away, as times for which nodes are closed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.dates import parse_time
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.site.bounds import make_closures
from engine.site.site import Site
from engine.site.state import Ints, Mask, SiteClosures, SiteJobs, SiteMachine
from engine.trace import Trace

TICKS = 2
"""Of a second. A log floors its times: the two schedulers run at different moments of a second, each always
at the same, and a job that one of them started ends just after that moment, too late for its pass there."""


@dataclass(frozen=True)
class _Closed:
    """Nodes, (N,) in the machine's order, that are closed from a tick to another but for a reservation."""

    first: int
    last: int
    nodes: Mask
    reservation: str = ""


def with_reservations(
    site: Site, trace: Trace, cluster: Cluster, order: Ints, jobs: SiteJobs, machine: SiteMachine
) -> tuple[SiteJobs, SiteMachine, SiteClosures]:
    """The closures, and the jobs, in ticks: those that name a reservation run on its nodes and in its time.

    `order` are the numbers of the machine's nodes in the cluster.
    """
    closed = sorted(_closed(site, trace, cluster, order), key=lambda one: (one.last, one.first))
    closures = make_closures([(one.first, one.last, one.nodes) for one in closed])
    number = {one.reservation: k for k, one in enumerate(closed) if one.reservation}
    if trace.reservation is None or not number:
        return jobs, machine, closures
    of_name = np.array([number.get(name, -1) for name in trace.reservation.names], np.int64)
    inside = of_name[trace.reservation.codes]
    begin = np.where(inside >= 0, np.maximum(jobs.begin, closures.first[inside]), jobs.begin)
    zone, zones = jobs.zone.copy(), list(machine.zones)
    made: dict[tuple[int, int], int] = {}
    for job in np.flatnonzero(inside >= 0).tolist():
        for group in range(jobs.offset[job], jobs.offset[job + 1]):
            key = int(zone[group]), int(inside[job])
            if key not in made:
                made[key] = len(zones)
                zones.append(machine.zones[key[0]] & closed[key[1]].nodes)
            zone[group] = made[key]
    return (
        jobs._replace(begin=begin, inside=inside, zone=zone),
        machine._replace(zones=np.ascontiguousarray(np.array(zones))),
        closures,
    )


def _closed(site: Site, trace: Trace, cluster: Cluster, order: Ints) -> Iterator[_Closed]:
    for one in site.reservations:
        nodes = np.zeros(cluster.nodes, np.bool_)
        for name in one.nodes:
            node = cluster.find_node(name)
            if node is not None:
                nodes[node] = True
        try:
            first, last = parse_time(one.start, trace), parse_time(one.end, trace)
        except InputError:
            continue
        if nodes.any() and last > first and len(trace) and last > trace.submit[0]:
            yield _Closed(first * TICKS, last * TICKS, nodes[order], one.name)
    for first, last, numbers in site.away:
        yield _Closed(first * TICKS, last * TICKS, np.isin(order, numbers))
