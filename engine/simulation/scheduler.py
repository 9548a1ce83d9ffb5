"""Everything that a pass works with, and what all kinds of passes do alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.fairness.usage import usage_started
from engine.schedule.schedule import Decision, Untried
from engine.simulation.arrivals import Arrivals, expect_followers
from engine.simulation.limits import FREE, Limits, UserTests, count_running, held_by, may_test
from engine.simulation.log_buffer import LogBuffer, note_reason
from engine.simulation.loop_state import LoopState
from engine.simulation.machine_state import MachineState, begin_sweep, fits_now, occupy, within
from engine.simulation.order import Order, wait_ends
from engine.simulation.outage_state import OutageState
from engine.simulation.profile import Profile, hold
from engine.simulation.queue import Queue
from engine.simulation.reservations import Reservations
from engine.simulation.running import Running, add_running
from engine.simulation.search import Search
from engine.simulation.tuner import Tuner, note_change
from engine.simulation.workload import Ints, Workload

STOP, KEPT = -1, -2
ALL = np.iinfo(np.int64).max
"""Depths: a pass ends at the first blocked job; reservations last; every blocked job gets a reservation."""

NO_LIMIT = np.iinfo(np.int64).max

_CPUS, _RAM = int(Decision.CPUS), int(Decision.RAM)
_FRAGMENTED, _LIMIT, _BEHIND = int(Decision.FRAGMENTED), int(Decision.LIMIT), int(Decision.BEHIND)
_UNTRIED = int(Decision.UNTRIED)
OF_PASS, OF_USER = int(Untried.OF_PASS), int(Untried.OF_USER)


class Rules(NamedTuple):
    """What the policy says, in numbers; none of it changes during a simulation."""

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
    is_fork: bool  # predictors learn nothing; jobs run as long as estimated at their start, unless `exact`
    exact: bool  # whether jobs run as long as they really do


class Scheduler(NamedTuple):
    """The state of a simulation of n jobs; its arrays are changed in place."""

    rules: Rules
    work: Workload
    machine: MachineState
    run: Running
    outage_state: OutageState
    arrivals: Arrivals
    queue: Queue  # waiting jobs in queue order
    backfill_queue: Queue  # the same jobs in backfill order; the queue itself where both orders are one
    order: Order
    backfill_terms: Ints  # (2, 3) sort keys of the backfill order, as those of an Order
    limits: Limits
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
    similar: Ints  # (n,) kind of the job: jobs of a kind ask for the same, for as long
    similar_state: Ints  # (kinds,) state of the plan in which a job of the kind was examined last
    similar_time: Ints  # (kinds,) s before which that job found no room
    window: Ints  # (13, 8) scratch of passes that place several jobs together
    pass_ticks: Ints  # (passes or 0,) processor ticks that each pass took
    refused: NDArray[np.bool_]  # (n,) whether the job is too large for the empty machine
    loop: LoopState
    rows_wanted: Ints  # (TABLES,) number of rows that each table that is too short needs
    moving_times: Ints  # (2n + 2 or 0,) s, scratch: bounds of reservations that move with overdue jobs
    fixed_times: Ints  # (2n + m or 0,) s, scratch: bounds of the others; m outages
    start: Ints  # (n,) s, start of each job, or NOT_RUN


@inner_kernel
def uses_fairshare(s: Scheduler) -> bool:
    """Whether users' usage counts."""
    return s.order.by_usage


@inner_kernel
def planned_end(rules: Rules, time: int) -> int:
    """What counts in the profile as the end of who is believed to end at `time`."""
    return time if rules.resolution == 1 else time + -time % rules.resolution


@inner_kernel
def start_job(s: Scheduler, now: int, job: int) -> None:
    """Start a job that fits, where the last placement drafted it; one without a reservation."""
    occupy(s.work, s.machine, job)
    expected = now + s.work.estimate[job]
    if s.rules.plans:
        machine, first, count = s.machine, s.machine.first_piece[job], s.machine.piece_count[job]
        end = planned_end(s.rules, expected)
        hold(s.plan, s.work.need, job, now, end, machine.pieces, first, count)
        hold(s.profile, s.work.need, job, now, end, machine.pieces, first, count)
    count_start(s, now, job, expected)


