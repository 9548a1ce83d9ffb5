"""The state of a simulation, and the steps that all kinds of scheduling passes share.

A pass is a walk through the queue that starts jobs and makes reservations. Each kind has a module:
`easy.py`, `reservation_pass.py`, `window.py`, `conservative.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.fairness.usage import usage_started
from engine.schedule.schedule import COLUMNS, Decision, Untried
from engine.simulation.arrivals import Arrivals, expect_followers
from engine.simulation.failures.outage_state import OutageState
from engine.simulation.hours import KnownHours, power_missing, waits_for_price
from engine.simulation.limits import FREE, Limits, UserTests, count_running, held_by, may_test
from engine.simulation.log_buffer import AMOUNT, LogBuffer, note_reason, was_noted
from engine.simulation.loop_state import LoopState
from engine.simulation.machine_state import MachineState, begin_sweep, fits_now, occupy
from engine.simulation.order import Order, wait_ends
from engine.simulation.plans.search import Search
from engine.simulation.preemption.bids import Preemption, present_bid
from engine.simulation.profile.lines import hold
from engine.simulation.profile.state import Profile
from engine.simulation.queue import Queue
from engine.simulation.reservations import Reservations
from engine.simulation.running import Running, add_running
from engine.simulation.switching import Switching, take_nodes
from engine.simulation.tuner import Tuner, note_change
from engine.simulation.workload import Ints, Workload

STOP, KEPT = -1, -2
ALL = np.iinfo(np.int64).max
"""Depths other than a number of reservations. STOP: a pass ends at the first blocked job. KEPT: reservations
outlive the pass (conservative backfilling). ALL: a pass reserves for every blocked job."""

NO_LIMIT = np.iinfo(np.int64).max

_CPUS, _RAM, _RESOURCE = int(Decision.CPUS), int(Decision.RAM), int(Decision.RESOURCE)
_FRAGMENTED, _LIMIT, _BEHIND = int(Decision.FRAGMENTED), int(Decision.LIMIT), int(Decision.BEHIND)
_UNTRIED, _POWER, _PRICE = int(Decision.UNTRIED), int(Decision.POWER), int(Decision.PRICE)
OF_PASS, OF_USER = int(Untried.OF_PASS), int(Untried.OF_USER)


class Rules(NamedTuple):
    """The policy as numbers and flags, which do not change during a simulation."""

    depth: int  # number of reservations at a pass, or STOP, ALL or KEPT
    keeps: bool  # whether reservations last, which is what depth KEPT means
    relaxed: float  # by how many times its first delay a reserved job may be delayed; below 0: not at all
    gate: bool  # whether an arrival calls for a pass only where the job fits
    pass_every: int  # s between passes; 0: passes are made whenever something happens
    zero: int  # s, first submission of a job that is not refused: times of passes count from here
    test_limit: int  # number of jobs that a pass examines, or NO_LIMIT
    horizon: int  # s ahead in which reservations may begin, or NO_LIMIT
    resolution: int  # s to whose multiples ends are rounded up in reservations; 1: exact
    max_restarts: int  # number of times that a job runs again after failures
    plans: bool  # whether reservations are found in a profile of free processors over time
    windows: bool  # whether several jobs are placed together
    own_backfill_order: bool  # whether jobs are backfilled in another order than the queue's
    by_arrival: bool  # whether queue and backfill queue are in order of submission
    backfill_order_moves: bool  # whether the backfill order depends on estimates that change
    always_whole: bool  # whether passes find all reservations and reasons even where no job can start
    stable_without_start: bool  # a pass that started no job, made again, starts none while only time passes
    stable_with_start: bool  # with `stable_without_start`: the same holds for a pass that started jobs
    planned: bool  # whether kept reservations move in order of their starts, not of submission
    best_gap: bool  # whether a job is planned into the gap that it fills best, not into the earliest gap
    searches: bool  # whether better plans are searched for
    resumes: bool  # whether a pass may go on with the reservations of the last pass
    capped: bool  # whether the last resource is power, of which the machine may take so much
    by_hours: bool  # whether passes are made where the clock alone may let jobs start
    preempts: bool  # whether jobs of high value may stop running ones
    is_fork: bool  # whether this is a fork that finds a fair start: predictors learn nothing from it
    exact: bool  # whether jobs run for their real runtimes; else for what was estimated at their start


class Scheduler(NamedTuple):
    """The state of a simulation of n jobs; kernels change its arrays in place."""

    rules: Rules
    work: Workload
    machine: MachineState
    run: Running  # the running jobs
    outage_state: OutageState  # the nodes that are down, and the runs that failures stopped
    arrivals: Arrivals  # the order in which jobs are submitted
    queue: Queue  # waiting jobs in queue order
    backfill_queue: Queue  # the same jobs in backfill order; `queue` itself where there is only one order
    order: Order  # how the queue is sorted
    backfill_terms: Ints  # (2, 3) sort keys of the backfill order, as `Order.terms`
    limits: Limits
    hours: KnownHours
    switching: Switching  # the nodes that are switched off when idle
    preemption: Preemption
    user_tests: UserTests
    tuner: Tuner
    profile: Profile  # what running jobs and kept reservations leave free
    plan: Profile  # what running jobs and the reservations of one pass leave free
    reservations: Reservations
    search: Search
    log_buffer: LogBuffer
    blocked_head: Ints  # (1,) first job that the last pass could not start, or NOBODY
    least_procs: Ints  # (1,) no waiting job asks for fewer processors
    examined: Ints  # (n,) number of the last pass that examined the job
    similar: Ints  # (n,) kind of the job: jobs of a kind ask for the same resources for the same time
    similar_state: Ints  # (kinds,) `Profile.state` of the plan when a job of the kind was last examined
    similar_time: Ints  # (kinds,) s: that job did not fit before this time
    window: Ints  # (13, 8) scratch of passes that place several jobs together, see `window.py`
    refused: NDArray[np.bool_]  # (n,) whether the job is too large for the empty machine
    loop: LoopState
    asked: Ints  # (4,) what a user's own code is asked for, see `own_decisions.py`; (0,) without such code
    rows_wanted: Ints  # (TABLES,) rows that a table needs, where it is too short
    moving_times: Ints  # (2n + 2 or 0,) s, scratch: starts and ends of reservations that overdue jobs delay
    fixed_times: Ints  # (2n + m or 0,) s, scratch: those of all other reservations; m outages
    start: Ints  # (n,) s, start of each job, or NOT_RUN


@inner_kernel
def uses_fairshare(s: Scheduler) -> bool:
    """Whether the queue order or its ties depend on the users' past usage."""
    return s.order.by_usage


