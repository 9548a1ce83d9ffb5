"""Placement of a job's tasks on nodes: first fit, best fit, worst fit, contiguous, or reliable first."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.compiler.bits import bit_of
from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.simulation.workload import Ints, Workload

PLACEMENTS = ("first", "best", "worst", "contiguous", "reliable")
FIRST, BEST, WORST, CONTIGUOUS, RELIABLE = range(5)

NODE, NODES, AMOUNTS = range(3)
"""Columns of a row of a table of pieces. All nodes of a row are in one word of 64 nodes and take the same:
NODE is the first of them, NODES has a bit for each, from the first node of the word on, and from AMOUNTS on
stand the amounts on each node."""

SEARCHED = 4_000
"""The most looks at a node in a search for the places of a job of several groups."""

_ROWS_AT_ONCE = 1 << 14
"""Rows of pieces whose bits are looked through at once, in 64 bytes each."""


class Draft(NamedTuple):
    """Where the job placed last would run: `size[0]` pieces, each some tasks of a group on nodes of a word.

    The pieces that `place` makes are of one node each.
    """

    node: Ints  # (room,) first node of each piece
    bits: Ints  # (room,) the nodes of each piece, as in column NODES
    group: Ints  # (room,) group of tasks of each piece
    tasks: Ints  # (room,) number of tasks on each of its nodes
    size: Ints  # (1,) number of pieces
    taken: Ints  # (nodes, K) amounts that the pieces take so far; all 0 between placements
    visited: Ints  # (nodes,) scratch: the last visit that placed tasks on the node
    visit: Ints  # (1,) number of the visit: one for each group that is placed by free CPUs
    order: Ints  # (nodes,) nodes in the order in which RELIABLE visits them; by number until any has failed


def make_draft(work: Workload) -> Draft:
    """An empty draft with room for the job of the workload that can spread over most nodes."""
    pieces = np.minimum(work.group_tasks, len(work.capacity))
    most = int(np.diff(np.concatenate(([0], np.cumsum(pieces)))[work.group_offset]).max(initial=1))
    return _draft(most, *work.capacity.shape)


def nodes_of(pieces: Ints) -> tuple[Ints, Ints]:
    """All nodes of rows of pieces, one row's after the other's: the row and the number of each."""
    rows, nodes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for first in range(0, len(pieces), _ROWS_AT_ONCE):
        part = pieces[first : first + _ROWS_AT_ONCE]
        octets = np.ascontiguousarray(part[:, NODES]).astype("<i8").view(np.uint8).reshape(-1, 8)
        row, bit = np.nonzero(np.unpackbits(octets, axis=1, bitorder="little"))
        rows.append(row + first)
        nodes.append((part[:, NODE] & ~63)[row] + bit)
    return np.concatenate(rows), np.concatenate(nodes)


@cache
def no_draft(kinds: int) -> Draft:
    """The draft of a pool, where nothing is placed; all simulations share it."""
    return unchanging(_draft(0, 1, kinds))


def _draft(most: int, nodes: int, kinds: int) -> Draft:
    """An empty draft with room for `most` pieces."""
    node, bits, group, tasks = (np.zeros(most, np.int64) for _ in range(4))
    taken, visited = np.zeros((nodes, kinds), np.int64), np.zeros(nodes, np.int64)
    size, visit = np.zeros((2, 1), np.int64)
    return Draft(node, bits, group, tasks, size, taken, visited, visit, np.arange(nodes))


@inner_kernel
def place(work: Workload, job: int, limit: Ints, placement: int, draft: Draft) -> bool:
    """Draft the job's pieces on nodes that have `limit`, (nodes, K), to give; False where it does not fit.

    The groups of the job are placed in their order; where that fails, from the largest task down, then by a
    bounded search, first on the nodes on which the job ran by the log. For each group, nodes are visited by
    number (first fit), those with the fewest free CPUs first (best fit) or those with the most (worst fit),
    ties by number, or in the order of the draft (reliable); each visited node takes as many of the group's
    tasks as fit. An exclusive task needs an empty node of its own. Contiguous tasks need empty nodes side by
    side: they take the first such run of nodes; with partitions, the first that begins at a multiple of its
    length.
    """
    first, last = work.group_offset[job], work.group_offset[job + 1]
    if last - first == 1:
        return _place_groups(work, job, limit, placement, draft, False)
    # A group that has no room on its own has none beside others. Only where each has, an order of the groups
    # or their distribution over the nodes may be why they have no room together.
    placed = _place_groups(work, job, limit, placement, draft, False)
    if placed or not _each_has_room(work, job, limit, draft):
        return placed
    if _place_groups(work, job, limit, placement, draft, True):
        return True
    own, end = work.own_offset[job], work.own_offset[job + 1]
    return (end > own and _search(work, job, limit, draft, own, end)) or _search(
        work, job, limit, draft, 0, 0
    )


@inner_kernel
def _place_groups(
    work: Workload, job: int, limit: Ints, placement: int, draft: Draft, largest_first: bool
) -> bool:
    """Draft the groups of a job after one another: in the order asked for, or the largest task first."""
    draft.size[0] = 0
    placed = True
    # `draft.taken` is what earlier groups of this job took: a later group finds less room on their nodes.
    for position in range(work.group_offset[job], work.group_offset[job + 1]):
        group = work.turn[position] if largest_first else position
        if placement == CONTIGUOUS:
            placed = _place_side_by_side(work, group, limit, draft)
        elif work.exclusive[group]:
            placed = _place_alone(work, group, limit, placement, draft)
        elif placement == FIRST:
            placed = _place_by_number(work, group, limit, draft)
        elif placement == RELIABLE:
            placed = _place_in_order(work, group, limit, draft)
        else:
            placed = _place_by_free_cpus(work, group, limit, placement, draft)
        if not placed:
            break
    # Whether it was placed or not, the next job finds a draft in which nothing is taken.
    _clear(draft)
    return placed


@inner_kernel
def _clear(draft: Draft) -> None:
    """Leave `taken` all 0 for the next placement: only nodes of this draft are not."""
    for piece in range(draft.size[0]):
        for k in range(draft.taken.shape[1]):
            draft.taken[draft.node[piece], k] = 0


@inner_kernel
def _each_has_room(work: Workload, job: int, limit: Ints, draft: Draft) -> bool:
    """Whether each group of the job would fit if it were alone; the draft has taken nothing."""
    # A necessary condition that is cheap: where it fails no order of groups can succeed.
    for group in range(work.group_offset[job], work.group_offset[job + 1]):
        wanted, zone = work.group_tasks[group], work.zone[group]
        for node in range(limit.shape[0]):
            if zone == 0 or work.zone_nodes[zone, node]:
                wanted -= room_on(work, group, node, limit, draft, wanted)
                if wanted == 0:
                    break
        if wanted > 0:
            return False
    return True


@inner_kernel
def _search(work: Workload, job: int, limit: Ints, draft: Draft, own: int, end: int) -> bool:
    """Draft the job by trying all distributions, the largest task first: on the nodes in the rows `own` to
    `end` of `own_node`, or on all nodes where there are none; at most SEARCHED looks at a node.

    Of several distributions it is that with the most tasks of the first group on the first node, and so on.
    """
    draft.size[0] = 0
    first, last = work.group_offset[job], work.group_offset[job + 1]
    nodes = end - own if end > own else limit.shape[0]
    position, at, looks = first, 0, 0
    wanted = work.group_tasks[work.turn[first]]
    while True:
        # All tasks of this group are placed: on to the next, from its first node on.
        if wanted == 0:
            position += 1
            if position == last:
                _clear(draft)
                return True
            wanted, at = work.group_tasks[work.turn[position]], 0
        if at < nodes:
            # The search is exponential at worst: after so many looks the job counts as not fitting.
            looks += 1
            if looks > SEARCHED:
                break
            group, zone = work.turn[position], work.zone[work.turn[position]]
            node = work.own_node[own + at] if end > own else at
            at += 1
            if zone == 0 or work.zone_nodes[zone, node]:
                room = room_on(work, group, node, limit, draft, wanted)
                if room > 0:
                    _hold(work, group, node, room, draft)
                    wanted -= room
            continue
        # No node is left for this group: the last piece gets a task less, and what follows is tried anew.
        if draft.size[0] == 0:
            break
        piece = draft.size[0] - 1
        node, group, tasks = draft.node[piece], draft.group[piece], draft.tasks[piece]
        # The taken piece shows which group, and which node, the search goes back to.
        _release(work, draft)
        position = first
        while work.turn[position] != group:
            position += 1
        at = node
        if end > own:
            at = 0
            while work.own_node[own + at] != node:
                at += 1
        at += 1
        # Counted anew: all tasks of the group, less those in pieces that stay.
        wanted = work.group_tasks[group]
        while piece > 0 and draft.group[piece - 1] == group:
            piece -= 1
            wanted -= draft.tasks[piece]
        if tasks > 1:
            _hold(work, group, node, tasks - 1, draft)
            wanted -= tasks - 1
    _clear(draft)
    return False


@inner_kernel
def _hold(work: Workload, group: int, node: int, tasks: int, draft: Draft) -> None:
    """Add a piece of tasks, or of a whole node for a task that takes it alone."""
    if not work.exclusive[group]:
        _take(work, group, node, tasks, draft)
        return
    # An exclusive task leaves nothing on its node, whatever it needs.
    add_piece(draft, node, group, 1)
    for k in range(draft.taken.shape[1]):
        draft.taken[node, k] = work.capacity[node, k]


@inner_kernel
def _release(work: Workload, draft: Draft) -> None:
    """Take back the last piece."""
    piece = draft.size[0] - 1
    for k in range(draft.taken.shape[1]):
        draft.taken[draft.node[piece], k] -= piece_amount(work, draft, piece, k)
    draft.size[0] = piece


@inner_kernel
def room_on(work: Workload, group: int, node: int, limit: Ints, draft: Draft, wanted: int) -> int:
    """The number of the `wanted` tasks of the group that fit on the node beside the draft."""
    if work.exclusive[group]:
        return min(wanted, 1) if _holds_alone(work, group, node, limit, draft) else 0
    return _room(work, group, node, limit, draft, wanted)


@inner_kernel
def _room(work: Workload, group: int, node: int, limit: Ints, draft: Draft, wanted: int) -> int:
    """The number of the `wanted` tasks of the group that fit on the node beside the draft."""
    room = wanted
    for k in range(limit.shape[1]):
        need = work.group_need[group, k]
        left = limit[node, k] - draft.taken[node, k]
        if need > left:
            return 0
        # The division is made only where the number of tasks really shrinks.
        if need * room > left:
            room = left // need
    return room


@inner_kernel
def piece_amount(work: Workload, draft: Draft, piece: int, k: int) -> int:
    """The amount of resource `k` that a piece of the draft takes on each of its nodes."""
    group = draft.group[piece]
    if work.exclusive[group]:
        return int(work.capacity[draft.node[piece], k])
    return int(draft.tasks[piece] * work.group_need[group, k])


@inner_kernel
def add_piece(draft: Draft, node: int, group: int, tasks: int) -> None:
    """Add tasks of the group on the node to the draft, which has yet to take what they need."""
    piece = draft.size[0]
    draft.node[piece] = node
    draft.bits[piece] = bit_of(node)
    draft.group[piece] = group
    draft.tasks[piece] = tasks
    draft.size[0] = piece + 1


@inner_kernel
def _take(work: Workload, group: int, node: int, tasks: int, draft: Draft) -> None:
    add_piece(draft, node, group, tasks)
    for k in range(draft.taken.shape[1]):
        draft.taken[node, k] += tasks * work.group_need[group, k]


@inner_kernel
def _place_by_number(work: Workload, group: int, limit: Ints, draft: Draft) -> bool:
    wanted = work.group_tasks[group]
    zone = work.zone[group]
    for node in range(limit.shape[0]):
        # Zone 0 is the whole machine.
        if zone > 0 and not work.zone_nodes[zone, node]:
            continue
        room = _room(work, group, node, limit, draft, wanted)
        if room > 0:
            _take(work, group, node, room, draft)
            wanted -= room
            if wanted == 0:
                return True
    return False


@inner_kernel
def _place_in_order(work: Workload, group: int, limit: Ints, draft: Draft) -> bool:
    wanted = work.group_tasks[group]
    zone = work.zone[group]
    # The most reliable nodes come first.
    for node in draft.order:
        if zone > 0 and not work.zone_nodes[zone, node]:
            continue
        room = _room(work, group, node, limit, draft, wanted)
        if room > 0:
            _take(work, group, node, room, draft)
            wanted -= room
            if wanted == 0:
                return True
    return False


@inner_kernel
def _place_by_free_cpus(work: Workload, group: int, limit: Ints, placement: int, draft: Draft) -> bool:
    wanted = work.group_tasks[group]
    zone = work.zone[group]
    # A new number of the visit makes all marks of earlier groups void, without clearing them.
    draft.visit[0] += 1
    # Each round takes the node with the fewest (best fit) or most (worst fit) free CPUs; of equal nodes the
    # first. A node serves one round, since a task that fits no more leaves it full for this group.
    while wanted > 0:
        chosen = -1
        chosen_free = 0
        chosen_room = 0
        for node in range(limit.shape[0]):
            if draft.visited[node] == draft.visit[0] or (zone > 0 and not work.zone_nodes[zone, node]):
                continue
            free = limit[node, 0] - draft.taken[node, 0]
            if chosen >= 0 and (free >= chosen_free if placement == BEST else free <= chosen_free):
                continue
            # Room is worked out last: most nodes lose by their free CPUs alone.
            room = _room(work, group, node, limit, draft, wanted)
            if room > 0:
                chosen, chosen_free, chosen_room = node, free, room
        if chosen < 0:
            return False
        draft.visited[chosen] = draft.visit[0]
        _take(work, group, chosen, chosen_room, draft)
        wanted -= chosen_room
    return True


@inner_kernel
def _place_alone(work: Workload, group: int, limit: Ints, placement: int, draft: Draft) -> bool:
    """Give each task of an exclusive group a node of its own."""
    zone = work.zone[group]
    for _ in range(work.group_tasks[group]):
        chosen = -1
        for turn in range(limit.shape[0]):
            node = draft.order[turn] if placement == RELIABLE else turn
            if (zone > 0 and not work.zone_nodes[zone, node]) or not _holds_alone(
                work, group, node, limit, draft
            ):
                continue
            # An idle node is judged by its size: all that it has is blocked by the task.
            more = 0 if chosen < 0 else work.capacity[node, 0] - work.capacity[chosen, 0]
            if chosen < 0 or (placement == BEST and more < 0) or (placement == WORST and more > 0):
                chosen = node
        if chosen < 0:
            return False
        add_piece(draft, chosen, group, 1)
        # The whole node is gone for later groups of this job, whatever the task needs of it.
        for k in range(draft.taken.shape[1]):
            draft.taken[chosen, k] = work.capacity[chosen, k]
    return True


@inner_kernel
def _place_side_by_side(work: Workload, group: int, limit: Ints, draft: Draft) -> bool:
    wanted = work.group_tasks[group]
    zone = work.zone[group]
    first = 0
    while first + wanted <= limit.shape[0]:
        node = first + wanted - 1  # from the far end: a node in use there moves `first` furthest
        while node >= first and (zone == 0 or work.zone_nodes[zone, node]):
            if not _holds_alone(work, group, node, limit, draft):
                break
            node -= 1
        # No node of the run is in use: the loop went past its first.
        if node < first:
            for chosen in range(first, first + wanted):
                add_piece(draft, chosen, group, 1)
            return True
        # No run that contains the node in use can do: the next one to try begins behind it.
        first = node + 1
        if work.aligned:
            first = (first + wanted - 1) // wanted * wanted
    return False


@inner_kernel
def _holds_alone(work: Workload, group: int, node: int, limit: Ints, draft: Draft) -> bool:
    """Whether the node is entirely free, and large enough for a task of the group."""
    for k in range(limit.shape[1]):
        whole = work.capacity[node, k]
        if limit[node, k] - draft.taken[node, k] < whole or work.group_need[group, k] > whole:
            return False
    return True
