"""A cycle of Slurm's backfiller: it plans jobs in the order of priorities, and starts what can start.

A plan holds its nodes whole, from its begin to its end. For a job, times are tried in ascending order, and so
each plan comes into the window of the job once and leaves it once: what is usable is kept up by the nodes of
the plans that come and leave, and is not worked out anew for each time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel, kernel
from engine.site.choose import room_on
from engine.site.places import NEVER, start_job, take, will_run
from engine.site.state import BACKFILL, Ints, Mask, SiteRun

_EMPTY, _READY = 0, 1


class Plans(NamedTuple):
    """The plans of a cycle, at most P, and what is worked out from them; times in ticks."""

    first: Ints  # (P,) when each begins
    last: Ints  # (P,) when each ends
    offset: Ints  # (P + 1,) plan p holds `nodes[offset[p]:offset[p + 1]]`
    nodes: Ints
    by_first: Ints  # (P,) the plans by their begins
    by_last: Ints  # (P,) the plans by their ends
    many: Ints  # (1,) how many there are
    soonest: Ints  # (N,) the first begin of a plan that holds a node now or later; NEVER without one
    held: Ints  # (N,) how many plans in the window of the job that is planned hold a node
    chosen: Mask  # (N,) the nodes that a plan in the making wants
    alike: Mask  # (N,) whether a node has the capacity of the node before it
    open: Ints  # the nodes on which something is free as the cycle begins
    free: Ints  # (N, K) what is free once running jobs have ended up to the time that is tried
    ready: Ints  # (N,) tasks of the job that is planned that this has room for
    room: Ints  # (2,) tasks that usable nodes have room for: empty, and with what is free then


@kernel
def backfill(s: SiteRun, now: int, order: Ints) -> int:
    """Plan the jobs of `order`, places in the queue; how many were started. They stay in the queue.

    Of plans only starts come out: the cycle ends where no later job can start beside the plans before it.
    """
    jobs = _tried(s, now, order)
    plans = _no_plans(s, jobs)
    last, started = len(jobs) - 1, 0
    for k in range(len(jobs)):
        # Plans only grow and free nodes only become fewer in a cycle: what cannot start now never will.
        while last >= k and not _may_start(s, plans, jobs[last], now):
            last -= 1
        if last < k:
            break
        started += _plan(s, plans, jobs[k], now)
        if s.rules.bf_starts and started >= s.rules.bf_starts:
            break
    return started


@kernel
def _tried(s: SiteRun, now: int, order: Ints) -> Ints:
    """The jobs that a cycle looks at, as its limits allow."""
    jobs, of_user, of_part = np.empty(len(order), np.int64), s.scratch.of_user, s.scratch.of_part
    for user in range(len(of_user)):
        of_user[user] = 0
    for part in range(len(of_part)):
        of_part[part] = 0
    tried = 0
    for place in range(len(order)):
        job = s.state.queue[order[place]]
        user, part = s.jobs.user[job], s.jobs.part[job]
        if s.rules.bf_user_tests and of_user[user] >= s.rules.bf_user_tests:
            continue
        if s.rules.bf_part_tests and of_part[part] >= s.rules.bf_part_tests:
            continue
        if s.jobs.begin[job] > now:
            continue
        if tried >= s.rules.bf_tests:
            break
        jobs[tried] = job
        tried += 1
        of_user[user] += 1
        of_part[part] += 1
    return jobs[:tried]


@kernel
def _no_plans(s: SiteRun, jobs: Ints) -> Plans:
    """Room for the plans of these jobs."""
    nodes, kinds = s.state.free.shape
    most = 0
    for k in range(len(jobs)):
        rows = 0
        for group in range(s.jobs.offset[jobs[k]], s.jobs.offset[jobs[k] + 1]):
            rows += min(s.jobs.tasks[group], nodes)
        most += min(rows, s.rules.most_rows)
    alike = np.zeros(nodes, np.bool_)
    some, opened = np.empty(nodes, np.int64), 0
    for node in range(nodes):
        same, any_free = node > 0, False
        for k in range(kinds):
            same = same and s.machine.capacity[node, k] == s.machine.capacity[node - 1, k]
            any_free = any_free or s.state.free[node, k] > 0
        alike[node] = same
        if any_free:
            some[opened] = node
            opened += 1
    return Plans(
        np.empty(len(jobs), np.int64),
        np.empty(len(jobs), np.int64),
        np.zeros(len(jobs) + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(len(jobs), np.int64),
        np.empty(len(jobs), np.int64),
        np.zeros(1, np.int64),
        np.full(nodes, NEVER, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.bool_),
        alike,
        some[:opened],
        np.empty((nodes, kinds), np.int64),
        np.empty(nodes, np.int64),
        np.zeros(2, np.int64),
    )


@inner_kernel
def _may_start(s: SiteRun, plans: Plans, job: int, now: int) -> bool:
    """Whether the first group of a job has room now on nodes that no plan holds while the job would run."""
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
def _plan(s: SiteRun, plans: Plans, job: int, now: int) -> int:
    """Find the first time at which a job can run beside all plans: start it, 1, or hold its nodes then, 0."""
    group, limit, resolution = s.jobs.offset[job], s.jobs.limit[job], s.rules.bf_resolution
    line, tasks = s.state.line, s.jobs.tasks[group]
    _open_all(s, plans, job)
    added = dropped = begun = 0  # plans, by their begins, ends and begins
    ended = 0  # running jobs, by the ends that their limits allow
    later = now
    while later < NEVER:
        begins = later
        while added < plans.many[0] and plans.first[plans.by_first[added]] <= begins + limit:
            _close(s, plans, plans.by_first[added])
            added += 1
        while dropped < plans.many[0] and plans.last[plans.by_last[dropped]] <= begins:
            _reopen(s, plans, plans.by_last[dropped], job)
            dropped += 1
        while begun < plans.many[0] and plans.first[plans.by_first[begun]] <= begins:
            begun += 1
        # What is planned changes next as a plan begins or ends.
        later = NEVER
        if begun < plans.many[0]:
            later = plans.first[plans.by_first[begun]]
        if dropped < plans.many[0]:
            later = min(later, plans.last[plans.by_last[dropped]])
        if plans.room[_EMPTY] < tasks:
            continue
        # A start until `later` needs room on what is free by then: most times are ruled out by that alone.
        while ended < s.state.running[0] and s.state.start[line[ended]] + s.jobs.limit[line[ended]] <= later:
            _let_go(s, plans, line[ended], job)
            ended += 1
        if plans.room[_READY] < tasks:
            continue
        soon, rows = will_run(s, job, now)
        if rows < 0:
            continue
        start = max(soon, begins)
        if start <= now:
            cleaned = True
            for k in range(rows):
                cleaned = cleaned and s.state.completing[s.scratch.rows[k, 0]] <= now
            if cleaned:
                start_job(s, job, now, rows)
                s.state.by[job] = BACKFILL
                return 1
            start, later = now + 1, NEVER
        if start > later:
            continue
        if start > now + s.rules.bf_window:
            break
        first, last = start // resolution * resolution, (start + limit) // resolution * resolution
        if _overlaps(s, plans, first, last, rows):
            # Plans that begin later are in the way: go on from there, unless it was tried from there already.
            if begins >= start:
                break
            later = start
            continue
        s.state.planned[job] = start
        if last > first:
            _hold(s, plans, first, last, rows, now)
        break
    return 0


@inner_kernel
def _open_all(s: SiteRun, plans: Plans, job: int) -> None:
    """Let all nodes of a job's partition be usable, as they are now, with their room for its tasks."""
    group, part = s.jobs.offset[job], s.jobs.part[job]
    zone, most, on_this = s.jobs.zone[group], s.scratch.most, 0
    plans.room[_EMPTY] = plans.room[_READY] = 0
    for node in range(len(s.machine.capacity)):
        if not plans.alike[node]:
            on_this = room_on(s, group, s.machine.capacity, node)
        most[node] = plans.ready[node] = plans.held[node] = 0
        if s.machine.zones[zone, node]:
            most[node] = on_this
            plans.ready[node] = room_on(s, group, s.state.free, node)
        for k in range(plans.free.shape[1]):
            plans.free[node, k] = s.state.free[node, k]
        s.scratch.usable[node] = s.machine.parts[part, node]
        if s.scratch.usable[node]:
            plans.room[_EMPTY] += most[node]
            plans.room[_READY] += plans.ready[node]


