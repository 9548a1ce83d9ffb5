"""A schedule at an instant: running and waiting jobs, free resources, and the jobs that fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.limits import MAX_NODE_RAM
from engine.schedule.schedule import Schedule

_UNASKED = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Instant:
    """A schedule at `time` (s). Jobs are indices into the trace.

    A job runs from its start and no longer at its end; it waits from its submission up to
    its start.
    """

    time: int
    running: Ints  # in order of submission; also those that a failure will stop
    waiting: Ints  # the same
    planned: Ints  # waiting jobs with a planned start, the earliest first
    promised: Ints  # that start, as last planned by then, s; same shape
    used: int  # processors
    free: int  # processors, of nodes that are up
    nodes: FreeNodes | None  # None if the nodes of jobs are not known


@dataclass(frozen=True)
class FreeNodes:
    """The distribution of free processors over the nodes; a pool is a single node."""

    cpus: int  # the most that are free on a single node: the largest task that could start
    ram: int | None  # MiB free on that node, None where its RAM is not known
    unusable: int  # free processors on nodes where no task of any waiting job fits


def at_instant(schedule: Schedule, time: int) -> Instant:
    """The state of the schedule at `time`, in seconds from the trace's zero.

    Takes time in the number of jobs; the first call on a log sorts its reservations.
    """
    submit = schedule.submit
    further = np.flatnonzero((schedule.further.start <= time) & (time < schedule.further.end))
    runs = np.zeros(len(submit), np.bool_)
    # A job runs in a run that will be stopped, but not where a job like it runs that a variant adds.
    added = further >= len(schedule.stopped)
    runs[schedule.further.job[further[~added]]] = True
    waiting = np.flatnonzero((submit <= time) & (time < schedule.start) & ~runs)
    completing = np.flatnonzero((schedule.start <= time) & (time < schedule.end) & schedule.ran)
    runs[completing] = True
    running = np.flatnonzero(runs)
    used = int(schedule.procs[running].sum() + schedule.procs[schedule.further.job[further[added]]].sum())
    down = schedule.outages.down_at(time)
    there = schedule.cluster.cpus - int(schedule.cluster.node_cpus()[down].sum())
    planned, promised = planned_at(schedule, time)
    return Instant(
        time=time,
        running=running,
        waiting=waiting,
        planned=planned,
        promised=promised,
        used=used,
        free=max(there - used, 0),
        nodes=_free_nodes(schedule, completing, further, down, waiting),
    )


def planned_at(schedule: Schedule, time: float) -> tuple[Ints, Ints]:
    """The jobs that wait at `time` (s) with a planned start, and that start; earliest first.

    A planned start that has passed no longer counts.
    """
    waiting = np.flatnonzero((schedule.submit <= time) & (time < schedule.start))
    start = schedule.log.promises.known_at(waiting, time)
    ahead = np.flatnonzero(start > time)
    ahead = ahead[np.argsort(start[ahead], kind="stable")]
    return waiting[ahead], start[ahead]


def _free_nodes(
    schedule: Schedule, completing: Ints, further: Ints, down: Ints, waiting: Ints
) -> FreeNodes | None:
    """The free resources on nodes that are up, without jobs that run to their end, and further runs."""
    cluster, nodes = schedule.cluster, schedule.pieces["node"]
    if not cluster.pooled and not nodes.any():
        return None  # a log without nodes: node 0 stands for the whole machine
    free = capacity_left(schedule, completing, further, down)
    best = np.lexsort(free.T[::-1])[-1]
    return FreeNodes(
        cpus=int(free[best, 0]),
        ram=int(free[best, 1]) if cluster.limits_ram and free[best, 1] <= MAX_NODE_RAM else None,
        unusable=int(free[~_fits_some(free, _asked(schedule, waiting)), 0].sum()),
    )


def capacity_left(schedule: Schedule, completing: Ints, further: Ints, down: Ints) -> Ints:
    """The free resources of each node besides jobs that run to their end, and those further runs, (nodes, K).

    Columns as in `Cluster.capacity`; nodes that are down have nothing.
    """
    cluster = schedule.cluster
    free = cluster.capacity()
    for taken in (schedule.pieces.take(completing), schedule.further.pieces.take(further)):
        np.subtract.at(free, taken["node"], taken.amounts(cluster.resources))
    free[down] = 0
    return np.maximum(free, 0)  # a log may ask for more than there is


def _asked(schedule: Schedule, waiting: Ints) -> Ints:
    """The need of each task of the waiting jobs on a node, shape (tasks, K); on a pool of each job."""
    trace = schedule.trace
    resources = schedule.cluster.resources
    if schedule.cluster.pooled:
        return np.stack([trace.asked(name)[waiting] for name in resources], axis=1)
    return trace.tasks.take(waiting).amounts(resources)


def _fits_some(free: Ints, asked: Ints) -> NDArray[np.bool_]:
    """The nodes on which at least one of the tasks would fit, shape (nodes,)."""
    order = np.argsort(asked[:, 0], kind="stable")
    last = np.searchsorted(asked[order, 0], free[:, 0], "right")  # number of tasks with enough processors
    if asked.shape[1] == 1:
        return np.asarray(last > 0)
    if asked.shape[1] > 2:
        fits = np.zeros(len(free), np.bool_)
        for need in np.unique(asked, axis=0):
            fits[~fits] = (need <= free[~fits]).all(axis=1)
        return fits
    # The least RAM that any of the first k tasks, sorted by processors, requests.
    least = np.append(_UNASKED, np.minimum.accumulate(asked[order, 1]))
    return np.asarray(least[last] <= free[:, 1])
