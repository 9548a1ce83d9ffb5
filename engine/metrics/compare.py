"""Comparing schedules: on the same jobs, against a baseline, as boxes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.schedule.schedule import Schedule


def jobs_in_common(schedules: Iterable[Schedule]) -> NDArray[np.bool_]:
    """The jobs that all of the schedules (at least one) ran, shape (n,).

    A job that any of them refused is left out of all, so that all are measured on the same jobs.
    """
    return np.asarray(np.logical_and.reduce([schedule.ran for schedule in schedules]))


def change(value: float | None, baseline: float | None) -> float | None:
    """Change of a metric against a baseline in %; None where either is missing or the baseline is 0."""
    if value is None or baseline is None or baseline == 0:
        return None
    return 100.0 * (value - baseline) / abs(baseline)


@dataclass(frozen=True, eq=False)
class BoxStatistics:
    """The box-plot of a set of values.

    `low` and `high` are the ends of the whiskers: the outermost values within 1.5 times the interquartile
    range of the box (the box's own edge if there are none). Values beyond them are outliers: `outliers` are
    their indices among the values (which are user codes, for columns of a user table).
    """

    count: int
    minimum: float
    low: float
    q1: float
    median: float
    q3: float
    high: float
    maximum: float
    outliers: Ints


def box(values: Floats | Ints) -> BoxStatistics | None:
    """The box of `values`, shape (m,), NaN left out; None where nothing is left.

    Quartiles interpolate linearly between the two nearest values.
    """
    data = np.asarray(values, np.float64)
    index = np.flatnonzero(~np.isnan(data))
    data = data[index]
    if len(data) == 0:
        return None
    minimum, q1, median, q3, maximum = (float(q) for q in np.quantile(data, (0.0, 0.25, 0.5, 0.75, 1.0)))
    # Tukey's fences lie 1.5 times the distance of the quartiles beyond these.
    reach = 1.5 * (q3 - q1)
    outside = (data < q1 - reach) | (data > q3 + reach)
    # Whiskers end at data values, not at the fences, as Tukey draws them.
    inside = data[~outside]
    return BoxStatistics(
        count=len(data),
        minimum=minimum,
        low=min(q1, float(inside.min())),
        q1=q1,
        median=median,
        q3=q3,
        high=max(q3, float(inside.max())),
        maximum=maximum,
        outliers=index[outside],
    )
