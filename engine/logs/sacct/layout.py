"""Layouts of the CPUs of Slurm's jobs on nodes: as tasks of their own size, or as shares of a number of
nodes.

A job that names its nodes (`-N 4`) has a share on each. A job that names only its tasks (`-n 48`) is filled
into nodes wherever there is room: that it once ran on four nodes does not matter for the next time.
Accounting distinguishes the two by the requested nodes (ReqNodes, `node=` of ReqTRES): 1 if none were named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.arrays import Ints, Mask
from engine.logs.sacct.request import NOTHING, request_of, shares_with_some
from engine.trace.even_tasks import even_tasks
from engine.trace.names import Names
from engine.trace.records import LOOSE, LOOSE_UNEVEN, LOOSE_UNTOLD, note_lines
from engine.trace.trace import Note, Pieces

_THREADS = 3  # the most further CPUs of a core whose first CPU was requested


@dataclass(frozen=True, eq=False)
class CommandRequests:
    """The requests in the command lines of n jobs, 0 if absent; as in `Request`."""

    tasks: Ints
    cpus: Ints
    nodes: Ints
    most_nodes: Ints
    tasks_per_node: Ints
    whole: Mask
    by_node: Mask
    features: Names
    at_once: Ints


def requests_of(lines: Names, part: Ints) -> CommandRequests:
    """The requests of command lines, one per job; `part`, shape (n,), is the job's part of a heterogeneous
    job.
    """
    several = int(part.max(initial=0)) + 1
    # Each different command line is read once for each part of a heterogeneous job.
    pairs, index = np.unique(lines.codes.astype(np.int64) * several + part, return_inverse=True)
    asked = [request_of(lines.names[pair // several], pair % several) for pair in pairs.tolist()] or [NOTHING]
    tasks, cpus, nodes, most_nodes, per_node, whole, by_node, features, at_once = zip(*asked, strict=True)
    code = {text: number for number, text in enumerate(dict.fromkeys(features))}
    codes = np.array([code[text] for text in features], np.int32)
    return CommandRequests(
        tasks=np.array(tasks, np.int64)[index],
        cpus=np.array(cpus, np.int64)[index],
        nodes=np.array(nodes, np.int64)[index],
        most_nodes=np.array(most_nodes, np.int64)[index],
        tasks_per_node=np.array(per_node, np.int64)[index],
        whole=np.array(whole, np.bool_)[index],
        by_node=np.array(by_node, np.bool_)[index],
        features=Names(codes[index], tuple(code)),
        at_once=np.array(at_once, np.int64)[index],
    )


@dataclass(frozen=True, eq=False)
class JobAmounts:
    """The data of n jobs to distribute among nodes, shape (n,); RAM in MiB of the job, <= 0: none."""

    procs: Ints
    allocated: Ints  # processors
    ram: Ints
    nodes: Ints  # that they were allocated; <= 0 where that is not known
    requested_nodes: Ints  # from accounting; <= 0 if missing
    with_gpus: Mask
    filled: Mask  # whether they had all CPUs of their nodes
    uneven: Mask  # whether they certainly had not as many on each of their nodes
    guessed: bool  # True if the nodes were derived from the jobs


class JobLayout(NamedTuple):
    """The layout of jobs on nodes: task groups (count, cpus, ram, and feature if any job requests any)."""

    tasks: Pieces
    features: tuple[str, ...]
    whole: Mask  # (n,) whether a job had its nodes for itself
    loose: Ints  # (n,) LOOSE or similar if tasks may run on any number of nodes, otherwise 0
    # Shape (n,) each, None where no job has any; 0 of a job that does not ask for it.
    least_nodes: Ints | None  # that it asked for
    most_nodes: Ints | None  # that it asked for, as in a range
    at_once: Ints | None  # tasks of its array that may run at a time


def slurm_layout(jobs: JobAmounts, lines: Names, part: Ints, constraints: Names) -> JobLayout:
    """The layout of jobs on nodes, by their command lines (of a heterogeneous job by its `part`) and
    constraints.

    Jobs have whole nodes if they requested them (`--exclusive`), or if they had all CPUs of their nodes and
    requested fewer. If the nodes are guessed from the jobs, they must have requested fewer by more than the
    threads of a core on each, because Slurm rounds CPUs up to cores.
    """
    asked = requests_of(lines, part)
    tasks, loose, *nodes = _tasks(jobs, asked)
    least, most, at_once = (column if column.any() else None for column in (*nodes, asked.at_once))
    # Slurm gives whole cores: CPUs beyond those asked for may only be threads of a core.
    rounded = _THREADS * jobs.nodes if jobs.guessed else 0
    # A job that had all CPUs of its nodes and asked for fewer had the nodes to itself.
    whole = asked.whole | (jobs.filled & (jobs.allocated - jobs.procs > rounded))
    texts = [*constraints.names, *asked.features.names]
    # The field Constraints goes before what the command line says.
    named = np.array([bool(text) for text in constraints.names] or [False])[constraints.codes]
    which = np.where(named, constraints.codes, len(constraints.names) + asked.features.codes)
    code = {text: number for number, text in enumerate(dict.fromkeys(("", *texts)))}
    if len(code) == 1:
        return JobLayout(tasks, (), whole, loose, least, most, at_once)
    number = np.array([code[text] for text in texts], np.int64)[which]
    columns = {**tasks.columns, "feature": np.repeat(number, np.diff(tasks.offset))}
    return JobLayout(Pieces(tasks.offset, columns), tuple(code), whole, loose, least, most, at_once)


def access_note(lines: Names, line: Ints) -> Note:
    """A note on jobs whose command lines ask that only some others use their nodes, as of the same user."""
    asked = np.array([shares_with_some(text) for text in lines.names] or [False])[lines.codes]
    text = (
        "jobs that ask that only some others share the nodes, such as those of the same user "
        "(--exclusive=user): that is not obeyed, and any job may"
    )
    return note_lines("access_policy", text, asked, line)


def _tasks(jobs: JobAmounts, asked: CommandRequests) -> tuple[Pieces, Ints, Ints, Ints]:
    """Task groups of the jobs, LOOSE or similar for those free to run on any number of nodes, and the least
    and the largest number of nodes that each asked for, (n,).

    Jobs are free if they were given several nodes without requesting any, if their command line names
    tasks and no nodes, or if it names a range of numbers of nodes. If the request of a multi-node job is
    unknown, it is free unless it filled its nodes. Jobs that requested nodes and certainly were uneven on
    these are free, too. Jobs with GPUs, and single-node jobs that request memory per node, keep their number
    of nodes.
    """
    has_count = (jobs.requested_nodes > 0) | (asked.nodes > 0) | (asked.tasks > 0)
    least, most = _asked_nodes(jobs, asked)
    exact, ranged = (asked.nodes > 0) & (least == most), (asked.nodes > 0) & (least < most)
    named = exact | (least > 1) | jobs.with_gpus
    several = jobs.nodes > 1
    alone = (jobs.nodes == 1) & (asked.tasks > 1) & ~asked.by_node
    # Free jobs may lie on other nodes than in the log, as what they asked for binds them to none.
    free = (jobs.procs > 0) & ~named & (alone | (several & (has_count | ~jobs.filled)))
    free |= (jobs.procs > 0) & (jobs.nodes <= 0) & ~exact
    free |= (jobs.procs > 0) & ranged & ~jobs.with_gpus
    # On uneven nodes the tasks are unknown: single CPUs then.
    uneven = (jobs.procs > 0) & several & jobs.uneven & ~jobs.with_gpus & ~free
    free |= uneven
    bundles = -(-asked.tasks // np.maximum(asked.tasks_per_node, 1))
    bundled = free & (asked.tasks_per_node > 0) & (asked.tasks > 0)
    bundled &= (least == 0) | ((bundles >= least) & (bundles <= most))
    size = _task_size(jobs.procs, asked)
    groups = _groups(jobs, asked, size, free, bundled)
    rigid = even_tasks(jobs.procs, np.where(free, 0, np.where(exact, least, jobs.nodes)), jobs.ram)
    # No node takes more tasks than a bundle has: bundles are on nodes of their own.
    least, most = np.where(bundled, bundles, least), np.where(bundled, bundles, most)
    n = len(free)
    both = Pieces(
        np.concatenate((rigid.offset[:-1], rigid.offset[-1] + groups.offset)),
        {name: np.concatenate((column, groups[name])) for name, column in rigid.columns.items()},
    )
    loose = free & ~bundled & ~ranged & (jobs.procs > size) & (jobs.nodes > 0)
    kind = np.where(uneven, LOOSE_UNEVEN, np.where(has_count, LOOSE, LOOSE_UNTOLD))
    # Row k of both tables, or row n + k, the groups of a free job.
    tasks = both.take(np.arange(n) + np.where(free, n, 0))
    return tasks, np.where(loose, kind, 0), least, most


def _asked_nodes(jobs: JobAmounts, asked: CommandRequests) -> tuple[Ints, Ints]:
    """The least and the largest number of nodes that each job asked for, (n,) each; 0 if it asked for none.

    A command line that names nodes says it, and one that names tasks alone says that no nodes were asked for,
    however many the accounting names. Otherwise these count; a job that was given more of them had named a
    range, whose end is not known.
    """
    several = (asked.nodes == 0) & (asked.tasks == 0) & (jobs.requested_nodes > 1)
    least = np.where(several, jobs.requested_nodes, asked.nodes)
    open_range = several & (jobs.nodes > jobs.requested_nodes)
    most = np.where(several, np.where(open_range, jobs.procs, least), asked.most_nodes)
    tasks = np.where(asked.tasks > 0, asked.tasks, np.maximum(jobs.procs, 1))  # each node has a task
    return np.minimum(least, tasks), np.minimum(np.maximum(most, least), tasks)


def _task_size(procs: Ints, asked: CommandRequests) -> Ints:
    """CPUs of a task, shape (n,): the request, otherwise the job's CPUs divided by its tasks, otherwise 1."""
    of_tasks = np.where(
        (asked.tasks > 0) & (procs % np.maximum(asked.tasks, 1) == 0), procs // np.maximum(asked.tasks, 1), 1
    )
    fits = (asked.cpus > 0) & (procs % np.maximum(asked.cpus, 1) == 0)
    return np.maximum(np.where(fits, asked.cpus, of_tasks), 1)


