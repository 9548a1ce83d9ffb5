"""What was free on the nodes of a site's jobs, apart from the simulator, within bounds.

Slurm decides within a second, knows of an end a moment later, and lets a job hold its nodes from the decision
on. Surely free is what no run can have held in that second; at most free is what none held for all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from engine.arrays import Mask
from engine.audit.log_rows import KindRows
from engine.audit.moments import AuditedRuns, SurelyFree
from engine.audit.table import Ints, per_job
from engine.dates import parse_time
from engine.errors import InputError
from engine.machine.features import read_features
from engine.schedule.schedule import Schedule
from engine.slurm.site.site import Site

_LATE = 2  # s after a job's end by which Slurm surely knows of it


class ClosedNodes(NamedTuple):
    """Nodes, (N,), that are closed from a time to another, s; `name` is a reservation, empty for nodes that
    were away.
    """

    name: str
    first: int
    last: int
    nodes: Mask


class Free(NamedTuple):
    """What is free on each node at a time, (N, K): surely, and at most."""

    surely: Ints
    most: Ints


class SiteRoom:
    """Nodes of jobs, and what was free on them."""

    def __init__(self, site: Site, schedule: Schedule, runs: AuditedRuns) -> None:
        self.site, self.schedule, self.runs = site, schedule, runs
        groups = schedule.cluster.groups
        # The number of each node's group, (N,); like those of partitions, numbers of groups begin at 1.
        self._group = np.repeat(np.arange(1, len(groups) + 1), [group.count for group in groups])
        # The nodes that have the features of a request, by the request's number in the trace.
        self._nodes_with: dict[int, Mask] = {}
        tasks, names = schedule.trace.tasks, schedule.cluster.resources
        asked = tasks["count"][:, None] * tasks.amounts(names)
        # What each job asks for, (n, K): what it got once it ran, which whole nodes may make more.
        self.wanted = np.stack([per_job(tasks, asked[:, k]) for k in range(len(names))], axis=1)
        self.wanted[runs.job] = runs.totals()

    @cached_property
    def parts(self) -> Mask:
        """The nodes of each partition of the log, (Q, N): all, where the files do not say."""
        return self._parts_of(self.schedule.trace.queue.names)

    @cached_property
    def parts_of_tasks(self) -> Mask:
        """The nodes of the partitions of parts of heterogeneous jobs, as `queue` of tasks numbers them."""
        return self._parts_of(self.schedule.trace.task_queues)

    def _parts_of(self, queues: Sequence[str]) -> Mask:
        conf = self.site.conf
        parts = np.ones((len(queues), len(self._group)), np.bool_)
        same = len(conf.groups) == len(self.schedule.cluster.groups)
        for code, name in enumerate(queues):
            partition = conf.partition(name.split(",")[0])
            if same and partition is not None and partition.groups:
                parts[code] = np.isin(self._group, partition.groups)
        return parts

    def nodes_of(self, job: int) -> Mask:
        """The nodes on which a job may run, by its partition and the features that it asks for, (N,)."""
        trace = self.schedule.trace
        part = self.parts[trace.queue.codes[job]]
        # A heterogeneous job has nodes of all partitions that its parts ask for.
        if trace.task_queues:
            rows = slice(*trace.tasks.offset[job : job + 2].tolist())
            part = self.parts_of_tasks[trace.tasks["queue"][rows]].any(axis=0)
        if "feature" not in trace.tasks.columns or not self.schedule.cluster.has_features:
            return np.asarray(part)
        # A node counts if it has the features that any part of the job asks for, whichever part runs there.
        asked = np.unique(trace.tasks["feature"][slice(*trace.tasks.offset[job : job + 2].tolist())])
        nodes = np.zeros_like(part)
        for number in asked.tolist():
            if number not in self._nodes_with:
                groups = read_features(trace.features[number], self.schedule.cluster).groups
                self._nodes_with[number] = np.asarray(groups, np.bool_)[self._group - 1]
            nodes |= self._nodes_with[number]
        return np.asarray(part & nodes)

    def is_plain(self, job: int) -> bool:
        """Whether a job is of tasks that are alike on parts of nodes, so that it takes what it asks for."""
        tasks = self.schedule.trace.tasks
        rows = slice(*tasks.offset[job : job + 2].tolist())
        if "whole" in tasks.columns and tasks["whole"][rows].any():
            return False
        constrained = "constraint" in tasks.columns and len(self.schedule.trace.constraints) > 1
        return bool(tasks.offset[job + 1] - tasks.offset[job] == 1) and not constrained

    def at_rows(self, rows: KindRows) -> list[Free]:
        """What was free at the time of each row, (m,) in order of time."""
        launch = self.site.launch
        # A job holds its nodes from the decision, `launch` before its start.
        surely = SurelyFree(self.schedule, self.runs, launch, _LATE)
        most = SurelyFree(self.schedule, self.runs, launch - 1, 0)
        rooms: list[Free] = []
        for k, time in enumerate(rows.time.tolist()):
            same = k > 0 and time == rows.time[k - 1]
            rooms.append(rooms[-1] if same else Free(surely.at(time), most.at(time)))
        return rooms

    @cached_property
    def closed(self) -> list[ClosedNodes]:
        """The reservations of the site's files, and the nodes that were away."""
        cluster, trace, closures = self.schedule.cluster, self.schedule.trace, list[ClosedNodes]()
        for reservation in self.site.reservations:
            nodes = np.zeros(cluster.nodes, np.bool_)
            numbers = [cluster.find_node(name) for name in reservation.nodes]
            # Nodes of the reservation that the cluster does not have cannot hold anybody back.
            nodes[[number for number in numbers if number is not None]] = True
            try:
                first, last = (parse_time(date, trace) for date in (reservation.start, reservation.end))
            # A date that the log's clock cannot place is left out, as the simulation leaves it out.
            except InputError:
                continue
            closures.append(ClosedNodes(reservation.name, first, last, nodes))
        for first, last, away in self.site.away:
            closures.append(ClosedNodes("", first, last, np.isin(np.arange(cluster.nodes), away)))
        return closures

    def limit(self, job: int) -> int:
        """The time limit of a job in whole minutes, s."""
        return -(-max(int(self.schedule.trace.walltime[job]), 1) // 60) * 60

    def shape_of(self, job: int) -> Ints | None:
        """What a job took on each of its nodes once it ran, (nodes, K), most processors first."""
        pieces = np.flatnonzero(self.runs.job == job)
        if not len(pieces):
            return None
        rows = slice(*self.runs.offset[pieces[0] : pieces[0] + 2].tolist())
        _, place = np.unique(self.runs.node[rows], return_inverse=True)
        shape = np.zeros((int(place.max(initial=0)) + 1, self.runs.amount.shape[1]), np.int64)
        np.add.at(shape, place.reshape(-1), self.runs.amount[rows])
        return np.asarray(shape[np.argsort(-shape[:, 0], kind="stable")])
