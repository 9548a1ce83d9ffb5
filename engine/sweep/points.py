"""The results of a study as points: varied parameters, and means over seeds."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from engine.errors import InputError
from engine.own.allowed import own_path
from engine.policy.keys import KEY
from engine.spelling import format_number
from engine.student import student_quantile
from engine.sweep.findings import relative_values
from engine.sweep.row_cache import Row
from engine.sweep.study_file import StudyFile

POLICY = "policy"

_WITH_NUMBER = re.compile(r"([a-z]+)([0-9]{1,9}(?:\.[0-9]{1,9})?)")


@dataclass(frozen=True)
class Point:
    """The mean of a measure over runs that differ only in their seeds.

    `low` and `high` bound it with 95 % confidence (Student's t); they equal the mean for a single run. `run`
    is the index of the run whose value is nearest to the mean, `metric` the name of its metric.
    """

    x: str
    mean: float
    low: float
    high: float
    count: int
    run: int
    metric: str


@dataclass(frozen=True)
class Curve:
    """Points of a colour in a facet, in the order of x; `colour` is empty if colours are not used.

    `facet` has a value of each parameter that makes facets.
    """

    facet: tuple[str, ...]
    colour: str
    points: tuple[Point, ...]


@dataclass(frozen=True, eq=False)
class StudyResults:
    """A study and its finished rows, None for rows that are missing."""

    study: StudyFile
    rows: tuple[Row | None, ...]

    @property
    def done(self) -> int:
        """The number of finished runs, failed runs included."""
        return sum(row is not None for row in self.rows)

    @property
    def errors(self) -> dict[str, int]:
        """The errors of failed runs, each with the number of runs."""
        counts: dict[str, int] = {}
        for row in self.rows:
            if row is not None and row["error"]:
                counts[str(row["error"])] = counts.get(str(row["error"]), 0) + 1
        return counts

    @cached_property
    def measures(self) -> dict[str, tuple[str, ...]]:
        """The measures to look at: names of metrics; metrics that differ in a number are grouped."""
        found: dict[str, tuple[str, ...]] = {}
        for metric in self.study.metrics:
            # A metric of own code is a measure of its own: a file may have several.
            name = metric if own_path(metric) else metric.partition(":")[0]
            found[name] = (*found.get(name, ()), metric)
        return found

    @cached_property
    def parameters(self) -> dict[str, tuple[str, ...]]:
        """The varied parameters, each with its values as spelled: numbers ascend, words are as in the study.

        The policy is included even if there is a single policy.
        """
        values: dict[str, dict[str, None]] = {}
        for index in range(len(self.study.runs)):
            for name, value in self._of_run[index].items():
                values.setdefault(name, {})[value] = None
        for metric in self.study.metrics:
            for name, value in parameter_of_metric(metric).items():
                values.setdefault(name, {})[value] = None
        return {
            name: ordered_values(name, tuple(own))
            for name, own in values.items()
            if len(own) > 1 or name == POLICY
        }

    def curves(self, measure: str, x: str, colour: str = "", facets: Sequence[str] = ()) -> list[Curve]:
        """The measure over the parameter `x`, split by other parameters; a mean over all parameters not
        named.

        Facets come in the order of the values of the first of `facets`, then of the second, and so on.
        """
        found: dict[tuple[tuple[str, ...], str], dict[str, list[tuple[float, int, str]]]] = {}
        for metric in self.measures[measure]:
            number = parameter_of_metric(metric)
            for run, value in enumerate(relative_values(self.study, self.rows, metric)):
                if value is None or not math.isfinite(value):
                    continue
                at = {**self._of_run[run], **number}
                key = tuple(at[name] for name in facets), at[colour] if colour else ""
                found.setdefault(key, {}).setdefault(at[x], []).append((value, run, metric))
        colours, across = (self.parameters.get(name, ("",)) for name in (colour, x))
        return [
            Curve(facet, tint, tuple(_point(at, own[at]) for at in across if at in own))
            for facet in product(*(self.parameters[name] for name in facets))
            for tint in colours
            if (own := found.get((facet, tint))) is not None
        ]

    def numbers(self, parameter: str) -> list[float] | None:
        """The values of a parameter as numbers, durations in s; None if any is a word."""
        return numbers_of(parameter, self.parameters.get(parameter, ()))

    @cached_property
    def _of_run(self) -> list[dict[str, str]]:
        """The parameters of each run, by name."""
        return [
            {
                POLICY: run.base,
                "theta": format_number(run.conditions.scaling.theta),
                "rho": format_number(run.conditions.scaling.rho),
                "machine": run.conditions.machine,
                "share": run.conditions.share,
                **{key: run.policy.format_key(key) for key in self.study.keys},
            }
            for run in self.study.runs
        ]


def parameter_of_metric(metric: str) -> dict[str, str]:
    """The number that a metric takes, by the name of its parameter."""
    if own_path(metric):
        return {}
    name, equals, value = metric.partition(":")[2].partition("=")
    return {name: value} if equals else {}


def ordered_values(name: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """The values of a parameter: ascending where all are numbers, otherwise as they come."""
    numbers = numbers_of(name, values)
    if numbers is None:
        return values
    return tuple(value for _, value in sorted(zip(numbers, values, strict=True)))


def numbers_of(name: str, values: Sequence[str]) -> list[float] | None:
    """The values of a parameter as numbers, durations in s; None if any is a word."""
    span = KEY[name].range if name in KEY else None
    try:
        return [float(value if span is None else span.parse(name, value)) for value in values]
    except (ValueError, InputError):
        return _numbered(values) if name != POLICY else None


def _numbered(values: Sequence[str]) -> list[float] | None:
    """The numbers of words like `scaled2` and `scaled10`; None if they are not the same word with numbers."""
    found = [_WITH_NUMBER.fullmatch(value) for value in values]
    words = {match[1] for match in found if match is not None}
    if len(words) != 1 or len(values) < 3 or None in found:
        return None
    return [float(match[2]) for match in found if match is not None]


def _point(x: str, found: Sequence[tuple[float, int, str]]) -> Point:
    values = np.array([value for value, _, _ in found])
    mean, many = float(values.mean()), len(values)
    half = 0.0 if many == 1 else student_quantile(many - 1) * float(values.std(ddof=1)) / math.sqrt(many)
    _, run, metric = found[int(np.abs(values - mean).argmin())]
    return Point(x, mean, mean - half, mean + half, many, run, metric)