@inner_kernel
def _close(s: SiteRun, plans: Plans, plan: int) -> None:
    """Let the nodes of a plan be held."""
    for k in range(plans.offset[plan], plans.offset[plan + 1]):
        node = plans.nodes[k]
        if s.scratch.usable[node]:
            s.scratch.usable[node] = False
            plans.room[_EMPTY] -= s.scratch.most[node]
            plans.room[_READY] -= plans.ready[node]
        plans.held[node] += 1


@inner_kernel
def _reopen(s: SiteRun, plans: Plans, plan: int, job: int) -> None:
    """Let a plan hold its nodes no longer."""
    part = s.jobs.part[job]
    for k in range(plans.offset[plan], plans.offset[plan + 1]):
        node = plans.nodes[k]
        plans.held[node] -= 1
        if plans.held[node] == 0 and s.machine.parts[part, node]:
            s.scratch.usable[node] = True
            plans.room[_EMPTY] += s.scratch.most[node]
            plans.room[_READY] += plans.ready[node]


@inner_kernel
def _let_go(s: SiteRun, plans: Plans, running: int, job: int) -> None:
    """Let a running job have ended, for the room that this makes for the job that is planned."""
    group, begin = s.jobs.offset[job], s.state.first[running]
    for at in range(begin, begin + s.state.places[running]):
        take(s, plans.free, s.state.rows, at, -1)
        node = s.state.rows[at, 0]
        if s.machine.zones[s.jobs.zone[group], node]:
            room = room_on(s, group, plans.free, node)
            if s.scratch.usable[node]:
                plans.room[_READY] += room - plans.ready[node]
            plans.ready[node] = room


