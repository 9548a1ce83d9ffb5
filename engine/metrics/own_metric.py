"""Metrics of a user's own, `mine.py:late,share=0.5`: a number of measured jobs, or one of each user, from a
child process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Mask
from engine.errors import InputError
from engine.metrics.metric import Better, Metric
from engine.own.allowed_code import allow, check_allowed, own_path
from engine.own.answers import answer_to
from engine.own.code import named_of_kind
from engine.own.file import Declared, OwnFile, read_own_file
from engine.own.measured_columns import RESULT
from engine.packages import METRICS
from engine.quantities.offers import add_quantity, remove_quantity
from engine.quantities.own_quantity import columns_of, question_of
from engine.quantities.quantity import Jobs, Missing, Need, Quantity, QuantityName, Unit
from engine.schedule.schedule import Schedule
from engine.shown_text import escaped
from engine.trace import Names


@dataclass(frozen=True)
class OwnMetric:
    """A metric that a file declares, with the values of its parameters."""

    file: OwnFile
    declared: Declared
    values: tuple[tuple[str, float], ...]
    metric: Metric


_read: dict[str, OwnMetric] = {}
"""The metrics by their spellings, as they were when their user named them: a table that is shown later still
has their units, whatever the file holds by then."""

_offered: dict[str, OwnMetric] = {}
"""The metrics of the files that are allowed in the window, by their names there."""


def allow_metric(text: str) -> None:
    """Allow the code that the user named in the spelling of a metric, if it names any. Raises InputError."""
    named = own_path(text, METRICS)
    if named is not None:
        file = read_own_file(named[0])
        allow(file)
        _keep(_chosen(text.strip(), file, named[1]))


def own_metric(text: str) -> OwnMetric | None:
    """The metric that a text spells; None where it names no file of code. Raises InputError."""
    if text in _read:
        return _read[text]
    named = own_path(text, METRICS)
    if named is None:
        return None
    file = read_own_file(named[0])
    # Code may run only where the user of this process has named its file.
    check_allowed(file)
    return _chosen(text, file, named[1])


def offer_metrics(file: OwnFile) -> None:
    """Offer the metrics of an allowed file, with the defaults of their parameters, and no others of it.

    Their names are short, `mine.py:late`, unless another file has such a name already.
    """
    place = file.path.absolute()
    # The file may have changed: what it offered before is taken back.
    for name in [name for name, own in _offered.items() if own.file.path.absolute() == place]:
        del _offered[name]
    for declared in file.declared:
        if declared.kind == "metric":
            short = f"{file.path.name}:{declared.name}"
            name = f"{file.path}:{declared.name}" if short in _offered else short
            _offered[name] = _keep(_chosen(name, file, declared.name))


def offered_metrics() -> tuple[OwnMetric, ...]:
    """The metrics of the files that are allowed in the window."""
    return tuple(_offered.values())


def forget_metrics() -> None:
    """Know no metric of the user's own any more, in none of the tables; their code stays allowed."""
    for name, own in _read.items():
        if own.declared.by == "user":
            remove_quantity(name)
    _read.clear()
    _offered.clear()


def _keep(own: OwnMetric) -> OwnMetric:
    """Know a metric by its name, and offer the numbers of users as a column of their tables."""
    name, declared = own.metric.name, own.declared
    if declared.by == "user" and _read.get(name) != own:
        add_quantity(
            _OfUsers(
                name,
                own.metric.label,
                cast("Unit", declared.unit or "ratio"),
                own.metric.text.removesuffix("."),
                lambda jobs: np.full(len(jobs), np.nan),  # a single job has none
                (Need.RUN,),
                of_groups=True,
                of_users=True,
                shown=frozenset({"table", "groups", "plot"}),
                called={
                    "table": QuantityName(name, own.metric.label),
                    "groups": QuantityName(name, own.metric.label),
                },
                own=own,
            )
        )
    _read[name] = own
    return own


@dataclass(frozen=True, eq=False)
class _OfUsers(Quantity):
    """The numbers that an own metric has for users, as a quantity of users alone."""

    own: OwnMetric | None = None

    def of_each(self, jobs: Jobs, chosen: Mask, groups: Names) -> Floats | Missing:
        """The number of each user over the chosen jobs, shape (users,), NaN where there is none."""
        assert self.own is not None
        if groups is not jobs.trace.user:
            return Missing("it is a number of each user")
        try:
            return user_values(self.own, jobs.known_schedule, chosen)
        except InputError as error:
            return Missing(str(error))


def _chosen(text: str, file: OwnFile, rest: str) -> OwnMetric:
    declared, values = named_of_kind(file, "metric", rest)
    metric = Metric(
        name=text,
        label=escaped(f"{file.path.name}:{rest}"),
        unit=escaped(declared.unit),
        better=cast("Better | None", declared.better),
        text=escaped(declared.about) or f"{declared.name} of {escaped(file.path.name)}.",
        format=",.2f",
    )
    return OwnMetric(file, declared, values, metric)


def own_value(own: OwnMetric, schedule: Schedule, jobs: Mask) -> float | None:
    """The metric over `jobs`, shape (n,), all run; None where there are none.

    Of a metric by user it is the mean over the users with a number. Raises InputError with what the code did
    wrong, and for which run.
    """
    if not jobs.any():
        return None
    if own.declared.by == "user":
        values = user_values(own, schedule, jobs)
        # Users without a number do not count in the mean.
        known = values[~np.isnan(values)]
        return float(known.mean()) if len(known) else None
    answer, _ = _answered(own, schedule, columns_of(schedule, jobs))
    value = answer.get("value")
    return None if value is None else float(value)


def user_values(own: OwnMetric, schedule: Schedule, jobs: Mask) -> Floats:
    """The number of each user by a metric by user, over `jobs`, shape (n,), all run: shape (users,), by code.

    NaN for users without a number, and for those without any of the jobs. Raises InputError as `own_value`.
    """
    user = schedule.trace.user
    active = np.bincount(user.codes[jobs], minlength=len(user.names)) > 0
    if not active.any():
        return np.full(len(active), np.nan)
    # Filled with 1, not 0, since pages of zeros are left out of the shared memory.
    columns = columns_of(schedule, jobs) | {RESULT: np.ones(len(active))}
    _, result = _answered(own, schedule, columns)
    if result is None:
        raise InputError(f"{own.file.path}: its process gave no column of users")
    return np.where(active, result, np.nan)


def _answered(
    own: OwnMetric, schedule: Schedule, columns: dict[str, NDArray[Any]]
) -> tuple[dict[str, Any], Floats | None]:
    """What the code answers. Raises InputError with what it did wrong, and for which run."""
    check_allowed(own.file)
    answer, result = answer_to(own.file, question_of(schedule, own.declared, own.values), columns)
    if "fault" in answer:
        raise InputError(f"{own.file.path}: {answer['fault']} (for {schedule.policy.label})")
    return answer, result
