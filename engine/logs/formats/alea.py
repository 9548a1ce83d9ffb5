"""The variant of the Standard Workload Format that the Alea simulator reads.

Three columns follow the 18: the list of nodes, with an entry for each processor, `{1241,1241}`; the queue's
name; and the node specification, `1:ppn=4:cl_x:^cl_y#excl+2:ppn=2`. Field 10 is RAM a node. A `.machines`
file beside the log describes the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.limits import MAX_NODES, MAX_SPEC
from engine.logs.files.content import Progress
from engine.logs.formats.swf import NO_UNITS, RAM, in_unit, job_ram, read_swf
from engine.logs.nodes.places import is_number, pieces_of, recorded_nodes
from engine.logs.text.tokens import Tokens
from engine.machine.cluster import Cluster
from engine.machine.constraints import NodeNames
from engine.trace.names import Names
from engine.trace.records import Records, mebibytes, note_lines, text_names
from engine.trace.sentinels import without_no_values
from engine.trace.trace import Note, Pieces

LARGEST_NODE = 1 << 30
"""KB; the most RAM of a node (1 TiB) if nothing gives the RAM of the log's nodes."""

_PROGRESS_EVERY = 10_000


@dataclass(frozen=True)
class NodeSpec:
    """A node specification: task groups (count, CPUs per task), their nodes, and constraints on those.

    `groups` is empty if a count of processors per node is invalid. `constraints` has a text per group,
    in the form that `read_constraint` reads, and is empty if all are empty.
    """

    groups: tuple[tuple[int, int], ...]
    nodes: int
    constraints: tuple[str, ...] = ()


def has_further_columns(more: NDArray[np.bool_]) -> bool:
    """True if most lines of a log have more than 18 columns, which `more` marks."""
    return 2 * int(np.count_nonzero(more)) > len(more)


def read_alea(
    path: Path,
    text: NDArray[np.uint8],
    tokens: Tokens,
    own: Cluster | None,
    cluster: Cluster | None,
    progress: Progress | None = None,
    units: Mapping[str, str] = NO_UNITS,
) -> Records:
    """The records of a log in Alea's format.

    `own` is the machine of the `.machines` file, which determines the unit of field 10; `cluster`, if given,
    replaces the log's machine.
    """
    records = read_swf(path, tokens, units={"ram": "kb", **units})  # field 10 is of a node here
    if not len(records):
        return records
    records = replace(records, machine=own or records.machine)
    # Records may be fewer than lines: each finds its own line again.
    rows = np.searchsorted(tokens.line, records.line)
    lists, queues, specs = _extra_columns(text, tokens.extra[:, rows], progress)
    amounts = in_unit((without_no_values(tokens.field(RAM)) + tokens.fraction(RAM))[rows], "ram", units)
    unit, unit_note = _ram_unit(amounts, own or cluster)
    share = mebibytes(amounts, unit)
    machine = cluster or records.machine
    column = text_names(specs)
    # Each different specification is read once.
    parsed = [None if text == "-1" else parse_node_spec(text) for text in column.names]
    ram, tasks, constraints, spec_note = _tasks(records, column, parsed, share)
    nodes, node_notes = recorded_nodes(lists, records.line, machine)
    return replace(
        records,
        queue=text_names(queues),
        ram=ram,
        tasks=tasks,
        constraints=constraints,
        recorded_nodes=nodes,
        notes=(
            *(n for n in records.notes if n.rule != "extra_columns"),
            unit_note,
            spec_note,
            *_constraint_notes(records, column, parsed, machine),
            *node_notes,
        ),
    )


def parse_node_spec(text: str) -> NodeSpec:
    """Read `2:ppn=8:property+host:ppn=4#excl`; a bare count means a processor on each node.

    Modifiers, which follow `#`, apply to the whole specification, wherever they are. Texts longer than
    MAX_SPEC are not read.
    """
    if len(text) > MAX_SPEC:
        return NodeSpec((), 1)
    groups, nodes, readable = [], 0, True
    properties: list[str] = []
    # Modifiers may follow any part, and hold for all of them: they are collected first.
    modifiers = "".join(f"#{name}" for part in text.split("+") for name in part.split("#")[1:] if name)
    for part in text.split("+"):
        first, *words = part.partition("#")[0].split(":")
        count = _whole(first)
        # A part that does not begin with a number is a host or a property, and asks for a single node.
        if count is None:
            count, words = 1, [first, *words]
        cpus: int | None = 1
        own = []
        for word in words:
            key, _, value = word.partition("=")
            if key == "ppn":
                cpus = _whole(value)
            elif word:
                own.append(word)
        properties.append(":".join(own) + modifiers)
        # A single part that cannot be read makes the sum of processors unknown.
        readable &= cpus is not None
        groups.append((count, cpus or 1))
        nodes += count
    return NodeSpec(tuple(groups) if readable else (), nodes, tuple(properties) if any(properties) else ())


