"""The machine of a PBS or a Grid Engine as `pbsnodes -a` (text, JSON) and `qhost` (text, XML) print it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_CPUS, MAX_EXTRA, MAX_NODE_RAM, MAX_PRINTED_BYTES
from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.group_names import group_names
from engine.slurm.values.amounts import amount_of
from engine.words import clip, natural

_LOOKED_AT = 1 << 16  # characters that tell what a file is
_MIB = 1 << 20
_MOST_NAMED = 5
"""Nodes that a line names."""

_NAME = r"[\w.\[\]:-]{1,255}"
_HOST = re.compile(_NAME, re.ASCII)
_PBS_TEXT = re.compile(rf"\s*{_NAME}\r?\n(?:[ \t]+\S+ = [^\n]*\n)*?[ \t]+(?:Mom|ntype|np|pcpus|state) = ")
_PBS_JSON = re.compile(r'\s*\{(?=.*"nodes"\s*:\s*\{).*"pbs_(?:version|server)"\s*:', re.DOTALL)
_QHOST_TEXT = re.compile(r"\s*HOSTNAME[ \t]+ARCH[ \t]+NCPU[ \t]")
_QHOST_XML = re.compile(r"\s*<\?xml[^>]*\?>\s*<qhost\b")
_PHYSICAL = re.compile(r"(?:^|,)physmem=([^,]*)")  # in the status of a node of Torque
_AWAY = frozenset(("down", "offline", "stale", "unknown", "state-unknown", "initializing"))
"""States of nodes of PBS on which no job starts now."""


class PrintedMachine(NamedTuple):
    """The machine that a command printed, and lines about what it does not tell."""

    machine: Cluster
    notes: tuple[str, ...]


class _Node(NamedTuple):
    """A node: its host name, CPUs (0 if unknown), MiB of RAM (0 if unknown), GPUs, and whether it is up."""

    name: str
    cpus: int
    ram: int
    gpus: int = 0
    up: bool = True


def read_printed(path: Path) -> PrintedMachine | None:
    """The machine that such a file describes; None for other files. Raises InputError."""
    if not path.is_file():  # a pipe could be read once only
        return None
    text = read_text(path, MAX_PRINTED_BYTES)
    read = _reader_of(text)
    if read is None:
        return None
    try:
        nodes = [node for node in read(text) if _HOST.fullmatch(node.name)]
        return _machine_of(nodes, tells_gpus=read in (_pbs_text, _pbs_json))
    except (ValueError, RecursionError, ElementTree.ParseError) as error:  # InputError is a ValueError
        what = "the text is no valid JSON or XML" if not isinstance(error, InputError) else str(error)
        raise InputError(f"{path}: {what}") from error


def _reader_of(text: str) -> Callable[[str], Iterator[_Node]] | None:
    """The reader of the nodes in a text."""
    head = text[:_LOOKED_AT]
    if _PBS_TEXT.match(head):
        return _pbs_text
    if _PBS_JSON.match(head):
        return _pbs_json
    if _QHOST_TEXT.match(head):
        return _qhost_text
    return _qhost_xml if _QHOST_XML.match(head) else None


def _pbs_text(text: str) -> Iterator[_Node]:
    """The hosts of `pbsnodes -a`: a name at the margin, and below it a line `key = value` a property."""
    blocks: list[tuple[str, dict[str, str]]] = []
    for line in text.splitlines():
        if line.strip() and not line[0].isspace():
            blocks.append((line.strip(), {}))
        elif blocks:
            key, equals, value = line.partition(" = ")
            if equals:
                blocks[-1][1][key.strip()] = value.strip()
    yield from _hosts(blocks)


def _pbs_json(text: str) -> Iterator[_Node]:
    """The hosts of `pbsnodes -a -F json`, whose resources are objects within those of the nodes."""
    nodes = json.loads(text).get("nodes")
    blocks = []
    for name, found in nodes.items() if isinstance(nodes, dict) else ():
        if isinstance(found, dict):
            blocks.append((name, dict(_flat(found))))
    yield from _hosts(blocks)


def _flat(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The values of a node by the names that they have in the text: `resources_available.ncpus`."""
    for key, value in found.items():
        if isinstance(value, dict):
            yield from ((f"{key}.{name}", str(own)) for name, own in value.items())
        else:
            yield key, str(value)


