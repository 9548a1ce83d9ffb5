"""Checks of starts against the pass that made them, at each moment of a replay; compiled."""

from __future__ import annotations

from typing import NamedTuple

from engine.audit.limits import Held, holds_back, use
from engine.audit.profile import FreeProfile, clear, give_back
from engine.audit.replay import NOBODY, Replay, goes_before, head, starves, update_expected_ends
from engine.audit.sweep import JobRequests, PassQueue, PassRules, planned_end, sweep
from engine.audit.table import Ints
from engine.audit.waiting import WaitingJobs, put, take
from engine.compiler.kernels import inner_kernel

VERDICT, JOB, BLOCKED, FITS, WHEN = range(5)
"""Columns of `PassChecks.broken`: verdict, job, first job that it passed, start that fits, time (ticks)."""


class PassChecks(NamedTuple):
    """The state of these checks from pass to pass."""

    on: bool  # whether passes are checked
    rules: PassRules
    requests: JobRequests
    profile: FreeProfile  # scratch: what is free when, in the pass that is checked
    line: PassQueue  # scratch: the queue of that pass
    held: Held  # limits of users and queues
    user: Ints  # (n,) number of each job's user
    behind: WaitingJobs  # waiting jobs in backfill order; (0,) where that is the queue's order
    behind_alike: Ints  # (n or 0,) rank in that order, equal for jobs with equal keys
    turn: Ints  # (n or 0,) scratch: position of each job in `line`
    bounded: bool  # whether a pass tries only some of the jobs
    sees_all: bool  # whether the whole queue matters; else only its head and the started jobs
    by_log: bool  # whether jobs with equal keys go by their index; else started jobs go first
    past: Ints  # (1,) starts past waiting jobs so far
    broken: Ints  # (n, 5) starts that break a rule
    used: Ints  # (1,) rows of `broken` in use


@inner_kernel
def look_at_pass(c: PassChecks, r: Replay) -> None:
    """Sweep the queue as it was before the starts of this moment, and check these starts."""
    first, end = r.moments.ranges[1, 0], r.moments.ranges[1, 1]
    if c.rules.own_order:
        _follow_queue(c, r)
    # Sweep only where it can matter: where a job started, and before one that waits.
    if c.rules.relaxed >= 0:  # each pass may make the first reservation of a job, which must be known
        judges = r.waiting.bounds[0] < r.waiting.bounds[1]
    elif c.bounded:
        judges = first < end
    else:
        judges = False
        if first < end:
            ahead = head(r)
            if ahead != NOBODY:
                for index in range(first, end):
                    judges = judges or goes_before(r, ahead, r.moments.started[index])
    if judges:
        _judge_pass(c, r)


@inner_kernel
def _follow_queue(c: PassChecks, r: Replay) -> None:
    """Keep the list of waiting jobs in backfill order up to date."""
    moments = r.moments
    # Submitted jobs come first: one that starts in the same second enters the list and leaves it again.
    for index in range(moments.ranges[0, 0], moments.ranges[0, 1]):
        job = moments.submitted[index]
        if r.waiting.on[job]:
            put(c.behind, job)
    for index in range(moments.ranges[1, 0], moments.ranges[1, 1]):
        job = moments.started[index]
        if c.behind.on[job]:
            take(c.behind, job)


@inner_kernel
def _judge_pass(c: PassChecks, r: Replay) -> None:
    """Rebuild the state of the pass, sweep it, and write the starts that break a rule into `broken`."""
    now, line = r.moments.now[0], c.line
    update_expected_ends(r)
    # The line as the pass saw it: jobs that started at this moment wait in it once more.
    _line_up(c, r)
    if c.rules.own_order:
        _line_up_behind(c, r)
    if c.held.most.shape[0] > 0:
        _hold_back(c, r)
    if c.rules.plans:
        _fill(c, r)
    blocked = sweep(c.rules, c.profile, now, line, c.requests)
    # A start is judged by what the sweep allowed it; one behind a blocked job was backfilled.
    for index in range(line.many[0]):
        if line.started[index]:
            if 0 <= blocked <= index:
                c.past[0] += 1
            if line.verdict[index, 0] != 0:
                row = c.used[0]
                c.broken[row, VERDICT] = line.verdict[index, 0]
                c.broken[row, JOB] = line.jobs[index]
                c.broken[row, BLOCKED] = line.jobs[blocked] if blocked >= 0 else NOBODY
                c.broken[row, FITS] = line.verdict[index, 1]
                c.broken[row, WHEN] = now
                c.used[0] = row + 1


@inner_kernel
def _fill(c: PassChecks, r: Replay) -> None:
    """Fill the profile: what was free before the starts of this moment, and what expected ends free later."""
    profile, running, now, need = c.profile, r.running, r.moments.now[0], c.requests.need
    clear(profile, r.capacity)
    for index in range(running.many[0]):
        job = running.jobs[index]
        # Jobs that start at this moment are what the pass decides: before it they hold nothing.
        if r.start[job] != now:
            for k in range(profile.free.shape[1]):
                profile.free[0, k] -= need[job, k]
    # A second loop: the running jobs stand in order of their expected ends, so each end is appended behind
    # the last.
    for index in range(running.many[0]):
        job = running.jobs[index]
        if r.start[job] != now:
            give_back(profile, planned_end(c.rules, running.ends[index]), need, job)


