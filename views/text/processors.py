"""Where a job ran, in words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster
from engine.schedule.schedule import Schedule
from views.text.counts import plural, spell_count

Ints = NDArray[np.int64]

_MOST_RUNS = 6
"""Stretches of neighbouring nodes that are named; the rest is counted."""


Show = Callable[[int, str], str]
"""What stands for a node, by its number in the machine, and how that is called."""


def spell_allocation(schedule: Schedule, job: int, show: Show = lambda _, name: name) -> str:
    """`64 of 512 processors`, or the nodes: `zewura 3–7, 9 (16 processors each)`."""
    cluster, procs = schedule.cluster, int(schedule.procs[job])
    if cluster.pooled:
        return f"{spell_count(procs)} of {plural(cluster.cpus, 'processor')}"
    pieces = schedule.pieces
    rows = slice(int(pieces.offset[job]), int(pieces.offset[job + 1]))
    nodes, cpus = _by_node(pieces["node"][rows], pieces["cpus"][rows])
    if not len(nodes):
        return "not known"
    amounts = np.unique(cpus)
    each = f"{amounts[0]}" if len(amounts) == 1 else f"{amounts[0]} to {amounts[-1]}"
    unit = "processor" if each == "1" else "processors"
    return f"{spell_nodes(cluster, nodes, show)} ({each} {unit}{' each' if len(nodes) > 1 else ''})"


def spell_nodes(cluster: Cluster, nodes: Ints, show: Show = lambda _, name: name) -> str:
    """Nodes, ascending, by the name of their group and their number within it; without a name by number.

    `show` makes what stands for the first node of a stretch, and for its last.
    """
    words: list[str] = []
    left_out = 0
    last = None
    for name, first, count, node in _runs(cluster, nodes):
        if len(words) == _MOST_RUNS:
            left_out += count
            continue
        begin = show(node, f"{first}" if name == last else f"{name} {first}")
        end = f"–{show(node + count - 1, str(first + count - 1))}" if count > 1 else ""
        words.append(begin + end)
        last = name
    more = f" and {plural(left_out, 'more node')}" if left_out else ""
    return ", ".join(words) + more


def _by_node(nodes: Ints, cpus: Ints) -> tuple[Ints, Ints]:
    """Nodes of a job: several tasks on one node are one entry."""
    distinct, which = np.unique(nodes, return_inverse=True)
    return distinct, np.bincount(which, cpus, len(distinct)).astype(np.int64)


def _runs(cluster: Cluster, nodes: Ints) -> list[tuple[str, int, int, int]]:
    """Name of the group, first number in it, count and first node of each stretch of neighbouring nodes."""
    begins = np.cumsum([0, *(group.count for group in cluster.groups)])
    group = np.searchsorted(begins, nodes, "right") - 1
    breaks = np.flatnonzero((np.diff(nodes) != 1) | (np.diff(group) != 0)) + 1
    runs = []
    for part in np.split(np.arange(len(nodes)), breaks):
        owner = cluster.groups[group[part[0]]]
        shift = begins[group[part[0]]] if owner.name else 0
        node = int(nodes[part[0]])
        runs.append((owner.name or "node", int(node - shift), len(part), node))
    return runs
