"""The fields of filters: the quantities offered to filters, each with the format of its values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.filter.values import (
    AMOUNT,
    AREA,
    COUNT,
    DURATION,
    ENERGY,
    MOMENT,
    NAME,
    PERCENT,
    RATIO,
    ValueFormat,
)
from engine.quantities import Jobs, Missing, Quantity, Unit
from engine.quantities.offers import each_offered
from engine.quantities.quantity import Values

_KINDS: dict[Unit, ValueFormat] = {
    "name": NAME,
    "count": COUNT,
    "MiB": AMOUNT,
    "s": DURATION,
    "time": MOMENT,
    "processor-s": AREA,
    "ratio": RATIO,
    "%": RATIO,
    "% used": PERCENT,
    "s/processor-s": RATIO,
    "value": RATIO,
    "J": ENERGY,
    "g": RATIO,
}


@dataclass(frozen=True, eq=False)
class Field:
    """A quantity under the name that filters have for it."""

    name: str
    quantity: Quantity

    @property
    def kind(self) -> ValueFormat:
        """The format of its values."""
        return _KINDS[self.quantity.unit]

    @property
    def of_run(self) -> bool:
        """True if it differs from run to run; without a run no job has a value."""
        return not self.quantity.of_log

    @property
    def help(self) -> str:
        """The meaning of the field, in words."""
        return f"{self.quantity.text} in the run" if self.of_run else self.quantity.text

    def values(self, jobs: Jobs) -> Values:
        """A value for each job, shape (n,): a number, NaN if missing or not computed; or a name."""
        values = self.quantity.values(jobs)
        return np.full(len(jobs), np.nan) if isinstance(values, Missing) else values


FIELDS: dict[str, Field] = {}
"""All fields by name, in the order in which help lists them."""

each_offered("filter", FIELDS, Field)
