"""The reasons for which jobs wait, as both of Slurm's schedulers log them.

A reason stands until the next one, as slurmctld keeps the reason of a job:

- The main scheduler tells the first job of each partition that has no room what it is short of, and all jobs
  behind it that they wait for their turn (PRIORITY). That replaces what it said before, but neither a limit
  that still holds the job, nor what the last cycle of the backfiller said.
- The backfiller tells a job that has room of the plan or the reservation that is in its way, one that it does
  not reach of the number of jobs that it tries, and one without room what the main scheduler would tell it.
- Both tell a job of a limit that holds it, and of its begin time.

A row is written where the reason is another one than before. HEAD rows tell which job stopped a partition,
once for all jobs behind it.
"""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.schedule.schedule import COLUMNS, Decision, Untried
from engine.simulation.log_buffer import (
    AMOUNT,
    FEW_ROWS,
    FULL_ROWS,
    REASON,
    forget_noted,
    make_log_buffer,
    note_backfilled,
    note_reason,
)
from engine.slurm.scheduler.bounds import closes, held_by, in_time
from engine.slurm.scheduler.ends import slot_of
from engine.slurm.scheduler.node_choice import room_on
from engine.slurm.scheduler.queue_order import precedes
from engine.slurm.scheduler.state import NOT_STARTED, Ints, SiteNotes, SiteRun

_CPUS, _FRAGMENTED = int(Decision.CPUS), int(Decision.FRAGMENTED)
_RESERVATION, _UNTRIED = int(Decision.RESERVATION), int(Decision.UNTRIED)
_PRIORITY, _RESOURCE, _NODES = int(Decision.PRIORITY), int(Decision.RESOURCE), int(Decision.NODES)
_CLEANING, _CLOSED, _OUTSIDE = int(Decision.CLEANING), int(Decision.CLOSED), int(Decision.OUTSIDE)
_LIMIT, _BEGIN, _HEAD = int(Decision.SITE_LIMIT), int(Decision.BEGIN), int(Decision.HEAD)
DEPTH, MAIN_STARTS, TESTS = int(Untried.DEPTH), int(Untried.MAIN_STARTS), int(Untried.TESTS)
USER_TESTS, PART_TESTS = int(Untried.USER_TESTS), int(Untried.PART_TESTS)
CYCLE_STARTS, WINDOW = int(Untried.CYCLE_STARTS), int(Untried.WINDOW)
PART_DEPTH = int(Untried.PART_DEPTH)
ASSOC_TESTS, USER_PART_TESTS = int(Untried.ASSOC_TESTS), int(Untried.USER_PART_TESTS)

_ROOM, _MORE_ROOM = 200, 10_000
"""Rows that a log has room for: so many for each job, and so many more."""

_MEMOS = 16


def make_notes(on: bool, jobs: int, nodes: int, parts: int, closures: int) -> SiteNotes:
    """An empty log; without room for anything where it is not `on`.

    The log cannot grow while the schedulers run: once it is full, jobs get only a few rows more.
    """
    # Room for the usual rows, but never for fewer than each job needs once the log is full.
    room = max(min(_ROOM * jobs + _MORE_ROOM, FULL_ROWS), (FEW_ROWS + 4) * jobs)
    if not on:
        jobs = nodes = parts = closures = room = 0
    return SiteNotes(
        log=make_log_buffer(on, jobs, room - (FEW_ROWS + 1) * jobs, room),
        head=np.full(parts, -1, np.int64),
        first_inside=np.full(closures, -1, np.int64),
        closer=np.full(nodes, -1, np.int64),
        beyond=np.full(jobs, -1, np.int64),
        memo=np.zeros((_MEMOS, 3), np.int64),
        memos=np.zeros(1, np.int64),
    )


