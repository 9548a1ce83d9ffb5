"""Valuations: the value of each job to its user if it is not delayed.

Logs do not have it, so values are drawn for each job (Van den Bossche, Vanmechelen & Broeckhove 2011, section
4.2), or taken from a column of the log.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.errors import InputError
from engine.spelling import format_number, nearest
from engine.trace import Trace

LEAST = 100.0
"""Values that are drawn are at least this (section 5.3)."""

COLUMNS = ("runtime", "walltime", "procs", "ram", "status")
"""Columns of a trace that can stand for values."""

DISTRIBUTIONS = {"normal": ("MEAN", "SD"), "lognormal": ("MEAN", "SD"), "uniform": ("LOW", "HIGH")}
"""What values are drawn from, each with its two numbers; of a lognormal they are of the values themselves."""

_NUMBER = r"(\d{1,9}(?:\.\d{1,6})?)"
_DRAWN = re.compile(rf"(\w+):{_NUMBER}:{_NUMBER}")


@dataclass(frozen=True)
class Valuation:
    """A distribution with its two numbers, or the column `source` of the trace."""

    source: str
    first: float = 0.0
    second: float = 0.0

    @property
    def spelling(self) -> str:
        """The spelling that `parse_valuation` reads back."""
        if self.source not in DISTRIBUTIONS:
            return f"column:{self.source}"
        return f"{self.source}:{format_number(self.first)}:{format_number(self.second)}"

    def __str__(self) -> str:
        return self.spelling


def parse_valuation(text: str) -> Valuation:
    """Read `normal:5000:2000`, `lognormal:5000:2000`, `uniform:100:10000` or `column:procs`.

    Raises InputError that names the right spelling.
    """
    kind, _, column = text.partition(":")
    if kind == "column":
        if column not in COLUMNS:
            hint = nearest(column, COLUMNS) or f": it is one of {', '.join(COLUMNS)}"
            raise InputError(f"valuation cannot be the column {column!r}{hint}")
        return Valuation(column)
    match = _DRAWN.fullmatch(text)
    if match is None or match[1] not in DISTRIBUTIONS:
        forms = [f"{name}:{':'.join(numbers)}" for name, numbers in DISTRIBUTIONS.items()]
        raise InputError(f"valuation cannot be {text!r}; spell it {', '.join(forms)} or column:NAME")
    valuation = Valuation(match[1], float(match[2]), float(match[3]))
    if valuation.source == "uniform" and valuation.first > valuation.second:
        raise InputError(f"valuation cannot be {text!r}: LOW is above HIGH")
    if valuation.source == "lognormal" and valuation.first == 0:
        raise InputError(f"valuation cannot be {text!r}: the mean of a lognormal is above 0")
    return valuation


def job_values(trace: Trace, valuation: Valuation, seed: int) -> Floats:
    """The value of each job, shape (n,): the same for the same seed, job by job.

    Drawn values are at least LEAST; missing values of a column are 0.
    """
    if valuation.source not in DISTRIBUTIONS:
        column: NDArray[np.int64] = getattr(trace, valuation.source)
        return np.maximum(column, 0).astype(np.float64)
    draw = np.random.default_rng(seed)
    first, second, jobs = valuation.first, valuation.second, len(trace)
    match valuation.source:
        case "normal":
            values = draw.normal(first, second, jobs)
        case "lognormal":
            # The distribution's own parameters follow from the mean and the deviation of the values.
            spread = math.log1p((second / first) ** 2)
            values = draw.lognormal(math.log(first) - spread / 2, math.sqrt(spread), jobs)
        case _:
            values = draw.uniform(first, second, jobs)
    # A normal distribution has negative values, and no job is worth nothing.
    return np.maximum(values, LEAST)
