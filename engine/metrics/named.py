"""Metrics by name, with those that take a parameter, such as `psf:alpha=1.5`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.metrics.catalog import METRICS, Metric
from engine.metrics.packing import response_norm, specific_response
from engine.schedule.schedule import Schedule
from engine.schedule.value import total_value
from engine.spelling import nearest
from engine.words import listed

Value = float | int | None
Mask = NDArray[np.bool_]

_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9})?|\.\d{1,9}")


@dataclass(frozen=True)
class Family:
    """Metrics that differ by one number, at least `least`; `metric` is of any of them."""

    key: str
    least: float
    metric: Metric
    compute: Callable[[Schedule, Mask, float], Value]

    @property
    def form(self) -> str:
        """How one of them is spelled."""
        return f"{self.metric.name}:{self.key}=1.5"


def parse_metric(text: str) -> Metric:
    """The metric of a name: one of METRICS, or of FAMILIES with its number, like `psf:alpha=1.5`.

    Its `name` is the text itself. Raises InputError that names the right spelling.
    """
    text = text.strip()
    if text in METRICS:
        return METRICS[text]
    family, number = _parse_family(text)
    return replace(family.metric, name=text, label=f"{family.metric.label}, {family.key} = {number:g}")


def parameterised_values(schedule: Schedule, jobs: Mask, names: Sequence[str]) -> dict[str, Value]:
    """The metrics of these names that take a parameter, in their order, over `jobs` (shape (n,), all run).

    Names of METRICS are left out. Raises InputError as `parse_metric` does.
    """
    values: dict[str, Value] = {}
    for name in names:
        if name not in METRICS:
            family, number = _parse_family(name)
            values[name] = family.compute(schedule, jobs, number)
    return values


def _parse_family(text: str) -> tuple[Family, float]:
    name, colon, rest = text.partition(":")
    family = FAMILIES.get(name)
    if family is None:
        known = [*METRICS, *(each.form for each in FAMILIES.values())]
        forms = listed([each.form for each in FAMILIES.values()])
        hint = nearest(text, known) or f"; those that take a number are spelled {forms}"
        raise InputError(f"there is no metric {text!r}{hint}")
    key, _, number = rest.partition("=")
    if not colon or key != family.key or not _NUMBER.fullmatch(number):
        raise InputError(f"cannot read the metric {text!r}; spell it like {family.form}")
    if float(number) < family.least:
        raise InputError(f"metric {text!r}: {family.key} is at least {family.least:g}")
    return family, float(number)


def _specific_response(schedule: Schedule, jobs: Mask, alpha: float) -> Value:
    return specific_response(schedule.wait[jobs], schedule.runtime[jobs], schedule.procs[jobs], alpha)


def _exponential_value(schedule: Schedule, jobs: Mask, delta: float) -> Value:
    return total_value(schedule, jobs, "exponential", delta)


def _linear_value(schedule: Schedule, jobs: Mask, delta: float) -> Value:
    return total_value(schedule, jobs, "linear", delta)


def _response_norm(schedule: Schedule, jobs: Mask, p: float) -> Value:
    return response_norm((schedule.wait + schedule.runtime)[jobs], p)


FAMILIES: dict[str, Family] = {
    family.metric.name: family
    for family in (
        Family(
            "alpha",
            0.0,
            Metric(
                "psf",
                "Priority weighted response",
                "s",
                "lower",
                "(alpha + 1) / (alpha + 2) sum r (F^(alpha+2) - Q^(alpha+2)) / "
                "sum r (F^(alpha+1) - Q^(alpha+1)): the larger alpha, the more it weighs fairness to "
                "those who waited longest (Goponenko et al. 2022, IV).",
            ),
            _specific_response,
        ),
        Family(
            "p",
            1.0,
            Metric(
                "response_l",
                "Response norm",
                "s",
                "lower",
                "(sum F^p)^(1/p): the larger p, the more the longest responses count "
                "(after Pruhs et al.; Goponenko et al. 2022, VII).",
            ),
            _response_norm,
        ),
        Family(
            "delta",
            0.01,
            Metric(
                "value",
                "Value",
                "",
                "higher",
                "Aggregate value for users who tolerate a delay of delta runtimes: the sum of "
                "v max(0, 1 - (F / D - 1) / delta) (Van den Bossche et al. 2011, equation 2).",
            ),
            _linear_value,
        ),
        Family(
            "delta",
            0.01,
            Metric(
                "value_exponential",
                "Value, falling exponentially",
                "",
                "higher",
                "Aggregate value for users who lose patience at first and keep some hope: the sum of "
                "v exp((1 - F / D) / tau), tau = delta / 2 (Van den Bossche et al. 2011, equation 3).",
            ),
            _exponential_value,
        ),
    )
}
"""Metrics that take a number, by the name before the colon."""
