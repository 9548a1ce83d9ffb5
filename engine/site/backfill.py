"""A cycle of Slurm's backfiller: it plans jobs in the order of priorities, and starts what can start."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import kernel
from engine.site.choose import room_of
from engine.site.places import NEVER, start_job, will_run
from engine.site.state import BACKFILL, Ints, Mask, SiteJobs, SiteMachine, SiteRules, SiteState


class Plans(NamedTuple):
    """What is planned in a cycle: stretches of time, and the nodes that no plan holds in each.

    Nodes of stretch k are row `row[k]`, so that the list can grow in its middle.
    """

    begin: Ints  # (most,) s
    end: Ints  # (most,)
    row: Ints  # (most,)
    open_nodes: Mask  # (most, N)
    stretches: Ints  # (1,)


@kernel
def backfill(
    jobs: SiteJobs, machine: SiteMachine, rules: SiteRules, state: SiteState, now: int, order: Ints
) -> int:
    """Plan the jobs of `order`, indices into the queue; how many were started. They stay in the queue."""
    nodes = len(machine.capacity)
    begin = now // rules.bf_resolution * rules.bf_resolution
    plans = _no_plans(begin, nodes, 2 * min(len(order), rules.bf_tests) + 3)
    usable, free = np.empty(nodes, np.bool_), np.empty_like(state.free)
    out = np.empty((rules.most_rows, 3), np.int64)
    anywhere = np.ones(nodes, np.bool_)
    of_user, of_part = np.zeros(len(state.factor), np.int64), np.zeros(len(machine.parts), np.int64)
    tried = started = 0
    for index in order:
        job = state.queue[index]
        user, part = jobs.user[job], jobs.part[job]
        if rules.bf_user_tests and of_user[user] >= rules.bf_user_tests:
            continue
        if rules.bf_part_tests and of_part[part] >= rules.bf_part_tests:
            continue
        if jobs.begin[job] > now:
            continue
        if tried >= rules.bf_tests:
            break
        tried += 1
        of_user[user] += 1
        of_part[part] += 1
        group = jobs.offset[job]
        most = room_of(jobs, machine, group, machine.capacity, anywhere)  # of the empty machine
        later = now
        while True:
            begins, later = later, _next_end(plans, later)
            _usable(machine, part, plans, begins, jobs.limit[job], usable)
            if (most * usable).sum() < jobs.tasks[group]:
                if later < NEVER:
                    continue
                break
            start, rows = will_run(jobs, machine, rules, state, job, now, (free, usable, out))
            if rows < 0:
                if later < NEVER:
                    continue
                break
            start = max(start, int(begins))
            if start <= now:
                cleaning = False
                for k in range(rows):
                    cleaning = cleaning or state.completing[out[k, 0]] > now
                if cleaning:
                    start, later = now + 1, NEVER
                else:
                    start_job(jobs, machine, state, job, now, out, rows)
                    state.by[job] = BACKFILL
                    started += 1
                    break
            if start > later:
                continue
            first = start // rules.bf_resolution * rules.bf_resolution
            last = (start + jobs.limit[job]) // rules.bf_resolution * rules.bf_resolution
            if start > now + rules.bf_window:
                break
            if _overlaps(plans, first, last, out, rows):
                later = start
                if begins >= later:
                    break
                continue
            state.planned[job] = start
            _hold(plans, first, last, out, rows)
            break
        if rules.bf_starts and started >= rules.bf_starts:
            break
    return started


@kernel
def _no_plans(begin: int, nodes: int, most: int) -> Plans:
    """One stretch from `begin` on, and room for `most`."""
    plans = Plans(
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.ones((most, nodes), np.bool_),
        np.ones(1, np.int64),
    )
    plans.begin[0], plans.end[0] = begin, NEVER
    return plans


@kernel
def _next_end(plans: Plans, time: int) -> int:
    """The end of the stretch that holds `time`: when what is planned changes next; NEVER of the last."""
    for k in range(plans.stretches[0] - 1):
        if plans.end[k] > time:
            return int(plans.end[k])
    return NEVER


@kernel
def _usable(machine: SiteMachine, part: int, plans: Plans, time: int, length: int, usable: Mask) -> None:
    """The nodes of a partition that no plan holds from `time` on, for a job of that length."""
    usable[:] = machine.parts[part]
    for k in range(plans.stretches[0]):
        if plans.end[k] <= time:
            continue
        if plans.begin[k] > time + length:
            break
        usable &= plans.open_nodes[plans.row[k]]


@kernel
def _overlaps(plans: Plans, first: int, last: int, out: Ints, rows: int) -> bool:
    """Whether any of the places of `out` is held at some time from `first` to `last`."""
    for k in range(plans.stretches[0]):
        if plans.end[k] > first and plans.begin[k] < last:
            for index in range(rows):
                if not plans.open_nodes[plans.row[k], out[index, 0]]:
                    return True
    return False


@kernel
def _hold(plans: Plans, first: int, last: int, out: Ints, rows: int) -> None:
    """Hold the nodes of `out` whole from `first` to `last`."""
    first = max(first, int(plans.begin[0]))
    if last <= first:
        return
    for time in (first, last):
        _cut(plans, time)
    for k in range(plans.stretches[0]):
        if plans.begin[k] >= first and plans.end[k] <= last:
            for index in range(rows):
                plans.open_nodes[plans.row[k], out[index, 0]] = False


@kernel
def _cut(plans: Plans, time: int) -> None:
    """Let a stretch begin at `time`."""
    many = plans.stretches[0]
    for k in range(many):
        if plans.begin[k] < time < plans.end[k]:
            for later in range(many, k + 1, -1):
                plans.begin[later], plans.end[later] = plans.begin[later - 1], plans.end[later - 1]
                plans.row[later] = plans.row[later - 1]
            plans.begin[k + 1], plans.end[k + 1], plans.row[k + 1] = time, plans.end[k], many
            plans.open_nodes[many] = plans.open_nodes[plans.row[k]]
            plans.end[k] = time
            plans.stretches[0] += 1
            return
