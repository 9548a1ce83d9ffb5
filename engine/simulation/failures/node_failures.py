"""Failures of nodes: a node goes down and stops its jobs, which wait again; later it comes back."""

from __future__ import annotations

from engine.compiler.bits import bit_of
from engine.compiler.kernels import inner_kernel
from engine.estimate.predictor import predictor_stopped
from engine.fairness.usage import usage_ended
from engine.simulation.arrivals import expect_followers, forget_followers
from engine.simulation.conservative import plan_anew
from engine.simulation.control import ENDED
from engine.simulation.estimator import Estimator
from engine.simulation.failures.outage_state import OutageState
from engine.simulation.failures.reliability import rank_nodes
from engine.simulation.failures.resuming import shorten_by_run
from engine.simulation.limits import count_running
from engine.simulation.log_buffer import NOBODY, forget_noted
from engine.simulation.machine_state import NEVER, take_free, vacate
from engine.simulation.order import wait_begins
from engine.simulation.placement import NODE, NODES
from engine.simulation.plans.criteria import job_stopped
from engine.simulation.profile.lines import hold, release
from engine.simulation.queue import enqueue
from engine.simulation.reservations import UNSET
from engine.simulation.running import put_running, take_running
from engine.simulation.scheduler import (
    Scheduler,
    planned_end,
    uses_fairshare,
)
from engine.simulation.tuner import note_change, note_stop
from engine.simulation.workload import Ints

_BEHIND_JOBS = 1 << 62
"""Rank of the first outage in the order of starts: where outages and jobs end together, jobs end first."""


@inner_kernel
def next_failure(outage_state: OutageState) -> int:
    """The time of the next failure, s; NEVER where there is none."""
    if len(outage_state.start) == 0 or outage_state.begun[0] == len(outage_state.start):
        return NEVER
    return int(outage_state.start[outage_state.begun[0]])


@inner_kernel
def is_outage(s: Scheduler, job: int) -> bool:
    """Whether this number stands for an outage, not for a job of the trace."""
    if len(s.outage_state.start) == 0:
        return False
    return bool(job >= len(s.start))


@inner_kernel
def pieces_that_fail(s: Scheduler, now: int) -> int:
    """An upper bound of new node pieces: those of outages that begin now and of jobs that they may stop."""
    pieces = 0
    # Outages stand in order of their start, so the first later one ends the count.
    for outage in range(s.outage_state.begun[0], len(s.outage_state.start)):
        if s.outage_state.start[outage] > now:
            break
        pieces += 1
    # Which jobs run on these nodes is not looked up: each running job may be stopped, may wait again, and
    # then needs room for its pieces a second time.
    for index in range(s.run.running[0]):
        if not is_outage(s, s.run.leaving[index]):
            pieces += s.reservations.most_pieces[s.run.leaving[index]]
    return pieces


@inner_kernel
def repair(s: Scheduler, outage: int) -> None:
    """Bring the node of an outage back; profiles expected that at a time rounded up to the resolution."""
    # An outage is kept as a job that holds its whole node, so its end frees the node as a job's end does.
    vacate(s.work, s.machine, outage)
    if s.rules.plans:
        which = outage - len(s.start)
        begin, end = s.outage_state.start[which], planned_end(s.rules, s.outage_state.end[which])
        release(s.profile, s.work.need, outage, begin, end, s.machine.pieces, which, 1)
    s.outage_state.lasting[0] -= 1
    _disturb(s)


@inner_kernel
def fail_nodes(s: Scheduler, estimator: Estimator, control: Ints, now: int) -> None:
    """Take down the nodes that fail at `now`, by number; each stops its jobs in order of their starts."""
    if len(s.outage_state.start) == 0 or next_failure(s.outage_state) != now:
        return
    while next_failure(s.outage_state) == now:
        node = s.outage_state.node[s.outage_state.begun[0]]
        # A node with all its processors free runs no job any more, so the outage can hold it as a whole.
        while s.machine.free[node, 0] < s.work.capacity[node, 0]:
            stop_job(s, estimator, control, now, _first_on(s, node), NOBODY)
        _take_away(s, now, s.outage_state.begun[0])
    # The order of nodes by reliability counts failures, and plans rely on nodes that are gone now.
    rank_nodes(s, now)
    _disturb(s)
    if s.rules.keeps:
        plan_anew(s, now)


@inner_kernel
def _disturb(s: Scheduler) -> None:
    s.loop.pass_due[0] = s.loop.disturbed[0] = 1
    s.loop.valid_reservations[0] = 0


@inner_kernel
def _take_away(s: Scheduler, now: int, which: int) -> None:
    """Begin outage `which` on a node that no job uses any more."""
    outage, end = len(s.start) + which, s.outage_state.end[which]
    s.outage_state.begun[0] += 1
    s.outage_state.lasting[0] += 1
    # From here on an outage is handled as a running job that takes the whole node until it is repaired. Its
    # pieces are in the rows in front of those of jobs, one for each outage.
    for k in range(s.machine.free.shape[1]):
        s.machine.free_total[k] -= s.work.need[outage, k]
    take_free(s.machine, s.machine.pieces, which, 1)
    s.run.sequence[outage] = _BEHIND_JOBS + which
    put_running(s.run, outage, end, end)
    if s.rules.plans:
        until = planned_end(s.rules, end)
        hold(s.profile, s.work.need, outage, now, until, s.machine.pieces, which, 1)


