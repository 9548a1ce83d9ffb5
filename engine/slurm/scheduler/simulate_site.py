"""A trace as a site's own Slurm would run it: arrays for its schedulers, and the schedule that they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.compiler.compile_request import run_clock
from engine.dates import parse_time
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.schedule.schedule import NO_LOG, NO_RUNS, NOT_RUN, FairBy, FurtherRuns, Schedule
from engine.simulation.control import Cancelled, Control
from engine.simulation.workload import Ints, Workload, largest_first, make_workload
from engine.slurm.options.rules import SiteRules
from engine.slurm.scheduler.backfill import cycle_numbers
from engine.slurm.scheduler.billing import billing_of_trace
from engine.slurm.scheduler.bounds import of_chosen
from engine.slurm.scheduler.closed_nodes import TICKS, closure_names, with_reservations
from engine.slurm.scheduler.dependent_submissions import make_followers
from engine.slurm.scheduler.fresh_state import fresh_run
from engine.slurm.scheduler.limits import LimitNames, bounds_of, job_kinds
from engine.slurm.scheduler.loop import fits_at_all, run_site
from engine.slurm.scheduler.node_counts import counts_of_trace, with_node_counts
from engine.slurm.scheduler.node_failures import make_failures
from engine.slurm.scheduler.partitions import across_partitions, in_own_partitions, site_machine
from engine.slurm.scheduler.pool_nodes import nodes_of_pool, schedule_on_pool
from engine.slurm.scheduler.preempt_rules import PreemptionRules, preemption_of
from engine.slurm.scheduler.priority_at import SitePriorities
from engine.slurm.scheduler.priority_factors import base_priorities, site_weights, size_of
from engine.slurm.scheduler.site_decisions import limits_of, site_decisions
from engine.slurm.scheduler.site_fair import SiteParts, site_fair_starts, take_jobs
from engine.slurm.scheduler.state import (
    NOT_STARTED,
    Mask,
    SiteBounds,
    SiteFailures,
    SiteFollowers,
    SiteJobs,
    SiteMachine,
    SitePreemption,
    SiteRun,
    SiteState,
    SiteStops,
    SiteWeights,
)
from engine.slurm.scheduler.stops import LOST_RUNS
from engine.slurm.site.site import Site
from engine.trace import Pieces, Trace
from engine.trace.dependencies import NOBODY, predecessors, think_times

_IN_TICKS = (
    *("main_delay", "main_every", "bf_interval", "bf_window", "bf_resolution", "calc_period", "first_calc"),
    *(
        "kill_wait",
        "over_limit",
        "first_full",
        "first_check",
        "first_backfill",
        "end_batch",
        "requeue_delay",
        "exempt",
    ),
    *("patience", "end_linear", "resv_over"),
)
_BACKFILL_PHASE, _LOOP_LATER, _EACH_DRAW = TICKS * 4 // 5, TICKS * 3 // 10, TICKS * 2 // 5
"""Ticks: when in a second the backfiller wakes, as seen, how much later slurmctld's background loop
begins, and by how much each further draw moves that."""
_LOOP_PERIOD = 10_025
"""Tenths of ms from a wake of slurmctld's background loop to the next: ten naps of 100 ms, and its
work. As seen in eleven logs, 1,001.6 to 1,005 ms."""
_CHECK_WAKES = 30
"""Wakes of the background loop from a check of time limits to the next."""
_PHASE_STEPS = (819_173, 671_044, 549_700)
"""Millionths of the intervals of priorities, full passes and backfilling by which a draw moves begins."""
_ANY = 1 << 40
_PART_OF_NODE = 1  # CPUs of tasks that may lie anywhere


def simulate_site(
    trace: Trace,
    cluster: Cluster,
    policy: Policy,
    control: Control,
    log: bool = False,
    fair_by: FairBy | None = None,
) -> Schedule:
    """The schedule of a policy that is a site's; with a `log`, it has the reasons for which jobs waited, and
    with `fair_by` fair starts, of large logs those of a sample.

    Raises Cancelled, and InputError for wrong files.
    """
    site = policy.site
    assert site is not None
    # A pool is simulated as nodes of a processor each, or Slurm's choice of nodes would have no meaning.
    nodes = nodes_of_pool(site, cluster, trace.procs)
    if nodes is not None:
        on_cluster = replace(policy, site=site.on(cluster))
        made = schedule_on_pool(
            trace, cluster, lambda on_any: simulate_site(on_any, nodes, on_cluster, control, log, fair_by)
        )
        return replace(made, policy=policy)
    work = make_workload(trace, cluster, trace.walltime, constraints=not cluster.pooled)
    work = in_own_partitions(work, trace, site, cluster, policy.variant.merge)
    machine, order = site_machine(site, trace.queue.names, cluster, work.capacity, work.zone_nodes)
    if merged := [trace.queue.names.index(name) for name in policy.variant.merge]:
        # The partition that the others are merged into has the nodes of all of them.
        machine.parts[merged[-1]] = machine.parts[merged].any(axis=0)
    # What the site's files say of jobs: the weights of factors, the associations, and the requests as
    # slurmctld reads them, each partition of a list with its own.
    weights, leaves = site_weights(site, trace)
    counts = counts_of_trace(site, trace, cluster)
    jobs = site_jobs(site, trace, with_node_counts(work, counts.nodes), machine, leaves, counts.nodes, order)
    jobs, machine = across_partitions(trace, jobs, machine)
    # The loops run in ticks finer than a second: slurmctld's cycles do not begin on whole seconds, and the
    # phase that a run is drawn with moves them.
    rows = np.minimum(jobs.tasks, len(machine.capacity))
    per_job = np.add.reduceat(rows, jobs.offset[:-1])
    rules = _in_phase(site, trace, site.rules(int(per_job.max(initial=1))))
    rules = in_ticks(_drawn(rules, site.draw), site.draw)
    rules = rules._replace(first_check=rules.first_check + rules.first_beat)
    exempt = PreemptionRules(site).exempt * TICKS
    rules = rules._replace(completion_delay=site.completion * TICKS, exempt=exempt, clock=trace.zero * TICKS)
    # A job that is launched holds its nodes from the decision on, and runs from `launch` later.
    jobs = job_ticks(jobs._replace(runtime=jobs.runtime + site.launch), TICKS // 2)
    weights = _weight_ticks(weights)
    jobs, machine, closures = with_reservations(site, trace, cluster, order, jobs, machine)
    # Jobs that no state of the machine would ever let start are refused here, once, and simulated no further.
    bounds, never, names = site_bounds(site, trace, jobs, cluster)
    fits = fits_at_all(fresh_run(jobs, machine, rules, weights)) & ~never & ~counts.never
    if trace.left_out is not None:
        fits &= ~trace.left_out
    chosen = np.flatnonzero(fits)
    kept = take_jobs(jobs, chosen)
    follows = predecessors(trace) if trace.dependencies else np.full(len(trace), NOBODY, np.int64)
    followers = _followers(trace, follows, chosen)
    kinds = job_kinds(trace)
    own_kinds = [kinds[job] for job in chosen.tolist()]
    preemption = preemption_of(site, own_kinds, TICKS)
    own_bounds = of_chosen(bounds, chosen)
    failures = _failures(trace, cluster, policy, order)

    def fresh(room: int) -> SiteRun:
        shared = preemption, failures, log, room
        return fresh_run(kept, machine, rules, weights, own_bounds, closures, followers, *shared)

    control.jobs = len(chosen)
    began = run_clock()
    # All the time of the simulation is in here; what follows translates ticks and places back.
    run = _simulated(fresh, control)
    state = run.state
    start = np.full(len(trace), NOT_RUN, np.int64)
    start[chosen] = np.where(state.start == NOT_STARTED, NOT_RUN, state.start // TICKS + site.launch)
    ran = start != NOT_RUN
    # A job that was cancelled to make room ends early; its runtime in the log is not what it ran.
    runtime = np.array(trace.runtime)
    cut = run.jobs.runtime < kept.runtime  # of jobs that were cancelled for others
    runtime[chosen[cut]] = np.maximum(run.jobs.runtime[cut] // TICKS - site.launch, 0)
    end = np.where(ran, start + runtime, NOT_RUN)
    after = (follows != NOBODY) & ran[follows]
    limits = limits_of(names, bounds, 60 * TICKS) if log else None
    estimate = job_ticks(kept._replace(runtime=trace.walltime[chosen] + site.launch)).runtime
    stopped = _lost_runs(kept, run.stops, chosen, order, cluster, site.launch)
    runs = (
        np.concatenate((np.flatnonzero(ran), stopped.job)),
        np.concatenate((start[ran], stopped.start)),
        np.concatenate((end[ran], stopped.end)),
    )
    alone = own_bounds, closures, own_kinds, failures
    parts = SiteParts(site, kept, estimate, machine, rules, weights, *alone)
    return Schedule(
        trace=trace,
        cluster=cluster,
        policy=policy,
        start=start,
        end=end,
        came=np.where(after, end[follows] + think_times(trace), trace.comes)
        if trace.dependencies
        else trace.came,
        procs=np.array(trace.procs),
        pieces=_pieces(kept, state, chosen, order, cluster, len(trace)),
        cancelled_for=_cancelled_for(run.preemption, cut, chosen, len(trace)),
        stopped=stopped,
        seconds=run_clock() - began,
        estimate=np.array(trace.walltime),
        log=NO_LOG
        if limits is None
        else site_decisions(run, trace, chosen, site.launch, cluster, limits, end, runs),
        site_limits=limits,
        priorities=_priorities(site, trace, _asked_nodes(trace, work), machine) if log else None,
        # Nodes that failed are the last of what closes nodes, and as nameless as those that were away.
        closed_by=(*closure_names(site, trace, cluster, order), "") if log else (),
        fair_start=None
        if fair_by is None
        else _fair_starts(parts, run, fair_by, control, chosen, len(trace)),
        fair_by=fair_by or "estimate",
    )


def _simulated(fresh: Callable[[int], SiteRun], control: Control) -> SiteRun:
    """A simulation that has ended, with room for all lost runs; `fresh` makes one with some of it.

    Raises Cancelled.
    """
    room = LOST_RUNS
    while True:
        run = fresh(room)
        run_site(run, control.array)
        if control.cancelled:
            raise Cancelled
        if not run.stops.many[2]:
            return run
        room *= 4  # the same once more: no run may be left out


def _failures(trace: Trace, cluster: Cluster, policy: Policy, order: Ints) -> SiteFailures:
    """The failures of the machine's nodes, whose numbers in the cluster are `order`."""
    place, first_submit = np.argsort(order), int(trace.submit[0]) if len(trace) else 0
    outages = cluster.outages(trace.submit).clipped(first_submit, _ANY)
    restarts = 0 if policy.on_failure == "lose" else policy.max_restarts
    first, last = outages.start * TICKS, outages.end * TICKS
    return make_failures(place[outages.node], first, last, cluster.nodes, restarts)


