"""The variant of the Standard Workload Format that the Alea simulator reads (Klusacek, Toth & Podolnikova 2016).

Three columns follow the 18: the list of nodes, one entry a processor, `{1241,1241}`; the
queue's name; and the node specification, `1:ppn=4:cl_x:^cl_y#excl+2:ppn=2`. Field 10 is
RAM a node. A `.machines` file beside the log describes the nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.cluster import MAX_NODES, Cluster
from engine.trace.records import Records, mebibytes, note_lines, text_names
from engine.trace.swf import RAM, job_ram, read_swf
from engine.trace.tokens import Tokens
from engine.trace.trace import Note, Pieces

Ints = NDArray[np.int64]

LARGEST_NODE = 1 << 30
"""KB; what a node holds at most (1 TiB) where nothing says what the log's nodes hold."""

_UNKNOWN = -1


@dataclass(frozen=True)
class NodeSpec:
    """A node specification: task groups (count, CPUs a task) and the nodes they name.

    `groups` is empty where a count of processors a node cannot be read; `constrained` says
    that properties, host names or `#excl` were left out.
    """

    groups: tuple[tuple[int, int], ...]
    nodes: int
    constrained: bool = False


def is_alea(tokens: Tokens) -> bool:
    """Whether most lines have more than 18 columns."""
    return 2 * int(np.count_nonzero(tokens.extra[0] >= 0)) > len(tokens)


def read_alea(
    path: Path, text: NDArray[np.uint8], tokens: Tokens, own: Cluster | None, cluster: Cluster | None
) -> Records:
    """The records of a log in Alea's format.

    `own` is the machine of the `.machines` file, which tells in which unit field 10 is;
    `cluster`, where given, is taken for the log's machine instead.
    """
    records = read_swf(path, tokens, own)
    rows = np.searchsorted(tokens.line, records.line)
    lists, queues, specs = _extra_columns(text, tokens.extra[:, rows])
    unit, unit_note = _ram_unit(tokens.field(RAM)[rows], own or cluster)
    share = mebibytes(tokens.field(RAM)[rows], unit)
    ram, tasks, spec_notes = _tasks(records, specs, share)
    nodes, node_notes = _recorded_nodes(records, lists, cluster or records.machine)
    return replace(
        records,
        queue=text_names(queues),
        ram=ram,
        tasks=tasks,
        recorded_nodes=nodes,
        notes=(*records.notes, unit_note, *spec_notes, *node_notes),
    )


def parse_node_spec(text: str) -> NodeSpec:
    """Read `2:ppn=8:property+host:ppn=4#excl`; a bare count means one processor a node."""
    body, hash_mark, _ = text.partition("#")
    groups, nodes, readable, constrained = [], 0, True, bool(hash_mark)
    for part in body.split("+"):
        first, *words = part.split(":")
        count = _whole(first)
        if count is None:
            count, words = 1, [first, *words]
        cpus: int | None = 1
        for word in words:
            key, _, value = word.partition("=")
            if key == "ppn":
                cpus = _whole(value)
            else:
                constrained = True
        readable &= cpus is not None
        groups.append((count, cpus or 1))
        nodes += count
    return NodeSpec(tuple(groups) if readable else (), nodes, constrained)


def map_nodes(ids: Ints, most_cpus: Ints, cluster: Cluster) -> Ints:
    """The cluster's node for each node id of the log, or -1 where none is left for it.

    `ids` ascend; `most_cpus` is the largest number of CPUs that one job used on each; both
    shape (k,). An id goes to the nodes with the fewest CPUs that hold those, which are taken in order.
    """
    sizes = cluster.node_cpus()
    nodes = np.full(len(ids), _UNKNOWN, np.int64)
    below = 0
    for size in np.unique(sizes):
        wanted = np.flatnonzero((most_cpus > below) & (most_cpus <= size))
        there = np.flatnonzero(sizes == size)[: len(wanted)]
        nodes[wanted[: len(there)]] = there
        below = size
    return nodes


def _extra_columns(text: NDArray[np.uint8], extra: Ints) -> tuple[list[str], list[str], list[str]]:
    """Node list, queue name and node specification of each line; `-1` where the line has none."""
    lists, queues, specs = [], [], []
    for begin, end in extra.T.tolist():
        words = [] if begin < 0 else text[begin:end].tobytes().decode("utf-8", "replace").split()
        nodes, queue, spec = (*words[:3], "-1", "-1", "-1")[:3]
        lists.append(nodes)
        queues.append(queue)
        specs.append(spec)
    return lists, queues, specs


