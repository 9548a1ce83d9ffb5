"""95 % confidence intervals for the mean of an autocorrelated series, and for the ratio of two such means.

Weeks of a log are autocorrelated: a queue that is long at the end of a week is long at the beginning of the
next. The variance of their mean is estimated as that of an autoregression of order 1: a prewhitened estimate
that is consistent under autocorrelation (Andrews & Monahan 1992, Econometrica 60, 953-966). The quantile is
Student's for the effective number of independent values (Zwiers & von Storch 1995, Journal of Climate 8,
336-351). The coverage of such intervals is measured in `tests/engine/search/calibration.py`.

A change in % is a ratio of two means, and both of them vary: a bad week is bad for the baseline too. Its
interval is worked out on the logarithm of the ratio, from the pseudo-values of the jackknife (Miller 1974,
Biometrika 61, 1-15): how much each week moves it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.student import student_quantile

FEWEST = 12
"""Of fewer values the dependence cannot be estimated."""

FEWEST_EFFECTIVE = 5.0
"""Of fewer effective values the interval would leave out the true mean too often."""

_MOST_DEPENDENT = 0.99

_LEAST_FREEDOM = 3.0
"""Degrees of freedom that weeks of uneven weight leave at least: with fewer nothing would ever be found."""


@dataclass(frozen=True)
class Interval:
    """Bounds that hold the mean in 95 % of cases."""

    low: float
    high: float

    @property
    def side(self) -> int:
        """1 if the interval is above 0, -1 if it is below, 0 if it contains 0."""
        return 1 if self.low > 0.0 else -1 if self.high < 0.0 else 0


def mean_interval(values: Floats) -> Interval | None:
    """The interval of the mean of a series, shape (n,), in its order.

    None where there are fewer than FEWEST values, or they count as fewer than FEWEST_EFFECTIVE.
    """
    return _interval(values)


def change_interval(values: Floats, baseline: Floats) -> Interval | None:
    """The interval of mean(values) / mean(baseline) - 1; both of shape (n,), of the same weeks in order.

    It never passes -1. None where `mean_interval` gives none for what the weeks contribute. The mean of the
    baseline must not be 0.
    """
    ratio = float(values.mean() / baseline.mean())
    moved = deviations(values, baseline)
    if not _has_logarithms(values, baseline):
        interval = _interval(moved)
        change = (ratio - 1.0) * (1.0 if baseline.mean() > 0 else -1.0)
        least = -1.0 if values.min() >= 0 and baseline.min() >= 0 else -math.inf
        return (
            None if interval is None else Interval(max(change + interval.low, least), change + interval.high)
        )
    run, other = values / values.mean(), baseline / baseline.mean()
    # Weeks of little weight tell little: this many weeks of equal weight would tell as much (Kish 1965).
    evenness = 1.0 / float((((run + other) / 2) ** 2).mean())
    # The logarithm bends down: a mean that came out too small moves it more than a mean that is as much too
    # large. To second order that is a skewness, of the side whose mean is the more uncertain.
    square = float((run - other) @ (run - other))
    bend = 1.5 * float((run + other - 2) @ (run - other)) / square if square > 0 else 0.0
    interval = _interval(moved, evenness, bend * float(moved.std()))
    if interval is None:
        return None
    return Interval(ratio * math.exp(interval.low) - 1.0, ratio * math.exp(interval.high) - 1.0)


def deviations(values: Floats, baseline: Floats) -> Floats:
    """How far each week moves the ratio of two means, shape (n,): what its interval is worked out on.

    Where a logarithm has no value it is what each week has beyond the ratio times its baseline.
    """
    if _has_logarithms(values, baseline):
        return logarithmic_deviations(values, baseline)
    ratio = float(values.mean() / baseline.mean())
    return np.asarray((values - ratio * baseline) / abs(float(baseline.mean())))


def _has_logarithms(values: Floats, baseline: Floats) -> bool:
    """Whether both means are positive without any of the weeks."""
    return bool(np.all(values.sum() - values > 0) and np.all(baseline.sum() - baseline > 0))


def logarithmic_deviations(values: Floats, baseline: Floats) -> Floats:
    """How far each week moves the logarithm of the ratio of two means, shape (n,), times n; their mean is 0.

    Without any of the weeks both means must be positive.
    """
    without = np.log((values.sum() - values) / (baseline.sum() - baseline))
    return np.asarray((len(values) - 1) * (without.mean() - without))


def _interval(values: Floats, evenness: float = 1.0, bend: float = 0.0) -> Interval | None:
    """The interval of the mean of a series.

    The values tell as much as `evenness` (at most 1) times their number. `bend` is subtracted from their
    skewness, for a mean of what is not linear in what was measured.
    """
    weeks, effective = len(values), effective_number(values)
    if weeks < FEWEST or effective < FEWEST_EFFECTIVE:
        return None
    mean = float(values.mean())
    variance = float(values.var())
    if variance == 0.0:
        return Interval(mean, mean)
    # The values scatter around their own mean, which follows them: their variance is larger by this part.
    error = math.sqrt(variance / (1 - 1 / effective) / (effective * math.sqrt(evenness)))
    most = student_quantile(max(effective * evenness - 1, min(effective - 1, _LEAST_FREEDOM)))
    skewness = float(((values - mean) ** 3).mean()) / variance**1.5
    skewness *= math.sqrt(weeks * (weeks - 1)) / (weeks - 2)  # without the bias of small samples
    skewness = evenness * (skewness - bend)  # uneven weights are allowed for above, and are what skews most
    # The symmetric interval, widened for skewed values: rare extreme values on one side shift the mean.
    low, high = (_without_skewness(bound, skewness / math.sqrt(effective)) for bound in (-most, most))
    return Interval(mean - error * max(most, high), mean + error * max(most, -low))


def effective_number(values: Floats) -> float:
    """The equivalent number of independent values of a series, shape (n,), for the mean: from 1 to n.

    It uses the correlation with the previous value, as in an autoregression of order 1 (Bayley & Hammersley
    1946, equation 1). Negative correlations count as 0.
    """
    weeks = len(values)
    apart = values - values.mean()
    square = float(apart @ apart)
    if weeks <= 4 or square == 0.0:
        return float(weeks)
    correlation = float(apart[1:] @ apart[:-1]) / square
    # It comes out too small by (1 + 4 rho) / n on average (Marriott & Pope 1954, Biometrika 41, 390-402).
    rho = min(max((weeks * correlation + 1) / (weeks - 4), 0.0), _MOST_DEPENDENT)
    lag = np.arange(1, weeks)
    return max(1.0, weeks / (1 + 2 * float(((1 - lag / weeks) * rho**lag).sum())))


def _without_skewness(bound: float, skewness: float) -> float:
    """The t whose transformation to a symmetric distribution is `bound` (Hall 1992, JRSS B 54, 221-228).

    `skewness` is that of the mean. The transformation is t + s t^2 / 3 + s^2 t^3 / 27 + s / 6.
    """
    if abs(skewness) < 1e-9:
        return bound
    return 3 / skewness * (math.cbrt(1 + skewness * (bound - skewness / 6)) - 1)
