"""Cleaning: from the records of a log to the jobs of a trace, by rules that can be switched."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints, Mask
from engine.errors import InputError
from engine.limits import MAX_CPUS
from engine.machine.cluster import Cluster
from engine.slurm.conf.select import SHARED, NodeUse
from engine.trace.clean_notes import (
    bound_note,
    late_note,
    loose_notes,
    most_note,
    oddities,
    of_sizes,
    ram_note,
    whole_text,
)
from engine.trace.columns import TOLD_COLUMNS
from engine.trace.gpu_tasks import GPU, with_known_gpus
from engine.trace.names import Names, read_only
from engine.trace.node_demands import OF_FIRST, feature_notes, given_whole_nodes, whole_tasks
from engine.trace.odd_dates import late, notes_on_dates
from engine.trace.peak import most_at_once
from engine.trace.records import (
    Records,
    known_names,
    note_lines,
    used_names,
)
from engine.trace.trace import MISSING, Note, Pieces, Trace, zeros
from engine.words import counted


@dataclass(frozen=True)
class Rule:
    """A rule of cleaning that can be switched on or off; `on` is its default."""

    name: str
    on: bool
    help: str


RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("drop_no_runtime", True, "drop jobs without a positive runtime (off: they run for 1 s)"),
        Rule("drop_no_procs", True, "drop jobs without a processor count (off: they take one)"),
        Rule("drop_negative_submit", True, "drop jobs with a negative submit time (off: it counts as 0)"),
        Rule(
            "drop_late_times",
            True,
            "drop jobs with a time in 2106 or later, which unset numbers look like (off: they are kept)",
        ),
        Rule("drop_no_walltime", False, "drop jobs without a requested walltime (off: it is the runtime)"),
        Rule(
            "from_eligible",
            False,
            "count waits from when a job became eligible, if the log says when",
        ),
        Rule("clamp_procs", True, "cap processors at those of the machine (off: such jobs are refused)"),
        Rule(
            "whole_nodes",
            True,
            "let jobs that were given whole nodes block them entirely (off: only what they requested)",
        ),
        Rule(
            "clamp_runtime",
            True,
            "cap runtimes at the walltime, as a batch system does, except for jobs that it ended late",
        ),
    )
}
"""All rules by name, in the order in which they apply, but for `drop_late_times`, which applies first."""


_GUESSED = (
    "slurm.conf names no SelectType: nodes are shared, as from Slurm 23.11 on; "
    "before, jobs got whole nodes (SelectType=select/linear)"
)
_OVER_LIMIT = "ran into their walltime and kept their nodes until they were gone: that is their runtime"


def switches(clean: Mapping[str, bool] | None) -> dict[str, bool]:
    """Every rule's state under these changes. Raises InputError for a name that is no rule."""
    state = {rule.name: rule.on for rule in RULES.values()}
    for name, on in (clean or {}).items():
        if name not in RULES:
            close = difflib.get_close_matches(name, RULES, n=1, cutoff=0)
            raise InputError(f"there is no cleaning rule {name!r}; did you mean {close[0]!r}?")
        state[name] = on
    return state


