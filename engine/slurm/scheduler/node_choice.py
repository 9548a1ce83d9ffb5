"""The choice of nodes for a job: the tightest set of neighbours with enough room, like Slurm's `cons_tres`.

Within a set it takes a single node with enough room, the fullest such node; otherwise nodes in order, each
filled.
"""

from __future__ import annotations

from engine.compiler.bits import lowest_bit
from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.state import ANY_NODES, Ints, Mask, SiteRun

_BEGIN, _END, _HOLDS, _HEAP, _NODES = 0, 1, 2, 3, 4


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
    # The nodes with room are also kept as bits, 64 in a word: later loops skip the full nodes of a word at
    # once.
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
def choose_nodes(s: SiteRun, room: Ints, tasks: int, job: int) -> int:
    """Write (node, tasks) rows into `s.scratch.chosen`; returns their number, or -1 if there is no room.

    The rows are of as many nodes as `SiteJobs.nodes` of the job allows; job -1 may have any number of them.
    """
    if job < 0:
        return _choose(s, room, tasks, 1)
    least, wanted, most = s.jobs.nodes[job, 0], s.jobs.nodes[job, 1], s.jobs.nodes[job, 2]
    if wanted <= 1 and most >= ANY_NODES:
        return _choose(s, room, tasks, 1)
    count = min(wanted, tasks, _with_room(s, room))
    if count < min(least, tasks):
        return -1
    rows = _choose(s, room, tasks, max(count, 1))
    if rows > most:  # as slurmctld leaves out nodes with little room then, and tries again
        rows = _choose_largest(s, room, tasks, min(least, tasks), most)
    return rows


@inner_kernel
def different_nodes(s: SiteRun, rows: int) -> int:
    """The number of nodes in the scratch rows."""
    # A job of several groups may have several rows on a node; rows are few, so each looks at those before
    # it.
    count = 0
    for k in range(rows):
        first = True
        for before in range(k):
            first = first and s.scratch.rows[before, 0] != s.scratch.rows[k, 0]
        count += first
    return int(count)


@inner_kernel
def _with_room(s: SiteRun, room: Ints) -> int:
    """The number of nodes with room, of those in `s.plans.roomy`."""
    roomy, count = s.plans.roomy, 0
    for word in range(len(roomy)):
        remaining = roomy[word]
        # Only nodes that had room are read; some may have lost it since.
        while remaining != 0:
            bit = lowest_bit(remaining)
            remaining ^= s.plans.bits[bit]
            count += room[(word << 6) + bit] > 0
    return int(count)


