"""Records of logs before any rule of cleaning: the result of each reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.limits import MAX_TASK_RAM
from engine.machine.cluster import Cluster
from engine.trace.columns import JobBasics, JobTold, JobUse
from engine.trace.names import Names, read_only
from engine.trace.trace import Note, Pieces

Numbers = NDArray[Any]  # integers of 8 to 64 bits

KEPT_LINES = 5

UNIX_TIMES = 500_000_000
"""Submit times beyond this (16 years) are seconds since 1970 themselves."""

LOOSE, LOOSE_UNTOLD, LOOSE_UNEVEN = 1, 2, 3
"""Reasons why a job's tasks may run on any number of nodes: its request; no contrary information in the log;
or uneven numbers of CPUs on the nodes that it requested."""

WALL_SUBMIT, WALL_START, WALL_END, WALL_ELIGIBLE = 1, 2, 4, 8
"""Bits of `Records.wall_clock`: this time of a job was read off a clock whose time zone the log does not
name. All other times are absolute: epoch seconds, and dates that give their distance to UTC."""

WALL_ANY = WALL_SUBMIT | WALL_START | WALL_END | WALL_ELIGIBLE

ELAPSED, WAITED = 16, 32
"""Bits of `Records.wall_clock`: the runtime is what the log says has elapsed, not end less start; the wait is
given, not start less submission."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Records(JobBasics, JobUse, JobTold):
    """An entry for each record, n of them in the order of the file; values <= 0 may mean missing.

    Times are whole seconds, local times read as UTC (`in_zone` shifts them); `ram` is MiB of the whole job,
    or MISSING. Numbers may be narrower than 64 bits; `clean_records` widens them. `procs` are requested, or
    else allocated, the `status` is as the Standard Workload Format numbers it. `tasks` are
    the task groups in the log (none for a job of single-CPU tasks, as many as its processors). `machine` is
    the machine in the log, None if it has none. `start` and `end` exist for local times: `wait` and `runtime`
    are computed from them.
    """

    path: Path
    line: Numbers  # line number in the file
    allocated: Numbers
    eligible: Ints | None = None  # time from which only the queue held it back, s; <= 0 where not given
    ram_limits: NDArray[np.bool_] | None = None  # False: RAM is no consumable resource there; None: all True
    nodes: Ints | None = None  # that were allocated; <= 0 where that is not known
    loose: Ints | None = None  # LOOSE and its like where tasks may lie on any number of nodes
    whole_nodes: NDArray[np.bool_] | None = None  # whether no other job could be on these
    ended_by_limit: NDArray[np.bool_] | None = None  # a runtime beyond the walltime is not cut
    partition: Names | None = None  # where the log has several
    cluster: Names | None = None  # where the log has several
    tasks: Pieces | None = None  # count, cpus, ram, and constraint where there are any
    constraints: tuple[str, ...] = ()
    features: tuple[str, ...] = ()  # texts that `feature` of tasks indexes; the first, if any, is empty
    task_queues: tuple[str, ...] = ()  # partitions that `queue` of tasks indexes; () if no job has several
    recorded_nodes: Pieces | None = None  # node, cpus
    machine: Cluster | None = None
    one_node: bool = False  # whether the log names a single node, on which nearly all jobs ran
    zero: int = 0
    written: float | None = None  # s since 1970 when the newest of its files was written, if known
    timezone: str = "UTC"
    start: Ints | None = None  # as the log gives it, s; <= 0 where only a wait is given
    end: Ints | None = None  # as the log gives it, s; <= 0 where not given
    wall_clock: NDArray[np.uint8] | None = None  # bits of WALL_*: None where every time is absolute
    header: Mapping[str, str] = field(default_factory=dict)
    read_as: str = ""  # what the log was taken for, and how sure that is, in words
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.submit)

    def take(self, index: NDArray[Any]) -> Records:
        """The chosen records (an index array or a boolean mask); everything else is kept."""
        changed: dict[str, Any] = {}
        # By the kind of each column, so that new columns need no entry here.
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, np.ndarray):
                changed[entry.name] = value[index]
            elif isinstance(value, Names | Pieces):
                changed[entry.name] = value.take(index)
        return replace(self, **changed)


def note_lines(rule: str, text: str, mask: NDArray[np.bool_], line: Numbers) -> Note:
    """A note that counts the marked records and names the lines of the first few; both shape (n,)."""
    first = np.flatnonzero(mask)[:KEPT_LINES]
    return Note(rule, text, int(np.count_nonzero(mask)), tuple(line[first].tolist()))


def mebibytes(amount: Ints, unit: int) -> Ints:
    """MiB of amounts in units of `unit` bytes, rounded up and at most MAX_TASK_RAM; 0 where missing."""
    per_mib = (1 << 20) // unit
    return np.clip(-(-amount // per_mib), 0, MAX_TASK_RAM)


def number_names(values: Numbers) -> Names:
    """Identifiers that are numbers, spelled as decimals, in ascending order."""
    if not len(values):
        return Names(np.empty(0, np.int32), ())
    low = int(values.min())
    span = int(values.max()) - low + 1
    # Numbers far apart are sorted; those close together are counted in a table, which is faster.
    if span > 4 * len(values) + 65_536:
        used, inverse = np.unique(values, return_inverse=True)
        return Names(inverse.astype(np.int32), tuple(map(str, used.tolist())))
    place = np.subtract(values, low, dtype=np.int64)
    codes = np.zeros(span, np.int32)
    codes[place] = 1
    used = np.flatnonzero(codes)
    codes[used] = np.arange(len(used), dtype=np.int32)
    return Names(codes[place], tuple(map(str, (used + low).tolist())))


def text_names(values: Sequence[str]) -> Names:
    """Identifiers that are texts, in order of first appearance."""
    code: dict[str, int] = {}
    codes = (code.setdefault(value, len(code)) for value in values)
    return Names(np.fromiter(codes, np.int32, len(values)), tuple(code))


def format_names(values: Sequence[bytes]) -> tuple[str, ...]:
    """Different names as texts, which stay different: bytes that are no UTF-8 are spelled like `caf\xe9`.

    So they can be shown, typed into filters, and read again. Where another name already is that text,
    the backslashes are doubled.
    """
    try:
        return tuple(value.decode() for value in values)
    except UnicodeDecodeError:
        pass
    # What is no UTF-8 is written with backslashes, which may then equal another name.
    names = [value.decode("utf-8", "backslashreplace") for value in values]
    taken = {name for name, value in zip(names, values, strict=True) if name.encode() == value}
    for k, value in enumerate(values):
        if names[k].encode() != value:
            while names[k] in taken:
                names[k] = names[k].replace("\\", "\\\\")
            taken.add(names[k])
    return tuple(names)


_NO_NAMES = frozenset(("null", "none", "nan", "nat", "\\n", "(null)", "n/a", "<na>", "#n/a"))
"""What programs print, in small letters, where there is no name."""


def known_names(column: Names) -> Names:
    """The identifiers, with an empty name where a program printed that there is none."""
    if not any(name.strip().lower() in _NO_NAMES for name in column.names):
        return column
    merged = text_names(["" if name.strip().lower() in _NO_NAMES else name for name in column.names])
    return Names(read_only(merged.codes[column.codes]), merged.names)


def used_names(column: Names) -> Names:
    """The identifiers without names that no entry has."""
    used = np.bincount(column.codes, minlength=len(column.names)) > 0
    if used.all():
        return column
    code = (np.cumsum(used) - 1).astype(np.int32)
    kept = np.flatnonzero(used).tolist()
    return Names(read_only(code[column.codes]), tuple(column.names[k] for k in kept))
