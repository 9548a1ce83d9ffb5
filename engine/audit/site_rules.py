"""The limits of a site's files as the audit knows them, written a second time, apart from the simulator.

Limits of qualities of service and accounts on jobs and processors that run at once (sacctmgr(1): GrpJobs,
GrpTRES, MaxJobsPU, MaxTRESPU), and the nodes of partitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from engine.audit.limits import Limit, check_limit
from engine.audit.report import Case, Finding, finding
from engine.audit.table import Ints, ScheduleTable
from engine.machine.cluster import Cluster
from engine.shown_text import shown_name
from engine.slurm.site.site import Site
from engine.trace import Trace
from engine.trace.trace import Names
from engine.words import plural

Mask = NDArray[np.bool_]


def check_site(
    table: ScheduleTable, cluster: Cluster, site: Site, held: Ints, tolerance: float
) -> tuple[Finding, ...]:
    """The limits and partitions of the site that the schedule breaks.

    `held` are the processors that each job of the trace takes, shape (n,).
    """
    limits = [
        found
        for limit in site_limits(site, table.trace, held)
        for found in check_limit(table, limit, tolerance)
    ]
    return (*limits, *_outside(table, cluster, site))


def site_limits(site: Site, trace: Trace, held: Ints) -> Iterator[Limit]:
    """The limits of all users together, and of each, in the QOS and accounts that the log names."""
    if trace.qos is not None:
        for name, keys in site.qos_limits:
            own = _named(trace.qos, {name})
            yield from _of_group(f"QOS {shown_name(name)}", own, keys, held)
            for key, unit, amount in (
                ("maxjobspu", "jobs", np.ones_like(held)),
                ("maxtrespu", "processors", held),
            ):
                if (most := _most(keys, key)) is not None:
                    noun, names = f"user in QOS {shown_name(name)}", trace.user
                    yield Limit(noun, names, unit, np.where(own, amount, 0), np.full(len(names.names), most))
    parents = {own.account: own.parent for own in site.associations if not own.user}
    for account in site.associations:
        if not account.user:
            below = {name for name in parents if account.account in _line(parents, name)}
            noun, keys = f"account {shown_name(account.account)}", dict(account.limits)
            yield from _of_group(noun, _named(trace.group, below), keys, held)


def _of_group(noun: str, own: Mask, keys: Mapping[str, str], held: Ints) -> Iterator[Limit]:
    """The limits of all jobs of a group together."""
    alone = Names(np.zeros(len(own), np.int32), ("",))
    for key, unit, amount in (("grpjobs", "jobs", np.ones_like(held)), ("grptres", "processors", held)):
        if (most := _most(keys, key)) is not None:
            yield Limit(noun, alone, unit, np.where(own, amount, 0), np.array([most], np.int64))


def _most(keys: Mapping[str, str], key: str) -> int | None:
    """The number of a limit, of processors if it is one of resources; None if there is none."""
    text = keys.get(key, "")
    if "tres" in key:
        text = next((part[4:] for part in text.lower().split(",") if part.startswith("cpu=")), "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _line(parents: Mapping[str, str], name: str) -> list[str]:
    """An account and those above it; a circle ends where it begins."""
    line: list[str] = []
    while name in parents and name not in line:
        line.append(name)
        name = parents[name]
    return line


def _named(names: Names, wanted: set[str]) -> Mask:
    return np.array([name in wanted for name in names.names] or [False])[names.codes]


def _outside(table: ScheduleTable, cluster: Cluster, site: Site) -> tuple[Finding, ...]:
    """Jobs on nodes that their partition does not have."""
    trace, pieces = table.trace, table.pieces
    if pieces is None or cluster != site.machine:
        return ()
    group = np.repeat(np.arange(1, len(cluster.groups) + 1), [own.count for own in cluster.groups])
    used = group[pieces["node"]]
    cases = []
    job_of_row = np.repeat(np.arange(len(trace)), np.diff(pieces.offset))
    for code, name in enumerate(trace.queue.names):
        there = [site.conf.partition(part) for part in name.split(",")]
        groups = {number for partition in there if partition is not None for number in partition.groups}
        if not groups:
            continue
        wrong = (trace.queue.codes[job_of_row] == code) & ~np.isin(used, list(groups))
        for job in np.unique(job_of_row[wrong & (table.first_row[job_of_row] >= 0)]).tolist():
            count = int((wrong & (job_of_row == job)).sum())
            text = f"{plural(count, 'node')} not of partition {shown_name(name)}"
            cases.append(
                Case(text, str(trace.job_id[job]), float(table.start[table.first_row[job]]), float(count))
            )
    return finding("partition_nodes", "jobs on nodes that their partition does not have", cases, " nodes")
