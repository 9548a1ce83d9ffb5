"""Compiled: lines over time, summed up for each pixel column.

Imported by workers only, since Numba is slow to load. Columns are those of `views.raster.columns`;
least, mean and greatest values are exact at every zoom: of a line that jumps, both ends of the
jump count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel, kernel

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def line_statistics(
    time: Ints, value: Floats, slope: Floats, window: tuple[float, float], width: int
) -> Floats:
    """Least, mean and greatest value in each column, shape (3, width), of straight pieces.

    From time[i] on the line is value[i] + slope[i] (t - time[i]), the last piece for ever; it is
    0 before the first. `window` has the unit of `time`.
    """
    found = _empty(width)
    if len(time):
        _line_statistics(time, value, slope, *window, found)
    else:
        found[:] = 0.0
    return found


def sums_until(time: Ints, value: Floats) -> Floats:
    """What a step function comes to from its first step up to each, shape (m,): value times time."""
    return np.concatenate(([0.0], np.cumsum(value[:-1] * np.diff(time)))) if len(time) else np.zeros(0)


def average_statistics(
    time: Ints, value: Floats, until: Floats, over: float, window: tuple[float, float], width: int
) -> Floats:
    """The same of the moving average of a step function over the time `over` behind each moment.

    value[i] holds from time[i] to time[i + 1], the last one for ever; 0 before the first; `until` are
    its `sums_until`. As long as less than `over` has passed since time[0], the average is over what has.
    """
    found = _empty(width)
    if len(time):
        _average_statistics(time, value, until, over, *window, found)
    else:
        found[:] = 0.0
    return found


def average_at(time: Ints, value: Floats, until: Floats, over: float, moment: float) -> float:
    """The moving average at a moment."""
    elapsed = min(over, moment - time[0]) if len(time) else 0.0
    if elapsed <= 0:
        return 0.0
    ends = np.array([moment - elapsed, moment])
    step = np.searchsorted(time, ends, "right") - 1
    used = until[step] + value[step] * (ends - time[step])
    return float((used[1] - used[0]) / elapsed)


def _empty(width: int) -> Floats:
    found = np.empty((3, width))
    found[0], found[1], found[2] = np.inf, 0.0, -np.inf
    return found


@inner_kernel
def _note(found: Floats, left: float, across: float, t0: float, t1: float, v0: float, v1: float) -> None:
    """A straight piece from (t0, v0) to (t1, v1), t0 < t1, as far as it lies within the columns."""
    width = found.shape[1]
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
        if high == x1:
            last = v1
        found[0, column] = min(found[0, column], first, last)
        found[1, column] += (first + last) / 2 * (high - low)
        found[2, column] = max(found[2, column], first, last)


@kernel
def _line_statistics(
    time: Ints, value: Floats, slope: Floats, left: float, right: float, found: Floats
) -> None:
    across = found.shape[1] / (right - left)
    if time[0] > left:
        _note(found, left, across, left, min(float(time[0]), right), 0.0, 0.0)
    i = max(int(np.searchsorted(time, left, "right")) - 1, 0)
    while i < len(time) and time[i] < right:
        end = float(time[i + 1]) if i + 1 < len(time) else right
        begin, until = max(float(time[i]), left), min(end, right)
        first, last = value[i] + slope[i] * (begin - time[i]), value[i] + slope[i] * (until - time[i])
        if until > begin:
            _note(found, left, across, begin, until, first, last)
        i += 1


@kernel
def _average_statistics(
    time: Ints, value: Floats, used: Floats, over: float, left: float, right: float, found: Floats
) -> None:
    """Two indices move along the steps: of the moment, and of `over` before it; between steps of either
    the average is a straight line, or at first, while less time has passed, a curve without a turn."""
    width = found.shape[1]
    across = width / (right - left)
    origin = float(time[0])
    now = left
    if origin > left:
        now = min(origin, right)
        _note(found, left, across, left, now, 0.0, 0.0)
    lead = max(int(np.searchsorted(time, now, "right")) - 1, 0)
    lag = max(int(np.searchsorted(time, now - over, "right")) - 1, 0)
    column = int((now - left) * across)
    while now < right:
        following = right
        if lead + 1 < len(time):
            following = min(following, float(time[lead + 1]))
        if now >= origin + over:
            if lag + 1 < len(time):
                following = min(following, time[lag + 1] + over)
        else:
            edge = left + (column + 1) / across
            while edge <= now:
                column += 1
                edge = left + (column + 1) / across
            following = min(following, origin + over, edge)
        first = _average(time, value, used, over, lead, lag, now)
        last = _average(time, value, used, over, lead, lag, following)
        _note(found, left, across, now, following, first, last)
        now = following
        while lead + 1 < len(time) and time[lead + 1] <= now:
            lead += 1
        while lag + 1 < len(time) and time[lag + 1] + over <= now:
            lag += 1


@inner_kernel
def _average(time: Ints, value: Floats, used: Floats, over: float, lead: int, lag: int, now: float) -> float:
    """The average at `now`, within the step `lead`, and `over` before it within `lag`."""
    elapsed = min(over, now - time[0])
    if elapsed <= 0:
        return float(value[0])
    behind = 0.0
    if now - time[0] > over:
        behind = used[lag] + value[lag] * (now - over - time[lag])
    return float((used[lead] + value[lead] * (now - time[lead]) - behind) / elapsed)
