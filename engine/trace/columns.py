"""The tables of what only some logs say of jobs: an entry for each column of records and traces.

`Records`, `Trace` and what is read of Slurm's accounting have the columns because they derive from `JobUse`,
what jobs used, and from `JobTold`, what else a log tells of them. Readers, tables with units, parts of
heterogeneous jobs, cleaning, exports, quantities with their filters, colours and tables, the page of a job
and the dialog for the columns of a table go by them. A new column is an entry here, and what reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from engine.limits import MAX_CPUS, MAX_DURATION, MAX_EXTRA, MAX_TASK_RAM
from engine.trace.names import Names

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

ShownIn = Literal["filter", "colour", "plot", "table", "groups", "schedule", "spread"]
"""Where a quantity is offered: `filter` as a field of filters and a column of the table of jobs, `colour` as
colours of Gantt charts, `plot` in distributions and scatter plots, `table` in the window's tables of users
and queues, `groups` in tables of groups that are written (text, JSON, CSV), `schedule` in files of
schedules, `spread` as mean, median, P95 and largest among the metrics."""

EVERYWHERE: frozenset[ShownIn] = frozenset({"filter", "colour", "plot", "table", "groups", "schedule"})
"""The places where a quantity is offered by default."""

SECONDS, MEBIBYTES, JOULES, GPUS, MARK = "s", "MiB", "J", "GPUs", ""

_TIME, _RAM = MAX_DURATION * MAX_CPUS, MAX_TASK_RAM * MAX_CPUS
_LISTED: frozenset[ShownIn] = frozenset({"filter", "plot", "schedule"})


class UsedColumn(NamedTuple):
    """A column of what jobs used: numbers with MISSING for unknown values, or a mask (the unit is MARK).

    `title` and `text` say what it is; a column without a title is no quantity of its own, but is said with
    another. `most` is the largest valid sum over the parts of a job; 0 where the largest part counts, not the
    sum. What adds up over time, `adds`, is summed over the pieces of a job and over groups of jobs. The
    quantity is offered in `shown`; `in_form`: the dialog for the columns of a table asks for it.
    """

    unit: str
    dtype: type[np.generic]
    title: str = ""
    text: str = ""
    most: int = 0
    adds: bool = False
    shown: frozenset[ShownIn] = _LISTED
    in_form: bool = False

    def of_values(self, values: NDArray[Any]) -> NDArray[Any]:
        """Numbers, shape (n,), as the column holds them."""
        return np.asarray(values > 0 if self.unit == MARK else values.astype(self.dtype))


@dataclass(frozen=True, eq=False, kw_only=True)
class JobUse:
    """What n jobs used, a column of shape (n,) each with its row of the table; None if the log has it not."""

    cpu_used: Annotated[
        Floats | None,
        UsedColumn(
            SECONDS,
            np.float64,
            "CPU time used",
            "CPU time that it used, of all of its processors together",
            _TIME,
            adds=True,
            shown=EVERYWHERE - {"colour"},
            in_form=True,
        ),
    ] = None
    ram_used: Annotated[
        Ints | None,
        UsedColumn(
            MEBIBYTES,
            np.int64,
            "RAM used",
            "the most RAM that it used at once, or a bound of that where the log has no more (`ram_basis`)",
            _RAM,
            shown=_LISTED | {"colour"},
            in_form=True,
        ),
    ] = None
    ram_used_bound: Annotated[Mask | None, UsedColumn(MARK, np.bool_)] = None  # `ram_used` may have been less
    ram_of_use: Annotated[Mask | None, UsedColumn(MARK, np.bool_)] = None  # `ram` is its use, not asked for
    task_ram: Annotated[
        Ints | None,
        UsedColumn(
            MEBIBYTES,
            np.int64,
            "RAM of its largest task",
            "the most RAM that any of its tasks used at once (MaxRSS)",
        ),
    ] = None
    task_ram_mean: Annotated[
        Ints | None,
        UsedColumn(
            MEBIBYTES,
            np.int64,
            "RAM of its mean task",
            "the most RAM that its tasks used at once on average (AveRSS)",
        ),
    ] = None
    gpu_used: Annotated[
        Floats | None,
        UsedColumn(
            GPUS,
            np.float64,
            "GPUs busy",
            "how many GPUs it kept busy: 1.5 where one was always and another half of the time",
            MAX_EXTRA * MAX_CPUS,
            in_form=True,
        ),
    ] = None
    gpu_ram_used: Annotated[
        Ints | None,
        UsedColumn(
            MEBIBYTES, np.int64, "RAM of GPUs used", "the most memory of its GPUs that it used at once", _RAM
        ),
    ] = None
    energy: Annotated[
        Ints | None,
        UsedColumn(
            JOULES,
            np.int64,
            "Energy",
            "energy that it consumed, like 300kJ or 5kWh",
            _TIME,
            adds=True,
            shown=EVERYWHERE,
            in_form=True,
        ),
    ] = None

    @property
    def used(self) -> dict[str, Any]:
        """The columns that there are, by name."""
        columns = ((name, getattr(self, name)) for name in USED)
        return {name: column for name, column in columns if column is not None}


USED_COLUMNS: dict[str, UsedColumn] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(JobUse, include_extras=True).items()
}
"""All such columns by name."""

USED = tuple(USED_COLUMNS)
"""Their names."""


class ToldColumn(NamedTuple):
    """A column of what else a log tells of jobs: names, or counts with MISSING where unknown (`unit`).

    `title` and `text` say what it is, `of_jobs` what those of all jobs are called. `literal`: a word that
    stands for no name elsewhere, such as None, is a word of its own here.
    """

    unit: Literal["name", "count"]
    title: str
    text: str
    of_jobs: str
    literal: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class JobTold:
    """What else a log tells of n jobs, a column of n entries each with its row of the table, or None."""

    qos: Annotated[
        Names | None,
        ToldColumn("name", "QOS", "its quality of service, where the log has such", "qualities of service"),
    ] = None
    reason: Annotated[
        Names | None,
        ToldColumn("name", "Reason", "why it waited or ended, as the log has it", "reasons", literal=True),
    ] = None
    reservation: Annotated[
        Names | None,
        ToldColumn(
            "name", "Reservation", "the reservation of nodes that it ran in", "reservations", literal=True
        ),
    ] = None
    priority: Annotated[
        Ints | None, ToldColumn("count", "Priority", "its priority, as the log has it", "priorities")
    ] = None

    @property
    def told(self) -> dict[str, Names | Ints]:
        """The columns that there are, by name."""
        columns = ((name, getattr(self, name)) for name in TOLD_COLUMNS)
        return {name: column for name, column in columns if column is not None}


TOLD_COLUMNS: dict[str, ToldColumn] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(JobTold, include_extras=True).items()
}
"""All such columns by name."""
