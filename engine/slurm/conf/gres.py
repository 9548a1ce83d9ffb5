"""Generic resources of nodes, such as GPUs: `slurm.conf` counts them, `gres.conf` describes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError
from engine.input import exists
from engine.limits import MAX_EXTRA, MAX_NODES
from engine.slurm.conf.text import conf_lines
from engine.slurm.values.amounts import read_count
from engine.slurm.values.gres import Gres, gres_parts
from engine.slurm.values.host_list import expand_hosts
from engine.words import clip

_WORD = re.compile(r"[a-z]{2,}", re.ASCII)


def parse_gres(text: str) -> tuple[tuple[Gres, ...], tuple[str, ...]]:
    """Resources of `gpu:a100:4,gpu:t4:2(S:0-1)`, and what of it cannot be read, in words."""
    resources: list[Gres] = []
    odd: list[str] = []
    for part, gres in gres_parts(text):
        if gres is None:
            odd.append(f"Gres={clip(part)}")
        else:
            resources.append(gres)
    return tuple(resources), tuple(odd)


def amounts(gres: Iterable[Gres]) -> tuple[tuple[str, int], ...]:
    """The amount of each resource of a node, summed over types; names are reduced to letters, as in spellings
    of machines.
    """
    total: dict[str, int] = {}
    for resource in gres:
        if _WORD.fullmatch(resource.name):
            total[resource.name] = min(total.get(resource.name, 0) + resource.count, MAX_EXTRA)
    return tuple(total.items())


@dataclass(frozen=True)
class GresConf:
    """The contents of a `gres.conf`: the resources of nodes by name, those of all other nodes, and
    detections.

    `detect` are the values of AutoDetect other than `off`, as they are written.
    """

    path: Path
    of_node: Mapping[str, tuple[Gres, ...]]
    of_all: tuple[Gres, ...]
    detect: tuple[str, ...]

    def of(self, node: str) -> tuple[Gres, ...]:
        """The resources of a node."""
        return self.of_node.get(node, ()) + self.of_all


def read_gres_conf(path: Path) -> GresConf:
    """Read a `gres.conf`. Raises InputError, which names the line."""
    of_node: dict[str, list[Gres]] = {}
    of_all: list[Gres] = []
    detect: dict[str, None] = {}
    named = 0
    for line in conf_lines(path):
        keys = line.keys
        if (detection := keys.get("autodetect", "off")).lower() != "off":
            detect[detection] = None
        # A line of AutoDetect alone describes no device.
        if "name" not in keys:
            continue
        try:
            gres = Gres(keys["name"].lower(), keys.get("type", "").lower(), _count(keys))
            nodes = expand_hosts(keys["nodename"]) if "nodename" in keys else None
        except InputError as error:
            raise InputError(f"{line.place}: {error}") from error
        if nodes is None:
            of_all.append(gres)
            continue
        # A few letters of a host list can name millions of nodes, in every line again.
        named += len(nodes)
        if named > MAX_NODES:
            raise InputError(f"{line.place}: the lines name over {MAX_NODES:,} nodes in all")
        for node in nodes:
            of_node.setdefault(node, []).append(gres)
    return GresConf(
        path, {node: tuple(entries) for node, entries in of_node.items()}, tuple(of_all), tuple(detect)
    )


def gres_conf_beside(path: Path) -> GresConf | None:
    """The contents of the `gres.conf` beside a `slurm.conf`; None if there is none. Raises InputError."""
    beside = path.with_name("gres.conf")
    return read_gres_conf(beside) if exists(beside) else None


def _count(keys: Mapping[str, str]) -> int:
    """The amount of a resource on a line: its Count, otherwise the number of its files, otherwise 1. Raises
    InputError.
    """
    if text := keys.get("count"):
        return min(read_count("Count", text), MAX_EXTRA)
    files = keys.get("file", "")
    return max(len(expand_hosts(files, MAX_EXTRA)), 1) if files else 1


def described(printed: tuple[Gres, ...], conf: tuple[Gres, ...]) -> tuple[tuple[Gres, ...], tuple[str, ...]]:
    """A node's resources with the types from `gres.conf`, and the differences between the two files.

    Counts are those of `slurm.conf`, which Slurm schedules by; resources that it does not name are not given
    to jobs. Types are taken over if `slurm.conf` names none and the counts are equal.
    """
    faults: list[str] = []
    resources: list[Gres] = []
    for name in dict.fromkeys(gres.name for gres in printed):
        here = [gres for gres in printed if gres.name == name]
        there = _summed([gres for gres in conf if gres.name == name])
        has, says = sum(gres.count for gres in here), sum(gres.count for gres in there)
        if there and has != says:
            faults.append(f"{name}: {has} in slurm.conf, which counts here, {says} in gres.conf")
        # slurm.conf counts; gres.conf may only add types, and only where both say the same number.
        untyped = not any(gres.type for gres in here)
        resources += there if there and untyped and has == says else here
    missing = dict.fromkeys(entry.name for entry in conf if entry.name not in {gres.name for gres in printed})
    faults += [f"{name}: in gres.conf alone, so that Slurm gives it to no job" for name in missing]
    return tuple(resources), tuple(faults)


def _summed(gres: list[Gres]) -> list[Gres]:
    """Counts of the same type summed."""
    total: dict[tuple[str, str], int] = {}
    for resource in gres:
        total[resource.name, resource.type] = total.get((resource.name, resource.type), 0) + resource.count
    return [Gres(name, type_, min(count, MAX_EXTRA)) for (name, type_), count in total.items()]
