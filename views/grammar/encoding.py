"""The encoding of a composed figure: which parameter or measure stands where, and how it is summed up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Literal, get_args

import numpy as np

from engine.errors import InputError
from engine.student import student_quantile
from engine.sweep.result_table import Condition, ResultTable

Kind = Literal["lines", "bars", "points", "boxes", "areas", "cells"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_MOST_VALUES = 10_000
"""Values of a parameter, or of several that stand together; more cannot be told apart in a figure."""

Spread = Literal["95", "sd", "range", "none"]
SPREADS: dict[Spread, str] = {
    "95": "95 % confidence of the mean (Student's t)",
    "sd": "standard deviation",
    "range": "least and greatest",
    "none": "",
}
"""What the whiskers of a mean are, in words for the caption."""


@dataclass(frozen=True)
class Encoding:
    """A composed figure: a plot for each measure of `y` and each value of the facets `down` and `across`.

    `x`, colour, style and facets are parameters, or several of them whose values stand together, such as
    `rho+sigma`. Cells are a table of means: `x` across, and the values of `colour` as rows. Values that
    differ in nothing that is shown are summed up: by their mean with a `spread`, of boxes by their quartiles.
    `names` replaces names of parameters, values and measures by the words of a paper.
    """

    kind: Kind
    x: str
    y: tuple[str, ...]
    colour: str = ""
    style: str = ""
    down: str = ""
    across: str = ""
    conditions: tuple[Condition, ...] = ()
    baseline: Condition | None = None
    spread: Spread = "95"
    log_x: bool = False
    log_y: bool = False
    free: bool = False  # each plot has a vertical axis of its own
    cut: bool = False  # bars that dwarf all others are cut
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of the values of parameters
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> tuple[str, ...]:
        """The parameters that are distinguished."""
        return tuple(filter(None, (self.x, self.colour, self.style, self.down, self.across)))

    def check(self, table: ResultTable) -> None:
        """Raise InputError where the table lacks what is shown, or where it cannot be shown like this."""
        for measure in self.y:
            table.check_measure(measure)
        for name in self.shown:
            table.parts_of(name)
        self._check_together()
        # The order is checked against the values of this table: a misspelt value would be ignored silently.
        for name, values in self.order.items():
            table.check_parameter(name)
            if unknown := [value for value in values if value not in table.parameters[name]]:
                raise InputError(f"{name} has no value {unknown[0]!r} to put in order")

    def _check_together(self) -> None:
        """Raise InputError where what is asked for does not go together, whatever the table."""
        # A parameter at two places would show only a diagonal of its combinations, which is almost certainly
        # an error.
        for name in ("style", "down", "across"):
            if getattr(self, name) and getattr(self, name) == self.x:
                raise InputError(f"{self.x} stands on x already")
        if self.kind == "cells" and self.colour == self.x:
            raise InputError(f"{self.x} stands on x already; rows of cells are of another parameter")
        if self.down and self.down == self.across:
            raise InputError(f"{self.down} makes facets down or across, not both")
        # The area below a value is its size, and on a logarithmic axis there is no zero to begin at.
        if self.log_y and self.kind in ("bars", "areas"):
            raise InputError(f"{self.kind} begin at 0, which a logarithmic axis does not have")
        if self.cut and self.kind != "bars":
            raise InputError(f"bars are cut, {self.kind} are not")
        if self.kind == "cells" and (self.style or self.log_y or self.log_x):
            raise InputError("cells have no style and no logarithmic axis")

    def values(self, table: ResultTable, name: str, measure: str = "") -> tuple[str, ...]:
        """The values of a parameter in their order; those that `order` leaves out come last.

        Of parameters that stand together all combinations. With a `measure` only what its values have: no
        value of a parameter that it lacks. Raises InputError where there are more than 10,000.
        """
        if not name:
            return ("",)
        known = table.parameters_of(measure) if measure else table.parameters
        each = []
        for part in table.parts_of(name):
            first = self.order.get(part, ())
            words = known.get(part, ("",))
            each.append((*(text for text in first if text in words), *(t for t in words if t not in first)))
        if prod(map(len, each)) > _MOST_VALUES:
            raise InputError(f"{name} has more than {_MOST_VALUES:,} values")
        return tuple(map(", ".join, product(*each)))

    def word(self, name: str) -> str:
        """A name or value in the words of the figure; of values that stand together each."""
        return named(self.names, name)


def named(names: Mapping[str, str], text: str) -> str:
    """A text under its given name: that of the whole, or else of each part between commas."""
    if text in names or ", " not in text:
        return names.get(text, text)
    return ", ".join(names.get(part, part) for part in text.split(", "))


@dataclass(frozen=True)
class WhiskeredMean:
    """The mean of values with the ends of its whiskers, and how many values it is of."""

    mean: float
    low: float
    high: float
    count: int


def mean_of(values: Sequence[float], spread: Spread) -> WhiskeredMean:
    """The mean of at least one value; a single value has no spread."""
    array = np.asarray(values, np.float64)
    mean, count = float(array.mean()), len(array)
    if spread == "range":
        return WhiskeredMean(mean, float(array.min()), float(array.max()), count)
    if spread == "none" or count == 1:
        return WhiskeredMean(mean, mean, mean, count)
    deviation = float(array.std(ddof=1))
    half = deviation if spread == "sd" else student_quantile(count - 1) * deviation / np.sqrt(count)
    return WhiskeredMean(mean, mean - half, mean + half, count)
