"""Conservative backfilling: each job gets a reservation at its submission, which later moves only forward.

When a job ends before its estimate, the rest of its time is free, and one sweep in order of submission, or of
planned starts, moves each waiting job to its earliest time: never to a later one, since its own reservation
is free to it. Where jobs are planned in their best gaps, each that could start now is moved to now as well.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.schedule.schedule import Decision
from engine.simulation.log_buffer import NOBODY, is_new_reason, note_backfilled, note_reason, note_reserved
from engine.simulation.machine_state import NEVER, take_free
from engine.simulation.plans.criteria import job_started
from engine.simulation.plans.gaps import best_gap
from engine.simulation.profile.earliest import earlier, earliest, earliest_bound, enough_from, first_gain
from engine.simulation.profile.lines import keep_stamps, return_stamps
from engine.simulation.profile.steps import first_step
from engine.simulation.queue import came_before, remove_at
from engine.simulation.reservations import book, rebook, unbook
from engine.simulation.scheduler import Scheduler, begin_reasons, count_start, is_short_of_resources
from engine.simulation.workload import Ints

_RESERVATION = int(Decision.RESERVATION)


@inner_kernel
def plan_arrived(s: Scheduler, now: int, job: int) -> None:
    """Give a submitted job its first reservation."""
    s.reservations.first[job] = s.reservations.used[0]
    s.reservations.used[0] += s.reservations.most_pieces[job]
    _plan(s, now, job, now)
    # The first planned start is logged even where an end or a search moves the job in the same second.
    note_reserved(s.log_buffer, now, job, s.reservations.start[job])
    s.loop.plan_changed[0] = 1
    if s.rules.searches:
        promised = s.reservations.start[job] - s.work.submit[job]
        s.reservations.latest[job] = s.work.submit[job] + 2 * promised + s.search.patience


@inner_kernel
def plan_anew(s: Scheduler, now: int) -> None:
    """Plan all waiting jobs from scratch, as reservations may not hold after an overrun or a failure."""
    s.loop.plan_changed[0] = 1
    if s.rules.planned:
        list_waiting(s)
    waiting = s.queue.bounds[1] - s.queue.bounds[0]
    for turn in range(waiting):
        job = _in_turn(s, turn)
        if s.reservations.start[job] != NEVER:  # a job that a failure just stopped has none yet
            unbook(s.reservations, s.profile, s.work, job)
    for turn in range(waiting):
        _plan(s, now, _in_turn(s, turn), now)


@inner_kernel
def compress(s: Scheduler, now: int, expected: int) -> None:
    """Move each waiting job to its earliest time, after a job ended that was expected to end at `expected`.

    A reservation was the earliest one when the job was last examined. So the job can only move to a start
    that lies before the end of what became free since then: by the end of the other job, by a move earlier in
    this sweep, or by a move of a later job in the sweep before (`freed_until`). With best gaps a job may move
    to any earlier start.
    """
    freed_until = NEVER if s.rules.best_gap else max(expected, s.loop.freed_until[0])
    s.loop.freed_until[0] = 0
    if s.rules.planned:
        list_waiting(s)
    # Jobs that need more than is free at any time up to `freed_until` are skipped without a search.
    most = _most_free(s, freed_until)
    for turn in range(s.queue.bounds[1] - s.queue.bounds[0]):
        job = _in_turn(s, turn)
        old = s.reservations.start[job]
        if old <= now or s.work.need[job, 0] > most:
            continue
        before = min(old, freed_until)
        if s.machine.free.shape[0] == 1 and not s.rules.best_gap:
            time = earlier(s.profile, s.work.need, job, s.reservations.length[job], before, old)
            if time == NEVER:
                continue
            unbook(s.reservations, s.profile, s.work, job)
        else:
            time = _earliest_anew(s, now, job, before)
            if time == NEVER:
                continue
        book(s.reservations, s.profile, s.work, s.machine, job, time, s.reservations.length[job])
        s.reservations.since[job] = s.profile.stamp[0]
        # The job's old time is free now, which may let the jobs after it in this sweep move.
        freed_until = max(freed_until, old + s.reservations.length[job])
        s.loop.freed_until[0] = max(s.loop.freed_until[0], old + s.reservations.length[job])
        most = _most_free(s, freed_until)


@inner_kernel
def _earliest_anew(s: Scheduler, now: int, job: int, before: int) -> int:
    """Take back the job's reservation if the job fits before `before`; returns the earliest start, or NEVER.

    On nodes, most jobs are passed over before that is tried. Where jobs are always reserved at their earliest
    time, one can move only if a task of it fits on a node where something was freed since it was last looked
    at; and any job only if there is room for all its tasks.
    """
    begin, length = now, s.reservations.length[job]
    if s.machine.free.shape[0] > 1:
        old = s.reservations.start[job]
        # What all nodes have together is looked at first: it decides most looks, at the least cost.
        begin = enough_from(s.profile, s.work, job, length, now, before, old)
        if not (s.rules.best_gap or s.rules.searches):
            since = s.reservations.since[job]
            s.reservations.since[job] = s.profile.stamp[0]
            if begin < NEVER:
                begin = first_gain(s.profile, s.work, job, length, begin, before, old, since)
        # Where there is enough in all, nearly all jobs find places: a further bound would cost more than it
        # saves.
        if begin < NEVER and len(s.profile.first) == len(s.profile.line):
            begin = earliest_bound(s.profile, s.work, s.machine, job, length, begin, before, old)
        if begin == NEVER:
            return NEVER
    # Where the job stays, nothing was freed after all.
    keep_stamps(s.profile)
    unbook(s.reservations, s.profile, s.work, job)
    time = earliest(s.profile, s.work, s.machine, job, length, begin, before)
    if time == NEVER:
        rebook(s.reservations, s.profile, s.work, job)
        return_stamps(s.profile)
    return time


@inner_kernel
def pull_forward(s: Scheduler, now: int) -> None:
    """Move to `now` each waiting job that could start now beside all other reservations, in turn.

    A job in its best gap may be planned later than it could start, and a sweep leaves free what the jobs of
    its later turns held. A move frees the job's old time, which may let a job of an earlier turn start now:
    so the turns are repeated until no job moves.
    """
    moved = True
    while moved:
        moved = False
        if s.rules.planned:
            list_waiting(s)
        for turn in range(s.queue.bounds[1] - s.queue.bounds[0]):
            job = _in_turn(s, turn)
            # What running jobs leave free is the most that any job can have now.
            if s.reservations.start[job] <= now or s.work.need[job, 0] > s.machine.free_total[0]:
                continue
            if _earliest_anew(s, now, job, now + 1) == NEVER:
                continue
            book(s.reservations, s.profile, s.work, s.machine, job, now, s.reservations.length[job])
            s.loop.plan_changed[0] = 1
            moved = True


@inner_kernel
def list_waiting(s: Scheduler) -> None:
    """Update `s.search.waiting`: the waiting jobs in order of their planned starts.

    The list stays nearly sorted from one call to the next, which the insertion sort at the end makes use of.
    """
    search, queue = s.search, s.queue
    # `listed` is 1 for jobs of the old list. Adding 2 for jobs that wait now makes it 3 for those to keep,
    # 2 for new ones and 1 for those that started.
    for index in range(queue.bounds[0], queue.bounds[1]):
        search.listed[queue.jobs[index]] += 2
    kept = 0
    for turn in range(search.many[0]):
        job = search.waiting[turn]
        if search.listed[job] == 3:
            search.waiting[kept] = job
            kept += 1
        search.listed[job] //= 3
    for index in range(queue.bounds[0], queue.bounds[1]):
        job = queue.jobs[index]
        if search.listed[job] == 2:
            search.waiting[kept] = job
            search.listed[job] = 1
            kept += 1
    search.many[0] = kept
    sort_waiting(s, s.reservations.start)


@inner_kernel
def sort_waiting(s: Scheduler, start: Ints) -> None:
    """Sort the listed jobs by `start`, (n,) s, ties by submission: insertion sort of a nearly sorted list."""
    waiting = s.search.waiting
    # The order of the last search is nearly right, so each job moves past few others.
    for turn in range(1, s.search.many[0]):
        job, free = waiting[turn], turn
        while free > 0:
            other = waiting[free - 1]
            tied = start[other] == start[job]
            if start[other] < start[job] or (tied and came_before(s.queue, other, job)):
                break
            waiting[free] = other
            free -= 1
        waiting[free] = job


@inner_kernel
def start_planned(s: Scheduler, now: int) -> None:
    """Start the jobs whose reservation begins now; log the changed reservations and reasons of the others."""
    queue = s.queue
    # The plan of each job is told before anything starts: note_reserved writes only what is new.
    if s.log_buffer.on:
        for index in range(queue.bounds[0], queue.bounds[1]):
            note_reserved(s.log_buffer, now, queue.jobs[index], s.reservations.start[queue.jobs[index]])
    # A job that starts behind one that stays is backfilled; the first that stays is the head.
    head = NOBODY
    index = queue.bounds[0]
    while index < queue.bounds[1]:
        job = queue.jobs[index]
        # The job's nodes were chosen when it was planned, so that nothing is searched here.
        if s.reservations.start[job] == now:
            remove_at(queue, index)
            _start(s, now, job)
            if head != NOBODY:
                note_backfilled(s.log_buffer, now, job, head)
        elif head == NOBODY:
            head = job
        index += 1
    if s.log_buffer.on:
        begin_reasons(s)
        for index in range(queue.bounds[0], queue.bounds[1]):
            job = queue.jobs[index]
            first = index == queue.bounds[0]
            if not is_short_of_resources(s, now, job, first) and is_new_reason(
                s.log_buffer, job, _RESERVATION
            ):
                note_reason(s.log_buffer, now, job, _RESERVATION, _blocking_reservation(s, now, job), False)


@inner_kernel
def next_planned(s: Scheduler) -> int:
    """The earliest start of any reservation, s; NEVER where no job waits."""
    time = NEVER
    for index in range(s.queue.bounds[0], s.queue.bounds[1]):
        time = min(time, s.reservations.start[s.queue.jobs[index]])
    return time


@inner_kernel
def _in_turn(s: Scheduler, turn: int) -> int:
    """The waiting job with this turn in a sweep, from 0: by planned start or by submission."""
    if s.rules.planned:
        return int(s.search.waiting[turn])
    return int(s.queue.jobs[s.queue.bounds[0] + turn])


@inner_kernel
def _plan(s: Scheduler, now: int, job: int, begin: int) -> None:
    """Reserve for the job at its earliest time or best gap from `begin` on."""
    length = s.work.estimate[job]
    if s.rules.best_gap:
        time = best_gap(s.profile, s.work, s.machine, job, length, begin)
    else:
        time = earliest(s.profile, s.work, s.machine, job, length, begin, NEVER)
    book(s.reservations, s.profile, s.work, s.machine, job, time, length)
    # The stamp tells later whether anything became free since this plan was made.
    s.reservations.since[job] = s.profile.stamp[0]


@inner_kernel
def _most_free(s: Scheduler, until: int) -> int:
    """The most processors that are free at any time before `until`; on nodes NEVER, which excludes no job."""
    # A total of a pool rules out jobs that need more; on nodes such a total says too little.
    if s.machine.free.shape[0] > 1 or s.rules.best_gap:
        return NEVER
    step = first_step(s.profile, 0)
    most = s.profile.free[step, 0]
    step += 1
    while s.profile.time[step] < until:
        most = max(most, s.profile.free[step, 0])
        step += 1
    return int(most)


@inner_kernel
def _start(s: Scheduler, now: int, job: int) -> None:
    """Start the job on the nodes of its reservation, which becomes what the running job holds."""
    for k in range(s.machine.free.shape[1]):
        s.machine.free_total[k] -= s.work.need[job, k]
    # A pool has no nodes to remember: what is free in all is its only row.
    if s.machine.free.shape[0] == 1:
        for k in range(s.machine.free.shape[1]):
            s.machine.free[0, k] -= s.work.need[job, k]
    else:
        # The job runs where its reservation stood. Its pieces are copied, since the rows of reservations are
        # used again.
        first = s.machine.pieces_used[0]
        count = s.reservations.row_count[job]
        for row in range(count):
            for column in range(s.machine.pieces.shape[1]):
                s.machine.pieces[first + row, column] = s.reservations.rows[
                    s.reservations.first[job] + row, column
                ]
        s.machine.first_piece[job] = first
        s.machine.piece_count[job] = count
        s.machine.pieces_used[0] = first + count
        take_free(s.machine, s.machine.pieces, first, count)
    count_start(s, now, job, now + s.reservations.length[job])
    # A plan's criteria judge the whole schedule, of which the jobs that started are the fixed part.
    if s.rules.searches:
        job_started(s.search.criteria, job, now - s.work.submit[job], s.reservations.length[job])


@inner_kernel
def _blocking_reservation(s: Scheduler, now: int, job: int) -> int:
    """The waiting job with the earliest reservation that this job would overlap if started now, or itself."""
    chosen, begin = job, now + s.reservations.length[job]
    for index in range(s.queue.bounds[0], s.queue.bounds[1]):
        other = s.queue.jobs[index]
        if other != job and s.reservations.start[other] < begin:
            chosen, begin = other, s.reservations.start[other]
    return int(chosen)
