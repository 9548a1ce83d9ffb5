"""The plans of a backfill cycle: the nodes that they hold, and their times."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel, kernel
from engine.site.places import NEVER
from engine.site.state import Ints, Mask, SiteRun

EMPTY, READY = 0, 1
"""Indices into `Plans.room`."""


class Plans(NamedTuple):
    """The plans of a cycle, at most P, and derived arrays; times are in ticks.

    Between two jobs the arrays over nodes have neutral values. A search restores these for the nodes
    that it changed only, since most jobs involve few nodes.
    """

    first: Ints  # (P,) when each begins
    last: Ints  # (P,) when each ends
    offset: Ints  # (P + 1,) plan p holds `nodes[offset[p]:offset[p + 1]]`
    nodes: Ints  # (rows,) nodes of the plans
    by_first: Ints  # (P,) the plans by their begins
    by_last: Ints  # (P,) the plans by their ends
    many: Ints  # (1,) number of plans
    soonest: Ints  # (N,) the first begin of a plan that holds a node now or later; NEVER without one
    held: Ints  # (N,) how many plans in the window of the job that is planned hold a node
    chosen: Mask  # (N,) the nodes that a plan in the making wants
    open: Ints  # the nodes on which something is free as the cycle begins
    free: Ints  # (N, K) what is free once running jobs have ended up to the time that is tried
    ready: Ints  # (N,) tasks of the job that is planned that this has room for; 0 between jobs
    at_once: Ints  # (open,) tasks of it that open nodes have room for now
    of_kind: Ints  # (kinds,) tasks of it that an empty node of each kind has room for
    room: Ints  # (2,) tasks that usable nodes have room for: empty, and with what is free then
    part: Ints  # (1,) the partition whose nodes are marked as usable, -1 before the first
    job: Ints  # (P,) the job of each search
    ruled_out: Ints  # (P,) the time before which no plan for it was possible
    searches: Ints  # (1,) number of searches so far


@kernel
def no_plans(s: SiteRun, jobs: Ints) -> Plans:
    """An empty set of plans, with room for those of these jobs."""
    nodes, kinds = s.state.free.shape
    room, most = len(jobs) + len(s.closures.first), len(s.closures.nodes)
    for k in range(len(jobs)):
        rows = 0
        for group in range(s.jobs.offset[jobs[k]], s.jobs.offset[jobs[k] + 1]):
            rows += min(s.jobs.tasks[group], nodes)
        most += min(rows, s.rules.most_rows)
    some, opened = np.empty(nodes, np.int64), 0
    for node in range(nodes):
        any_free = False
        for k in range(kinds):
            any_free = any_free or s.state.free[node, k] > 0
            s.scratch.free[node, k] = s.state.free[node, k]
        s.scratch.ahead[node] = 0
        if any_free:
            some[opened] = node
            opened += 1
    return Plans(
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.zeros(room + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.zeros(1, np.int64),
        np.full(nodes, NEVER, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.bool_),
        some[:opened],
        s.scratch.free.copy(),
        np.zeros(nodes, np.int64),
        np.empty(opened, np.int64),
        np.empty(len(s.scratch.kinds), np.int64),
        np.zeros(2, np.int64),
        np.full(1, -1, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.zeros(1, np.int64),
    )


@inner_kernel
def close(s: SiteRun, plans: Plans, plan: int) -> None:
    """Make the nodes of a plan unusable."""
    for k in range(plans.offset[plan], plans.offset[plan + 1]):
        node = plans.nodes[k]
        if s.scratch.usable[node]:
            s.scratch.usable[node] = False
            plans.room[EMPTY] -= plans.of_kind[s.scratch.like[node]]
            plans.room[READY] -= plans.ready[node]
        plans.held[node] += 1


@inner_kernel
def reopen(s: SiteRun, plans: Plans, plan: int, job: int) -> None:
    """Make the nodes of a plan usable again, if no other plan holds them."""
    part = s.jobs.part[job]
    for k in range(plans.offset[plan], plans.offset[plan + 1]):
        node = plans.nodes[k]
        plans.held[node] -= 1
        if plans.held[node] == 0 and s.machine.parts[part, node]:
            s.scratch.usable[node] = True
            plans.room[EMPTY] += plans.of_kind[s.scratch.like[node]]
            plans.room[READY] += plans.ready[node]


@inner_kernel
def overlaps(s: SiteRun, plans: Plans, first: int, last: int, rows: int, inside: int) -> bool:
    """Whether any of the places of the scratch rows is held from `first` to `last` but by plan `inside`."""
    for index in range(rows):
        plans.chosen[s.scratch.rows[index, 0]] = True
    found = False
    for at in range(plans.many[0]):
        plan = plans.by_first[at]
        if found or plans.first[plan] >= last:
            break
        if plans.last[plan] > first and plan != inside:
            for k in range(plans.offset[plan], plans.offset[plan + 1]):
                found = found or plans.chosen[plans.nodes[k]]
    for index in range(rows):
        plans.chosen[s.scratch.rows[index, 0]] = False
    return found


@inner_kernel
def hold_closed(s: SiteRun, plans: Plans, now: int) -> None:
    """Hold closed nodes, as plans that no job has."""
    closures = s.closures
    for at in range(len(closures.first)):
        plan = plans.many[0]
        plans.first[plan], plans.last[plan] = closures.first[at], closures.last[at]
        place = plans.offset[plan]
        for k in range(closures.offset[at], closures.offset[at + 1]):
            node = closures.nodes[k]
            plans.nodes[place] = node
            place += 1
            if closures.last[at] > now:
                plans.soonest[node] = min(plans.soonest[node], closures.first[at])
        plans.offset[plan + 1] = place
        _insert(plans.by_first, plan, plans.first)
        _insert(plans.by_last, plan, plans.last)
        plans.many[0] += 1


@inner_kernel
def hold(s: SiteRun, plans: Plans, first: int, last: int, rows: int, now: int) -> None:
    """Add a plan that holds the nodes of the scratch rows entirely from `first` to `last`."""
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
    """Insert the newest plan into a list in order of time."""
    at = plan
    while at > 0 and time[line[at - 1]] > time[plan]:
        line[at] = line[at - 1]
        at -= 1
    line[at] = plan