def _fair_starts(
    parts: SiteParts, run: SiteRun, fair_by: FairBy, control: Control, chosen: Ints, count: int
) -> Ints:
    """The fair starts of so many jobs, of which the `chosen` can run, s; or NOT_RUN."""
    fair = np.full(count, NOT_RUN, np.int64)
    ticks = site_fair_starts(parts, run, fair_by == "actual", control)
    fair[chosen] = np.where(ticks == NOT_STARTED, NOT_RUN, ticks // TICKS + parts.site.launch)
    return fair


def _priorities(site: Site, trace: Trace, nodes: Ints, machine: SiteMachine) -> SitePriorities | None:
    """The priorities of the jobs; None where they go by submission."""
    return SitePriorities(site, trace, nodes, size_of(machine)) if site.multifactor else None


def in_ticks(rules: SiteRules, draw: int = 0) -> SiteRules:
    """The same settings in ticks; `draw` moves the background loop within its first second."""
    # Only times that are set become ticks: 0 and negative ones stand for other things.
    scaled = {name: TICKS * getattr(rules, name) for name in _IN_TICKS if getattr(rules, name) > 0}
    return rules._replace(
        ticks=TICKS,
        first_beat=(_BACKFILL_PHASE + _LOOP_LATER + _EACH_DRAW * draw) % TICKS,
        main_beat=TICKS * _LOOP_PERIOD // 10,
        check_beat=_CHECK_WAKES * TICKS * _LOOP_PERIOD // 10,
        backfill_phase=_BACKFILL_PHASE,
        launch_delay=0,
        completion_delay=0,
        main_gap=-(-rules.main_gap * TICKS // 1_000_000),
        **scaled,
    )


def job_ticks(jobs: SiteJobs, late: int = 0) -> SiteJobs:
    """The same jobs with times in ticks: submitted `late` ticks into a second, and running a tick longer."""
    return jobs._replace(
        submit=jobs.submit * TICKS + late,
        begin=jobs.begin * TICKS + late,
        runtime=jobs.runtime * TICKS + 1,
        limit=jobs.limit * TICKS,
    )


def _weight_ticks(weights: SiteWeights) -> SiteWeights:
    return weights._replace(max_age=weights.max_age * TICKS, half_life=weights.half_life * TICKS)


def _in_phase(site: Site, trace: Trace, rules: SiteRules) -> SiteRules:
    """The same settings, periods counted from when slurmctld started where the site's files tell that."""
    if not site.boot or not len(trace):
        return rules
    try:
        # Periods of slurmctld's loops count from its start: only the phase at the first submission matters.
        since = int(came_at(trace).min()) - parse_time(site.boot, trace)
    except InputError:
        return rules
    return rules._replace(
        first_calc=-since % rules.calc_period,
        first_full=-since % rules.main_every,
        first_backfill=-since % rules.bf_interval,
        first_check=int(came_at(trace).min()) + -since % _CHECK_WAKES,
    )


def _drawn(rules: SiteRules, draw: int) -> SiteRules:
    """The same settings with the begins of slurmctld's loops of a further draw; draw 0 changes nothing.

    Each begin moves by a fraction of its interval, from an additive sequence that fills the cube of all
    begins evenly (Roberts 2018, the three-dimensional R sequence).
    """
    # Each further draw moves the begins by fixed steps, in millionths of their intervals.
    calc, full, backfill = (draw * step % 1_000_000 for step in _PHASE_STEPS)
    return (
        rules._replace(
            first_calc=(rules.first_calc + calc * rules.calc_period // 1_000_000) % rules.calc_period,
            first_full=(rules.first_full + full * rules.main_every // 1_000_000) % rules.main_every,
            first_backfill=(rules.first_backfill + backfill * rules.bf_interval // 1_000_000)
            % rules.bf_interval,
            first_check=rules.first_check + full * _CHECK_WAKES // 1_000_000,
        )
        if draw
        else rules
    )


def site_jobs(
    site: Site, trace: Trace, work: Workload, machine: SiteMachine, leaves: Ints, nodes: Ints, order: Ints
) -> SiteJobs:
    """The jobs as the site's schedulers see them, with limits in whole minutes, on these numbers of `nodes`.

    A job that was held, or not to begin before a date, comes when the log says that it was eligible. `order`
    has the nodes of the cluster in the order of the machine's.
    """
    turn = largest_first(work.group_offset, work.group_tasks, work.group_need, work.capacity)
    # slurmctld keeps limits in whole minutes, rounded up.
    limit = -(-np.maximum(trace.walltime, 1) // 60) * 60
    came = came_at(trace)
    most = np.where(work.group_need[:, 0] == _PART_OF_NODE, _ANY, work.group_most)
    sizes = np.diff(work.group_offset)
    # A job that asks for as many nodes as it has tasks gets one task a node; one that may have several nodes,
    # and has one group, is filled as it comes.
    apart = np.repeat(nodes[:, 0] >= np.maximum(_sums(work.group_tasks, work.group_offset), 2), sizes)
    single = np.repeat((sizes == 1) & (nodes[:, 1] > 1), sizes)
    most = np.where(apart, 1, np.where(single, _ANY, most))
    return SiteJobs(
        submit=came,
        runtime=np.array(trace.runtime),
        limit=limit,
        billing=billing_of_trace(site, trace, nodes[:, 0]),
        part=trace.queue.codes.astype(np.int64),
        user=leaves,
        base=base_priorities(site, trace, _asked_nodes(trace, work), size_of(machine)),
        begin=came.copy(),
        offset=np.array(work.group_offset),
        tasks=np.array(work.group_tasks),
        need=np.array(work.group_need),
        most=most.astype(np.int64),
        zone=np.array(work.zone),
        exclusive=np.array(work.exclusive),
        # No job is inside a reservation until its name is looked up.
        inside=np.full(len(trace), -1, np.int64),
        nodes=nodes,
        tested=cycle_numbers(
            *(names.codes.astype(np.int64) for names in (trace.user, trace.group, trace.queue))
        ),
        turn=turn - np.repeat(work.group_offset[:-1], sizes),
        own_offset=np.array(work.own_offset),
        own_node=np.argsort(order)[work.own_node],
    )


def _sums(values: Ints, offset: Ints) -> Ints:
    """The sums over the groups of each job, (n,)."""
    total = np.concatenate(([0], np.cumsum(values)))
    return np.asarray(total[offset[1:]] - total[offset[:-1]], np.int64)


def came_at(trace: Trace) -> Ints:
    """When each job may start at the earliest by the log, s, shape (n,); not of those that follow others."""
    if trace.held is None:
        return np.array(trace.comes)
    held = np.where(predecessors(trace) != NOBODY, 0, trace.held) if trace.dependencies else trace.held
    return np.asarray(trace.comes + held, np.int64)


def _asked_nodes(trace: Trace, work: Workload) -> Ints:
    """The nodes by which slurmctld measures the size of each job, (n,)."""
    nodes = np.add.reduceat(np.minimum(work.group_tasks, len(work.capacity)), work.group_offset[:-1])
    # As slurmctld 22.05 was seen to: a job that asks for CPUs alone asks for a single node, however many CPUs
    # these are.
    spread = work.group_need[work.group_offset[:-1], 0] == _PART_OF_NODE
    nodes = np.where(spread, 1, nodes)
    if trace.least_nodes is not None:
        nodes = np.where(trace.least_nodes > 0, trace.least_nodes, nodes)
    return np.asarray(nodes, np.int64)


def site_bounds(
    site: Site, trace: Trace, jobs: SiteJobs, cluster: Cluster
) -> tuple[SiteBounds, Mask, LimitNames]:
    """The limits that bound each job, which jobs, (n,), ask for more than any one may, and their names."""
    total = np.add.reduceat(jobs.tasks[:, None] * jobs.need, jobs.offset[:-1], axis=0)
    first, tasks = jobs.offset[:-1], _sums(jobs.tasks, jobs.offset)
    fewest = np.maximum(-(-trace.procs // max(group.cpus for group in cluster.groups)), jobs.nodes[:, 0])
    nodes = np.where(jobs.exclusive[first], np.maximum(tasks, fewest), np.minimum(fewest, tasks))
    return bounds_of(site, job_kinds(trace), cluster.resources, total, jobs.limit // TICKS, nodes, TICKS)


def _followers(trace: Trace, follows: Ints, chosen: Ints) -> SiteFollowers:
    """The jobs among the chosen that follow another one; a job that never starts is followed by none."""
    place = np.full(len(trace) + 1, NOBODY, np.int64)  # its last entry is that of NOBODY
    place[chosen] = np.arange(len(chosen))
    return make_followers(place[follows[chosen]], think_times(trace)[chosen] * TICKS)


def _pieces(
    jobs: SiteJobs, state: SiteState, chosen: Ints, order: Ints, cluster: Cluster, count: int
) -> Pieces:
    """Where each job ran, in the cluster's own numbers of nodes; a row a node and group."""
    sizes = np.zeros(count, np.int64)
    sizes[chosen] = state.places
    offset = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    inner = np.cumsum(state.places) - state.places
    rows = state.rows[np.repeat(state.first - inner, state.places) + np.arange(int(state.places.sum()))]
    return _rows_as_pieces(jobs, rows, offset, order, cluster)


def _lost_runs(
    jobs: SiteJobs, stops: SiteStops, chosen: Ints, order: Ints, cluster: Cluster, launch: int
) -> FurtherRuns:
    """The runs of jobs that ended for others and were queued again, and those that failures stopped."""
    runs, rows, _ = stops.many.tolist()
    if not runs:
        return NO_RUNS
    job, start, end, _, nodes, by = stops.lost[:runs].T
    offset = np.concatenate(([0], np.cumsum(nodes))).astype(np.int64)
    pieces = _rows_as_pieces(jobs, stops.lost_rows[:rows], offset, order, cluster)
    start = start // TICKS + launch
    whose = np.where(by < 0, NOBODY, chosen[by])
    return FurtherRuns(chosen[job], start, np.maximum(end // TICKS, start), pieces, whose)


def _cancelled_for(preemption: SitePreemption, cut: Mask, chosen: Ints, count: int) -> Ints | None:
    """The job for which each of so many jobs was cancelled while it ran, or -1; None without preemption."""
    if not len(preemption.kind):
        return None
    cancelled_for = np.full(count, NOBODY, np.int64)
    cancelled_for[chosen[cut]] = chosen[preemption.by[cut]]
    return cancelled_for


def _rows_as_pieces(jobs: SiteJobs, rows: Ints, offset: Ints, order: Ints, cluster: Cluster) -> Pieces:
    node, group, tasks = rows.T
    amount = np.where(
        jobs.exclusive[group, None], cluster.capacity()[order[node]], jobs.need[group] * tasks[:, None]
    )
    columns = {name: np.ascontiguousarray(amount[:, k]) for k, name in enumerate(cluster.resources)}
    return Pieces(offset, {"node": order[node], **columns})
