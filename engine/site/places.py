"""Where jobs run: how they are placed, started and ended, and when running ones would make room."""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import kernel
from engine.site.choose import choose_nodes, room_of, room_on
from engine.site.state import Ints, Mask, SiteJobs, SiteMachine, SiteRules, SiteState

NEVER = 1 << 60


@kernel
def take(jobs: SiteJobs, machine: SiteMachine, free: Ints, row: Ints, sign: int) -> None:
    """Take what a row (node, group, tasks) needs from what is free, or (`sign` -1) give it back."""
    node, group, tasks = row[0], row[1], row[2]
    for k in range(free.shape[1]):
        amount = machine.capacity[node, k] if jobs.exclusive[group] else jobs.need[group, k] * tasks
        free[node, k] -= sign * amount


@kernel
def place(jobs: SiteJobs, machine: SiteMachine, job: int, free: Ints, usable: Mask, out: Ints) -> int:
    """Write where a job's tasks would go; how many rows, or -1. `free` is left as it was."""
    rows = 0
    chosen = np.empty((len(free), 2), np.int64)
    first, last = jobs.offset[job], jobs.offset[job + 1]
    for group in range(first, last):
        room = room_of(jobs, machine, group, free, usable)
        many = choose_nodes(machine, room, jobs.tasks[group], chosen)
        if many < 0 or rows + many > len(out):
            rows = -rows - 1
            break
        for k in range(many):
            out[rows, 0], out[rows, 1], out[rows, 2] = chosen[k, 0], group, chosen[k, 1]
            if last - first > 1:
                take(jobs, machine, free, out[rows], 1)
            rows += 1
    if last - first > 1:
        for k in range(rows if rows >= 0 else -rows - 1):
            take(jobs, machine, free, out[k], -1)
    return max(rows, -1)


@kernel
def start_job(
    jobs: SiteJobs, machine: SiteMachine, state: SiteState, job: int, now: int, out: Ints, rows: int
) -> None:
    """Let a job run from `now` on at the places of `out`; the caller takes it out of the queue."""
    state.start[job] = now
    state.first[job], state.places[job] = state.used[0], rows
    for k in range(rows):
        state.rows[state.used[0]] = out[k]
        state.used[0] += 1
        take(jobs, machine, state.free, out[k], 1)
    _insert_by(state.line, state.running[0], job, state.start, jobs.limit)
    _insert_by(state.ends, state.running[0], job, state.start, jobs.runtime)
    state.running[0] += 1
    state.charged[job] = now


@kernel
def _insert_by(line: Ints, many: int, job: int, start: Ints, length: Ints) -> None:
    """Put a job into a line in order of start + length, behind equal ones."""
    at, end = many, start[job] + length[job]
    while at > 0 and start[line[at - 1]] + length[line[at - 1]] > end:
        line[at] = line[at - 1]
        at -= 1
    line[at] = job


@kernel
def end_job(jobs: SiteJobs, machine: SiteMachine, state: SiteState, until: int) -> int:
    """End the first of the running jobs; its nodes are completing `until` then. Returns the job."""
    job = state.ends[0]
    many = state.running[0]
    for k in range(many - 1):
        state.ends[k] = state.ends[k + 1]
    found = 0
    while state.line[found] != job:
        found += 1
    for k in range(found, many - 1):
        state.line[k] = state.line[k + 1]
    state.running[0] -= 1
    for k in range(state.first[job], state.first[job] + state.places[job]):
        take(jobs, machine, state.free, state.rows[k], -1)
        node = state.rows[k, 0]
        state.completing[node] = max(state.completing[node], until)
    return int(job)


@kernel
def believed_end(jobs: SiteJobs, rules: SiteRules, state: SiteState, job: int, now: int) -> int:
    """When a running job ends by its limit; of one that is past it, when it would be killed."""
    end = state.start[job] + jobs.limit[job]
    if end > now:
        return int(end)
    if rules.over_limit < 0:
        return int(now + 365 * 86_400)
    end += rules.over_limit
    return int(end if end > now else now + rules.kill_wait)


@kernel
def will_run(
    jobs: SiteJobs,
    machine: SiteMachine,
    rules: SiteRules,
    state: SiteState,
    job: int,
    now: int,
    scratch: tuple[Ints, Mask, Ints],
) -> tuple[int, int]:
    """When and where a job could start on the usable nodes if running jobs ended by their limits alone.

    `scratch` are (free, usable nodes, rows to write). Returns the start in s, NEVER where there is no
    room at all, and the number of rows. Ends that are near to each other are tried as one.
    """
    free, usable, out = scratch
    free[:] = state.free
    rows = place(jobs, machine, job, free, usable, out)
    if rows >= 0:
        return now, rows
    group = jobs.offset[job]
    alone = jobs.offset[job + 1] - group == 1
    room = room_of(jobs, machine, group, free, usable)
    total = room.sum()
    zone = machine.zones[jobs.zone[group]]
    many, k = state.running[0], 0
    while k < many:
        first_end, last = NEVER, -1
        while k < many:
            running = state.line[k]
            end = state.start[running] + jobs.limit[running]
            if last >= 0 and end > first_end + rules.end_batch:
                break
            touches = False
            for at in range(state.first[running], state.first[running] + state.places[running]):
                touches = touches or usable[state.rows[at, 0]]
            k += 1
            if not touches:
                continue
            if last < 0:
                first_end = end
            last = running
            for at in range(state.first[running], state.first[running] + state.places[running]):
                take(jobs, machine, free, state.rows[at], -1)
                node = state.rows[at, 0]
                if usable[node] and zone[node]:
                    more = room_on(jobs, machine, group, free, node)
                    total += more - room[node]
                    room[node] = more
        if last < 0:
            break
        if alone and total < jobs.tasks[group]:
            continue
        rows = place(jobs, machine, job, free, usable, out)
        if rows >= 0:
            return believed_end(jobs, rules, state, last, now), rows
    return NEVER, -1


@kernel
def fits_at_all(jobs: SiteJobs, machine: SiteMachine, rules: SiteRules) -> Mask:
    """Whether each job, shape (n,), fits on the empty machine within its partition."""
    fits = np.zeros(len(jobs.submit), np.bool_)
    free = machine.capacity.copy()
    out = np.empty((rules.most_rows, 3), np.int64)
    for job in range(len(fits)):
        fits[job] = place(jobs, machine, job, free, machine.parts[jobs.part[job]], out) >= 0
    return fits