def _hosts(blocks: Iterable[tuple[str, Mapping[str, str]]]) -> Iterator[_Node]:
    """The hosts of the virtual nodes of PBS, which share the name of their host, or of the nodes of Torque.

    Accounting names the host of a job's CPUs, not the virtual node.
    """
    hosts: dict[str, _Node] = {}
    for name, values in blocks:
        own = {key.removeprefix("resources_available."): value for key, value in values.items()}
        host = own.get("host") or name
        # `np` of Torque are the processors that it gives to jobs; `pcpus` of PBS are all that a node has.
        cpus = next((_count(own[key]) for key in ("ncpus", "np", "pcpus") if key in own), 0)
        ram = _mebibytes(own.get("mem", "")) or _mebibytes(_physical(own.get("status", "")))
        gpus = _count(own.get("ngpus", "")) or _count(own.get("gpus", ""))
        up = _AWAY.isdisjoint(word.strip() for word in own.get("state", "").lower().split(","))
        before = hosts.get(host, _Node(host, 0, 0))
        hosts[host] = _Node(host, before.cpus + cpus, before.ram + ram, before.gpus + gpus, before.up and up)
    yield from hosts.values()


def _physical(status: str) -> str:
    """The physical memory that a node's status line tells, as written; empty if it tells none."""
    match = _PHYSICAL.search(status)
    return match[1] if match else ""


def _qhost_text(text: str) -> Iterator[_Node]:
    """The hosts of `qhost`: a table below its heads; indented lines (`-q`, `-j`, `-F`) are passed over."""
    heads: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if not heads:
            heads = words
        elif words and not line[0].isspace() and len(words) == len(heads):
            values = dict(zip(heads, words, strict=True))
            yield from _host(values["HOSTNAME"], values["NCPU"], values.get("MEMTOT", ""))


def _qhost_xml(text: str) -> Iterator[_Node]:
    """The hosts of `qhost -xml`. Raises InputError for a text that declares entities of its own."""
    if "<!" in text:  # which no qhost prints: entities could grow without bounds
        raise InputError("XML with declarations is not read")
    for host in ElementTree.fromstring(text).iter("host"):
        values = {value.get("name", ""): value.text or "" for value in host.iter("hostvalue")}
        yield from _host(host.get("name", ""), values.get("num_proc", ""), values.get("mem_total", ""))


def _host(name: str, cpus: str, ram: str) -> Iterator[_Node]:
    """A host of Grid Engine; one that does not answer has bars in place of numbers."""
    if name and name != "global":  # what holds for all hosts
        yield _Node(name, _count(cpus), _mebibytes(ram), up=cpus.strip() not in ("", "-"))


def _machine_of(nodes: Sequence[_Node], *, tells_gpus: bool) -> PrintedMachine:
    """Groups of the nodes that are alike, the largest first. Raises InputError if no node has CPUs."""
    # Nodes with the same CPUs, memory and GPUs form a group.
    alike: dict[tuple[int, int, int], list[str]] = {}
    for node in nodes:
        if node.cpus:
            alike.setdefault((node.cpus, node.ram, node.gpus), []).append(node.name)
    if not alike:
        raise InputError("no node of this file says how many CPUs it has")
    sizes = sorted(alike, reverse=True)
    hosts = [sorted(alike[size], key=natural) for size in sizes]
    groups = tuple(
        NodeGroup(len(own), cpus, ram or None, (("gpu", gpus),) if gpus else (), name, tuple(own))
        for (cpus, ram, gpus), own, name in zip(
            sizes, hosts, group_names(hosts, [()] * len(hosts)), strict=True
        )
    )
    # A node that does not answer prints no CPUs: it cannot be in the machine.
    unknown = [node.name for node in nodes if not node.cpus]
    # States of the moment say nothing of the time of the log, so these nodes stay.
    away = [node.name for node in nodes if node.cpus and not node.up]
    notes = [
        _line(unknown, "without CPUs, or not answering: left out"),
        _line(away, "on which no job starts now, by their state: they count as up"),
        "" if tells_gpus else "qhost prints no GPUs: no node has any here",
    ]
    return PrintedMachine(Cluster(groups), tuple(note for note in notes if note))


def _line(names: Sequence[str], what: str) -> str:
    """A line about these nodes; empty for none."""
    if not names:
        return ""
    more = ", ..." if len(names) > _MOST_NAMED else ""
    listed = ", ".join(clip(name) for name in names[:_MOST_NAMED])
    return f"{len(names):,} {'node' if len(names) == 1 else 'nodes'} {what} ({listed}{more})"


def _count(text: str) -> int:
    """A number of CPUs or GPUs; 0 where there is none."""
    text = text.strip()
    return min(int(text), MAX_CPUS, MAX_EXTRA) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else 0


def _mebibytes(text: str) -> int:
    """The MiB of `196608000kb`, `8gb` or `188.6G`, rounded down; 0 for other texts."""
    amount = amount_of(text.strip().lower().removesuffix("b"))
    return 0 if amount is None else min(int(amount) // _MIB, MAX_NODE_RAM)