@inner_kernel
def planned_end(rules: Rules, time: int) -> int:
    """The end that the profile uses for a job expected to end at `time`, s: rounded up to the resolution."""
    return time if rules.resolution == 1 else time + -time % rules.resolution


@inner_kernel
def start_job(s: Scheduler, now: int, job: int) -> None:
    """Start a job without a reservation, on the nodes of the last draft (which must be the job's own)."""
    occupy(s.work, s.machine, job)
    start = now
    if len(s.switching.took) > 0:
        # The job holds its nodes from now on, and starts when all of them are on.
        first, count = s.machine.first_piece[job], s.machine.piece_count[job]
        start = take_nodes(s.switching, s.machine.pieces, first, count, job, now)
    expected = start + s.work.estimate[job]
    # A start is a fact in both profiles: the plan of this pass, and that of the running jobs, from which the
    # next pass begins.
    if s.rules.plans:
        machine, first, count = s.machine, s.machine.first_piece[job], s.machine.piece_count[job]
        end = planned_end(s.rules, expected)
        hold(s.plan, s.work.need, job, now, end, machine.pieces, first, count)
        hold(s.profile, s.work.need, job, now, end, machine.pieces, first, count)
    count_start(s, start, job, expected)


@inner_kernel
def count_start(s: Scheduler, now: int, job: int, expected: int) -> None:
    """Record the start of a job that already holds its resources and is expected to end at `expected`, s."""
    s.start[job] = now
    # A fork that is not `exact` ends jobs at their estimates, since nobody knows their runtimes then.
    add_running(s.run, job, now + s.work.runtime[job] if s.rules.exact else expected, expected)
    expect_followers(s.arrivals, s.work.submit, job, now, now + s.work.runtime[job])
    if s.machine.free.shape[0] > 1:
        # The sum of what waiting jobs may need in the table of pieces: this job has its own by now.
        s.reservations.waiting_pieces[0] -= s.reservations.most_pieces[job]
    count_running(s.limits, s.work, job, 1)
    note_change(s.tuner, now, s.work.need[job, 0])
    if s.rules.preempts:  # before it pays
        s.preemption.held[job] = present_bid(s.preemption, s.order.credits, s.work, job, now)
    wait_ends(s.order, job, now)
    if uses_fairshare(s):
        usage_started(s.order.usage, job, now)


@inner_kernel
def note_behind(s: Scheduler, now: int, index: int) -> None:
    """Log that the pass ended before it reached the jobs of the queue from `index` on."""
    if not s.log_buffer.on:
        return
    first = index
    if s.queue.in_order and not (s.limits.on or s.rules.by_hours) and s.rules.test_limit == NO_LIMIT:
        # Jobs only join this queue at its end, and none but the first ever gets another reason: what is still
        # to be logged is at the end.
        first = s.queue.bounds[1]
        while first > index and not was_noted(s.log_buffer, s.queue.jobs[first - 1], _BEHIND):
            first -= 1
    for behind in range(first, s.queue.bounds[1]):
        job = s.queue.jobs[behind]
        limit = held_by(s.limits, s.work, job)
        if waits_for_price(s.hours, s.work, job, now):
            note_reason(s.log_buffer, now, job, _PRICE, 0, False)
        elif limit != FREE:
            note_reason(s.log_buffer, now, job, _LIMIT, limit, False)
        else:
            note_reason(s.log_buffer, now, job, _BEHIND, behind - s.queue.bounds[0], False)


