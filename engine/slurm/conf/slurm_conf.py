"""A site's `slurm.conf`: its options, its nodes, and the partitions of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import InputError
from engine.limits import MAX_NODES
from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.group_names import group_names
from engine.slurm.conf.gres import GresConf, described, gres_conf_beside
from engine.slurm.conf.kind import PRINTED, conf_kind, refuse_other_conf
from engine.slurm.conf.nodes import NodeLine, read_node_line
from engine.slurm.conf.scontrol_output import (
    NODES,
    PARTITIONS,
    conf_of_printed,
    printed_beside,
    printed_version,
)
from engine.slurm.conf.select import SHARED, NodeUse, node_use
from engine.slurm.conf.text import ConfLine, conf_lines, text_lines
from engine.slurm.conf.version import version_of
from engine.slurm.options.option import ConfigPart
from engine.slurm.options.releases import ASSUMED, Version
from engine.slurm.options.table import is_known, option_of
from engine.slurm.values.gres import Gres
from engine.slurm.values.host_list import expand_hosts
from engine.words import clip, plural

_DEFAULT = "DEFAULT"
_DEFINING = frozenset({"nodename", "partitionname", "nodeset"})
_MAX_MEMBERS = 4 * MAX_NODES
"""Nodes of all partitions together."""


@dataclass(frozen=True)
class ConfGroup:
    """Identical nodes in the same partitions: a node group of the machine.

    `names` are in the file's order; `keys` are those of the first of their lines with the defaults above it,
    in lower case; `gres` are the resources of each node, with types if either file names them.
    """

    names: tuple[str, ...]
    features: tuple[str, ...]
    gres: tuple[Gres, ...]
    keys: Mapping[str, str]


@dataclass(frozen=True)
class Partition:
    """A partition: the numbers of its node groups, from 1, and its keys in lower case as they are written."""

    name: str
    groups: tuple[int, ...]
    keys: Mapping[str, str]
    place: str = ""

    @property
    def starts_jobs(self) -> bool:
        """Whether jobs start there, by its State."""
        return self.keys.get("state", "").upper() not in ("DOWN", "INACTIVE")


@dataclass(frozen=True)
class SlurmConf:
    """The contents of a `slurm.conf`, with its included files and the `gres.conf` beside it.

    `options` are the settings that belong to no node and no partition, by key in lower case. `groups` are the
    node groups of `machine`, in its order. In words: `passed_over` are the parts without a counterpart in the
    machine, `notes` are interpretations that may differ from Slurm's. `use` is how jobs use nodes; if RAM is
    not a consumable resource, nodes of `machine` have no limiting RAM. `version` is that of Slurm, (23, 11),
    if known, and `version_from` its source. `down` are the names of nodes on which no job is to start now.
    Without nodes (`has_nodes` is False) the file tells no machine, and `machine` is a placeholder.
    """

    path: Path
    options: Mapping[str, str]
    machine: Cluster
    groups: tuple[ConfGroup, ...]
    partitions: tuple[Partition, ...]
    passed_over: tuple[str, ...]
    notes: tuple[str, ...] = ()
    use: NodeUse = SHARED
    version: Version | None = None
    version_from: str = ""
    down: tuple[str, ...] = ()
    has_nodes: bool = True

    def option(self, name: str, usual: str = "") -> str:
        """The value of a setting, by its name in any case; `usual` if the file does not set it."""
        return self.options.get(name.lower(), usual)

    def word(self, name: str) -> str:
        """The text of a setting in lower case, or what is usual in the file's release."""
        return self.option(name).lower() or option_of(ConfigPart.SETTING, name).usual_in(self.release)

    @property
    def release(self) -> Version:
        """The release whose usual values count: that of the file, or ASSUMED if nothing tells it."""
        return self.version or ASSUMED

    def default_partition(self) -> Partition | None:
        """The partition of jobs that name none."""
        named = (
            partition for partition in self.partitions if partition.keys.get("default", "").lower() == "yes"
        )
        return next(named, None)

    def partition(self, name: str) -> Partition | None:
        """The partition of this name."""
        return next((partition for partition in self.partitions if partition.name == name), None)


@dataclass
class _Lines:
    """The lines of a file by what they define."""

    options: dict[str, str]
    nodes: list[NodeLine]
    sets: dict[str, tuple[str, Mapping[str, str]]]  # by name, each with its place
    partitions: dict[str, tuple[str, Mapping[str, str]]]
    passed_over: list[str]
    notes: list[str]


