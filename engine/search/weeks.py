"""The advantage of a schedule over another, week by week, with its confidence interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.arrays import Floats, Mask
from engine.metrics.evaluation import Evaluation
from engine.metrics.summary import summary
from engine.search.answer import Advantage
from engine.search.interval import change_interval, deviations, effective_number

WEEK = 7 * 86_400


def advantage(evaluation: Evaluation, baseline: Evaluation, metric: str) -> Advantage | None:
    """The advantage of `one` over the baseline, with the same trace and jobs, divided into weeks by
    submission.

    None if no week has a value, or the baseline's values are all 0.
    """
    submit = evaluation.schedule.trace.submit
    # Weeks count from the first measured job, not from the first of the log.
    week = (submit - int(submit[evaluation.jobs].min(initial=np.iinfo(np.int64).max))) // WEEK
    rows = []
    for number in np.unique(week[evaluation.jobs]).tolist():
        jobs = evaluation.jobs & (week == number)
        mine, other = _value(evaluation, metric, jobs), _value(baseline, metric, jobs)
        # Changes are paired: a week without a value on either side compares nothing.
        if mine is not None and other is not None:
            rows.append((mine, other))
    table = np.array(rows, np.float64).reshape(-1, 2)
    change = weekly_change(table[:, 0], table[:, 1])
    measured = submit[evaluation.jobs]
    return None if change is None else replace(change, span=int(measured.max() - measured.min()))


def weekly_change(values: Floats, baseline: Floats) -> Advantage | None:
    """The change of the weekly mean, from the values of each week, shape (weeks,), and those of the baseline.

    It is that of the ratio of both means over all weeks. None if there is no week, or the baseline's mean is
    0.
    """
    if not len(values) or (base := abs(float(baseline.mean()))) == 0.0:
        return None
    change = 100 * float(values.mean() - baseline.mean()) / base
    interval = change_interval(values, baseline)
    low, high = (None, None) if interval is None else (100 * interval.low, 100 * interval.high)
    return Advantage(change, len(values), effective_number(deviations(values, baseline)), low, high)


def _value(part: Evaluation, metric: str, jobs: Mask) -> float | None:
    # None for the metric of the worst user.
    value = summary(part.schedule, part.violations, jobs, part.extra).get(metric)
    return None if value is None else float(value)
