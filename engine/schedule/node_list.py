"""The nodes of jobs as cells of a table: `c017:8c512m c[001-003,020]:2c128m`.

After the colon are the job's CPUs on each node and, if the machine limits it, MiB of RAM. Consecutive nodes
with equal amounts share an item. Nodes without host names are numbered from 0, as in `0:8c512m 3-5:2c128m`.
In host names, characters with a meaning in the list are percent-encoded, and so is the first character of a
name of digits alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, overload
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.limits import MAX_NODE_RAM
from engine.machine.cluster import Cluster
from engine.slurm.values.host_list import compress_runs, expand_hosts, host_runs, next_name
from engine.trace import Pieces

NODE_LIST = "node_list"
"""The name of the column."""

MAX_ROWS = 1 << 24
"""The most pieces of all jobs of a table; this times the largest amount of a cell is below 2^61."""

_MOST_KNOWN = 1 << 16
"""The most items that are kept, by their nodes and amounts: a few MB."""

_ITEM = re.compile(r"([^\s:]+):(\d{1,9})c(?:(\d{1,11})m)?", re.ASCII)
_NUMBERS = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9._-]*")
_LIKE_NUMBERS = re.compile(r"[0-9-]+")


class NodeLists(Sequence[str]):
    """The cells of all jobs, formatted when they are asked for, as there may be millions.

    Nodes are called by their host names where the `cluster` has them.
    """

    def __init__(self, pieces: Pieces, cluster: Cluster | None = None) -> None:
        self._pieces = pieces
        self._cluster = cluster if cluster is not None and cluster.has_names else None
        self._known: dict[tuple[int, int, int, int], str] = {}  # items of a single run

    def __len__(self) -> int:
        return len(self._pieces.offset) - 1

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> list[str]: ...
    def __getitem__(self, which: int | slice) -> str | list[str]:
        jobs = range(len(self))[which]
        if isinstance(jobs, int):
            return self._format(range(jobs, jobs + 1))[0]
        if jobs.step == 1:
            return self._format(jobs)
        return [self[job] for job in jobs]

    def _format(self, jobs: range) -> list[str]:
        """The cells of jobs in a row. Only runs of nodes are looped over: a job may have many nodes."""
        offset = self._pieces.offset[jobs.start : jobs.stop + 1]
        pieces = slice(int(offset[0]), int(offset[-1])) if len(offset) else slice(0, 0)
        node, cpus = self._pieces["node"][pieces], self._pieces["cpus"][pieces]
        with_ram = "ram" in self._pieces.columns
        ram = np.minimum(self._pieces["ram"][pieces], MAX_NODE_RAM) if with_ram else np.zeros_like(node)
        # An item ends where the job or the amounts change, and between nodes with and without host names.
        # Within an item of host names there are several runs: `c[001-003,020]`.
        item = np.zeros(len(node), np.bool_)
        item[(offset[:-1] - pieces.start)[np.diff(offset) > 0]] = True
        item |= _changes(cpus)
        if with_ram:
            item |= _changes(ram)
        run = np.ones(len(node), np.bool_)
        np.not_equal(node[1:], node[:-1] + 1, out=run[1:])
        if self._cluster is not None:
            item |= _changes(self._names.named[node])
            run |= ~self._names.follows[node]
        run |= item
        firsts = np.flatnonzero(run)
        lasts = np.append(firsts[1:], len(node))[: len(firsts)] - 1
        rows = zip(
            (np.searchsorted(offset, firsts + pieces.start, side="right") - 1).tolist(),
            *(column.tolist() for column in (node[firsts], node[lasts], cpus[firsts], ram[firsts])),
            # A run of host names completes its item if the next run begins another item.
            np.append(item[firsts[1:]], True)[: len(firsts)].tolist(),
            strict=True,
        )
        return self._texts(rows, len(jobs), with_ram)

    def _texts(
        self, rows: Iterator[tuple[int, int, int, int, int, bool]], jobs: int, with_ram: bool
    ) -> list[str]:
        """The cells of so many jobs.

        A row is a run of nodes: the number of its job, its first and last node, the CPUs and the RAM on each,
        and whether it completes its item.
        """
        cells = [""] * jobs
        further: dict[int, list[str]] = {}  # items of jobs that have several
        hosts: list[tuple[str, str]] = []  # runs of the item that is not complete yet
        names, named = self._names.encoded, self._names.named.tolist()
        for index, first, last, cpus, ram, complete in rows:
            key = first, last, cpus, ram
            # Most items are a single run, and schedulers give out the same nodes again and again.
            single = not hosts and (complete or not named[first])
            text = self._known.get(key) if single else None
            if text is None:
                if named[first]:
                    # Nodes with consecutive names may lie apart in the machine.
                    joins = hosts and next_name(hosts[-1][1]) == names[first]
                    hosts.append((hosts.pop()[0] if joins else names[first], names[last]))
                    if not complete:
                        continue
                    nodes = compress_runs(hosts)
                    hosts = []
                else:
                    nodes = str(first) if first == last else f"{first}-{last}"
                text = f"{nodes}:{cpus}c{ram}m" if with_ram else f"{nodes}:{cpus}c"
                if single and len(self._known) < _MOST_KNOWN:
                    self._known[key] = text
            if not cells[index]:
                cells[index] = text
            else:
                further.setdefault(index, []).append(text)
        for index, texts in further.items():
            cells[index] = " ".join((cells[index], *texts))
        return cells

    @cached_property
    def _names(self) -> _Names:
        """The host names of the machine's nodes; of a machine without any, as many nodes as the jobs use."""
        if self._cluster is None:
            count = int(self._pieces["node"].max(initial=-1)) + 1
            return _Names([], np.zeros(count, np.bool_), np.ones(count, np.bool_))
        cluster = self._cluster
        hosts = [cluster.host_name(node) for node in range(cluster.nodes)]
        encoded = ["" if host is None else _encoded(host) for host in hosts]
        named = np.array([host is not None for host in hosts], np.bool_)
        # Only the first node of a stretch of names such as n1 to n8 begins anew: all others follow the node
        # before.
        follows = np.ones(len(hosts), np.bool_)
        place = 0
        for stretch in host_runs(encoded):
            follows[place] = not named[place]
            place += len(stretch)
        return _Names(encoded, named, follows)


class _Names(NamedTuple):
    """What the nodes of a machine are called in cells; one element per node."""

    encoded: list[str]  # "" without a host name
    named: NDArray[np.bool_]
    follows: NDArray[np.bool_]  # whether it may stand behind the node before it in a range


def _changes(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Where a value differs from the value before it; the first does."""
    changes = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return changes


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
        # A cell holds several items, with the same CPUs and memory on all nodes of an item.
        before = len(node)
        for item in cell.split():
            # The number of rows is bounded while it grows: a single item may stand for a huge range.
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
    # Memory is a column only where every cell tells it: a mixture could not be summed up.
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
    # Numbers stand for machines without host names, such as 3-7; everything else is a list of hosts.
    numbers = _NUMBERS.fullmatch(text)
    if numbers is not None:
        first, last = int(numbers[1]), int(numbers[2] or numbers[1])
        if last < first:
            raise InputError(f"the nodes {text!r} end before they begin")
        return range(first, last + 1)
    if cluster is None or not cluster.has_names:
        raise InputError(f"cannot read the nodes {text[:40]!r}: the nodes of the machine have no host names")
    nodes = []
    for name in expand_hosts(text, most):
        node = cluster.find_node(unquote(name, errors="surrogateescape"))
        if node is None:
            raise InputError(f"the machine has no node {name[:40]!r}")
        nodes.append(node)
    return nodes
