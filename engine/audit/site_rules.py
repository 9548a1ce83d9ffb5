"""The limits of a site's files as the audit knows them, written a second time, apart from the simulator.

Limits of qualities of service and accounts on jobs and processors that run at once (sacctmgr(1): GrpJobs,
GrpTRES, MaxJobsPU, MaxTRESPU), and the nodes of partitions. Of a limit the quality of service of the
partition goes before that of the job, and this before accounts (sacctmgr(1), "hierarchy of limits"): a job
that has the limit by the former starts whatever the latter say, and counts towards them all the same. So it
is with limits of users.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.audit.capacity import over
from engine.audit.limits import AuditedLimit, check_limit
from engine.audit.report import AuditFinding, Case, finding, number
from engine.audit.table import Ints, ScheduleTable
from engine.machine.cluster import Cluster
from engine.shown_text import shown_name
from engine.slurm.options.enforcement import LIMITS
from engine.slurm.site.site import Site
from engine.trace import Trace
from engine.trace.names import Names
from engine.words import plural

Texts = NDArray[np.object_]
_OF_GROUP, _OF_USER = ("grpjobs", "grptres"), ("maxjobspu", "maxtrespu")


def check_site(
    table: ScheduleTable, cluster: Cluster, site: Site, held: Ints, tolerance: float
) -> tuple[AuditFinding, ...]:
    """The limits and partitions of the site that the schedule breaks.

    `held` are the processors that each job of the trace takes, shape (n,).
    """
    broken = [
        each
        for limit, bound in site_limits(site, table.trace, held)
        for each in (
            check_limit(table, limit, tolerance)
            if bound[limit.amount > 0].all()
            else _check_starts(table, limit, bound, tolerance)
        )
    ]
    return (*broken, *_outside(table, cluster, site))


def site_limits(site: Site, trace: Trace, held: Ints) -> Iterator[tuple[AuditedLimit, Mask]]:
    """The limits of all users together, and of each, and which jobs, (n,), each of them holds back.

    None where slurm.conf does not have them enforced.
    """
    if LIMITS not in site.enforced:
        return
    places = _qualities(site, trace)
    without = {key: np.ones(len(trace), np.bool_) for key in (*_OF_GROUP, *_OF_USER)}
    of_all = Names(np.zeros(len(trace), np.int32), ("",))
    # A limit holds back the jobs that have it by their partition and those that have it themselves, together.
    bound = {(name, key): np.zeros(len(trace), np.bool_) for name, _ in site.qos_limits for key in without}
    for place in places:
        # A limit of the first quality of service hides the same limit of the second.
        mine = {key: mask.copy() for key, mask in without.items()}  # that no place before has given a limit
        for name, keys in site.qos_limits:
            for key in without:
                bound[name, key] |= (place == name) & mine[key]
                if _most(keys, key) is not None:
                    without[key] &= place != name
    for name, keys in site.qos_limits:
        counts = (places[0] == name) | (places[1] == name)
        for key in without:
            who = f"user in QOS {shown_name(name)}" if key in _OF_USER else f"QOS {shown_name(name)}"
            names = trace.user if key in _OF_USER else of_all
            if bound[name, key].any():
                yield from _limit(who, names, key, keys, counts, held, bound[name, key])
    # An account's limit counts all accounts below it.
    parents = {each.account: each.parent for each in site.associations if not each.user}
    for account in site.associations:
        if not account.user:
            below = {name for name in parents if account.account in _line(parents, name)}
            counts, keys = _named(trace.group, below), dict(account.limits)
            for key in _OF_GROUP:
                who = f"account {shown_name(account.account)}"
                yield from _limit(who, of_all, key, keys, counts, held, counts & without[key])


def _limit(
    noun: str, names: Names, key: str, keys: Mapping[str, str], counts: Mask, held: Ints, own: Mask
) -> Iterator[tuple[AuditedLimit, Mask]]:
    """The limit of a key, if it is given, on what counts towards it, and which jobs it holds back."""
    if (most := _most(keys, key)) is not None:
        unit, amount = ("processors", held) if "tres" in key else ("jobs", np.ones_like(held))
        yield (
            AuditedLimit(noun, names, unit, np.where(counts, amount, 0), np.full(len(names.names), most)),
            own,
        )


def _qualities(site: Site, trace: Trace) -> tuple[Texts, Texts]:
    """The quality of service of each job's partition and its own, shape (n,) each; empty for none."""
    of_queue = []
    for name in trace.queue.names:
        partition = site.conf.partition(name.split(",")[0])
        of_queue.append("" if partition is None else partition.keys.get("qos", ""))
    of_partition = np.array([*of_queue, ""], object)[trace.queue.codes]
    if trace.qos is None:
        return of_partition, np.full(len(trace), "", object)
    return of_partition, np.array([*trace.qos.names, ""], object)[trace.qos.codes]


def _check_starts(
    table: ScheduleTable, limit: AuditedLimit, bound: Mask, tolerance: float
) -> tuple[AuditFinding, ...]:
    """Starts of jobs that a limit holds back, (n,), while more than it allows was held.

    Other jobs that count towards it may take more than it allows, but then none of these starts.
    """
    cases = []
    for code, name in enumerate(limit.names.names):
        counted = np.flatnonzero((limit.amount[table.job] > 0) & (limit.names.codes[table.job] == code))
        runs, held_back = table.job[counted], bound[table.job[counted]]
        # Of jobs that start together those come first that the limit holds back: then it allows most.
        start = np.where(held_back, table.start[counted], np.nextafter(table.start[counted], np.inf))
        starts, most = np.sort(start[held_back]), int(limit.most[code])
        for begin, until, peak in over(start, table.end[counted], limit.amount[runs], most):
            first = np.searchsorted(starts, begin)
            if first < len(starts) and starts[first] < until and until - starts[first] > tolerance:
                when, who = float(starts[first]), f"{limit.noun} {name}".rstrip()
                text = f"{who}: {number(peak)} of {most:,} {limit.unit}, for {number(until - when)} s"
                cases.append(Case(text, time=when, amount=peak - most))
    what = f"times at which a {limit.noun} had more {limit.unit} than it may"
    return finding(f"limit_{limit.noun}_{limit.unit}", what, cases, limit.unit)


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


def _outside(table: ScheduleTable, cluster: Cluster, site: Site) -> tuple[AuditFinding, ...]:
    """Jobs on nodes that their partition does not have."""
    trace, pieces = table.trace, table.pieces
    if pieces is None or cluster != site.machine:
        return ()
    group = np.repeat(np.arange(1, len(cluster.groups) + 1), [entry.count for entry in cluster.groups])
    used = group[pieces["node"]]
    cases = []
    job_of_row = np.repeat(np.arange(len(trace)), np.diff(pieces.offset))
    # A job that names several partitions may be on the nodes of any of them.
    for code, name in enumerate(trace.queue.names):
        there = [site.conf.partition(part) for part in name.split(",")]
        groups = {number for partition in there if partition is not None for number in partition.groups}
        # A partition that no file describes, or that names no nodes, forbids none.
        if not groups:
            continue
        wrong = (trace.queue.codes[job_of_row] == code) & ~np.isin(used, list(groups))
        for job in np.unique(job_of_row[wrong & (table.first_row[job_of_row] >= 0)]).tolist():
            count = int((wrong & (job_of_row == job)).sum())
            text = f"{plural(count, 'node')} not of partition {shown_name(name)}"
            cases.append(
                Case(text, str(trace.job_id[job]), float(table.start[table.first_row[job]]), float(count))
            )
    return finding("partition_nodes", "jobs on nodes that the partition does not have", cases, " nodes")
