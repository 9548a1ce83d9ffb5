"""Metrics of a user's own, `mine.py:late,share=0.5`: a number of measured jobs, from a child process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.metrics.metric import Better, Metric
from engine.own.allowed import allow, check_allowed, own_path
from engine.own.answers import answer_to
from engine.own.code import named_of_kind
from engine.own.file import Declared, OwnFile, read_own_file
from engine.quantities.own_quantity import columns_of, question_of
from engine.schedule.schedule import Schedule
from engine.shown_text import escaped


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


def allow_metric(text: str) -> None:
    """Allow the code that the user named in the spelling of a metric, if it names any. Raises InputError."""
    named = own_path(text)
    if named is not None:
        file = read_own_file(named[0])
        allow(file)
        _read[text.strip()] = _chosen(text.strip(), file, named[1])


def own_metric(text: str) -> OwnMetric | None:
    """The metric that a text spells; None where it names no file of code. Raises InputError."""
    if text in _read:
        return _read[text]
    named = own_path(text)
    if named is None:
        return None
    file = read_own_file(named[0])
    check_allowed(file)
    return _chosen(text, file, named[1])


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


def own_value(own: OwnMetric, schedule: Schedule, jobs: NDArray[np.bool_]) -> float | None:
    """The metric over `jobs`, shape (n,), all run; None where there are none.

    Raises InputError with what the code did wrong, and for which run.
    """
    check_allowed(own.file)
    if not jobs.any():
        return None
    asked = question_of(schedule, own.declared, own.values)
    answer, _ = answer_to(own.file, asked, columns_of(schedule, jobs))
    if "fault" in answer:
        raise InputError(f"{own.file.path}: {answer['fault']} (for {schedule.policy.label})")
    value = answer.get("value")
    return None if value is None else float(value)
