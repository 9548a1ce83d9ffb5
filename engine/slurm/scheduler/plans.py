"""The plans of a backfill cycle: the nodes that they hold, their times, and what is free beside them.

A set of nodes is a row of words with a bit for each node, so that plans are compared and joined 64 nodes at
a time.
"""

from __future__ import annotations

import numpy as np

from engine.compiler.bits import lowest_bit
from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.ends import ended_by, fill_slots, find_open, forget_ends, forget_slots, read_ends
from engine.slurm.scheduler.places import NEVER
from engine.slurm.scheduler.state import Ints, SiteJobs, SiteMachine, SitePlans, SiteRun

_SLOTS, _SHORTS = 32, 16


def room_for_plans(jobs: SiteJobs, machine: SiteMachine, plans: int) -> SitePlans:
    """The arrays for so many plans at most."""
    nodes = len(machine.capacity)
    # A set of nodes is a row of 64-bit words, bit k of word w for node 64 w + k.
    words = -(-nodes // 64)
    padded = np.zeros((len(machine.parts), words * 64), np.bool_)
    padded[:, :nodes] = machine.parts
    # Groups that ask the same of each node find the same nodes: they share one slot of the cache.
    kind = _kinds_of_groups(jobs)

    def some(*shape: int) -> Ints:
        return np.empty(shape, np.int64)

    return SitePlans(
        first=some(plans),
        last=some(plans),
        row=some(plans),
        whose=some(plans),
        nodes=some(plans, words),
        many=np.zeros(1, np.int64),
        soonest=some(nodes),
        sooner=some(nodes),
        usable=some(words),
        wanted=some(words),
        roomy=some(words),
        parts=np.packbits(padded, axis=1, bitorder="little").view("<i8").astype(np.int64),
        bits=(np.uint64(1) << np.arange(64, dtype=np.uint64)).view(np.int64),
        kind=kind,
        slot=np.full(int(kind.max(initial=-1)) + 1, -1, np.int64),
        kinds=some(_SLOTS),
        slots=np.zeros(1, np.int64),
        at_once=some(_SLOTS, nodes),
        # Each plan has a begin and an end; beside them stand the present and the end of time.
        edge=some(2 * plans + 2),
        beside=some(2 * plans + 2),
        edges=np.zeros(1, np.int64),
        held=some(2 * plans + 2, words),
        held_at=some(2 * plans + 2),
        leaves=np.zeros(2 * plans + 2, np.bool_),
        ends_there=np.zeros(2 * plans + 2, np.int64),
        search=some(plans, 5),
        ruled_out=some(plans),
        job=some(plans),
        searches=np.zeros(1, np.int64),
        short=some(_SHORTS, 4),
        shorts=np.zeros(1, np.int64),
    )


def _kinds_of_groups(jobs: SiteJobs) -> Ints:
    """A number for each group, (groups,), equal for groups whose tasks need the same of the same nodes."""
    kind = np.zeros(len(jobs.tasks), np.int64)
    if len(kind) == 0:
        return kind
    for column in (*jobs.need.T, jobs.most, jobs.zone, jobs.exclusive):
        if (column != column[0]).any():
            _, codes = np.unique(column, return_inverse=True)
            _, kind = np.unique(kind * (int(codes.max()) + 1) + codes, return_inverse=True)
    return kind.astype(np.int64)


@inner_kernel
def clear_plans(s: SiteRun, now: int) -> None:
    """Begin a cycle: no plans but closed nodes, which are plans that no job has."""
    p = s.plans
    p.many[0] = p.searches[0] = p.shorts[0] = 0
    # A new cycle: plans, searches and what nodes had room for are of the last one.
    for node in range(len(p.soonest)):
        p.soonest[node] = NEVER
    find_open(s)
    forget_slots(s)
    if len(s.closures.first):
        read_ends(s)
    total = 0
    for node in range(len(p.soonest)):
        total += s.machine.capacity[node, 0]
    # One interval from now on without end, beside which all of the machine is free.
    p.edge[0], p.edge[1], p.beside[0], p.edges[0], p.held_at[0] = now, NEVER, total, 1, 0
    p.leaves[0] = False
    for word in range(len(p.wanted)):
        p.held[0, word] = 0
    # Reservations and nodes that are away are the first plans, whatever jobs do.
    closures = s.closures
    for at in range(len(closures.first)):
        first, last = closures.first[at], closures.last[at]
        for word in range(len(p.wanted)):
            p.nodes[at, word] = p.wanted[word] = 0
        for k in range(closures.offset[at], closures.offset[at + 1]):
            node = closures.nodes[k]
            word, bit = node >> 6, p.bits[node & 63]
            p.nodes[at, word] |= bit
            # What is free beside the plans lacks each node once at most.
            if not _is_held(s, node):
                p.wanted[word] |= bit
            if last > now and first < p.soonest[node]:
                p.soonest[node], p.sooner[node] = first, at
        _insert(s, first, last, now)
        _take_beside(s, first, last, now)


@inner_kernel
def _is_held(s: SiteRun, node: int) -> bool:
    """Whether any plan holds a node at any time."""
    p, held = s.plans, 0
    for at in range(p.many[0]):
        held |= p.nodes[at, node >> 6]
    return bool(held & p.bits[node & 63])


@inner_kernel
def use(s: SiteRun, job: int, time: int) -> None:
    """Write the nodes that no plan holds while a job would run from a time on into `usable`."""
    p, usable, part = s.plans, s.plans.usable, s.jobs.part[job]
    until, inside = time + s.jobs.limit[job], s.jobs.inside[job]
    for word in range(len(usable)):
        usable[word] = 0
    # Plans are summed up by intervals: so a few words are read instead of all plans.
    if inside < 0:
        at = interval(s, time)
        while at < p.edges[0] and p.edge[at] <= until:
            row = p.held_at[at]
            for word in range(len(usable)):
                usable[word] |= p.held[row, word]
            at += 1
    else:  # nodes of its own reservation are not held for it
        for at in range(p.many[0]):
            # Plans stand in order of their begins.
            if p.first[at] > until:
                break
            row = p.row[at]
            if p.last[at] > time and row != inside:
                for word in range(len(usable)):
                    usable[word] |= p.nodes[row, word]
    for word in range(len(usable)):
        usable[word] = p.parts[part, word] & ~usable[word]


@inner_kernel
def next_gain(s: SiteRun, job: int, time: int, at: int) -> tuple[int, int]:
    """The first time after `time`, in interval `at`, at which a plan leaves nodes that the job may use.

    Also returns the interval that begins then. NEVER without such a time: slurmctld looks as far as the first
    interval that begins after the job would have ended.
    """
    p, part, inside = s.plans, s.jobs.part[job], s.jobs.inside[job]
    until = time + s.jobs.limit[job]
    while at + 1 < p.edges[0]:
        gained, before, after = 0, p.held_at[at], p.held_at[at + 1]
        # Where no plan ends at an edge, no node is gained there.
        if not p.leaves[at + 1] and inside < 0:
            pass
        elif inside < 0:
            for word in range(len(p.usable)):
                # Held before the edge and not after it, on nodes of the job's partition.
                gained |= p.held[before, word] & ~p.held[after, word] & p.parts[part, word]
        else:
            gained = _gained_inside(s, job, p.edge[at + 1])
        if gained != 0:
            return int(p.edge[at + 1]), at + 1
        if p.edge[at] > until:
            break
        at += 1
    return NEVER, at


@inner_kernel
def _gained_inside(s: SiteRun, job: int, time: int) -> int:
    """Whether plans leave nodes of a job's own reservation at a time: their bits, those of all words in one.

    The reservation is a plan too, in the row `inside`: it holds its nodes for all but its own jobs.
    """
    p, gained, inside = s.plans, 0, s.jobs.inside[job]
    for word in range(len(p.usable)):
        freed, held = 0, 0
        for plan in range(p.many[0]):
            row = p.row[plan]
            if row != inside and p.last[plan] == time:
                freed |= p.nodes[row, word]
            if row != inside and p.first[plan] <= time < p.last[plan]:
                held |= p.nodes[row, word]
        # What one plan leaves another may hold from then on.
        gained |= freed & ~held & p.parts[s.jobs.part[job], word] & p.nodes[inside, word]
    return int(gained)


@inner_kernel
def blocked_until(s: SiteRun, job: int, time: int, at: int, block: int) -> tuple[int, int]:
    """The time by which a job that is tried at `time` surely has no room, and the next interval to look at.

    It uses nodes that no plan holds in any of the intervals within its limit: beside the plans of each, as
    much must be free by its end as the job needs. Intervals before `at` were looked at and gave `block`.
    """
    p, group, until = s.plans, s.jobs.offset[job], time + s.jobs.limit[job]
    least = s.jobs.tasks[group] * s.jobs.need[group, 0]
    if s.jobs.inside[job] >= 0:
        return block, at  # it may use nodes that a plan holds: those of its reservation
    while at < p.edges[0] and p.edge[at] <= until:
        if p.beside[at] < least:
            block = max(block, p.edge[at + 1])
        at += 1
    return int(block), int(at)


@inner_kernel
def interval(s: SiteRun, time: int) -> int:
    """The number of the last edge up to a time."""
    p, low, high = s.plans, 0, s.plans.edges[0]
    # The first edge is never after the time, so that the low end always holds.
    while high - low > 1:
        middle = (low + high) >> 1
        if p.edge[middle] <= time:
            low = middle
        else:
            high = middle
    return int(low)


@inner_kernel
def overlaps(s: SiteRun, first: int, last: int, rows: int, inside: int) -> bool:
    """Whether a plan other than `inside` holds any node of the scratch rows from `first` to `last`."""
    p = s.plans
    _want(s, rows)
    if inside < 0 and first >= p.edge[0]:  # the begin is rounded: a closure before now may be in the way
        at = interval(s, first)
        while at < p.edges[0] and p.edge[at] < last:
            shared, row = 0, p.held_at[at]
            for word in range(len(p.wanted)):
                shared |= p.held[row, word] & p.wanted[word]
            if shared != 0:
                return True
            at += 1
        return False
    # A job of a reservation looks at single plans, as that of its own reservation does not count.
    for at in range(p.many[0]):
        if p.first[at] >= last:
            break
        if p.last[at] <= first or p.row[at] == inside:
            continue
        shared, row = 0, p.row[at]
        for word in range(len(p.wanted)):
            shared |= p.nodes[row, word] & p.wanted[word]
        if shared != 0:
            return True
    return False


@inner_kernel
def _want(s: SiteRun, rows: int) -> None:
    """Write the nodes of the scratch rows into `wanted`."""
    p = s.plans
    # 64 nodes in a word: overlaps with plans are then found by a few operations on bits.
    for word in range(len(p.wanted)):
        p.wanted[word] = 0
    for index in range(rows):
        node = s.scratch.rows[index, 0]
        p.wanted[node >> 6] |= p.bits[node & 63]


@inner_kernel
def hold(s: SiteRun, job: int, first: int, last: int, rows: int, now: int) -> None:
    """Add the plan of a job: whole nodes from `first` to `last`, those in `rows` rows of `scratch.rows`."""
    p = s.plans
    first = max(first, rounded(s, now))  # plans begin at a multiple of the resolution
    _want(s, rows)
    for word in range(len(p.wanted)):
        p.nodes[p.many[0], word] = p.wanted[word]
    # Jobs that start now stay off a node whose soonest plan begins before their end.
    for index in range(rows):
        node = s.scratch.rows[index, 0]
        if last > now and first < p.soonest[node]:
            p.soonest[node], p.sooner[node] = first, p.many[0]
    p.whose[p.many[0]] = job
    _insert(s, first, last, now)
    if s.jobs.inside[job] < 0:  # nodes of reservations are taken already
        _take_beside(s, first, last, now)


@inner_kernel
def rounded(s: SiteRun, time: int) -> int:
    """A time rounded down to the resolution of plans, counted from 1970."""
    return int(time - (time + s.rules.clock) % s.rules.bf_resolution)


@inner_kernel
def _insert(s: SiteRun, first: int, last: int, now: int) -> None:
    """Insert the plan of the next row of `nodes` by its begin, and let it hold its nodes."""
    p, plan = s.plans, s.plans.many[0]
    # Edges at both ends: in between every interval holds the nodes of the plan.
    _add_edge(s, first)
    _add_edge(s, last)
    at, lost = interval(s, first), False
    while at < p.edges[0] and p.edge[at] < last:
        row = p.held_at[at]
        if at > 0 and p.leaves[at] and not lost:
            for word in range(len(p.wanted)):
                left = p.held[p.held_at[at - 1], word] & ~p.held[row, word]
                lost = lost or left & p.nodes[plan, word] != 0
            if lost:  # searches went on at this edge as it left nodes: they tell no more of later starts
                for search in range(p.searches[0]):
                    p.ruled_out[search] = min(p.ruled_out[search], p.edge[at])
        for word in range(len(p.wanted)):
            p.held[row, word] |= p.nodes[plan, word]
        at += 1
    _note_leaves(s, first, last)
    # Plans stay in order of their begins.
    at = plan
    while at > 0 and p.first[at - 1] > first:
        p.first[at], p.last[at], p.row[at] = p.first[at - 1], p.last[at - 1], p.row[at - 1]
        at -= 1
    p.first[at], p.last[at], p.row[at] = first, last, plan
    p.many[0] += 1


@inner_kernel
def _note_leaves(s: SiteRun, first: int, last: int) -> None:
    """Note which edges from `first` to `last` leave any node that a plan held until then."""
    p = s.plans
    at = max(interval(s, first), 1)
    while at < p.edges[0] and p.edge[at] <= last:
        # A search need only go on at edges at which a node becomes free.
        left, before, after = 0, p.held_at[at - 1], p.held_at[at]
        for word in range(len(p.wanted)):
            left |= p.held[before, word] & ~p.held[after, word]
        p.leaves[at] = left != 0
        at += 1


@inner_kernel
def _take_beside(s: SiteRun, first: int, last: int, now: int) -> None:
    """Take what is free on the wanted nodes from what is free beside the plans, from `first` to `last`."""
    p, e = s.plans, s.ends
    if last <= max(first, now):
        return
    # What the plan takes from the sum of free processors, interval by interval.
    begin, held = interval(s, max(first, now)), 0
    for word in range(len(p.wanted)):
        remaining = p.wanted[word]
        while remaining != 0:
            bit = lowest_bit(remaining)
            remaining ^= p.bits[bit]
            node = (word << 6) + bit
            # What it has free now, and what jobs that end by then give back, is no longer beside the plans.
            held += s.state.free[node, 0]
            row = e.latest[node]
            while row >= 0:
                end = e.time[e.of[row]]
                if end <= p.edge[begin + 1]:
                    held += e.given[row]
                elif end <= last:
                    p.ends_there[interval(s, end - 1)] += e.given[row]
                row = e.before[row]
    at = begin
    while at < p.edges[0] and p.edge[at] < last:
        held += p.ends_there[at]
        p.ends_there[at] = 0
        p.beside[at] -= held
        at += 1


@inner_kernel
def _add_edge(s: SiteRun, time: int) -> None:
    """Split the interval around a time: less is free by then than by its end."""
    p, e = s.plans, s.ends
    if time <= p.edge[0]:
        return
    # The interval in which the time lies is parted; rows behind move up.
    at = interval(s, time)
    if p.edge[at] == time:
        return
    for k in range(p.edges[0], at, -1):
        p.edge[k + 1] = p.edge[k]
    for k in range(p.edges[0], at, -1):
        p.beside[k] = p.beside[k - 1]
    for k in range(p.edges[0], at, -1):
        p.held_at[k] = p.held_at[k - 1]
    for k in range(p.edges[0], at, -1):
        p.leaves[k] = p.leaves[k - 1]
    p.leaves[at + 1] = False
    p.edge[at + 1], p.held_at[at + 1] = time, p.edges[0]
    # Both halves hold the same nodes until a plan takes more in one of them.
    held, further = p.held_at[at], p.edges[0]
    for word in range(p.held.shape[1]):
        p.held[further, word] = p.held[held, word]
    p.edges[0] += 1
    # What ends within the second half is not free in the first one.
    k, freed = ended_by(s, time), 0
    while k < e.many[1] and e.time[k] <= p.edge[at + 2]:
        for row in range(e.offset[k], e.offset[k + 1]):
            node = e.node[row]
            if not p.held[held, node >> 6] & p.bits[node & 63]:
                freed += e.given[row]
        k += 1
    p.beside[at] -= freed


@inner_kernel
def start_beside(s: SiteRun, job: int, rows: int, now: int) -> None:
    """Take what a job that starts now takes from what is free now, and from what is free beside the plans."""
    p, taken = s.plans, 0
    fill_slots(s, rows)
    forget_ends(s)
    if s.jobs.inside[job] >= 0:  # nodes of reservations are taken already
        return
    for index in range(rows):
        node, group = s.scratch.rows[index, 0], s.scratch.rows[index, 1]
        whole = s.machine.capacity[node, 0]
        taken += whole if s.jobs.exclusive[group] else s.jobs.need[group, 0] * s.scratch.rows[index, 2]
    for at in range(p.edges[0]):
        if p.edge[at + 1] >= now + s.jobs.limit[job]:
            break
        p.beside[at] -= taken


@inner_kernel
def forget_beside(s: SiteRun) -> None:
    """As running jobs end sooner, no limit is known any more of what is free beside the plans."""
    forget_ends(s)
    for at in range(s.plans.edges[0]):
        s.plans.beside[at] = NEVER
