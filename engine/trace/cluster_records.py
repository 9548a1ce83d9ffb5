"""The records of some of the clusters of a log: each cluster is a machine of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.machine.cluster import Cluster
from engine.trace.records import Records
from engine.trace.trace import Note, Pieces
from engine.words import clip, counted, listed, plural

CLUSTERS = "clusters"
"""The rule of the note on a log of several clusters."""

_NAMED = 8
_OF_ALL = "counted in the whole log, of all clusters"


def clusters_in(records: Records) -> list[tuple[str, int]]:
    """The clusters of a log of several, each with its number of records; empty for a log of one."""
    if records.cluster is None:
        return []
    counts = np.bincount(records.cluster.codes, minlength=len(records.cluster.names))
    known = zip(records.cluster.names, counts.tolist(), strict=True)
    return sorted((name, count) for name, count in known if count)


def named_clusters(records: Records) -> str:
    """The clusters of a log in words, the first of many: `a (2 jobs), b (1 job)`."""
    clusters = clusters_in(records)
    shown = [f"{clip(name, 40) or 'no name'} ({counted(count, 'job')})" for name, count in clusters[:_NAMED]]
    return ", ".join(shown) + (f" and {len(clusters) - _NAMED} more" if len(clusters) > _NAMED else "")


def of_clusters(records: Records, chosen: Sequence[str], machine: Cluster | None) -> Records:
    """The records of the clusters with these names; a machine that was derived keeps only their nodes.

    `machine` is that of the log if one was given.
    """
    assert records.cluster is not None
    passing = np.array([name in chosen for name in records.cluster.names], np.bool_)
    taken = records.take(passing[records.cluster.codes])
    notes = [note for note in taken.notes if note.rule not in (CLUSTERS, "machine_derived")]
    if len(taken) < len(records):  # a reader counts before clusters are chosen
        notes = [replace(note, text=f"{note.text} ({_OF_ALL})") if note.lines else note for note in notes]
    if machine is None and taken.machine is not None:
        taken = _on_own_nodes(taken)
        described = taken.machine
        if described is not None:
            what = f"{plural(described.nodes, 'node')} of {counted(described.cpus, 'CPU')} in all"
            text = f"the log names no machine: {what}, by what was in use on each node at once"
            notes.append(Note("machine_derived", text, 1))
    if len(chosen) > 1:
        text = f"jobs of the clusters {listed(list(chosen))} are taken for jobs of one machine"
        notes.append(Note(CLUSTERS, text, len(taken)))
    return replace(taken, notes=tuple(notes))


def _on_own_nodes(records: Records) -> Records:
    """The records on a machine of the nodes on which they ran, which has the same sizes."""
    assert records.machine is not None
    if records.recorded_nodes is None:
        return replace(records, machine=None)
    # Nodes of other clusters have no job any more, and go.
    used = np.zeros(records.machine.nodes, np.bool_)
    used[records.recorded_nodes["node"]] = True
    groups, first = [], 0
    for group in records.machine.groups:
        used_nodes = np.flatnonzero(used[first : first + group.count]).tolist()
        names = tuple(group.names[k] for k in used_nodes) if group.names else ()
        if used_nodes:
            groups.append(replace(group, count=len(used_nodes), names=names))
        first += group.count
    if sum(group.count for group in groups) < 2:  # a machine of one node has only totals
        return replace(records, machine=None, recorded_nodes=None)
    number = np.cumsum(used) - 1  # of each node among those that are left
    columns = dict(records.recorded_nodes.columns)
    columns["node"] = number[columns["node"]]
    nodes = Pieces(records.recorded_nodes.offset, columns)
    return replace(records, machine=replace(records.machine, groups=tuple(groups)), recorded_nodes=nodes)
