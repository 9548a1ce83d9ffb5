"""Notes about a log: above all jobs that request more of nodes than these have.

A batch system may place jobs by their use and not by their requests, so that in a
recorded schedule requests add up to more than a node has. In a simulated schedule they never do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import UNLIMITED, Cluster
from engine.schedule.schedule import Schedule
from engine.simulation.recorded_run import names_nodes, recorded_schedule
from engine.simulation.refused_jobs import refused_jobs
from engine.trace import Note, Trace
from engine.trace.clean_notes import of_sizes
from engine.trace.peak import most_at_once
from engine.words import counted

Ints = NDArray[np.int64]

_NAMED = 5
"""The most jobs that a note lists by name."""


_OF_MACHINE = ("machine_guessed", "machine_derived", "machine_uncertain", "peak")
"""Rules of notes about the log's own machine."""

_DROPPED = (
    "drop_",
    "unreadable",
    "too_large",
    "long_line",
    "broken_line",
    "refused",
    "unfinished",
    "unknown_s",
)
_CHANGED = (
    *(
        "clamp_",
        "negative_wait",
        "early_start",
        "requeued",
        "resized",
        "heterogeneous",
        "revoked",
        "clusters",
        "repeated",
    ),
    *(
        "over_",
        "whole_nodes",
        "access_policy",
        "free_tasks",
        "no_walltime",
        "no_wait",
        "from_eligible",
        "out_of_order",
        "same_id",
    ),
)
_ASSUMED = (
    *(
        "machine",
        "peak",
        "time_zone",
        "gpu",
        "nodes_shared",
        "moments",
        "ids",
        "short_lengths",
        "ram",
        "no_state",
    ),
    *(
        "elapsed",
        "mixed_times",
        "clock_change",
        "overruns",
        "fractional",
        "parts",
        "unknown_nodes",
        "features",
    ),
)


def by_effect(notes: Sequence[Note]) -> list[Note]:
    """The notes in the order of what they do to results: jobs left out, changed, assumptions, the rest."""
    return sorted(notes, key=_effect)


def _effect(note: Note) -> int:
    """How far down a note stands, by how its rule begins."""
    groups = (("most_changed", "most_ram"), _DROPPED, _CHANGED, _ASSUMED)
    return next((rank for rank, rules in enumerate(groups) if note.rule.startswith(rules)), len(groups))


def quality_notes(trace: Trace, cluster: Cluster | None = None) -> tuple[Note, ...]:
    """The notes about a log: about its jobs, its machine, and its own schedule on that machine.

    With another `cluster`, on which runs are simulated, it is that machine alone which they are about. The
    log's own nodes are none of its nodes.
    """
    # On another machine, what the log's own machine could not have done says nothing.
    if cluster is not None and cluster != trace.cluster:
        notes = tuple(note for note in trace.notes if note.rule not in _OF_MACHINE)
        trace = replace(trace, cluster=cluster, recorded_nodes=None, notes=notes)
    notes = (*trace.notes, *_misfits(trace))
    # What was more than the machine at one time needs recorded starts.
    if not trace.has_recorded_schedule:
        return notes
    over, sizes = over_commitment(recorded_schedule(trace, trace.cluster)), of_sizes(notes)
    over = tuple(replace(note, text=f"{note.text}{sizes}") for note in over)
    # On a pool the peak and the over-commitment are one fact: the note that is computed from the whole
    # schedule stays.
    replaced = "peak" if over and trace.cluster.pooled else None
    return (*(note for note in notes if note.rule != replaced), *over)


def _misfits(trace: Trace) -> tuple[Note, ...]:
    """A note that lists the jobs that do not fit on the empty machine, where there are any."""
    jobs = np.flatnonzero(refused_jobs(trace, trace.cluster))
    if not len(jobs):
        return ()
    named = ", ".join(trace.shown_id(job) for job in jobs[:_NAMED]) + (", …" if len(jobs) > _NAMED else "")
    asked = f"; job {trace.shown_id(int(jobs[0]))} asks for {_request(trace, int(jobs[0]))}"
    text = f"jobs that fit nowhere on the empty machine, and that no simulated run takes: {named}{asked}"
    return (Note("refused", text, len(jobs)),)


def _request(trace: Trace, job: int) -> str:
    """What a job asks for, by kinds of tasks: `2 tasks of 8 CPUs and 512 MiB; 1 task of 8 CPUs and 2 gpu`."""
    tasks, parts = trace.tasks, []
    for row in range(int(tasks.offset[job]), int(tasks.offset[job + 1])):
        amounts = [counted(int(tasks["cpus"][row]), "CPU")]
        if tasks["ram"][row] > 0:
            amounts.append(f"{tasks['ram'][row]:,} MiB")
        amounts += [
            f"{tasks[name][row]:,} {name}" for name in trace.further_resources if tasks[name][row] > 0
        ]
        parts.append(f"{counted(int(tasks['count'][row]), 'task')} of {' and '.join(amounts)}")
    shown = parts[:_NAMED] + [f"{len(parts) - _NAMED:,} more kinds of tasks"] * (len(parts) > _NAMED)
    return "; ".join(shown)


