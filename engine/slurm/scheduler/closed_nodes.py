"""The reservations of a site, and nodes that were away, as times for which nodes are closed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from engine.dates import parse_time
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.slurm.scheduler.bounds import make_closures
from engine.slurm.scheduler.state import Ints, Mask, SiteClosures, SiteJobs, SiteMachine
from engine.slurm.site.reservations import Reservation
from engine.slurm.site.site import Site
from engine.trace import Trace

TICKS = 20
"""Of a second, each as long as it takes until slurmctld knows of a job's end."""


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
    closed = sorted(_closed(site, trace, cluster, order), key=lambda closure: (closure.last, closure.first))
    names = trace.reservation
    asked = [""] * len(trace) if names is None else np.array(names.names, object)[names.codes].tolist()
    return _inside(closed, asked, jobs, machine)


def closure_names(site: Site, trace: Trace, cluster: Cluster, order: Ints) -> tuple[str, ...]:
    """The reservation of each closure; empty where nodes were away."""
    closed = sorted(_closed(site, trace, cluster, order), key=lambda closure: (closure.last, closure.first))
    return tuple(closure.reservation for closure in closed)


def with_reservations_now(
    site: Site, cluster: Cluster, order: Ints, asked: Sequence[str], jobs: SiteJobs, machine: SiteMachine
) -> tuple[SiteJobs, SiteMachine, SiteClosures]:
    """The same for a queue, whose times count from the site's `clock`; without it there are no closures.

    `asked` are the names of the reservations that the jobs ask for, empty for most.
    """
    return _inside(_closed_now(site, cluster, order), asked, jobs, machine)


def closure_names_now(site: Site, cluster: Cluster, order: Ints) -> tuple[str, ...]:
    """The reservation of each closure of a queue."""
    return tuple(closure.reservation for closure in _closed_now(site, cluster, order))


def _closed_now(site: Site, cluster: Cluster, order: Ints) -> list[_Closed]:
    closed = []
    for reservation in site.reservations if site.clock is not None else ():
        nodes = _nodes_of(reservation, cluster)
        try:
            # The reservation's date is of the site's clock, and the run begins at the clock of its first
            # moment.
            first, last = (
                _by_clock(date) - (site.clock or 0) for date in (reservation.start, reservation.end)
            )
        except ValueError:
            continue
        # A reservation that is over, or of nodes that the machine does not have, holds nobody back.
        if nodes.any() and last > max(first, 0):
            closed.append(_Closed(first * TICKS, last * TICKS, nodes[order], reservation.name))
    return sorted(closed, key=lambda closure: (closure.last, closure.first))


def _by_clock(date: str) -> int:
    """A date in s from 1970, as if it were UTC. Raises ValueError."""
    return round((datetime.fromisoformat(date) - datetime(1970, 1, 1)).total_seconds())


def _inside(
    closed: Sequence[_Closed], asked: Sequence[str], jobs: SiteJobs, machine: SiteMachine
) -> tuple[SiteJobs, SiteMachine, SiteClosures]:
    """The closures, and jobs in ticks that run inside those that they ask for by name."""
    closures = make_closures([(closure.first, closure.last, closure.nodes) for closure in closed])
    number = {closure.reservation: k for k, closure in enumerate(closed) if closure.reservation}
    # A job that names a reservation which is not there is handled as one that names none.
    inside = np.array([number.get(name, -1) for name in asked], np.int64)
    if not number or (inside < 0).all():
        return jobs, machine, closures
    # slurmctld starts no job of a reservation before the reservation begins.
    begin = np.where(inside >= 0, np.maximum(jobs.begin, closures.first[inside]), jobs.begin)
    zone, zones = jobs.zone.copy(), list(machine.zones)
    made: dict[tuple[int, int], int] = {}
    for job in np.flatnonzero(inside >= 0).tolist():
        for group in range(jobs.offset[job], jobs.offset[job + 1]):
            # Zones are shared by all jobs of the same zone and reservation, so that their number stays
            # small.
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


def _nodes_of(reservation: Reservation, cluster: Cluster) -> Mask:
    """The nodes of a reservation, (N,), by their numbers in the cluster."""
    nodes = np.zeros(cluster.nodes, np.bool_)
    for name in reservation.nodes:
        node = cluster.find_node(name)
        if node is not None:
            nodes[node] = True
    return nodes


def _closed(site: Site, trace: Trace, cluster: Cluster, order: Ints) -> Iterator[_Closed]:
    for reservation in site.reservations:
        nodes = _nodes_of(reservation, cluster)
        try:
            first, last = parse_time(reservation.start, trace), parse_time(reservation.end, trace)
        except InputError:
            continue
        if nodes.any() and last > first and len(trace) and last > trace.submit[0]:
            yield _Closed(first * TICKS, last * TICKS, nodes[order], reservation.name)
    for first, last, numbers in site.away:
        yield _Closed(first * TICKS, last * TICKS, np.isin(order, numbers))
