"""The power saving of a site's Slurm: which idle nodes it switches off, and after which time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.errors import InputError
from engine.slurm.conf.slurm_conf import SlurmConf
from engine.slurm.values.host_list import expand_hosts
from engine.slurm.values.times import is_unlimited
from engine.spelling import format_duration
from engine.words import clip, plural

OPTIONS = ("SuspendTime", "SuspendProgram", "ResumeProgram", "ResumeTimeout", "SuspendTimeout")
"""The options that `power_saving_told` is about."""

_RESUME_TIMEOUT = 60
"""s, where a file does not give it (slurm.conf(5))."""

_SECONDS = re.compile(r"\s*(\d{1,9})(?: ?sec)?\s*", re.ASCII)
_COUNT = re.compile(r"\d{1,9}", re.ASCII)


class PowerSaving(NamedTuple):
    """Idle nodes that are switched off: `after` this time, s, by SuspendTime of slurm.conf.

    `boot` is the most that a node may take to be on again, s. Of `nodes` that are the machine's, `kept` are
    never switched off, at least; `ignored` are exceptions whose nodes are not counted, as they are written.
    """

    after: int
    boot: int
    nodes: int
    kept: int
    ignored: tuple[str, ...]


def power_saving(conf: SlurmConf) -> PowerSaving | None:
    """How the site switches idle nodes off; None where it switches off none by its own SuspendTime.

    slurmctld does not without a program for each way (its `power_save.c`).
    """
    after = _seconds(conf.option("SuspendTime", "-1"))
    if after is None or lacking_programs(conf):
        return None
    boot = _seconds(conf.option("ResumeTimeout"))
    kept, ignored = _kept(conf)
    return PowerSaving(after, _RESUME_TIMEOUT if boot is None else boot, conf.machine.nodes, kept, ignored)


def power_saving_told(conf: SlurmConf) -> Iterator[tuple[str, bool]]:
    """What is to be known of the power saving of a site, and whether jobs start otherwise there for that."""
    set_by = [f"SuspendTime={clip(conf.option('SuspendTime'))}"] if _saves(conf.option("SuspendTime")) else []
    set_by += [
        f"SuspendTime={clip(partition.keys['suspendtime'])} of partition {clip(partition.name)}"
        for partition in conf.partitions
        if _saves(partition.keys.get("suspendtime", ""))
    ]
    if not set_by:
        return
    title = ", ".join(set_by[:3]) + (f" and {len(set_by) - 3:,} more" if len(set_by) > 3 else "")
    if lacking := lacking_programs(conf):
        yield f"{title}: without {' and '.join(lacking)} slurmctld switches no node off", False
        return
    saving = power_saving(conf)
    if saving is None:
        yield f"{title}: idle nodes are switched off there, here all nodes are always powered up", True
        return
    some = plural(saving.nodes - saving.kept, "node")
    nodes = f"{some} of {saving.nodes:,}" if saving.kept else some
    after = format_duration(max(saving.after, 1))
    # Several names of nodes that no count can be made of are told as they are.
    but = f" (but {clip(', '.join(saving.ignored))})" if saving.ignored else ""
    yield (
        f"{title}: {nodes}{but} would be switched off when idle for {after}, and take up to ResumeTimeout, "
        f"{format_duration(max(saving.boot, 1))}, to be on again; here all nodes are always powered up. What "
        f"that costs and saves: -p easy -p easy:power_off={after} with --power FILE",
        True,
    )


def lacking_programs(conf: SlurmConf) -> tuple[str, ...]:
    """The programs of power saving that the file does not name, of the two without which there is none."""
    given = {name: conf.option(name).lower() for name in ("SuspendProgram", "ResumeProgram")}
    return tuple(name for name, value in given.items() if value in ("", "(null)", "none"))


def _saves(text: str) -> bool:
    return _seconds(text) is not None


def _seconds(text: str) -> int | None:
    """The seconds of `1800` or `1800 sec`; None for no number, and for -1 and INFINITE, which mean never."""
    match = None if is_unlimited(text) else _SECONDS.fullmatch(text)
    return None if match is None else int(match[1])


def _kept(conf: SlurmConf) -> tuple[int, tuple[str, ...]]:
    """How many nodes are never switched off by SuspendExcNodes and SuspendExcParts, and what is not counted.

    Of an exception with a number, `n[1-9]:2`, so many of its nodes stay on.
    """
    known = set(conf.machine.node_names())
    named: set[str] = set()
    some, ignored = 0, []
    for name in ("SuspendExcNodes", "SuspendExcParts"):
        text = conf.option(name)
        for exception in _exceptions("" if text.lower() in ("", "(null)", "none") else text):
            names, _, count = exception.rpartition(":") if ":" in exception else (exception, "", "")
            nodes = _nodes_of(conf, name, names)
            if nodes is None or (count and not _COUNT.fullmatch(count)):
                ignored.append(f"{name}={exception}")
            elif count:
                some += min(int(count), len(known & nodes))
            else:
                named |= known & nodes
    if states := conf.option("SuspendExcStates"):
        ignored.append(f"SuspendExcStates={states}")
    return min(len(named) + some, len(known)), tuple(ignored)


def _exceptions(text: str) -> Iterator[str]:
    """The parts of `n[1-9]:2,n12`, which commas outside brackets part."""
    begin = depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "[") - (sign == "]")
        if sign == "," and depth <= 0:
            yield text[begin:place]
            begin = place + 1
    if text[begin:]:
        yield text[begin:]


def _nodes_of(conf: SlurmConf, option: str, text: str) -> set[str] | None:
    """The nodes that a part of an exception names; None where that cannot be read."""
    if option == "SuspendExcParts":
        partition = conf.partition(text.strip())
        if partition is None:
            return None
        return {name for group in partition.groups for name in conf.groups[group - 1].names}
    try:
        return set(expand_hosts(text.strip()))
    except InputError:
        return None
