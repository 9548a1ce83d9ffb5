"""The part of a pass in which jobs of high value stop running ones of less (SPEC 12).

In order of the queue each job starts that fits, or that fits once running jobs are stopped for it: the ones
that started last come first, as long as their bids together, times the factor, are less than its own, and
none is stopped in vain. The first job that cannot start even so ends this part. Stopped jobs wait again at
once, at their places in the queue. Jobs that started in this second are not stopped, so that no job is
stopped twice in it.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel, step_kernel
from engine.simulation.arrange import arrange
from engine.simulation.estimator import Estimator
from engine.simulation.failures.node_failures import is_outage, stop_job
from engine.simulation.hours import waits_for_price
from engine.simulation.limits import FREE, held_by
from engine.simulation.machine_state import begin_sweep, fits_now, take_free, vacate
from engine.simulation.preemption.bids import present_bid
from engine.simulation.queue import remove
from engine.simulation.scheduler import Scheduler, start_job
from engine.simulation.workload import Ints


@step_kernel
def preempting_pass(s: Scheduler, estimator: Estimator, control: Ints, now: int) -> None:
    """Start jobs from the front of the queue, and stop running ones for them, as long as that is possible."""
    index = s.queue.bounds[0]
    while index < s.queue.bounds[1]:
        job = s.queue.jobs[index]
        # Nobody is stopped for a job that may not start; reasons are logged by the pass that follows.
        if waits_for_price(s.hours, s.work, job, now) or held_by(s.limits, s.work, job) != FREE:
            index += 1
            continue
        stopped = 0
        if not _fits(s, job):
            stopped = _choose(s, now, job)
            if stopped == 0:
                return
            for place in range(stopped):
                stop_job(s, estimator, control, now, s.preemption.chosen[place], job)
            _fits(s, job)  # drafts its places anew
        remove(s.queue, job)
        if s.rules.own_backfill_order:
            remove(s.backfill_queue, job)
        start_job(s, now, job)
        # What was stopped stands somewhere in the queue now, at its end where the order changes with time.
        if stopped > 0:
            arrange(s, estimator, now)
        index = s.queue.bounds[0]


@inner_kernel
def _fits(s: Scheduler, job: int) -> bool:
    """Whether the job fits now, on a machine on which resources may have become free."""
    if s.machine.free.shape[0] > 1:
        begin_sweep(s.machine)
    return bool(fits_now(s.work, s.machine, job))


@inner_kernel
def _choose(s: Scheduler, now: int, job: int) -> int:
    """Choose which running jobs to stop for a job; returns how many, the first of `chosen`; 0 if it has to
    wait.

    Nothing is stopped yet: the machine is as before.
    """
    bid = present_bid(s.preemption, s.order.credits, s.work, job, now)
    chosen, held, factor = s.preemption.chosen, s.preemption.held, s.preemption.factor
    count = _candidates(s, now, job, bid)
    total, taken, fits = 0.0, 0, False
    for place in range(count):
        other = chosen[place]
        # A job that is worth too much is passed over; others behind it may be enough.
        if (total + held[other]) * factor >= bid:
            continue
        total += held[other]
        vacate(s.work, s.machine, other)
        chosen[taken] = other
        taken += 1
        if _fits(s, job):
            fits = True
            break
    # On nodes, or with several resources, some may have been chosen in vain: each is tried without.
    kept = 0
    for place in range(taken):
        other = chosen[place]
        _hold_again(s, other)
        if fits and not _fits(s, job):
            vacate(s.work, s.machine, other)
            chosen[kept] = other
            kept += 1
    for place in range(kept):
        _hold_again(s, chosen[place])
    return kept


@inner_kernel
def _candidates(s: Scheduler, now: int, waiting: int, bid: float) -> int:
    """Write the running jobs that are worth little enough into `chosen`, the newest first; returns how many.

    None where they do not even hold as many processors as the `waiting` job is short of.
    """
    chosen, count, free = s.preemption.chosen, 0, s.machine.free_total[0]
    for index in range(s.run.running[0]):
        job = s.run.leaving[index]
        if is_outage(s, job) or s.start[job] == now or s.preemption.held[job] * s.preemption.factor >= bid:
            continue
        free += s.work.need[job, 0]
        # Insertion by the rank in the order of starts: few jobs are worth so little.
        place = count
        while place > 0 and s.run.sequence[chosen[place - 1]] < s.run.sequence[job]:
            chosen[place] = chosen[place - 1]
            place -= 1
        chosen[place] = job
        count += 1
    return count if free >= s.work.need[waiting, 0] else 0


@inner_kernel
def _hold_again(s: Scheduler, job: int) -> None:
    """Let a running job hold its resources again that were freed on trial."""
    machine = s.machine
    for k in range(machine.free.shape[1]):
        machine.free_total[k] -= s.work.need[job, k]
    if machine.free.shape[0] > 1:
        take_free(machine, machine.pieces, machine.first_piece[job], machine.piece_count[job])
        return
    for k in range(machine.free.shape[1]):
        machine.free[0, k] -= s.work.need[job, k]
