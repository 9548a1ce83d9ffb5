"""The choice of nodes for a job: the tightest set of neighbours with enough room, like Slurm's `cons_tres`.

Within a set it takes a single node with enough room, the fullest such node; otherwise nodes in order, each
filled.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.site.state import Ints, Mask, SiteRun

_BEGIN, _END, _HOLDS, _SPENT = 0, 1, 2, 3


@inner_kernel
def room_on(s: SiteRun, group: int, free: Ints, node: int) -> int:
    """The number of tasks of a group that fit on a node, given its free resources, (N, K)."""
    kinds = free.shape[1]
    if s.jobs.exclusive[group]:
        for k in range(kinds):
            if free[node, k] != s.machine.capacity[node, k] or free[node, k] < s.jobs.need[group, k]:
                return 0
        return 1
    room = s.jobs.most[group]
    for k in range(kinds):
        need = s.jobs.need[group, k]
        if need > free[node, k]:  # the usual case on a busy machine, told without a division
            return 0
        if need > 0:
            room = min(room, free[node, k] // need)
    return int(max(room, 0))


@inner_kernel
def room_of(s: SiteRun, group: int, free: Ints, usable: Mask, room: Ints) -> int:
    """The same of all nodes, into `room`, (N,), none on nodes not usable or out of its zone; their sum."""
    zone, total = s.jobs.zone[group], 0
    for node in range(len(s.machine.capacity)):
        room[node] = 0
        if usable[node] and s.machine.zones[zone, node]:
            room[node] = room_on(s, group, free, node)
            total += room[node]
    return total


@inner_kernel
def choose_nodes(s: SiteRun, room: Ints, tasks: int) -> int:
    """Write (node, tasks) rows into `s.scratch.chosen`; returns their number, or -1 if there is no room.

    Sets are unbroken rows of nodes with room, within a block and of equal weight. Of the sets of the least
    weight the smallest that is large enough goes first, otherwise the largest; then further sets.
    """
    sets, chosen = s.scratch.sets, s.scratch.chosen
    many = _make_sets(s, room)
    left, rows = tasks, 0
    while left > 0:
        best = -1
        for k in range(many):
            if not sets[k, _SPENT] and (best < 0 or _better(s, k, best, left)):
                best = k
        if best < 0:
            return -1
        sets[best, _SPENT] = 1
        # The fullest node with enough room leaves larger gaps for wide jobs.
        if sets[best, _HOLDS] >= left:
            alone = -1
            for node in range(sets[best, _BEGIN], sets[best, _END]):
                if room[node] >= left and (alone < 0 or room[node] < room[alone]):
                    alone = node
            if alone >= 0:
                chosen[rows, 0] = alone
                chosen[rows, 1] = left
                return rows + 1
        for node in range(sets[best, _BEGIN], sets[best, _END]):
            if left > 0 and room[node] > 0:
                chosen[rows, 0] = node
                chosen[rows, 1] = min(room[node], left)
                left -= chosen[rows, 1]
                rows += 1
    return rows


@inner_kernel
def _make_sets(s: SiteRun, room: Ints) -> int:
    """Fill `s.scratch.sets`; returns their number. Nodes of a leaf switch form a set."""
    sets, block, weight = s.scratch.sets, s.machine.block, s.machine.weight
    many = 0
    for node in range(len(s.machine.capacity)):
        if room[node] == 0:
            continue
        joined = False
        if many > 0:
            first = sets[many - 1, _BEGIN]
            joined = block[node] == block[first] and weight[node] == weight[first]
            joined = joined and (sets[many - 1, _END] == node or block[node] > 0)
        if not joined:
            sets[many, _BEGIN] = node
            sets[many, _HOLDS] = 0
            sets[many, _SPENT] = 0
            many += 1
        sets[many - 1, _END] = node + 1
        sets[many - 1, _HOLDS] += room[node]
    return many


@inner_kernel
def _better(s: SiteRun, one: int, other: int, tasks: int) -> bool:
    """True if set `one` precedes the `other`, which was found earlier."""
    sets, weight = s.scratch.sets, s.machine.weight
    lighter = weight[sets[one, _BEGIN]] - weight[sets[other, _BEGIN]]
    if lighter != 0:
        return bool(lighter < 0)
    holds, others = sets[one, _HOLDS], sets[other, _HOLDS]
    if holds >= tasks:
        return bool(others < tasks or holds < others)
    return bool(others < tasks and holds > others)
