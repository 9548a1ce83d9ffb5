"""Idle nodes that are switched off after a time, and boot when a job takes them.

A job takes its nodes as soon as it fits, and starts once all of them are on: until then they are blocked.
Nodes that are on come first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.bits import bit_of, lowest_bit
from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.simulation.placement import NODE, NODES, Draft
from engine.simulation.workload import Ints


class Switching(NamedTuple):
    """The nodes that are switched off when idle; all arrays are empty where none ever is."""

    after: int  # s for which a node is idle before it is switched off
    boot: Ints  # (nodes,) s that the node takes to be on again
    held: Ints  # (nodes,) pieces of jobs that are on the node
    idle_since: Ints  # (nodes,) s, when the last of them left
    ready: Ints  # (nodes,) s, when the last boot ends
    took: Ints  # (n,) s, when each job took its nodes


_NONE = np.zeros(0, np.int64)
NO_SWITCHING = unchanging(Switching(0, _NONE, _NONE, _NONE, _NONE, _NONE))
"""Of a machine whose nodes are always on."""


def make_switching(after: int, boot: Ints, jobs: int, zero: int) -> Switching:
    """All nodes are on, and idle since `zero`, s; `boot` is (nodes,) s."""
    nodes = len(boot)
    return Switching(
        after,
        boot,
        held=np.zeros(nodes, np.int64),
        idle_since=np.full(nodes, zero, np.int64),
        ready=np.full(nodes, zero, np.int64),
        took=np.full(jobs, -1, np.int64),
    )


@inner_kernel
def node_delay(switching: Switching, node: int, now: int) -> int:
    """For how long a job that takes the node now has to wait for it, s."""
    if switching.held[node] == 0 and now - switching.idle_since[node] >= switching.after:
        return int(switching.boot[node])
    return int(max(switching.ready[node] - now, 0))


@inner_kernel
def put_nodes_in_order(switching: Switching, draft: Draft, now: int) -> None:
    """Put the nodes in order of their delays, those that are on first, ties by number."""
    if len(switching.boot) == 0:
        return
    order = draft.order
    # Insertion sort: the order of the last call is nearly right.
    for turn in range(1, len(order)):
        node = order[turn]
        delay = node_delay(switching, node, now)
        while turn > 0:
            before = order[turn - 1]
            other = node_delay(switching, before, now)
            if other < delay or (other == delay and before < node):
                break
            order[turn] = before
            turn -= 1
        order[turn] = node


@inner_kernel
def draft_delay(switching: Switching, draft: Draft, now: int) -> int:
    """For how long the drafted job would wait for its nodes, s."""
    delay = 0
    for piece in range(draft.size[0]):
        word, bits = draft.node[piece] & ~63, draft.bits[piece]
        while bits != 0:
            node = word + lowest_bit(bits)
            bits ^= bit_of(node)
            delay = max(delay, node_delay(switching, node, now))
    return delay


@inner_kernel
def take_nodes(switching: Switching, pieces: Ints, first: int, count: int, job: int, now: int) -> int:
    """Boot the nodes of a job that are off, which takes them now; returns when all are on, s."""
    start = now
    for row in range(first, first + count):
        word, bits = pieces[row, NODE] & ~63, pieces[row, NODES]
        while bits != 0:
            node = word + lowest_bit(bits)
            bits ^= bit_of(node)
            delay = node_delay(switching, node, now)
            switching.ready[node] = max(switching.ready[node], now + delay)
            switching.held[node] += 1
            start = max(start, now + delay)
    switching.took[job] = now
    return start


@inner_kernel
def leave_nodes(switching: Switching, pieces: Ints, first: int, count: int, now: int) -> None:
    """Note that a job has left its nodes: those without another are idle from now on."""
    for row in range(first, first + count):
        word, bits = pieces[row, NODE] & ~63, pieces[row, NODES]
        while bits != 0:
            node = word + lowest_bit(bits)
            bits ^= bit_of(node)
            switching.held[node] -= 1
            switching.idle_since[node] = now
