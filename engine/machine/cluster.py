"""The machine: groups of identical nodes, each node a vector of resources."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_CPUS, MAX_EXTRA, MAX_GROUPS, MAX_MACHINES_BYTES, MAX_NODE_RAM, MAX_NODES
from engine.machine.outages import NO_OUTAGES, RECORDED, Failures, Outages, parse_failures
from engine.slurm.values.host_list import host_runs
from engine.words import clip

UNLIMITED = np.int64(1) << 60
"""RAM in MiB of a node whose RAM is not known: enough for every job."""

MACHINES = {"bluegene": "80x512c"}
"""Machines by name: the 40,960 nodes of Tang et al. 2013, section 4.1, in units of 512."""

_MORE_FAILURES = 30 * 86_400  # s

_DIGITS = 30  # that are read at all
_KIB = {"k": 1, "m": 2**10, "g": 2**20, "t": 2**30}
_GROUP = re.compile(r"(?:(\d+)x)?(\d+)c(?:(\d+)([kmgt]))?((?:\d+[a-z]{2,})*)", re.IGNORECASE | re.ASCII)
_EXTRA = re.compile(r"(\d+)([a-z]{2,})", re.IGNORECASE | re.ASCII)


_ALIASES = {"gpus": "gpu"}


@dataclass(frozen=True)
class NodeGroup:
    """A group of `count` identical nodes.

    `cpus` are cores per node; `ram` is MiB per node, or None if it is not known and
    never limits a job; `extra` has further resources by name, such as `("gpu", 8)`. `names` are the host
    names of the first nodes, in order, as far as they are known, `features` the words by which jobs can ask
    for nodes. Neither is a part of the machine's text.
    """

    count: int
    cpus: int
    ram: int | None = None
    extra: tuple[tuple[str, int], ...] = ()
    name: str = ""
    names: tuple[str, ...] = ()
    features: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (1 <= self.count <= MAX_NODES and 1 <= self.cpus <= MAX_CPUS):
            raise InputError(
                f"{self.spelling}: a node group has 1 to {MAX_NODES:,} nodes of 1 to {MAX_CPUS:,} CPUs"
            )
        if self.ram is not None and not 1 <= self.ram <= MAX_NODE_RAM:
            raise InputError(
                f"{self.spelling}: a node has 1 to {MAX_NODE_RAM:,} MiB of RAM, or none is given"
            )
        if any(amount > MAX_EXTRA for _, amount in self.extra):
            raise InputError(f"{self.spelling}: a node has at most {MAX_EXTRA:,} of each other resource")
        if len(self.names) > self.count:
            raise InputError(f"{self.spelling}: {len(self.names):,} host names are given")

    @property
    def spelling(self) -> str:
        """As on the command line: `20x80c505g`; a single node is a pool, `338c`."""
        ram = "" if self.ram is None else _format_ram(self.ram)
        extra = "".join(f"{amount}{name}" for name, amount in self.extra)
        return f"{'' if self.count == 1 else f'{self.count}x'}{self.cpus}c{ram}{extra}"


@dataclass(frozen=True)
class Cluster:
    """A list of node groups. A *pool* is a single node that holds all processors.

    Nodes are numbered from 0 in the order of the groups; so are processors, node by node. `failures` are the
    outages of nodes: recorded in a log, or drawn at random.
    """

    groups: tuple[NodeGroup, ...]
    failures: Outages | Failures | None = None

    def __post_init__(self) -> None:
        if not self.groups:
            raise InputError("a cluster needs at least one group of nodes")
        if len(self.groups) > MAX_GROUPS:
            raise InputError(
                f"a cluster has at most {MAX_GROUPS:,} groups of nodes, not {len(self.groups):,}"
            )
        if self.nodes > MAX_NODES:
            raise InputError(f"a cluster has at most {MAX_NODES:,} nodes, not {self.nodes:,}")
        if self.cpus > MAX_CPUS:
            raise InputError(f"a cluster has at most {MAX_CPUS:,} CPUs, not {self.cpus:,}")
        if self.failures is not None and self.pooled:
            raise InputError(
                f"cluster {self.spelling!r}: a pool only counts its processors, none of its nodes can fail; "
                f"spell it as nodes, like {self.cpus}x1c~{self.failures.spelling}"
            )

    @classmethod
    def pool(cls, cpus: int) -> Cluster:
        """A machine of `cpus` processors that only counts them."""
        return cls((NodeGroup(1, cpus),))

    @property
    def nodes(self) -> int:
        """Nodes of the whole machine."""
        return sum(group.count for group in self.groups)

    @property
    def pooled(self) -> bool:
        """True if a single node holds everything, so that only totals count."""
        return self.nodes == 1

    @property
    def cpus(self) -> int:
        """Processors of the whole machine, R."""
        return sum(group.count * group.cpus for group in self.groups)

    @property
    def ram(self) -> int | None:
        """MiB of the whole machine, M; None where any group's RAM is not known."""
        if any(group.ram is None for group in self.groups):
            return None
        return sum(group.count * (group.ram or 0) for group in self.groups)

    @property
    def limits_ram(self) -> bool:
        """True if RAM of any node can delay a job."""
        return any(group.ram is not None for group in self.groups)

    @property
    def further_resources(self) -> tuple[str, ...]:
        """The resources of nodes besides CPUs and RAM, by name, in the order of the groups."""
        return tuple(dict.fromkeys(name for group in self.groups for name, has in group.extra if has))

    @property
    def resources(self) -> tuple[str, ...]:
        """The names of the K columns of `capacity`: `cpus`, `ram` (if any column follows), others by name."""
        further = self.further_resources
        return ("cpus", "ram", *further) if self.limits_ram or further else ("cpus",)

    def total(self, resource: str) -> int | None:
        """The total of a resource in the machine; None if unknown or absent."""
        if resource in ("cpus", "ram"):
            return self.cpus if resource == "cpus" else self.ram
        if resource not in self.further_resources:
            return None
        return sum(group.count * dict(group.extra).get(resource, 0) for group in self.groups)

    @property
    def has_features(self) -> bool:
        """True if any node has features that jobs can request."""
        return any(group.features for group in self.groups)

    @property
    def has_names(self) -> bool:
        """True if any node has a host name."""
        return any(group.names for group in self.groups)

    def node_name(self, node: int) -> str:
        """The name of a node: its host name; otherwise its group and its number there, `zewura 3`; without a
        group name its number in the machine, `node 3`.
        """
        own, number = self._place(node)
        if number < len(own.names):
            return own.names[number]
        return f"{own.name} {number}" if own.name else f"node {node}"

    def host_name(self, node: int) -> str | None:
        """The host name of a node; None if it is not known."""
        own, number = self._place(node)
        return own.names[number] if number < len(own.names) else None

    def _place(self, node: int) -> tuple[NodeGroup, int]:
        """The group of a node, and its number in it from 0."""
        if not 0 <= node < self.nodes:
            raise ValueError(f"no node {node} in {self}")
        group = bisect_right(self._first_nodes, node) - 1
        return self.groups[group], node - self._first_nodes[group]

    def node_names(self) -> list[str]:
        """The names of all nodes, in order."""
        names: list[str] = []
        for group, first in zip(self.groups, self._first_nodes, strict=True):
            start, shift = (group.name, 0) if group.name else ("node", first)
            names += group.names
            names += [f"{start} {shift + k}" for k in range(len(group.names), group.count)]
        return names

    def find_node(self, name: str) -> int | None:
        """The node of this host name; None where no node has it."""
        return self._node_of.get(name)

    @cached_property
    def name_breaks(self) -> NDArray[np.bool_]:
        """True where the name of a node does not continue that of the previous node, shape (nodes,)."""
        breaks = np.zeros(self.nodes, np.bool_)
        for group, first in zip(self.groups, self._first_nodes, strict=True):
            stretches = [len(stretch) for stretch in host_runs(group.names)]
            breaks[first + np.cumsum([0, *stretches[:-1]])] = True
            if len(group.names) < group.count:
                breaks[first + len(group.names)] = True
        return breaks

    @cached_property
    def _first_nodes(self) -> list[int]:
        """The first node of each group."""
        return list(accumulate((group.count for group in self.groups[:-1]), initial=0))

    @cached_property
    def _node_of(self) -> dict[str, int]:
        """The node of each host name; the first node of a repeated name."""
        node_of: dict[str, int] = {}
        for group, first in zip(self.groups, self._first_nodes, strict=True):
            for number, name in enumerate(group.names, first):
                node_of.setdefault(name, number)
        return node_of

    def node_cpus(self) -> NDArray[np.int64]:
        """Processors of each node, shape (nodes,)."""
        return np.repeat(
            np.array([group.cpus for group in self.groups], np.int64),
            [group.count for group in self.groups],
        )

    def capacity(self) -> NDArray[np.int64]:
        """The capacity of each node, shape (nodes, K), a column for each of `resources`; RAM is in MiB."""
        columns = [self.node_cpus()]
        for resource in self.resources[1:]:
            amounts = [self._of_node(group, resource) for group in self.groups]
            columns.append(np.repeat(np.array(amounts, np.int64), [g.count for g in self.groups]))
        return np.ascontiguousarray(np.stack(columns, axis=1))

    def known_capacity(self) -> NDArray[np.int64]:
        """`capacity`, but no RAM of nodes whose RAM is not known."""
        capacity = self.capacity()
        if capacity.shape[1] > 1:
            known = np.repeat(
                [group.ram is not None for group in self.groups], [g.count for g in self.groups]
            )
            capacity[~known, 1] = 0
        return capacity

    def _of_node(self, group: NodeGroup, resource: str) -> int:
        if resource != "ram":
            return dict(group.extra).get(resource, 0)
        return (
            int(UNLIMITED) // self.nodes if group.ram is None else group.ram
        )  # so that the sum cannot overflow

    def outages(self, submit: NDArray[np.int64]) -> Outages:
        """The outages during a simulation of jobs with these submissions, shape (n,), s.

        Failures are drawn from the first submission on, until 30 days plus once more the time span of
        all submissions after the last one: a node that works then never fails.
        Raises InputError if there would be too many.
        """
        if self.failures is None or not len(submit):
            return NO_OUTAGES
        if isinstance(self.failures, Outages):
            return self.failures
        first, last = int(submit[0]), int(submit[-1])
        return self.failures.draw(self.nodes, first, last + (last - first) + _MORE_FAILURES)

    def with_outages(self, submit: NDArray[np.int64]) -> Cluster:
        """The same machine with the failures `outages`, independent of submissions."""
        return self if self.failures is None else replace(self, failures=self.outages(submit))

    @property
    def spelling(self) -> str:
        """The spelling in a single line that `parse_cluster` reads back."""
        failures = "" if self.failures is None else f"~{self.failures.spelling}"
        return "+".join(group.spelling for group in self.groups) + failures

    def __str__(self) -> str:
        return self.spelling