@inner_kernel
def _note(s: SiteRun, job: int, now: int, kind: int, value: int) -> None:
    """Log a reason of a kind whose values are amounts, or names of heads: the first of them is enough."""
    note_reason(s.notes.log, now // s.rules.ticks, job, kind, value, False)


@inner_kernel
def _note_named(s: SiteRun, job: int, now: int, kind: int, value: int) -> None:
    """Log a reason of a kind whose value names what holds the job: each one is another reason."""
    note_reason(s.notes.log, now // s.rules.ticks, job, kind, value, True)


@inner_kernel
def _noted(s: SiteRun, job: int) -> int:
    """The last reason of a job, or -1."""
    return int(s.notes.log.noted[job, REASON] - 1)


@inner_kernel
def note_not_yet(s: SiteRun, job: int, now: int) -> None:
    """Log that a job may not start yet: by its begin time, or as it is outside its reservation."""
    if in_time(s, job, now):
        _note_named(s, job, now, _BEGIN, s.jobs.begin[job] // s.rules.ticks)
    else:
        _note_named(s, job, now, _OUTSIDE, s.jobs.inside[job])


@inner_kernel
def note_requeued(s: SiteRun, job: int, now: int) -> None:
    """Log that a job whose run was cut short may not start again at once."""
    forget_noted(s.notes.log, job)
    _note_named(s, job, now, _BEGIN, s.jobs.begin[job] // s.rules.ticks)


@inner_kernel
def note_limit(s: SiteRun, job: int, now: int, held: int) -> None:
    """Log the limit that holds a job, as `held_by` returns it."""
    _note_named(s, job, now, _LIMIT, held)


@inner_kernel
def note_head(s: SiteRun, job: int, now: int) -> None:
    """Log that the jobs of a partition that follow this one are behind it."""
    part, log = s.jobs.part[job], s.notes.log
    if s.notes.head[part] != job and log.used[0] < log.full:
        # The rows of HEAD and BACKFILLED are alike: about a job, and no reason why it waits.
        row = log.used[0]
        log.rows[0, row], log.rows[1, row] = now // s.rules.ticks, job
        log.rows[2, row], log.rows[3, row] = _HEAD, part
        log.used[0] = row + 1
    s.notes.head[part] = job


@inner_kernel
def note_behind(s: SiteRun, job: int, now: int, other: int) -> None:
    """Log, in a pass of the main scheduler, that a job is behind another one."""
    kind = _noted(s, job)
    if kind == _PRIORITY:
        return
    if kind == _LIMIT and held_by(s, job) >= 0:
        return
    # What the backfiller says stands until its next cycle.
    if s.rules.backfills and kind in (_RESERVATION, _CLOSED):
        return
    limit = s.notes.log.noted[job, AMOUNT]
    if kind == _UNTRIED and limit >= TESTS and limit != PART_DEPTH:
        return
    _note(s, job, now, _PRIORITY, other)


@inner_kernel
def note_all_behind(s: SiteRun, now: int, order: Ints, first: int) -> None:
    """Log that all jobs from a place in the order on are behind the heads of their partitions."""
    for k in range(first, len(order)):
        job = s.state.queue[order[k]]
        if s.jobs.begin[job] <= now:
            note_behind(s, job, now, s.notes.head[s.jobs.part[job]])


@inner_kernel
def note_not_reached(s: SiteRun, now: int, order: Ints, first: int, limit: int) -> None:
    """Log of the jobs from a place in the order on, where no pass has told them anything yet, that a pass of
    the main scheduler did not reach them.
    """
    for k in range(first, len(order)):
        note_passed_over(s, s.state.queue[order[k]], now, limit)


@inner_kernel
def note_passed_over(s: SiteRun, job: int, now: int, limit: int) -> None:
    """Log that a limit of a pass of the main scheduler kept it from a job, which was told nothing yet."""
    if _noted(s, job) < 0:
        _note_named(s, job, now, _UNTRIED, limit)


@inner_kernel
def note_short(s: SiteRun, job: int, now: int) -> None:
    """Log why a job has no room now: what the first of its groups without room lacks."""
    for group in range(s.jobs.offset[job], s.jobs.offset[job + 1]):
        if _note_short_of(s, job, group, now):
            return
    _note(s, job, now, _FRAGMENTED, 0)  # its groups together, or more nodes than it may take


@inner_kernel
def _note_short_of(s: SiteRun, job: int, group: int, now: int) -> bool:
    """Log what a group is short of, or what keeps nodes with room from it; returns whether anything does.

    Nodes are left out in steps, until too little is left: those that are cleaned up, those that are closed
    while the job would run, and those that are kept for jobs of other partitions.
    """
    part, zone = s.jobs.part[job], s.jobs.zone[group]
    # Four counts, each of fewer nodes: with room, clean of these, open of these, and free for this job of
    # these.
    all_tasks, all_nodes, clean_tasks, clean_nodes = 0, 0, 0, 0
    open_tasks, open_nodes, free_tasks, free_nodes, closure, other = 0, 0, 0, 0, -1, -1
    for node in range(len(s.machine.capacity)):
        if not (s.machine.parts[part, node] and s.machine.zones[zone, node]):
            continue
        room = room_on(s, group, s.state.free, node)
        if room == 0:
            continue
        all_tasks += room
        all_nodes += 1
        if s.state.completing[node] > now:
            continue
        clean_tasks += room
        clean_nodes += 1
        by = _closure_of(s, job, node, now)
        if by >= 0:
            closure = by if closure < 0 else closure
            continue
        open_tasks += room
        open_nodes += 1
        head = s.notes.closer[node] if s.jobs.inside[job] < 0 else -1
        if head >= 0 and s.state.start[head] == NOT_STARTED:
            other = head if other < 0 else other
            continue
        free_tasks += room
        free_nodes += 1
    tasks = s.jobs.tasks[group]
    nodes = min(s.jobs.nodes[job, 0], tasks)
    # The first count that falls short names the reason.
    if len(s.failures.down) and _working(s, job, group) < tasks:
        _note_named(s, job, now, _CLOSED, len(s.closures.first))
    elif all_tasks < tasks or all_nodes < nodes:
        _note_amounts(s, job, group, now, all_tasks, all_nodes)
    elif clean_tasks < tasks or clean_nodes < nodes:
        _note(s, job, now, _CLEANING, 0)
    elif open_tasks < tasks or open_nodes < nodes:
        _note_named(s, job, now, _CLOSED, closure)
    elif free_tasks < tasks or free_nodes < nodes:
        # The backfiller says it more exactly where the plan of that job is in the way.
        if not s.rules.backfills or _noted(s, job) != _RESERVATION:
            _note(s, job, now, _PRIORITY, other)
    else:
        return False
    return True


@inner_kernel
def _working(s: SiteRun, job: int, group: int) -> int:
    """The tasks of a group that have room on the nodes that are not down, if nothing else ran there."""
    part, zone, total = s.jobs.part[job], s.jobs.zone[group], 0
    # Whole nodes are counted, not what is free: the question is whether waiting can help at all.
    for node in range(len(s.machine.capacity)):
        there = s.machine.parts[part, node] and s.machine.zones[zone, node]
        if there and not s.failures.down[node]:
            total += room_on(s, group, s.machine.capacity, node)
    return total


@inner_kernel
def _closure_of(s: SiteRun, job: int, node: int, now: int) -> int:
    """The first closure of a node that is in the way of a job which would start now, or -1."""
    # Few closures lie in one time, so all are gone through.
    closures = s.closures
    for at in range(len(closures.first)):
        if closes(s, job, at, now):
            for k in range(closures.offset[at], closures.offset[at + 1]):
                if closures.nodes[k] == node:
                    return at
    return -1


@inner_kernel
def _note_amounts(s: SiteRun, job: int, group: int, now: int, tasks: int, nodes: int) -> None:
    """Log which resource a group is short of, given how many tasks have room, and on how many nodes."""
    part, zone, wanted = s.jobs.part[job], s.jobs.zone[group], s.jobs.tasks[group]
    if s.jobs.exclusive[group]:
        _note(s, job, now, _NODES, wanted - tasks)
        return
    for k in range(s.jobs.need.shape[1]):
        missing = s.jobs.need[group, k] * wanted
        for node in range(len(s.machine.capacity)):
            if missing <= 0:
                break
            if s.machine.parts[part, node] and s.machine.zones[zone, node]:
                missing -= max(s.state.free[node, k], 0)
        # CPUs have a kind of row of their own.
        if missing > 0 and k == 0:
            _note(s, job, now, _CPUS, missing)
            return
        if missing > 0:
            # Another amount of the same resource is no other reason.
            if _noted(s, job) != _RESOURCE or s.notes.log.noted[job, AMOUNT] % COLUMNS != k:
                _note_named(s, job, now, _RESOURCE, missing * COLUMNS + k)
            return
    # Room enough in all, but on too few nodes, or on single nodes too little.
    if tasks >= wanted:
        _note(s, job, now, _NODES, min(s.jobs.nodes[job, 0], wanted) - nodes)
    else:
        _note(s, job, now, _FRAGMENTED, 0)


@inner_kernel
def note_started_past(s: SiteRun, job: int, now: int, passed: int) -> None:
    """Log that the backfiller has started a job before another one that goes first."""
    if s.notes.log.used[0] < s.notes.log.full:
        note_backfilled(s.notes.log, now // s.rules.ticks, job, passed)


@inner_kernel
def note_untried(s: SiteRun, job: int, now: int, limit: int) -> None:
    """Log that a cycle of the backfiller does not try a job."""
    kind = _noted(s, job)
    if kind == _LIMIT and held_by(s, job) >= 0:
        return
    if s.notes.head[s.jobs.part[job]] != job:  # the main scheduler tries that one, and says what is short
        _note_named(s, job, now, _UNTRIED, limit)


@inner_kernel
def note_all_untried(s: SiteRun, now: int, order: Ints, first: int) -> None:
    """Log of the jobs from a place in the order on that a cycle has tried as many as it may before them."""
    for k in range(first, len(order)):
        job = s.state.queue[order[k]]
        if s.jobs.begin[job] <= now and in_time(s, job, now):
            note_untried(s, job, now, TESTS)


@inner_kernel
def note_cycle(s: SiteRun, jobs: Ints, now: int, planned: int, full: bool) -> None:
    """Log why a cycle of the backfiller has not started the jobs that it tried, in order.

    It has planned the first `planned` of them; `full` says whether it had started as many as it may.
    """
    s.notes.memos[0] = 0
    p, made = s.plans, len(s.closures.first)
    for k in range(len(jobs)):
        job, before = jobs[k], made
        # Plans are in the order of the jobs: those made before the job's own may be in its way.
        made += made < p.many[0] and p.whose[made] == job
        if s.state.start[job] != NOT_STARTED:
            continue
        held = held_by(s, job)
        if held >= 0:
            note_limit(s, job, now, held)
        elif full and k >= planned:
            note_untried(s, job, now, CYCLE_STARTS)
        elif s.jobs.inside[job] < 0:
            _note_tried(s, job, now, k < planned, before)


@inner_kernel
def _note_tried(s: SiteRun, job: int, now: int, planned: bool, before: int) -> None:
    """Log what was in the way of a job: one of the plans `before` its own, or a closure; or else what the
    main scheduler tells it.
    """
    p, e, group = s.plans, s.ends, s.jobs.offset[job]
    part, until, least = s.jobs.part[job], now + s.jobs.limit[job], s.jobs.tasks[group]
    # Without any plans the job would not fit either: then it is short of what is free.
    if _free_now(s, group, part, now) < least:
        _note_without_room(s, job, now, planned)
        return
    slot, left, closed, row, closure = slot_of(s, group), 0, 0, len(p.whose), -1
    # What is free now and long enough is counted apart from what closures and earlier plans keep.
    for k in range(e.many[0]):
        node = e.open[k]
        room = p.at_once[slot, node]
        if room == 0 or not s.machine.parts[part, node] or s.state.completing[node] > now:
            continue
        if p.soonest[node] > until or p.sooner[node] >= before:
            left += room
        elif p.sooner[node] < len(s.closures.first):
            closed += room
            closure = p.sooner[node] if closure < 0 else closure
        else:  # of the plans in the way the one that was made first counts
            row = min(row, p.sooner[node])
    if left >= least:
        if _noted(s, job) < 0:  # by the shape of its groups, or the number of its nodes
            _note(s, job, now, _FRAGMENTED, 0)
    elif row < len(p.whose) and _free_now(s, group, part, now) - closed >= least:
        _note_named(s, job, now, _RESERVATION, p.whose[row])
    else:  # what plans leave would not be enough either
        _note_named(s, job, now, _CLOSED, closure)


@inner_kernel
def _note_without_room(s: SiteRun, job: int, now: int, planned: bool) -> None:
    """Log of a job without room, whatever was planned, that it is behind the head of its partition; or what
    it is short of, where it goes before that head.
    """
    kind, head = _noted(s, job), s.notes.head[s.jobs.part[job]]
    # The head is that of the last pass: a job that a limit has let go since then may go before it.
    if head >= 0 and s.state.start[head] == NOT_STARTED and _goes_before(s, head, job):
        # A job that would start too late for a plan has nothing that keeps others from its nodes.
        late = kind == _UNTRIED and s.notes.log.noted[job, AMOUNT] == WINDOW
        if s.notes.beyond[job] == now or (late and not planned):
            _note_named(s, job, now, _UNTRIED, WINDOW)
        else:
            _note(s, job, now, _PRIORITY, head)
    elif kind in (-1, _RESERVATION, _UNTRIED, _LIMIT, _BEGIN):
        note_short(s, job, now)


@inner_kernel
def _goes_before(s: SiteRun, first: int, second: int) -> bool:
    """Whether a waiting job goes before another one; equal jobs by submission."""
    if precedes(s, first, second) or precedes(s, second, first):
        return precedes(s, first, second)
    came, other = s.jobs.submit[first], s.jobs.submit[second]
    return bool(came < other or (came == other and first < second))


@inner_kernel
def _free_now(s: SiteRun, group: int, part: int, now: int) -> int:
    """Tasks of a group that have room on clean nodes of a partition now, whatever was planned."""
    notes, kind, e, total = s.notes, s.plans.kind[group], s.ends, 0
    # Jobs alike in kind and partition have the same answer, kept until the notes of the next cycle.
    for k in range(notes.memos[0]):
        if notes.memo[k, 0] == kind and notes.memo[k, 1] == part:
            return int(notes.memo[k, 2])
    slot = slot_of(s, group)
    for k in range(e.many[0]):
        node = e.open[k]
        if s.machine.parts[part, node] and s.state.completing[node] <= now:
            total += s.plans.at_once[slot, node]
    if notes.memos[0] < len(notes.memo):
        at = notes.memos[0]
        notes.memo[at, 0], notes.memo[at, 1], notes.memo[at, 2] = kind, part, total
        notes.memos[0] += 1
    return int(total)