def _ram_unit(amounts: Ints, machine: Cluster | None) -> tuple[int, Note]:
    """Bytes in the unit of field 10: KB, unless the median is more KB than the largest node holds."""
    known = amounts[amounts > 0]
    sizes = [group.ram for group in machine.groups if group.ram] if machine is not None else []
    largest = max(sizes) << 10 if sizes else LARGEST_NODE
    median = int(np.median(known)) if len(known) else 0
    unit, name = (1, "bytes") if median > largest else (1 << 10, "KB")
    text = f"RAM a node (field 10) is read in {name}: the median is {median}, the largest node holds {largest} KB"
    return unit, Note("ram_unit", text, len(known))


def _tasks(records: Records, specs: Sequence[str], share: Ints) -> tuple[Ints, Pieces, tuple[Note, ...]]:
    """RAM of the whole jobs (that of a node times the nodes) and their task groups.

    Jobs whose groups do not sum up to their processors get none, like those without a specification.
    """
    column = text_names(specs)
    parsed = [None if text == "-1" else parse_node_spec(text) for text in column.names]
    groups = _pieces([spec.groups if spec else () for spec in parsed], ("count", "cpus"))
    cpus = np.array([sum(n * k for n, k in spec.groups) if spec else 0 for spec in parsed])[column.codes]
    given = np.array([spec is not None for spec in parsed])[column.codes]
    nodes = np.array([spec.nodes if spec else 0 for spec in parsed])[column.codes]
    constrained = np.array([spec is not None and spec.constrained for spec in parsed])[column.codes]

    differs = given & (cpus != records.procs)
    empty = len(parsed) - 1
    tasks = groups.take(np.where(differs, empty + 1, column.codes))
    per_task = np.repeat(share, np.diff(tasks.offset))
    return (
        job_ram(share, np.where(given, nodes, records.procs)),
        Pieces(tasks.offset, {**tasks.columns, "ram": per_task}),
        (
            note_lines(
                "node_spec",
                "node specifications that disagree with the processor count, which is taken",
                differs,
                records.line,
            ),
            note_lines(
                "constraints",
                "node properties, host names and #excl are ignored",
                constrained,
                records.line,
            ),
        ),
    )


def _recorded_nodes(
    records: Records, lists: Sequence[str], machine: Cluster | None
) -> tuple[Pieces | None, tuple[Note, ...]]:
    """On which nodes of the machine each job ran, by the log; none on a pool."""
    if machine is None or machine.pooled:
        return None, ()
    column = text_names(lists)
    parsed = [_parse_nodes(text) for text in column.names]
    used = _pieces(parsed, ("node", "cpus"))
    ids, position = np.unique(used["node"], return_inverse=True)
    most = np.zeros(len(ids), np.int64)
    np.maximum.at(most, position, used["cpus"])
    node = map_nodes(ids, most, machine)
    unknown = np.count_nonzero(node == _UNKNOWN)
    lost = _any_of_each(node[position] == _UNKNOWN, used.offset)[column.codes]
    mapped = Pieces(used.offset, {"node": node[position], "cpus": used["cpus"]})
    return mapped.take(np.where(lost, len(parsed), column.codes)), (
        Note(
            "nodes",
            f"node ids of the log were given to nodes of the machine by the CPUs used on them "
            f"({len(ids) - unknown} of {len(ids)} ids)",
            int(len(ids)),
        ),
        note_lines(
            "unknown_nodes", "ran on nodes that the machine does not have: not shown there", lost, records.line
        ),
    )


def _parse_nodes(text: str) -> list[tuple[int, int]]:
    """(node id, CPUs) of a list like `{1241,1241}`, ascending; nothing where it cannot be read."""
    counts = Counter(text.strip("{}").split(","))
    ids = {_whole(word): count for word, count in counts.items()}
    return [] if None in ids else sorted(ids.items())  # type: ignore[arg-type]


def _pieces(rows: Sequence[Iterable[tuple[int, int]]], names: tuple[str, str]) -> Pieces:
    """Rows of each entry, and none for one entry more."""
    table = [list(entry) for entry in rows]
    offset = np.concatenate(([0], np.cumsum([len(entry) for entry in table] + [0]))).astype(np.int64)
    flat = np.array([row for entry in table for row in entry], np.int64).reshape(-1, 2)
    return Pieces(offset, {name: flat[:, k].copy() for k, name in enumerate(names)})


def _any_of_each(mask: NDArray[np.bool_], offset: Ints) -> NDArray[np.bool_]:
    """Whether any row of each entry is marked, shape (entries,)."""
    total = np.concatenate(([0], np.cumsum(mask)))
    return np.asarray(total[offset[1:]] > total[offset[:-1]])


def _whole(text: str) -> int | None:
    """A plain count of at most MAX_NODES, or None."""
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    return value if 0 < value <= MAX_NODES else None
