"""The job table: an immutable, columnar trace and what cleaning changed in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.errors import single_line
from engine.machine.cluster import Cluster
from engine.shown_text import shown_name
from engine.trace.columns import BASIC_COLUMNS, NAMED, JobBasics, JobTold, JobUse
from engine.trace.columns import MISSING as MISSING
from engine.trace.names import Names, read_only

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Note:
    """A quality note: something in the log that was counted and handled by a rule.

    `rule` is its short name, `text` a sentence for the reader, `count` how often it
    occurred and `lines` the first few line numbers of the file (from 1; empty if the
    note does not refer to lines). Quotations of the log in the text are escaped if they cannot be shown.
    """

    rule: str
    text: str
    count: int
    lines: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", single_line(self.text))


WHOLE_PACKED = -1
"""Marks task groups of jobs that take whole nodes in an unknown number."""

_OF_TASKS = ("count", "cpus", "ram", "constraint", "feature", "queue", "whole")
"""Columns of task groups that every log may have; others are further resources."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Rows that belong to jobs, stored in sequence.

    Job j owns the rows `offset[j]:offset[j + 1]` of each column. `offset` has shape (n + 1,). Columns, shape
    (rows,) int64, depend on the use: task groups of a job are (`count` tasks, `cpus` per task, `ram` MiB per
    task, and each further resource per task by its name, such as `gpu`), and if the log has requirements on
    nodes a `constraint`, an index into the trace's constraints, a required `feature`, an index into its
    features, and `whole`: 0 for a part of a node, otherwise the least CPUs of the whole node that each task
    takes; WHOLE_PACKED for tasks that take as many whole nodes as they fill. The log's own node lists are
    (`node`, `cpus`).
    """

    offset: Ints
    columns: Mapping[str, Ints]

    def __getitem__(self, column: str) -> Ints:
        return self.columns[column]

    def amounts(self, resources: Sequence[str]) -> Ints:
        """The amounts of these resources in each row, shape (rows, K); 0 if absent. It may be read-only."""
        # The usual case, processors alone, needs no copy.
        if len(resources) == 1 and resources[0] in self.columns:
            column = self.columns[resources[0]]
            if column.min(initial=0) >= 0:
                return np.ascontiguousarray(column)[:, None]
        amounts = np.zeros((int(self.offset[-1]), len(resources)), np.int64)
        for k, name in enumerate(resources):
            if name in self.columns:
                np.maximum(self.columns[name], 0, out=amounts[:, k])
        return amounts

    @cached_property
    def single(self) -> bool:
        """Whether each job has exactly one row."""
        return len(self.offset) - 1 == self.offset[-1] and bool((np.diff(self.offset) == 1).all())

    def take(self, index: NDArray[Any], taken: dict[int, NDArray[Any]] | None = None) -> Pieces:
        """The rows of the chosen jobs (an index array or a boolean mask), in that order.

        `taken` has what was chosen of columns already, by their ids: a column of one row a job that is also
        one of the jobs is chosen once.
        """
        jobs = np.flatnonzero(index) if index.dtype == np.bool_ else index
        # Each job has a single row, so that the jobs are the rows; `taken` keeps the columns chosen so far.
        if self.single:
            offset, rows = np.arange(len(jobs) + 1), jobs
            taken = {} if taken is None else taken
        else:
            sizes = np.diff(self.offset)[jobs]
            offset = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
            # Each job's first row, and a count from there.
            rows = np.repeat(self.offset[jobs] - offset[:-1], sizes) + np.arange(offset[-1])
            taken = {}
        columns = {name: _taken(column, rows, taken) for name, column in self.columns.items()}
        return Pieces(read_only(offset), columns)


@dataclass(frozen=True, eq=False, kw_only=True)
class Trace(JobBasics, JobUse, JobTold):
    """A cleaned workload log: an entry for each job in every column, in order of submission.

    Times are int64 seconds from the trace's zero (`zero`, Unix seconds); RAM is int64
    MiB for the whole job. A missing value is MISSING (-1), never a silent zero. Arrays
    are read-only. Symbols in brackets are those of the papers.
    """

    name: str
    cluster: Cluster  # the log's own machine
    recorded_runtime: Ints  # the log's own, unclamped
    recorded_procs: Ints  # allocated, unclamped
    tasks: Pieces  # count, cpus, ram, further resources: what must fit inside one node; constraint
    held: Ints | None = None  # s after its submission in which it might not start, as the log says; or 0
    limited: NDArray[np.bool_] | None = None  # whether it asked for a walltime; None: all did
    constraints: tuple[str, ...] = ()  # as `read_constraint` reads them; the first, if any, is empty
    features: tuple[str, ...] = ()  # as `read_features` reads them; the first, if any, is empty
    task_queues: tuple[str, ...] = ()  # partitions that `queue` of tasks indexes; () if no job has several
    dependencies: bool = False  # whether simulated jobs are submitted after the ends of jobs that they follow
    recorded_nodes: Pieces | None = None  # node (an index into the cluster), cpus
    variant: str = ""  # spelled: what changed the jobs of `logged`, for runs with a workload of their own
    logged: Trace | None = None  # the jobs as the log has them, in the same places; None: these are they
    left_out: NDArray[np.bool_] | None = None  # jobs that the variant leaves out: no schedule runs them
    copies: Ints | None = None  # jobs like each that the variant adds to the log's; None: none
    came: Ints | None = None  # s, when jobs come by the variant; None: at `submit`
    follows: Ints | None = None  # the job that each follows by the variant, or -1; None: as `preceding` says
    zero: int = 0
    timezone: str = "UTC"
    header: Mapping[str, str] = field(default_factory=dict)
    read_as: str = field(default="", compare=False)  # what the log was taken for, and how sure that is
    notes: tuple[Note, ...] = ()

    @classmethod
    def empty(cls) -> Trace:
        """A log without a name and without jobs."""
        none, names = np.zeros(0, np.int64), Names(np.zeros(0, np.int32), ())
        columns: dict[str, Any] = dict.fromkeys((*BASIC_COLUMNS, "recorded_runtime", "recorded_procs"), none)
        columns |= dict.fromkeys(NAMED, names)
        rows = dict.fromkeys(("count", "cpus", "ram"), none)
        tasks = Pieces(np.zeros(1, np.int64), rows)
        return cls(name="", cluster=Cluster.pool(1), tasks=tasks, **columns)

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, np.ndarray):
                if len(value) != len(self.submit):
                    raise ValueError(f"column {entry.name} has {len(value)} entries, not {len(self)}")
                read_only(value)
            elif isinstance(value, Pieces):
                for column in (value.offset, *value.columns.values()):
                    read_only(column)

    def __len__(self) -> int:
        return len(self.submit)

    @property
    def shown_name(self) -> str:
        """The name where people read it."""
        return shown_name(self.name)

    def shown_id(self, job: int) -> str:
        """The id of a job where people read it."""
        return shown_name(self.job_id[job])

    @property
    def as_logged(self) -> Trace:
        """The jobs as the log has them, without the changes of a variant."""
        return self if self.logged is None else self.logged

    @property
    def changes(self) -> tuple[Note, ...]:
        """The notes on what the variant changed."""
        return self.notes[len(self.as_logged.notes) :]

    @property
    def comes(self) -> Ints:
        """When each job comes, shape (n,), s, unless it follows another one."""
        return self.submit if self.came is None else self.came

    @property
    def comes_in_order(self) -> bool:
        """Whether jobs come in their order in the trace: none follows another, nor is moved by a variant."""
        return not self.dependencies and self.came is None

    @cached_property
    def has_ram(self) -> bool:
        """True if any job requests RAM."""
        return bool((self.ram > 0).any())

    @cached_property
    def further_resources(self) -> tuple[str, ...]:
        """The resources that jobs request besides CPUs and RAM, by name."""
        return tuple(name for name in self.tasks.columns if name not in _OF_TASKS)

    def asked(self, resource: str) -> Ints:
        """The request of each whole job, shape (n,): `cpus`, `ram` (MiB), or a name in
        `further_resources`.
        """
        if resource == "cpus":
            return self.procs
        if resource == "ram":
            return np.maximum(self.ram, 0)
        if resource not in self.further_resources:
            return np.zeros(len(self), np.int64)
        # Sums up to each row, so that a job's sum is a difference of two.
        total = np.concatenate(([0], np.cumsum(self.tasks["count"] * np.maximum(self.tasks[resource], 0))))
        return np.asarray(total[self.tasks.offset[1:]] - total[self.tasks.offset[:-1]], np.int64)

    @cached_property
    def has_recorded_schedule(self) -> bool:
        """True if the log has the waits of most of its jobs."""
        return len(self) > 0 and bool((self.wait >= 0).mean() > 0.5)

    def with_notes(self, *notes: Note) -> Trace:
        """The trace with additional quality notes (those with count 0 are left out)."""
        return replace(self, notes=self.notes + tuple(n for n in notes if n.count))

    def take(self, index: NDArray[Any]) -> Trace:
        """The chosen jobs (an index array, ascending, or a boolean mask); everything else is kept."""
        changed: dict[str, Any] = {}
        taken: dict[int, NDArray[Any]] = {}  # columns that share memory do so afterwards
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, np.ndarray):
                changed[entry.name] = _taken(value, index, taken)
            elif isinstance(value, Pieces):
                changed[entry.name] = value.take(index, taken)
            elif isinstance(value, Names):
                changed[entry.name] = value.take(index)
        if self.logged is not None:
            changed["logged"] = self.logged.take(index)
        if self.follows is not None:
            # It names jobs by their places, which are others now; who is not chosen is followed by nobody.
            place = np.full(len(self) + 1, -1, np.int64)
            place[:-1][index] = np.arange(len(changed["follows"]))
            changed["follows"] = place[changed["follows"]]
        return replace(self, **changed)

    def to_pandas(self) -> pd.DataFrame:
        """A pandas table with a row for each job, the column names of SWF tools, and names as in the log."""
        import pandas as pd

        columns: dict[str, Any] = {"job_id": self.job_id}
        for name, column in (("user", self.user), ("group", self.group), ("queue", self.queue)):
            columns[name] = np.array(column.names, object)[column.codes]
        for name in ("submit", "wait", "runtime", "walltime", "procs", "ram", "status"):
            columns[name] = getattr(self, name)
        return pd.DataFrame(columns)


def _taken(column: NDArray[Any], index: NDArray[Any], taken: dict[int, NDArray[Any]]) -> NDArray[Any]:
    """The chosen entries of a column, from `taken` if they were chosen before."""
    if id(column) not in taken:
        chosen = column[index]
        taken[id(column)] = read_only(chosen if chosen.any() else zeros(len(chosen), chosen.dtype))
    return taken[id(column)]


def zeros(count: int, dtype: Any = np.int64) -> NDArray[Any]:
    """A column of zeros: as long as nobody writes into it, its pages take no memory."""
    return read_only(np.zeros(count, dtype))
