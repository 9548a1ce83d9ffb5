"""A cycle of Slurm's backfiller: it plans jobs in order of priority, and starts those that can start.

A plan occupies whole nodes, from its begin to its end. For a job, times are tried in ascending order, so each
plan enters the window of the job once and leaves it once: the set of usable nodes is updated with the nodes
of these plans, and not recomputed for each time.
"""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel, kernel
from engine.site.bounds import allowed, in_time
from engine.site.choose import room_on
from engine.site.places import NEVER, expected_end, let_end, place, place_group, start_job, take, will_run
from engine.site.plans import EMPTY, READY, Plans, close, hold, hold_closed, no_plans, overlaps, reopen
from engine.site.preempt import preempt
from engine.site.state import BACKFILL, Ints, SiteRun


@kernel
def backfill(s: SiteRun, now: int, order: Ints) -> int:
    """Run a cycle over the jobs of `order`, indices into the queue; returns the number of started jobs.

    Started jobs stay in the queue. The cycle ends where no later job can start besides the plans made so far.
    """
    jobs = _tried(s, now, order)
    plans = no_plans(s, jobs)
    hold_closed(s, plans, now)
    last, started = len(jobs) - 1, 0
    for k in range(len(jobs)):
        # Plans only grow and free nodes only become fewer in a cycle: what cannot start now never will.
        while last >= k and not _may_start(s, plans, jobs[last], now):
            last -= 1
        if last < k:
            break
        if not allowed(s, jobs[k]):  # by jobs that this cycle has started
            continue
        if s.rules.bf_plans and plans.many[0] - len(s.closures.first) >= s.rules.bf_plans:
            if not _may_start(s, plans, jobs[k], now):
                continue
            started += _start_beside(s, plans, jobs[k], now)
        else:
            started += _plan_or_preempt(s, plans, jobs[k], now)
        if s.rules.bf_starts and started >= s.rules.bf_starts:
            break
    return started


@kernel
def _tried(s: SiteRun, now: int, order: Ints) -> Ints:
    """The jobs that a cycle tries, within its limits."""
    jobs, of_user, of_part = np.empty(len(order), np.int64), s.scratch.of_user, s.scratch.of_part
    for user in range(len(of_user)):
        of_user[user] = 0
    for part in range(len(of_part)):
        of_part[part] = 0
    tried = 0
    for at in range(len(order)):
        job = s.state.queue[order[at]]
        user, part = s.jobs.user[job], s.jobs.part[job]
        if s.rules.bf_user_tests and of_user[user] >= s.rules.bf_user_tests:
            continue
        if s.rules.bf_part_tests and of_part[part] >= s.rules.bf_part_tests:
            continue
        if s.jobs.begin[job] > now or not allowed(s, job) or not in_time(s, job, now):
            continue
        if tried >= s.rules.bf_tests:
            break
        jobs[tried] = job
        tried += 1
        of_user[user] += 1
        of_part[part] += 1
    return jobs[:tried]


@inner_kernel
def _may_start(s: SiteRun, plans: Plans, job: int, now: int) -> bool:
    """True if the first group of a job has room now on nodes that no plan uses while the job would run."""
    if s.jobs.inside[job] >= 0 or _preempts(s, job):
        return True  # plans do not tell
    group, until = s.jobs.offset[job], now + s.jobs.limit[job]
    part, zone, left = s.jobs.part[job], s.jobs.zone[group], s.jobs.tasks[group]
    for k in range(len(plans.open)):
        node = plans.open[k]
        if plans.soonest[node] > until and s.machine.parts[part, node] and s.machine.zones[zone, node]:
            left -= room_on(s, group, s.state.free, node)
            if left <= 0:
                return True
    return bool(left <= 0)


@inner_kernel
def _preempts(s: SiteRun, job: int) -> bool:
    """Whether a job may preempt any other."""
    p, found = s.preemption, False
    if len(p.kind) == 0:
        return False
    for other in range(p.beats.shape[1]):
        found = found or p.beats[p.kind[job], other]
    return found


