"""Even tasks: a task on each node, with an equal share of the job, for logs with only a number of nodes."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints
from engine.trace.trace import Pieces


def even_shares(amount: Ints, offset: Ints) -> Ints:
    """Amounts of jobs, (n,), spread evenly over the rows that each owns, (rows,); the first have the rest."""
    sizes = np.diff(offset)
    even, more = np.divmod(np.maximum(amount, 0), np.maximum(sizes, 1))
    place = np.arange(int(offset[-1])) - np.repeat(offset[:-1], sizes)
    return np.asarray(np.repeat(even, sizes) + (place < np.repeat(more, sizes)), np.int64)


def even_tasks(procs: Ints, nodes: Ints, ram: Ints) -> Pieces:
    """Task groups (count, cpus, ram) of jobs on these numbers of nodes; all shape (n,), `ram` in MiB of the
    job.

    Processors are split evenly, with an additional processor for some tasks if necessary; RAM is split
    evenly, and rounded up. A job without a number of nodes has no groups.
    """
    tasks = np.where((nodes > 0) & (procs > 0), np.minimum(nodes, procs), 0)
    each, more = np.divmod(procs, np.maximum(tasks, 1))
    share = np.where(ram > 0, -(-ram // np.maximum(tasks, 1)), 0)
    # Equal tasks are a single group; where some have a processor more, there are two groups.
    sizes = np.where(tasks > 0, 1 + (more > 0), 0)
    offset = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    count, cpus = np.empty(offset[-1], np.int64), np.empty(offset[-1], np.int64)
    known, uneven = tasks > 0, more > 0
    # The wider tasks stand first within the job, the others last.
    last, wider = offset[1:][known] - 1, offset[:-1][uneven]
    count[last], cpus[last] = (tasks - more)[known], each[known]
    count[wider], cpus[wider] = more[uneven], each[uneven] + 1
    return Pieces(offset, {"count": count, "cpus": cpus, "ram": np.repeat(share, sizes)})
