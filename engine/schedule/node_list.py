"""The nodes of jobs as cells of a table: `c017:8c512m c[001-003,020]:2c128m`.

After the colon are the job's CPUs on each node and, if the machine limits it, MiB of RAM. Consecutive nodes
with equal amounts share an item. Nodes without host names are numbered from 0, as in `0:8c512m 3-5:2c128m`.
In host names, characters with a meaning in the list are percent-encoded, and so is the first character of a
name of digits alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import overload
from urllib.parse import unquote

import numpy as np

from engine.errors import InputError
from engine.limits import MAX_NODE_RAM
from engine.machine.cluster import Cluster
from engine.slurm.values.host_list import compress_hosts, expand_hosts
from engine.trace import Pieces

NODE_LIST = "node_list"
"""The name of the column."""

MAX_ROWS = 1 << 24
"""The most pieces of all jobs of a table; this times the largest amount of a cell is below 2^61."""

_ITEM = re.compile(r"([^\s:]+):(\d{1,9})c(?:(\d{1,11})m)?", re.ASCII)
_NUMBERS = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9._-]*")
_LIKE_NUMBERS = re.compile(r"[0-9-]+")


class NodeLists(Sequence[str]):
    """The cells of all jobs, each formatted at its access, as there may be millions.

    Nodes are called by their host names where the `cluster` has them.
    """

    def __init__(self, pieces: Pieces, cluster: Cluster | None = None) -> None:
        self._pieces = pieces
        self._cluster = cluster if cluster is not None and cluster.has_names else None

    def __len__(self) -> int:
        return len(self._pieces.offset) - 1

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> list[str]: ...
    def __getitem__(self, which: int | slice) -> str | list[str]:
        if isinstance(which, slice):
            return [self._format(job) for job in range(len(self))[which]]
        return self._format(range(len(self))[which])

    def _format(self, job: int) -> str:
        own = slice(int(self._pieces.offset[job]), int(self._pieces.offset[job + 1]))
        node, cpus = (self._pieces[name][own].tolist() for name in ("node", "cpus"))
        ram = [-1] * len(node)
        if "ram" in self._pieces.columns:
            ram = np.minimum(self._pieces["ram"][own], MAX_NODE_RAM).tolist()
        items = []
        rows = zip(node, cpus, ram, strict=True)
        for (cpus_each, ram_each), own_rows in groupby(rows, key=lambda row: row[1:]):
            each = f"{cpus_each}c" + (f"{ram_each}m" if ram_each >= 0 else "")
            items += [f"{nodes}:{each}" for nodes in self._format_nodes([row[0] for row in own_rows])]
        return " ".join(items)

    def _format_nodes(self, nodes: Sequence[int]) -> Iterator[str]:
        """Nodes in their order, as lists of host names, and as ranges of numbers."""
        for named, own in groupby(nodes, key=self._is_named):
            if named and self._cluster is not None:
                yield compress_hosts([_encoded(self._cluster.node_name(node)) for node in own])
            else:
                yield from _ranges(own)

    def _is_named(self, node: int) -> bool:
        return self._cluster is not None and self._cluster.host_name(node) is not None


def _ranges(nodes: Iterable[int]) -> Iterator[str]:
    """Numbers in order, with `3-5` for consecutive numbers."""
    first = last = -1
    for node in nodes:
        if last < 0 or node != last + 1:
            if last >= 0:
                yield str(first) if first == last else f"{first}-{last}"
            first = node
        last = node
    if last >= 0:
        yield str(first) if first == last else f"{first}-{last}"


def _encoded(name: str) -> str:
    """A host name for a cell, in which a number would be a node without a name."""
    if _LIKE_NUMBERS.fullmatch(name):
        return f"%{ord(name[0]):02X}{name[1:]}"
    if _PLAIN.fullmatch(name):
        return name
    octets = name.encode("utf-8", "surrogateescape")
    return "".join(chr(c) if _PLAIN.fullmatch(chr(c)) else f"%{c:02X}" for c in octets)


def read_node_lists(cells: Sequence[str], cluster: Cluster | None = None) -> Pieces:
    """The nodes in these cells, a cell for each job: columns `node`, `cpus`, and `ram` if all of them have
    it.

    Host names are those of the `cluster`. Raises InputError for a cell that is not of this form or names
    another host, and for more rows than MAX_ROWS.
    """
    node: list[int] = []
    cpus, ram, counts = [], [], []
    sizes = np.zeros(len(cells), np.int64)
    for index, cell in enumerate(cells):
        before = len(node)
        for item in cell.split():
            room = MAX_ROWS - len(node)
            nodes, cpus_each, ram_each = _read_item(item, cluster, room)
            if len(nodes) > room:
                raise InputError(f"lists of over {MAX_ROWS:,} nodes are too long")
            node += nodes
            counts.append(len(nodes))
            cpus.append(cpus_each)
            ram.append(ram_each)
        sizes[index] = len(node) - before
    each = np.array(counts, np.int64)
    columns = {"node": np.array(node, np.int64), "cpus": np.repeat(np.array(cpus, np.int64), each)}
    if all(amount >= 0 for amount in ram):
        columns["ram"] = np.repeat(np.array(ram, np.int64), each)
    return Pieces(np.concatenate(([0], np.cumsum(sizes))), columns)


def _read_item(item: str, cluster: Cluster | None, most: int) -> tuple[Sequence[int], int, int]:
    """The nodes of an item, and the CPUs and MiB of RAM (-1: not given) on each."""
    match = _ITEM.fullmatch(item)
    if match is None:
        raise InputError(
            f"cannot read the nodes {item[:40]!r}; they are spelled like c017:8c, c[1-3]:2c128m or 0-5:2c"
        )
    nodes, cpus, ram = match.groups()
    return _read_nodes(nodes, cluster, most), int(cpus), int(ram or -1)


def _read_nodes(text: str, cluster: Cluster | None, most: int) -> Sequence[int]:
    numbers = _NUMBERS.fullmatch(text)
    if numbers is not None:
        first, last = int(numbers[1]), int(numbers[2] or numbers[1])
        if last < first:
            raise InputError(f"the nodes {text!r} end before they begin")
        return range(first, last + 1)
    if cluster is None or not cluster.has_names:
        raise InputError(f"cannot read the nodes {text[:40]!r}: the nodes of the machine have no host names")
    found = []
    for name in expand_hosts(text, most):
        node = cluster.find_node(unquote(name, errors="surrogateescape"))
        if node is None:
            raise InputError(f"the machine has no node {name[:40]!r}")
        found.append(node)
    return found
