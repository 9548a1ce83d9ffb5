"""The changes of a tunable: when it changed, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.policy.tuning import Tuning
from engine.spelling import format_number
from views.data.run_series import RunSeries
from views.text.counts import plural
from views.text.values import number, percent

_SIGNS = {">=": "≥", ">": ">", "<=": "≤", "<": "<", "=": "against"}
_OPPOSITES = {">=": "<", ">": "≤", "<=": ">", "<": "≥"}


@dataclass(frozen=True, eq=False)
class Triggers:
    """The checks of a run at which a tunable changed: `check` are their rows, `time` their seconds, (k,)."""

    series: RunSeries
    tunable: str
    check: NDArray[np.int64]
    time: NDArray[np.int64]

    @classmethod
    def of(cls, series: RunSeries, tunable: str) -> Triggers:
        """The triggers of a tunable; none if it is not tuned."""
        time, value = series.steps(tunable)
        check = np.flatnonzero(value[1:] != value[:-1])
        return cls(series, tunable, check, time[check + 1])

    def nearest(self, time: float, within: float) -> int | None:
        """The trigger nearest to a time, at most `within` seconds away."""
        if not len(self.time):
            return None
        index = int(np.abs(self.time - time).argmin())
        return index if abs(float(self.time[index]) - time) <= within else None

    def reason(self, index: int) -> str:
        """The measurement and its effect: `queue depth 1 204 min ≥ 1 000: bf 1 → 0.5`."""
        row = int(self.check[index])
        value = self.series.steps(self.tunable)[1]
        change = f"{self.tunable} {format_number(value[row])} → {format_number(value[row + 1])}"
        return f"{measured(self.series, self.tunable, row)}: {change}"


def measured(series: RunSeries, tunable: str, row: int) -> str:
    """The value that a check measured for a tunable, against its threshold."""
    checks, column = series.schedule.checks, series.tuned[tunable]
    assert checks is not None
    tuning = series.schedule.policy.tunings[column]
    value, threshold = float(checks.monitor[row, column]), float(checks.threshold[row, column])
    holds = {
        ">=": value >= threshold,
        ">": value > threshold,
        "<=": value <= threshold,
        "<": value < threshold,
        "=": True,
    }[tuning.threshold.operator]
    sign = (_SIGNS if holds else _OPPOSITES)[tuning.threshold.operator]
    limit = _limit(tuning, threshold)
    if not holds and tuning.back is not None:
        sign, limit = _SIGNS[tuning.back.operator], str(tuning.back)[len(tuning.back.operator) :]
    return f"{_name(tuning)} {_format_value(tuning, value)} {sign} {limit}"


def _name(tuning: Tuning) -> str:
    if tuning.monitor == "utilization":
        return f"utilization over {_hours(tuning.argument)}" if tuning.argument else "utilization"
    if tuning.monitor == "bounded_slowdown":
        return f"mean bounded slowdown of {plural(tuning.argument, 'job')}"
    if tuning.monitor == "wait":
        return "mean wait so far"
    if tuning.monitor == "violated":
        return f"late of {plural(tuning.argument, 'job')}"
    return tuning.monitor.replace("_", " ")


def _limit(tuning: Tuning, threshold: float) -> str:
    mean = tuning.threshold.mean
    if not mean:
        return _format_value(tuning, threshold)
    what = "over" if tuning.monitor == "utilization" else "its mean of"
    return f"{what} {_hours(mean)} {_format_value(tuning, threshold)}"


def _format_value(tuning: Tuning, value: float) -> str:
    if tuning.monitor in ("utilization", "violated"):
        return percent(100 * value)
    if tuning.monitor == "wait":
        return f"{number(round(value))} s"
    if tuning.monitor == "queue_depth":
        return f"{number(round(value))} min"
    return plural(round(value), "job") if tuning.monitor == "queue_length" else number(value)


def _hours(seconds: int) -> str:
    return f"{seconds / 3600:g} h"
