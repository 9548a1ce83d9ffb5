"""Over-commitment: intervals in which running jobs hold more than the machine, or a node of it, has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.audit.columns import Floats
from engine.audit.report import Case, Finding, finding, number
from engine.audit.table import Ints, ScheduleTable
from engine.cluster import UNLIMITED, Cluster

_UNITS = {"cpus": ("processors", ""), "ram": ("RAM", " MiB")}


def check_capacity(table: ScheduleTable, cluster: Cluster, tolerance: float) -> tuple[Finding, ...]:
    """Each maximal interval, longer than `tolerance` (s), in which more is held than there is.

    On the totals of the machine (RAM where every node's is known), and on each node where
    the table says on which nodes jobs ran.
    """
    amounts = {"cpus": table.procs, "ram": table.ram[table.job]}
    limits = {"cpus": cluster.cpus, "ram": cluster.ram}
    found: list[Finding] = []
    for name, limit in limits.items():
        if limit is None:
            continue
        label, unit = _UNITS[name]
        cases = [
            _case(begin, end, peak, limit, unit, "")
            for begin, end, peak in over(table.start, table.end, amounts[name], limit)
            if end - begin > tolerance
        ]
        found += finding(
            f"over_{name}", f"times at which more {label} were in use than there are", cases, unit
        )
    if table.pieces is not None and not cluster.pooled:
        found += _on_nodes(table, cluster, tolerance)
    return tuple(found)


def over(start: Floats, end: Floats, amount: Ints, limit: int) -> Iterator[tuple[float, float, int]]:
    """Maximal intervals in which more than `limit` is held: begin, end, and the most held in between.

    Each run holds its `amount` from `start` up to, not including, `end`; all shape (runs,).
    """
    lasting = end > start
    moment = np.concatenate((start[lasting], end[lasting]))
    change = np.concatenate((amount[lasting], -amount[lasting]))
    times, place = np.unique(moment, return_inverse=True)
    step = np.zeros(len(times), np.int64)
    np.add.at(step, place, change)
    held = np.cumsum(step)
    above = np.concatenate(([False], held > limit, [False]))
    edges = np.flatnonzero(above[1:] != above[:-1])
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        yield float(times[first]), float(times[last]), int(held[first:last].max())


def _on_nodes(table: ScheduleTable, cluster: Cluster, tolerance: float) -> list[Finding]:
    pieces = table.pieces
    assert pieces is not None
    job = np.repeat(np.arange(len(table.trace)), np.diff(pieces.offset))
    rows = np.flatnonzero(table.first_row[job] >= 0)
    rows = rows[np.argsort(pieces["node"][rows], kind="stable")]
    node, run = pieces["node"][rows], table.first_row[job[rows]]
    nodes, first = np.unique(node, return_index=True)
    found: list[Finding] = []
    for k, name in enumerate(("cpus", "ram")[: cluster.capacity().shape[1]]):
        if name not in pieces.columns:
            continue
        limits, amount = cluster.capacity()[:, k], pieces[name][rows]
        label, unit = _UNITS[name]
        cases: list[Case] = []
        for which, begin, stop in zip(nodes, first, np.append(first[1:], len(node)), strict=False):
            if limits[which] == UNLIMITED:
                continue
            own = slice(begin, stop)
            intervals = over(table.start[run[own]], table.end[run[own]], amount[own], int(limits[which]))
            cases += [
                _case(since, until, peak, int(limits[which]), unit, f" on node {which}")
                for since, until, peak in intervals
                if until - since > tolerance
            ]
        cases.sort(key=lambda case: case.time or 0.0)
        text = f"times at which more {label} of a node were in use than it has"
        found += finding(f"over_node_{name}", text, cases, unit)
    return found


def _case(begin: float, end: float, peak: int, limit: int, unit: str, where: str) -> Case:
    text = f"{peak:,} of {limit:,}{unit} in use{where}, for {number(end - begin)} s"
    return Case(text, time=begin, amount=float(peak - limit))
