"""Passes that place the jobs of a window together (Tang et al. 2013, section 3.3).

The ordered queue is cut into windows of W jobs. In a permutation of a window each job in turn starts now or
is reserved at its earliest time. The permutation whose jobs are all expected to end first is carried out; of
equal ones the lexicographically first. All permutations of up to MOST_PERMUTED jobs are searched. A larger
window has too many: of those, the permutations in which one job is moved forward are searched, so that the
result is never worse than the given order, nor than the order with the longest jobs first.

With one reservation (`depth` 1) the pass ends with the first window that makes one; with `depth` all it goes
through every window.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.simulation.log_buffer import NOBODY
from engine.simulation.machine_state import NEVER
from engine.simulation.profile.earliest import earliest
from engine.simulation.profile.lines import copy_profile
from engine.simulation.profile.steps import first_step
from engine.simulation.queue import index_of, remove_at
from engine.simulation.reservation_pass import (
    backfill_rest,
    find_earliest,
    last_candidate,
    reserve_in_sweep,
    start_in_sweep,
)
from engine.simulation.reservations import book, clear_reservations, unbook
from engine.simulation.scheduler import ALL, Scheduler, begin_reasons
from engine.simulation.tuner import WINDOW
from engine.simulation.workload import NO_SHAPE

JOB, TRIED, BEST, ENDS, NEXT = range(5)
"""Rows of `Scheduler.window`, whose columns are positions in the window or depths of the search. JOB: the
window's jobs. TRIED: the position tried at each depth. BEST: the best permutation. ENDS: when all jobs placed
down to each depth have ended, s. From NEXT on, for each depth: the end of each job if placed next, s."""

MOST_PERMUTED = 8
"""The most jobs of a window of which every permutation is searched."""


@inner_kernel
def window_pass(s: Scheduler, now: int) -> None:
    """Start or reserve the jobs of each window in turn, in the order that `_search` finds the best."""
    queue = s.queue
    s.blocked_head[0] = NOBODY
    begin_reasons(s)
    index = queue.bounds[0]
    last = last_candidate(s, queue.bounds[1] - 1, index - 1, 0)
    if last < index:
        return
    # Reservations live in a copy, since each pass makes them anew.
    copy_profile(s.profile, s.plan)
    clear_reservations(s.reservations)
    size = int(s.tuner.tunables[WINDOW])
    looked = 0
    while index <= last:
        count = min(size, queue.bounds[1] - index)
        for member in range(count):
            s.window[JOB, member] = queue.jobs[index + member]
        _search(s, now, count)
        # The search leaves the best order behind: its jobs start or are reserved in it.
        for member in range(count):
            job = s.window[JOB, s.window[BEST, member]]
            s.examined[job] = s.loop.passes[0]
            # Searched once more, since the plan now holds what comes before it in this order.
            time = find_earliest(s, now, job, NEVER)
            if time == now:
                remove_at(queue, index_of(queue, job))
                start_in_sweep(s, now, job)
            else:
                reserve_in_sweep(s, now, job, time)
        index += count
        looked += count
        # With a head that is blocked, jobs behind the windows may only fill gaps.
        if s.blocked_head[0] != NOBODY and s.rules.depth != ALL:
            backfill_rest(s, now, index, last, looked)
            return
        last = last_candidate(s, last, index - 1, 0)


@inner_kernel
def _search(s: Scheduler, now: int, count: int) -> None:
    """Find the best permutation of the window's `count` jobs, by branch and bound in lexicographic order.

    The result is in row BEST. Of more than MOST_PERMUTED jobs one is moved forward at most, or else the
    longest jobs come first.

    A further reservation never lets a job start earlier, except a job of different tasks on nodes. Hence the
    bounds: a job that would end too late if placed next ends too late in every permutation with the same
    beginning; no permutation ends before each job's end if that job is placed first, nor before the machine
    has had enough free processor-seconds for all. A permutation that reaches this lower bound ends the
    search.
    """
    window = s.window
    # The order of the queue is the first that is known.
    for member in range(count):
        window[BEST, member] = member
    if count == 1:
        return
    orderly = True
    least_end = 0
    rows = s.reservations.used[0]
    for member in range(count):
        job = window[JOB, member]
        s.reservations.first[job] = rows
        rows += s.reservations.most_pieces[job]
        orderly = orderly and (s.machine.free.shape[0] == 1 or s.work.shape[job] != NO_SHAPE)
        least_end = max(least_end, _end(s, now, job, NEVER))
    if s.machine.free.shape[0] == 1:
        least_end = max(least_end, _end_of_area(s, now, count))
    # A good first bound cuts most of the tree: longest jobs first.
    best = _longest_first(s, now, count) + 1
    taken = depth = 0
    moved_at = count  # the depth at which a job is moved forward in a large window; `count` while none is
    entered = True  # whether the search just went one job deeper, rather than back from there
    # Depth-first over the permutations, without recursion, as a kernel can run it.
    while depth >= 0:
        if entered:
            _look_ahead(s, now, count, depth, taken, best)
            window[TRIED, depth] = -1
        # Back from below: the job at this depth is taken out of the plan again.
        elif taken & (1 << window[TRIED, depth]):
            taken &= ~(1 << window[TRIED, depth])
            unbook(s.reservations, s.plan, s.work, window[JOB, window[TRIED, depth]])
        if moved_at >= depth:  # the choices at this depth and below are open again
            moved_at = count
        entered = False
        before = window[ENDS, depth - 1] if depth > 0 else 0
        # Cut: every permutation with this beginning ends no earlier than the best one.
        if before >= best or (orderly and _must_end_too_late(s, count, depth, taken, best)):
            depth -= 1
            continue
        # With a job moved forward already, the others of a large window keep their order.
        keeps_order = count > MOST_PERMUTED and moved_at < depth
        member = _next_member(s, count, depth, taken, best, keeps_order)
        if member == count:
            depth -= 1
            continue
        # A job that is placed before an earlier one of the window is moved forward.
        if count > MOST_PERMUTED and taken & ((1 << member) - 1) != (1 << member) - 1:
            moved_at = depth
        window[TRIED, depth] = member
        end = window[NEXT + depth, member]
        window[ENDS, depth] = max(before, end)
        if depth < count - 1:
            taken |= 1 << member
            job = window[JOB, member]
            length = s.work.estimate[job]
            if s.machine.free.shape[0] > 1:
                _end(s, now, job, NEVER)  # drafts its nodes again
            book(s.reservations, s.plan, s.work, s.machine, job, end - length, length)
            depth += 1
            entered = True
            continue
        best = window[ENDS, depth]
        for index in range(count):
            window[BEST, index] = window[TRIED, index]
        # No order can end earlier than this bound: the search is over.
        if orderly and best == least_end:
            while depth > 0:
                depth -= 1
                unbook(s.reservations, s.plan, s.work, window[JOB, window[TRIED, depth]])
            return


@inner_kernel
def _look_ahead(s: Scheduler, now: int, count: int, depth: int, taken: int, best: int) -> None:
    """Write the end of each remaining job if it is placed next, s; NEVER where not before `best`.

    `taken` is the bit set of the positions placed so far.
    """
    for member in range(count):
        if not taken & (1 << member):
            s.window[NEXT + depth, member] = _end(s, now, s.window[JOB, member], best)


@inner_kernel
def _must_end_too_late(s: Scheduler, count: int, depth: int, taken: int, best: int) -> bool:
    """Whether any remaining job ends too late even if it is placed next."""
    for member in range(count):  # noqa: SIM110 - a generator does not compile
        if not taken & (1 << member) and s.window[NEXT + depth, member] >= best:
            return True
    return False


@inner_kernel
def _next_member(s: Scheduler, count: int, depth: int, taken: int, best: int, keeps_order: bool) -> int:
    """The position in the window to try next at this depth; `count` where none is left.

    If the jobs that are left keep their order, that is the first of them alone.

    Symmetric choices are skipped. Of similar jobs only the first one is tried. On a pool, a job from earlier
    in the window than the job just placed, and not delayed by it, is skipped too: the same two jobs in the
    other order were tried before and reserve the same.
    """
    window = s.window
    member = window[TRIED, depth] + 1
    while member < count:
        # An earlier job is left, so that this one would be out of order.
        if keeps_order and taken & ((1 << member) - 1) != (1 << member) - 1:
            return count
        # A job that ends no sooner than the best permutation cannot be part of a better one.
        if not taken & (1 << member) and window[NEXT + depth, member] < best:
            same = (
                depth > 0
                and s.machine.free.shape[0] == 1
                and member < window[TRIED, depth - 1]
                and window[NEXT + depth, member] == window[NEXT + depth - 1, member]
            )
            if not same and not _is_alike(s, member, taken):
                break
        member += 1
    return int(member)


@inner_kernel
def _is_alike(s: Scheduler, member: int, taken: int) -> bool:
    """Whether a remaining job earlier in the window is similar: it asks for the same for the same time."""
    similar = s.similar[s.window[JOB, member]]
    for other in range(member):
        if similar >= 0 and not taken & (1 << other) and s.similar[s.window[JOB, other]] == similar:
            return True
    return False


@inner_kernel
def _longest_first(s: Scheduler, now: int, count: int) -> int:
    """Make longest-first the best permutation so far; returns when all its jobs have ended, s."""
    window = s.window
    last = taken = 0
    for turn in range(count):
        chosen = -1
        for member in range(count):
            # `>` keeps the first of equals, as the order of the queue does.
            longer = chosen < 0 or (
                s.work.estimate[window[JOB, member]] > s.work.estimate[window[JOB, chosen]]
            )
            if not taken & (1 << member) and longer:
                chosen = member
        taken |= 1 << chosen
        window[TRIED, turn] = window[BEST, turn] = chosen
        job = window[JOB, chosen]
        length = s.work.estimate[job]
        end = _end(s, now, job, NEVER)
        last = max(last, end)
        book(s.reservations, s.plan, s.work, s.machine, job, end - length, length)
    # Only its end is wanted: the plan is left as it was, undone in reverse.
    for turn in range(count - 1, -1, -1):
        unbook(s.reservations, s.plan, s.work, window[JOB, window[TRIED, turn]])
    return int(last)


@inner_kernel
def _end_of_area(s: Scheduler, now: int, count: int) -> int:
    """The time by which a pool has had as many free processor-seconds as the window's jobs need, s."""
    area = 0
    for member in range(count):
        job = s.window[JOB, member]
        area += s.work.estimate[job] * s.work.need[job, 0]
    step = first_step(s.plan, 0)
    begin = now
    # Step by step, as if jobs were liquid: no schedule of the window can end before.
    while True:
        free = s.plan.free[step, 0]
        step += 1
        end = s.plan.time[step]
        if end == NEVER or free * (end - begin) >= area:
            return int(begin + (area + free - 1) // free)
        area -= free * (end - begin)
        begin = end


@inner_kernel
def _end(s: Scheduler, now: int, job: int, before: int) -> int:
    """The end of the job if it is placed next, s; NEVER where that is not before `before`."""
    length = s.work.estimate[job]
    latest = NEVER if before == NEVER else before - length
    time = earliest(s.plan, s.work, s.machine, job, length, now, latest)
    return NEVER if time == NEVER else int(time + length)
