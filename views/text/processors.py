"""The nodes or processors of a job, in words."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from engine.arrays import Ints
from engine.machine.cluster import Cluster
from engine.schedule.schedule import Schedule
from engine.shown_text import shown_name
from views.text.counts import format_count, plural

_MOST_RUNS = 6
"""Stretches of neighbouring nodes that are named; the rest is counted."""


Show = Callable[[int, str], str]
"""A function from the number of a node to its name, and the word for such names."""


def format_allocation(schedule: Schedule, job: int, show: Show = lambda _, name: name) -> str:
    """`64 of 512 processors`, or the nodes: `zewura 3–7, 9 (16 processors each)`."""
    cluster, procs = schedule.cluster, int(schedule.procs[job])
    if cluster.pooled:
        return f"{format_count(procs)} of {plural(cluster.cpus, 'processor')}"
    pieces = schedule.pieces
    rows = slice(int(pieces.offset[job]), int(pieces.offset[job + 1]))
    nodes, cpus = _by_node(pieces["node"][rows], pieces["cpus"][rows])
    if not len(nodes):
        return "not known"
    amounts = np.unique(cpus)
    each = f"{amounts[0]}" if len(amounts) == 1 else f"{amounts[0]} to {amounts[-1]}"
    unit = "processor" if each == "1" else "processors"
    return f"{format_nodes(cluster, nodes, show)} ({each} {unit}{' each' if len(nodes) > 1 else ''})"


def format_nodes(cluster: Cluster, nodes: Ints, show: Show = lambda _, name: name) -> str:
    """Format nodes, ascending, by their host names, `c017–c019`, or by group name and number within the
    group; without names by number.

    `show` formats the first node of a stretch, and its last.
    """
    words: list[str] = []
    runs, group = _runs(cluster, nodes), ""
    for first, last in runs[:_MOST_RUNS]:
        name = shown_name(cluster.node_name(first))
        own = "" if cluster.find_node(cluster.node_name(first)) == first else name.rpartition(" ")[0]
        begin = show(first, name.removeprefix(f"{own} ") if own and own == group else name)
        end = shown_name(cluster.node_name(last))
        number = end.removeprefix(f"{own} ") if own else end
        words.append(begin + (f"–{show(last, number)}" if last > first else ""))
        group = own
    left_out = sum(last - first + 1 for first, last in runs[_MOST_RUNS:])
    more = f" and {plural(left_out, 'more node')}" if left_out else ""
    return ", ".join(words) + more


def _by_node(nodes: Ints, cpus: Ints) -> tuple[Ints, Ints]:
    """The nodes of a job: several tasks on the same node are a single entry."""
    distinct, which = np.unique(nodes, return_inverse=True)
    return distinct, np.bincount(which, cpus, len(distinct)).astype(np.int64)


def _runs(cluster: Cluster, nodes: Ints) -> list[tuple[int, int]]:
    """The first and the last node of each stretch of nodes, ascending, with consecutive names."""
    breaks = np.flatnonzero((np.diff(nodes) != 1) | cluster.name_breaks[nodes[1:]]) + 1
    ends = [0, *breaks.tolist(), len(nodes)]
    return [(int(nodes[begin]), int(nodes[end - 1])) for begin, end in pairwise(ends)]
