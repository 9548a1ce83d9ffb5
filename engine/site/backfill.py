"""A cycle of Slurm's backfiller: it plans jobs in the order of priorities, and starts what can start.

What is planned is kept in stretches of time, in their order; of each, a row of `open_nodes` tells which nodes
no plan holds. A plan holds its nodes whole.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.site.choose import room_of
from engine.site.places import NEVER, start_job, will_run
from engine.site.state import BACKFILL, Ints, SiteRun


@inner_kernel
def backfill(s: SiteRun, now: int, order: Ints) -> int:
    """Plan the jobs of `order`, places in the queue; how many were started. They stay in the queue."""
    _no_plans(s, now // s.rules.bf_resolution * s.rules.bf_resolution)
    tried = started = 0
    for place in range(len(order)):
        job = s.state.queue[order[place]]
        user, part = s.jobs.user[job], s.jobs.part[job]
        if s.rules.bf_user_tests and s.scratch.of_user[user] >= s.rules.bf_user_tests:
            continue
        if s.rules.bf_part_tests and s.scratch.of_part[part] >= s.rules.bf_part_tests:
            continue
        if s.jobs.begin[job] > now:
            continue
        if tried >= s.rules.bf_tests:
            break
        tried += 1
        s.scratch.of_user[user] += 1
        s.scratch.of_part[part] += 1
        started += _plan(s, job, now)
        if s.rules.bf_starts and started >= s.rules.bf_starts:
            break
    return started


@inner_kernel
def _plan(s: SiteRun, job: int, now: int) -> int:
    """Find the first time at which a job can run beside all plans: start it, 1, or hold its nodes then, 0."""
    group, limit, resolution = s.jobs.offset[job], s.jobs.limit[job], s.rules.bf_resolution
    for node in range(len(s.machine.capacity)):
        s.scratch.usable[node] = True
    room_of(s, group, s.machine.capacity, s.scratch.usable, s.scratch.most)
    later = now
    while later < NEVER:
        begins, later = later, _next_end(s, later)
        if _open_nodes(s, s.jobs.part[job], begins, limit) < s.jobs.tasks[group]:
            continue
        start, rows = will_run(s, job, now)
        if rows < 0:
            continue
        start = max(start, begins)
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
        if _overlaps(s, first, last, rows):
            # Plans that begin later are in the way: go on from there, unless it was tried from there already.
            if begins >= start:
                break
            later = start
            continue
        s.state.planned[job] = start
        _hold(s, first, last, rows)
        break
    return 0


@inner_kernel
def _no_plans(s: SiteRun, begin: int) -> None:
    """One stretch from `begin` on, and nobody tried."""
    s.scratch.begin[0] = begin
    s.scratch.end[0] = NEVER
    s.scratch.row[0] = 0
    s.scratch.stretches[0] = 1
    for node in range(len(s.machine.capacity)):
        s.scratch.open_nodes[0, node] = True
    for k in range(len(s.scratch.of_user)):
        s.scratch.of_user[k] = 0
    for k in range(len(s.scratch.of_part)):
        s.scratch.of_part[k] = 0


@inner_kernel
def _next_end(s: SiteRun, time: int) -> int:
    """The end of the stretch that holds `time`: when what is planned changes next; NEVER of the last."""
    for k in range(s.scratch.stretches[0] - 1):
        if s.scratch.end[k] > time:
            return int(s.scratch.end[k])
    return NEVER


@inner_kernel
def _open_nodes(s: SiteRun, part: int, time: int, length: int) -> int:
    """Let the nodes of a partition be usable that no plan holds from `time` on, for a job of that length.

    Returns for how many of its tasks those have room when they are empty.
    """
    usable = s.scratch.usable
    nodes = len(s.machine.capacity)
    for node in range(nodes):
        usable[node] = s.machine.parts[part, node]
    for k in range(s.scratch.stretches[0]):
        if s.scratch.end[k] <= time:
            continue
        if s.scratch.begin[k] > time + length:
            break
        row = s.scratch.row[k]
        for node in range(nodes):
            usable[node] = usable[node] and s.scratch.open_nodes[row, node]
    room = 0
    for node in range(nodes):
        if usable[node]:
            room += s.scratch.most[node]
    return room


@inner_kernel
def _overlaps(s: SiteRun, first: int, last: int, rows: int) -> bool:
    """Whether any of the places of the scratch rows is held at some time from `first` to `last`."""
    for k in range(s.scratch.stretches[0]):
        if s.scratch.end[k] > first and s.scratch.begin[k] < last:
            for index in range(rows):
                if not s.scratch.open_nodes[s.scratch.row[k], s.scratch.rows[index, 0]]:
                    return True
    return False


@inner_kernel
def _hold(s: SiteRun, first: int, last: int, rows: int) -> None:
    """Hold the nodes of the scratch rows whole from `first` to `last`."""
    first = max(first, s.scratch.begin[0])
    if last <= first:
        return
    _cut(s, first)
    _cut(s, last)
    for k in range(s.scratch.stretches[0]):
        if s.scratch.begin[k] >= first and s.scratch.end[k] <= last:
            for index in range(rows):
                s.scratch.open_nodes[s.scratch.row[k], s.scratch.rows[index, 0]] = False


@inner_kernel
def _cut(s: SiteRun, time: int) -> None:
    """Let a stretch begin at `time`."""
    begin, end, row = s.scratch.begin, s.scratch.end, s.scratch.row
    many = s.scratch.stretches[0]
    for k in range(many):
        if begin[k] < time < end[k]:
            for later in range(many, k + 1, -1):
                begin[later] = begin[later - 1]
                end[later] = end[later - 1]
                row[later] = row[later - 1]
            begin[k + 1] = time
            end[k + 1] = end[k]
            row[k + 1] = many
            for node in range(len(s.machine.capacity)):
                s.scratch.open_nodes[many, node] = s.scratch.open_nodes[row[k], node]
            end[k] = time
            s.scratch.stretches[0] += 1
            return
