"""The measures of distributions and scatter plots: quantities of jobs, or of groups of jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.metrics.groups import GROUPINGS
from engine.quantities import Jobs, Missing, Quantity, offered
from engine.quantities.offers import each_offered
from engine.trace import Trace
from views.data.results import Result
from views.text.units import UNITS, sentence

Over = Literal["user", "queue", "class", "job"]

OVERS: dict[Over, str] = {"user": "users", "queue": "queues", "class": "size classes", "job": "jobs"}
"""The singular and plural names of units."""


@dataclass(frozen=True)
class Measure:
    """A quantity of each job, or of each user, queue, or class of size and runtime, under a run."""

    name: str
    quantity: Quantity

    @property
    def title(self) -> str:
        """The title of the value of a group."""
        return self.quantity.group_title

    def title_over(self, over: Over) -> str:
        """The plural title of the values."""
        return self.quantity.title if over == "job" else self.title

    @property
    def text(self) -> str:
        """The definition of the measure, as a sentence."""
        return sentence(self.quantity.text)

    def title_and_unit(self, over: Over) -> str:
        """The label of an axis that names the measure: `Mean wait, d h min s`; no unit for plain numbers."""
        unit = UNITS[self.quantity.unit]
        shown = (unit.column if unit.durations else "") or (unit.axis if unit.exact else "")
        return f"{self.title_over(over)}, {shown}" if shown else self.title_over(over)

    @property
    def percentage(self) -> bool:
        """True if values lie between 0 and 100."""
        return UNITS[self.quantity.unit].percentage

    @property
    def durations(self) -> bool:
        """True if ticks are at minutes, hours, days."""
        return UNITS[self.quantity.unit].durations

    @property
    def hours(self) -> bool:
        """True if ticks are at round numbers of CPU hours."""
        return UNITS[self.quantity.unit].hours

    def show(self, value: float | None) -> str:
        """A value as people read it."""
        return UNITS[self.quantity.unit].show(value)

    def values(self, result: Result, over: Over) -> Floats | Missing:
        """The value of each job, user, queue or class, NaN without measured jobs.

        Shape (n,) for jobs, else (groups,) by the codes of the grouping.
        """
        quantity, jobs, measured = self.quantity, result.fared, result.measured
        # Values of jobs are cheap and large, and so are not kept; values of groups are kept with the result.
        if over == "job":
            values = Missing("it is of groups of jobs") if quantity.of_groups else quantity.values(jobs)
            if isinstance(values, Missing):
                return values
            assert isinstance(values, np.ndarray)
            return np.where(measured, values, np.nan)
        key = (self.name, over)
        if key not in result.of_groups:
            result.of_groups[key] = self._of_groups(jobs, measured, over)
        return result.of_groups[key]

    def _of_groups(self, jobs: Jobs, measured: NDArray[np.bool_], over: Over) -> Floats | Missing:
        """The value of each user, queue or class, shape (groups,). The result is cached: do not write
        to it.
        """
        groups = GROUPINGS[over](jobs.trace)
        values = self.quantity.of_each(jobs, measured, groups)
        if isinstance(values, Missing):
            return values
        active = np.bincount(groups.codes[measured], minlength=len(groups.names)) > 0
        means = np.where(active, values, np.nan)
        means.flags.writeable = False
        return means


OVERVIEW = ("veet", "wt", "wait", "bounded_slowdown")
"""The four by which users are compared first (the first two: Toth & Klusacek 2014)."""

OVERVIEW_OF_JOBS = ("tardiness", *OVERVIEW[1:])
"""The same of single jobs: each is violated or not, but late by so much."""

MEASURES: dict[str, Measure] = {name: Measure(name, offered("plot")[name]) for name in OVERVIEW}
"""Measures by name, the four of the overview before all others."""

each_offered("plot", MEASURES, Measure)


def measures_of(trace: Trace | None, *kept: str) -> dict[str, Measure]:
    """The measures available in the log of a trace (without a log those of runs alone), and the measures
    `kept`.
    """

    def there(quantity: Quantity) -> bool:
        return quantity.available_in(trace) if trace is not None else not quantity.needs_log

    return {name: measure for name, measure in MEASURES.items() if name in kept or there(measure.quantity)}
