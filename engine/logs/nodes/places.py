"""On which nodes jobs ran: from the node ids that a log names to the nodes of its machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.machine.cluster import Cluster
from engine.trace.records import note_lines, text_names
from engine.trace.trace import Note, Pieces

_UNKNOWN = -1
_NO_LIST = ("-1", "{}")


def recorded_nodes(
    lists: Sequence[str], line: Ints, machine: Cluster | None
) -> tuple[Pieces | None, tuple[Note, ...]]:
    """The nodes of the machine (`node`, `cpus`) on which each record ran; None on a pool.

    `lists` name a node id for each processor, `{1241,1241,1242}`, or nothing (`-1`), with an entry for each
    record; `line` are the line numbers. A record with an id without a matching node has no nodes, and neither
    has a record with an invalid list; both are counted.
    """
    if machine is None or machine.pooled:
        return None, ()
    column = text_names(lists)
    # Each different list is read once.
    parsed = [_parse_list(text) for text in column.names]
    used = pieces_of([row or () for row in parsed], ("node", "cpus"))
    ids, position = np.unique(used["node"], return_inverse=True)
    # An id is given to a node that is large enough for all that any job used there.
    most = np.zeros(len(ids), np.int64)
    np.maximum.at(most, position, used["cpus"])
    node = map_nodes(ids, most, machine)[position]
    unreadable = np.array([row is None for row in parsed] + [False])
    # A single unknown node makes the job's places incomplete: the job gets none.
    lost = (unreadable | _any_of_each(node == _UNKNOWN, used.offset))[column.codes]
    mapped = Pieces(used.offset, {"node": node, "cpus": used["cpus"]})
    # The row behind the last is empty, for jobs without places.
    jobs = mapped.take(np.where(lost, len(parsed), column.codes))
    known = len(np.unique(node[node != _UNKNOWN]))
    text = f"node ids were given to nodes by the most CPUs that a job used ({known:,} of {len(ids):,} ids)"
    return (jobs if len(jobs["node"]) else None), (
        Note("nodes", text, len(ids)),
        note_lines(
            "unknown_nodes",
            "jobs that ran on nodes that the machine does not have: not shown there",
            lost,
            line,
        ),
    )


def map_nodes(ids: Ints, most_cpus: Ints, cluster: Cluster) -> Ints:
    """The cluster's node for each node id of the log, or -1 if none is left for it.

    `ids` ascend; `most_cpus` is the largest number of CPUs that a job used on each; both shape (k,). An id is
    mapped to a node with the fewest sufficient CPUs; such nodes are used in order.
    """
    sizes = cluster.node_cpus()
    nodes = np.full(len(ids), _UNKNOWN, np.int64)
    below = 0
    for size in np.unique(sizes).tolist():
        wanted = np.flatnonzero((most_cpus > below) & (most_cpus <= size))
        there = np.flatnonzero(sizes == size)[: len(wanted)]
        nodes[wanted[: len(there)]] = there
        below = size
    return nodes


def pieces_of(rows: Sequence[Iterable[tuple[int, ...]]], names: tuple[str, ...]) -> Pieces:
    """The rows of each entry, as named columns; with an additional empty entry."""
    table = [list(entry) for entry in rows]
    offset = np.concatenate(([0], np.cumsum([len(entry) for entry in table] + [0]))).astype(np.int64)
    flat = np.array([row for entry in table for row in entry], np.int64).reshape(-1, len(names))
    return Pieces(offset, {name: flat[:, k].copy() for k, name in enumerate(names)})


def is_number(text: str) -> bool:
    """True for a plain number of at most nine digits."""
    return text.isascii() and text.isdigit() and len(text) < 10


def _parse_list(text: str) -> list[tuple[int, int]] | None:
    """(node id, CPUs) of a list, ascending; None where it cannot be read."""
    if text in _NO_LIST:
        return []
    counts = Counter(text.strip("{}").split(","))
    if not all(is_number(word) for word in counts):
        return None
    return sorted((int(word), count) for word, count in counts.items())


def _any_of_each(mask: NDArray[np.bool_], offset: Ints) -> NDArray[np.bool_]:
    """True for entries with any marked row, shape (entries,)."""
    total = np.concatenate(([0], np.cumsum(mask)))
    return np.asarray(total[offset[1:]] > total[offset[:-1]])
