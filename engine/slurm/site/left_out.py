"""The parts of a site's files that are not simulated, in words, with the number of jobs that each touches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from engine.arrays import Mask
from engine.shown_text import shown_name
from engine.slurm.conf.slurm_conf import Partition
from engine.slurm.options.enforcement import LIMITS
from engine.slurm.options.node_lines import BY_WEIGHT
from engine.slurm.options.option import ConfigPart, Population
from engine.slurm.options.table import left_out
from engine.slurm.site.power_saving import OPTIONS, power_saving_told
from engine.slurm.site.site import Site
from engine.trace import Trace
from engine.trace.names import Names
from engine.words import clip, plural

Touches = Callable[[Trace], Mask]


class UnsimulatedPart(NamedTuple):
    """A part that is not simulated, and which jobs of a trace it touches, (n,); None: nobody can say."""

    text: str
    touches: Touches | None = None


_PREEMPTS = ("preempt/none", "preempt/partition_prio", "preempt/qos")

_NAMED = 8
"""Names of accounts or QOS that a line lists; further ones are counted."""

_NO_NAMES = ("", "-1", "none", "(null)", "unknown", "n/a")


def _all(trace: Trace) -> Mask:
    return np.ones(len(trace), np.bool_)


def _waited(trace: Trace) -> Mask:
    return np.asarray(trace.wait > 0)


def _on_several_nodes(trace: Trace) -> Mask:
    pieces = trace.recorded_nodes
    if pieces is None:
        return np.zeros(len(trace), np.bool_)
    return np.asarray(np.diff(pieces.offset) > 1)


def _following(trace: Trace) -> Mask:
    return np.asarray(trace.preceding > 0)


def _in_reservations(trace: Trace) -> Mask:
    return np.zeros(len(trace), np.bool_) if trace.reservation is None else _named(trace.reservation, bool)


def _of_number(sign: str) -> Touches:
    return lambda trace: np.array([sign in str(name) for name in trace.job_id], np.bool_)


def _single(trace: Trace) -> Mask:
    return np.asarray(trace.procs == 1)


_JOBS: Mapping[Population, Touches | None] = {
    "": None,
    "all": _all,
    "waited": _waited,
    "several nodes": _on_several_nodes,
    "following": _following,
    "reservations": _in_reservations,
    "components": _of_number("+"),
    "tasks": _of_number("_"),
    "serial": _single,
}
"""The jobs that the table of options names."""


def lines_left_out(site: Site, trace: Trace | None = None) -> tuple[str, ...]:
    """A line for each part; with a trace also how many of its jobs each touches, where that can be said."""
    lines: dict[str, None] = {}
    for left in parts_left_out(site, trace):
        count = jobs_touched(left, trace)
        lines[left.text if count is None else f"{left.text} ({plural(count, 'job')})"] = None
    return tuple(lines)


def jobs_touched(left: UnsimulatedPart, trace: Trace | None) -> int | None:
    """How many jobs of a trace a part touches; None without one, or where nobody can say."""
    return None if trace is None or left.touches is None else int(left.touches(trace).sum())


def parts_left_out(site: Site, trace: Trace | None = None) -> Iterator[UnsimulatedPart]:
    """The parts of a site's files that are not simulated, or that slurmctld takes otherwise than they are
    written, and names of a trace that no file of these has.
    """
    conf = site.conf
    # Other policies choose nodes by their own placement.
    for line in dict.fromkeys((*conf.notes, *conf.passed_over)):
        if not line.endswith(BY_WEIGHT):
            yield UnsimulatedPart(line)
    yield from map(UnsimulatedPart, site.notes)
    yield from map(UnsimulatedPart, site.said)
    # From here on each part tells which jobs it touches.
    preempts = site.conf.word("PreemptType")
    if preempts not in _PREEMPTS:
        yield UnsimulatedPart(f"PreemptType={clip(preempts)}: nobody is preempted", _all)
    elif preempts != _PREEMPTS[0]:
        for word in ("suspend", "gang", "within"):
            if word in conf.option("PreemptMode").lower().split(","):
                yield UnsimulatedPart(f"PreemptMode: {word.upper()} is not simulated")
    flags = dict.fromkeys(sorted(site.flags - {"", "0", "(null)"}), "given")
    words = {key: value or "given" for key, value in site.parameters.items()}
    # Options, flags and parameters whose meaning is known but not simulated are told in the same way.
    places = ((ConfigPart.SETTING, conf.options), (ConfigPart.FLAG, flags), (ConfigPart.PARAMETER, words))
    for place, keys in places:
        for name, value, meaning, touches in left_out(place, keys, site.further_files):
            if name not in OPTIONS:  # these are told in one sentence
                yield UnsimulatedPart(f"{name}={clip(value)}: {meaning}", _JOBS[touches])
    for text, matters in power_saving_told(site.conf):
        yield UnsimulatedPart(text, _all if matters else None)
    if site.has_limits:
        yield from _limits_enforced(site)
    for partition in conf.partitions:
        yield from _of_partition(site, partition)
    if not site.associations and site.multifactor and conf.option("PriorityWeightFairshare"):
        text = "no file gives shares of accounts (sacctmgr dump, sshare): all have equal shares"
        yield UnsimulatedPart(text, _all)
    yield from _reserved_elsewhere(site)
    if trace is not None:
        yield from _strange_names(site, trace)
    yield UnsimulatedPart(
        "yields, max_sched_time and bf_max_time: how long a pass takes is slurmctld's own speed", _waited
    )
    yield UnsimulatedPart(
        "nodes that are cleaned up for more than a second, and launches that take time", _all
    )


def _limits_enforced(site: Site) -> Iterator[UnsimulatedPart]:
    """What is to be known of the limits of a site that has some."""
    if LIMITS not in site.enforced:
        yield UnsimulatedPart(
            "AccountingStorageEnforce without limits: those of associations and QOS hold back no job"
        )
    elif "accountingstorageenforce" not in site.conf.options:
        yield UnsimulatedPart(
            "slurm.conf has no AccountingStorageEnforce, so that slurmctld would enforce no limit: "
            "those of associations and QOS are obeyed all the same, since they are given",
            None,
        )


def _reserved_elsewhere(site: Site) -> Iterator[UnsimulatedPart]:
    """The reservations that close no node of the machine, or that end before they start."""
    for reservation in site.reservations:
        if all(site.conf.machine.find_node(name) is None for name in reservation.nodes):
            yield UnsimulatedPart(
                f"reservation {clip(reservation.name)}: the machine has none of its nodes", None
            )
        elif reservation.end <= reservation.start:
            yield UnsimulatedPart(f"reservation {clip(reservation.name)}: it ends before it starts", None)


def _strange_names(site: Site, trace: Trace) -> Iterator[UnsimulatedPart]:
    """The accounts and qualities of service of a trace that no file of the site has."""
    accounts = {each.account for each in site.associations}
    qualities = {name for name, _ in site.qos} or {"normal"}  # which every database has from the beginning
    columns = (
        (trace.group, accounts, "accounts of the log that no file has", "they get a share of 1 each"),
        (trace.qos, qualities, "QOS of the log that no file has", "they have priority 0 and no limits"),
    )
    for column, known, title, effect in columns:
        # Without a file of accounts that is said once, and all have equal shares.
        if column is None or (column is trace.group and not known):
            continue
        used = {column.names[code] for code in np.unique(column.codes).tolist()}
        strange = sorted(name for name in used - known if name.lower() not in _NO_NAMES)
        if strange:
            more = f" and {len(strange) - _NAMED:,} more" if len(strange) > _NAMED else ""
            names = ", ".join(shown_name(name, 40) for name in strange[:_NAMED]) + more
            yield UnsimulatedPart(f"{title}: {names}; {effect}", _of_names(column, frozenset(strange)))


def _of_names(names: Names, chosen: frozenset[str]) -> Touches:
    """The jobs that have a name of these."""
    return lambda trace: _named(names, chosen.__contains__)


def _of_partition(site: Site, partition: Partition) -> Iterator[UnsimulatedPart]:
    for name, value, meaning, touches in left_out(ConfigPart.PARTITION, partition.keys, site.further_files):
        if name in OPTIONS:
            continue
        text = f"partition {clip(partition.name)}, {name}={clip(value)}: {meaning}"
        yield UnsimulatedPart(text, _there(partition.name, name, value) if touches else None)


def _there(partition: str, key: str, value: str) -> Touches:
    """The jobs of a partition; of lists of accounts or QOS those that may not use it."""
    names = set(re.split(r"[,\s]+", value.lower()))

    def touches(trace: Trace) -> Mask:
        in_partition = _named(trace.queue, lambda name: name.split(",")[0] == partition)
        # AllowAccounts and its like concern only some jobs of the partition; other keys concern all of it.
        column = trace.group if "account" in key.lower() else trace.qos
        if not re.fullmatch("(Allow|Deny)(Accounts|Qos)", key) or column is None:
            return in_partition
        listed = _named(column, lambda name: name.lower() in names)
        # A list that allows touches the jobs that are not on it; a list that denies touches those that are.
        return in_partition & (listed if key.startswith("Deny") else ~listed)

    return touches


def _named(names: Names, fits: Callable[[str], bool]) -> Mask:
    """Which jobs have a name that fits."""
    return np.asarray(np.array([fits(name) for name in names.names], np.bool_)[names.codes])
