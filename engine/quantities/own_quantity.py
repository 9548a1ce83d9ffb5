"""Quantities of a user's own, `mine.py:strain,hours=2`: a column of jobs, from a child process."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.errors import InputError
from engine.own.allowed_code import allow, check_allowed, own_path
from engine.own.answers import answer_to
from engine.own.code import named_of_kind
from engine.own.file import Declared, OwnFile, read_own_file
from engine.own.measured_columns import RESULT
from engine.quantities.offers import add_quantity, remove_quantity
from engine.quantities.quantity import Jobs, LogNeed, Missing, Need, Quantity, Unit
from engine.quantities.table import QUANTITIES
from engine.schedule.schedule import Schedule
from engine.shown_text import escaped


@dataclass(frozen=True, eq=False)
class _OwnColumn:
    """A quantity of a file with the values of its parameters, and its columns of schedules so far."""

    file: OwnFile
    declared: Declared
    values: tuple[tuple[str, float], ...]
    # Charts ask for a column at each frame: it is worked out once for each schedule, and goes with it.
    columns: WeakKeyDictionary[Schedule, Floats | Missing] = field(default_factory=WeakKeyDictionary)
    working: threading.Lock = field(default_factory=threading.Lock)

    def of(self, jobs: Jobs) -> Floats | Missing:
        """The column, shape (n,), NaN for jobs that did not run; or what the code did wrong."""
        schedule = jobs.known_schedule
        with self.working:  # whoever asks meanwhile waits, and does not have it worked out twice
            if schedule not in self.columns:
                self.columns[schedule] = self._column(schedule)
            return self.columns[schedule]

    def _column(self, schedule: Schedule) -> Floats | Missing:
        ran = schedule.ran
        column = np.full(len(schedule.trace), np.nan)
        if ran.any():
            columns = columns_of(schedule, ran) | {RESULT: np.ones(int(ran.sum()))}
            try:
                check_allowed(self.file)
                answer, result = answer_to(
                    self.file, question_of(schedule, self.declared, self.values), columns
                )
            # A fault of the user's code makes this column missing, and nothing else.
            except InputError as error:
                return Missing(str(error))
            if "fault" in answer or result is None:
                return Missing(f"{self.file.path}: {answer.get('fault', 'no answer')}")
            column[ran] = result
        # The column is kept and handed out again.
        column.flags.writeable = False
        return column


_named: dict[str, _OwnColumn] = {}
"""The columns by the names of their quantities."""

_dropped: set[str] = set()
"""The names of quantities that a later text of their file has no longer."""


def allow_quantity(text: str) -> None:
    """Allow the code that the user named in the spelling of a quantity, if it names any, and offer the
    quantity by this spelling.

    Raises InputError.
    """
    text = text.strip()
    named = own_path(text)
    if named is None or not named[1]:
        return
    file = read_own_file(named[0])
    declared, values = named_of_kind(file, "quantity", named[1])
    allow(file)
    _offer(text, f"{file.path.name}:{named[1]}", _OwnColumn(file, declared, values))


def allow_quantities(words: Iterable[str]) -> None:
    """`allow_quantity` for all of these words that name a quantity of a file. Raises InputError."""
    for word in words:
        named = own_path(word)
        if named is not None and named[1] and named[0].is_file():
            allow_quantity(word)


def offer_quantities(file: OwnFile) -> None:
    """Offer the quantities of an allowed file, with the defaults of their parameters, and no others of it.

    Their names are short, `mine.py:strain`, unless another file has such a name already.
    """
    place, there = file.path.absolute(), {each.name for each in file.declared if each.kind == "quantity"}
    for name, column in list(_named.items()):
        if column.file.path.absolute() == place and column.declared.name not in there:
            _drop(name)
    for declared in file.declared:
        if declared.kind == "quantity":
            short = f"{file.path.name}:{declared.name}"
            taken = short in _named and _named[short].file.path.absolute() != file.path.absolute()
            values = tuple((parameter.name, parameter.default) for parameter in declared.parameters)
            name = f"{file.path}:{declared.name}" if taken else short
            _offer(name, short, _OwnColumn(file, declared, values))


def _drop(name: str) -> None:
    """Offer a quantity in no menu any more. Charts that show it say that its file has it no longer."""
    column = _named.pop(name)
    _dropped.add(name)
    why = f"{escaped(column.file.path.name)} no longer has {column.declared.name}"
    add_quantity(replace(QUANTITIES[name], needs=(LogNeed(why, lambda _: False),)))


def forget_quantities() -> None:
    """Offer no quantity of the user's own any more, in none of the tables; their code stays allowed."""
    for name in (*_named, *_dropped):
        remove_quantity(name)
    _named.clear()
    _dropped.clear()


def work_out(schedules: Iterable[Schedule]) -> None:
    """Work out the columns of all quantities of the user's own for schedules, so that charts find them."""
    for schedule in schedules:
        for column in list(_named.values()):
            column.of(Jobs(schedule.trace, schedule))


def check_columns(names: Iterable[str], schedules: Iterable[Schedule]) -> None:
    """Raise InputError with what the code of one of these quantities does wrong; others are passed over."""
    asked = [_named[name] for name in names if name in _named]
    for schedule in schedules:
        for each in asked:
            column = each.of(Jobs(schedule.trace, schedule))
            if isinstance(column, Missing):
                raise InputError(f"{column.reason} (for {schedule.policy.label})")


def _offer(name: str, title: str, column: _OwnColumn) -> None:
    before = _named.get(name)
    if before is not None and before.file == column.file and before.values == column.values:
        return  # its columns are kept
    _named[name] = column
    _dropped.discard(name)
    about = escaped(column.declared.about) or f"{column.declared.name} of {escaped(column.file.path.name)}"
    add_quantity(
        Quantity(
            name,
            escaped(title),
            cast("Unit", column.declared.unit or "ratio"),
            about.removesuffix("."),
            column.of,
            (Need.RUN,),
        )
    )


def question_of(
    schedule: Schedule, declared: Declared, values: tuple[tuple[str, float], ...]
) -> dict[str, Any]:
    """What the process is asked beside the columns: the function, its parameters, names and processors."""
    trace = schedule.trace
    names = {"user": trace.user.names, "queue": trace.queue.names, "group": trace.group.names}
    return {
        "name": declared.name,
        "values": dict(values),
        "names": {name: list(all_names) for name, all_names in names.items()},
        "processors": schedule.cluster.cpus,
        "each": "users" if declared.by == "user" else "jobs",
    }


def columns_of(schedule: Schedule, jobs: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """The columns of COLUMNS, in that order, of `jobs`, a mask of shape (n,)."""
    trace, ids = schedule.trace, np.asarray(schedule.trace.job_id)
    estimate = schedule.trace.walltime if schedule.estimate is None else schedule.estimate
    columns = {
        "id": ids if ids.dtype.kind in "iu" else np.arange(len(trace)),
        "user": trace.user.codes,
        "queue": trace.queue.codes,
        "group": trace.group.codes,
        "submit": trace.submit,
        "start": schedule.start,
        "end": schedule.end,
        "wait": schedule.wait,
        "runtime": schedule.runtime,
        "walltime": trace.walltime,
        "estimate": estimate,
        "procs": schedule.procs,
        "ram": np.maximum(trace.ram, 0),
    }
    return {name: np.ascontiguousarray(column[jobs], np.int64) for name, column in columns.items()}