def _extra_columns(
    text: NDArray[np.uint8], extra: Ints, progress: Progress | None
) -> tuple[list[str], list[str], list[str]]:
    """Node list, queue name and node specification of each line; `-1` where the line has none."""
    lists, queues, specs = [], [], []
    for row, (begin, end) in enumerate(extra.T.tolist()):
        if progress is not None and row % _PROGRESS_EVERY == 0:
            progress(row / extra.shape[1])
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
    text = f"RAM a node (field 10) is read in {name}: median {median:,}, a node holds at most {largest:,} KB"
    return unit, Note("ram_unit", text, len(known))


def _tasks(
    records: Records, column: Names, parsed: Sequence[NodeSpec | None], share: Ints
) -> tuple[Ints, Pieces, tuple[str, ...], Note]:
    """RAM of the jobs (that of a node times the nodes), their task groups, and constraints on those.

    Jobs whose groups do not sum up to their processors get none, like those without a
    specification, and so no constraint.
    """
    number = {"": 0}
    rows = [_rows(spec, number) if spec else () for spec in parsed]
    groups = pieces_of(rows, ("count", "cpus", "constraint"))
    cpus = np.array([sum(n * k for n, k in spec.groups) if spec else 0 for spec in parsed])[column.codes]
    given = np.array([spec is not None for spec in parsed])[column.codes]
    nodes = np.array([spec.nodes if spec else 0 for spec in parsed])[column.codes]

    # The processor count of the log wins over a specification that says another number.
    differs = given & (cpus != records.procs)
    # The row behind the last is empty: it is that of jobs without groups.
    tasks = groups.take(np.where(differs, len(parsed), column.codes))
    columns = {**tasks.columns, "ram": np.repeat(share, np.diff(tasks.offset))}
    constrained = len(number) > 1
    if not constrained:
        del columns["constraint"]
    return (
        job_ram(share, np.where(given, nodes, records.procs)),
        Pieces(tasks.offset, columns),
        tuple(number) if constrained else (),
        note_lines(
            "node_spec",
            "node specifications that disagree with the processor count, which is taken",
            differs,
            records.line,
        ),
    )


def _rows(spec: NodeSpec, number: dict[str, int]) -> list[tuple[int, int, int]]:
    """Tasks, CPUs a task and constraint of each group; a constraint that is new gets the next number."""
    texts = spec.constraints or ("",) * len(spec.groups)
    return [
        (count, cpus, number.setdefault(text, len(number)))
        for (count, cpus), text in zip(spec.groups, texts, strict=False)  # groups are empty if unreadable
    ]


def _constraint_notes(
    records: Records, column: Names, parsed: Sequence[NodeSpec | None], machine: Cluster | None
) -> tuple[Note, Note]:
    """Notes on the number of jobs with constraints, and with constraints that no node of the machine
    satisfies.
    """
    texts = [spec.constraints if spec else () for spec in parsed]
    has_name = np.array([bool(own) for own in texts], np.bool_)
    # Each different text is looked up once, not each job.
    ignored = _ignores(machine)
    unknown = np.array([any(map(ignored, own)) for own in texts], np.bool_)
    return (
        note_lines(
            "constraints",
            "node properties, host names and #excl are ignored, but for constraints=on",
            has_name[column.codes],
            records.line,
        ),
        note_lines(
            "unknown_properties",
            "node properties and host names that no node group or node of the machine has are always "
            "ignored (a node's name is its group's and a number from 1)",
            unknown[column.codes],
            records.line,
        ),
    )


def _ignores(machine: Cluster | None) -> Callable[[str], bool]:
    """True if a part of a constraint has no meaning on this machine."""
    if machine is None or machine.pooled:
        return bool
    return NodeNames(machine).ignores


def _whole(text: str) -> int | None:
    """A plain count of at most MAX_NODES, or None."""
    value = int(text) if is_number(text) else 0
    return value if 0 < value <= MAX_NODES else None