@inner_kernel
def begin_reasons(s: Scheduler) -> None:
    """Start the part of a pass that logs reasons: from here on resources are only taken, never freed.

    `is_short_of_resources` relies on that where it skips shapes of jobs that did not fit before.
    """
    if s.log_buffer.on and s.machine.free.shape[0] > 1:
        begin_sweep(s.machine)


@inner_kernel
def is_short_of_resources(s: Scheduler, now: int, job: int, exactly: bool) -> bool:
    """Whether the free resources are too few for the job; if so, this is logged as the reason for its wait.

    `exactly` logs a changed amount too, not only a changed reason.
    """
    if len(s.work.least) > 0:
        return _is_short_of_whole_nodes(s, now, job, exactly)
    # The first resource that is short is named: a job that waits for processors, too, is told of these.
    for k in range(s.machine.free_total.shape[0]):
        missing = s.work.need[job, k] - s.machine.free_total[k]
        if len(s.hours.cap_time) > 0 and k == s.machine.free_total.shape[0] - 1:
            missing = power_missing(s.hours, s.work, s.machine, s.run, job, now)
        if missing > 0:
            _note_short(s, now, job, k, missing, exactly)
            return True
    if s.machine.free.shape[0] > 1 and not fits_now(s.work, s.machine, job):
        note_reason(s.log_buffer, now, job, _FRAGMENTED, 0, False)
        return True
    return False


@inner_kernel
def _is_short_of_whole_nodes(s: Scheduler, now: int, job: int, exactly: bool) -> bool:
    """`is_short_of_resources` where tasks take whole nodes.

    Such a task asks for less than it takes: what the nodes have free counts, and what the job takes at least.
    """
    # First a sum over the nodes: where even all nodes together have too little, that amount is the clearest
    # reason.
    for k in range(s.machine.free.shape[1]):
        missing = s.work.least[job, k]
        for node in range(s.machine.free.shape[0]):
            missing -= s.machine.free[node, k]
        if len(s.hours.cap_time) > 0 and k == s.machine.free.shape[1] - 1:
            missing = power_missing(s.hours, s.work, s.machine, s.run, job, now)
        if missing > 0:
            _note_short(s, now, job, k, missing, exactly)
            return True
    # There is enough in all, but not on single nodes.
    if not fits_now(s.work, s.machine, job):
        note_reason(s.log_buffer, now, job, _FRAGMENTED, 0, False)
        return True
    return False


@inner_kernel
def _note_short(s: Scheduler, now: int, job: int, k: int, missing: int, exactly: bool) -> None:
    """Log how much of resource `k` the job is short of."""
    if s.rules.capped and k == s.machine.free_total.shape[0] - 1:
        note_reason(s.log_buffer, now, job, _POWER, missing, exactly)
        return
    if k < 2:
        note_reason(s.log_buffer, now, job, _CPUS if k == 0 else _RAM, missing, exactly)
        return
    # All further resources share a kind: GPUs of another type are a new reason, another amount is not.
    other = was_noted(s.log_buffer, job, _RESOURCE) and s.log_buffer.noted[job, AMOUNT] % COLUMNS != k
    note_reason(s.log_buffer, now, job, _RESOURCE, missing * COLUMNS + k, exactly or other)


@inner_kernel
def is_held_by_limit(s: Scheduler, now: int, job: int) -> bool:
    """Whether a limit of its user or queue, or dear energy, forbids the job to start; if so, it is logged."""
    if waits_for_price(s.hours, s.work, job, now):
        if s.log_buffer.on:
            note_reason(s.log_buffer, now, job, _PRICE, 0, False)
        return True
    limit = held_by(s.limits, s.work, job)
    if limit != FREE and s.log_buffer.on:
        note_reason(s.log_buffer, now, job, _LIMIT, limit, False)
    return limit != FREE


@inner_kernel
def exceeds_user_tests(s: Scheduler, now: int, job: int) -> bool:
    """Whether this pass has tried as many jobs of the user as `user_test_limit` allows; logged if so."""
    if may_test(s.user_tests, job, s.loop.passes[0]):
        return False
    # A job that is passed over for this counts as looked at: backfilling does not try it either.
    s.examined[job] = s.loop.passes[0]
    if s.log_buffer.on:
        note_reason(s.log_buffer, now, job, _UNTRIED, OF_USER, False)
    return True


@inner_kernel
def note_untried(s: Scheduler, now: int, queue: Queue, index: int) -> None:
    """Log that `test_limit` ended the pass before it tried the jobs of the queue from `index` on."""
    if not s.log_buffer.on:
        return
    # A job that a limit holds keeps that as its reason.
    for untried in range(index, queue.bounds[1]):
        job = queue.jobs[untried]
        looked = s.rules.own_backfill_order and s.examined[job] == s.loop.passes[0]
        if not looked and not is_held_by_limit(s, now, job):
            note_reason(s.log_buffer, now, job, _UNTRIED, OF_PASS, False)
