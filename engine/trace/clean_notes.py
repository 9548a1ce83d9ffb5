"""Notes on what cleaning found in a log: what it changed, and what is odd and was kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from engine.arrays import Ints, Mask
from engine.machine.cluster import Cluster
from engine.trace.odd_dates import LATE, late
from engine.trace.records import LOOSE, LOOSE_UNEVEN, LOOSE_UNTOLD, Records, note_lines
from engine.trace.trace import MISSING, Note

_WHOLE_NODES = {
    True: "were given whole nodes: they block them entirely, and have their allocated processors",
    False: "were given whole nodes: they take what they requested (whole_nodes=on: whole nodes)",
}
_NO_WHOLE_NODES = (
    "were given whole nodes, and the machine names no nodes: they take their allocated processors, and other "
    "jobs may run beside them"
)
_ONE_NODE = "had the only node of the log for themselves: they take all its processors"
_LOOSE = {
    LOOSE: ("free_tasks", "asked for tasks and not for nodes: the tasks lie wherever there is room"),
    LOOSE_UNTOLD: (
        "free_tasks_guessed",
        "ran on several nodes, and the log does not say whether they asked for that: taken as one-CPU tasks",
    ),
    LOOSE_UNEVEN: (
        "free_tasks_uneven",
        "asked for nodes and had not as many CPUs on each: the tasks lie wherever there is room",
    ),
}


MOST_RAM = 256 << 10
"""MiB a processor; where most jobs have more, their RAM is in another unit."""


def of_sizes(notes: Iterable[Note]) -> str:
    """What a note on use adds where jobs changed their sizes; empty where none did."""
    sized = any(note.rule == "resized" and note.count for note in notes)
    return "; jobs of several sizes count with their largest" if sized else ""


def most_note(records: Records, index: Ints, cut: Mask) -> Note:
    """A note, before all others, where most records were dropped or cut: what was read is then doubtful.

    `cut` marks those of the kept records, at `index`, whose runtime or processors were cut.
    """
    running = (records.runtime < 0) & np.isin(records.status, (MISSING, 2))  # which nobody expects to be kept
    dropped, changed = len(records) - len(index), int(np.count_nonzero(cut))
    unexpected = dropped + changed - int(np.count_nonzero(running))
    text = (
        f"of {len(records):,} jobs: {dropped:,} dropped, {changed:,} cut to the machine or their limit; "
        "look at the notes below before anything else: columns or units may be others than they seem"
    )
    return Note("most_changed", text, unexpected if 2 * unexpected > len(records) > 1 else 0)


def whole_text(machine: Cluster, one_node: bool, obeyed: bool) -> str:
    """What becomes of jobs that were given whole nodes; a pool has none, but where a log names `one_node`."""
    if obeyed and one_node:
        return _ONE_NODE
    return _NO_WHOLE_NODES if obeyed and machine.pooled else _WHOLE_NODES[obeyed]


def ram_note(records: Records, index: Ints) -> Note:
    """A note, before all others, where most jobs with RAM have more a processor than machines have."""
    ram, procs = records.ram[index], np.maximum(records.procs[index], 1).astype(np.int64)
    large = ram > MOST_RAM * procs
    text = (
        f"jobs have more than {MOST_RAM >> 10} GiB of RAM a processor: the log may give RAM in another unit "
        "than its format does, and machines are then too small for them"
    )
    # A few large jobs are no sign of a wrong unit: most must be so.
    most = 2 * np.count_nonzero(large) > np.count_nonzero(ram > 0)
    return note_lines("most_ram", text, large & most, records.line[index])


def late_note(records: Records, dropped: bool) -> Note:
    """A note on jobs with absurd times, which stands before all others: they stretch every chart."""
    what = "dropped" if dropped else "kept (drop_late_times=on: dropped)"
    return note_lines("drop_late_times", f"a time {LATE}: {what}", late(records), records.line)


def bound_note(records: Records, index: Ints) -> Note:
    """A note on the number of jobs with only a bound of their used RAM."""
    bound = records.ram_used_bound
    text = "the RAM used is a bound, as of the largest task times the number of tasks: it may have been less"
    mask = np.zeros(len(index), np.bool_) if bound is None else bound[index]
    return note_lines("ram_used_bound", text, mask, records.line[index])


def loose_notes(records: Records, index: Ints, whole: Mask) -> Iterator[Note]:
    """Notes on jobs whose tasks may run on any nodes, except jobs on `whole` nodes, shape (kept,)."""
    if records.loose is not None:
        for code, (rule, text) in _LOOSE.items():
            yield note_lines(rule, text, (records.loose[index] == code) & ~whole, records.line[index])


def oddities(records: Records, index: Ints) -> list[Note]:
    """Odd properties that are counted but not changed."""
    running = (records.runtime < 0) & np.isin(records.status, (-1, 2))
    line, job_id, status = records.line[index], records.job_id[index], records.status[index]
    again = np.zeros(len(index), np.bool_)
    # Most logs number their jobs in order of submission.
    order = index[:0] if (job_id[1:] > job_id[:-1]).all() else np.argsort(job_id, kind="stable")
    again[order[1:]] = job_id[order[1:]] == job_id[order[:-1]]
    return [
        note_lines(
            "unfinished", "jobs still running or waiting when the log ends: no runtime", running, records.line
        ),
        note_lines(
            "partial",
            "parts of interrupted jobs (status 2 to 4), each read as a job",
            (status >= 2) & (status <= 4),
            line,
        ),
        note_lines("same_id", "the same job number as a line above", again, line),
    ]