@inner_kernel
def _overlaps(s: SiteRun, plans: Plans, first: int, last: int, rows: int) -> bool:
    """Whether any of the places of the scratch rows is held at some time from `first` to `last`."""
    for index in range(rows):
        plans.chosen[s.scratch.rows[index, 0]] = True
    found = False
    for at in range(plans.many[0]):
        plan = plans.by_first[at]
        if found or plans.first[plan] >= last:
            break
        if plans.last[plan] > first:
            for k in range(plans.offset[plan], plans.offset[plan + 1]):
                found = found or plans.chosen[plans.nodes[k]]
    for index in range(rows):
        plans.chosen[s.scratch.rows[index, 0]] = False
    return found


@inner_kernel
def _hold(s: SiteRun, plans: Plans, first: int, last: int, rows: int, now: int) -> None:
    """Hold the nodes of the scratch rows whole from `first` to `last`."""
    plan = plans.many[0]
    plans.first[plan] = max(first, now // s.rules.bf_resolution * s.rules.bf_resolution)
    plans.last[plan] = last
    at = plans.offset[plan]
    for index in range(rows):
        node = s.scratch.rows[index, 0]
        plans.nodes[at + index] = node
        if last > now:
            plans.soonest[node] = min(plans.soonest[node], plans.first[plan])
    plans.offset[plan + 1] = at + rows
    _insert(plans.by_first, plan, plans.first)
    _insert(plans.by_last, plan, plans.last)
    plans.many[0] += 1


@inner_kernel
def _insert(line: Ints, plan: int, time: Ints) -> None:
    """Put the newest plan into a line in order of time."""
    at = plan
    while at > 0 and time[line[at - 1]] > time[plan]:
        line[at] = line[at - 1]
        at -= 1
    line[at] = plan
