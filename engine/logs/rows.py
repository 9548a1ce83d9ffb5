"""Jobs of logs that are read line by line, an object for each job, and the records made of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.errors import InputError
from engine.limits import MAX_CPUS, MAX_DURATION, MAX_EXTRA, MAX_TASK_RAM, MAX_TIME
from engine.logs.files.content import Progress
from engine.logs.nodes.machine import LoggedMachine, log_nodes
from engine.machine.cluster import Cluster
from engine.trace.columns import NAMED, USED, USED_COLUMNS
from engine.trace.even_tasks import even_tasks
from engine.trace.gpu_tasks import GPU
from engine.trace.names import Names
from engine.trace.records import (
    WAITED,
    WALL_ANY,
    WALL_END,
    WALL_START,
    WALL_SUBMIT,
    Records,
    note_lines,
    text_names,
)
from engine.trace.sentinels import NO_VALUES
from engine.trace.time_notes import early_note, mixed_note
from engine.trace.trace import MISSING, Note, Pieces
from engine.words import counted

WHOLE_BY_TASKS = -1
"""Stands for a number of whole nodes that follows from the tasks of a job."""

Tasks = tuple[tuple[int, int, int, int], ...]
"""Task groups: count, then CPUs, MiB and GPUs a task."""

_BLOCK = 1 << 22  # bytes
_MAX_LINE = 1 << 20  # characters; the rest is ignored
_MAX_ID = 200  # characters
_MOST_USED = 1e18  # s, MiB or J; larger values are ignored
_BEYOND = 1 << 62  # larger than anything that counts
_NOTHING_USED: Mapping[str, float] = MappingProxyType({})
_NOTHING_LARGER: Mapping[int, tuple[int, int]] = MappingProxyType({})
_PLAIN = re.compile(r"\d{1,15}", re.ASCII)


@dataclass(slots=True)
class JobRow:
    """A job in a log: times are s since 1970, RAM is MiB, and missing values are MISSING.

    `runtime` is that of a job that ended. `tasks` are its task groups if the log has them; otherwise there is
    a task on each of its `nodes`, if known. `hosts` are its nodes as `format_hosts` spells them. `whole` are
    the nodes that it asked to have for itself: their number, WHOLE_BY_TASKS, or 0 if it did not ask. `used`
    are the values of USED_COLUMNS that are known.
    """

    line: int
    job_id: str
    submit: int = MISSING
    eligible: int = MISSING
    start: int = MISSING
    runtime: int = MISSING
    walltime: int = MISSING
    procs: int = MISSING
    allocated: int = MISSING
    nodes: int = MISSING
    ram: int = MISSING
    gpus: int = 0
    whole: int = 0
    status: int = MISSING
    user: str = ""
    group: str = ""
    queue: str = ""
    executable: str = ""
    hosts: str = ""
    tasks: Tasks = ()
    end: int = MISSING
    wall_clock: int = 0  # bits of `Records.wall_clock`
    used: Mapping[str, float] = field(default_factory=lambda: _NOTHING_USED)


@dataclass(frozen=True, eq=False, kw_only=True)
class JobColumns:
    """n jobs as columns, shape (n,), with the fields of `JobRow`.

    `numbers` has a column for each name in NUMBERS, `names` for each in NAMED. Without `hosts` and `tasks`,
    the log has neither.
    """

    numbers: Mapping[str, Ints]
    job_id: NDArray[Any]
    names: Mapping[str, Names]
    hosts: Names | None = None
    tasks: Sequence[Tasks] = ()
    used: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # those of USED that are known

    def __len__(self) -> int:
        return len(self.job_id)

    def take(self, chosen: NDArray[Any]) -> JobColumns:
        """The chosen jobs (an index array or a boolean mask)."""
        index = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        return JobColumns(
            numbers={name: column[chosen] for name, column in self.numbers.items()},
            job_id=self.job_id[chosen],
            names={name: column.take(chosen) for name, column in self.names.items()},
            hosts=None if self.hosts is None else self.hosts.take(chosen),
            tasks=[self.tasks[k] for k in index.tolist()] if self.tasks else (),
            used={name: column[chosen] for name, column in self.used.items()},
        )


def records_of_rows(
    path: Path,
    rows: Sequence[JobRow],
    machine: Cluster | None,
    notes: tuple[Note, ...] = (),
    *,
    dated: bool = True,
    at_largest: Mapping[int, tuple[int, int]] = _NOTHING_LARGER,
) -> Records:
    """The records of jobs, as `records_of_columns` makes them."""
    jobs = JobColumns(
        numbers={name: _column(rows, name) for name in NUMBERS},
        job_id=job_ids([row.job_id for row in rows]),
        names={name: text_names([getattr(row, name) for row in rows]) for name in NAMED},
        hosts=text_names([row.hosts for row in rows]),
        tasks=[row.tasks for row in rows],
        used={name: np.array([row.used.get(name, MISSING) for row in rows], np.float64) for name in USED},
    )
    return records_of_columns(path, jobs, machine, notes, dated=dated, at_largest=at_largest)


def rows_of(jobs: JobColumns) -> list[JobRow]:
    """The jobs as rows, without the nodes and tasks in the log."""
    numbers = {name: column.tolist() for name, column in jobs.numbers.items()}
    used = {name: column.tolist() for name, column in jobs.used.items()}
    names = {
        name: [column.names[code] for code in column.codes.tolist()] for name, column in jobs.names.items()
    }
    return [
        JobRow(
            job_id=str(job),
            **{name: column[k] for name, column in numbers.items()},
            **{name: column[k] for name, column in names.items()},
            used={name: column[k] for name, column in used.items()},
        )
        for k, job in enumerate(jobs.job_id.tolist())
    ]


def records_of_columns(
    path: Path,
    jobs: JobColumns,
    machine: Cluster | None,
    notes: tuple[Note, ...] = (),
    *,
    dated: bool = True,
    at_largest: Mapping[int, tuple[int, int]] = _NOTHING_LARGER,
) -> Records:
    """The records of jobs, in order. Without a machine, it is derived from their nodes.

    `dated`: times are dates, so that their time zone matters. A job with a time or an amount outside of the
    limits is left out, and counted; too long walltimes are ignored. `at_largest`, by line, is when a job that
    gave back nodes had all that its row says, start and end: by these times its nodes are known.
    """
    # Numbers larger than any log's would overflow what is computed from them.
    large = _too_large(jobs.numbers)
    large_note = note_lines(
        "too_large", "jobs left out: a time or an amount larger than any log's", large, jobs.numbers["line"]
    )
    if large.any():
        jobs = jobs.take(~large)
    column = jobs.numbers
    submit, start, runtime = column["submit"], column["start"], column["runtime"]
    wall_clock = np.where(column["wall_clock"] & WALL_ANY, column["wall_clock"], 0).astype(np.uint8)
    on_clocks = bool(wall_clock.any())
    # A job of which only a single size is told asked for what it got.
    procs = np.where(column["procs"] > 0, column["procs"], column["allocated"])
    allocated = np.where(column["allocated"] > 0, column["allocated"], procs)
    # Without a submission nobody knows how long a job waited, so that its start counts for nothing.
    started = (start >= 0) & (submit >= 0)
    hosts = jobs.hosts or Names(np.zeros(len(jobs), np.int32), ("",))
    where = log_nodes(hosts, read_hosts, allocated, column["line"], procs=procs)
    # A job whose size changed counts on its nodes while it had its largest size.
    begin, until = start.copy(), start + np.where(started, np.maximum(runtime, 0), 0)
    for k in np.flatnonzero(np.isin(column["line"], list(at_largest))).tolist() if at_largest else ():
        begin[k], until[k] = np.clip(at_largest[int(column["line"][k])], begin[k], until[k])
    placed = where.place(machine, begin, until)
    # Which of the three times are on a clock of walls, where an hour may come twice or never.
    given = {
        WALL_SUBMIT: submit >= 0,
        WALL_START: (start >= 0) & ((wall_clock & WAITED) == 0),
        WALL_END: column["end"] > 0,
    }
    whole = column["whole"] != 0
    mixed = mixed_note(wall_clock, given, column["line"])
    return Records(
        path=path,
        line=column["line"],
        job_id=jobs.job_id,
        submit=submit,
        wait=np.where(started, np.maximum(start - submit, 0), MISSING),
        runtime=runtime,
        walltime=np.where(column["walltime"] > MAX_DURATION, MISSING, column["walltime"]),
        procs=procs,
        allocated=column["allocated"],
        ram=np.where(column["ram"] > 0, column["ram"], MISSING),
        status=column["status"],
        user=jobs.names["user"],
        group=jobs.names["group"],
        queue=jobs.names["queue"],
        executable=jobs.names["executable"],
        preceding=np.full(len(jobs), MISSING, np.int64),
        think_time=np.full(len(jobs), MISSING, np.int64),
        eligible=column["eligible"],
        start=np.where(wall_clock & WAITED, MISSING, start) if on_clocks else None,
        end=column["end"] if on_clocks else None,
        wall_clock=wall_clock if on_clocks else None,
        gpus=column["gpus"] if (column["gpus"] > 0).any() else None,
        nodes=np.maximum(column["whole"], 0) if whole.any() else None,
        whole_nodes=whole if whole.any() else None,
        tasks=_tasks(jobs, procs, placed.uneven),
        recorded_nodes=placed.nodes,
        machine=placed.machine,
        one_node=placed.one_node,
        **_used(jobs.used),
        notes=(
            *notes,
            large_note,
            early_note(submit, start, started, column["line"]),
            mixed,
            *placed.notes,
            *log_notes(column["gpus"], column["line"], placed, dated),
        ),
    )


_GPUS = "jobs with GPUs: to simulate these, give a machine that has some, as --cluster 4x64c512g8gpu"


def log_notes(gpus: Ints, line: Ints, placed: LoggedMachine, dated: bool = True) -> tuple[Note, ...]:
    """Notes on missing information in a batch system's log: the GPUs of its machine, its time zone, its
    machine.
    """
    derived = placed.own
    # GPUs that jobs ask for are of no use where the machine has none: the note says so.
    has_gpus = placed.machine is not None and GPU in placed.machine.further_resources
    zone = "the log names no time zone: its times are shown as UTC"
    machine = (
        ""
        if derived is None
        else f"{counted(derived.nodes, 'node')} of {counted(derived.cpus, 'CPU')} in all"
    )
    return (
        note_lines("gpus", _GPUS, (gpus > 0) & (not has_gpus), line),
        Note(
            "time_zone",
            zone,
            int(dated and len(line) > 0),
        ),
        Note(
            "machine_derived",
            f"the log names no machine: {machine}, by what was in use on each node at once",
            int(derived is not None),
        ),
    )


def format_hosts(cpus: Mapping[str, int]) -> str:
    """Nodes and the CPUs on each, like `c1*4`, a line each; a line break in a name becomes a space.

    0 CPUs mean a share of the job's CPUs.
    """
    spelled = (f"{name}*{count}".replace("\n", " ") for name, count in cpus.items())
    return "\n".join(spelled)


def read_hosts(text: str, most: int) -> list[tuple[str, int]]:
    """The nodes of such a spelling. Raises InputError where they are more than `most`."""
    parts = text.split("\n") if text else []
    if len(parts) > most:
        raise InputError(f"over {most:,} nodes")
    found: Counter[str] = Counter()
    for part in parts:
        name, _, count = part.rpartition("*")
        found[name] += int(count)
    return list(found.items())


def text_lines(text: NDArray[np.uint8], progress: Progress | None) -> Iterator[tuple[int, str]]:
    """The lines that hold anything, each with its number from 1, cut where they are too long.

    `text` ends in a newline; a line may hold any character but that.
    """
    number, rest = 0, b""
    for at in range(0, len(text), _BLOCK):
        pieces = text[at : at + _BLOCK].tobytes().split(b"\n")
        pieces[0] = rest + pieces[0][:_MAX_LINE]
        rest = pieces.pop()[:_MAX_LINE]
        for piece in pieces:
            number += 1
            line = piece[:_MAX_LINE].decode("utf-8", "backslashreplace").rstrip("\r")
            if line and not line.isspace():
                yield number, line
        if progress is not None:
            progress(min(1.0, (at + _BLOCK) / len(text)))


def _used(columns: Mapping[str, NDArray[np.float64]]) -> dict[str, Any]:
    """The columns of USED that any job has; a value larger than any can be counts as missing."""
    found: dict[str, Any] = {}
    for name, values in columns.items():
        valid = np.where((values >= 0) & (values <= _MOST_USED), values, MISSING)
        column = USED_COLUMNS[name].of_values(valid)
        if (column > 0).any():
            found[name] = column
    if "ram_used" not in found:
        found.pop("ram_used_bound", None)
    return found


NUMBERS = (
    *("line", "submit", "eligible", "start", "runtime", "walltime", "procs", "allocated", "nodes", "ram"),
    *("gpus", "whole", "status", "end", "wall_clock"),
)
"""The fields of `JobRow` that are numbers."""


def _column(rows: Sequence[JobRow], name: str) -> Ints:
    values = (getattr(row, name) for row in rows)
    return np.fromiter((_counted(value) for value in values), np.int64, len(rows))


def _counted(value: int) -> int:
    """The number as a column holds it."""
    return MISSING if value in NO_VALUES else min(value, _BEYOND)


def _too_large(column: Mapping[str, Ints]) -> NDArray[np.bool_]:
    """The jobs with any value outside of the program's limits, shape (n,)."""
    moments = np.maximum(np.maximum(column["submit"], column["eligible"]), column["start"])
    amounts = np.maximum(np.maximum(column["procs"], column["allocated"]), column["nodes"])
    # Both are clamped before they are subtracted: a difference of any two numbers could overflow.
    wait = np.minimum(column["start"], _BEYOND) - np.maximum(column["submit"], MISSING)
    large: NDArray[np.bool_] = (
        (moments > MAX_TIME)
        | (np.maximum(column["runtime"], wait) > MAX_DURATION)
        | (amounts > MAX_CPUS)
        | (column["ram"] > MAX_TASK_RAM * MAX_CPUS)
        | (column["gpus"] > MAX_EXTRA)
    )
    return large


