"""Metrics by name, with those that take a parameter, such as `psf:alpha=1.5` and `awf:weight=ram`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.errors import InputError
from engine.metrics.catalog import METRICS
from engine.metrics.metric import Metric
from engine.metrics.own_metric import own_metric, own_value
from engine.metrics.packing import priority_weighted, response_norm, specific_response
from engine.quantities import QUANTITIES, Jobs, offered
from engine.schedule.schedule import Schedule
from engine.schedule.value import total_value
from engine.spelling import nearest
from engine.words import listed

Value = float | int | None

_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9})?|\.\d{1,9}")


@dataclass(frozen=True)
class Family:
    """Metrics that differ by a number, at least `least`, or by one of `words`; `metric` describes any of
    them.
    """

    key: str
    least: float
    metric: Metric
    compute: Callable[[Schedule, Mask, Any], Value]
    words: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        """The form of the family's metrics, such as `psf:alpha=NUMBER`."""
        return f"{self.metric.name}:{self.key}={self.words[0] if self.words else '1.5'}"

    def read(self, text: str) -> float | str | None:
        """The number, or the word; None where it is none."""
        if self.words:
            return text if text in self.words else None
        return float(text) if _NUMBER.fullmatch(text) else None


def parse_metric(text: str) -> Metric:
    """The metric of a name: a name in METRICS, or in FAMILIES with its parameter, like `psf:alpha=1.5`, or
    that of a user's own code, like `mine.py:late`.

    Its `name` is the text itself. Raises InputError that names the right spelling.
    """
    text = text.strip()
    # From the plainest kind of name to the most special kind.
    if text in METRICS:
        return METRICS[text]
    if (own := own_metric(text)) is not None:
        return own.metric
    family, value = _parse_family(text)
    words = value if isinstance(value, str) else format(value, "g")
    return replace(family.metric, name=text, label=f"{family.metric.label}, {family.key} = {words}")


def parameterised_values(schedule: Schedule, jobs: Mask, names: Sequence[str]) -> dict[str, Value]:
    """The metrics of these names that take a parameter, in their order, over `jobs` (shape (n,), all run).

    Names of METRICS are left out. Raises InputError as `parse_metric` does.
    """
    values: dict[str, Value] = {}
    for name in names:
        if name in METRICS:
            continue
        if (own := own_metric(name)) is not None:
            values[name] = own_value(own, schedule, jobs)
        else:
            family, value = _parse_family(name)
            values[name] = family.compute(schedule, jobs, value)
    return values


def _parse_family(text: str) -> tuple[Family, float | str]:
    # Such a name is spelled like psf:alpha=1.5: a family, the key of its parameter, and the value.
    name, colon, rest = text.partition(":")
    family = FAMILIES.get(name)
    if family is None:
        known = [*METRICS, *(each.form for each in FAMILIES.values())]
        forms = listed([each.form for each in FAMILIES.values()])
        # A word near a known name is likelier a misspelling of it than of a family.
        hint = nearest(text, known) or f"; those that take more are spelled {forms}"
        raise InputError(f"there is no metric {text!r}{hint}")
    key, _, word = rest.partition("=")
    value = family.read(word) if colon and key == family.key else None
    if value is None:
        hint = nearest(word, family.words) if key == family.key else ""
        words = f", {family.key} one of {', '.join(family.words)}" if family.words else ""
        raise InputError(f"cannot read the metric {text!r}{hint or f'; spell it like {family.form}{words}'}")
    if isinstance(value, float) and value < family.least:
        raise InputError(f"metric {text!r}: {family.key} is at least {family.least:g}")
    return family, value


def _specific_response(schedule: Schedule, jobs: Mask, alpha: float) -> Value:
    return specific_response(schedule.wait[jobs], schedule.runtime[jobs], schedule.procs[jobs], alpha)


def _exponential_value(schedule: Schedule, jobs: Mask, delta: float) -> Value:
    return total_value(schedule, jobs, "exponential", delta)


def _weighted(schedule: Schedule, jobs: Mask, column: str, time: NDArray[np.int64]) -> Value:
    """The weighted mean of times, shape (n,), s; jobs without a value in the column have weight 0."""
    priority = QUANTITIES[column].of(Jobs(schedule.trace, schedule))
    assert isinstance(priority, np.ndarray)
    area = (schedule.procs * schedule.runtime)[jobs]
    return priority_weighted(np.nan_to_num(priority[jobs].astype(np.float64)), area, time[jobs])


def _weighted_response(schedule: Schedule, jobs: Mask, column: str) -> Value:
    return _weighted(schedule, jobs, column, schedule.wait + schedule.runtime)


def _weighted_wait(schedule: Schedule, jobs: Mask, column: str) -> Value:
    return _weighted(schedule, jobs, column, schedule.wait)


def _linear_value(schedule: Schedule, jobs: Mask, delta: float) -> Value:
    return total_value(schedule, jobs, "linear", delta)


def _response_norm(schedule: Schedule, jobs: Mask, p: float) -> Value:
    return response_norm((schedule.wait + schedule.runtime)[jobs], p)


WEIGHTS = (
    *(
        name
        for name, quantity in offered("filter").items()
        if not quantity.needs and quantity.unit not in ("name", "time")
    ),
    "worth",
)
"""Columns of a trace, or the policy's valuation, that can weight jobs."""


def _priority(metric: Metric, what: str) -> Metric:
    text = (
        f"sum(p a {what}) / sum(p a) with the area a = r D and a column p of the log, or what jobs are "
        "worth: packing where jobs have priorities (Goponenko et al. 2022, IV)."
    )
    return replace(metric, text=text)


FAMILIES: dict[str, Family] = {
    family.metric.name: family
    for family in (
        Family("weight", 0.0, _priority(METRICS["awf"], "F"), _weighted_response, WEIGHTS),
        Family("weight", 0.0, _priority(METRICS["awq"], "Q"), _weighted_wait, WEIGHTS),
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
"""Metrics that take a number or a column, by the name before the colon."""
