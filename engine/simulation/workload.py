"""What the kernels read: a trace, a machine and a policy as plain arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cluster import Cluster
from engine.trace import Trace

Ints = NDArray[np.int64]


class Workload(NamedTuple):
    """The jobs, n of them in order of submission, and the machine.

    K resources: CPUs, then MiB of RAM where the machine limits it. A job's tasks come in
    groups: job j owns the groups `group_offset[j]:group_offset[j + 1]`, each of
    `group_tasks` tasks that need `group_need` (K values) inside one node.
    """

    submit: Ints  # (n,) s
    runtime: Ints  # (n,) D, s
    walltime: Ints  # (n,) L, s
    estimate: Ints  # (n,) E at submission, s
    need: Ints  # (n, K) of the whole job
    group_offset: Ints  # (n + 1,)
    group_tasks: Ints  # (groups,)
    group_need: Ints  # (groups, K)
    capacity: Ints  # (nodes, K)


def make_workload(trace: Trace, cluster: Cluster, estimate: Ints) -> Workload:
    """Fresh, writable arrays of a trace on a cluster. A job without RAM needs none."""
    capacity = cluster.capacity()
    columns = [trace.tasks["cpus"]]
    if cluster.limits_ram:
        columns.append(np.maximum(trace.tasks["ram"], 0))
    group_need = np.stack(columns, axis=1).astype(np.int64)
    group_tasks = np.array(trace.tasks["count"])
    return Workload(
        submit=np.array(trace.submit),
        runtime=np.array(trace.runtime),
        walltime=np.array(trace.walltime),
        estimate=np.array(estimate),
        need=_sum_groups(group_need * group_tasks[:, None], trace.tasks.offset),
        group_offset=np.array(trace.tasks.offset),
        group_tasks=group_tasks,
        group_need=group_need,
        capacity=capacity,
    )


def _sum_groups(values: Ints, offset: Ints) -> Ints:
    """Sums over the rows of each job, shape (n, K); every job has at least one row."""
    if len(offset) == 1:
        return np.zeros((0, values.shape[1]), np.int64)
    return np.ascontiguousarray(np.add.reduceat(values, offset[:-1], axis=0))
