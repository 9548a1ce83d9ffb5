"""Compiled summation of lines over time for each pixel column.

Imported by workers only, since Numba is slow to load. Columns are those of `views.raster.columns`; minimum,
mean and maximum are exact at every zoom: both ends of a jump count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.compiler.kernels import inner_kernel, kernel


def line_statistics(
    time: Ints, value: Floats, slope: Floats, window: tuple[float, float], width: int
) -> Floats:
    """Least, mean and greatest value in each column, shape (3, width), of straight pieces.

    From time[i] on the line is value[i] + slope[i] (t - time[i]), the last piece for ever; it is
    0 before the first. `window` has the unit of `time`.
    """
    statistics = _empty(width)
    if len(time):
        _line_statistics(time, value, slope, *window, statistics)
    else:
        statistics[:] = 0.0
    return statistics


class SummedSteps(NamedTuple):
    """A step function of m steps: `value[i]` holds from `time[i]` to `time[i + 1]`, the last value for ever.

    It is 0 before the first.
    """

    time: Ints
    value: Floats
    until: Floats  # what the steps before come to: value times time


def summed_steps(time: Ints, value: Ints) -> SummedSteps:
    """Of ascending times and the value from each on; arrays that kernels are compiled for."""
    values = value.astype(np.float64)
    until = np.zeros(len(time))
    np.cumsum(values[:-1] * np.diff(time), out=until[1:])
    return SummedSteps(np.require(time, np.int64, ["C", "W"]), values, until)


def average_statistics(
    used: SummedSteps, up: SummedSteps, over: float, window: tuple[float, float], width: int
) -> Floats:
    """The same statistics of the used share of the available amount, averaged over the time `over` before
    each moment.

    That is the use in that time divided by the available amount, 0 if nothing was available. It begins at
    up.time[0]: until `over` has passed, the average covers the time since then; before, it is 0. Means are
    exact if the available amount is the same as `over` before, otherwise they are interpolated from edge to
    edge of a column.
    """
    statistics = _empty(width)
    _average_statistics(used, up, over, *window, statistics)
    return statistics


def average_at(used: SummedSteps, up: SummedSteps, over: float, moment: float) -> float:
    """The same at a moment."""
    ends = np.array([max(moment - over, float(up.time[0])), moment])
    if ends[0] >= ends[1]:
        return 0.0
    (used_before, used_then), (up_before, up_then) = (_sums_at(steps, ends) for steps in (used, up))
    there = up_then - up_before
    return float((used_then - used_before) / there) if there > 0 else 0.0


def _sums_at(steps: SummedSteps, moment: Floats) -> Floats:
    if not len(steps.time):
        return np.zeros(len(moment))
    index = np.searchsorted(steps.time, moment, "right") - 1
    sums = steps.until[index] + steps.value[index] * (moment - steps.time[index])
    return np.where(index >= 0, sums, 0.0)


def _empty(width: int) -> Floats:
    statistics = np.empty((3, width))
    statistics[0], statistics[1], statistics[2] = np.inf, 0.0, -np.inf
    return statistics


@inner_kernel
def _note(statistics: Floats, left: float, across: float, t0: float, t1: float, v0: float, v1: float) -> None:
    """Record a straight piece from (t0, v0) to (t1, v1), t0 < t1, clipped to the columns."""
    width = statistics.shape[1]
    x0, x1 = (t0 - left) * across, (t1 - left) * across
    if x1 <= 0 or x0 >= width or x1 <= x0:
        return
    rise = (v1 - v0) / (x1 - x0)
    begin, end = max(x0, 0.0), min(x1, float(width))
    for column in range(int(begin), min(int(np.ceil(end)), width)):
        low, high = max(begin, float(column)), min(end, column + 1.0)
        if high <= low:
            continue
        first, last = v0 + rise * (low - x0), v0 + rise * (high - x0)
        # Exactly the end of the piece, without the rounding of the slope.
        if high == x1:
            last = v1
        statistics[0, column] = min(statistics[0, column], first, last)
        statistics[1, column] += (first + last) / 2 * (high - low)
        statistics[2, column] = max(statistics[2, column], first, last)


@kernel
def _line_statistics(
    time: Ints, value: Floats, slope: Floats, left: float, right: float, statistics: Floats
) -> None:
    across = statistics.shape[1] / (right - left)
    if time[0] > left:
        _note(statistics, left, across, left, min(float(time[0]), right), 0.0, 0.0)
    i = max(int(np.searchsorted(time, left, "right")) - 1, 0)
    while i < len(time) and time[i] < right:
        end = float(time[i + 1]) if i + 1 < len(time) else right
        begin, until = max(float(time[i]), left), min(end, right)
        first, last = value[i] + slope[i] * (begin - time[i]), value[i] + slope[i] * (until - time[i])
        if until > begin:
            _note(statistics, left, across, begin, until, first, last)
        i += 1


@kernel
def _average_statistics(
    used: SummedSteps, up: SummedSteps, over: float, left: float, right: float, statistics: Floats
) -> None:
    """Two indices move along the steps of either: of the moment, and of `over` before it.

    Between steps the average is a straight line where what is up stays as much, else a curve without
    a turn, which is cut at the edges of columns.
    """
    width = statistics.shape[1]
    across = width / (right - left)
    origin = float(up.time[0])
    now = left
    if origin > left:
        now = min(origin, right)
        _note(statistics, left, across, left, now, 0.0, 0.0)
    u0, u1 = _step_at(used, now - over), _step_at(used, now)
    a0, a1 = _step_at(up, now - over), _step_at(up, now)
    column = int((now - left) * across)
    while now < right:
        # Advance all four indices to the steps that contain now, and now minus `over`.
        while _next(used, u1) <= now:
            u1 += 1
        while _next(used, u0) + over <= now:
            u0 += 1
        while _next(up, a1) <= now:
            a1 += 1
        while _next(up, a0) + over <= now:
            a0 += 1
        # The average changes its form only at a step of either line, at either end of the interval.
        next_change = min(_next(used, u0), _next(up, a0)) + over
        next_change = min(next_change, _next(used, u1), _next(up, a1), right)
        # A changing denominator gives a curve: cut it at column edges, where it is then exact.
        if _value(up, a0) != _value(up, a1):
            edge = left + (column + 1) / across
            while edge <= now:
                column += 1
                edge = left + (column + 1) / across
            next_change = min(next_change, edge)
        first = _average(used, up, over, (u0, u1), (a0, a1), now)
        last = _average(used, up, over, (u0, u1), (a0, a1), next_change)
        _note(statistics, left, across, now, next_change, first, last)
        now = next_change


@inner_kernel
def _step_at(steps: SummedSteps, time: float) -> int:
    """The step that holds then; -1 before the first."""
    return int(np.searchsorted(steps.time, time, "right")) - 1


@inner_kernel
def _next(steps: SummedSteps, step: int) -> float:
    """The end of the step."""
    return float(steps.time[step + 1]) if step + 1 < len(steps.time) else np.inf


@inner_kernel
def _value(steps: SummedSteps, step: int) -> float:
    return float(steps.value[step]) if step >= 0 else 0.0


@inner_kernel
def _sum(steps: SummedSteps, step: int, time: float) -> float:
    """The integral up to a time within the step."""
    return float(steps.until[step] + steps.value[step] * (time - steps.time[step])) if step >= 0 else 0.0


@inner_kernel
def _average(
    used: SummedSteps,
    up: SummedSteps,
    over: float,
    of_used: tuple[int, int],
    of_up: tuple[int, int],
    now: float,
) -> float:
    """The average at `now`, given the steps at `over` before and at now.

    If nothing was available in all that time, it is the limit of the average: the share in use now, or then;
    0 if nothing is available at either.
    """
    there = _sum(up, of_up[1], now) - _sum(up, of_up[0], now - over)
    if there > 0:
        return (_sum(used, of_used[1], now) - _sum(used, of_used[0], now - over)) / there
    if _value(up, of_up[1]) > 0:
        return _value(used, of_used[1]) / _value(up, of_up[1])
    if _value(up, of_up[0]) > 0:
        return _value(used, of_used[0]) / _value(up, of_up[0])
    return 0.0