def clean_records(
    records: Records,
    *,
    name: str,
    cluster: Cluster | None = None,
    on: Mapping[str, bool] | None = None,
    use: NodeUse = SHARED,
) -> Trace:
    """The trace of a log's records: the remaining records, in order of submission, ties in file order.

    The machine is `cluster`, otherwise the machine in the log, otherwise a pool as large as the largest job
    or the peak of concurrently used processors. `on` changes rules. `use` is how jobs use the nodes of that
    machine. Raises InputError if no job is left.
    """
    state = switches(on)
    # Rules that move or drop whole records come first: all columns after them are of the kept jobs alone.
    records, held, eligible_note = _from_eligible(records, state["from_eligible"])
    dates_note = late_note(records, state["drop_late_times"])
    index, notes = _choose(records, state, dates_note)
    kept = _Kept(records, index)
    pick, names = kept.pick, kept.names
    line = records.line if kept.every else records.line[index]
    raw_runtime = _at_least(pick(records.runtime), 1)
    # What a log does not say is filled from what it says: processors in use from those asked for, and
    # below the walltime from the runtime.
    asked = _at_least(pick(records.procs), 1)
    allocated = pick(records.allocated)
    allocated = np.where(allocated > 0, allocated, asked)
    submit = _at_least(pick(records.submit), 0)
    wait = _or_missing(pick(records.wait))
    peak = _peak(submit + wait, raw_runtime, allocated, wait >= 0)

    # Without a machine the log's own peak of use is the least that it must have had.
    machine = cluster or records.machine
    if machine is None:
        machine = Cluster.pool(min(max(int(asked.max()), peak), MAX_CPUS))
        notes.append(Note("machine_guessed", f"the log names no machine: {_fitting(machine)}", 1))
    requested = pick(records.walltime)
    walltime = np.where(requested > 0, requested, raw_runtime)
    queue = names(records.queue)
    whole = given_whole_nodes(kept.if_any(records.whole_nodes), queue, use)
    one_node = records.one_node and machine.pooled
    taken = _taken(asked, allocated, whole, machine if one_node else None) if state["whole_nodes"] else asked
    procs = np.minimum(taken, machine.cpus) if state["clamp_procs"] else taken
    late = np.zeros(len(index), np.bool_)
    if records.ended_by_limit is not None:
        late = pick(records.ended_by_limit) & (raw_runtime > walltime)
    runtime = _cut(raw_runtime, walltime, late) if state["clamp_runtime"] else raw_runtime
    ram, tasks = _tasks(records, index, pick(records.ram), taken, procs)
    if state["whole_nodes"] and whole.any():
        tasks = whole_tasks(tasks, whole, procs, asked, *_nodes_and_limits(records, kept, ram))
    gpus = None if records.gpus is None else _or_missing(pick(records.gpus))
    if gpus is not None and (gpus > 0).any():
        tasks = with_known_gpus(tasks, gpus)
    # Notes count what was changed, each with the lines of the log that it is about, in the order in which
    # they change results.
    notes += [
        eligible_note,
        note_lines("clamp_procs", f"processors cut to the machine's {machine.cpus:,}", procs < taken, line),
        note_lines("clamp_runtime", "runtimes cut to the walltime", runtime < raw_runtime, line),
        note_lines("over_limit", _OVER_LIMIT, late, line),
        note_lines("whole_nodes", whole_text(machine, one_node, state["whole_nodes"]), whole, line),
        *loose_notes(records, index, whole & state["whole_nodes"]),
        *feature_notes(records.features, tasks, machine, line),
        Note("nodes_shared", _GUESSED, int(use.guessed)),
        note_lines(
            "ram_without_limit",
            f"jobs that ask for RAM, which is not a consumable resource there ({use.because}) and "
            "holds none up",
            (ram > 0) & (not use.consumes_ram),
            line,
        ),
        note_lines(
            "no_walltime",
            "jobs without a requested walltime: the runtime stands for it",
            requested <= 0,
            line,
        ),
        note_lines(
            "negative_wait",
            "jobs with a negative wait: it counts as not recorded",
            pick(records.wait) < MISSING,
            line,
        ),
        note_lines("no_wait", "jobs without a recorded wait", wait < 0, line),
        bound_note(records, index),
        *oddities(records, index),
        Note(
            "peak",
            f"machine smaller than what the log has in use at once, {counted(int(peak), 'processor')} of "
            f"{machine.cpus:,}{of_sizes(records.notes)}",
            int(peak > machine.cpus),
        ),
    ]
    used: dict[str, Any] = {name: pick(column) for name, column in records.used.items()}
    told: dict[str, Any] = {column: kept.told(column) for column in records.told}
    preceding, think_time = _or_missing(pick(records.preceding)), _or_missing(pick(records.think_time))
    # Equal columns share memory: of most logs runtimes, processors and absent columns are the same twice.
    runtime, raw_runtime, procs, allocated, ram, wait, preceding, think_time = _shared(
        runtime, raw_runtime, procs, allocated, ram, wait, preceding, think_time
    )
    return Trace(
        name=name,
        cluster=machine,
        job_id=pick(records.job_id),
        submit=submit,
        runtime=runtime,
        walltime=walltime,
        procs=procs,
        ram=ram,
        wait=wait,
        recorded_runtime=raw_runtime,
        recorded_procs=allocated,
        preceding=preceding,
        think_time=think_time,
        status=pick(records.status),
        user=names(records.user),
        group=names(records.group),
        queue=queue,
        executable=names(records.executable),
        gpus=gpus,
        **told,
        held=kept.if_any(held),
        least_nodes=kept.if_any(records.least_nodes),
        most_nodes=kept.if_any(records.most_nodes),
        at_once=kept.if_any(records.at_once),
        limited=None if (requested > 0).all() else requested > 0,
        **used,
        tasks=tasks,
        constraints=records.constraints,
        features=records.features,
        task_queues=records.task_queues,
        recorded_nodes=None if records.recorded_nodes is None else records.recorded_nodes.take(index),
        zero=records.zero,
        timezone=records.timezone,
        header=dict(records.header),
        read_as=records.read_as,
    ).with_notes(
        most_note(records, index, (procs < taken) | (runtime < raw_runtime)),
        ram_note(records, index),
        dates_note,
        *notes_on_dates(records, index),
        *records.notes,
        *notes,
    )


