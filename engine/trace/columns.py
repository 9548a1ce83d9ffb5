"""The table of a job's columns: an entry for each that records of logs and traces have in common.

`Records`, `Trace` and what is read of Slurm's accounting have the columns because they derive from
`JobBasics`, what every log says of jobs or may say of their requests, `JobUse`, what they used, and
`JobTold`, what else a log tells of them. Readers, tables with units, parts of heterogeneous jobs, cleaning,
exports, quantities with their filters, colours and tables, the page of a job and the dialog for the columns
of a table go by them. A new column is an entry here, and what reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints, Mask
from engine.limits import MAX_CPUS, MAX_DURATION, MAX_EXTRA, MAX_TASK_RAM
from engine.trace.names import Names

ShownIn = Literal["filter", "colour", "plot", "table", "groups", "schedule", "spread"]
"""Where a quantity is offered: `filter` as a field of filters and a column of the table of jobs, `colour` as
colours of Gantt charts, `plot` in distributions and scatter plots, `table` in the window's tables of users
and queues, `groups` in tables of groups that are written (text, JSON, CSV), `schedule` in files of
schedules, `spread` as mean, median, P95 and largest among the metrics."""

EVERYWHERE: frozenset[ShownIn] = frozenset({"filter", "colour", "plot", "table", "groups", "schedule"})
"""The places where a quantity is offered by default."""

MISSING = -1
"""The sentinel of every numeric column for a value that the log does not give."""

SECONDS, MEBIBYTES, JOULES, GPUS, MARK = "s", "MiB", "J", "GPUs", ""
NAME, COUNT, MOMENT, CODE = "name", "count", "time", "code"

_TIME, _RAM = MAX_DURATION * MAX_CPUS, MAX_TASK_RAM * MAX_CPUS
_LISTED: frozenset[ShownIn] = frozenset({"filter", "plot", "schedule"})
_FIELD: frozenset[ShownIn] = frozenset({"filter"})


class JobColumn(NamedTuple):
    """A column of jobs: names, or numbers of a `dtype` in a unit, or a mask (the unit is MARK).

    `title` and `text` say what it is, `of_jobs` what those of all jobs are called; a column without a title
    is no quantity of its own. `most` is the largest valid sum over the parts of a job; 0 where the largest
    part counts, not the sum. What adds up over time, `adds`, is summed over the pieces of a job and over
    groups of jobs. The quantity is offered in `shown`; `in_form`: the dialog for the columns of a table asks
    for it. `literal`: a word that stands for no name elsewhere, such as None, is a word of its own here.
    """

    unit: str
    dtype: type[np.generic] = np.int64
    title: str = ""
    text: str = ""
    most: int = 0
    adds: bool = False
    shown: frozenset[ShownIn] = _LISTED
    in_form: bool = False
    of_jobs: str = ""
    literal: bool = False

    @property
    def missing(self) -> str | int | bool:
        """The value of a job of which the log gives none."""
        return "" if self.unit == NAME else False if self.unit == MARK else MISSING

    def of_values(self, values: NDArray[Any]) -> NDArray[Any]:
        """Numbers, shape (n,), as the column holds them."""
        return np.asarray(values > 0 if self.unit == MARK else values.astype(self.dtype))


def _basic(unit: str, title: str = "", text: str = "", shown: frozenset[ShownIn] = _FIELD) -> JobColumn:
    """A column that a table of jobs may have, which the dialog for its columns asks for."""
    return JobColumn(unit, title=title, text=text, shown=shown, in_form=True)


def _told(unit: str, title: str, text: str, of_jobs: str, literal: bool = False) -> JobColumn:
    """A column of what else a log tells of jobs."""
    return JobColumn(unit, title=title, text=text, shown=_FIELD, of_jobs=of_jobs, literal=literal)


@dataclass(frozen=True, eq=False, kw_only=True)
class JobBasics:
    """What logs say of n jobs and their requests, a column of n entries each with its row of the table.

    Those with a default are None where the log has them not. Numbers of records may be narrower than 64 bits.
    """

    job_id: Annotated[NDArray[Any], _basic(CODE, "Job", "the job's number in the log")]  # int64, else str
    submit: Annotated[Ints, _basic(MOMENT, "Submit")]  # s; of traces since their zero
    wait: Annotated[Ints, _basic(SECONDS, "Wait")]  # the log's own
    runtime: Annotated[Ints, _basic(SECONDS, "Runtime", "the time it runs for")]
    walltime: Annotated[
        Ints, _basic(SECONDS, "Walltime", "the time it asks for, like 30m or 2h", _FIELD | {"schedule"})
    ]
    procs: Annotated[Ints, _basic(COUNT, "Processors", "processors it asks for", _FIELD | {"colour"})]
    ram: Annotated[Ints, _basic(MEBIBYTES, "RAM", "RAM of the whole job, like 512m or 4g")]
    status: Annotated[Ints, _basic(CODE, "Status", "how it ended in the log: completed, failed, cancelled")]
    user: Annotated[Names, _basic(NAME, "User", "who submitted it", _FIELD | {"colour", "schedule"})]
    group: Annotated[Names, _basic(NAME, "Group", "the user's group")]
    queue: Annotated[
        Names, _basic(NAME, "Queue", "the queue it was submitted to", _FIELD | {"colour", "schedule"})
    ]
    executable: Annotated[Names, _basic(NAME, "Name")]
    preceding: Annotated[Ints, JobColumn(CODE)]  # number in the log of the job that it follows
    think_time: Annotated[Ints, JobColumn(SECONDS)]  # from that job's end to this submission
    gpus: Annotated[Ints | None, _basic(COUNT, "GPUs", "GPUs of the whole job, where the log has them")] = (
        None
    )
    least_nodes: Annotated[Ints | None, JobColumn(COUNT)] = None  # that it asked for; 0 where for none
    most_nodes: Annotated[Ints | None, JobColumn(COUNT)] = None  # that it asked for, as in a range; or 0
    at_once: Annotated[Ints | None, JobColumn(COUNT)] = None  # tasks of its array (its id before `_`), or 0


@dataclass(frozen=True, eq=False, kw_only=True)
class JobUse:
    """What n jobs used, a column of shape (n,) each with its row of the table; None if the log has it not."""

    cpu_used: Annotated[
        Floats | None,
        JobColumn(
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
        JobColumn(
            MEBIBYTES,
            np.int64,
            "RAM used",
            "the most RAM that it used at once, or a bound of that where the log has no more (`ram_basis`)",
            _RAM,
            shown=_LISTED | {"colour"},
            in_form=True,
        ),
    ] = None
    ram_used_bound: Annotated[Mask | None, JobColumn(MARK, np.bool_)] = None  # `ram_used` may have been less
    ram_of_use: Annotated[Mask | None, JobColumn(MARK, np.bool_)] = None  # `ram` is its use, not asked for
    task_ram: Annotated[
        Ints | None,
        JobColumn(
            MEBIBYTES,
            np.int64,
            "RAM of its largest task",
            "the most RAM that any of its tasks used at once (MaxRSS)",
        ),
    ] = None
    task_ram_mean: Annotated[
        Ints | None,
        JobColumn(
            MEBIBYTES,
            np.int64,
            "RAM of its mean task",
            "the most RAM that its tasks used at once on average (AveRSS)",
        ),
    ] = None
    gpu_used: Annotated[
        Floats | None,
        JobColumn(
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
        JobColumn(
            MEBIBYTES, np.int64, "RAM of GPUs used", "the most memory of its GPUs that it used at once", _RAM
        ),
    ] = None
    energy: Annotated[
        Ints | None,
        JobColumn(
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
        columns = ((name, getattr(self, name)) for name in USED_COLUMNS)
        return {name: column for name, column in columns if column is not None}


@dataclass(frozen=True, eq=False, kw_only=True)
class JobTold:
    """What else a log tells of n jobs, a column of n entries each with its row of the table, or None."""

    qos: Annotated[
        Names | None,
        _told("name", "QOS", "its quality of service, where the log has such", "qualities of service"),
    ] = None
    reason: Annotated[
        Names | None,
        _told("name", "Reason", "why it waited or ended, as the log has it", "reasons", literal=True),
    ] = None
    reservation: Annotated[
        Names | None,
        _told("name", "Reservation", "the reservation of nodes that it ran in", "reservations", literal=True),
    ] = None
    priority: Annotated[
        Ints | None, _told("count", "Priority", "its priority, as the log has it", "priorities")
    ] = None

    @property
    def told(self) -> dict[str, Names | Ints]:
        """The columns that there are, by name."""
        columns = ((name, getattr(self, name)) for name in TOLD_COLUMNS)
        return {name: column for name, column in columns if column is not None}


def _columns_of(holder: type) -> dict[str, JobColumn]:
    return {name: hint.__metadata__[0] for name, hint in get_type_hints(holder, include_extras=True).items()}


BASIC_COLUMNS, USED_COLUMNS, TOLD_COLUMNS = map(_columns_of, (JobBasics, JobUse, JobTold))

COLUMNS: dict[str, JobColumn] = BASIC_COLUMNS | USED_COLUMNS | TOLD_COLUMNS
"""All columns by name."""

USED = tuple(USED_COLUMNS)
"""The names of the columns of what jobs used."""

NAMED = tuple(name for name, column in BASIC_COLUMNS.items() if column.unit == NAME)
"""The names of the columns of names that every log may have."""