@inner_kernel
def _start_beside(s: SiteRun, plans: Plans, job: int, now: int) -> int:
    """Start a job on clean nodes that no plan holds while it would run; returns 1, or 0 without room."""
    group, zone, until = s.jobs.offset[job], s.jobs.zone[s.jobs.offset[job]], now + s.jobs.limit[job]
    part, room, total = s.jobs.part[job], s.scratch.ahead, 0
    if s.jobs.offset[job + 1] - group > 1 or s.jobs.inside[job] >= 0 or _preempts(s, job):
        return _plan(s, plans, job, now)
    for k in range(len(plans.open)):
        node = plans.open[k]
        clean = plans.soonest[node] > until and s.state.completing[node] <= now
        if clean and s.machine.parts[part, node] and s.machine.zones[zone, node]:
            room[node] = room_on(s, group, s.state.free, node)
            total += room[node]
    rows = -1
    if total >= s.jobs.tasks[group]:
        rows = place_group(s, group, room)
    for k in range(len(plans.open)):
        room[plans.open[k]] = 0
    if rows < 0:
        return 0
    _start(s, plans, job, now, rows)
    return 1


@inner_kernel
def _start(s: SiteRun, plans: Plans, job: int, now: int, rows: int) -> None:
    """Start a job on the nodes of the scratch rows."""
    for k in range(rows):
        take(s, plans.free, s.scratch.rows, k, 1)
        take(s, s.scratch.free, s.scratch.rows, k, 1)
    start_job(s, job, now, rows)
    s.state.by[job] = BACKFILL


@inner_kernel
def _plan_or_preempt(s: SiteRun, plans: Plans, job: int, now: int) -> int:
    """Plan a job; where it has no room now beside the plans, it preempts running jobs first, if it may."""
    if _preempts(s, job) and s.preemption.victims[job] == 0:
        until, usable = now + s.jobs.limit[job], s.scratch.usable
        for node in range(len(usable)):
            usable[node] = s.machine.parts[s.jobs.part[job], node] and s.state.completing[node] <= now
        for plan in range(plans.many[0]):
            if plan != s.jobs.inside[job] and plans.last[plan] > now and plans.first[plan] <= until:
                for k in range(plans.offset[plan], plans.offset[plan + 1]):
                    usable[plans.nodes[k]] = False
        plans.part[0] = -1  # the usable nodes are no longer those of a partition
        if place(s, job, s.state.free, usable) < 0 and preempt(s, job, now):
            plans.searches[0] = 0  # what they found ruled out no longer is
    return _plan(s, plans, job, now)


