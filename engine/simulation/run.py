"""Simulate a trace under a policy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.compiler.compile_request import run_clock
from engine.compiler.ticks import count_ticks
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.names import VALUE_ORDERS
from engine.policy.own_policy import with_formula
from engine.policy.policy import Policy, parse_policy
from engine.schedule.compact import shared
from engine.schedule.schedule import (
    NO_LOG,
    NO_RUNS,
    NOT_RUN,
    CheckLog,
    FairBy,
    FurtherRuns,
    Schedule,
    SearchLog,
)
from engine.simulation.added_jobs import with_added
from engine.simulation.control import Cancelled, Control
from engine.simulation.displaced import displaced_prices, refuse_displaced_prices
from engine.simulation.estimator import Estimator
from engine.simulation.events import load_events, run_events, run_fair_starts
from engine.simulation.log_buffer import NOBODY, decision_log
from engine.simulation.loop import NEEDS_ROOM
from engine.simulation.make.scheduler import make_scheduler
from engine.simulation.own.own_error import StoppedError
from engine.simulation.placement import AMOUNTS, nodes_of
from engine.simulation.plans.search_log import (
    AFTER,
    BEFORE,
    GAIN,
    JOBS,
    KEPT,
    SEARCHES,
    TICKS,
    TIME,
    TRIED,
    SearchTable,
)
from engine.simulation.recorded_run import recorded_schedule
from engine.simulation.scheduler import Scheduler
from engine.simulation.tables import with_larger_tables
from engine.simulation.tuner import CHECKS, Tuner
from engine.simulation.workload import Workload
from engine.trace import Pieces, Trace
from engine.trace.dependencies import as_submitted
from engine.trace.variant import varied

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def simulate(
    trace: Trace,
    cluster: Cluster,
    policy: Policy,
    *,
    log: bool = False,
    fair_starts: bool = False,
    fair_by: FairBy = "estimate",
    used: Floats | None = None,
    control: Control | None = None,
) -> Schedule:
    """The schedule of `trace` on `cluster` under `policy`.

    The same arguments give the same schedule, bit for bit. A node that fails stops the jobs on it; they
    go back to the queue at their rank, and run again from scratch; or, by the policy, they
    resume, or are given up. The scheduler knows when a node that is down comes back, but
    knows no failure before it happens. A job stopped more often than the policy allows is given
    up too. `log` records the decision log; `fair_starts` computes when each job would have started if no
    later job had been submitted and every job ran for its estimate or (`fair_by`) for its real runtime; under
    a site's own Slurm of a sample of the jobs, where all would take more than about a minute.
    `used`, as `PastUsage` gives it, is what users had used before second 0; a site's own Slurm takes none.
    The policy's own workload is made of the jobs as logged, whatever variant the trace is of.
    `control` reports progress and cancels. Raises Cancelled, and InputError where the policy
    is `recorded` and the log does not give its schedule, or where it names queues, node
    groups or users that do not exist, or where the run would exceed the limits of memory.
    """
    trace = varied(trace, policy.variant)
    if policy.recorded:
        return recorded_schedule(trace, cluster)
    if policy.file:
        raise ValueError(f"{policy.spelling} is read, not simulated: use schedule_of")
    control = control or Control()
    if trace.copies is not None:
        # Added jobs are jobs like others to the simulator, and no jobs of the log to all else.
        if policy.uses_expected_ends:
            raise InputError(f"{policy.spelling}: expected ends are not known ahead where jobs are added")
        both, options = with_added(trace), {"log": log, "fair_starts": fair_starts}
        made = simulate(both.trace, cluster, policy, fair_by=fair_by, used=used, control=control, **options)
        return both.of_log(made, trace)
    if policy.site is not None:
        from engine.slurm.scheduler.simulate_site import simulate_site

        if fair_starts and not trace.comes_in_order:
            raise InputError(f"{policy}: fair starts of a site are not computed where {_out_of_order(trace)}")
        return simulate_site(trace, cluster, policy, control, log, fair_by if fair_starts else None)
    obeyed = with_formula(policy)
    if obeyed.own is not None and fair_starts:
        raise InputError(f"{policy}: fair starts are not computed where code of your own decides")
    # Submissions that hang on ends are only known to the simulation itself.
    if not trace.comes_in_order:
        _check_order(policy, trace)
        if fair_starts:
            return _closed_with_fair_starts(trace, cluster, policy, log, fair_by, control)
    refuse_displaced_prices(policy, cluster)
    # Users may expect what they could of the log itself: shares do not change with a run's own workload.
    reference = reference_schedule(trace.as_logged, cluster) if policy.uses_expected_ends else None
    scheduler, estimator = make_scheduler(trace, cluster, obeyed, log, fair_starts, reference, used)
    control.jobs = len(trace) - int(np.count_nonzero(scheduler.refused))
    fair, fault, said = None, None, None
    if obeyed.own is not None:
        from engine.simulation.own.process import run_own

        scheduler, estimator, seconds, took, fault, said = run_own(
            obeyed.own, trace, scheduler, estimator, control, cluster.resources, reasons=log
        )
        elapsed = seconds
    else:
        variant = load_events(scheduler, estimator)  # not timed
        began, counted, clock = time.perf_counter(), count_ticks(), run_clock()
        if fair_starts:
            scheduler, fair = _with_fair_starts(scheduler, estimator, control, fair_by == "actual")
        # The kernel returns where a table is too short, and goes on from there in larger ones.
        else:
            while run_events(scheduler, estimator, control.array, variant) == NEEDS_ROOM:
                scheduler = with_larger_tables(scheduler)
        elapsed, took, seconds = time.perf_counter() - began, count_ticks() - counted, run_clock() - clock
    if control.cancelled:
        raise Cancelled
    preempts = policy.preempt_value is not None
    stops = preempts or len(scheduler.outage_state.node) > 0
    start, ran, runtime = scheduler.start, scheduler.start != NOT_RUN, scheduler.work.runtime
    schedule = Schedule(
        trace=trace,
        cluster=cluster,
        policy=policy,
        start=start,
        end=start + runtime if ran.all() else np.where(ran, start + runtime, NOT_RUN),
        procs=_processors(trace, scheduler.work),
        pieces=_all_pieces(trace.tasks, scheduler, ran, cluster.resources),
        came=None if trace.comes_in_order else scheduler.work.submit,
        stopped=_stopped(scheduler, cluster.resources) if stops else NO_RUNS,
        cancelled_for=np.full(len(trace), NOBODY) if preempts else None,
        log=decision_log(scheduler.log_buffer) if log else NO_LOG,
        said=said,
        took=scheduler.switching.took if policy.power_off is not None else None,
        checks=_checks(scheduler.tuner) if policy.tunings else None,
        searches=_searches(scheduler.search.table, elapsed, took),
        passes=int(scheduler.loop.passes[0]),
        seconds=seconds,
        estimate=_estimate(trace, policy, scheduler, estimator),
        prices_paid=_prices_paid(trace, policy, scheduler),
        credits_left=scheduler.order.credits.left if policy.budget else None,
        fair_start=fair,
        fair_by=fair_by,
    )
    if fault is not None:
        raise StoppedError(fault, schedule)
    return schedule


def _estimate(trace: Trace, policy: Policy, scheduler: Scheduler, estimator: Estimator) -> Ints:
    """The estimate of each job at its submission, shape (n,), s."""
    if len(estimator.first):
        return shared(estimator.first, trace.walltime)
    if policy.estimate.kind == "requested":
        return trace.walltime
    return shared(scheduler.work.estimate, trace.walltime)


def _prices_paid(trace: Trace, policy: Policy, scheduler: Scheduler) -> Floats | None:
    """What each job paid, shape (n,), where that is not its bid."""
    if policy.budget:
        return np.where(scheduler.start >= 0, scheduler.order.credits.paid, np.nan)
    if policy.pay != "displaced":
        return None
    work = scheduler.work
    return displaced_prices(trace, policy, work, work.submit, scheduler.start, work.estimate)


def _check_order(policy: Policy, trace: Trace) -> None:
    """Raise InputError where the policy needs to know all submissions in advance."""
    if policy.uses_expected_ends:
        raise InputError(f"{policy.spelling}: expected ends are not known ahead where {_out_of_order(trace)}")


def _out_of_order(trace: Trace) -> str:
    """Why jobs of the trace do not come in their order in the log, in words."""
    return "jobs follow others (dependencies=on)" if trace.dependencies else "jobs are moved (shift)"


def _closed_with_fair_starts(
    trace: Trace, cluster: Cluster, policy: Policy, log: bool, fair_by: FairBy, control: Control
) -> Schedule:
    """The schedule of a trace with dependencies, and its fair starts given the simulated submissions."""
    if policy.order in VALUE_ORDERS or "worth" in policy.score_names:
        raise InputError(
            f"{policy.spelling}: what jobs are worth is drawn in the order in which they come, so that "
            f"there are no fair starts where {_out_of_order(trace)}"
        )
    # Fair starts are defined by the order of submissions: first the simulation finds it, then the log is
    # read as submitted so, and simulated once more.
    schedule = simulate(trace, cluster, policy, log=log, control=control)
    shown = as_submitted(trace, schedule.submit)
    machine = cluster.with_outages(trace.submit)
    again = simulate(shown.trace, machine, policy, fair_starts=True, fair_by=fair_by, control=control)
    assert again.fair_start is not None
    return replace(schedule, fair_start=shown.back(again.fair_start), fair_by=fair_by)


def reference_schedule(
    trace: Trace, cluster: Cluster, known: Sequence[Schedule] = (), control: Control | None = None
) -> Schedule:
    """The schedule from which fair shares are computed, the same for all compared schedules.

    It is the recorded one, or that of `easy` where the log has none; taken from the `known`
    schedules where it is among them. Raises Cancelled.
    """
    policy = parse_policy("recorded" if trace.has_recorded_schedule else "easy")
    for schedule in known:
        if schedule.policy == policy and schedule.trace is trace and schedule.cluster == cluster:
            return schedule
    return simulate(trace, cluster, policy, control=control)


def _with_fair_starts(
    scheduler: Scheduler, estimator: Estimator, control: Control, exact: bool
) -> tuple[Scheduler, Ints]:
    """Simulate to the end, and fork at each submission."""
    from engine.simulation.fair import make_fork

    fair = np.full(len(scheduler.start), NOT_RUN, np.int64)
    scheduler.loop.pauses[0] = 1
    state = NEEDS_ROOM
    while state == NEEDS_ROOM:
        scheduler = with_larger_tables(scheduler)
        state = run_fair_starts(scheduler, estimator, make_fork(scheduler, exact), control.array, fair)
    return scheduler, fair


def _processors(trace: Trace, work: Workload) -> Ints:
    """The processors of each job in metrics, (n,): for a job on whole nodes at most those of its nodes."""
    if len(work.capacity) == 1 or "whole" not in trace.tasks.columns:
        return trace.procs
    return np.minimum(trace.procs, work.need[: len(trace), 0])


def _checks(tuner: Tuner) -> CheckLog:
    used = tuner.used[CHECKS]
    check_values = tuner.check_values[:used]
    columns = (np.ascontiguousarray(check_values[:, :, column]) for column in range(3))
    return CheckLog(tuner.time[:used], *columns)


def _searches(table: SearchTable, seconds: float, took: int) -> SearchLog | None:
    """The log of searches; `took` is the number of ticks of the whole simulation, `seconds` its duration."""
    if not len(table.counted):
        return None
    counted, judged = table.counted[: table.used[0]], table.judged[: table.used[0]]
    searches = counted[:, SEARCHES]
    # A row may stand for several searches: gains add up, values are means.
    means = judged / np.maximum(searches, 1)[:, None]
    return SearchLog(
        time=counted[:, TIME].copy(),
        searches=searches.copy(),
        jobs=counted[:, JOBS] / np.maximum(searches, 1),
        tried=counted[:, TRIED].copy(),
        kept=counted[:, KEPT].copy(),
        seconds=np.asarray(counted[:, TICKS] * (seconds / took), np.float64) if took > 0 else None,
        gain=judged[:, GAIN].copy(),
        before=means[:, BEFORE:AFTER],
        after=means[:, AFTER:],
        part_gain=table.parts[:, 0].copy(),
        part_kept=table.parts[:, 1].copy(),
    )


def _all_pieces(
    tasks: Pieces, scheduler: Scheduler, ran: NDArray[np.bool_], names: tuple[str, ...]
) -> Pieces:
    """The nodes of each job that ran: node 0 on a pool, else the rows that the kernel wrote, job by job.

    Where each job has one piece and one group of tasks, the offsets are those of the `tasks`.
    """
    work, machine, jobs = scheduler.work, scheduler.machine, len(ran)
    if len(work.capacity) > 1:
        count = machine.piece_count[:jobs] - (1 if len(work.power) else 0)  # the last is of the power
        return _pieces(machine.pieces, machine.first_piece[:jobs], np.where(ran, count, 0), names)
    if ran.all():
        offset = tasks.offset if tasks.single else _one_each(jobs)
        return _columns(offset, _node_of_pool(jobs), work.need, names)
    offset = np.concatenate(([0], np.cumsum(ran)))
    return _columns(offset, np.zeros(offset[-1], np.int64), work.need[ran], names)


@lru_cache(maxsize=1)
def _one_each(jobs: int) -> Ints:
    """Offsets of jobs with one piece each; runs of a trace share these megabytes."""
    return np.arange(jobs + 1)


@lru_cache(maxsize=1)
def _node_of_pool(jobs: int) -> Ints:
    """The nodes of jobs that all ran on a pool: 0, in pages that take no memory until they are written."""
    return np.zeros(jobs, np.int64)


def _stopped(scheduler: Scheduler, names: tuple[str, ...]) -> FurtherRuns:
    """The runs that failures or other jobs cut short."""
    outage_state = scheduler.outage_state
    table = np.ascontiguousarray(outage_state.stopped[: outage_state.used[0]].T)
    job, start, end, first, count, by = table
    if len(scheduler.work.capacity) == 1:
        need = scheduler.work.need[job]
        pieces = _columns(np.arange(len(job) + 1), np.zeros(len(job), np.int64), need, names)
        return FurtherRuns(job, start, end, pieces, by)
    count = count - (1 if len(scheduler.work.power) else 0)  # the last is of the power
    pieces = _pieces(scheduler.machine.pieces, first, count, names)
    return FurtherRuns(job, start, end, pieces, by)


def _pieces(table: Ints, first: Ints, count: Ints, names: tuple[str, ...]) -> Pieces:
    """The pieces of runs, which have `count` rows of the table from `first` on; both shape (runs,)."""
    offset = np.concatenate(([0], np.cumsum(count)))
    chosen = table[np.repeat(first - offset[:-1], count) + np.arange(offset[-1])]
    row, node = nodes_of(chosen)
    # The first piece of each run: that of its first row.
    return _columns(np.searchsorted(row, offset), node, chosen[row, AMOUNTS:], names)


def _columns(offset: Ints, node: Ints, amount: Ints, names: tuple[str, ...]) -> Pieces:
    """Pieces with a column for each resource; `amount` has shape (rows, K)."""
    columns = {name: np.ascontiguousarray(amount[:, k]) for k, name in enumerate(names)}
    return Pieces(offset, {"node": node, **columns})