@inner_kernel
def _choose(s: SiteRun, room: Ints, tasks: int, count: int) -> int:
    """Choose `count` nodes or more, of which as many have room.

    Sets are unbroken rows of nodes with room, within a block and of equal weight. Of the sets of the least
    weight the smallest that is large enough goes first, otherwise the largest; then further sets.
    """
    sets, many = s.scratch.sets, _make_sets(s, room)
    left, rows, best, heaped = tasks, 0, -1, count <= 1
    for k in range(many):
        if best < 0 or _better(s, k, best, left, count):
            best = k
    if best < 0 or left <= 0:
        return 0 if left <= 0 else -1
    if not _enough(s, best, left, count):
        # Wide jobs use up most sets, the largest first: a heap tells that without reading all sets each time.
        # Where a number of nodes is wanted the largest set need not be the best: then all sets are read.
        for k in range(many):
            sets[k, _HEAP] = k
        if heaped:
            for k in range(many // 2 - 1, -1, -1):
                _sink(s, k, many)
        at = 0 if heaped else best
        while not _enough(s, best, left, count):
            before = rows
            rows = _fill(s, best, room, rows, left, count)
            for k in range(before, rows):
                left -= s.scratch.chosen[k, 1]
            count -= rows - before
            many -= 1
            if many == 0:
                return -1
            sets[at, _HEAP] = sets[many, _HEAP]
            if heaped:
                _sink(s, 0, many)
            else:
                at = _best_of(s, many, left, count)
            best = sets[at, _HEAP]
        best = sets[_best_of(s, many, left, count), _HEAP]
    # The fullest node with enough room leaves larger gaps for wide jobs.
    alone = -1
    for node in range(sets[best, _BEGIN], sets[best, _END]):
        if count <= 1 and room[node] >= left and (alone < 0 or room[node] < room[alone]):
            alone = node
    if alone >= 0:
        s.scratch.chosen[rows, 0], s.scratch.chosen[rows, 1] = alone, left
        return rows + 1
    return _fill(s, best, room, rows, left, count)


@inner_kernel
def _best_of(s: SiteRun, many: int, left: int, count: int) -> int:
    """The place in the list of sets that are left, in any order, of the best of them."""
    # Sets stand in any order here: of equal ones that which was found first must win.
    sets, at = s.scratch.sets, 0
    for k in range(1, many):
        other, best = sets[k, _HEAP], sets[at, _HEAP]
        better, worse = _better(s, other, best, left, count), _better(s, best, other, left, count)
        if better or (other < best and not worse):
            at = k
    return int(at)


@inner_kernel
def _choose_largest(s: SiteRun, room: Ints, tasks: int, least: int, most: int) -> int:
    """Choose at most `most` nodes, those with the most room; the last is the fullest that suffices."""
    roomy, chosen, left, rows = s.plans.roomy, s.scratch.chosen, tasks, 0
    while left > 0 and rows < most:
        # Further nodes that the job needs at least get a task each.
        part, largest, tightest = left - max(least - rows - 1, 0), -1, -1
        for word in range(len(roomy)):
            remaining = roomy[word]
            while remaining != 0:
                bit = lowest_bit(remaining)
                remaining ^= s.plans.bits[bit]
                node = (word << 6) + bit
                if room[node] <= 0:
                    continue
                # Two candidates: the node with the most room, and the tightest that takes all that is left.
                if largest < 0 or room[node] > room[largest]:
                    largest = node
                if room[node] >= part and (tightest < 0 or room[node] < room[tightest]):
                    tightest = node
        best = tightest if tightest >= 0 else largest
        # Even as many nodes as this one would not be enough.
        if best < 0 or room[best] * (most - rows) < left:
            break
        chosen[rows, 0], chosen[rows, 1] = best, min(room[best], part)
        left -= chosen[rows, 1]
        room[best] = -room[best]  # taken: the sign is undone below
        rows += 1
    for k in range(rows):
        room[chosen[k, 0]] = -room[chosen[k, 0]]
    return int(rows if left == 0 else -1)


@inner_kernel
def _enough(s: SiteRun, chosen_set: int, left: int, count: int) -> bool:
    """Whether a set has room for the tasks that are left, and nodes for the number that is wanted."""
    sets = s.scratch.sets
    return bool(sets[chosen_set, _HOLDS] >= left and sets[chosen_set, _NODES] >= count)


@inner_kernel
def _fill(s: SiteRun, chosen_set: int, room: Ints, rows: int, left: int, count: int) -> int:
    """Fill the nodes of a set in order with `left` tasks, after `rows` rows; returns the number of rows.

    As many tasks are left over as further nodes are needed for `count` nodes in all.
    """
    # `count` is what is left of the nodes that the job wants: each of these must keep a task, so a node is
    # not filled up while they would go empty.
    sets, chosen = s.scratch.sets, s.scratch.chosen
    for node in range(sets[chosen_set, _BEGIN], sets[chosen_set, _END]):
        if left > 0 and room[node] > 0:
            count -= 1
            chosen[rows, 0] = node
            chosen[rows, 1] = min(room[node], left - max(count, 0))
            left -= chosen[rows, 1]
            rows += 1
    return rows


@inner_kernel
def _sink(s: SiteRun, at: int, count: int) -> None:
    """Let an entry of the heap of sets sink: lighter sets are on top, then larger ones, then earlier ones."""
    sets = s.scratch.sets
    while 2 * at + 1 < count:
        child = 2 * at + 1
        # Of both children only the upper one may take the entry's place: it stands above the other, too.
        if child + 1 < count and _above(s, sets[child + 1, _HEAP], sets[child, _HEAP]):
            child += 1
        if not _above(s, sets[child, _HEAP], sets[at, _HEAP]):
            break
        sets[at, _HEAP], sets[child, _HEAP] = sets[child, _HEAP], sets[at, _HEAP]
        at = child


@inner_kernel
def _above(s: SiteRun, first: int, second: int) -> bool:
    # Slurm takes the nodes of the least weight before it looks at how well they fit.
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
    roomy, count = s.plans.roomy, 0
    for word in range(len(roomy)):
        remaining = roomy[word]
        while remaining != 0:
            bit = lowest_bit(remaining)
            remaining ^= s.plans.bits[bit]
            node = (word << 6) + bit
            # The bits may be older than the room.
            if room[node] == 0:
                continue
            # A set goes on while nodes are neighbours, or of one leaf switch, and of one weight.
            joined = False
            if count > 0:
                first = sets[count - 1, _BEGIN]
                joined = block[node] == block[first] and weight[node] == weight[first]
                joined = joined and (sets[count - 1, _END] == node or block[node] > 0)
            if not joined:
                sets[count, _BEGIN] = node
                sets[count, _HOLDS] = sets[count, _NODES] = 0
                count += 1
            sets[count - 1, _END] = node + 1
            sets[count - 1, _HOLDS] += room[node]
            sets[count - 1, _NODES] += 1
    return count


@inner_kernel
def _better(s: SiteRun, first: int, second: int, left: int, count: int) -> bool:
    """True if the `first` set precedes the `second`, which was found earlier."""
    sets, weight = s.scratch.sets, s.machine.weight
    lighter = weight[sets[first, _BEGIN]] - weight[sets[second, _BEGIN]]
    if lighter != 0:
        # The weight decides before any question of size.
        return bool(lighter < 0)
    holds, others = sets[first, _HOLDS], sets[second, _HOLDS]
    # Of sets that suffice the smallest leaves the least over; of sets that do not suffice the largest leaves
    # the fewest tasks for further sets.
    if _enough(s, first, left, count):
        return bool(not _enough(s, second, left, count) or holds < others)
    return bool(not _enough(s, second, left, count) and holds > others)
