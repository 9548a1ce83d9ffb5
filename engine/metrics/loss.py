"""Loss of capacity: processors that idle while jobs wait for processors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.arrays import Ints, Mask
from engine.metrics.available_capacity import available
from engine.metrics.series import StepSeries, usage
from engine.metrics.stays import OUTAGE, Stays, stays_of_jobs, with_outages
from engine.schedule.schedule import Schedule
from engine.simulation.recorded_run import names_nodes
from engine.simulation.workload import policy_workload

if TYPE_CHECKING:
    from engine.metrics.loss_kernels import Events


class Loss(NamedTuple):
    """Readings of the lost part of the machine's time, 0 to 1; None where no time passes.

    `fragmented` is the part of `fit` that no placement could have saved; None where nodes are not known.
    """

    demand: float | None
    fit: float | None
    fragmented: float | None


class Idle(NamedTuple):
    """Idle processors, the part of them that waiting jobs request, and these jobs, over time.

    All three at the same times.
    """

    idle: StepSeries
    wanted: StepSeries
    waiting: StepSeries


def loss_of_capacity(schedule: Schedule, jobs: Mask) -> Loss:
    """The capacity lost while `jobs`, a mask of shape (n,) of jobs that were run, waited.

    With R processors, i(t) of them idle, and the jobs waiting at t, over the time from the first submission
    to the last end of `jobs`:

    `demand` is the integral of min(sum of r over waiting jobs, i(t)), over R times that
    time (Goponenko et al. 2022, section VII, after Leung, Sabin & Sadayappan 2010).

    `fit` is the integral of i(t) while some waiting job requests no more than is idle of each resource,
    summed over all nodes, whether or not it could be placed, divided by the same (Tang et al. 2013, equation
    4, where it needs fewer). `fragmented` is the part of it while no waiting job can be allocated by the
    policy's placement in the free parts of the nodes: the loss by scattered free nodes, or by partitions
    larger than the request. A recorded schedule without nodes is treated as if the machine were a single
    node.

    All jobs that were run keep processors busy; only `jobs` count as waiting. Processors that are down do not
    count as idle, nor as part of the machine's time; runs that failures stopped and
    jobs that a workload adds keep processors busy, too.
    """
    from engine.compiler.kernels import only_read
    from engine.metrics.loss_kernels import lost_by_count

    ran = np.flatnonzero(schedule.ran)
    if not jobs.any():
        return Loss(None, None, None)
    first, last = schedule.submit[jobs].min(), schedule.end[jobs].max()
    down = schedule.outages.clipped(int(first), int(last)).cpu_seconds(schedule.cluster.node_cpus())
    whole = schedule.cluster.cpus * int(last - first) - down
    if whole <= 0:
        return Loss(None, None, None)
    stays = with_outages(schedule, stays_of_jobs(schedule, ran))
    events = _events(stays, jobs)
    demand, fit = lost_by_count(events, only_read(stays.procs), schedule.cluster.cpus)
    # Only on nodes, or with several resources, can a job that is small enough still not fit.
    if _places_matter(schedule):
        fit, fragmented = _lost_on_nodes(schedule, stays, events)
        return Loss(demand / whole, fit / whole, fragmented / whole)
    return Loss(demand / whole, fit / whole, 0.0 if schedule.cluster.pooled else None)


def idle_over_time(schedule: Schedule) -> Idle:
    """The number of idle processors that are up, and the part of them that waiting jobs request.

    `wanted` is min(sum of r over waiting jobs, i(t)): its integral is the `demand` of `loss_of_capacity` for
    all jobs.
    """
    use, there = usage(schedule), available(schedule, schedule.cluster.node_cpus())
    # All values are needed at the same times, at which any of them may change.
    time = np.union1d(use.processors.time, np.union1d(use.requested_processors.time, use.waiting.time))
    if len(schedule.outages) and len(time):
        time = np.union1d(time, there.time[there.time < time[-1]])
    time = time.astype(np.int64)
    busy, asked = use.processors.at(time), use.requested_processors.at(time)
    idle = np.maximum(there.at(time) - busy, 0)
    wanted = np.minimum(asked - busy, idle)
    return Idle(StepSeries(time, idle), StepSeries(time, wanted), StepSeries(time, use.waiting.at(time)))


def _events(stays: Stays, jobs: Mask) -> Events:
    from engine.compiler.kernels import only_read
    from engine.metrics.loss_kernels import Events

    came, start, end = only_read(stays.came), only_read(stays.start), only_read(stays.end)
    by_start, by_end = np.argsort(start, kind="stable"), np.argsort(end, kind="stable")
    return Events(came, start, end, by_start, by_end, jobs[stays.job] & (stays.job != OUTAGE))


def _places_matter(schedule: Schedule) -> bool:
    """True if the number of idle processors alone does not decide whether a job fits."""
    if not (schedule.policy.simulated or names_nodes(schedule)):
        return False
    cluster, trace = schedule.cluster, schedule.trace
    binds = set(cluster.further_resources) & set(trace.further_resources)
    return not cluster.pooled or (cluster.limits_ram and trace.has_ram) or bool(binds)


def _lost_on_nodes(schedule: Schedule, stays: Stays, events: Events) -> tuple[float, float]:
    from engine.compiler.packed_tuples import packed
    from engine.metrics.loss_kernels import Nodes, WaitingRequests, lost_on_nodes
    from engine.simulation.placement import PLACEMENTS, make_draft

    policy = schedule.policy
    # Outages are stays, too: they take nodes, but nobody waits for them.
    waits = stays.job != OUTAGE
    trace, pieces = schedule.trace.take(stays.job[waits]), stays.pieces
    work = policy_workload(trace, schedule.cluster, policy, trace.walltime)
    resources = schedule.cluster.resources
    held = np.array(pieces.amounts(resources))
    nodes = Nodes(np.array(pieces.offset), np.array(pieces["node"]), held)
    whole = np.stack([trace.asked(name) for name in resources], axis=1)
    # Jobs that ask for the same are one request: whether it could be placed is tried once for all of them.
    asked, example = _requests(whole, None if schedule.cluster.pooled else work.shape)
    request = np.zeros(len(waits), np.int64)
    request[waits] = asked
    need = np.ascontiguousarray(whole[example])
    count, position, present = (np.zeros(len(example), np.int64) for _ in range(3))
    waiting = WaitingRequests(request, example, need, count, position, present, np.zeros(1, np.int64))
    placement = PLACEMENTS.index(policy.placement)
    fit, fragmented = lost_on_nodes(events, nodes, waiting, packed(work), placement, make_draft(work))
    return float(fit), float(fragmented)


def _requests(whole: Ints, shape: Ints | None) -> tuple[Ints, Ints]:
    """A number for each job, equal for jobs with equal requests, and an example job of each number.

    Requests are equal if their totals, `whole`, shape (n, K), are equal, and on nodes also the `shape` of
    their tasks; negative shapes are unique to a job.
    """
    columns = list(whole.T)
    if shape is not None:
        columns.append(np.where(shape < 0, -1 - np.arange(len(shape)), shape))
    request = np.zeros(len(whole), np.int64)
    for column in columns:  # column by column: sorting numbers is far faster than sorting rows
        values, code = np.unique(column, return_inverse=True)
        request = np.unique(request * max(len(values), 1) + code, return_inverse=True)[1]
    _, example, request = np.unique(request, return_index=True, return_inverse=True)
    return request.reshape(-1), example
