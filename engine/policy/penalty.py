"""Penalties: the weight of a job on the machine if it requests several resources at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from engine.arrays import Floats, Ints
from engine.machine.cluster import UNLIMITED


class Demand(Protocol):
    """The requests of n jobs on a machine with K resources: each job's task groups in sequence.

    Job j has the groups `group_offset[j]` to `group_offset[j + 1] - 1`.
    """

    @property
    def need(self) -> Ints:
        """The amounts that each whole job needs, shape (n, K)."""

    @property
    def group_offset(self) -> Ints:
        """Shape (n + 1,)."""

    @property
    def group_tasks(self) -> Ints:
        """Tasks of each group, shape (groups,)."""

    @property
    def group_need(self) -> Ints:
        """The need of a task of each group on a node, shape (groups, K)."""

    @property
    def capacity(self) -> Ints:
        """The capacity of each node of the machine, shape (nodes, K)."""


def penalties(work: Demand, penalty: str) -> Floats:
    """P_j of each job, shape (n,), in shares of the machine (Klusacek, Rudova & Jaros 2013).

    With x and y the job's shares of the machine's CPUs and RAM: `cpu` x; `max` max(x, y), the dominant share;
    `sqrt` 1 - sqrt((1 - x)(1 - y)), for K resources the K-th root; `product` 1 - (1 - x)(1 - y); `equivalent`
    the largest share of a node that one of the job's tasks takes, times the number of its tasks, over the
    nodes of the machine (the processor equivalent of Jackson, Snell & Clement 2001). Further resources, such
    as GPUs, count like these; RAM that the machine does not limit does not count. Raises KeyError for a name
    that is not among PENALTIES.
    """
    limited = work.capacity.min(axis=0) < UNLIMITED // len(work.capacity)
    there = np.maximum(work.capacity.sum(axis=0), 1)  # a job cannot run if no node has a requested resource
    share = np.minimum(work.need / there, 1.0)[:, limited]
    return np.ascontiguousarray(PENALTIES[penalty](work, share))


def _processor_equivalent(work: Demand) -> Floats:
    task_share = np.full(len(work.group_tasks), np.inf)
    for node in np.unique(work.capacity, axis=0):
        share = np.where(work.group_need > 0, work.group_need / np.maximum(node, 1e-6), 0.0)
        on_node = share.max(axis=1)
        task_share = np.where(on_node <= 1.0, np.minimum(task_share, on_node), task_share)
    task_share[np.isinf(task_share)] = 1.0  # fits no node: the job will be refused
    first = work.group_offset[:-1]
    largest = np.maximum.reduceat(task_share, first) if len(first) else task_share
    tasks = np.add.reduceat(work.group_tasks, first) if len(first) else work.group_tasks
    return np.asarray(largest * tasks / len(work.capacity))


PENALTIES: dict[str, Callable[[Demand, Floats], Floats]] = {
    "cpu": lambda work, share: share[:, 0],
    "max": lambda work, share: share.max(axis=1),
    "sqrt": lambda work, share: 1.0 - np.prod(1.0 - share, axis=1) ** (1.0 / share.shape[1]),
    "product": lambda work, share: 1.0 - np.prod(1.0 - share, axis=1),
    "equivalent": lambda work, share: _processor_equivalent(work),
}
"""Penalties by name, from the demands of jobs and their shares of each resource, shape (n, K).

A further penalty needs only a line here.
"""
