"""What the box-plots compare: four measures of how users fared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from views.format import duration, number, percent

if TYPE_CHECKING:
    from engine.metrics.users import UserTable

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """One value a user: a column of the user table, how it is written, and on which axis.

    `percentage` measures lie on a linear axis from 0 to 100, the others on a logarithmic
    one, with ticks at minutes, hours and days where they are `durations`.
    """

    column: str
    title: str
    axis: str  # what the numbers on the axis are
    text: str
    show: Callable[[float | None], str]
    percentage: bool = False
    durations: bool = False

    def values(self, table: UserTable) -> Floats | None:
        """The value of each user, shape (users,), NaN without jobs; None where it was not computed."""
        column = getattr(table, self.column)
        return None if column is None else np.where(table.active, column, np.nan)


MEASURES = (
    Measure(
        "veet",
        "Violated EET",
        "% of the user's jobs",
        "VEET: how many of a user's jobs end after their expected end time, in %.",
        percent,
        percentage=True,
    ),
    Measure(
        "wt",
        "Weighted tardiness",
        "processor time",
        "WT: by how much a user's jobs end after their expected end times, each weighed by its processors.",
        duration,
        durations=True,
    ),
    Measure(
        "wait_mean",
        "Mean wait",
        "time",
        "Mean time from submission to start of a user's jobs.",
        duration,
        durations=True,
    ),
    Measure(
        "bounded_slowdown_mean",
        "Mean bounded slowdown",
        "ratio",
        "Mean of max(1, response / max(runtime, 10 s)) of a user's jobs.",
        number,
    ),
)
