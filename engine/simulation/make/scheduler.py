"""The construction of a simulation's state from a trace, a machine and a policy."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.estimate.estimators import fixed_estimates
from engine.estimate.predictor import make_predictor
from engine.fairness.usage import Usage, make_usage, no_usage
from engine.machine.cluster import Cluster
from engine.policy.penalty import penalties
from engine.policy.policy import Policy
from engine.policy.static_order import backfill_terms, key_ranks, queue_terms, ranks
from engine.policy.tuning import RANGES
from engine.schedule.compact import counted
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.arrivals import NO_ARRIVALS, Arrivals, make_arrivals
from engine.simulation.estimator import Estimator
from engine.simulation.failures.outage_state import make_outage_state, with_outages
from engine.simulation.failures.resuming import resumable_workload
from engine.simulation.limits import NO_LIMITS, NO_USER_TESTS, UNLIMITED, Limits, UserTests
from engine.simulation.log_buffer import NOBODY, make_log_buffer
from engine.simulation.loop_state import make_loop_state
from engine.simulation.machine_state import find_refused, make_machine_state
from engine.simulation.make.hours import make_hours
from engine.simulation.make.order import fixed_keys, make_order, owners_of, terms_table
from engine.simulation.make.rules import make_rules, of_estimate
from engine.simulation.make.switching import make_nodes_switched
from engine.simulation.order import SCORE, SLACK, STATIC
from engine.simulation.placement import PLACEMENTS
from engine.simulation.plans.criteria import make_criteria
from engine.simulation.plans.search import Search, make_search, no_search
from engine.simulation.power_cap import capped, never_admitted
from engine.simulation.preemption.bids import make_preemption
from engine.simulation.profile.state import make_profile, no_profile
from engine.simulation.queue import make_queue
from engine.simulation.reservations import make_reservations, no_reservations
from engine.simulation.running import make_running
from engine.simulation.scheduler import (
    KEPT,
    NO_LIMIT,
    Scheduler,
)
from engine.simulation.tables import TABLES
from engine.simulation.tuner import make_tuner
from engine.simulation.window import NEXT
from engine.simulation.workload import NO_SHAPE, Workload, policy_workload
from engine.trace import Trace
from engine.trace.dependencies import predecessors, think_times

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_FIRST_STEPS = 256
_MOST_NUMBER = 1 << 62
_LARGEST_WINDOW = int(RANGES["window"][1])


def make_scheduler(
    trace: Trace,
    cluster: Cluster,
    policy: Policy,
    log: bool,
    fair_starts: bool = False,
    reference: Schedule | None = None,
    used: Floats | None = None,
) -> tuple[Scheduler, Estimator]:
    """The state before the first event, and the estimator of runtimes.

    `log` writes a decision log; `fair_starts` prepares for forks; `reference` is the schedule from which fair
    shares are derived, for policies that use expected ends; `used` is as for `simulate`. Raises InputError
    where the policy names a queue, node group or user that does not exist.
    """
    jobs = len(trace)
    # Estimates that are known ahead are columns. Predictors that learn have none yet: until a job is
    # submitted its limit stands in, so that tables can be sized.
    estimate = (
        trace.walltime  # not copied, since nothing changes it: jobs that resume have estimates of their own
        if policy.estimate.kind == "requested"
        else fixed_estimates(policy.estimate, trace.runtime, trace.walltime)
    )
    learned = estimate is None
    again = learned and not policy.estimate_once and policy.estimate.kind != "own"  # which predicts once
    first = np.array(trace.walltime) if estimate is None else estimate
    base = policy_workload(trace, cluster, policy, first)
    under = capped(base, trace, cluster, policy, log)
    work = under.work
    # A job that resumes after it was stopped has a remaining runtime, which changes: it needs columns of its
    # own.
    outages = cluster.outages(trace.submit)
    preempts = policy.preempt_value is not None
    continues = policy.on_failure == "continue" and (len(outages) > 0 or preempts)
    if continues:
        work = resumable_workload(work)
    # What never fits is refused before the first event, or it would block the queue for ever.
    placement = policy.placement if policy.power_off is None else "reliable"  # on nodes in an order of theirs
    machine = make_machine_state(work, PLACEMENTS.index(placement))
    refused = find_refused(work, machine)
    # Estimates that are learned, or what is left of a job that resumes, may be up to the limit of the job.
    refused |= never_admitted(
        under, np.maximum(first, trace.walltime) if learned or continues else work.estimate
    )
    if trace.left_out is not None:  # jobs that are never submitted, as those that are too large
        refused |= trace.left_out
    limits = _limits(trace, policy)
    if limits.on:
        most = limits.most_queue_cpus - limits.queue_cpus[limits.queue]
        refused |= work.need[:, 0] > np.minimum(limits.most_user_cpus, most)
    # Time counts from the first job that runs: profiles begin there, and older seconds cost nothing.
    zero = int((work.submit if refused.all() else work.submit[~refused]).min()) if jobs else 0
    usage = _usage(base, trace, policy, refused)
    if used is not None and policy.uses_fairshare:
        usage = usage._replace(used=np.array(used))
    # The order of the queue: fixed ranks where it never changes, else terms that each pass looks at again.
    terms = queue_terms(policy.order, policy.ties)
    expected_end = np.zeros(0, np.int64)
    if reference is not None:
        expected_end = _expected_end(trace, policy, cluster, reference, work, refused)
    order = make_order(trace, cluster, policy, work, usage, learned or continues, refused, expected_end, zero)
    rules = make_rules(policy, cluster.pooled, order.code == STATIC, log, zero, learned or continues)
    if log and policy.pass_every and work.capacity.shape[1] > 1:
        # What a job is short of first may change by later starts of a pass: the next one has to say so.
        rules = rules._replace(stable_with_start=False)
    # Ranks make a queue a heap of integers; jobs whose submission depends on others get them when they come.
    keys = fixed_keys(policy, trace, work, zero)
    waits = not trace.comes_in_order  # then the order of submissions is not known yet
    procs = work.need[:, 0]
    arrivals = _arrivals(trace, work.submit, refused) if waits else NO_ARRIVALS
    if rules.by_arrival and not waits:
        rank = counted(jobs)
    elif keys is None:
        rank = ranks(terms, work.estimate, procs, waits)
    else:
        rank = key_ranks(keys, shared=waits)
    # On a pool with a single resource the queue carries the processors of its jobs: a pass of EASY then
    # reads no other table.
    beside = procs if cluster.pooled and work.need.shape[1] == 1 and order.code == STATIC else None
    own = policy.own is not None  # whose code may ask who started when, and for the estimate of any job
    numbered = learned or len(outages) > 0 or fair_starts or own or preempts
    if fair_starts:
        beside = None  # forks copy queues without the processors
    in_order = rules.by_arrival and not (waits or len(outages))
    queue = make_queue(rank, arrivals.turn, beside, in_order, order.code != STATIC)
    # Backfilling by an order of its own needs a second queue of the same jobs.
    backfill_queue, backfill_keys = queue, terms
    if rules.own_backfill_order:
        backfill_keys = backfill_terms(policy.backfill)
        backfill_queue = make_queue(
            ranks(backfill_keys, work.estimate, procs, waits),
            arrivals.turn,
            None if rules.backfill_order_moves else beside,
        )

    # Jobs that ask for the same have the same earliest start in a pass: it is searched once for all of them.
    similar = np.full(jobs if rules.plans else 0, NOBODY)
    if rules.plans and rules.depth != KEPT and not learned:
        similar = _similar(work)
    estimator = Estimator(
        learns=learned,
        anew=again and rules.depth != KEPT,
        of_all=rules.plans
        or own
        or preempts  # jobs that do not fit may start too
        or order.code in (SLACK, SCORE)
        or of_estimate(terms)
        or of_estimate(backfill_keys),
        predictor=make_predictor(policy.estimate, trace, trace.procs),
        made_at=np.zeros(jobs if learned else 0, np.int64),
        first=np.array(work.estimate) if learned or continues else np.zeros(0, np.int64),
    )
    # Nodes that are down are held by jobs of their own, which only repairs end.
    outage_state = make_outage_state(work, outages, zero, preempts)
    reservations, tuner = (
        make_reservations(work, kept=rules.plans)
        if rules.plans or len(work.capacity) > 1
        else no_reservations(work.capacity.shape[1]),
        make_tuner(policy.tunings, policy.bf, policy.window, work, outages, zero, expected_end),
    )
    if len(work.power) > 0:  # each job has a piece of power, too
        reservations = reservations._replace(most_pieces=reservations.most_pieces + 1)
    work, machine = with_outages(work, machine, outage_state)
    # Only policies that reserve for more than the head keep a profile of the time to come; it grows when
    # a table is too short.
    steps = _FIRST_STEPS if rules.plans else 0
    if not rules.plans:
        profile = plan = no_profile(*work.capacity.shape)
    else:
        caps = (under.time, under.room) if len(under.time) else None
        profile = make_profile(work.capacity, zero, steps, work.zone_nodes, caps)
        plan = (
            make_profile(work.capacity, zero, steps, work.zone_nodes, caps)
            if rules.depth != KEPT
            else (make_profile(work.capacity, zero, 0, work.zone_nodes))
        )
    scheduler = Scheduler(
        rules=rules,
        work=work,
        machine=machine,
        run=make_running(
            jobs + len(outage_state.node),
            rules.plans or rules.depth > 0 or fair_starts or len(under.time) > 0,
            None if beside is None else np.ascontiguousarray(work.need[:, 0]),
            # Only where a job can run longer than its estimate are overdue jobs looked for.
            overruns=learned or continues or fair_starts or bool((work.estimate < work.runtime).any()),
            numbered=numbered,
            by_job=numbered or rules.plans or bool(policy.tunings),
        ),
        outage_state=outage_state,
        arrivals=arrivals,
        queue=queue,
        backfill_queue=backfill_queue,
        order=order,
        backfill_terms=terms_table(backfill_keys),
        limits=limits,
        hours=make_hours(trace, policy, under),
        switching=make_nodes_switched(trace, cluster, policy, zero, fair_starts),
        preemption=make_preemption(trace, policy),
        user_tests=_user_tests(trace, policy),
        tuner=tuner,
        profile=profile,
        plan=plan,
        reservations=reservations,
        search=_search(work, base, trace, policy, reservations.most_pieces, expected_end, log),
        log_buffer=make_log_buffer(log, jobs),
        blocked_head=np.full(1, NOBODY, np.int64),
        least_procs=np.ones(1, np.int64),
        examined=np.zeros(jobs if rules.own_backfill_order or rules.plans else 0, np.int64),
        similar=similar,
        similar_state=np.zeros(int(similar.max(initial=0)) + 1, np.int64),
        similar_time=np.zeros(int(similar.max(initial=0)) + 1, np.int64),
        window=np.zeros((NEXT + _LARGEST_WINDOW, _LARGEST_WINDOW), np.int64),
        refused=refused,
        loop=make_loop_state(),
        asked=np.zeros(4 if own else 0, np.int64),
        rows_wanted=np.zeros(len(TABLES), np.int64),
        moving_times=np.zeros(2 * jobs + 2 if rules.depth == KEPT else 0, np.int64),
        fixed_times=np.zeros(2 * jobs + len(outage_state.node) if rules.depth == KEPT else 0, np.int64),
        start=np.full(jobs, NOT_RUN, np.int64),
    )
    return scheduler, estimator


def _limits(trace: Trace, policy: Policy) -> Limits:
    """The limits of the policy.

    All queues share one bound, the largest: a queue with a smaller one counts as if it held the difference.
    """
    if not policy.limited:
        return NO_LIMITS
    user_jobs, user_cpus = (
        UNLIMITED if most is None else most for most in (policy.max_user_jobs, policy.max_user_cpus)
    )
    of_queue = [policy.queue_limit(name) for name in trace.queue.names]
    most = np.array([UNLIMITED if limit is None else limit for limit in of_queue], np.int64)
    # One bound for all queues saves the kernel a look-up: each queue begins with the difference in use.
    queue_cpus = int(most.max(initial=0))
    users = len(trace.user.names)
    return Limits(
        on=True,
        most_user_jobs=user_jobs,
        most_user_cpus=user_cpus,
        most_queue_cpus=queue_cpus,
        user=trace.user.codes.astype(np.int64),
        queue=trace.queue.codes.astype(np.int64),
        user_jobs=np.zeros(users, np.int64),
        user_cpus=np.zeros(users, np.int64),
        queue_cpus=queue_cpus - most,
    )


def _user_tests(trace: Trace, policy: Policy) -> UserTests:
    most, users = policy.user_test_limit, trace.user
    if most is None:
        return NO_USER_TESTS
    return UserTests(most, users.codes.astype(np.int64), np.zeros((len(users.names), 2), np.int64))


def _expected_end(
    trace: Trace, policy: Policy, cluster: Cluster, reference: Schedule, work: Workload, refused: Mask
) -> Ints:
    """The EET of each job computed from estimates, as a scheduler can know it, shape (n,), s."""
    from engine.fairness.batches import bag_ends
    from engine.fairness.eet import amounts_of, expected_end_times

    share = policy.eet_share
    capacity = share.capacity(reference.trace, cluster, reference)
    amounts = amounts_of(trace, trace.procs, capacity.shape[1])
    length = np.where(refused, 0, work.estimate)  # refused jobs never run, so they cost their user nothing
    eet = expected_end_times(
        trace.submit, trace.user.codes, length, amounts, capacity, share.exact_last, share.half_life
    )
    return eet if share.gap is None else bag_ends(trace, eet, share.gap)


def _arrivals(trace: Trace, submit: Ints, refused: Mask) -> Arrivals:
    """The arrivals of jobs that follow others, or that a variant moves."""
    follows = predecessors(trace) if trace.dependencies else np.full(len(trace), NOBODY, np.int64)
    return make_arrivals(follows, think_times(trace), refused, submit)


def _usage(work: Workload, trace: Trace, policy: Policy, refused: Mask) -> Usage:
    named, owners = dict(policy.shares.of_user), owners_of(trace, policy)
    # NUWT counts shares of the whole machine and never forgets.
    used, whole = policy.uses_fairshare, policy.order == "nuwt"
    if not used:
        return no_usage()
    counted = np.unique(owners.codes[~refused]) if policy.order == "priority" else ()
    return make_usage(
        weight=penalties(work, policy.penalty) * (work.capacity[:, 0].sum() if whole else 1),
        user=owners.codes.astype(np.int64),
        share=np.array([named.get(owner, 1.0) for owner in owners.names]),
        half_life=0 if whole else policy.half_life or 0,
        at_end=policy.accrue == "end",
        all_shares=math.fsum(named.get(owners.names[owner], 1.0) for owner in counted),
    )


class PastUsage:
    """What users had used by any time of a schedule, for policies whose order depends on it."""

    def __init__(self, trace: Trace, cluster: Cluster, policy: Policy) -> None:
        work = policy_workload(trace, cluster, policy, trace.walltime)
        self._usage = _usage(work, trace, policy, np.zeros(len(trace), np.bool_))

    def at(self, start: Ints, end: Ints, time: int) -> Floats:
        """The usage as of second 0 of a simulation that begins at `time`, shape (users + 1,).

        Jobs that have not started are NOT_RUN, or start later. By the formula of `Usage`; a job that counts
        at its end counts only then.
        """
        usage = self._usage
        # What is counted at its end has to have ended, all else only to have started.
        counts = (start != NOT_RUN) & ((end if usage.at_end else start) <= time)
        first, last = start[counts], np.minimum(end[counts], time)
        area = (last - first).astype(np.float64)
        if usage.mean_life and not usage.at_end:
            life = usage.mean_life
            area = life * (np.exp(-(time - last) / life) - np.exp(-(time - first) / life))
        # Counted in one amount at the end, from which it decays.
        elif usage.mean_life:
            area *= np.exp(-(time - last) / usage.mean_life)
        used = np.bincount(usage.user[counts], usage.weight[counts] * area, len(usage.share))
        used[-1] = used[:-1].sum()
        return np.asarray(used, np.float64)


def _search(
    work: Workload,
    base: Workload,
    trace: Trace,
    policy: Policy,
    most_pieces: Ints,
    expected_end: Ints,
    log: bool,
) -> Search:
    # Without a search only a plan that is kept between passes (replan=planned) needs its arrays.
    searches = policy.search != "none"
    if not searches and policy.replan != "planned":
        return no_search()
    # Only some criteria compare an end with the expected one.
    judged = searches and policy.uses_expected_ends
    # Penalties are shares of the machine that a user holds; the criteria add them as processors.
    share = penalties(base, policy.penalty) if searches else np.zeros(0)
    criteria = make_criteria(
        weights=np.array(policy.criteria_weights),
        user=(trace.user.codes if searches else trace.user.codes[:0]).astype(np.int64),
        penalty=share * work.capacity[:, 0].sum(),
        procs=(work.need[:, 0] if searches else work.need[:0, 0]).astype(np.float64),
        promised=expected_end - work.submit if judged else np.zeros(0, np.int64),
        users=len(trace.user.names) if searches else 0,
    )
    planned = most_pieces if policy.replan == "planned" else most_pieces[:0]
    kinds = work.capacity.shape[1]
    return make_search(
        policy.search,
        policy.search_every,
        policy.trials,
        NO_LIMIT if policy.plan_depth == "all" else int(policy.plan_depth),
        policy.seed,
        criteria,
        planned,
        kinds,
        log,
    )


def _similar(work: Workload) -> Ints:
    """The kind of each job, (n,): equal for jobs that ask for the same resources for the same time.

    It is NOBODY for jobs of different tasks on nodes: their groups are placed one after the other, so that
    they may fit into less although they did not fit into more.
    """
    pooled = len(work.capacity) == 1
    columns = [work.estimate, *work.need.T] if pooled else [work.estimate, work.shape]
    if len(work.power) > 0:
        columns.append(work.power[:, -1])
    # Columns are combined into one number for each job, digit by digit; before it could overflow it is
    # replaced by the rank among those that occur.
    number, most = np.zeros(len(work.submit), np.int64), 0
    for column in columns:
        high = int(column.max(initial=0)) + 2
        if most > _MOST_NUMBER // high:
            number = np.unique(number, return_inverse=True)[1]
            most = len(number)
        number = number * high + column + 1
        most = (most + 1) * high
    number = np.unique(number, return_inverse=True)[1]
    # Jobs of different tasks are similar to nobody.
    if not pooled:
        number[work.shape == NO_SHAPE] = NOBODY
    return number
