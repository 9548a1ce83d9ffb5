"""The choice of nodes for a job: the tightest set of neighbours with enough room, like Slurm's `cons_tres`.

Within a set it takes a single node with enough room, the fullest such node; otherwise nodes in order, each
filled.
"""

from __future__ import annotations

from engine.compiler.bits import lowest_bit
from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.state import Ints, Mask, SiteRun

_BEGIN, _END, _HOLDS, _HEAP = 0, 1, 2, 3


@inner_kernel
def room_on(s: SiteRun, group: int, free: Ints, node: int) -> int:
    """The number of tasks of a group that fit on a node, given its free resources, (N, K)."""
    return room_in(s, group, free, node, node)


@inner_kernel
def room_in(s: SiteRun, group: int, free: Ints, row: int, node: int) -> int:
    """The number of tasks of a group that fit on a node with these free resources, a row of (rows, K)."""
    kinds = free.shape[1]
    if s.jobs.exclusive[group]:
        for k in range(kinds):
            if free[row, k] != s.machine.capacity[node, k] or free[row, k] < s.jobs.need[group, k]:
                return 0
        return 1
    room = s.jobs.most[group]
    for k in range(kinds):
        need = s.jobs.need[group, k]
        if need > free[row, k]:  # the usual case on a busy machine, told without a division
            return 0
        if need == 1:  # the usual need of CPUs
            room = min(room, free[row, k])
        elif need > 0:
            room = min(room, free[row, k] // need)
    return int(max(room, 0))


@inner_kernel
def room_of(s: SiteRun, group: int, free: Ints, usable: Mask, room: Ints) -> int:
    """The same of all nodes, into `room`, (N,), none on nodes not usable or out of its zone; their sum.

    The nodes with room are in `s.plans.roomy`, too.
    """
    zone, total, roomy = s.jobs.zone[group], 0, s.plans.roomy
    for word in range(len(roomy)):
        roomy[word] = 0
    for node in range(len(s.machine.capacity)):
        room[node] = 0
        if usable[node] and s.machine.zones[zone, node]:
            room[node] = room_on(s, group, free, node)
            total += room[node]
            if room[node] > 0:
                roomy[node >> 6] |= s.plans.bits[node & 63]
    return total


@inner_kernel
def choose_nodes(s: SiteRun, room: Ints, tasks: int) -> int:
    """Write (node, tasks) rows into `s.scratch.chosen`; returns their number, or -1 if there is no room.

    Sets are unbroken rows of nodes with room, within a block and of equal weight. Of the sets of the least
    weight the smallest that is large enough goes first, otherwise the largest; then further sets.
    """
    sets, many = s.scratch.sets, _make_sets(s, room)
    left, rows, best = tasks, 0, -1
    for k in range(many):
        if best < 0 or _better(s, k, best, left):
            best = k
    if best < 0 or left <= 0:
        return 0 if left <= 0 else -1
    if sets[best, _HOLDS] < left:
        # Wide jobs use up most sets, the largest first: a heap tells that without reading all sets each time.
        for k in range(many):
            sets[k, _HEAP] = k
        for k in range(many // 2 - 1, -1, -1):
            _sink(s, k, many)
        while sets[best, _HOLDS] < left:
            before = rows
            rows = _fill(s, best, room, rows, left)
            for k in range(before, rows):
                left -= s.scratch.chosen[k, 1]
            many -= 1
            if many == 0:
                return -1
            sets[0, _HEAP] = sets[many, _HEAP]
            _sink(s, 0, many)
            best = sets[0, _HEAP]
        for k in range(many):
            other = sets[k, _HEAP]
            better, worse = _better(s, other, best, left), _better(s, best, other, left)
            if better or (other < best and not worse):
                best = other
    # The fullest node with enough room leaves larger gaps for wide jobs.
    alone = -1
    for node in range(sets[best, _BEGIN], sets[best, _END]):
        if room[node] >= left and (alone < 0 or room[node] < room[alone]):
            alone = node
    if alone >= 0:
        s.scratch.chosen[rows, 0], s.scratch.chosen[rows, 1] = alone, left
        return rows + 1
    return _fill(s, best, room, rows, left)


@inner_kernel
def _fill(s: SiteRun, chosen_set: int, room: Ints, rows: int, left: int) -> int:
    """Fill the nodes of a set in order with `left` tasks, after `rows` rows; returns the number of rows."""
    sets, chosen = s.scratch.sets, s.scratch.chosen
    for node in range(sets[chosen_set, _BEGIN], sets[chosen_set, _END]):
        if left > 0 and room[node] > 0:
            chosen[rows, 0] = node
            chosen[rows, 1] = min(room[node], left)
            left -= chosen[rows, 1]
            rows += 1
    return rows


@inner_kernel
def _sink(s: SiteRun, at: int, many: int) -> None:
    """Let an entry of the heap of sets sink: lighter sets are on top, then larger ones, then earlier ones."""
    sets = s.scratch.sets
    while 2 * at + 1 < many:
        child = 2 * at + 1
        if child + 1 < many and _above(s, sets[child + 1, _HEAP], sets[child, _HEAP]):
            child += 1
        if not _above(s, sets[child, _HEAP], sets[at, _HEAP]):
            break
        sets[at, _HEAP], sets[child, _HEAP] = sets[child, _HEAP], sets[at, _HEAP]
        at = child


@inner_kernel
def _above(s: SiteRun, first: int, second: int) -> bool:
    sets, weight = s.scratch.sets, s.machine.weight
    lighter = weight[sets[first, _BEGIN]] - weight[sets[second, _BEGIN]]
    if lighter != 0:
        return bool(lighter < 0)
    holds, others = sets[first, _HOLDS], sets[second, _HOLDS]
    return bool(holds > others or (holds == others and first < second))


@inner_kernel
def _make_sets(s: SiteRun, room: Ints) -> int:
    """Fill `s.scratch.sets` from the nodes of `s.plans.roomy`; returns their number.

    Nodes of a leaf switch form a set.
    """
    sets, block, weight = s.scratch.sets, s.machine.block, s.machine.weight
    roomy, many = s.plans.roomy, 0
    for word in range(len(roomy)):
        some = roomy[word]
        while some != 0:
            bit = lowest_bit(some)
            some ^= s.plans.bits[bit]
            node = (word << 6) + bit
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
                many += 1
            sets[many - 1, _END] = node + 1
            sets[many - 1, _HOLDS] += room[node]
    return many


@inner_kernel
def _better(s: SiteRun, first: int, second: int, tasks: int) -> bool:
    """True if the `first` set precedes the `second`, which was found earlier."""
    sets, weight = s.scratch.sets, s.machine.weight
    lighter = weight[sets[first, _BEGIN]] - weight[sets[second, _BEGIN]]
    if lighter != 0:
        return bool(lighter < 0)
    holds, others = sets[first, _HOLDS], sets[second, _HOLDS]
    if holds >= tasks:
        return bool(others < tasks or holds < others)
    return bool(others < tasks and holds > others)
