"""Tasks that take nodes whole: how many, and what these have to have, apart from the simulator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.audit.table import Ints, per_job
from engine.machine.cluster import Cluster
from engine.trace import Trace


class TakenNodes(NamedTuple):
    """Whole nodes that a task group takes, and what each has to have, shape (K,) as in `Cluster.capacity`."""

    nodes: int
    need: Ints


class WholeNodes:
    """The whole nodes of a machine that jobs of a trace take.

    A task takes any node with the CPUs that it requested. It counts with the CPUs that it was allocated, or
    those of the smallest such node if these are fewer. Tasks whose number of nodes is not known
    fill nodes of the most frequent kind.
    """

    def __init__(self, trace: Trace, cluster: Cluster) -> None:
        self._trace, self._names = trace, cluster.resources
        self._capacity = cluster.capacity()
        kinds, count = np.unique(self._capacity, axis=0, return_counts=True)
        self._kinds = kinds[np.argsort(-count, kind="stable")]
        self._some = not cluster.pooled and "whole" in trace.tasks.columns
        self._known: dict[tuple[int, ...], TakenNodes] = {}

    def of(self, row: int) -> TakenNodes | None:
        """The whole nodes that a task group takes; None if it takes parts of nodes."""
        tasks = self._trace.tasks
        if not self._some or tasks["whole"][row] == 0:
            return None
        amounts = (max(0, int(tasks[name][row])) if name in tasks.columns else 0 for name in self._names)
        key = (int(tasks["whole"][row]), int(tasks["count"][row]), *amounts)
        if key not in self._known:
            self._known[key] = self._taken(*key)
        return self._known[key]

    def holding(self, free: Ints, taken: TakenNodes) -> Ints:
        """The numbers of the nodes that hold a task, given what each has free, shape (nodes, K)."""
        return np.flatnonzero((free == self._capacity).all(axis=1) & (free >= taken.need).all(axis=1))

    def processors(self) -> Ints:
        """Processors that each job takes, shape (n,)."""
        return (
            self._trace.procs - per_job(self._trace.tasks, self._less(0)) if self._some else self._trace.procs
        )

    def least(self) -> tuple[Ints, Ints]:
        """The total amounts that each job takes, shape (n, K), and its number of whole nodes, shape (n,)."""
        tasks = self._trace.tasks
        amounts = [
            np.maximum(tasks[name], 0) if name in tasks.columns else np.zeros(len(tasks["count"]), np.int64)
            for name in self._names
        ]
        total = [per_job(tasks, tasks["count"] * each - self._less(k)) for k, each in enumerate(amounts)]
        nodes = np.zeros(len(tasks["count"]), np.int64)
        for row, taken in self._rows():
            nodes[row] = taken.nodes
        return np.stack(total, axis=1), per_job(tasks, nodes)

    def _less(self, resource: int) -> Ints:
        """By how much the tasks of each group count with less than they were allocated, shape (groups,)."""
        tasks = self._trace.tasks
        less = np.zeros(len(tasks["count"]), np.int64)
        for row, taken in self._rows():
            name = self._names[resource]
            amount = int(tasks["count"][row]) * max(0, int(tasks[name][row])) if name in tasks.columns else 0
            less[row] = max(0, amount - taken.nodes * int(taken.need[resource]))
        return less

    def _rows(self) -> Iterator[tuple[int, TakenNodes]]:
        """The groups that take nodes whole, and what they take."""
        for row in np.flatnonzero(self._trace.tasks["whole"]).tolist() if self._some else ():
            taken = self.of(row)
            assert taken is not None
            yield row, taken

    def _taken(self, whole: int, count: int, *amounts: int) -> TakenNodes:
        need = np.array(amounts, np.int64)
        if whole > 0:
            # As in the simulator: on a machine of smaller nodes the need falls to the smallest node that the
            # log's allocation would fit.
            fit = (self._kinds[:, 0] >= whole) & (self._kinds[:, 1:] >= need[1:]).all(axis=1)
            need[0] = min([need[0], *self._kinds[fit, 0]])
            return TakenNodes(count, need)
        # Packed tasks: as many as fit on a node of this kind become a single task with their sum.
        for kind in self._kinds:
            each = min(
                [count, *(has // needed for has, needed in zip(kind, need, strict=True) if needed > 0)]
            )
            if each > 0:
                return TakenNodes(-(-count // int(each)), need * each)
        return TakenNodes(count, need)