def _groups(jobs: JobAmounts, asked: CommandRequests, size: Ints, free: Mask, bundled: Mask) -> Pieces:
    """The groups of free jobs, shape (n,): tasks equal within a MiB, or bundles and their rest."""
    tasks = np.where(free, jobs.procs // size, 0)
    ram = np.maximum(jobs.ram, 0)
    # Memory that cannot be divided evenly: some tasks have a MiB more than the others.
    each, more = np.divmod(ram, np.maximum(tasks, 1))
    # With tasks per node, so many tasks are bundled: a bundle is placed on a node as if it were a task.
    bundle = np.where(bundled, np.minimum(asked.tasks_per_node, np.maximum(tasks, 1)), 1)
    bundles, rest = np.divmod(tasks, bundle)
    share = -(-ram // np.maximum(tasks, 1)) * bundle
    left = np.maximum(ram - share * bundles, 0)
    first = np.where(bundled, [bundles, size * bundle, share], [more, size, each + 1])
    second = np.where(bundled, [rest > 0, size * rest, left], [tasks - more, size, each])
    # Each job has two groups; empty groups are dropped.
    columns = np.stack((first, second), axis=2).reshape(3, -1)
    kept = columns[0] > 0
    offset = np.concatenate(([0], np.cumsum(kept.reshape(-1, 2).sum(axis=1)))).astype(np.int64)
    count, cpus, mib = np.ascontiguousarray(columns[:, kept])
    return Pieces(offset, {"count": count, "cpus": cpus, "ram": mib})
