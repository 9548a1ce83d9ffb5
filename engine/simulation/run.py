"""Simulate a trace under a policy."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from engine.cluster import Cluster
from engine.fairness.penalty import penalties
from engine.fairness.usage import Usage, make_usage
from engine.policy import Policy
from engine.schedule import NOT_RUN, DecisionLog, Schedule
from engine.simulation.control import Cancelled, Control
from engine.simulation.journal import NOBODY, make_journal
from engine.simulation.loop import simulate_events
from engine.simulation.order import STATIC, Order, order_code
from engine.simulation.placement import PLACEMENTS
from engine.simulation.queue import make_queue
from engine.simulation.recorded import recorded_schedule
from engine.simulation.running import make_running
from engine.simulation.site import Site, find_refused, make_site
from engine.simulation.sweep import STOP, Scheduler
from engine.simulation.workload import Workload, make_workload
from engine.static_order import backfill_ranks, static_ranks
from engine.trace import Pieces, Trace

Ints = NDArray[np.int64]

_STOPPED = Control()
_STOPPED.cancel()


def simulate(
    trace: Trace, cluster: Cluster, policy: Policy, *, log: bool = False, control: Control | None = None
) -> Schedule:
    """The schedule of `trace` on `cluster` under `policy`.

    The same arguments give the same schedule, bit for bit. `log` keeps the decision log.
    `control` tells progress and cancels. Raises Cancelled, and InputError where the policy
    is `recorded` and the log does not give its schedule.
    """
    if policy.recorded:
        return recorded_schedule(trace, cluster)
    control = control or Control()
    work = make_workload(trace, cluster, _estimates(trace, policy))
    scheduler = _make_scheduler(work, trace, policy, log)
    control.jobs = int((~scheduler.refused).sum())
    simulate_events(scheduler, _STOPPED.array)  # so that compiling or loading it is not timed
    began = time.perf_counter()
    while not simulate_events(scheduler, control.array):
        scheduler = _with_larger_tables(scheduler)
    seconds = time.perf_counter() - began
    if control.cancelled:
        raise Cancelled
    start = scheduler.start
    rows = scheduler.journal.rows[: scheduler.journal.used[0]]
    return Schedule(
        trace=trace,
        cluster=cluster,
        policy=policy,
        start=start,
        end=np.where(start == NOT_RUN, NOT_RUN, start + trace.runtime),
        procs=np.array(trace.procs),
        pieces=_pieces(work, scheduler.site, start),
        log=DecisionLog(*(np.ascontiguousarray(rows[:, column]) for column in range(4))),
        passes=int(scheduler.reached[1]),
        seconds=seconds,
    )


def refused_jobs(trace: Trace, cluster: Cluster) -> NDArray[np.bool_]:
    """The jobs, shape (n,), that are too large for the empty machine (nodes taken by number)."""
    work = make_workload(trace, cluster, trace.walltime)
    refused = np.zeros(len(trace), np.bool_)
    find_refused(work, make_site(work, PLACEMENTS.index("first")), refused)
    return refused


def _estimates(trace: Trace, policy: Policy) -> Ints:
    """E of each job at submission, shape (n,), s."""
    return trace.runtime if policy.estimate == "actual" else trace.walltime


def _make_scheduler(work: Workload, trace: Trace, policy: Policy, log: bool) -> Scheduler:
    jobs = len(trace)
    procs = work.need[:, 0]
    rank = static_ranks(policy.order, policy.ties, work.estimate, procs)
    own_backfill_order = policy.backfill != "queue" and policy.depth != "stop"
    behind = backfill_ranks(policy.backfill, work.estimate, procs) if own_backfill_order else rank
    depth = STOP if policy.depth == "stop" else int(policy.depth)
    queue = make_queue(rank)
    site = make_site(work, PLACEMENTS.index(policy.placement))
    refused = np.zeros(jobs, np.bool_)
    find_refused(work, site, refused)
    users = len(trace.user.names)
    return Scheduler(
        work=work,
        site=site,
        run=make_running(jobs, keeps_line=depth > 0),
        queue=queue,
        behind=make_queue(behind) if own_backfill_order else queue,
        own_backfill_order=own_backfill_order,
        order=Order(
            order_code(policy.order),
            _usage(work, trace, policy),
            np.zeros(users),
            np.full(users, -1, np.int64),
        ),
        journal=make_journal(log),
        depth=depth,
        by_arrival=policy.order == "fcfs" and not own_backfill_order,
        head=np.full(1, NOBODY, np.int64),
        least=np.ones(1, np.int64),
        refused=refused,
        # Each piece and each started job takes a processor; a pass notes two things more.
        most_rows=int(work.capacity[:, 0].sum()) + 2,
        reached=np.zeros(2, np.int64),
        start=np.full(jobs, NOT_RUN, np.int64),
    )


def _with_larger_tables(scheduler: Scheduler) -> Scheduler:
    """The same scheduler, its tables of pieces and log rows twice as long or more."""
    room = scheduler.most_rows + len(scheduler.start)
    site, journal = scheduler.site, scheduler.journal
    return scheduler._replace(
        site=site._replace(pieces=_longer(site.pieces, room)),
        journal=journal._replace(rows=_longer(journal.rows, room)),
    )


def _longer(table: Ints, room: int) -> Ints:
    return np.concatenate((table, np.zeros((room + len(table), table.shape[1]), np.int64)))


def _usage(work: Workload, trace: Trace, policy: Policy) -> Usage:
    moves = order_code(policy.order) != STATIC
    return make_usage(
        weight=penalties(work, policy.penalty) if moves else np.zeros(len(trace)),
        user=trace.user.codes.astype(np.int64),
        users=len(trace.user.names),
        epoch=int(trace.submit[0]) if len(trace) else 0,
        half_life=policy.half_life or 0,
        at_end=policy.accrue == "end",
    )


def _pieces(work: Workload, site: Site, start: Ints) -> Pieces:
    """Where each job ran: on a pool node 0, else the rows that the kernel wrote, job by job."""
    ran = start != NOT_RUN
    pooled = len(work.capacity) == 1
    count = np.where(ran, 1 if pooled else site.piece_count, 0)
    offset = np.concatenate(([0], np.cumsum(count))).astype(np.int64)
    if pooled:
        node, amount = np.zeros(offset[-1], np.int64), work.need[ran]
    else:
        chosen = np.repeat(site.first_piece - offset[:-1], count) + np.arange(offset[-1])
        node, amount = np.ascontiguousarray(site.pieces[chosen, 0]), site.pieces[chosen, 1:]
    columns = {"node": node, "cpus": np.ascontiguousarray(amount[:, 0])}
    if amount.shape[1] > 1:
        columns["ram"] = np.ascontiguousarray(amount[:, 1])
    return Pieces(offset, columns)
