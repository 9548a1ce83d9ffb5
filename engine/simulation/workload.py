"""The input of the kernels: jobs, machine and constraints as plain arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.limits import MAX_ZONES_BYTES
from engine.machine.cluster import Cluster
from engine.machine.constraints import read_constraint
from engine.machine.features import read_features
from engine.schedule.compact import shared
from engine.simulation.recorded_run import nodes_on
from engine.trace import Trace
from engine.trace.trace import WHOLE_PACKED

if TYPE_CHECKING:
    from engine.policy.policy import Policy

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

NO_SHAPE = -1


class Workload(NamedTuple):
    """The jobs, n of them in order of submission, and the machine.

    There are K resources, those of `Cluster.resources`: CPUs, MiB of RAM, and others by name. A job's tasks
    come in groups of equal tasks: job j owns the groups `group_offset[j]:group_offset[j + 1]`, and each task
    of a group runs inside one node. An exclusive task takes a whole node, which must be empty; its need is
    then the smallest node that it accepts.
    """

    submit: Ints  # (n,) s; of a job that depends on another, valid once that one's end is known
    runtime: Ints  # (n,) s, the real runtime D
    walltime: Ints  # (n,) s, the requested runtime L
    estimate: Ints  # (n,) s, the scheduler's estimate E of the runtime, at first that at submission
    need: Ints  # (n, K) amounts that the whole job needs
    least: Ints  # (n, K) the least that it takes, whole nodes with all that they have; (0, K) where no task
    #  takes a whole node, or `need` is that
    task_need: Ints  # (n, K) the most that any one of its tasks needs of each resource
    group_offset: Ints  # (n + 1,) first group of each job
    group_tasks: Ints  # (groups,) number of tasks
    group_need: Ints  # (groups, K) amounts that one task needs
    turn: Ints  # (groups,) the groups of each job of several, the largest task first; (0,) without such jobs
    own_offset: (
        Ints  # (n + 1,) first of each job's entries in `own_node`; (0,) without jobs of several groups
    )
    own_node: Ints  # (rows,) nodes on which jobs of several groups ran by the log
    shape: Ints  # (n,) equal for jobs of one group each that are alike; NO_SHAPE for jobs of several groups
    zone: Ints  # (groups,) row of `zone_nodes`: where the tasks may run; 0: on all nodes
    zone_nodes: Mask  # (zones, nodes) whether the node belongs to the zone
    group_most: Ints  # (groups,) upper bound of the tasks that one node holds at once, at least 1
    exclusive: Mask  # (groups,) whether each task takes a whole node
    aligned: bool  # whether contiguous tasks begin at a node whose number is a multiple of their count
    capacity: Ints  # (nodes, K) amounts that each node has
    done: Ints  # (n,) s that earlier runs completed; `runtime`, `walltime` and `estimate` are then of the
    #  rest; (0,) where no job resumes after a failure
    power: Ints  # (n, K) on nodes under a cap on power, the last resource: what each job takes of it, from a
    #  last node without processors, which has all of it; (0, K) in a pool, and without a cap


def policy_workload(trace: Trace, cluster: Cluster, policy: Policy, estimate: Ints) -> Workload:
    """The workload under a policy: with its bindings of queues to nodes, its constraints and partitions.

    Raises InputError where those do not suit the trace or the cluster.
    """
    bindings = policy.queue_nodes.as_dict()
    if cluster.pooled and not (bindings or policy.constraints):
        work = _pool_workload(trace, cluster)._replace(estimate=estimate)
    else:
        work = make_workload(trace, cluster, estimate, bindings, policy.constraints)
    if not trace.comes_in_order:  # jobs that follow others write when they come
        work = work._replace(submit=np.array(trace.comes))
    if policy.placement == "contiguous":
        return _side_by_side(work, cluster, policy.partitions)
    return work


_of_traces: WeakKeyDictionary[Trace, tuple[Cluster, Workload]] = WeakKeyDictionary()


def _pool_workload(trace: Trace, cluster: Cluster) -> Workload:
    """The workload of a trace on a pool, cached for the last pool: all simulations on it read the same."""
    known = _of_traces.get(trace)
    if known is None or known[0] is not cluster:
        known = _of_traces[trace] = cluster, make_workload(trace, cluster, trace.walltime[:0])
    return known[1]


def make_workload(
    trace: Trace,
    cluster: Cluster,
    estimate: Ints,
    bindings: Mapping[str, tuple[str, ...]] | None = None,
    constraints: bool = False,
) -> Workload:
    """The arrays of a trace on a cluster; equal ones share memory, and only `estimate` may be written.

    A job whose RAM is not known needs none. On a machine of nodes, tasks that ask for whole nodes get them,
    and tasks that ask for features go to nodes that have these, if the cluster knows features at all.

    `bindings` maps a queue to the node groups that its jobs must run on. With `constraints` tasks run only on
    the nodes that the trace asks for; a pool has no nodes to choose from. Raises InputError where the trace
    has no such queue or the cluster no such group.
    """
    capacity = cluster.capacity()
    group_need = trace.tasks.amounts(cluster.resources)
    group_tasks = trace.tasks["count"]
    zone_of_queue, zone_nodes = _zones(trace, cluster, bindings or {})
    # Zones are sets of nodes on which tasks may run: by the queue's binding, by node names that the log asks
    # for, and by features, each narrowing the one before.
    zone = np.zeros(len(group_tasks), np.int64)
    if bindings:
        zone = np.repeat(zone_of_queue[trace.queue.codes], np.diff(trace.tasks.offset))
    exclusive = np.zeros(len(zone), np.bool_)
    if constraints and not cluster.pooled and "constraint" in trace.tasks.columns:
        zone, zone_nodes, exclusive = _constrained(trace, cluster, zone, zone_nodes)
    if cluster.has_features and not cluster.pooled and "feature" in trace.tasks.columns:
        zone, zone_nodes = _featured(trace, cluster, zone, zone_nodes)
    # Amounts of a whole group; tasks on whole nodes take what the nodes have.
    group_total = group_need * group_tasks[:, None]
    if not cluster.pooled and "whole" in trace.tasks.columns:
        whole = trace.tasks["whole"]
        group_tasks, group_need = _whole(whole, group_tasks, group_need, capacity)
        group_total = np.minimum(group_total, group_need * group_tasks[:, None])
        exclusive = exclusive | (whole != 0)
    # How many tasks of a group one node can hold, so that a search of nodes need not divide.
    group_most = group_tasks  # a pool holds all tasks, or the job is refused
    if not cluster.pooled:
        group_most = np.where(exclusive, 1, _most_on_a_node(capacity, group_tasks, group_need))
    if len(cluster.resources) == 1:
        group_total = shared(group_total[:, 0], group_tasks)[:, None]
    return Workload(
        submit=trace.submit,
        runtime=trace.runtime,
        walltime=trace.walltime,
        estimate=np.array(estimate),
        need=_over_groups(np.add, group_total, trace.tasks.offset),
        least=_least(
            *(group_total, group_tasks, group_need, zone, zone_nodes, exclusive, capacity),
            *(cluster.known_capacity(), trace.tasks.offset),
        ),
        task_need=_over_groups(np.maximum, group_need, trace.tasks.offset),
        group_offset=trace.tasks.offset,
        group_tasks=group_tasks,
        group_need=group_need,
        **_several_groups(trace, cluster, group_tasks, group_need, capacity),
        shape=_shapes(group_tasks, group_need, zone, exclusive, trace.tasks.offset, cluster.pooled),
        zone=zone,
        zone_nodes=zone_nodes,
        group_most=group_most,
        exclusive=exclusive,
        aligned=False,
        capacity=capacity,
        done=np.zeros(0, np.int64),
        power=np.zeros((0, capacity.shape[1]), np.int64),
    )


def _several_groups(
    trace: Trace, cluster: Cluster, group_tasks: Ints, group_need: Ints, capacity: Ints
) -> dict[str, Ints]:
    """`turn`, `own_offset` and `own_node` of the workload."""
    offset, none = trace.tasks.offset, np.zeros(0, np.int64)
    sizes = np.diff(offset)
    if not (sizes > 1).any():
        return {"turn": none, "own_offset": none, "own_node": none}
    turn = largest_first(offset, group_tasks, group_need, capacity)
    nodes = None if cluster.pooled else nodes_on(trace, cluster)
    if nodes is None:
        return {"turn": turn, "own_offset": np.zeros(len(offset), np.int64), "own_node": none}
    job = np.repeat(np.arange(len(sizes)), np.diff(nodes.offset))
    several = (sizes > 1)[job]
    own = np.unique(job[several] * cluster.nodes + nodes["node"][several])  # parts may share a node
    own_offset = np.searchsorted(own, np.arange(len(offset)) * cluster.nodes).astype(np.int64)
    own_node = own % cluster.nodes
    return {"turn": turn, "own_offset": own_offset, "own_node": own_node}


def largest_first(offset: Ints, group_tasks: Ints, group_need: Ints, capacity: Ints) -> Ints:
    """The groups of each job, (groups,), those with the largest tasks first, by the job's scarcest resource.

    That is the resource of which the job takes the largest part of the machine.
    """
    sizes = np.diff(offset)
    part = group_need / np.maximum(capacity.sum(axis=0, dtype=np.float64), 1)
    whole_part = np.add.reduceat(part * group_tasks[:, None], offset[:-1], axis=0)
    scarcest = np.repeat(np.argmax(whole_part, axis=1), sizes)
    size = group_need[np.arange(len(group_need)), scarcest]
    return np.lexsort((np.arange(len(size)), -size, np.repeat(np.arange(len(sizes)), sizes)))


def _side_by_side(work: Workload, cluster: Cluster, sizes: tuple[int, ...]) -> Workload:
    """The workload with each job as tasks that take whole nodes side by side.

    A job gets as many nodes as it needs or, with partitions of the given `sizes` (ascending), the next larger
    size.
    """
    if cluster.pooled or len(cluster.groups) > 1:
        raise InputError(
            f"placement=contiguous needs several nodes, all alike, such as 80x512c, not {cluster}"
        )
    if sizes and (sizes[-1] > cluster.nodes or cluster.nodes % sizes[0]):
        raise InputError(
            f"partitions={'+'.join(map(str, sizes))} do not divide the {cluster.nodes} nodes of {cluster}"
        )
    # All nodes are alike: a job is counted in whole nodes, as many as its scarcest resource asks for.
    node = work.capacity[0]
    whole = _over_groups(np.add, np.where(work.exclusive, work.group_tasks, 0)[:, None], work.group_offset)
    units = np.maximum(1, -(-work.need // node)).max(axis=1, initial=1)
    units = np.maximum(units, whole[:, 0])
    # The next size of partition that is large enough; a job beyond all of them is refused.
    if sizes:
        allowed = np.array([*sizes, cluster.nodes + 1])  # more than there is: such a job is refused
        units = allowed[np.minimum(np.searchsorted(allowed, units), len(sizes))]
    jobs = len(units)
    zone = work.zone[work.group_offset[:-1]]
    whole = np.tile(node, (jobs, 1))
    return work._replace(
        need=units[:, None] * node,
        least=work.least[:0],
        task_need=whole,
        group_offset=np.arange(jobs + 1),
        group_tasks=units,
        group_need=whole,
        shape=np.unique(units * len(work.zone_nodes) + zone, return_inverse=True)[1].reshape(-1),
        zone=zone,
        group_most=np.ones(jobs, np.int64),
        exclusive=np.ones(jobs, np.bool_),
        aligned=bool(sizes),
    )


def _least(
    group_total: Ints,
    group_tasks: Ints,
    group_need: Ints,
    zone: Ints,
    zone_nodes: Mask,
    exclusive: Mask,
    capacity: Ints,
    known_capacity: Ints,
    offset: Ints,
) -> Ints:
    """`Workload.least`: a task that takes a whole node takes at least the smallest one that holds it."""
    if not exclusive.any():
        return np.zeros((0, capacity.shape[1]), np.int64)
    total = np.array(group_total.reshape(len(zone), -1))
    known: dict[tuple[int, ...], Ints] = {}
    for group in np.flatnonzero(exclusive).tolist():
        key = (int(zone[group]), *group_need[group].tolist())
        if key not in known:
            holding = zone_nodes[key[0]] & (capacity >= group_need[group]).all(axis=1)
            # Of a task that no node holds, whose job is refused, the need is as good as any amount. Nobody is
            # short of RAM that is not known, though who takes the node takes it too.
            taken = known_capacity[holding].min(axis=0) if holding.any() else group_need[group]
            known[key] = np.maximum(taken, group_need[group])
        total[group] = group_tasks[group] * known[key]
    return _over_groups(np.add, total, offset)


def _most_on_a_node(capacity: Ints, group_tasks: Ints, group_need: Ints) -> Ints:
    """An upper bound of the tasks of each group that one node holds, shape (groups,), at least 1."""
    most = group_tasks.copy()
    for largest, need in zip(capacity.max(axis=0, initial=0), group_need.T, strict=True):
        np.minimum(most, largest // np.maximum(need, 1), out=most, where=need > 0)
    return np.maximum(most, 1)


def _shapes(
    group_tasks: Ints, group_need: Ints, zone: Ints, exclusive: Mask, offset: Ints, pooled: bool
) -> Ints:
    """The shape of each job, (n,): equal where one group of tasks is alike in count, need and zone."""
    shapes = np.full(len(offset) - 1, NO_SHAPE, np.int64)
    if pooled:
        return shapes  # nothing is placed on a pool
    single = np.diff(offset) == 1
    group = offset[:-1][single]
    # Combine one column after another: numbers are sorted far faster than rows, and without the
    # interpreter lock.
    shape = np.zeros(len(group), np.int64)
    for column in (group_tasks, zone, exclusive, *group_need.T):
        values, code = np.unique(column[group], return_inverse=True)
        shape = np.unique(shape * max(len(values), 1) + code, return_inverse=True)[1]
    shapes[single] = shape
    return shapes


def _zones(trace: Trace, cluster: Cluster, bindings: Mapping[str, tuple[str, ...]]) -> tuple[Ints, Mask]:
    """The zone of each queue, shape (queues,), and the nodes of each zone, shape (zones, nodes)."""
    zone_of_queue = np.zeros(len(trace.queue.names), np.int64)
    if not bindings:
        return zone_of_queue, np.ones((1, cluster.nodes), np.bool_)
    # Zone 0 is the whole machine, for queues that are bound to nothing.
    zones = [np.ones(cluster.nodes, np.bool_)]
    if cluster.pooled:
        raise InputError(f"queue_nodes: {cluster} is a pool and has no node groups to bind queues to")
    # A group is known by its name, and by its number for clusters whose groups have none.
    known = {group.name: number for number, group in enumerate(cluster.groups, 1) if group.name}
    known |= {str(number): number for number in range(1, len(cluster.groups) + 1)}
    group_of_node = np.repeat(np.arange(1, len(cluster.groups) + 1), [g.count for g in cluster.groups])
    for queue, groups in bindings.items():
        if queue not in trace.queue.names:
            raise InputError(f"queue_nodes: trace {trace.name} has no queue {queue!r}")
        for group in groups:
            if group not in known:
                raise InputError(
                    f"queue_nodes: {cluster} has no node group {group!r}; it has {', '.join(known)}"
                )
        zone_of_queue[trace.queue.names.index(queue)] = len(zones)
        zones.append(np.isin(group_of_node, [known[group] for group in groups]))
    return zone_of_queue, np.array(zones)


def _constrained(trace: Trace, cluster: Cluster, zone: Ints, zone_nodes: Mask) -> tuple[Ints, Mask, Mask]:
    """The given zones restricted by the trace's constraints, and which groups are exclusive.

    Shapes (groups,), (zones, nodes) and (groups,).
    """
    # Each different text of a constraint is read once, not once for each job.
    constraint = trace.tasks["constraint"]
    exclusive = np.zeros(len(trace.constraints), np.bool_)

    def let_in(number: int) -> Mask:
        read = read_constraint(trace.constraints[number], cluster)
        exclusive[number] = read.exclusive
        return read.nodes

    asked = f"constraints=on: the jobs of {trace.name} ask for"
    zone, zone_nodes = _narrowed(zone, zone_nodes, constraint, let_in, asked)
    return zone, zone_nodes, exclusive[constraint]


def _featured(trace: Trace, cluster: Cluster, zone: Ints, zone_nodes: Mask) -> tuple[Ints, Mask]:
    """The given zones restricted to nodes with the features asked for: shapes (groups,), (zones, nodes)."""
    counts = [group.count for group in cluster.groups]

    def let_in(number: int) -> Mask:
        return np.repeat(read_features(trace.features[number], cluster).groups, counts)

    asked = f"the jobs of {trace.name} ask by features for"
    return _narrowed(zone, zone_nodes, trace.tasks["feature"], let_in, asked)


def _narrowed(
    zone: Ints, zone_nodes: Mask, word: Ints, let_in: Callable[[int], Mask], asked: str
) -> tuple[Ints, Mask]:
    """The given zones, restricted for each group to the nodes that its constraint allows.

    `word` (groups,) numbers the constraint of each group, and `let_in` gives the nodes (nodes,) that one
    allows. Returns zones of shapes (groups,) and (zones, nodes). Raises InputError, which begins with
    `asked`, where there are too many different zones.
    """
    most = int(word.max(initial=0)) + 1
    pairs, pair = np.unique(zone * most + word, return_inverse=True)
    number = {hashlib.sha256(zone_nodes[0]).digest(): 0}
    zones = [zone_nodes[0]]
    zone_of_pair = np.zeros(len(pairs), np.int64)
    for k, (old, which) in enumerate(zip(*divmod(pairs, most), strict=True)):
        nodes = zone_nodes[old] & let_in(int(which))
        # Different constraints may allow the same nodes: such zones are found by digest and shared.
        zone_of_pair[k] = number.setdefault(hashlib.sha256(nodes).digest(), len(zones))
        if zone_of_pair[k] == len(zones):
            zones.append(nodes)
        if len(zones) * len(nodes) > MAX_ZONES_BYTES:
            raise InputError(f"{asked} over {len(zones) - 1:,} different selections of {len(nodes):,} nodes")
    return zone_of_pair[pair], np.array(zones)


def _whole(whole: Ints, group_tasks: Ints, group_need: Ints, capacity: Ints) -> tuple[Ints, Ints]:
    """Task counts (groups,) and needs (groups, K) after tasks that take whole nodes are adapted to the nodes.

    `whole` (groups,) is the number of CPUs that a node must have for a task of the group, or 0 for tasks that
    share nodes. Where the log allocated more CPUs than that, the need is lowered to the CPUs of the smallest
    node that qualifies. Tasks with WHOLE_PACKED fill as many nodes as they need: those that fit on one node
    become one task of that node's kind, the most frequent kind that holds any.
    """
    tasks, need = group_tasks.copy(), group_need.copy()
    # Few kinds of nodes stand for all of them.
    kinds, nodes = np.unique(capacity, axis=0, return_counts=True)
    least = np.full(len(whole), np.iinfo(np.int64).max)
    for kind in kinds:
        # Only a node that holds the task and has the CPUs that the log allocated can be the smallest one.
        fits = (group_need[:, 1:] <= kind[1:]).all(axis=1) & (whole <= kind[0])
        least = np.where(fits, np.minimum(least, kind[0]), least)
    # The log allocated whole nodes: on a machine of smaller nodes the same task may not ask for more CPUs
    # than the node that it would get.
    need[:, 0] = np.where(whole > 0, np.minimum(need[:, 0], least), need[:, 0])
    packed = whole == WHOLE_PACKED
    # The most frequent kind goes first, and a group that has found its kind is not looked at again.
    for kind in kinds[np.argsort(-nodes, kind="stable")] if packed.any() else ():
        each = np.full(len(whole), np.iinfo(np.int64).max)
        for has, need_of_kind in zip(kind, group_need.T, strict=True):
            each = np.where(need_of_kind > 0, np.minimum(each, has // np.maximum(need_of_kind, 1)), each)
        here = packed & (each > 0)
        # Tasks that fit on a node together are one task with the sum of their needs, and the group has fewer
        # tasks.
        on_one = np.minimum(each, group_tasks)
        tasks = np.where(here, -(-group_tasks // np.maximum(on_one, 1)), tasks)
        need = np.where(here[:, None], group_need * on_one[:, None], need)
        packed &= ~here
    return tasks, need


def _over_groups(combine: np.ufunc, values: Ints, offset: Ints) -> Ints:
    """Sums or maxima over the rows of each job, shape (n, K); every job has at least one row."""
    if len(offset) == 1 + len(values):
        return values  # each job has a single row
    return np.ascontiguousarray(combine.reduceat(values, offset[:-1], axis=0))
