"""The ends of running jobs by their limits, and the room that they make, as a backfill cycle reads them."""

from __future__ import annotations

import numpy as np

from engine.compiler.bits import lowest_bit
from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.node_choice import room_in, room_on
from engine.slurm.scheduler.places import limit_end, take
from engine.slurm.scheduler.state import Ints, SiteEnds, SiteRun

_UNREAD = -1
"""The number of running jobs while their ends are not known."""


def room_for_ends(jobs: int, nodes: int, amounts: int, rows: int) -> SiteEnds:
    """The arrays for so many jobs, nodes, resources, and rows of places."""

    def some(*shape: int) -> Ints:
        return np.empty(shape, np.int64)

    return SiteEnds(
        open=some(nodes),
        many=np.zeros(2, np.int64),
        time=some(jobs),
        offset=np.zeros(jobs + 1, np.int64),
        node=some(rows),
        free=some(rows, amounts),
        given=some(rows),
        of=some(rows),
        before=some(rows),
        latest=some(nodes),
        some=some(jobs + 1, -(-nodes // 64)),
        then=some(nodes, amounts),
        tests=some(jobs + 2),
    )


@inner_kernel
def find_open(s: SiteRun) -> None:
    """Note the nodes on which something is free: in a cycle these only become fewer."""
    e, opened = s.ends, 0
    # A node with nothing free at the start of a cycle can take no job in it: later loops read the open nodes
    # alone.
    for node in range(len(e.latest)):
        any_free = False
        for k in range(s.state.free.shape[1]):
            any_free = any_free or s.state.free[node, k] > 0
        if any_free:
            e.open[opened] = node
            opened += 1
    e.many[0], e.many[1] = opened, _UNREAD


@inner_kernel
def forget_ends(s: SiteRun) -> None:
    """Let the ends be read again where they are needed, as a job has started or others end sooner."""
    s.ends.many[1] = _UNREAD


@inner_kernel
def read_ends(s: SiteRun) -> None:
    """Read the ends of all running jobs, unless they are known."""
    e, p, state = s.ends, s.plans, s.state
    if e.many[1] != _UNREAD:
        return
    nodes, amounts = state.free.shape
    # `then` is what is free after the ends read so far; it begins with what is free now.
    for node in range(nodes):
        e.latest[node] = -1
        for k in range(amounts):
            e.then[node, k] = state.free[node, k]
    for word in range(e.some.shape[1]):
        e.some[0, word] = 0
    for k in range(e.many[0]):
        node = e.open[k]
        e.some[0, node >> 6] |= p.bits[node & 63]
    # Jobs come by their expected ends: each row tells what is free on its node once it and all before it
    # ended.
    at = 0
    for k in range(state.running[0]):
        job = state.line[k]
        # The nodes with anything free after k ends: those before, and those of this job.
        for word in range(e.some.shape[1]):
            e.some[k + 1, word] = e.some[k, word]
        for row in range(state.first[job], state.first[job] + state.places[job]):
            node = state.rows[row, 0]
            was = e.then[node, 0]
            take(s, e.then, state.rows, row, -1)
            e.node[at], e.given[at], e.of[at] = node, e.then[node, 0] - was, k
            # Rows of a node form a list from the last end to the first.
            e.before[at] = e.latest[node]
            e.latest[node] = at
            e.some[k + 1, node >> 6] |= p.bits[node & 63]
            for amount in range(amounts):
                e.free[at, amount] = e.then[node, amount]
            at += 1
        e.time[k] = limit_end(s, job)
        e.offset[k + 1] = at
    e.many[1] = state.running[0]


@inner_kernel
def ended_by(s: SiteRun, time: int) -> int:
    """How many running jobs end by a time."""
    # `time` ascends, as jobs stand in order of their ends by limit.
    low, high, ends = 0, s.ends.many[1], s.ends.time
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] <= time:
            low = middle + 1
        else:
            high = middle
    return int(low)


@inner_kernel
def slot_of(s: SiteRun, group: int) -> int:
    """The row of `SitePlans.at_once` for a group, computed where it is not known."""
    p, e = s.plans, s.ends
    kind = p.kind[group]
    slot = p.slot[kind]
    if slot >= 0:
        return int(slot)
    if p.slots[0] == len(p.kinds):  # begin again: jobs are usually of few kinds
        forget_slots(s)
    slot, zone = p.slots[0], s.jobs.zone[group]
    p.slot[kind], p.kinds[slot] = slot, group
    p.slots[0] += 1
    for k in range(e.many[0]):
        node = e.open[k]
        p.at_once[slot, node] = room_on(s, group, s.state.free, node) if s.machine.zones[zone, node] else 0
    return int(slot)


@inner_kernel
def forget_slots(s: SiteRun) -> None:
    """Forget what kinds of jobs have room for now."""
    p = s.plans
    for slot in range(p.slots[0]):
        p.slot[p.kind[p.kinds[slot]]] = -1
    p.slots[0] = 0


@inner_kernel
def fill_slots(s: SiteRun, rows: int) -> None:
    """Compute again what kinds of jobs have room for on the nodes of the scratch rows, where a job starts."""
    p = s.plans
    # A start changes the room of every known kind, but only on its own nodes.
    for slot in range(p.slots[0]):
        group = p.kinds[slot]
        for index in range(rows):
            node = s.scratch.rows[index, 0]
            if s.machine.zones[s.jobs.zone[group], node]:
                p.at_once[slot, node] = room_on(s, group, s.state.free, node)


@inner_kernel
def has_room(s: SiteRun, group: int, ended: int) -> bool:
    """Whether a group has room on the usable nodes once the first `ended` of the running jobs have ended."""
    e, p = s.ends, s.plans
    left, slot, zone = s.jobs.tasks[group], slot_of(s, group), s.jobs.zone[group]
    for word in range(len(p.usable)):
        remaining = p.usable[word] & e.some[ended, word]
        while remaining != 0:
            bit = lowest_bit(remaining)
            remaining ^= p.bits[bit]
            left -= room_after(s, group, slot, zone, (word << 6) + bit, ended)
            if left <= 0:
                return True
    return bool(left <= 0)


@inner_kernel
def room_after(s: SiteRun, group: int, slot: int, zone: int, node: int, ended: int) -> int:
    """How many tasks of a group fit on a node once the first `ended` of the running jobs have ended."""
    # Back through the ends on this node to the last one among the first `ended`; without one, the node is as
    # it is now.
    row = s.ends.latest[node]
    while row >= 0 and s.ends.of[row] >= ended:
        row = s.ends.before[row]
    if row < 0:
        return int(s.plans.at_once[slot, node])
    return int(room_in(s, group, s.ends.free, row, node)) if s.machine.zones[zone, node] else 0
