"""Numbers in columns of texts, read all at once as arrays of letters: some times faster than by patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints, Mask

if TYPE_CHECKING:
    import pyarrow as pa

Letters = NDArray[np.uint8]

_WIDTH = 20  # first letters that are examined
_DIGITS = 15  # that a number has at most
_END = ord(",")
_UNITS = b"KMGTPE"
_POWER = np.zeros(256, np.int64)
_POWER[list(_UNITS)] = np.arange(1, len(_UNITS) + 1)
_PLACES = np.array([[10.0 ** max(k - 1 - j, 0) for j in range(_WIDTH)] for k in range(_WIDTH + 1)])
_TIMES = {
    8: ((0, 3, 6), b"::", (3600.0, 60.0, 1.0)),  # 02:03:04
    10: ((0, 2, 5, 8), b"-::", (86_400.0, 3600.0, 60.0, 1.0)),  # 1-02:03:04
    11: ((0, 3, 6, 9), b"-::", (86_400.0, 3600.0, 60.0, 1.0)),  # 10-02:03:04
}
"""Lengths of time by their number of letters: where parts begin, the marks between these, their seconds."""
_MILLISECONDS = np.array([600_000.0, 60_000.0, 10_000.0, 1000.0, 100.0, 10.0, 1.0])  # of 03:04.567


def text_bounds(column: pa.Array) -> tuple[Letters, Ints, Ints]:
    """The letters of a column of texts or bytes, and where each text begins and ends, shape (n,)."""
    first, behind = column.offset, column.offset + len(column) + 1
    offsets = np.frombuffer(column.buffers()[1], np.int32)[first:behind].astype(np.int64)
    data = column.buffers()[2]
    letters = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return letters, offsets[:-1], offsets[1:]


def scan_amounts(
    letters: Letters, begin: Ints, end: Ints, base: float, *, listed: bool
) -> tuple[Floats, Mask]:
    """Whole numbers with a unit or without (`4408K`), and which were read; both shape (n,).

    They reach from `begin` to `end` or, if they are `listed`, to the next comma. Units are powers of
    `base`. Texts of another form, also fractions, are not read.
    """
    if not len(letters):
        return np.full(len(begin), np.nan), np.zeros(len(begin), np.bool_)
    place = begin[:, None] + np.arange(_WIDTH)
    window = letters[np.minimum(place, len(letters) - 1)]
    window[place >= end[:, None]] = _END
    digit = window - np.uint8(ord("0"))
    leading = np.logical_and.accumulate(digit < 10, axis=1)
    count = leading.sum(axis=1)
    value = (np.where(leading, digit, 0) * _PLACES[count]).sum(axis=1)
    rows = np.arange(len(begin))
    last = window[rows, np.minimum(count, _WIDTH - 1)]
    power = _POWER[last]
    size = count + (power > 0)
    ends = begin + size == end
    if listed:
        ends |= window[rows, np.minimum(size, _WIDTH - 1)] == _END
    good = (count > 0) & (count <= _DIGITS) & ends
    return np.where(good, value * base**power, np.nan), good


def scan_lengths(letters: Letters, begin: Ints, end: Ints) -> tuple[Floats, Mask]:
    """Seconds of `02:03:04`, `1-02:03:04` and `03:04.567`, and which were read; both shape (n,)."""
    found = np.full(len(begin), np.nan)
    length = end - begin
    for size, (starts, marks, scale) in _TIMES.items():
        rows = np.flatnonzero(length == size)
        if not len(rows):
            continue
        window = letters[begin[rows, None] + np.arange(size)]
        value, good = np.zeros(len(rows)), np.ones(len(rows), np.bool_)
        ends = (*(start - 1 for start in starts[1:]), size)
        for start, stop, seconds in zip(starts, ends, scale, strict=True):
            digit = window[:, start:stop] - np.uint8(ord("0"))
            good &= (digit < 10).all(axis=1)
            value += digit @ (10.0 ** np.arange(stop - start - 1, -1, -1)) * seconds
        for start, mark in zip(starts[1:], marks, strict=True):
            good &= window[:, start - 1] == mark
        found[rows[good]] = value[good]
    rows = np.flatnonzero(length == 9)
    if len(rows):
        window = letters[begin[rows, None] + np.arange(9)]
        digit = window[:, (0, 1, 3, 4, 6, 7, 8)] - np.uint8(ord("0"))
        good = (digit < 10).all(axis=1) & (window[:, 2] == ord(":")) & (window[:, 5] == ord("."))
        value = digit.astype(np.float64) @ _MILLISECONDS / 1000
        found[rows[good]] = value[good]
    return found, ~np.isnan(found)
