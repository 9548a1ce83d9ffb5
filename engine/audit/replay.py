"""A schedule played again, event by event: what runs, what waits, and what is free."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from engine.audit.beliefs import Key, queue_keys, ranks
from engine.audit.clock import DIGITS
from engine.audit.columns import Floats
from engine.audit.refusals import held_processors
from engine.audit.table import Ints, ScheduleTable, asked
from engine.audit.whole_nodes import WholeNodes
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy


class Replay:
    """The state after all that happens at `now`; `events` goes from one such moment to the next.

    Jobs that never run are left out, and so is what a job did but its first run.
    `submitted`, `ended` and `started` are the jobs of this moment: ends in the order of
    starts, all else in the order of the trace.
    """

    def __init__(self, table: ScheduleTable, cluster: Cluster, policy: Policy, estimate: Ints) -> None:
        self.estimate, self.walltime = estimate, table.trace.walltime
        self.procs = held_processors(table.trace, cluster, policy)
        self.whole = WholeNodes(table.trace, cluster)
        self._keys = queue_keys(policy, table.trace, estimate, self.procs)
        self._rank = ranks(self._keys)
        self._submit = table.trace.submit
        self._threshold = np.inf if policy.threshold is None else float(policy.threshold)
        self.now = 0.0
        self.submitted: list[int] = []
        self.started: list[int] = []
        self.ended: list[int] = []
        self.running: set[int] = set()
        self.waiting: set[int] = set()
        self._heap: list[tuple[Key, int]] = []
        self._oldest: list[int] = []
        ran = np.flatnonzero(table.first_row >= 0)
        self.start = np.full(len(table.trace), np.nan)
        self.end = np.full(len(table.trace), np.nan)
        self.start[ran] = table.start[table.first_row[ran]]
        self.end[ran] = table.end[table.first_row[ran]]
        self._at: dict[float, tuple[list[int], list[int], list[int]]] = defaultdict(lambda: ([], [], []))
        for job in ran.tolist():
            self._at[float(table.trace.submit[job])][0].append(job)
            self._at[float(self.start[job])][1].append(job)
        for job in sorted(ran.tolist(), key=lambda job: (self.start[job], job)):
            self._at[float(self.end[job])][2].append(job)
        self._hold(table, cluster)

    def _hold(self, table: ScheduleTable, cluster: Cluster) -> None:
        """What each job holds: rows of (node, amounts), on a pool one row of its totals."""
        if cluster.pooled or table.pieces is None:
            amounts = [table.trace.procs.copy()]
            given = table.job[::-1]
            amounts[0][given] = np.ceil(np.maximum(0, table.procs))[::-1]
            limits = {name: cluster.total(name) for name in cluster.resources[1:]}
            limits = {name: limit for name, limit in limits.items() if limit is not None}
            amounts += [asked(table, name) for name in limits]
            self.names = ("cpus", *limits)
            self.amount = np.stack(amounts, axis=1)
            self.node = np.zeros(len(self.start), np.int64)
            self.offset = np.arange(len(self.start) + 1)
            self.capacity = np.array([[cluster.cpus, *limits.values()]], np.int64)
        else:
            self.names = cluster.resources
            self.amount = np.stack([table.pieces[name] for name in self.names], axis=1)
            self.node, self.offset = table.pieces["node"], table.pieces.offset
            self.capacity = cluster.capacity()
        self.free = self.capacity.copy()
        self.pooled = cluster.pooled

    def events(self) -> Iterator[float]:
        """Each moment at which anything is submitted, starts or ends, in order."""
        for now in sorted(self._at):
            self.now = now
            self.submitted, self.started, self.ended = self._at[now]
            for job in self.submitted:
                if self.start[job] >= now:
                    self.waiting.add(job)
                    heappush(self._heap, (self._keys[job], job))
                    heappush(self._oldest, job)
            for job in self.ended:
                if job in self.running:
                    self.running.remove(job)
                    self._change(job, 1)
            for job in self.started:
                self.waiting.discard(job)
                if self.end[job] > now:
                    self.running.add(job)
                    self._change(job, -1)
            yield now

    def head(self) -> int | None:
        """The first job of the queue, None where nothing waits."""
        if not self.waiting:
            return None
        while self._oldest[0] not in self.waiting:
            heappop(self._oldest)
        if self._starves(self._oldest[0]):
            return self._oldest[0]
        while self._heap[0][1] not in self.waiting:
            heappop(self._heap)
        return self._heap[0][1]

    def key(self, job: int) -> Key:
        """What sorts a job that waits, or waited until now, in the queue: those that starve go first."""
        if self._starves(job):
            return (0, float(self._submit[job]), job)
        return (1, *self._keys[job])

    def order(self, jobs: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """The same for many jobs, shape (k,), as `lexsort` takes it; those alike but for their index tie."""
        starves = self.now - self._submit[jobs] > self._threshold
        return np.where(starves, self._submit[jobs], self._rank[jobs]), ~starves

    def _starves(self, job: int) -> bool:
        return bool(self.now - self._submit[job] > self._threshold)

    def believed_ends(self, jobs: Ints) -> Floats:
        """When running jobs, shape (k,), seem to end, s.

        An estimate that is used up becomes the requested walltime, and after that one second more.
        """
        ends = np.round(self.start[jobs] + self.estimate[jobs], DIGITS)
        limit = np.round(self.start[jobs] + self.walltime[jobs], DIGITS)
        return np.asarray(np.where(ends > self.now, ends, np.where(limit > self.now, limit, self.now + 1)))

    def rows(self, jobs: Ints) -> Ints:
        """The rows of what these jobs hold, job by job."""
        sizes = self.offset[jobs + 1] - self.offset[jobs]
        before = np.cumsum(sizes) - sizes
        return np.asarray(np.repeat(self.offset[jobs] - before, sizes) + np.arange(sizes.sum()))

    def _change(self, job: int, sign: int) -> None:
        own = slice(self.offset[job], self.offset[job + 1])
        np.add.at(self.free, self.node[own], sign * self.amount[own])
