"""A pass of Slurm's main scheduler: it starts jobs in order of priority, until one has no room."""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.bounds import held_by, held_on, in_time, shut_closed
from engine.slurm.scheduler.node_choice import room_on
from engine.slurm.scheduler.places import place, start_job
from engine.slurm.scheduler.preempt import preempt
from engine.slurm.scheduler.reason_log import (
    DEPTH,
    MAIN_STARTS,
    PART_DEPTH,
    note_all_behind,
    note_behind,
    note_head,
    note_limit,
    note_not_reached,
    note_not_yet,
    note_passed_over,
    note_short,
)
from engine.slurm.scheduler.state import MAIN, Ints, SiteRun


@inner_kernel
def _may_fit(s: SiteRun, job: int) -> bool:
    """Whether the first group of a job has room on open nodes of its partition, closures apart."""
    group, part = s.jobs.offset[job], s.jobs.part[job]
    left, zone, least = s.jobs.tasks[group], s.jobs.zone[group], s.jobs.need[group, 0]
    for node in range(len(s.scratch.closed)):
        if s.state.free[node, 0] < least or s.scratch.closed[node]:  # so most nodes of a busy machine
            continue
        if s.machine.parts[part, node] and s.machine.zones[zone, node]:
            left -= room_on(s, group, s.state.free, node)
            if left <= 0:
                return True
    return bool(left <= 0)


@inner_kernel
def main_pass(s: SiteRun, now: int, order: Ints, full: bool, in_use: int) -> tuple[bool, bool]:
    """Start jobs in order; the first of a partition that does not fit stops it, and keeps its nodes.

    `in_use` is the number of partitions that jobs ask for. Returns whether any job started, and whether all
    were tried, or were behind a blocked job.
    """
    nodes, whole = len(s.machine.capacity), True
    for part in range(len(s.machine.tier)):
        s.scratch.stopped[part] = False
        s.scratch.of_part[part] = 0
    for node in range(nodes):
        s.scratch.closed[node] = s.state.completing[node] > now
    log = s.notes.log.on
    for node in range(len(s.notes.closer)):
        s.notes.closer[node] = -1
    tested, stopped, started = 0, 0, 0
    for reservation in range(len(s.scratch.full)):
        s.scratch.full[reservation] = False
    for k in range(len(order)):
        job = s.state.queue[order[k]]
        part = s.jobs.part[job]
        inside = s.jobs.inside[job]
        if s.jobs.begin[job] > now or not in_time(s, job, now):
            if log:
                note_not_yet(s, job, now)
            continue
        if s.rules.main_starts and started >= s.rules.main_starts:
            whole = False
            if log:
                note_not_reached(s, now, order, k, MAIN_STARTS)
            break
        # Each job of the partition counts, in passes over all jobs too; what is beyond the partition's depth
        # does not count towards the depth of the pass.
        if s.rules.main_part_depth:
            s.scratch.of_part[part] += 1
            if s.scratch.of_part[part] > s.rules.main_part_depth:
                if log and s.scratch.stopped[part] and inside < 0:
                    note_behind(s, job, now, s.notes.head[part])
                elif log:
                    note_passed_over(s, job, now, PART_DEPTH)
                continue
        # Also jobs that are passed over count towards the depth, and Slurm tests whether it is exceeded.
        if not full and tested > s.rules.main_depth:
            whole = False
            if log:
                note_not_reached(s, now, order, k, DEPTH)
            break
        tested += 1
        if s.scratch.stopped[part] and inside < 0:
            if log:
                note_behind(s, job, now, s.notes.head[part])
            continue
        held = held_by(s, job)
        if held >= 0:
            if log:
                note_limit(s, job, now, held)
            continue
        if inside >= 0 and s.scratch.full[inside]:
            if log:
                note_behind(s, job, now, s.notes.first_inside[inside])
            continue
        rows = -1
        if inside >= 0 or len(s.preemption.kind) or _may_fit(s, job):  # who preempts goes by usable nodes
            for node in range(nodes):
                # Nodes of a reservation are kept for none but its own jobs.
                shut = s.scratch.closed[node] if inside < 0 else s.state.completing[node] > now
                s.scratch.usable[node] = s.machine.parts[part, node] and not shut
            shut_closed(s, job, now)
            rows = place(s, job, s.state.free, s.scratch.usable)
        if rows < 0:
            preempt(s, job, now)
            if log:
                note_short(s, job, now)
            if inside >= 0:
                s.scratch.full[inside] = True
                if log:
                    s.notes.first_inside[inside] = job
                continue
            s.scratch.stopped[part] = True
            stopped += 1
            if log:
                note_head(s, job, now)
            if stopped == in_use and len(s.scratch.full) == 0:
                if log:
                    note_all_behind(s, now, order, k + 1)
                break
            # The blocked job's nodes stay free for it: lower partitions on the same nodes must
            # wait, as in Slurm.
            for node in range(nodes):
                s.scratch.closed[node] = s.scratch.closed[node] or s.machine.parts[part, node]
                if log and s.notes.closer[node] < 0 and s.machine.parts[part, node]:
                    s.notes.closer[node] = job
            continue
        held = held_on(s, job, rows)
        if held >= 0:
            if log:
                note_limit(s, job, now, held)
            continue
        start_job(s, job, now, rows)
        s.state.by[job] = MAIN
        started += 1
    return started > 0, whole