def read_slurm_conf(path: Path, needs_nodes: bool = True) -> SlurmConf:
    """Read a `slurm.conf`. Raises InputError, which names the line, where it describes no machine.

    A file without any node is an error only if `needs_nodes`: a site may keep them elsewhere.

    What `scontrol show node` printed is read in its place, with what `scontrol show partition` and
    `scontrol show config` printed into the same folder.
    """
    if conf_kind(path) == NODES:
        return _of_printed(path)
    refuse_other_conf(path)
    notes: list[str] = []
    lines = _read_lines(path, conf_lines(path, notes), notes)
    if not needs_nodes and not lines.nodes:
        return _without_nodes(path, lines)
    return _build(path, lines, gres_conf_beside(path))


def _without_nodes(path: Path, lines: _Lines) -> SlurmConf:
    """The settings of a file that defines no node; its partitions have all nodes of whatever machine.

    Raises InputError for a file of other lines alone.
    """
    # Lines that no slurm.conf has, and none that it has: this is another file.
    if lines.notes and not lines.options and not lines.partitions:
        raise InputError(f"{path}: no line of it is one of a slurm.conf")
    # Without nodes a partition's own list of nodes says nothing; its limits and priorities do.
    partitions = tuple(Partition(name, (), keys, place) for name, (place, keys) in lines.partitions.items())
    version, version_from = version_of(path, lines.options)
    use = node_use(lines.options, {name: keys for name, (_, keys) in lines.partitions.items()}, version)
    return SlurmConf(
        path,
        lines.options,
        Cluster.pool(1),
        (),
        partitions,
        tuple(dict.fromkeys(lines.passed_over)),
        tuple(dict.fromkeys(lines.notes)),
        use,
        version,
        version_from,
        has_nodes=False,
    )


def _of_printed(path: Path) -> SlurmConf:
    texts = printed_beside(path)
    lines = _read_lines(path, text_lines(path, conf_of_printed(texts)), [])
    for kind, gives in ((PARTITIONS, "limits and tiers of partitions"), (PRINTED, "settings")):
        if kind not in texts:
            command = f"scontrol show {'config' if kind == PRINTED else 'partition'}"
            lines.notes.append(f"{gives} are Slurm's defaults: no file is of `{command}`")
    return _build(path, lines, None, printed_version(texts))


def _read_lines(path: Path, raw_lines: Iterable[ConfLine], notes: list[str]) -> _Lines:
    """The lines by what they define; `notes` may grow as they are read."""
    lines = _Lines({}, [], {}, {}, [], notes)
    node_defaults: dict[str, str] = {}
    partition_defaults: dict[str, str] = {}
    strange: Counter[Path] = Counter()  # lines of included files that are not like those of a slurm.conf
    for line in raw_lines:
        keys = line.keys
        if line.rest and line.raw.path != path:  # never show contents of an included file: it can be any file
            strange[line.raw.path] += 1
            if keys.keys().isdisjoint(_DEFINING):
                continue
        elif line.rest:
            lines.notes.append(f"{line.place}: {clip(line.rest)!r} is not a key=value and is passed over")
        if "nodename" in keys:
            # DEFAULT changes what lines behind it say, not those in front.
            if keys["nodename"].upper() == _DEFAULT:
                node_defaults |= keys
            else:
                lines.nodes.append(read_node_line(line, node_defaults))
        elif "partitionname" in keys:
            if keys["partitionname"].upper() == _DEFAULT:
                partition_defaults |= keys
            else:
                _define(lines.partitions, "partition", "partitionname", line, partition_defaults)
        elif "nodeset" in keys:
            _define(lines.sets, "node set", "nodeset", line, {})
        elif "downnodes" in keys:
            lines.passed_over.append(
                f"DownNodes={clip(keys['downnodes'])}: these nodes are up from the start"
            )
        elif "frontendname" in keys:
            lines.passed_over.append(f"FrontendName={clip(keys['frontendname'])}: there are no front ends")
        # Of the main file all settings are kept, whether known or not.
        elif line.raw.path == path:
            lines.options |= keys
        else:  # for keys that slurm.conf does not know show the name and not the value
            lines.options |= {
                key: value if is_known(ConfigPart.SETTING, key) else "…" for key, value in keys.items()
            }
    # Only their number is told: an included file may be anything, and must not be shown.
    for included, count in strange.items():
        text = f"{plural(count, 'line')} of this included file"
        lines.notes.append(f"{included}: {text} {'is' if count == 1 else 'are'} not understood")
    return lines