@inner_kernel
def count_start(s: Scheduler, now: int, job: int, expected: int) -> None:
    """The job that was just given nodes runs."""
    s.start[job] = now
    add_running(s.run, job, now + s.work.runtime[job] if s.rules.exact else expected, expected)
    expect_followers(s.arrivals, s.work.submit, job, now, now + s.work.runtime[job])
    if s.machine.free.shape[0] > 1:
        s.reservations.waiting_pieces[0] -= s.reservations.most_pieces[job]
    count_running(s.limits, s.work, job, 1)
    note_change(s.tuner, now, s.work.need[job, 0])
    wait_ends(s.order, job, now)
    if uses_fairshare(s):
        usage_started(s.order.usage, job, now)


@inner_kernel
def note_behind(s: Scheduler, now: int, index: int) -> None:
    """The pass ends before the turn of the jobs in the queue from `index` on."""
    if not s.log_buffer.on:
        return
    for behind in range(index, s.queue.bounds[1]):
        job = s.queue.jobs[behind]
        limit = held_by(s.limits, s.work, job)
        if limit != FREE:
            note_reason(s.log_buffer, now, job, _LIMIT, limit, False)
        else:
            note_reason(s.log_buffer, now, job, _BEHIND, behind - s.queue.bounds[0], False)


@inner_kernel
def begin_reasons(s: Scheduler) -> None:
    """From here on in the pass room is only taken, as `short_of` counts on."""
    if s.log_buffer.on and s.machine.free.shape[0] > 1:
        begin_sweep(s.machine)


@inner_kernel
def is_short_of_resources(s: Scheduler, now: int, job: int, exactly: bool) -> bool:
    """Whether the job finds too little that is free; then that is noted."""
    if s.work.need[job, 0] > s.machine.free_total[0]:
        note_reason(s.log_buffer, now, job, _CPUS, s.work.need[job, 0] - s.machine.free_total[0], exactly)
        return True
    if not within(s.work.need, job, s.machine.free_total):
        note_reason(s.log_buffer, now, job, _RAM, s.work.need[job, 1] - s.machine.free_total[1], exactly)
        return True
    if s.machine.free.shape[0] > 1 and not fits_now(s.work, s.machine, job):
        note_reason(s.log_buffer, now, job, _FRAGMENTED, 0, False)
        return True
    return False


@inner_kernel
def is_held_by_limit(s: Scheduler, now: int, job: int) -> bool:
    """Whether a limit holds the job; then that is noted."""
    limit = held_by(s.limits, s.work, job)
    if limit != FREE and s.log_buffer.on:
        note_reason(s.log_buffer, now, job, _LIMIT, limit, False)
    return limit != FREE


@inner_kernel
def exceeds_user_tests(s: Scheduler, now: int, job: int) -> bool:
    """Whether the pass looked at enough jobs of this user already; then that is noted."""
    if may_test(s.user_tests, job, s.loop.passes[0]):
        return False
    s.examined[job] = s.loop.passes[0]
    if s.log_buffer.on:
        note_reason(s.log_buffer, now, job, _UNTRIED, OF_USER, False)
    return True


@inner_kernel
def note_untried(s: Scheduler, now: int, queue: Queue, index: int) -> None:
    """The pass may look at no more jobs: those of the queue from `index` on are not tried."""
    if not s.log_buffer.on:
        return
    for untried in range(index, queue.bounds[1]):
        job = queue.jobs[untried]
        looked = s.rules.own_backfill_order and s.examined[job] == s.loop.passes[0]
        if not looked and not is_held_by_limit(s, now, job):
            note_reason(s.log_buffer, now, job, _UNTRIED, OF_PASS, False)
