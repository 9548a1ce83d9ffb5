"""How much better a schedule is than another, week by week, and how sure that is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.metrics.evaluation import Evaluation
from engine.metrics.summary import summary
from engine.search.answer import Advantage

WEEK = 7 * 86_400
RESAMPLES = 1000

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def advantage(one: Evaluation, baseline: Evaluation, metric: str, seed: int) -> Advantage | None:
    """Of `one` against the baseline, both of the same trace and jobs; None with fewer than two weeks."""
    submit = one.schedule.trace.submit
    week = (submit - int(submit[one.jobs].min(initial=np.iinfo(np.int64).max))) // WEEK
    rows = []
    for number in np.unique(week[one.jobs]).tolist():
        jobs = one.jobs & (week == number)
        mine, other = _value(one, metric, jobs), _value(baseline, metric, jobs)
        if mine is not None and other is not None:
            rows.append((mine, other))
    table = np.array(rows, np.float64).reshape(-1, 2)
    if len(table) < 2 or table[:, 1].sum() == 0.0:
        return None
    return _interval(table, np.random.default_rng(seed))


def _interval(table: Floats, rng: np.random.Generator) -> Advantage:
    """From rows of weeks: the metric, and the metric under the baseline."""

    def change(sums: Floats) -> Floats:
        # A draw of weeks in which the baseline is 0 tells nothing of a change in %.
        base = np.where(sums[..., 1] == 0.0, np.nan, np.abs(sums[..., 1]))
        return np.asarray(100.0 * (sums[..., 0] - sums[..., 1]) / base)

    drawn = change(table[rng.integers(len(table), size=(RESAMPLES, len(table)))].sum(axis=1))
    low, high = np.nanpercentile(drawn, (2.5, 97.5)).tolist()
    return Advantage(float(change(table.sum(axis=0))), low, high, len(table))


def _value(of: Evaluation, metric: str, jobs: Mask) -> float | None:
    value = summary(of.schedule, of.violations, jobs, of.extra)[metric]
    return None if value is None else float(value)
