"""Over-commitment: intervals in which running jobs hold more than the machine, or a node of it, has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.audit.clock import DIGITS
from engine.audit.columns import Floats
from engine.audit.report import AuditFinding, Case, finding, number
from engine.audit.table import Ints, ScheduleTable, asked
from engine.machine.cluster import UNLIMITED, Cluster
from engine.shown_values import resource_words


def check_capacity(table: ScheduleTable, cluster: Cluster, tolerance: float) -> tuple[AuditFinding, ...]:
    """Each maximal interval, longer than `tolerance` (s), in which jobs hold more than the capacity.

    Totals of the machine are checked (RAM if every node's is known), and each node if
    the nodes of jobs are known. A node that is down counts as in use, and a job on
    a negative number of processors counts as none.
    """
    # A node that is down counts as in use: so the same sum finds jobs that ran on it.
    outages = cluster.outages(table.trace.submit)
    down = cluster.capacity()[outages.node].T
    start = np.append(table.start, outages.start.astype(np.float64))
    end = np.append(table.end, outages.end.astype(np.float64))
    limits = {name: cluster.total(name) for name in cluster.resources}
    findings: list[AuditFinding] = []
    # A resource that some node does not tell has no total to compare with.
    for k, (name, limit) in enumerate(limits.items()):
        if limit is None:
            continue
        amount = np.maximum(0, table.procs) if name == "cpus" else asked(table, name)[table.job]
        held = np.append(amount, down[k])
        label, unit = resource_words(name)
        cases = [
            _case(begin, end, peak, limit, unit, "")
            for begin, end, peak in over(start, end, held, limit)
            if end - begin > tolerance
        ]
        findings += finding(
            f"over_{name}", f"times at which more {label} were in use than there are", cases, unit
        )
    if table.pieces is not None and not cluster.pooled:
        findings += _on_nodes(table, cluster, tolerance)
    return tuple(findings)


def over(
    start: Floats, end: Floats, amount: Ints | Floats, limit: int
) -> Iterator[tuple[float, float, float]]:
    """Maximal intervals in which more than `limit` is held: begin, end, and the most held in between.

    Each run holds its `amount` from `start` up to, not including, `end`; all shape (runs,).
    """
    lasting = end > start
    moment = np.concatenate((start[lasting], end[lasting]))
    change = np.concatenate((amount[lasting], -amount[lasting]))
    times, index = np.unique(moment, return_inverse=True)
    step = np.zeros(len(times), change.dtype)
    np.add.at(step, index, change)
    held = np.round(np.cumsum(step), DIGITS)  # sums of fractions differ in the last bit
    above = np.concatenate(([False], held > limit, [False]))
    edges = np.flatnonzero(above[1:] != above[:-1])
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        yield float(times[first]), float(times[last]), float(held[first:last].max())


def _on_nodes(table: ScheduleTable, cluster: Cluster, tolerance: float) -> list[AuditFinding]:
    pieces = table.pieces
    assert pieces is not None
    outages = cluster.outages(table.trace.submit)
    job = np.repeat(np.arange(len(table.trace)), np.diff(pieces.offset))
    rows = np.flatnonzero(table.first_row[job] >= 0)
    run = table.first_row[job[rows]]
    # An outage is one more job that holds the whole node: a job on a node that is down is over its limit.
    node = np.append(pieces["node"][rows], outages.node)
    start = np.append(table.start[run], outages.start.astype(np.float64))
    end = np.append(table.end[run], outages.end.astype(np.float64))
    order = np.argsort(node, kind="stable")
    node, start, end = node[order], start[order], end[order]
    nodes, first = np.unique(node, return_index=True)
    findings: list[AuditFinding] = []
    for k, name in enumerate(cluster.resources):
        if name not in pieces.columns:
            continue
        limits = cluster.capacity()[:, k]
        amount = np.append(pieces[name][rows], limits[outages.node])[order]
        label, unit = resource_words(name)
        cases: list[Case] = []
        # Rows are sorted by node, so that each node's own ones are a slice.
        for which, begin, stop in zip(nodes, first, np.append(first[1:], len(node)), strict=False):
            if limits[which] == UNLIMITED:
                continue
            own = slice(begin, stop)
            intervals = over(start[own], end[own], amount[own], int(limits[which]))
            cases += [
                _case(
                    since,
                    until,
                    peak,
                    int(limits[which]),
                    unit,
                    f" on node {cluster.host_name(int(which)) or which}",
                )
                for since, until, peak in intervals
                if until - since > tolerance
            ]
        cases.sort(key=lambda case: case.time or 0.0)
        text = f"times at which more {label} of a node were in use than it has"
        findings += finding(f"over_node_{name}", text, cases, unit)
    return findings


def _case(begin: float, end: float, peak: float, limit: int, unit: str, where: str) -> Case:
    text = f"{number(peak)} of {limit:,}{unit} in use{where}, for {number(end - begin)} s"
    return Case(text, time=begin, amount=round(peak - limit, DIGITS))
