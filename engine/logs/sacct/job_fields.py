"""The fields of Slurm's jobs as columns: texts, times and numbers by the names that sacct gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.logs.sacct.sizes import SizedRuns
from engine.logs.sacct.steps import SlurmSteps
from engine.logs.sacct.usage import USAGE
from engine.logs.text.slurm_words import count_of
from engine.trace.columns import TOLD_COLUMNS
from engine.trace.names import Names
from engine.trace.records import ELAPSED, WALL_ELIGIBLE, WALL_END, WALL_START, WALL_SUBMIT
from engine.trace.trace import MISSING, Note

if TYPE_CHECKING:
    import pyarrow as pa


TIMES = ("Submit", "Eligible", "Start", "End")
_WALL = {"Submit": WALL_SUBMIT, "Eligible": WALL_ELIGIBLE, "Start": WALL_START, "End": WALL_END}
ARRAY_LIMIT = "ArrayMaxTasks"
"""The field of how many tasks of its array may run at a time, which sacct has in its JSON alone."""

TOLD = {"QOS": "qos", "Reason": "reason", "Reservation": "reservation", "Priority": "priority"}
"""The fields of sacct that are columns of `JobTold`, and which these are."""

TEXTS = (
    *("Cluster", "Partition", "Account", "Group", "User", "Elapsed", "State", "NNodes", "NCPUS"),
    *("AllocCPUS", "ReqCPUS", "ReqMem", "ReqTRES", "AllocTRES", "ReqGRES", "AllocGRES", "Timelimit"),
    *("NodeList", "SubmitLine", "JobName", "ReqNodes", "Constraints"),
    *("Suspended", ARRAY_LIMIT),
    *TOLD,
    *USAGE,
)
"""The fields of sacct that are read as texts; fields of USAGE are read as numbers, all others skipped."""


@dataclass(frozen=True, eq=False)
class SlurmJobs:
    """n jobs: the fields that were given, by their names."""

    ids: pa.BinaryArray  # 12, 12_7, 12_[1-3], 12+1
    line: Ints
    row: Ints  # positions among all rows of the source, jobs and steps alike
    texts: Mapping[str, Names]
    times: Mapping[str, Ints]  # s since 1970, MISSING or UNREADABLE
    walls: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)  # whether times are of wall clocks
    numbers: Mapping[str, Floats] = field(default_factory=dict)  # as `read_usage` names them
    steps: SlurmSteps | None = None  # of all these jobs; None if the source has none
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.line)

    def take(self, index: Ints) -> SlurmJobs:
        """The chosen jobs only."""
        return SlurmJobs(
            self.ids.take(index),
            self.line[index],
            self.row[index],
            {name: column.take(index) for name, column in self.texts.items()},
            {name: column[index] for name, column in self.times.items()},
            {name: column[index] for name, column in self.walls.items()},
            {name: column[index] for name, column in self.numbers.items()},
            self.steps,
            self.notes,
        )

    def as_runs(self, runs: SizedRuns) -> SlurmJobs:
        """Each line with the times and the state of the run that it is part of.

        Slurm's database has the moment of each change as the submission of the next size.
        """
        texts, times = dict(self.texts), dict(self.times)
        for name in {"State", "Reason"} & set(texts):
            texts[name] = texts[name].take(runs.last)
        for name in {"Submit", "Eligible", "Start", "End"} & set(times):
            times[name] = times[name][runs.last if name == "End" else runs.first]
        return replace(self, texts=texts, times=times)

    def text(self, name: str) -> Names:
        """A column of texts; empty texts if the file lacks it."""
        return self.texts.get(name) or Names(np.zeros(len(self), np.int32), ("",))

    @property
    def told(self) -> dict[str, Any]:
        """The columns of `JobTold` that there are, by name."""
        return {
            column: self.texts[name] if TOLD_COLUMNS[column].unit == "name" else self.each(name, count_of)
            for name, column in TOLD.items()
            if name in self.texts
        }

    def time(self, name: str) -> Ints:
        """A column of times; MISSING where the file lacks it."""
        return self.times.get(name, np.full(len(self), MISSING, np.int64))

    def wall_clock(self, elapsed: NDArray[np.bool_]) -> NDArray[np.uint8] | None:
        """Bits of `Records.wall_clock`, None where all times are absolute; `elapsed` marks given runtimes."""
        if not any(wall.any() for wall in self.walls.values()):
            return None
        bits = np.where(elapsed, ELAPSED, 0).astype(np.uint8)
        for name, bit in _WALL.items():
            if name in self.walls:
                bits |= np.where(self.walls[name], bit, 0).astype(np.uint8)
        return bits

    def each(self, name: str, read: Callable[[str], int | None]) -> Ints:
        """The values that `read` makes of a column, shape (n,); MISSING for None."""
        column = self.text(name)
        found = (read(text) for text in column.names)
        values = np.array([MISSING if value is None else value for value in found] or [MISSING], np.int64)
        return values[column.codes]