def job_ids(ids: list[str]) -> NDArray[Any]:
    """Job ids as numbers if all of them are, otherwise as texts, shape (n,)."""
    if all(_PLAIN.fullmatch(text) for text in ids):
        return np.array([int(text) for text in ids], np.int64)
    return np.array([text[:_MAX_ID] for text in ids], np.str_)


def _tasks(jobs: JobColumns, procs: Ints, uneven: NDArray[np.bool_]) -> Pieces:
    """The task groups of jobs if these have all their processors, otherwise a task on each node.

    Jobs that were `uneven` on their nodes, shape (n,), are tasks of a single CPU each.
    """
    even = even_tasks(procs, np.where(uneven, procs, jobs.numbers["nodes"]), jobs.numbers["ram"])
    # Groups that do not add up to the job's processors would change it: such a job has a task on each node.
    own = [
        tasks if sum(group[0] * group[1] for group in tasks) == asked else ()
        for tasks, asked in zip(jobs.tasks, procs.tolist(), strict=False)
    ]
    if not any(own):
        return even
    n = len(jobs)
    flat = np.array([group for groups in own for group in groups], np.int64).reshape(-1, 4)
    offset = np.concatenate(([0], np.cumsum([len(groups) for groups in own])))
    # A resource that only the job's own groups have is 0 in the even groups.
    names = ("count", "cpus", "ram", GPU)
    if flat[:, 3].any():
        even = Pieces(even.offset, {**even.columns, GPU: np.zeros(int(even.offset[-1]), np.int64)})
    both = Pieces(
        np.concatenate((offset[:-1], offset[-1] + even.offset)).astype(np.int64),
        {
            name: np.concatenate((flat[:, k], even[name]))
            for k, name in enumerate(names)
            if name in even.columns
        },
    )
    # Each job takes its own row where it has groups, and otherwise the even row, which stands n further on.
    return both.take(np.arange(n) + np.where(np.diff(offset) > 0, 0, n))