def machine_problem(text: str) -> str:
    """What is wrong with a machine that is spelled, like 20x80c505g; empty where nothing is."""
    try:
        parse_cluster(text)
    except InputError as error:
        return str(error)
    return ""


def parse_cluster(text: str, own: Cluster | None = None) -> Cluster:
    """Read `20x80c505g+48x12c90g`, `4x64c512g8gpu`, the pool `338c`, or a name of MACHINES.

    k m g t are powers of 1024. Failures of its nodes follow after `~`, in the form of `parse_failures`, or as
    `log`: the recorded failures of the log's `own` machine, whose names of groups and nodes are used, too.
    Raises InputError for any other spelling.
    """
    text, tilde, failures = text.strip().partition("~")
    text = MACHINES.get(text, text)
    cluster = Cluster(tuple(_parse_group(part.strip(), text) for part in text.split("+")))
    if own is not None:
        cluster = named_like(cluster, own)
    if not tilde:
        return cluster
    return replace(
        cluster, failures=_recorded(cluster, own) if failures == RECORDED else parse_failures(failures)
    )


def named_like(cluster: Cluster, own: Cluster) -> Cluster:
    """The cluster with the names and features of another one's groups and nodes, if it has as many groups.

    In larger groups only the first nodes get host names.
    """
    if len(cluster.groups) != len(own.groups):
        return cluster
    groups = tuple(
        replace(group, name=its.name, names=its.names[: group.count], features=its.features)
        for group, its in zip(cluster.groups, own.groups, strict=True)
    )
    return replace(cluster, groups=groups)