@inner_kernel
def _line_up(c: PassChecks, r: Replay) -> None:
    """Fill `line` with the queue before the starts of this moment, in queue order.

    Of jobs with equal keys those that started come first, since no policy promises an order among them. With
    relaxed reservations or limits of users they go by their index in the log: there the result depends on
    which jobs were ahead at the submission, or had started before.
    """
    line, waiting, moments = c.line, r.waiting, r.moments
    line.many[0] = 0
    if waiting.bounds[0] < waiting.bounds[1]:
        first = head(r)
        if not c.sees_all:
            _append(line, first)
        else:
            # Jobs that waited too long stand before all others, in order of submission.
            if starves(r, first):
                index = r.oldest[0]
                while index < moments.ranges[0, 1] and starves(r, moments.submitted[index]):
                    if waiting.on[moments.submitted[index]]:
                        _append(line, moments.submitted[index])
                    index += 1
            for index in range(waiting.bounds[0], waiting.bounds[1]):
                if not starves(r, waiting.jobs[index]):
                    _append(line, waiting.jobs[index])
    # What started at this moment has left the queue: it goes back in where it stood before the pass.
    for index in range(moments.ranges[1, 0], moments.ranges[1, 1]):
        job = moments.started[index]
        place = line.many[0]
        line.many[0] = place + 1
        while place > 0 and _lines_up_before(c, r, job, line.jobs[place - 1], line.started[place - 1]):
            line.jobs[place] = line.jobs[place - 1]
            line.started[place] = line.started[place - 1]
            place -= 1
        line.jobs[place] = job
        line.started[place] = True
    for index in range(line.many[0]):
        line.held[index] = False
        line.user[index] = c.user[line.jobs[index]]


@inner_kernel
def _append(line: PassQueue, job: int) -> None:
    line.jobs[line.many[0]] = job
    line.started[line.many[0]] = False
    line.many[0] += 1


@inner_kernel
def _lines_up_before(c: PassChecks, r: Replay, job: int, other: int, other_started: bool) -> bool:
    """Whether `job`, which started, comes before `other` in the line."""
    # A job that waits for longer than the threshold goes before all that do not.
    first, second = starves(r, job), starves(r, other)
    if first != second:
        return first
    # Among starving jobs the submission counts, among the others the place in the queue, where jobs that the
    # order cannot tell apart share one.
    own, others = (r.submit[job], r.submit[other]) if first else (r.alike[job], r.alike[other])
    if own != others:
        return bool(own < others)
    # Without the order of the log, a tie is decided in favour of the schedule: the job that started may have
    # been first.
    if not (c.by_log or other_started):
        return True
    return bool(job < other)


@inner_kernel
def _line_up_behind(c: PassChecks, r: Replay) -> None:
    """Fill `line.behind` with the positions of the line in backfill order."""
    line, behind = c.line, c.behind
    for position in range(line.many[0]):
        c.turn[line.jobs[position]] = position
    # Jobs that still wait are in order already; those that started now are merged in below.
    count = 0
    if c.sees_all:
        for index in range(behind.bounds[0], behind.bounds[1]):
            line.behind[count] = c.turn[behind.jobs[index]]
            count += 1
    else:
        for position in range(line.many[0]):
            if not line.started[position]:
                line.behind[count] = position
                count += 1
    # Insertion from the end: all before `place` are in backfill order.
    for position in range(line.many[0]):
        if line.started[position]:
            place = count
            while place > 0 and _goes_behind(c, line.behind[place - 1], position):
                line.behind[place] = line.behind[place - 1]
                place -= 1
            line.behind[place] = position
            count += 1


@inner_kernel
def _goes_behind(c: PassChecks, other: int, position: int) -> bool:
    """Whether the job at position `other` of the line is backfilled after the started job at `position`."""
    line = c.line
    job, rival = line.jobs[position], line.jobs[other]
    if c.behind_alike[rival] != c.behind_alike[job]:
        return bool(c.behind_alike[rival] > c.behind_alike[job])
    return bool(not line.started[other] or rival > job)


@inner_kernel
def _hold_back(c: PassChecks, r: Replay) -> None:
    """Mark the jobs of the line that a limit held back at their turn, given running and started jobs."""
    line, held, running, now = c.line, c.held, r.running, r.moments.now[0]
    # What ran before this moment uses up limits first, then each start in the order of the line.
    for index in range(running.many[0]):
        if r.start[running.jobs[index]] != now:
            use(held, running.jobs[index], 1)
    for index in range(line.many[0]):
        if line.started[index]:
            use(held, line.jobs[index], 1)
        else:
            line.held[index] = holds_back(held, line.jobs[index])
    # All uses are taken back: the next pass begins with none.
    for index in range(line.many[0]):
        if line.started[index]:
            use(held, line.jobs[index], -1)
    for index in range(running.many[0]):
        if r.start[running.jobs[index]] != now:
            use(held, running.jobs[index], -1)