@inner_kernel
def _plan(s: SiteRun, plans: Plans, job: int, now: int) -> int:
    """Plan a job at the first time at which it fits besides all plans; returns 1 if it starts now, or 0."""
    group, limit, resolution = s.jobs.offset[job], s.jobs.limit[job], s.rules.bf_resolution
    line, tasks, inside = s.state.line, s.jobs.tasks[group], s.jobs.inside[job]
    _open_all(s, plans, job)
    added = dropped = begun = 0  # plans, by their begins, ends and begins
    ended = 0  # running jobs, by the ends that their limits allow
    later = _not_before(s, plans, job, now)
    # Plans that end before then never enter the job's window; those that hold nodes then enter it at once.
    while dropped < plans.many[0] and plans.last[plans.by_last[dropped]] <= later:
        dropped += 1
    outset, ruled_out, result = later, NEVER, 0
    start, rows = NEVER, 0
    while later < NEVER:
        begins = later
        while added < plans.many[0] and plans.first[plans.by_first[added]] <= begins + limit:
            if plans.last[plans.by_first[added]] > outset and plans.by_first[added] != inside:
                close(s, plans, plans.by_first[added])
            added += 1
        while dropped < plans.many[0] and plans.last[plans.by_last[dropped]] <= begins:
            if plans.by_last[dropped] != inside:
                reopen(s, plans, plans.by_last[dropped], job)
            dropped += 1
        while begun < plans.many[0] and plans.first[plans.by_first[begun]] <= begins:
            begun += 1
        # The usable nodes change next when a plan begins or ends.
        later = NEVER
        if begun < plans.many[0]:
            later = plans.first[plans.by_first[begun]]
        if dropped < plans.many[0]:
            later = min(later, plans.last[plans.by_last[dropped]])
        if plans.room[EMPTY] < tasks:
            continue
        # A start until `later` needs room on what is free by then: most times are ruled out by that alone.
        while ended < s.state.running[0] and s.state.start[line[ended]] + s.jobs.limit[line[ended]] <= later:
            _let_go(s, plans, line[ended], job)
            ended += 1
        if plans.room[READY] < tasks:
            continue
        ruled_out = min(ruled_out, begins)
        if s.jobs.offset[job + 1] - group == 1:
            soon, rows = _will_run(s, plans, job, now)
        else:
            soon, rows = will_run(s, job, now)
            _clear(s)
        if rows < 0:
            continue
        start = max(soon, begins)
        if start <= now:
            cleaned = True
            for k in range(rows):
                cleaned = cleaned and s.state.completing[s.scratch.rows[k, 0]] <= now
            if cleaned:
                result = 1
                break
            start, later = now + 1, NEVER
        if start > later:
            continue
        if start > now + s.rules.bf_window or not in_time(s, job, start):
            break
        first, last = start // resolution * resolution, (start + limit) // resolution * resolution
        if overlaps(s, plans, first, last, rows, inside):
            # Plans that begin later are in the way: go on from there, unless it was tried from there already.
            if begins >= start:
                break
            later = start
            continue
        if last > first:
            result = 2
        break
    _as_before(s, plans, job, added, ended)
    at = plans.searches[0]
    plans.job[at], plans.ruled_out[at] = job, ruled_out
    plans.searches[0] += 1
    if result == 1:
        _start(s, plans, job, now, rows)
        return 1
    if result == 2:
        first, last = start // resolution * resolution, (start + limit) // resolution * resolution
        hold(s, plans, first, last, rows, now)
    return 0


@inner_kernel
def _not_before(s: SiteRun, plans: Plans, job: int, now: int) -> int:
    """The first time to try: now, or later by earlier searches for jobs that need no more than this one.

    If nodes had too little room for such a job at a time, they have too little for this job.
    """
    group, time = s.jobs.offset[job], now
    for at in range(plans.searches[0]):
        if plans.ruled_out[at] <= time:
            continue
        other = plans.job[at]
        less = s.jobs.offset[other]
        if s.jobs.limit[other] > s.jobs.limit[job] or s.jobs.tasks[less] > s.jobs.tasks[group]:
            continue
        if s.jobs.part[other] != s.jobs.part[job] or s.jobs.zone[less] != s.jobs.zone[group]:
            continue
        if s.jobs.inside[other] != s.jobs.inside[job]:
            continue
        if s.jobs.exclusive[less] != s.jobs.exclusive[group] or s.jobs.most[less] < s.jobs.most[group]:
            continue
        covers = True
        for k in range(s.jobs.need.shape[1]):
            covers = covers and s.jobs.need[less, k] <= s.jobs.need[group, k]
        if covers:
            time = plans.ruled_out[at]
    return int(time)


@inner_kernel
def _open_all(s: SiteRun, plans: Plans, job: int) -> None:
    """Make all nodes of a job's partition usable, and compute their room for its tasks."""
    group, part, scratch = s.jobs.offset[job], s.jobs.part[job], s.scratch
    zone = s.jobs.zone[group]
    if plans.part[0] != part:
        plans.part[0] = part
        for node in range(len(s.machine.capacity)):
            scratch.usable[node] = s.machine.parts[part, node]
    plans.room[EMPTY] = plans.room[READY] = 0
    for kind in range(len(scratch.kinds)):
        node = scratch.kinds[kind]
        plans.of_kind[kind] = 0
        if s.machine.zones[zone, node]:
            plans.of_kind[kind] = room_on(s, group, s.machine.capacity, node)
            if s.machine.parts[part, node]:
                plans.room[EMPTY] += plans.of_kind[kind] * scratch.of_kind[kind]
    for k in range(len(plans.open)):
        node = plans.open[k]
        plans.at_once[k] = 0
        if s.machine.zones[zone, node]:
            plans.at_once[k] = plans.ready[node] = room_on(s, group, s.state.free, node)
            if scratch.usable[node]:
                plans.room[READY] += plans.ready[node]