def with_groups(cluster: Cluster, groups: tuple[NodeGroup, ...]) -> Cluster:
    """The machine of other nodes; failures that the log records of its own nodes are not theirs."""
    same = [group.count for group in groups] == [group.count for group in cluster.groups]
    kept = same or not isinstance(cluster.failures, Outages)
    return replace(cluster, groups=groups, failures=cluster.failures if kept else None)


def _recorded(cluster: Cluster, own: Cluster | None) -> Outages:
    """The failures that the log records, for a machine with the same nodes as the log's."""
    if own is None or not isinstance(own.failures, Outages):
        raise InputError(
            f"cluster {cluster}~{RECORDED}: the log records no failures; spell some like ~30d/4h"
        )
    if [group.count for group in cluster.groups] != [group.count for group in own.groups]:
        raise InputError(f"cluster {cluster}~{RECORDED}: the log records failures of other nodes, {own}")
    return own.failures


def read_machines(path: Path) -> Cluster:
    """Read a `.machines` file: id, name, nodes, CPUs per node, speed, RAM per node in KB, others as `8gpu`.

    RAM is rounded down to MiB, so that no node gets more than it has.
    Raises InputError, which names the line, if the file is not of that form.
    """
    groups = []
    for number, line in enumerate(read_text(path, MAX_MACHINES_BYTES).split("\n"), 1):
        fields = line.split()
        if not fields or fields[0].startswith((";", "#")):
            continue
        try:
            # The speed is not used: runtimes are those of the log.
            _, name, count, cpus, _, ram = fields[:6]
            extra = tuple(
                dict(_further(match) for field in fields[6:] if (match := _EXTRA.fullmatch(field))).items()
            )
            groups.append(NodeGroup(int(count), int(cpus), int(ram) // 1024 or None, extra, name))
        except ValueError as error:
            expected = "expected 'id name nodes cpus speed ram_kb'"
            why = f" ({error})" if isinstance(error, InputError) else ""
            raise InputError(f"{path}:{number}: {expected}, found {clip(line)!r}{why}") from error
    if not groups:
        raise InputError(f"{path}: no machine in this file")
    try:
        return Cluster(tuple(groups))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _parse_group(part: str, whole: str) -> NodeGroup:
    match = _GROUP.fullmatch(part)
    if match is None:
        raise InputError(
            f"cluster {whole!r}: cannot read {part!r}{_nearest(part)}; "
            "spell it like 20x80c505g+48x12c90g, or 338c for a pool"
        )
    # The length of numbers is bounded before they are read.
    if re.search(rf"\d{{{_DIGITS + 1}}}", part):
        raise InputError(f"cluster {whole!r}: {part!r} has a number of more than {_DIGITS} digits")
    count, cpus, ram, unit, extra = match.groups()
    named = tuple(_further(match) for match in _EXTRA.finditer(extra))
    if len(dict(named)) < len(named):
        raise InputError(f"cluster {whole!r}: {part!r} names a resource twice")
    mib = None if ram is None else int(ram) * _KIB[unit.lower()] // 1024
    return NodeGroup(int(count or 1), int(cpus), mib, named)


def _further(match: re.Match[str]) -> tuple[str, int]:
    """A resource besides CPUs and RAM, and how much of it a node has."""
    amount, name = match.groups()
    return _ALIASES.get(name.lower(), name.lower()), int(amount)


def _nearest(part: str) -> str:
    """A suggestion of the most similar group, as words to append to the unknown name."""
    tidy = re.sub(r"[\s_]|nodes?|of|ram", "", part.lower()).replace("*", "x")
    for pattern, letter in (
        (r"(?:cores?|cpus?|procs?)", "c"),
        (r"gi?b", "g"),
        (r"mi?b", "m"),
        (r"ti?b", "t"),
    ):
        tidy = re.sub(rf"(?<=\d){pattern}", letter, tidy)
    tidy += "c" if re.fullmatch(r"(\d+x)?\d+", tidy) else "g" if re.fullmatch(r"(\d+x)?\d+c\d+", tidy) else ""
    return f" (did you mean {tidy}?)" if _GROUP.fullmatch(tidy) else ""


def _format_ram(mib: int) -> str:
    for unit, size in (("t", 2**20), ("g", 2**10)):
        if mib and mib % size == 0:
            return f"{mib // size}{unit}"
    return f"{mib}m"
