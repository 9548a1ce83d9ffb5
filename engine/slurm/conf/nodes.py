"""Node lines of a `slurm.conf`: the names of nodes, and what jobs can have of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import InputError
from engine.limits import MAX_CPUS, MAX_EXTRA, MAX_NODE_RAM, MAX_NODES
from engine.machine.cluster import NodeGroup
from engine.slurm.conf.gres import amounts, parse_gres
from engine.slurm.conf.text import ConfLine
from engine.slurm.options.node_lines import BY_WEIGHT
from engine.slurm.options.option import ConfigPart
from engine.slurm.options.table import left_out, official_name
from engine.slurm.values.amounts import read_count
from engine.slurm.values.gres import Gres
from engine.slurm.values.host_list import expand_hosts
from engine.words import clip

_NAME = re.compile(r"[A-Za-z_.-]*[A-Za-z]", re.ASCII)
_NOT_UP = ("DOWN", "DRAIN", "FAIL", "FAILING")


@dataclass(frozen=True)
class NodeLine:
    """The nodes of a line, which are identical.

    `keys` are those of the line over those of the last `NodeName=DEFAULT`, in lower case; `future`: Slurm
    knows the nodes but does not use them; `down`: no job starts there now. `ignored` are keys that are not
    obeyed, each with its value and the consequence. In words: `passed_over` are other parts without a
    counterpart here, `notes` are interpretations that may differ from Slurm's.
    """

    place: str
    names: tuple[str, ...]
    group: NodeGroup
    features: tuple[str, ...]
    gres: tuple[Gres, ...]
    keys: Mapping[str, str]
    future: bool
    down: bool
    ignored: tuple[tuple[str, str, str], ...]
    passed_over: tuple[str, ...]
    notes: tuple[str, ...]


def read_node_line(line: ConfLine, defaults: Mapping[str, str]) -> NodeLine:
    """The nodes that a line defines. Raises InputError, which names the line."""
    # A NodeName=DEFAULT line holds for all lines behind it.
    keys = dict(defaults) | dict(line.keys)
    passed_over: list[str] = []
    notes: list[str] = []
    try:
        names = tuple(dict.fromkeys(expand_hosts(keys["nodename"])))
        if not names:
            raise InputError("it names no node")
        listed = clip(keys["nodename"])
        gres, odd = parse_gres(keys.get("gres", ""))
        passed_over += odd
        extra = amounts(gres)
        # Resources count under their names in clusters, whose spelling has letters alone.
        passed_over += [
            f"Gres={resource.spelling}: names of resources are letters alone here, no job is held back by it"
            for resource in gres
            if resource.name not in dict(extra)
        ]
        # An amount such as tmp:844G is cut: no job of a real log asks for as many single units.
        notes += [
            f"nodes {listed} have more {name} than can be counted: {MAX_EXTRA:,} of them"
            for name, amount in extra
            if amount >= MAX_EXTRA
        ]
        label = _NAME.match(names[0])
        group = NodeGroup(
            len(names),
            min(_cpus(line, keys, listed, notes), MAX_CPUS + 1),
            _ram(keys, listed, notes),
            extra,
            label[0] if label else "",
        )
    except InputError as error:
        raise InputError(f"{line.place}: these nodes cannot be read: {error}") from error
    ignored = [(name, value, why) for name, value, why, _ in left_out(ConfigPart.NODE, keys)]
    # Weight 0 and 1 are what nodes have without it.
    if keys.get("weight", "1") not in ("0", "1"):
        ignored.append(("Weight", keys["weight"], BY_WEIGHT))
    state = keys.get("state", "")
    # Nodes of the future are no part of the machine; nodes that are down are, since they come back.
    future = state.upper().startswith("FUTURE")
    if future:
        passed_over, notes, ignored = [f"nodes {listed} are left out: State=FUTURE"], [], []
    down = state.upper().partition("+")[0] in _NOT_UP
    if down:
        ignored.append(("State", state, "these nodes are up from the start"))
    # Older files name the column Feature, newer files Features.
    features = keys.get("features", keys.get("feature", ""))
    return NodeLine(
        line.place,
        names,
        group,
        tuple(filter(None, (word.strip() for word in features.split(",")))),
        gres,
        keys,
        future,
        down,
        tuple(ignored),
        tuple(passed_over),
        tuple(notes),
    )


def _cpus(line: ConfLine, keys: Mapping[str, str], listed: str, notes: list[str]) -> int:
    """Processors of a node available to jobs: without those that are reserved for the system."""
    threads = max(_count(keys, "threadspercore", 1), 1)
    sockets = _count(keys, "sockets") or _count(keys, "boards", 1) * _count(keys, "socketsperboard", 1)
    cores = sockets * _count(keys, "corespersocket", 1)
    cpus = _count(keys, "cpus") or _count(keys, "procs") or cores * threads
    counts = (sockets, cores, cores * threads)
    if cpus not in counts and {"sockets", "socketsperboard"} & set(keys):
        if not {"cpus", "procs"} & set(line.keys):
            cpus = cores * threads  # a line's own sockets and cores count before the CPUs of DEFAULT
        else:
            notes.append(
                f"nodes {listed}: CPUs={cpus} counts, which is not Sockets*CoresPerSocket*ThreadsPerCore, "
                f"{cores * threads}: Slurm itself takes that"
            )
    of_core = threads if cpus == cores * threads else 1
    specialized = {number // threads for number in _numbers(keys.get("cpuspeclist", ""))}
    reserved = _count(keys, "corespeccount") or len(specialized)
    return max(cpus - reserved * of_core, 0)


def _ram(keys: Mapping[str, str], listed: str, notes: list[str]) -> int | None:
    """The MiB of a node that jobs can use; None if the file does not give them."""
    ram, reserved = _count(keys, "realmemory"), _count(keys, "memspeclimit")
    if not ram:
        return None
    if reserved >= ram:
        notes.append(f"nodes {listed}: MemSpecLimit={reserved} is ignored, RealMemory is {ram}")
        reserved = 0
    return min(ram - reserved, MAX_NODE_RAM)


def _numbers(text: str) -> set[int]:
    """The numbers of a list like `0,2-5`. Raises InputError."""
    return {int(name) for name in expand_hosts(f"[{text}]", MAX_NODES)} if text else set()


def _count(keys: Mapping[str, str], name: str, usual: int = 0) -> int:
    """The whole number of a key; `usual` if it is not given. Raises InputError for other texts."""
    text = keys.get(name)
    return usual if text is None else min(read_count(official_name(ConfigPart.NODE, name), text), 10**12)
