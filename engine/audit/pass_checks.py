"""How starts are held against the pass that made them, at each moment of a replay; compiled."""

from __future__ import annotations

from typing import NamedTuple

from engine.audit.limits import Held, holds_back, use
from engine.audit.profile import FreeProfile, clear, give_back
from engine.audit.replay import NOBODY, Replay, goes_before, head, starves, update_expected_ends
from engine.audit.sweep import JobRequests, PassQueue, PassRules, planned_end, sweep
from engine.audit.table import Ints
from engine.audit.waiting import Waiting, put, take
from engine.compiler.kernels import inner_kernel

VERDICT, JOB, BLOCKED, FITS, WHEN = range(5)
"""Columns of broken promises: verdict, job, the first one that it went past, and two times in ticks."""


class PassChecks(NamedTuple):
    """What is kept from pass to pass."""

    on: bool
    rules: PassRules
    requests: JobRequests
    profile: FreeProfile
    line: PassQueue
    held: Held
    user: Ints  # (n,) number of each job's user
    behind: Waiting  # who waits, in the order of backfilling; (0,) where that is the queue's own
    behind_alike: Ints  # (n or 0,) place in that order; those alike but for their index tie
    turn: Ints  # (n or 0,) scratch: position in the line of each job in it
    bounded: bool  # whether a pass looks at some jobs only
    sees_all: bool  # whether more counts than the head of the queue and who started
    by_log: bool  # whether jobs that are alike but for their index go by that, else who started goes first
    past: Ints  # (1,) starts past waiting jobs so far
    broken: Ints  # (n, 5)
    used: Ints  # (1,) rows of that


@inner_kernel
def look_at_pass(c: PassChecks, r: Replay) -> None:
    """Sweep the queue as it was before the starts of this moment, and judge these."""
    first, end = r.moments.ranges[1, 0], r.moments.ranges[1, 1]
    if c.rules.own_order:
        _follow_queue(c, r)
    if c.rules.relaxed >= 0:  # or the first reservation of a job would not be known
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
    """Keep those who wait in the order of backfilling as well."""
    moments = r.moments
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
    now, line = r.moments.now[0], c.line
    update_expected_ends(r)
    _line_up(c, r)
    if c.rules.own_order:
        _line_up_behind(c, r)
    if c.held.most.shape[0] > 0:
        _hold_back(c, r)
    if c.rules.plans:
        _fill(c, r)
    blocked = sweep(c.rules, c.profile, now, line, c.requests)
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
    """What was free before the starts of this moment, and becomes free as jobs seem to end."""
    profile, running, now, need = c.profile, r.running, r.moments.now[0], c.requests.need
    clear(profile, r.capacity)
    for index in range(running.many[0]):
        job = running.jobs[index]
        if r.start[job] != now:
            for k in range(profile.free.shape[1]):
                profile.free[0, k] -= need[job, k]
    for index in range(running.many[0]):
        job = running.jobs[index]
        if r.start[job] != now:
            give_back(profile, planned_end(c.rules, running.ends[index]), need, job)


@inner_kernel
def _line_up(c: PassChecks, r: Replay) -> None:
    """The queue before the starts of this moment, in its order.

    Among equal ones those that started come first: the order of jobs that are alike but for
    their index in the log is nobody's promise. Where reservations are relaxed, or users limited, it is
    that of the log: how late a job may start goes by what was ahead of it when it came, and whether a
    limit holds it by what started before its turn.
    """
    line, waiting, moments = c.line, r.waiting, r.moments
    line.many[0] = 0
    if waiting.bounds[0] < waiting.bounds[1]:
        first = head(r)
        if not c.sees_all:
            _append(line, first)
        else:
            if starves(r, first):
                index = r.oldest[0]
                while index < moments.ranges[0, 1] and starves(r, moments.submitted[index]):
                    if waiting.on[moments.submitted[index]]:
                        _append(line, moments.submitted[index])
                    index += 1
            for index in range(waiting.bounds[0], waiting.bounds[1]):
                if not starves(r, waiting.jobs[index]):
                    _append(line, waiting.jobs[index])
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
    """Whether a job that started stands before another one, that started or did not."""
    first, second = starves(r, job), starves(r, other)
    if first != second:
        return first
    own, others = (r.submit[job], r.submit[other]) if first else (r.alike[job], r.alike[other])
    if own != others:
        return bool(own < others)
    if not (c.by_log or other_started):
        return True
    return bool(job < other)


@inner_kernel
def _line_up_behind(c: PassChecks, r: Replay) -> None:
    """The positions in that line in the order of backfilling."""
    line, behind = c.line, c.behind
    for position in range(line.many[0]):
        c.turn[line.jobs[position]] = position
    many = 0
    if c.sees_all:
        for index in range(behind.bounds[0], behind.bounds[1]):
            line.behind[many] = c.turn[behind.jobs[index]]
            many += 1
    else:
        for position in range(line.many[0]):
            if not line.started[position]:
                line.behind[many] = position
                many += 1
    for position in range(line.many[0]):
        if line.started[position]:
            place = many
            while place > 0 and _goes_behind(c, line.behind[place - 1], position):
                line.behind[place] = line.behind[place - 1]
                place -= 1
            line.behind[place] = position
            many += 1


@inner_kernel
def _goes_behind(c: PassChecks, other: int, position: int) -> bool:
    """Whether the job at one position of the line is backfilled after the one, which started, at another."""
    line = c.line
    job, one = line.jobs[position], line.jobs[other]
    if c.behind_alike[one] != c.behind_alike[job]:
        return bool(c.behind_alike[one] > c.behind_alike[job])
    return bool(not line.started[other] or one > job)


@inner_kernel
def _hold_back(c: PassChecks, r: Replay) -> None:
    """Find whom of the line a limit held when its turn came, beside those that ran and who started before."""
    line, held, running, now = c.line, c.held, r.running, r.moments.now[0]
    for index in range(running.many[0]):
        if r.start[running.jobs[index]] != now:
            use(held, running.jobs[index], 1)
    for index in range(line.many[0]):
        if line.started[index]:
            use(held, line.jobs[index], 1)
        else:
            line.held[index] = holds_back(held, line.jobs[index])
    for index in range(line.many[0]):
        if line.started[index]:
            use(held, line.jobs[index], -1)
    for index in range(running.many[0]):
        if r.start[running.jobs[index]] != now:
            use(held, running.jobs[index], -1)