class _Kept:
    """The columns of the records at `index`, (n,): those that are kept, in order of submission."""

    def __init__(self, records: Records, index: Ints) -> None:
        self._records, self._index = records, index
        self.every = len(index) == len(records) and bool((index[1:] > index[:-1]).all())

    def pick(self, column: NDArray[Any]) -> NDArray[Any]:
        """The kept records' values, numbers as 64 bits; no copy if all are kept, unless they are a part of a
        larger table.
        """
        if column.dtype.kind == "i" and column.itemsize < 8:
            return (column if self.every else column[self._index]).astype(np.int64)
        return column if self.every and column.base is None else column[self._index]

    def if_any(self, column: NDArray[Any] | None) -> NDArray[Any] | None:
        """The kept records' values of a column that the log need not have."""
        return None if column is None else self.pick(column)

    def names(self, column: Names) -> Names:
        """The names of the kept records, in which the words of logs for a missing name are none."""
        return known_names(self._words(column))

    def told(self, column: str) -> Names | Ints:
        """A further column that the log has: names, words that stand for themselves, or numbers."""
        values = self._records.told[column]
        if isinstance(values, Names):
            return self._words(values) if TOLD_COLUMNS[column].literal else self.names(values)
        return _or_missing(self.pick(values))

    def _words(self, column: Names) -> Names:
        return used_names(column if self.every else column.take(self._index))


def _shared(*columns: Ints) -> list[Ints]:
    """The columns, with equal columns shared: in many logs several are empty."""
    kept: list[Ints] = []
    for column in columns:
        kept.append(next((earlier for earlier in kept if np.array_equal(earlier, column)), column))
    return kept


def _from_eligible(records: Records, on: bool) -> tuple[Records, Ints | None, Note]:
    """Jobs submitted at the time when they became eligible, if the log has a later such time and the rule is
    `on`; otherwise the seconds, (records,), by which that is later than their submission.
    """
    if records.eligible is None:
        return records, None, Note("from_eligible", "", 0)
    held = np.where(records.submit > 0, records.eligible - records.submit, 0)
    # A time after the start cannot be when the job became eligible: such a record is not believed.
    later = (held > 0) & ((records.wait < 0) | (held <= records.wait))
    text = "jobs held back or dependent when submitted: " + (
        "waits count from when each could start"
        if on
        else "waits count from the submission (from_eligible=on: from when each could start)"
    )
    note = note_lines("from_eligible", text, later, records.line)
    if not on:
        return records, np.where(later, held, 0) if later.any() else None, note
    # The submission moves and the wait shrinks by as much: the start stays.
    submit = np.where(later, records.eligible, records.submit)
    wait = np.where(later & (records.wait >= 0), records.wait - held, records.wait)
    return replace(records, submit=submit, wait=wait), None, note


def _choose(records: Records, on: Mapping[str, bool], dates_note: Note) -> tuple[Ints, list[Note]]:
    """The kept records in order of submission, and notes; dropped records count for the first broken rule.

    `dates_note` is on the records that `drop_late_times` drops.
    """
    kept = ~late(records) if on["drop_late_times"] else np.ones(len(records), np.bool_)
    notes = []
    for rule, text, breaks in (
        ("drop_no_runtime", "dropped: no positive runtime", records.runtime <= 0),
        ("drop_no_procs", "dropped: no processor count", records.procs <= 0),
        ("drop_negative_submit", "dropped: no time of submission, or a negative one", records.submit < 0),
        ("drop_no_walltime", "dropped: no requested walltime", records.walltime <= 0),
    ):
        if on[rule]:
            # A record counts for the first rule that it breaks, so that the numbers add up.
            notes.append(note_lines(rule, text, breaks & kept, records.line))
            kept &= ~breaks
    if not kept.any():
        why = "".join(
            f"; {n.text} ({n.count}, {n.rule})" for n in (dates_note, *notes, *records.notes) if n.lines
        )
        raise InputError(f"{records.path}: no usable job among {len(records)} records{why}")
    index = np.flatnonzero(kept)
    submit = records.submit[index]
    # The jobs are sorted only if some job was submitted before the job above it.
    unordered = np.concatenate(([False], submit[1:] < submit[:-1]))
    notes.append(
        note_lines(
            "out_of_order",
            "jobs submitted before the job above: put in order",
            unordered,
            records.line[index],
        )
    )
    return (index[np.argsort(submit, kind="stable")] if unordered.any() else index), notes