@inner_kernel
def _first_on(s: Scheduler, node: int) -> int:
    """The running job that started first, of those that hold anything on the node."""
    # The rank in the order of starts decides, as starts of one second are told apart by it.
    chosen, first = -1, NEVER
    for index in range(s.run.running[0]):
        job = s.run.leaving[index]
        if s.run.sequence[job] < first and _is_on(s, job, node):
            chosen, first = job, s.run.sequence[job]
    return int(chosen)


@inner_kernel
def _is_on(s: Scheduler, job: int, node: int) -> bool:
    first = s.machine.first_piece[job]
    for row in range(first, first + s.machine.piece_count[job]):
        same_word = s.machine.pieces[row, NODE] >> 6 == node >> 6
        if same_word and s.machine.pieces[row, NODES] & bit_of(node) != 0:
            return True
    return False


@inner_kernel
def stop_job(s: Scheduler, estimator: Estimator, control: Ints, now: int, job: int, by: int) -> None:
    """Stop a running job, record its run, and put it back into the queue.

    It is stopped `by` another job or, if that is NOBODY, by a failure, after too many of which it is given
    up. Its usage so far still counts; predictors do not learn from such a run.
    """
    # All that the start of the job has counted is taken back: followers, resources, limits, usage, and the
    # place in the profile.
    take_running(s.run, job)
    forget_followers(s.arrivals, s.work.submit, job)
    _record_stopped_run(s, now, job, by)
    vacate(s.work, s.machine, job)
    count_running(s.limits, s.work, job, -1)
    note_change(s.tuner, now, -s.work.need[job, 0])
    note_stop(s.tuner, now, job)
    if uses_fairshare(s):
        usage_ended(s.order.usage, job, s.start[job], now)
    if s.rules.searches:
        job_stopped(s.search.criteria, job, s.reservations.length[job], now - s.start[job])
    if estimator.learns and not s.rules.is_fork:
        predictor_stopped(estimator.predictor, job, s.start[job])
    if s.rules.plans:
        first, count = s.machine.first_piece[job], s.machine.piece_count[job]
        begin, end = s.start[job], planned_end(s.rules, s.run.expected[job])
        release(s.profile, s.work.need, job, begin, end, s.machine.pieces, first, count)
    # Where jobs resume, the part that ran is done: it waits again as a shorter job.
    if len(s.work.done) > 0:
        _shorten(s, job, now - s.start[job])
    s.start[job] = -1
    # No job is given up for another one.
    if by == NOBODY:
        s.outage_state.restarts[job] += 1
    if by != NOBODY or s.outage_state.restarts[job] <= s.rules.max_restarts:
        _wait_again(s, job)
        wait_begins(s.order, job, now)
        return
    # A job that failed too often is given up. Its followers would wait forever for its end, so they are
    # submitted as if it had ended now.
    expect_followers(s.arrivals, s.work.submit, job, now, now)
    if s.loop.target[0] == NOBODY:  # a fork's ends are not progress
        control[ENDED] += 1


@inner_kernel
def _shorten(s: Scheduler, job: int, ran: int) -> None:
    """Shorten the job by the time that it ran, where jobs resume; no other job is similar to it then."""
    shorten_by_run(s.work, job, ran)
    if len(s.similar) > 0:
        s.similar[job] = NOBODY


@inner_kernel
def _record_stopped_run(s: Scheduler, now: int, job: int, by: int) -> None:
    """Write the run that ends at `now` into the table of stopped runs."""
    # The columns are those of `OutageState.stopped`; the places of the run are found by its rows of pieces.
    row = s.outage_state.used[0]
    s.outage_state.stopped[row, 0] = job
    s.outage_state.stopped[row, 1] = s.start[job]
    s.outage_state.stopped[row, 2] = now
    s.outage_state.stopped[row, 3] = s.machine.first_piece[job]
    s.outage_state.stopped[row, 4] = s.machine.piece_count[job]
    s.outage_state.stopped[row, 5] = by
    s.outage_state.used[0] = row + 1


@inner_kernel
def _wait_again(s: Scheduler, job: int) -> None:
    """Put the job back into the queue; it keeps its time of submission, and where jobs resume what it did."""
    # What follows restores what a submission sets: the smallest need of a waiting job, the room for its
    # pieces, and a reservation that is not made yet.
    enqueue(s.queue, job)
    if s.rules.own_backfill_order:
        enqueue(s.backfill_queue, job)
    s.least_procs[0] = min(s.least_procs[0], s.work.need[job, 0])
    if s.machine.free.shape[0] > 1:
        s.reservations.waiting_pieces[0] += s.reservations.most_pieces[job]
    if s.rules.plans:
        s.reservations.start[job] = NEVER
    if not s.rules.keeps and s.rules.plans:
        s.reservations.latest[job] = UNSET
    # Kept reservations own rows of a table that is compacted for waiting jobs alone: the rows that the job
    # had before its start may be gone.
    if s.rules.keeps:
        s.reservations.first[job] = s.reservations.used[0]
        s.reservations.used[0] += s.reservations.most_pieces[job]
    forget_noted(s.log_buffer, job)