def _define(
    defined: dict[str, tuple[str, Mapping[str, str]]],
    noun: str,
    key: str,
    line: ConfLine,
    defaults: Mapping[str, str],
) -> None:
    """Keep what a line defines under its name. Raises InputError where that name is taken."""
    name = line.keys[key]
    if name in defined:
        first = defined[name][0]
        raise InputError(f"{line.place}: the {noun} {clip(name)!r} is defined twice, first in {first}")
    defined[name] = (line.place, dict(defaults) | dict(line.keys))


def _build(path: Path, lines: _Lines, gres: GresConf | None, printed: Version | None = None) -> SlurmConf:
    """Nodes grouped by their line and by the partitions that they are in.

    `printed` is the version of Slurm, if it printed the file.
    """
    # A node is defined by a single line, and may be in any number of partitions.
    line_of = _line_of(path, lines.nodes)
    # Node sets are resolved first: partitions may name them.
    sets = {name: _set_members(name, *entry, lines.nodes, line_of) for name, entry in lines.sets.items()}
    member = _partitions_of(lines, line_of, sets)
    if not member:
        raise InputError(f"{path}: there are no nodes in this file{_more(lines)}")
    kinds = _by_kind(lines.nodes, line_of, member)
    # Groups keep the file's order, in which slurmctld numbers nodes.
    order = sorted(kinds, key=lambda kind: kind[0])
    partition_names = tuple(lines.partitions)
    names = group_names(
        [kinds[kind] for kind in order], [[partition_names[k] for k in kind[1:]] for kind in order]
    )
    passed_over = lines.passed_over + [text for entry in lines.nodes for text in entry.passed_over]
    passed_over += _ignored(lines.nodes)
    groups = [_group(lines.nodes[kind[0]], kinds[kind], gres, passed_over) for kind in order]
    passed_over += _undetected(gres)
    version = version_of(path, lines.options) if printed is None else _printed_version(printed)
    use = node_use(lines.options, {name: keys for name, (_, keys) in lines.partitions.items()}, version[0])
    try:
        machine = Cluster(
            tuple(
                _limits(lines.nodes[kind[0]], kinds[kind], name, use)
                for kind, name in zip(order, names, strict=True)
            )
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return SlurmConf(
        path,
        lines.options,
        machine,
        tuple(groups),
        _partitions(lines, [kind[1:] for kind in order]),
        tuple(dict.fromkeys(passed_over)),
        tuple(dict.fromkeys(lines.notes + [text for entry in lines.nodes for text in entry.notes])),
        use,
        *version,
        tuple(name for entry in lines.nodes if entry.down for name in entry.names),
    )


def _partitions_of(
    lines: _Lines, line_of: Mapping[str, int], sets: Mapping[str, list[str]]
) -> dict[str, list[int]]:
    """The numbers of the partitions that each node is in, but for nodes of the future. Raises InputError."""
    member: dict[str, list[int]] = {name: [] for name, k in line_of.items() if not lines.nodes[k].future}
    # Each partition may name all nodes: the sum is bounded, not each of them.
    room = _MAX_MEMBERS
    for k, (place, keys) in enumerate(lines.partitions.values()):
        for name in _members(place, keys.get("nodes", ""), "partition", line_of, sets):
            if name in member:
                member[name].append(k)
            room -= 1
        if room < 0:
            raise InputError(f"{place}: the partitions name over {_MAX_MEMBERS:,} nodes in all")
    return member


def _undetected(gres: GresConf | None) -> Iterator[str]:
    """What a `gres.conf` leaves to the nodes to detect."""
    if gres is not None and gres.detect:
        detected = clip(", ".join(gres.detect))
        yield f"{gres.path.name}, AutoDetect={detected}: what nodes detect is not known here"


def _printed_version(printed: Version) -> tuple[Version, str]:
    """The version of a running slurmctld, and how it is known: surer than what options allow to guess."""
    return printed, f"`scontrol show config` is of Slurm {printed[0]}.{printed[1]:02}"


def _by_kind(
    nodes: list[NodeLine], line_of: Mapping[str, int], member: Mapping[str, list[int]]
) -> dict[tuple[int, ...], list[str]]:
    """The first line that defines nodes like these, and the numbers of their partitions -> their names.

    Nodes of equal hardware in the same partitions form a group: a scheduler cannot tell them apart.
    """
    kinds: dict[tuple[int, ...], list[str]] = {}
    alike = _alike(nodes)
    for name, partitions in member.items():
        kinds.setdefault((alike[line_of[name]], *partitions), []).append(name)
    return kinds


def _partitions(lines: _Lines, inside: list[tuple[int, ...]]) -> tuple[Partition, ...]:
    """The partitions, each with the numbers of its node groups from 1; `inside` are those of each group."""
    return tuple(
        Partition(name, tuple(g for g, numbers in enumerate(inside, 1) if k in numbers), keys, place)
        for k, (name, (place, keys)) in enumerate(lines.partitions.items())
    )


def _limits(entry: NodeLine, nodes: list[str], name: str, use: NodeUse) -> NodeGroup:
    """The node group of these nodes, with what limits jobs there."""
    group = replace(
        entry.group, count=len(nodes), name=name, names=tuple(nodes), features=tuple(entry.features)
    )
    return group if use.consumes_ram else replace(group, ram=None)


def _alike(nodes: list[NodeLine]) -> list[int]:
    """For each line the number of the first that defines nodes like its own."""
    first: dict[object, int] = {}
    return [
        first.setdefault(
            (replace(entry.group, count=1), entry.features, entry.gres, entry.keys.get("weight")), k
        )
        for k, entry in enumerate(nodes)
    ]


def _ignored(nodes: list[NodeLine]) -> Iterator[str]:
    """Keys of nodes that are not obeyed, a line for each value."""
    lines: dict[tuple[str, str, str], list[str]] = {}
    for entry in nodes:
        for key in entry.ignored:
            lines.setdefault(key, []).append(entry.keys["nodename"])
    for (name, value, why), names in lines.items():
        yield f"nodes {clip(', '.join(names))}, {name}={clip(value)}: {why}"


def _more(lines: _Lines) -> str:
    """A description of a file without nodes, in words to append."""
    left = [entry for entry in lines.nodes if entry.future]
    return " but such with State=FUTURE" if left else ""


def _line_of(path: Path, nodes: list[NodeLine]) -> dict[str, int]:
    """The number of the line that defines each node. Raises InputError if two lines define a node."""
    line_of: dict[str, int] = {}
    for k, entry in enumerate(nodes):
        for name in entry.names:
            if name in line_of:
                first = nodes[line_of[name]].place
                raise InputError(f"{entry.place}: the node {clip(name)!r} is defined twice, first in {first}")
        line_of |= dict.fromkeys(entry.names, k)
        if len(line_of) > MAX_NODES:
            raise InputError(f"{path}: a cluster has at most {MAX_NODES:,} nodes")
    return line_of


def _group(entry: NodeLine, names: Iterable[str], gres: GresConf | None, notes: list[str]) -> ConfGroup:
    """The nodes of a line in the same partitions, with their resources from `gres.conf`."""
    names = tuple(names)
    resources = entry.gres
    if gres is not None:
        kinds = Counter(gres.of(name) for name in names)
        described_as, faults = described(entry.gres, kinds.most_common(1)[0][0])
        if len(kinds) == 1:
            resources = described_as
        notes += [f"nodes {clip(entry.keys['nodename'])}, {fault}" for fault in faults]
    return ConfGroup(names, entry.features, resources, entry.keys)


def _set_members(
    name: str,
    place: str,
    keys: Mapping[str, str],
    nodes: list[NodeLine],
    line_of: Mapping[str, int],
) -> list[str]:
    """The nodes of a set: the named nodes, and the nodes with its feature. Raises InputError."""
    if name in line_of:
        raise InputError(f"{place}: the node set {clip(name)!r} has the name of a node")
    members = _members(place, keys.get("nodes", ""), "node set", line_of, {})
    feature = keys.get("feature", keys.get("features", ""))
    if feature:
        members += [node for entry in nodes if feature in entry.features for node in entry.names]
    return list(dict.fromkeys(members))


def _members(
    place: str, text: str, noun: str, known: Mapping[str, int], sets: Mapping[str, list[str]]
) -> list[str]:
    """The nodes of a list of nodes and node sets. Raises InputError for a name that no line defines."""
    # ALL is a word of Slurm's for every node of the file.
    if text.upper() == "ALL":
        return list(known)
    try:
        names = expand_hosts(text)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error
    # A node that is named twice, alone and by a set, is a member once; the order of naming stays.
    members: dict[str, None] = {}
    for name in names:
        if name in sets:
            members |= dict.fromkeys(sets[name])
        elif name in known:
            members[name] = None
        else:
            raise InputError(f"{place}: no line defines the node {clip(name)!r} of this {noun}")
    return list(members)
