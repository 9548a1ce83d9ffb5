"""Lists of nodes: the machine has each of them, and together they give a job what it asks for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.audit.report import AuditFinding, Case, finding, number
from engine.audit.table import Ints, ScheduleTable, asked, per_job
from engine.machine.cluster import Cluster
from engine.shown_values import resource_words


def known_nodes(table: ScheduleTable, cluster: Cluster) -> ScheduleTable:
    """The table, without its lists of nodes if they belong to another machine."""
    if table.pieces is None or cluster.pooled:
        return table
    if table.logged:
        return table if cluster == table.trace.cluster else replace(table, pieces=None)
    if (table.pieces["node"] < cluster.nodes).all():
        return table
    note = f"the lists of nodes are left out: {cluster} has {cluster.nodes:,} nodes, numbered from 0"
    return replace(table, pieces=None, notes=(*table.notes, note))


def check_nodes(table: ScheduleTable, cluster: Cluster, procs: Ints) -> tuple[AuditFinding, ...]:
    """The check that each job's nodes give it what it needs.

    `procs`, shape (n,), are the processors that each job takes.
    """
    if table.pieces is None or table.logged or cluster.pooled:
        return ()
    findings: tuple[AuditFinding, ...] = ()
    for name in cluster.resources:
        if name not in table.pieces.columns:
            continue
        wanted = procs if name == "cpus" else asked(table, name)
        # Only the sum over a job's nodes can be compared: which task is on which node is not known.
        amounts = per_job(table.pieces, table.pieces[name])
        short = np.flatnonzero((amounts < wanted) & (table.first_row >= 0))
        label, unit = resource_words(name)
        cases = [
            Case(
                f"its nodes give it {number(amounts[job])}{unit}, not {wanted[job]:,}{unit}",
                str(table.trace.job_id[job]),
                float(table.start[table.first_row[job]]),
                float(wanted[job] - amounts[job]),
            )
            for job in short
        ]
        findings += finding(f"nodes_{name}", f"jobs on nodes that give too little {label}", cases, unit)
    return findings