def over_commitment(schedule: Schedule) -> tuple[Note, ...]:
    """A note for each resource of which concurrent jobs requested more than the capacity.

    Each note counts the jobs that ran on such a node at such a time. The machine counts as one
    node if it is a pool, or if the log does not give the nodes of its jobs.
    """
    notes = []
    capacity = _capacity(schedule)
    for resource, column in enumerate(schedule.cluster.resources[: capacity.shape[1]]):
        if column not in schedule.pieces.columns:
            continue
        note = _note(schedule, column, capacity[:, resource])
        notes += [note] if note.count else []
    return tuple(notes)


def _capacity(schedule: Schedule) -> Ints:
    """The capacity of each node, shape (nodes, K): CPUs, MiB of RAM, and further resources."""
    cluster = schedule.cluster
    if schedule.policy.simulated or names_nodes(schedule):
        return cluster.capacity()
    further = [cluster.total(name) for name in cluster.further_resources]
    return np.array([[cluster.cpus, UNLIMITED if cluster.ram is None else cluster.ram, *further]], np.int64)


def _note(schedule: Schedule, column: str, capacity: Ints) -> Note:
    """The note about one resource; `capacity` has shape (nodes,)."""
    pieces = schedule.pieces
    single = len(capacity) == 1 and pieces.single and bool(schedule.ran.all())
    if single and most_at_once(schedule.start, schedule.end, pieces[column]) <= capacity[0]:
        return Note(f"over_{column}", "", 0)  # as most logs are, in a part of the memory
    job = np.repeat(np.arange(len(schedule.start)), np.diff(pieces.offset))
    node, amount = pieces["node"], pieces[column]
    if not schedule.ran.all():
        rows = schedule.ran[job]  # a log may name nodes and no start
        job, node, amount = job[rows], node[rows], amount[rows]
    first = int(schedule.start[job].min(initial=schedule.last_end))
    span = schedule.last_end - first + 1
    # Put the time lines of all nodes one after the other: at the end of each nothing is held.
    line = node * span - first
    moment = np.concatenate((line + schedule.start[job], line + schedule.end[job]))
    del line
    order = np.argsort(moment, kind="stable")
    moment = moment[order]
    lasts = np.zeros_like(moment)
    np.subtract(moment[1:], moment[:-1], out=lasts[:-1])
    del moment  # columns are let go as early as they can be: they are long
    held = np.concatenate((amount, -amount))[order]
    np.cumsum(held, out=held)
    where = np.concatenate((node, node))[order] if len(capacity) > 1 else np.zeros(len(order), np.int64)
    over = held > (capacity[where] if len(capacity) > 1 else capacity[0])
    over &= lasts > 0
    if not over.any():
        return Note(f"over_{column}", "", 0)
    held, where = held[over], where[over]

    # `before`: seconds over the limit up to each start and end. A job was there in those between the start
    # and the end of one of its pieces.
    seconds = lasts
    seconds[~over] = 0
    share = float(seconds.sum()) / (len(capacity) * max(span - 1, 1))
    before = np.empty_like(seconds)
    before[order] = np.cumsum(seconds) - seconds
    del order, seconds, lasts
    jobs = np.unique(job[before[len(job) :] > before[: len(job)]])
    return Note(f"over_{column}", _text(column, held, where, capacity, share), len(jobs))


def _text(column: str, held: Ints, node: Ints, capacity: Ints, share: float) -> str:
    """The note's text; `held` on `node`, shape (moments,), exceeds `capacity`, shape (nodes,)."""
    if not len(held):
        return ""
    unit = {"cpus": "CPUs", "ram": "MiB of RAM"}.get(column, column)
    worst = int(np.argmax(held / np.maximum(capacity[node], 1)))  # a node may have no GPUs at all
    most = f"peak {held[worst]:,} of {capacity[node[worst]]:,} {unit}"
    what = "the machine"
    if len(capacity) > 1:
        what = f"{len(np.unique(node)):,} of {len(capacity):,} nodes"
    return f"jobs ran while recorded use exceeded {what}, {_percent(share)} of the time ({most})"


def _percent(share: float) -> str:
    """The share in % with two decimals; a smaller share above 0 is not shown as 0.00 %."""
    return f"{100 * share:.2f} %" if share >= 0.0001 else "less than 0.01 %"
