"""Passes with one reservation or none (Goponenko et al. 2022, Algorithms 1 and 2).

The queue is swept in order and jobs that fit start. The first that does not fit gets a
reservation at the earliest time at which it fits (`depth` 1), or none (`depth` 0), or ends
the pass (`depth` stop). Jobs behind it start only if they fit now beside the reservation.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel, step_kernel
from engine.schedule.schedule import Decision
from engine.simulation.arrivals import at_turn
from engine.simulation.hours import has_power, reserve_with_power
from engine.simulation.log_buffer import NOBODY, note_backfilled, note_reason, note_reserved, was_noted
from engine.simulation.machine_state import NEVER, begin_sweep, fits_beside, fits_now, reserve, use_spare
from engine.simulation.queue import SHORT, remove, take_at
from engine.simulation.scheduler import (
    NO_LIMIT,
    STOP,
    Scheduler,
    is_held_by_limit,
    is_short_of_resources,
    note_behind,
    note_untried,
    start_job,
)
from engine.simulation.switching import draft_delay

_CPUS, _RESERVATION = int(Decision.CPUS), int(Decision.RESERVATION)


@step_kernel
def easy_pass(s: Scheduler, now: int) -> None:
    """A full pass: start jobs from the front of the queue until one does not fit, then backfill."""
    s.machine.reserved_start[0] = NEVER
    s.blocked_head[0] = NOBODY
    s.loop.reasons_outdated[0] = 0
    # Shapes that fail in this pass are remembered for it alone.
    if s.machine.free.shape[0] > 1:
        begin_sweep(s.machine)
    queue = s.queue
    index = queue.bounds[0]
    looked = 0
    while index < queue.bounds[1]:
        job = queue.jobs[index]
        looked += 1
        # A pass that was cut off says nothing of the jobs behind: the next one must not be skipped, so 1
        # stands for the smallest need.
        if looked > s.rules.test_limit:
            note_untried(s, now, queue, index)
            s.least_procs[0] = 1
            return
        if s.rules.own_backfill_order:
            s.examined[job] = s.loop.passes[0]
        if is_held_by_limit(s, now, job):
            index += 1
            continue
        if not (fits_now(s.work, s.machine, job) and _has_power(s, now, job)):
            # The first job that does not fit ends the strict order: what follows is backfilling.
            _pass_blocked(s, now, index, looked)
            return
        index = take_at(queue, index)
        if s.rules.own_backfill_order:
            remove(s.backfill_queue, job)
        start_job(s, now, job)


@step_kernel
def try_arrived(s: Scheduler, now: int, first: int, end: int) -> None:
    """A pass that tries only the jobs that were just submitted, those with the turns `first:end`.

    It is enough where nothing else changed and the same job is blocked at the head: jobs that waited before
    could not start at the last pass and there is no more room now.
    """
    # Under strict order nothing may pass the blocked job, so a submission changes nothing.
    if s.rules.depth == STOP:
        return
    for turn in range(first, end):
        # What the last pass left as spare beside the reservation still holds: no full reservation is needed.
        job = at_turn(s.arrivals, turn)
        if s.refused[job]:
            continue
        if _fits_beside(s, now, job):
            remove(s.queue, job)
            if s.rules.own_backfill_order:
                remove(s.backfill_queue, job)
            _backfill(s, now, job)
        elif s.log_buffer.on:
            _note_waiting(s, now, job)


@step_kernel
def _pass_blocked(s: Scheduler, now: int, index: int, looked: int) -> None:
    """Handle the blocked job at `index` of the queue: reserve for it, and backfill as the policy allows.

    `looked` counts the jobs that this pass has tried.
    """
    # The log tells first why the head waits, then what is reserved for it.
    head = s.queue.jobs[index]
    s.blocked_head[0] = head
    if s.log_buffer.on:
        is_short_of_resources(s, now, head, True)
    if s.rules.depth == STOP:
        note_behind(s, now, index + 1)
        s.least_procs[0] = 1
        return
    if s.rules.depth > 0:
        note_reserved(s.log_buffer, now, head, _reserve(s, now, head))
    # Backfill: start whatever fits now and does not delay that reservation. `least` collects the fewest
    # processors that a job left behind needs: below that many free ones, the next pass has nothing to do.
    behind = s.backfill_queue
    if not s.rules.own_backfill_order:
        index += 1
    else:
        index = behind.bounds[0]
    # Where a limit holds a job in front of the head, its need is not known to this loop: 1 is safe.
    least = s.work.need[head, 0] if s.queue.jobs[s.queue.bounds[0]] == head else 1
    held = s.limits.on or s.rules.by_hours
    tries_all = s.rules.test_limit != NO_LIMIT or (s.log_buffer.on and held)
    while index < behind.bounds[1] and (s.machine.free_total[0] > 0 or s.rules.always_whole):
        if not tries_all:
            index, least = _first_to_try(s, index, least)
            if index == behind.bounds[1]:
                break
        job = behind.jobs[index]
        # In an order of its own the loop meets again what the strict order has tried.
        if s.rules.own_backfill_order and s.examined[job] == s.loop.passes[0]:
            index += 1
            continue
        looked += 1
        if looked > s.rules.test_limit:
            note_untried(s, now, behind, index)
            break
        procs = behind.procs[index] & (SHORT - 1) if behind.beside else s.work.need[job, 0]
        tried = procs <= s.machine.free_total[0] or s.rules.always_whole
        if tried and not is_held_by_limit(s, now, job) and _fits_beside_reservation(s, now, job):
            index = take_at(behind, index)
            if s.rules.own_backfill_order:
                remove(s.queue, job)
            _backfill(s, now, job)
        else:
            # The mark beside the processors tells the next sweep that this reason is logged already.
            if s.log_buffer.on and behind.beside:
                behind.procs[index] = procs + SHORT * was_noted(s.log_buffer, job, _CPUS)
            least = min(least, procs)
            index += 1
    s.least_procs[0] = least if index == behind.bounds[1] and s.rules.test_limit == NO_LIMIT else 1


@step_kernel
def _first_to_try(s: Scheduler, index: int, least: int) -> tuple[int, int]:
    """Skip the jobs that need more processors than are free, as most do.

    With a decision log, a job whose last logged reason is another one is not skipped: the new reason is still
    to be logged. Returns the index of the first job that is not skipped, or the queue's end, and the smaller
    of `least` and the processors that any skipped job needs.
    """
    need, queue = s.work.need, s.backfill_queue
    free, end = s.machine.free_total[0], queue.bounds[1]
    short = SHORT if s.log_buffer.on and queue.beside else 0  # a job without it is always tried
    reads_reasons = s.log_buffer.on and not queue.beside
    while index < end:
        procs = queue.procs[index] - short if queue.beside else need[queue.jobs[index], 0]
        if procs <= free or (reads_reasons and not was_noted(s.log_buffer, queue.jobs[index], _CPUS)):
            break
        least = min(least, procs)
        index += 1
    return index, least


@step_kernel
def _fits_beside_reservation(s: Scheduler, now: int, job: int) -> bool:
    """Whether the job fits now without a delay of the reservation; if not, the reason is logged."""
    if _fits_beside(s, now, job):
        return True
    if s.log_buffer.on:
        _note_waiting(s, now, job)
    return False


@inner_kernel
def _fits_beside(s: Scheduler, now: int, job: int) -> bool:
    """Whether the job fits now beside the reservation, under a cap by the clock."""
    expected = now + s.work.estimate[job]
    fits = fits_beside(s.work, s.machine, job, expected)
    if fits and len(s.switching.took) > 0:
        # Where its nodes have to boot, the job ends later: it may then reach into the reservation.
        late = expected + draft_delay(s.switching, s.machine.draft, now)
        if expected <= s.machine.reserved_start[0] < late:
            fits = fits_beside(s.work, s.machine, job, late)
    return fits and _has_power(s, now, job)


@inner_kernel
def _has_power(s: Scheduler, now: int, job: int) -> bool:
    """Whether a cap by the clock, if there is one, lets the job start now, beside the reservation."""
    if len(s.hours.cap_time) == 0:
        return True
    return has_power(s.hours, s.work, s.machine, s.run, job, now, s.blocked_head[0])


@inner_kernel
def _reserve(s: Scheduler, now: int, head: int) -> int:
    """Reserve for the blocked head; returns the time from which it is, s."""
    if len(s.hours.cap_time) == 0:
        return reserve(s.work, s.machine, s.run, head)
    return reserve_with_power(s.hours, s.work, s.machine, s.run, head, now)


@inner_kernel
def _note_waiting(s: Scheduler, now: int, job: int) -> None:
    """Log why a job behind the blocked head did not start."""
    if not is_short_of_resources(s, now, job, False):
        note_reason(s.log_buffer, now, job, _RESERVATION, s.blocked_head[0], False)


@inner_kernel
def _backfill(s: Scheduler, now: int, job: int) -> None:
    start_job(s, now, job)
    # What the job takes is missing beside the reservation from now on.
    if s.rules.depth > 0:
        use_spare(s.work, s.machine, job, s.start[job] + s.work.estimate[job])
    note_backfilled(s.log_buffer, now, job, s.blocked_head[0])
    if s.log_buffer.on:
        s.loop.reasons_outdated[0] = 1