def _or_missing(column: Ints) -> Ints:
    return _at_least(column, MISSING)


def _at_least(column: Ints, least: int) -> Ints:
    return column if column.min(initial=least) >= least else np.maximum(column, least)


def _fitting(machine: Cluster) -> str:
    return f"{counted(machine.cpus, 'processor')} {'fits' if machine.cpus == 1 else 'fit'} it"


def _taken(asked: Ints, allocated: Ints, whole: Mask, only_node: Cluster | None) -> Ints:
    """Processors that jobs block, shape (n,); `only_node` is a pool whose processors are all of one node."""
    # A job alone on its nodes takes all their processors, however few it asked for.
    taken = np.where(whole, np.maximum(allocated, asked), asked)
    if only_node is None:
        return taken
    # A pool has no node to block, but all its processors are this node.
    return np.where(whole, np.maximum(taken, only_node.cpus), taken)


def _nodes_and_limits(records: Records, kept: _Kept, ram: Ints) -> tuple[Ints, Ints]:
    """How many nodes the kept jobs ask for, 0: any, and which of their RAM limits where they run, (n,)."""
    nodes = np.zeros(len(ram), np.int64) if records.nodes is None else kept.pick(records.nodes)
    # RAM is a consumable resource of every job, unless the log says of which.
    return nodes, ram if records.ram_limits is None else np.where(kept.pick(records.ram_limits), ram, 0)


def _cut(runtime: Ints, walltime: Ints, late: Mask) -> Ints:
    """Runtimes cut to the walltime, s, shape (n,): schedulers would have ended the job.

    Those that the log says were ended so, `late`, kept their nodes until they were gone, and keep it.
    """
    cut = np.minimum(runtime, walltime)
    return np.where(late, runtime, cut) if late.any() else cut


def _peak(start: Ints, runtime: Ints, procs: Ints, known: Mask) -> int:
    """The most processors in use at once by the log, of jobs whose start is known."""
    if not known.any():
        return 0
    if not known.all():
        start, runtime, procs = start[known], runtime[known], procs[known]
    return most_at_once(start, start + runtime, procs)


def _tasks(records: Records, index: Ints, ram: Ints, asked: Ints, procs: Ints) -> tuple[Ints, Pieces]:
    """RAM and task groups of the kept jobs, of which `ram` is the request.

    Jobs without their own groups, and those cut to the machine, are single-CPU tasks, as many as their
    processors, each with its share of the RAM, rounded up.
    """
    share = np.where(ram > 0, -(-ram // asked), 0) if (ram > 0).any() else zeros(len(index))
    # Where memory is no consumable resource it does not limit placements.
    if records.ram_limits is not None:
        share = np.where(records.ram_limits[index], share, 0)
    # A job that was cut to the machine keeps its memory per processor.
    cut = procs < asked
    n = len(index)
    single = {"count": procs, "cpus": np.ones(n, np.int64), "ram": share}
    if cut.any():
        ram = np.where(cut & (ram > 0), -(-ram // asked) * procs, ram)
    if records.tasks is None:
        return ram, Pieces(read_only(np.arange(n + 1)), {k: read_only(v) for k, v in single.items()})
    tasks = records.tasks.take(index)
    if GPU in tasks.columns:
        single[GPU] = np.zeros(n, np.int64)
    if "constraint" in tasks.columns:
        single["constraint"] = np.zeros(n, np.int64)
    there, first = np.diff(tasks.offset) > 0, np.minimum(tasks.offset[:-1], max(int(tasks.offset[-1]) - 1, 0))
    for name in OF_FIRST & tasks.columns.keys():
        single[name] = np.where(there, tasks[name][first], 0)
    both = Pieces(
        np.concatenate((tasks.offset[:-1], tasks.offset[-1] + np.arange(n + 1))),
        {k: np.concatenate((tasks[k], v)) for k, v in single.items()},
    )
    # Row k of both tables, or row n + k, the single CPUs of job k.
    plain = cut | (np.diff(tasks.offset) == 0)
    return ram, both.take(np.arange(n) + np.where(plain, n, 0))
