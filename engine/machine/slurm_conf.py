"""A site's `slurm.conf`: its options, its nodes, and the partitions of these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_CONF_BYTES, MAX_CPUS, MAX_EXTRA, MAX_NODE_RAM, MAX_NODES
from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.host_list import expand_hosts
from engine.words import clip

_WORD = re.compile(r'([A-Za-z_]\w{0,60})\s*=\s*("[^"]*"|\S*)', re.ASCII)
_NUMBER = re.compile(r"\d{1,12}", re.ASCII)
_GRES = re.compile(r"([A-Za-z]{2,30})(?::[^:(),]*)*?(?::(\d{1,9}))?(?:\(.*\))?", re.ASCII)
_NAME = re.compile(r"[A-Za-z_.-]*[A-Za-z]", re.ASCII)
_DEFAULT = "DEFAULT"
_MAX_MEMBERS = 4 * MAX_NODES
"""Nodes of all partitions together."""


@dataclass(frozen=True)
class Partition:
    """A partition: the numbers of its node groups, from 1, and its other keys as they are written."""

    name: str
    groups: tuple[int, ...]
    keys: Mapping[str, str]


@dataclass(frozen=True)
class SlurmConf:
    """What such a file says. Keys are in lower case.

    Nodes are in one group of `machine` that are defined in one line and belong to the same
    partitions. `passed_over` are the parts that the machine has no counterpart for, in words.
    """

    path: Path
    options: Mapping[str, str]
    machine: Cluster
    partitions: tuple[Partition, ...]
    passed_over: tuple[str, ...]


def is_slurm_conf(path: Path) -> bool:
    """Whether this is a file with lines of `slurm.conf`."""
    try:
        if not path.is_file():
            return False
        text = read_text(path, MAX_CONF_BYTES)
    except (InputError, OSError, ValueError):  # ValueError: no name that a file can have
        return False
    return re.search(r"^\s*NodeName\s*=", text, re.IGNORECASE | re.MULTILINE) is not None


def read_slurm_conf(path: Path) -> SlurmConf:
    """Read a `slurm.conf`. Raises InputError, which names the line, where it describes no machine."""
    options: dict[str, str] = {}
    nodes: list[_Nodes] = []
    partitions: list[tuple[int, dict[str, str]]] = []
    node_defaults: dict[str, str] = {}
    partition_defaults: dict[str, str] = {}
    for number, keys in _lines(path):
        if "nodename" in keys:
            if keys["nodename"].upper() == _DEFAULT:
                node_defaults |= keys
            else:
                nodes.append(_read_nodes(path, number, node_defaults | keys))
        elif "partitionname" in keys:
            if keys["partitionname"].upper() == _DEFAULT:
                partition_defaults |= keys
            elif any(keys["partitionname"] == other["partitionname"] for _, other in partitions):
                raise InputError(
                    f"{path}:{number}: the partition {clip(keys['partitionname'])!r} is defined twice"
                )
            else:
                partitions.append((number, partition_defaults | keys))
        else:
            options |= keys
    return _build(path, options, nodes, partitions)


@dataclass(frozen=True)
class _Nodes:
    """The nodes of one line, which are alike."""

    names: list[str]
    group: NodeGroup
    odd: tuple[str, ...]


def _lines(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The keys of each line, those that end in a backslash joined with the next, and its number."""
    joined, first = "", 0
    for number, line in enumerate(read_text(path, MAX_CONF_BYTES).split("\n"), 1):
        first = first or number
        line = re.sub(r"(?<!\\)#.*", "", line).rstrip()
        if line.endswith("\\"):
            joined += line[:-1]
            continue
        keys = {key.lower(): value.strip('"') for key, value in _WORD.findall(joined + line)}
        if keys:
            yield first, keys
        joined, first = "", 0


