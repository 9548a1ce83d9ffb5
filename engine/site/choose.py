"""Which nodes a job gets: the tightest set of neighbours that holds it, as Slurm's `cons_tres` chooses.

Within a set a single node that holds all is taken, the fullest such; else nodes in their order, each filled.
"""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import kernel
from engine.site.state import Ints, Mask, SiteJobs, SiteMachine


@kernel
def room_on(jobs: SiteJobs, machine: SiteMachine, group: int, free: Ints, node: int) -> int:
    """How many tasks of a group a node has room for, given what is free, (N, K)."""
    if jobs.exclusive[group]:
        for k in range(free.shape[1]):
            if free[node, k] != machine.capacity[node, k] or free[node, k] < jobs.need[group, k]:
                return 0
        return 1
    room = jobs.most[group]
    for k in range(free.shape[1]):
        if jobs.need[group, k] > 0:
            room = min(room, free[node, k] // jobs.need[group, k])
    return max(int(room), 0)


@kernel
def room_of(jobs: SiteJobs, machine: SiteMachine, group: int, free: Ints, usable: Mask) -> Ints:
    """The same of all nodes, shape (N,); none on nodes that are not usable or not of the group's zone."""
    room = np.zeros(len(free), np.int64)
    zone = machine.zones[jobs.zone[group]]
    for node in range(len(free)):
        if usable[node] and zone[node]:
            room[node] = room_on(jobs, machine, group, free, node)
    return room


@kernel
def choose_nodes(machine: SiteMachine, room: Ints, tasks: int, chosen: Ints) -> int:
    """Write (node, tasks) rows into `chosen`, (N, 2); how many there are, or -1 where there is no room.

    Sets are unbroken rows of nodes with room, of one block and one weight. Of those of the least weight the
    smallest that is large enough goes first, else the largest; then further ones.
    """
    nodes = len(room)
    begin, end, many = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), 0
    holds, spent = np.zeros(nodes, np.int64), np.zeros(nodes, np.bool_)
    for node in range(nodes):
        if room[node] == 0:
            continue
        joined = many > 0 and machine.block[node] == machine.block[begin[many - 1]]
        joined = joined and machine.weight[node] == machine.weight[begin[many - 1]]
        if not (joined and (end[many - 1] == node or machine.block[node] > 0)):
            begin[many], many = node, many + 1
        end[many - 1] = node + 1
        holds[many - 1] += room[node]
    left, rows = tasks, 0
    while left > 0:
        best = -1
        for k in range(many):
            if not spent[k] and (best < 0 or _better(machine, begin, holds, k, best, left)):
                best = k
        if best < 0:
            return -1
        spent[best] = True
        if holds[best] >= left:
            alone = -1
            for node in range(begin[best], end[best]):
                if room[node] >= left and (alone < 0 or room[node] < room[alone]):
                    alone = node
            if alone >= 0:
                chosen[rows, 0], chosen[rows, 1] = alone, left
                return rows + 1
        for node in range(begin[best], end[best]):
            if left > 0 and room[node] > 0:
                chosen[rows, 0], chosen[rows, 1] = node, min(room[node], left)
                left -= chosen[rows, 1]
                rows += 1
    return rows


@kernel
def _better(machine: SiteMachine, begin: Ints, holds: Ints, one: int, other: int, tasks: int) -> bool:
    """Whether set `one` goes before the `other`, which comes before it."""
    lighter = machine.weight[begin[one]] - machine.weight[begin[other]]
    if lighter != 0:
        return bool(lighter < 0)
    if holds[one] >= tasks:
        return bool(holds[other] < tasks or holds[one] < holds[other])
    return bool(holds[other] < tasks and holds[one] > holds[other])
