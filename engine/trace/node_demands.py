"""Requirements of jobs on nodes: whole nodes, and features."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.arrays import Ints, Mask
from engine.machine.cluster import Cluster
from engine.machine.features import NEARLY, NOT, read_features
from engine.slurm.conf.select import NodeUse
from engine.trace.even_tasks import even_tasks
from engine.trace.gpu_tasks import GPU, chosen_groups
from engine.trace.names import Names
from engine.trace.records import note_lines
from engine.trace.trace import WHOLE_PACKED, Note, Pieces
from engine.words import clip

OF_FIRST = frozenset(("feature", "queue"))
"""Columns of tasks of which a job whose groups are made anew keeps those of its first group."""

_NAMED = 5
"""Constraints that a note names."""


def given_whole_nodes(logged: Mask | None, queue: Names, use: NodeUse) -> Mask:
    """The jobs, shape (n,), that were given whole nodes: by the log, or by the use of their partition."""
    if use.all_whole:
        return np.ones(len(queue.codes), np.bool_)
    of_queue = np.array([name in use.whole for name in queue.names] or [False])[queue.codes]
    return of_queue if logged is None else of_queue | logged


def whole_tasks(tasks: Pieces, whole: Mask, procs: Ints, asked: Ints, nodes: Ints, ram: Ints) -> Pieces:
    """The task groups with a column `whole`, in which the tasks of `whole` jobs use whole nodes.

    All shape (n,): `procs` are the allocated processors, `asked` the requested, `ram` MiB of the whole job,
    if it limits. A job on a known number of `nodes` has a task on each, which uses any node with enough
    resources for its part of the request. Otherwise tasks of several CPUs use a node each, and single CPUs as
    many nodes as they fill.
    """
    n, first = len(whole), tasks.offset[:-1]
    known = whole & (nodes > 0)
    # Three forms of the job are built, and each job takes the form that fits what is known of it.
    even = even_tasks(procs, np.where(known, nodes, 0), ram)
    on = np.maximum(np.minimum(nodes, procs), 1)
    parts = np.repeat(-(-np.minimum(asked, procs) // on), np.diff(even.offset))
    single = {"count": procs, "cpus": np.ones(n, np.int64), "ram": np.where(ram > 0, -(-ram // procs), 0)}
    cpus = np.where(tasks["cpus"] > 1, tasks["cpus"], WHOLE_PACKED)
    blocks = (
        Pieces(
            tasks.offset,
            {**tasks.columns, "whole": np.where(np.repeat(whole, np.diff(tasks.offset)), cpus, 0)},
        ),
        _with_words_of(tasks, even, {"whole": np.minimum(parts, even["cpus"])}),
        _with_words_of(
            tasks, Pieces(np.arange(n + 1), single), {"whole": np.full(n, WHOLE_PACKED, np.int64)}
        ),
    )
    alone = np.maximum.reduceat(tasks["cpus"], first) <= 1 if n else whole
    return chosen_groups(blocks, np.select([~whole, known, alone], [0, 1, 2], 0))


def _with_words_of(tasks: Pieces, pieces: Pieces, more: dict[str, Ints]) -> Pieces:
    """Other groups of the same jobs, each with the node requirements of the first group of its job."""
    words = {name: column for name, column in tasks.columns.items() if name in ("constraint", *OF_FIRST)}
    sizes = np.diff(pieces.offset)
    values = {name: np.repeat(column[tasks.offset[:-1]], sizes) for name, column in words.items()}
    if GPU in tasks.columns:  # which groups have them is known of the job's own groups alone
        values[GPU] = np.zeros(int(pieces.offset[-1]), np.int64)
    return Pieces(pieces.offset, {**pieces.columns, **values, **more})


def feature_notes(features: tuple[str, ...], tasks: Pieces, cluster: Cluster, line: Ints) -> Iterator[Note]:
    """Notes on requested features that are ignored on this machine, or approximated."""
    if len(features) < 2 or "feature" not in tasks.columns:
        return
    obeyed = np.array([read_features(text, cluster).obeyed for text in features])
    # Of several groups of a job the worst counts.
    of_job = np.maximum.reduceat(obeyed[tasks["feature"]], tasks.offset[:-1])
    shown = "the machine names none: give its slurm.conf with --cluster"
    if cluster.has_features:
        shown = _named(features, obeyed == NOT)
    together = _named(features, obeyed == NEARLY)
    nearly = f"jobs that ask for features of all nodes together, which are obeyed node by node: {together}"
    yield note_lines(
        "features_ignored",
        f"jobs that ask for features of nodes that are not obeyed: {shown}",
        of_job == NOT,
        line,
    )
    yield note_lines("features_nearly", nearly, of_job == NEARLY, line)


def _named(features: tuple[str, ...], mask: Mask) -> str:
    """The first of some constraints."""
    chosen = [clip(features[k], 40) for k in np.flatnonzero(mask).tolist()]
    return ", ".join(chosen[:_NAMED]) + (", ..." if len(chosen) > _NAMED else "")
