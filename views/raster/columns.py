"""Compiled: step functions of time, summed up for each pixel column.

Imported by workers only, since Numba is slow to load. Column c of `width` shows the time
from window[0] + c w to window[0] + (c + 1) w, w = (window[1] - window[0]) / width; results are
exact for that time at every zoom.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.compiler.kernels import inner_kernel, kernel

Numbers = NDArray[np.int32] | NDArray[np.int64]

PART = 1 << 20
"""The most steps that are held as 64 bits at once."""


def row_maxima(
    offset: Ints, time: Ints, value: Ints, line: Ints, lines: int, window: tuple[float, float], width: int
) -> NDArray[np.int32]:
    """The greatest value of each line in each column, shape (lines, width).

    Row r holds value[i] from time[i] to time[i + 1], for i in offset[r]:offset[r + 1]; it is 0 before the
    first entry and after the last. It is drawn into line[r]; several rows may share a line, and rows with a
    negative line are not drawn. `window` has the unit of `time`.
    """
    greatest = np.zeros((lines, width), np.int32)
    _row_maxima(offset, time, value, line, window[0], width / (window[1] - window[0]), greatest)
    return greatest


def row_means(
    offset: Ints, time: Ints, value: Ints, line: Ints, lines: int, window: tuple[float, float], width: int
) -> Floats:
    """The mean value of each line in each column, shape (lines, width), of rows as in `row_maxima`.

    It is taken over all of the column's time, and over all rows that share the line.
    """
    sums = np.zeros((lines, width))
    _row_sums(offset, time, value, line, window[0], width / (window[1] - window[0]), sums)
    shared = np.bincount(line[line >= 0], minlength=lines)
    return sums / np.maximum(shared, 1)[:, None]


def column_statistics(time: Ints, value: Floats, window: tuple[float, float], width: int) -> Floats:
    """Least, mean and greatest value in each column, shape (3, width).

    value[i] holds from time[i] to time[i + 1], the last value for ever; 0 before the first.
    """
    least, mean, greatest = np.full(width, np.inf), np.zeros(width), np.full(width, -np.inf)
    if len(time):
        _column_statistics(time, value, window[0], width / (window[1] - window[0]), least, mean, greatest)
    else:
        least[:] = greatest[:] = 0.0
    return np.stack((least, mean, greatest))


def level_statistics(
    time: Numbers, value: Numbers, window: tuple[float, float], width: int
) -> tuple[Floats, Floats]:
    """Mean and greatest value in each column, shape (width,) each, as `column_statistics` gives them, of
    whole numbers that are not negative. They are widened to 64 bits a part at a time.
    """
    least, mean, greatest = np.full(width, np.inf), np.zeros(width), np.full(width, -np.inf)
    across = width / (window[1] - window[0])
    # From the step before the window, whose value reaches into it, to the first one after it.
    first = max(bisect_left(time, window[0]) - 1, 0)
    last = min(bisect_left(time, window[1]) + 1, len(time))
    if not len(time):
        greatest[:] = 0.0
    for begin in range(first, last, PART):
        end = min(begin + PART, last)
        behind = end < last  # the next part's first time ends this part's last value
        times = time[begin : end + behind].astype(np.int64)
        values = value[begin : end + behind].astype(np.float64)
        # The value of the last step of a part is that of the next part too: it is counted there.
        if behind:
            values[-1] = 0.0
        _column_statistics(times, values, window[0], across, least, mean, greatest)
    return mean, greatest


@inner_kernel
def _snapped(x: float) -> float:
    """The column edge that `x` equals up to rounding, so that no step reaches into a neighbouring column."""
    nearest = float(np.rint(x))
    return nearest if abs(x - nearest) < 1e-6 else x


@kernel
def _row_maxima(
    offset: Ints, time: Ints, value: Ints, line: Ints, left: float, across: float, greatest: NDArray[np.int32]
) -> None:
    width = greatest.shape[1]
    right = left + width / across
    for r in range(len(line)):
        low, high = offset[r], offset[r + 1]
        if line[r] < 0 or low == high:
            continue
        # From the piece that is under way at the left edge.
        i = low + max(int(np.searchsorted(time[low:high], left)) - 1, 0)
        while i + 1 < high and time[i] < right:
            if value[i] > 0 and time[i + 1] > left:
                column0 = int(max(_snapped((time[i] - left) * across), 0.0))
                column1 = min(int(np.ceil(_snapped((time[i + 1] - left) * across))), width)
                for column in range(column0, column1):
                    greatest[line[r], column] = max(greatest[line[r], column], np.int32(value[i]))
            i += 1


@kernel
def _row_sums(
    offset: Ints, time: Ints, value: Ints, line: Ints, left: float, across: float, sums: Floats
) -> None:
    width = sums.shape[1]
    right = left + width / across
    for r in range(len(line)):
        low, high = offset[r], offset[r + 1]
        if line[r] < 0 or low == high:
            continue
        # From the piece that is under way at the left edge.
        i = low + max(int(np.searchsorted(time[low:high], left)) - 1, 0)
        while i + 1 < high and time[i] < right:
            if value[i] > 0 and time[i + 1] > left:
                x0 = max(_snapped((time[i] - left) * across), 0.0)
                x1 = min(_snapped((time[i + 1] - left) * across), float(width))
                for column in range(int(x0), min(int(np.ceil(x1)), width)):
                    # The part of the column that the piece covers.
                    part = min(x1, column + 1.0) - max(x0, float(column))
                    sums[line[r], column] += value[i] * part
            i += 1


@kernel
def _column_statistics(
    time: Ints, value: Floats, left: float, across: float, least: Floats, mean: Floats, greatest: Floats
) -> None:
    width = len(mean)
    # Before its first time the line is 0: that piece has index -1.
    i = int(np.searchsorted(time, left)) - 1
    while i < len(time):
        x0 = 0.0 if i < 0 else max(_snapped((time[i] - left) * across), 0.0)
        if x0 >= width:
            # A piece that begins beyond the last column ends the loop: steps are in order of time.
            break
        x1 = float(width)
        if i + 1 < len(time):
            x1 = min(_snapped((time[i + 1] - left) * across), x1)
        level = 0.0 if i < 0 else value[i]
        # A piece without width after rounding covers nothing, and would count in a column that it only
        # touches.
        if x1 > x0:
            for column in range(int(x0), min(int(np.ceil(x1)), width)):
                least[column] = min(least[column], level)
                greatest[column] = max(greatest[column], level)
                mean[column] += level * (min(x1, column + 1.0) - max(x0, float(column)))
        i += 1
