"""Everything that a pass works with, and what all kinds of passes do alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.fairness.usage import usage_started
from engine.schedule.schedule import Decision, Untried
from engine.simulation.arrivals import Arrivals, expect_followers
from engine.simulation.down import Down
from engine.simulation.limits import FREE, Limits, Tries, count_running, held_by, may_try
from engine.simulation.log_buffer import LogBuffer, note_reason
from engine.simulation.machine_state import MachineState, begin_sweep, fits_now, occupy, within
from engine.simulation.order import Order, wait_ends
from engine.simulation.profile import Profile, hold
from engine.simulation.queue import Queue
from engine.simulation.running import Running, add_running
from engine.simulation.search import Search
from engine.simulation.slots import Slots
from engine.simulation.tuner import Tuner, note_change
from engine.simulation.workload import Ints, Workload

STOP, KEPT = -1, -2
ALL = np.iinfo(np.int64).max
"""Depths: no pass goes past a blocked job; reservations are kept; every job gets one."""

NO_LIMIT = np.iinfo(np.int64).max

_CPUS, _RAM = int(Decision.CPUS), int(Decision.RAM)
_FRAGMENTED, _LIMIT, _BEHIND = int(Decision.FRAGMENTED), int(Decision.LIMIT), int(Decision.BEHIND)
_UNTRIED = int(Decision.UNTRIED)
OF_PASS, OF_USER = int(Untried.OF_PASS), int(Untried.OF_USER)


COUNTS = range(16)
(
    SUBMITTED,
    PASSES,
    NEXT_PASS,
    FREED,
    DISTURBED,
    SWEPT,
    TRIGGERED,
    FIRST_NEW,
    SECOND,
    PAUSES,
    TARGET,
    UNSAID,
    OVERRAN,
    STILL_UNTIL,
    NEXT_SEARCH,
    UNSEARCHED,
) = COUNTS
"""What `Scheduler.counts` holds.

SUBMITTED jobs, and the turn of the next; PASSES made; NEXT_PASS time of the next pass at an interval, or
NEVER; FREED until when slots that moved in the last sweep left room; DISTURBED whether a pass may
start jobs that waited at the last one already; SWEPT waiting jobs in front whose reservations are
those of a sweep made now; TRIGGERED whether anything at this second calls for a pass; FIRST_NEW
the turn of the first job submitted at it; SECOND which is not over yet, or NEVER; PAUSES whether to stop
after each submission; TARGET the job at whose start to stop, or NOBODY; UNSAID whether
jobs may wait for another reason than was noted, since one behind them started; OVERRAN whether
estimates were overrun at this second; STILL_UNTIL before when kept slots only move along with
jobs that are overdue; NEXT_SEARCH time of the next search for a better plan, or NEVER;
UNSEARCHED whether the plan is another than the one in which the last search found nothing more.
"""


class Rules(NamedTuple):
    """The numbers of a policy."""

    depth: int  # STOP, 0, 1, n, ALL or KEPT
    relaxed: float  # below 0: reservations are not relaxed
    gate: bool
    pass_every: int  # s; 0: passes whenever something happens
    zero: int  # s, the first submission of a job that is not refused: times of passes count from here
    test_limit: int  # or NO_LIMIT
    horizon: int  # s, or NO_LIMIT
    resolution: int  # s; 1: exact
    max_restarts: int
    plans: bool  # whether reservations are found in the profile
    windows: bool  # whether jobs are placed several together
    own_backfill_order: bool
    by_arrival: bool  # the queue and what is behind the reservations are in order of submission
    behind_moves: bool  # that order depends on estimates that change
    complete: bool  # passes find all reservations and reasons, also where nothing can start
    steady: bool  # what a pass leaves waiting that started nobody waits on while nothing but time passes
    exhaustive: bool  # and, where that is so, what any pass leaves waiting
    planned: bool  # reservations that are kept move in the order of their starts, not of submission
    best_gap: bool  # a job that is planned anew goes into the gap that it fills best, not into the earliest
    searches: bool  # for a better plan
    resumes: bool  # whether reservations of a pass can be those of the next
    believes: (
        bool  # predictors learn nothing, and but for `exact` jobs run as long as was believed at their start
    )
    exact: bool  # jobs run as long as they really do


class Scheduler(NamedTuple):
    """The state of a simulation; all of it arrays that are changed in place."""

    rules: Rules
    work: Workload
    machine: MachineState
    run: Running
    down: Down
    arrivals: Arrivals
    queue: Queue
    behind: Queue  # the same jobs in backfill order; the queue itself where that is its own
    order: Order
    behind_terms: Ints  # (2, 3) keys of that order, like those of an Order
    limits: Limits
    tries: Tries
    tuner: Tuner
    profile: Profile  # of running jobs, and of the slots that are kept
    plan: Profile  # of running jobs and the reservations of one pass
    slots: Slots
    search: Search
    log_buffer: LogBuffer
    head: Ints  # (1,) the job that the last pass found blocked, or NOBODY
    least: Ints  # (1,) no waiting job asks for fewer processors
    looked: Ints  # (n,) number of the last pass that looked at the job
    similar: Ints  # (n,) jobs with the same number ask for the same, as long
    similar_state: Ints  # (kinds,) the state of the plan in which such a job was looked at last,
    similar_time: Ints  # (kinds,) and the time before which it found no room
    window: Ints  # (13, 8) scratch of passes that place windows
    ticks: Ints  # (room or 0,) of the processor, what each pass took
    refused: NDArray[np.bool_]  # (n,) too large for the empty machine
    counts: Ints  # see SUBMITTED and the others
    wanted: Ints  # (TABLES,) rows that tables which are short need
    moving: Ints  # (2n + 2 or 0,) s, scratch: times of kept slots that move along with overdue jobs,
    ahead: Ints  # (2n + m or 0,) s, and those that stay; m outages
    start: Ints  # (n,) s


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
    """Start a job that fits, where the last placement drafted it; one without a slot."""
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
        s.slots.waiting_pieces[0] -= s.slots.most_pieces[job]
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
def short_of(s: Scheduler, now: int, job: int, exactly: bool) -> bool:
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
def held(s: Scheduler, now: int, job: int) -> bool:
    """Whether a limit holds the job; then that is noted."""
    limit = held_by(s.limits, s.work, job)
    if limit != FREE and s.log_buffer.on:
        note_reason(s.log_buffer, now, job, _LIMIT, limit, False)
    return limit != FREE


@inner_kernel
def gone_past(s: Scheduler, now: int, job: int) -> bool:
    """Whether the pass looked at enough jobs of this user already; then that is noted."""
    if may_try(s.tries, job, s.counts[PASSES]):
        return False
    s.looked[job] = s.counts[PASSES]
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
        looked = s.rules.own_backfill_order and s.looked[job] == s.counts[PASSES]
        if not looked and not held(s, now, job):
            note_reason(s.log_buffer, now, job, _UNTRIED, OF_PASS, False)
