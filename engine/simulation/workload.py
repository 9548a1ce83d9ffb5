"""What the kernels read: a trace, a machine and a policy as plain arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cluster import Cluster
from engine.trace import Trace

Ints = NDArray[np.int64]

NO_SHAPE = -1


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
    task_need: Ints  # (n, K) the most that one task needs of each resource
    group_offset: Ints  # (n + 1,)
    group_tasks: Ints  # (groups,)
    group_need: Ints  # (groups, K)
    shape: Ints  # (n,) jobs with one group of tasks alike have the same number; others have NO_SHAPE
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
        need=_over_groups(np.add, group_need * group_tasks[:, None], trace.tasks.offset),
        task_need=_over_groups(np.maximum, group_need, trace.tasks.offset),
        group_offset=np.array(trace.tasks.offset),
        group_tasks=group_tasks,
        group_need=group_need,
        shape=_shapes(group_tasks, group_need, np.array(trace.tasks.offset), cluster.pooled),
        capacity=capacity,
    )


def _shapes(group_tasks: Ints, group_need: Ints, offset: Ints, pooled: bool) -> Ints:
    shapes = np.full(len(offset) - 1, NO_SHAPE, np.int64)
    if pooled:
        return shapes  # nothing is placed on a pool
    single = np.diff(offset) == 1
    group = offset[:-1][single]
    # Column by column, since numbers are sorted far faster than rows, and without the interpreter lock.
    shape = np.zeros(len(group), np.int64)
    for column in (group_tasks, *group_need.T):
        values, code = np.unique(column[group], return_inverse=True)
        shape = np.unique(shape * max(len(values), 1) + code, return_inverse=True)[1]
    shapes[single] = shape
    return shapes


def _over_groups(combine: np.ufunc, values: Ints, offset: Ints) -> Ints:
    """Sums or maxima over the rows of each job, shape (n, K); every job has at least one row."""
    if len(offset) == 1:
        return np.zeros((0, values.shape[1]), np.int64)
    return np.ascontiguousarray(combine.reduceat(values, offset[:-1], axis=0))