@inner_kernel
def _as_before(s: SiteRun, plans: Plans, job: int, added: int, ended: int) -> None:
    """Undo the changes of a search that has applied `added` plans and ended `ended` running jobs."""
    part = s.jobs.part[job]
    for k in range(added):
        plan = plans.by_first[k]
        for at in range(plans.offset[plan], plans.offset[plan + 1]):
            plans.held[plans.nodes[at]] = 0
            s.scratch.usable[plans.nodes[at]] = s.machine.parts[part, plans.nodes[at]]
    for k in range(ended):
        _run_again(s, plans.free, plans.ready, s.state.line[k])
    for k in range(len(plans.open)):
        plans.ready[plans.open[k]] = 0


@inner_kernel
def _clear(s: SiteRun) -> None:
    """Undo the changes of `will_run`."""
    for node in range(len(s.machine.capacity)):
        s.scratch.ahead[node] = 0
        for k in range(s.state.free.shape[1]):
            s.scratch.free[node, k] = s.state.free[node, k]


@inner_kernel
def _run_again(s: SiteRun, free: Ints, room: Ints, running: int) -> None:
    """Let a running job hold its places again, with no room on their nodes."""
    begin = s.state.first[running]
    for at in range(begin, begin + s.state.places[running]):
        take(s, free, s.state.rows, at, 1)
        room[s.state.rows[at, 0]] = 0


@inner_kernel
def _will_run(s: SiteRun, plans: Plans, job: int, now: int) -> tuple[int, int]:
    """`will_run` for a job of one group, which examines only open nodes and nodes of ending jobs."""
    group, usable, room = s.jobs.offset[job], s.scratch.usable, s.scratch.ahead
    tasks, total = s.jobs.tasks[group], 0
    for k in range(len(plans.open)):
        if usable[plans.open[k]]:
            room[plans.open[k]] = plans.at_once[k]
            total += plans.at_once[k]
    rows, soon, k = -1, NEVER, 0
    if total >= tasks:
        rows, soon = place_group(s, group, room), now
    while rows < 0 and k < s.state.running[0]:
        k, last, more = let_end(s, group, k)
        total += more
        if last < 0:
            break
        if total >= tasks:
            rows, soon = place_group(s, group, room), expected_end(s, last, now)
    # Undo: the jobs that were assumed to have ended run again.
    for ended in range(k):
        running = s.state.line[ended]
        begin, touches = s.state.first[running], False
        for at in range(begin, begin + s.state.places[running]):
            touches = touches or usable[s.state.rows[at, 0]]
        if touches:
            _run_again(s, s.scratch.free, room, running)
    for at in range(len(plans.open)):
        room[plans.open[at]] = 0
    return (soon, rows) if rows >= 0 else (NEVER, -1)


@inner_kernel
def _let_go(s: SiteRun, plans: Plans, running: int, job: int) -> None:
    """End a running job in the plans, and update the room for the planned job."""
    group, begin = s.jobs.offset[job], s.state.first[running]
    for at in range(begin, begin + s.state.places[running]):
        take(s, plans.free, s.state.rows, at, -1)
        node = s.state.rows[at, 0]
        if s.machine.zones[s.jobs.zone[group], node]:
            room = room_on(s, group, plans.free, node)
            if s.scratch.usable[node]:
                plans.room[READY] += room - plans.ready[node]
            plans.ready[node] = room