def _read_nodes(path: Path, number: int, keys: Mapping[str, str]) -> _Nodes:
    """The nodes of a line. Raises InputError."""
    try:
        names = expand_hosts(keys["nodename"])
        cpus = _count(keys, "cpus") or _count(keys, "procs")
        if not cpus:
            on_boards = _count(keys, "boards", 1) * _count(keys, "socketsperboard", 1)
            cpus = _count(keys, "sockets") or on_boards
            cpus *= _count(keys, "corespersocket", 1) * _count(keys, "threadspercore", 1)
        extra, odd = _gres(keys.get("gres", ""))
        if not names:
            raise InputError("it names no node")
        label = _NAME.match(names[0])
        group = NodeGroup(
            min(len(names), MAX_NODES),
            min(cpus, MAX_CPUS + 1),
            min(_count(keys, "realmemory"), MAX_NODE_RAM) or None,
            extra,
            label[0] if label else "",
        )
    except InputError as error:
        raise InputError(f"{path}:{number}: these nodes cannot be read: {error}") from error
    if keys.get("state", "").upper().startswith("FUTURE"):
        return _Nodes([], group, (f"nodes {clip(keys['nodename'])} are left out: State=FUTURE",))
    return _Nodes(names, group, odd)


def _count(keys: Mapping[str, str], name: str, usual: int = 0) -> int:
    """A whole number; `usual` where it is not given. Raises InputError where it is none."""
    text = keys.get(name)
    if text is None:
        return usual
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{name}={clip(text)} is no number")
    return int(text)


def _gres(text: str) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
    """Amounts of `gpu:a100:4,gpu:t4:2`, types of one name summed; and what has no name like this."""
    found: dict[str, int] = {}
    odd = []
    for part in filter(None, re.sub(r"\([^)]*\)", "", text).split(",")):
        match = _GRES.fullmatch(part)
        if match is None:
            odd.append(f"Gres={clip(part)}")
        else:
            name = match[1].lower()
            found[name] = min(found.get(name, 0) + int(match[2] or 1), MAX_EXTRA)
    return tuple(found.items()), tuple(odd)


def _build(
    path: Path,
    options: dict[str, str],
    nodes: list[_Nodes],
    partitions: list[tuple[int, dict[str, str]]],
) -> SlurmConf:
    """Nodes grouped by their line and by the partitions that they are in."""
    line_of: dict[str, int] = {}
    for line, entry in enumerate(nodes):
        line_of |= dict.fromkeys(entry.names, line)
        if len(line_of) > MAX_NODES:
            raise InputError(f"{path}: a cluster has at most {MAX_NODES:,} nodes")
    if not line_of:
        raise InputError(f"{path}: there are no nodes in this file")
    member: dict[str, list[int]] = {name: [] for name in line_of}
    room = _MAX_MEMBERS
    for k, (number, keys) in enumerate(partitions):
        for name in _members(path, number, keys, line_of):
            member[name].append(k)
            room -= 1
        if room < 0:
            raise InputError(f"{path}:{number}: the partitions name over {_MAX_MEMBERS:,} nodes in all")
    kinds: dict[tuple[int, ...], int] = {}
    for name, line in line_of.items():
        kind = (line, *member[name])
        kinds[kind] = kinds.get(kind, 0) + 1
    order = sorted(kinds, key=lambda kind: kind[0])
    groups = [nodes[kind[0]].group for kind in order]
    try:
        machine = Cluster(
            tuple(
                NodeGroup(kinds[kind], group.cpus, group.ram, group.extra, group.name)
                for kind, group in zip(order, groups, strict=True)
            )
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return SlurmConf(
        path,
        options,
        machine,
        tuple(
            Partition(
                keys["partitionname"], tuple(g for g, kind in enumerate(order, 1) if k in kind[1:]), keys
            )
            for k, (_, keys) in enumerate(partitions)
        ),
        tuple(text for entry in nodes for text in entry.odd),
    )


def _members(path: Path, number: int, keys: Mapping[str, str], known: Mapping[str, int]) -> list[str]:
    """The names of a partition's nodes. Raises InputError for one that no line defines."""
    text = keys.get("nodes", "")
    if text.upper() == "ALL":
        return list(known)
    try:
        names = list(dict.fromkeys(expand_hosts(text)))
    except InputError as error:
        raise InputError(f"{path}:{number}: {error}") from error
    for name in names:
        if name not in known:
            raise InputError(f"{path}:{number}: no line defines the node {clip(name)!r} of this partition")
    return names
