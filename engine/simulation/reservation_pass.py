"""Passes with any number of reservations, made anew at each pass (Goponenko et al. 2022, Algorithm 1).

The queue is swept in order: a job that fits for all of its estimate, beside the running jobs and the
reservations made so far, starts; each of the first `depth` jobs that do not fit is reserved at its earliest
time.

Such reservations matter only to jobs that could start at this pass. So the sweep ends behind the last job
that would fit now, unless all reservations are wanted: by the decision log, or by relaxed reservations, which
remember their first one.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.schedule.schedule import Decision
from engine.simulation.arrivals import has_dependencies
from engine.simulation.log_buffer import NOBODY, is_new_reason, note_backfilled, note_reason, note_reserved
from engine.simulation.machine_state import NEVER
from engine.simulation.profile.drafts import least_over
from engine.simulation.profile.earliest import earliest
from engine.simulation.profile.lines import copy_profile, hold_alike, pass_time
from engine.simulation.queue import remove, remove_at
from engine.simulation.reservations import UNSET, book, clear_reservations, list_reservation, unbook
from engine.simulation.scheduler import (
    ALL,
    NO_LIMIT,
    Scheduler,
    begin_reasons,
    exceeds_user_tests,
    is_held_by_limit,
    is_short_of_resources,
    note_untried,
    planned_end,
    start_job,
)
from engine.simulation.workload import NO_SHAPE

_RESERVATION = int(Decision.RESERVATION)

_JOBS_BETWEEN = 8
"""Jobs between two attempts to move the end of the sweep forward."""


@inner_kernel
def reserving_pass(s: Scheduler, now: int) -> None:
    """Make one pass. Unless the loop is `disturbed`, only jobs from `first_new` on can start."""
    s.blocked_head[0] = NOBODY
    queue = s.queue
    begin_reasons(s)
    # Reservations of the last pass may still hold: then the sweep only continues behind them.
    if s.loop.valid_reservations[0] > 0:
        pass_time(s.plan, now)
        _start_due_reservations(s, now)
    # With orders other than arrival new jobs may stand anywhere.
    in_turn = s.rules.by_arrival and not has_dependencies(s.arrivals)
    first = s.loop.first_new[0] if in_turn and not s.loop.disturbed[0] else 0
    index = queue.bounds[0] + s.loop.valid_reservations[0]
    last = last_candidate(s, queue.bounds[1] - 1, index - 1, first)
    if last < index:
        return
    # Else the plan starts from what the running jobs leave free.
    if s.loop.valid_reservations[0] == 0:
        copy_profile(s.profile, s.plan)
        clear_reservations(s.reservations)
    s.loop.valid_reservations[0] = 0
    before = NEVER if s.rules.horizon == NO_LIMIT else now + s.rules.horizon + 1
    looked = reserved = 0
    while index <= last:
        # The jobs at the end of the queue that fit nowhere are cut off now and then, as reservations take up
        # what was left.
        if looked % _JOBS_BETWEEN == 0:
            last = _last_that_fits(s, now, last, index)
            if last < index:
                break
        job = queue.jobs[index]
        if exceeds_user_tests(s, now, job):
            index += 1
            continue
        looked += 1
        if looked > s.rules.test_limit:
            note_untried(s, now, queue, index)
            return
        s.examined[job] = s.loop.passes[0]
        if not is_held_by_limit(s, now, job):
            time = find_earliest(s, now, job, before)
            if time == now:
                # The jobs in front move back by one, so that the next one is behind this index again.
                remove_at(queue, index)
                start_in_sweep(s, now, job)
                last = last_candidate(s, last, index, 0)
            elif time == NEVER:
                _leave_unreserved(s, now, job)
            else:
                reserved += 1
                reserve_in_sweep(s, now, job, time)
                index += _reserve_identical(s, now, index, last)
                # As many reservations as the policy makes: what follows only backfills.
                if reserved == s.rules.depth:
                    backfill_rest(s, now, index + 1, last, looked)
                    return
        index += 1
    # All jobs up to here have a reservation that holds until something is freed early.
    if s.rules.resumes:
        s.loop.valid_reservations[0] = index - queue.bounds[0]


@inner_kernel
def _start_due_reservations(s: Scheduler, now: int) -> None:
    """Start the jobs whose reservation begins now, of those that the last sweep reserved.

    Nothing was freed before its expected time since then, so that a new sweep would make the same
    reservations: for all other jobs only their reasons are logged.
    """
    queue = s.queue
    index, end = queue.bounds[0], queue.bounds[0] + s.loop.valid_reservations[0]
    while index < end:
        job = queue.jobs[index]
        if s.reservations.start[job] == now:
            unbook(s.reservations, s.plan, s.work, job)
            s.reservations.start[job] = NEVER
            s.loop.valid_reservations[0] -= 1
            # Jobs in front move back by one, into its place: the next job is still at `index` + 1.
            remove_at(queue, index)
            start_job(s, now, job)
            if s.blocked_head[0] != NOBODY:
                note_backfilled(s.log_buffer, now, job, s.blocked_head[0])
        else:
            first = s.blocked_head[0] == NOBODY
            if first:
                s.blocked_head[0] = job
            if s.log_buffer.on:
                _note_waiting(s, now, job, first)
        index += 1


@inner_kernel
def last_candidate(s: Scheduler, last: int, index: int, first: int) -> int:
    """The last index of the queue, in (index, last], of a job that may start now; `index` if there is none.

    Such a job is one from `first` on that needs no more processors than are free. Passes that must make all
    reservations go on to `last`.
    """
    if s.rules.always_whole:
        return last
    # The sweep then ends at the last job that could start at all, since reservations behind it change
    # nothing now.
    while last > index:
        job = s.queue.jobs[last]
        if job >= first and s.work.need[job, 0] <= s.machine.free_total[0]:
            break
        last -= 1
    return last


@inner_kernel
def _last_that_fits(s: Scheduler, now: int, last: int, index: int) -> int:
    """The last index in [index, last] of a job that fits now beside the reservations; else `index - 1`.

    What does not fit beside these does not fit beside more of them either, except a job of different tasks on
    nodes, which is never excluded.
    """
    if s.rules.always_whole:
        return last
    # On nodes a job of different tasks is placed in the order of its groups, so more reservations may even
    # help it: no bound holds for it.
    on_nodes = s.machine.free.shape[0] > 1
    while last >= index:
        job = s.queue.jobs[last]
        if s.work.need[job, 0] <= s.machine.free_total[0] and (
            # Asking only for the present second keeps the search short: `now + 1` is the first time that is
            # too late.
            (on_nodes and s.work.shape[job] == NO_SHAPE) or find_earliest(s, now, job, now + 1) == now
        ):
            break
        last -= 1
    return last


@inner_kernel
def find_earliest(s: Scheduler, now: int, job: int, before: int) -> int:
    """The earliest time at which the job fits into the plan, s; NEVER where that is not before `before`."""
    similar = s.similar[job]
    begin = now
    if similar >= 0 and s.similar_state[similar] == s.plan.state[0]:
        # Free resources only got fewer since a similar job was tried, so this one fits no earlier.
        begin = s.similar_time[similar]
        if begin >= before:
            return NEVER
    time = earliest(s.plan, s.work, s.machine, job, s.work.estimate[job], begin, before)
    if similar >= 0:
        s.similar_state[similar] = s.plan.state[0]
        s.similar_time[similar] = min(time, before)
    return time


@inner_kernel
def start_in_sweep(s: Scheduler, now: int, job: int) -> None:
    """Start a job that was taken out of the queue."""
    if s.rules.own_backfill_order:
        remove(s.backfill_queue, job)
    start_job(s, now, job)
    s.reservations.latest[job] = UNSET
    if s.blocked_head[0] != NOBODY:
        note_backfilled(s.log_buffer, now, job, s.blocked_head[0])


@inner_kernel
def _leave_unreserved(s: Scheduler, now: int, job: int) -> None:
    """Handle a job that gets no reservation: it fits only beyond the horizon."""
    first = s.blocked_head[0] == NOBODY
    if first:
        s.blocked_head[0] = job
    if s.log_buffer.on:
        _note_waiting(s, now, job, first)


@inner_kernel
def reserve_in_sweep(s: Scheduler, now: int, job: int, time: int) -> None:
    """Reserve for the job at its earliest time or, with relaxed reservations, at its latest allowed time."""
    first = s.blocked_head[0] == NOBODY
    if first:
        s.blocked_head[0] = job
    if s.rules.relaxed >= 0:
        time = _relax(s, job, time)
    # The pieces of the reservation are written behind those in use; `book` fills them from the draft of the
    # last search.
    s.reservations.first[job] = s.reservations.used[0]
    # The end, not the length, is rounded to the resolution, and only the profile sees the rounded one.
    length = planned_end(s.rules, time + s.work.estimate[job]) - time
    book(s.reservations, s.plan, s.work, s.machine, job, time, length)
    list_reservation(s.reservations, job)
    _note_reserved(s, now, job, first)


@inner_kernel
def _note_reserved(s: Scheduler, now: int, job: int, exactly: bool) -> None:
    """Log the reserved start of the job and why it does not start now (which may overwrite the draft)."""
    if s.log_buffer.on:
        note_reserved(s.log_buffer, now, job, s.reservations.start[job])
        _note_waiting(s, now, job, exactly)


@inner_kernel
def _reserve_identical(s: Scheduler, now: int, index: int, last: int) -> int:
    """Reserve at the same time for the jobs behind `index` that equal the one there; returns their number.

    A similar job does not fit earlier, so each would find the same time as long as the free amounts there
    suffice. Only on a pool, without limits that could hold one of them back.
    """
    if s.machine.free.shape[0] > 1 or s.rules.depth != ALL or s.rules.relaxed >= 0:
        return 0
    job = s.queue.jobs[index]
    if s.similar[job] == NOBODY or not s.rules.stable_with_start:
        return 0
    if index == last or s.similar[s.queue.jobs[index + 1]] != s.similar[job]:
        return 0
    start, length = s.reservations.start[job], s.reservations.length[job]
    # So many more fit beside each other for their whole length.
    least_over(s.plan, 0, start, start + length)
    fit = last - index
    for k in range(s.work.need.shape[1]):
        if s.work.need[job, k] > 0:
            fit = min(fit, s.plan.least[0, k] // s.work.need[job, k])
    count = 0
    while count < fit and s.similar[s.queue.jobs[index + count + 1]] == s.similar[job]:
        count += 1
        other = s.queue.jobs[index + count]
        s.reservations.start[other] = start
        s.reservations.length[other] = length
        list_reservation(s.reservations, other)
        _note_reserved(s, now, other, False)
    # One change of the profile for all of them.
    if count > 0:
        hold_alike(s.plan, s.work.need, job, start, start + length, count)
    return count


@inner_kernel
def _relax(s: Scheduler, job: int, time: int) -> int:
    """The start of a relaxed reservation, given the earliest time, s; the draft then says where.

    It is the latest allowed one, if the job fits then, which leaves more room for backfilling until then.
    """
    # The latest start is set once, from the first earliest time that the job was ever given: later passes
    # may not postpone it further.
    if s.reservations.latest[job] == UNSET:
        latest = time + int(s.rules.relaxed * (time - s.work.submit[job]))
        s.reservations.latest[job] = planned_end(s.rules, latest)
    latest = s.reservations.latest[job]
    if latest <= time:
        return time
    duration = s.work.estimate[job]
    if earliest(s.plan, s.work, s.machine, job, duration, latest, latest + 1) == latest:
        return int(latest)
    return earliest(s.plan, s.work, s.machine, job, duration, time, time + 1)  # restores the draft


@inner_kernel
def backfill_rest(s: Scheduler, now: int, index: int, last: int, looked: int) -> None:
    """Backfill jobs that get no reservation: those of the queue from `index` on, or all in backfill order.

    `looked` counts the jobs that this pass has tried.
    """
    behind = s.backfill_queue
    if s.rules.own_backfill_order:
        index = behind.bounds[0]
        last = behind.bounds[1] - 1
    while index <= last:
        job = behind.jobs[index]
        # What this pass has examined in order of the queue is not tried a second time.
        if s.rules.own_backfill_order and s.examined[job] == s.loop.passes[0]:
            index += 1
            continue
        if exceeds_user_tests(s, now, job):
            index += 1
            continue
        looked += 1
        if looked > s.rules.test_limit:
            note_untried(s, now, behind, index)
            return
        if not is_held_by_limit(s, now, job):
            # The total of free processors is cheap to compare: most jobs that do not fit fail by it.
            if s.work.need[job, 0] <= s.machine.free_total[0] and find_earliest(s, now, job, now + 1) == now:
                remove_at(behind, index)
                if s.rules.own_backfill_order:
                    remove(s.queue, job)
                start_job(s, now, job)
                note_backfilled(s.log_buffer, now, job, s.blocked_head[0])
            elif s.log_buffer.on:
                _note_waiting(s, now, job, False)
        index += 1


@inner_kernel
def _note_waiting(s: Scheduler, now: int, job: int, exactly: bool) -> None:
    """Log why the job did not start."""
    if not is_short_of_resources(s, now, job, exactly) and is_new_reason(s.log_buffer, job, _RESERVATION):
        note_reason(s.log_buffer, now, job, _RESERVATION, _blocking_reservation(s, now, job), False)


@inner_kernel
def _blocking_reservation(s: Scheduler, now: int, job: int) -> int:
    """The job with the earliest reservation that this one would overlap, of those made before its own."""
    chosen, begin = s.blocked_head[0], now + s.work.estimate[job]
    for index in range(s.reservations.size[0]):
        other = s.reservations.jobs[index]
        # Reservations are listed in the order in which they were made. Those behind the job's own were made
        # beside it and cannot have blocked it.
        if other == job:
            break
        if s.reservations.start[other] < begin:
            chosen, begin = other, s.reservations.start[other]
    return int(chosen)
