"""The cap on the power of the machine: one more resource, of which idle nodes leave the rest to jobs.

In a pool it is a column beside processors and RAM. On nodes it is of the machine as a whole: a further node,
on which no task can run, has all of it, and each job has a piece there. So reservations, plans and
backfilling keep the cap as they keep all resources. A cap that changes by the clock is the greatest of its
values, of which profiles of time to come hold back what is not there at each time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.limits import MAX_TIME
from engine.machine.cluster import Cluster
from engine.machine.power import SERIES, NodeWatts, Rates, caps_over_time, node_watts, power_of
from engine.policy.policy import Policy
from engine.simulation.recorded_run import nodes_on
from engine.simulation.workload import Ints, Workload
from engine.trace import MISSING, Trace

Floats = NDArray[np.float64]

_MILLI = 1000
_GPU = "gpu"
_YEAR = 366 * 86_400
_ANY_POWER = 1 << 50
"""mW that no machine takes."""


class Capped(NamedTuple):
    """A workload with power as its last resource, in mW, and the cap as steps where it changes by the clock.

    From `time[i]` on, s, jobs may take `room[i]`, mW; both are empty where the cap is a number, or none. From
    `until` on, s, there is no cap.
    """

    work: Workload
    time: Ints
    room: Ints
    until: int = 0


def capped(work: Workload, trace: Trace, cluster: Cluster, policy: Policy, told: bool) -> Capped:
    """The workload under the cap of the policy; as it is where there is none.

    Unless reasons are `told`, a cap may as well be one on processors where all of them take the same: a pool
    of fewer then has the same schedule, and takes as long as one without a cap.

    Raises InputError where the power of the machine is not known, or the cap is below that of its idle nodes.
    """
    none = np.zeros(0, np.int64)
    if policy.power_cap is None:
        return Capped(work, none, none)
    if policy.own is not None:
        raise InputError(
            f"{policy.spelling}: code of your own does not know of power, and keeps no power_cap"
        )
    watts = _watts(trace, cluster)
    idle = watts.idle * cluster.node_cpus()
    # Nodes that are down take less than idle ones; where they take more, that is left to them.
    least = float((np.maximum(idle, watts.off) if cluster.failures is not None else idle).sum())
    caps = caps_over_time(policy.power_cap, power_of(trace.cluster))
    if caps is None:
        raise InputError(f"power_cap={SERIES} needs a table [cap] in the file that --power names")
    lowest = float(np.nanmin(caps.value, initial=np.inf))
    if 1000.0 * lowest < least:
        raise InputError(
            f"power_cap={policy.power_cap}: the cap of {lowest:,.6g} kW is below the power of the idle "
            f"machine, which is {least / 1e3:,.6g} kW"
        )
    # In whole milliwatts, as kernels count in whole numbers; the idle machine is rounded up.
    active = np.ceil(_MILLI * _active(work, trace, cluster, watts) - 1e-3).astype(np.int64)
    idle_machine = math.ceil(_MILLI * least - 1e-3)
    if policy.power_cap == SERIES:
        time, room, until = _steps(caps, trace, idle_machine)
        most = int(room.max())
        each = _each_processor(work, cluster, policy, active, told)
        if each > 0 and work.capacity.shape[1] == 1:
            processors = np.minimum(room // each, work.capacity[0, 0])
            changed = np.append(True, processors[1:] != processors[:-1])
            capacity = np.minimum(work.capacity, np.array([processors.max(), *work.capacity[0, 1:].tolist()]))
            return Capped(work._replace(capacity=capacity), time[changed], processors[changed], until)
        under = _pool(work, active, most) if cluster.pooled else _nodes(work, active, most)
        return Capped(under, time, room, until)
    left = round(_MILLI * 1000.0 * policy.power_cap) - idle_machine
    return Capped(_by_number(work, cluster, policy, active, left, told), none, none)


def _by_number(
    work: Workload, cluster: Cluster, policy: Policy, active: Ints, room: int, told: bool
) -> Workload:
    """The workload of jobs that take the power `active`, (n,), of which there is always as much."""
    if not cluster.pooled:
        return _nodes(work, active, room)
    each = _each_processor(work, cluster, policy, active, told)
    if each > 0:
        fewer = np.minimum(work.capacity, np.array([room // each, *work.capacity[0, 1:].tolist()]))
        return work._replace(capacity=fewer)
    return _pool(work, active, room)


def _each_processor(work: Workload, cluster: Cluster, policy: Policy, active: Ints, told: bool) -> int:
    """The power of a busy processor, mW, where the cap may as well be one on processors; else 0.

    That is in a pool where each takes the same: kernels then need no further resource.
    """
    plain = cluster.failures is None and policy.search == "none" and not policy.tunings
    if told or not plain or not cluster.pooled:
        return 0
    each = int(active.max(initial=0)) // max(int(work.need[:, 0].max(initial=1)), 1)
    return each if bool((active == each * work.need[:, 0]).all()) else 0


def _steps(caps: Rates, trace: Trace, idle: int) -> tuple[Ints, Ints, int]:
    """The steps of what a series of caps leaves to jobs beside the `idle` machine, s and mW, and its end.

    Where the series has no cap, jobs may take any power: before its first row, in gaps, and from three times
    the log's span and a year on, so that no job waits for ever that missed its last chance to start.
    """
    first, last = int(trace.submit[0]), int(trace.submit[-1])
    until = max(int(caps.time[-1]), last + 2 * (last - first) + _YEAR)
    time = np.concatenate(([-MAX_TIME], caps.time, [until]))
    value = np.concatenate(([np.nan], caps.value, [np.nan]))
    known = ~np.isnan(value)
    room = np.where(known, np.round(_MILLI * 1000.0 * np.where(known, value, 0.0)) - idle, _ANY_POWER)
    # A series may end where the time ends: of several rows in a second the last one holds.
    kept = np.append(time[1:] > time[:-1], True)
    time, room = time[kept], room[kept]
    changed = np.concatenate(([True], room[1:] != room[:-1]))
    return time[changed].astype(np.int64), room[changed].astype(np.int64), until


def never_admitted(under: Capped, longest: Ints) -> NDArray[np.bool_]:
    """The mask of the jobs, (n,), that the cap never admits for all of `longest`, (n,) s."""
    time, room = under.time, under.room
    refused = np.zeros(len(longest), np.bool_)
    if not len(time):
        return refused
    # Only what lies before the end of the series counts. There jobs between two levels of the cap fit into
    # the same steps.
    early = time < under.until
    room, time = room[early], np.append(time[early], under.until)
    need, submit = under.work.need[: len(longest), -1], under.work.submit
    levels = np.unique(room)
    level = np.searchsorted(levels, need)
    for each in np.unique(level).tolist():
        jobs = np.flatnonzero(level == each)
        fits = np.concatenate(([False], room >= need[jobs].max(), [False]))
        edges = np.flatnonzero(fits[1:] != fits[:-1])
        begin, end = time[edges[::2]], time[edges[1::2]]
        # The longest run of such steps from each on, and what is left of the one in which the job comes.
        ahead = np.append(np.maximum.accumulate((end - begin)[::-1])[::-1], 0)
        row = np.searchsorted(end, submit[jobs], "right")
        left = np.where(
            row < len(end), np.append(end, 0)[row] - np.maximum(np.append(begin, 0)[row], submit[jobs]), 0
        )
        refused[jobs] = np.maximum(left, ahead[np.minimum(row + 1, len(end))]) < longest[jobs]
    return refused


def _watts(trace: Trace, cluster: Cluster) -> NodeWatts:
    model = power_of(trace.cluster)
    if model is None:
        raise InputError("power_cap needs the power of the machine's nodes: --power tells it")
    watts = node_watts(model, cluster)
    if watts is None:
        raise InputError(f"power_cap: the power of some nodes of {cluster} is not known")
    return watts


def _active(work: Workload, trace: Trace, cluster: Cluster, watts: NodeWatts) -> Floats:
    """The power of each job above that of idle nodes, W, (n,): where nodes differ the most that it may be."""
    cpus = _most_taken(work, 0)
    gpus = _most_taken(work, cluster.resources.index(_GPU)) if _GPU in cluster.resources else 0 * cpus
    active = float(watts.core.max()) * cpus + float(watts.gpu.max()) * gpus
    model = power_of(trace.cluster)
    if trace.energy is None or model is None or model.means == "ignored":
        return np.asarray(active)
    known = (trace.energy != MISSING) & (trace.recorded_runtime > 0)
    mean = trace.energy / np.maximum(trace.recorded_runtime, 1)
    if model.means == "nodes":  # what the nodes take when idle is counted with the machine
        mean = np.maximum(mean - _least_idle(work, trace, cluster, watts), 0.0)
    return np.where(known, mean, active)


def _most_taken(work: Workload, resource: int) -> Ints:
    """The most that each job may hold of a resource, (n,): of the largest nodes, if tasks take whole ones."""
    asked = work.need[:, resource]
    if not work.exclusive.any():
        return asked
    tasks = np.add.reduceat(np.where(work.exclusive, work.group_tasks, 0), work.group_offset[:-1])
    return np.asarray(np.maximum(asked, tasks * int(work.capacity[:, resource].max())))


def _least_idle(work: Workload, trace: Trace, cluster: Cluster, watts: NodeWatts) -> Floats:
    """The idle power of the whole nodes that each job had, W, (n,): where that is not known the least."""
    # On a pool a job counts with its own processors alone.
    if cluster.pooled:
        return np.asarray(float(watts.idle[0]) * work.need[:, 0])
    own = nodes_on(trace, cluster)
    whole = watts.idle * cluster.node_cpus()
    # Without recorded nodes the least is asked: the cheapest node, as many times as the job needs at least.
    if own is None:
        fewest = -(-work.need[:, 0] // int(cluster.node_cpus().max()))
        return np.asarray(float(whole.min()) * np.maximum(fewest, 1))
    job, node = np.repeat(np.arange(len(trace)), np.diff(own.offset)), own["node"]
    # Each node of a job counts once, however many tasks of the job are on it.
    job, node = np.divmod(np.unique(job * cluster.nodes + node), cluster.nodes)
    return np.bincount(job, whole[node], len(trace)).astype(np.float64)


def _pool(work: Workload, active: Ints, room: int) -> Workload:
    groups = len(work.group_tasks)
    # Power is one more resource of the pool, of which a job takes its watts: all rules for resources then
    # hold for the cap.
    return work._replace(
        need=_beside(work.need, active),
        least=_beside(work.least, active[: len(work.least)]),
        task_need=_beside(work.task_need, active),
        group_need=_beside(work.group_need, np.zeros(groups, np.int64)),
        capacity=np.array([[*work.capacity[0].tolist(), room]], np.int64),
        power=np.zeros((0, work.capacity.shape[1] + 1), np.int64),
    )


def _nodes(work: Workload, active: Ints, room: int) -> Workload:
    """The workload with a further node that has all of the power, and nothing else."""
    nodes, kinds = work.capacity.shape
    groups, none = len(work.group_tasks), np.zeros(len(active), np.int64)
    # On nodes the power of the machine lies on one further node, which has nothing else. It has no
    # processors, so that no task is ever placed there: jobs take from it by `power` alone.
    capacity = np.zeros((nodes + 1, kinds + 1), np.int64)
    capacity[:nodes, :kinds] = work.capacity
    capacity[nodes, kinds] = room
    zones = np.zeros((len(work.zone_nodes), nodes + 1), np.bool_)
    zones[:, :nodes] = work.zone_nodes
    return work._replace(
        need=_beside(work.need, active),
        least=_beside(work.least, active[: len(work.least)]),
        task_need=_beside(work.task_need, none),
        group_need=_beside(work.group_need, np.zeros(groups, np.int64)),
        zone_nodes=zones,
        capacity=capacity,
        power=_beside(np.zeros((len(active), kinds), np.int64), active),
    )


def _beside(amounts: Ints, last: Ints) -> Ints:
    """The amounts with one more column."""
    return np.ascontiguousarray(np.concatenate((amounts, last[:, None]), axis=1))
