"""The question of a search: metrics to minimise or maximise, and bounds on others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import InputError
from engine.metrics.compare import change
from engine.metrics.metric_names import Value, parse_metric
from engine.policy.policy import Policy
from engine.search.dimension import Dimension
from engine.spelling import DAY, HOUR, MINUTE, format_number

WORST_USER = "worst_user_wait_change"
"""Largest change of a user's mean wait against the baseline, in % of the user's own mean wait there, of which
ten minutes at least count."""

_BOUND = re.compile(r"\s*([a-z_0-9:=.]+?)\s*(<=|>=)\s*(-?\d{1,12}(?:\.\d{1,12})?)\s*(%|[mhd])?\s*", re.ASCII)
_SECONDS = {"m": MINUTE, "h": HOUR, "d": DAY}

Facts = Mapping[str, Value]


@dataclass(frozen=True)
class Objective:
    """A metric that is to be small, or large."""

    metric: str
    large: bool = False

    def __str__(self) -> str:
        return f"{'maximize' if self.large else 'minimize'} {self.metric}"


@dataclass(frozen=True)
class MetricBound:
    """An upper or lower bound of a metric; `relative`: of its change relative to the baseline in %."""

    metric: str
    least: bool
    value: float
    relative: bool = False

    def __str__(self) -> str:
        unit = " %" if self.relative else ""
        return f"{self.metric} {'>=' if self.least else '<='} {format_number(self.value)}{unit}"

    def excess(self, facts: Facts, baseline: Facts) -> float:
        """The violation of the bound, 0 or less if it holds; infinite if the metric has no value."""
        value = facts[self.metric]
        text = change(value, baseline[self.metric]) if self.relative and self.metric != WORST_USER else value
        if text is None:
            return float("inf")
        return self.value - text if self.least else text - self.value


@dataclass(frozen=True)
class Question:
    """The keys of `base` to vary, the objectives, the bounds, and the baseline policy."""

    base: Policy
    space: tuple[Dimension, ...]
    objectives: tuple[Objective, ...]
    bounds: tuple[MetricBound, ...]
    baseline: Policy

    def __post_init__(self) -> None:
        if not self.base.simulated:
            raise InputError(
                f"{self.base.spelling} has no keys to vary: search from a policy that is simulated"
            )
        names = [objective.metric for objective in self.objectives]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"{name} is to be minimized or maximized twice")

    @property
    def metrics(self) -> tuple[str, ...]:
        """All that are asked for, each once."""
        wanted = [objective.metric for objective in self.objectives] + [bound.metric for bound in self.bounds]
        return tuple(dict.fromkeys(wanted))

    def values_of(self, facts: Facts) -> dict[str, float | None]:
        """Those among all metrics of a schedule, by name; None where there is no value."""
        return {name: None if (value := facts[name]) is None else float(value) for name in self.metrics}


def parse_objective(text: str, large: bool) -> Objective:
    """A metric by its name. Raises InputError that names the most similar."""
    return Objective(_metric(text.strip()), large)


def parse_bound(text: str) -> MetricBound:
    """`METRIC <= NUMBER`, or `>=`; with ` %` of the change against the baseline. Raises InputError.

    The number of a metric in seconds may be in minutes, hours or days: `wait_mean <= 2h`.
    """
    match = _BOUND.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} is not a bound; spell it like 'veet_q3 <= 20' or 'wait_max <= 10 %'")
    metric, word, number, unit = match.groups()
    name = _metric(metric)
    value = float(number)
    if unit in _SECONDS:
        if name == WORST_USER or parse_metric(name).unit != "s":
            raise InputError(f"{text!r}: {name} is no time in seconds, so that its bound has no unit {unit}")
        value *= _SECONDS[unit]
    return MetricBound(name, word == ">=", value, unit == "%" or name == WORST_USER)


def _metric(name: str) -> str:
    return name if name == WORST_USER else parse_metric(name).name
