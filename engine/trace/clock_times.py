"""Dates and lengths of time as batch systems write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.limits import MAX_DURATION, MAX_TIME
from engine.trace.trace import MISSING

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

UNREADABLE = -2
"""Of a time that is given, and cannot be read."""

_ISO = len("2015-06-26T13:57:00")
_DIGITS = (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18)
_MARKS = ((4, b"-"), (7, b"-"), (10, b"T"), (13, b":"), (16, b":"))
_UNKNOWN = frozenset(("", "unknown", "none", "n/a", "-1", "0", "invalid"))
_LENGTH = re.compile(r"(?:(\d{1,8})-)?(\d{1,12})(?::(\d{1,9}))?(?::(\d{1,9}))?(?:\.(\d{1,9}))?", re.ASCII)


def unix_times(column: pa.BinaryArray) -> Ints:
    """The seconds of `clock_times`, shape (n,)."""
    return clock_times(column)[0]


def clock_times(column: pa.BinaryArray) -> tuple[Ints, Mask]:
    """Times of `2015-06-26T13:57:00`, also with its distance to UTC, or of seconds since 1970; shape (n,).

    The first array holds seconds since 1970, those of a wall clock read as UTC: MISSING for what stands for
    no time, as `Unknown`; UNREADABLE for what is none, or is beyond MAX_TIME. The second marks
    the times of wall clocks: those that are dates and give no distance to UTC.
    """
    n = len(column)
    offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + n + 1]
    times, wall = np.full(n, MISSING, np.int64), np.zeros(n, np.bool_)
    if not n or offsets[-1] == offsets[0]:
        return times, wall
    usual = np.flatnonzero(np.diff(offsets) == _ISO)
    if len(usual) == n and (found := _all_iso_times(column)) is not None:
        return found, np.ones(n, np.bool_)
    data = np.frombuffer(column.buffers()[2], np.uint8)
    times[usual] = _iso_times(data[offsets[usual, None] + np.arange(_ISO)])
    wall[usual] = times[usual] >= 0
    others = np.ones(n, np.bool_)
    others[usual] = times[usual] == UNREADABLE
    known: dict[bytes, tuple[int, bool]] = {}
    for row in np.flatnonzero(others).tolist():
        text = data[offsets[row] : offsets[row + 1]].tobytes()
        if text not in known:
            known[text] = clock_time(text[:100].decode("utf-8", "replace"))
        times[row], wall[row] = known[text]
    return times, wall


def _all_iso_times(column: pa.BinaryArray) -> Ints | None:
    """Times of a column in which all have the length of the usual form; None unless all have that form."""
    import pyarrow as pa

    try:
        times = column.cast(pa.string()).cast(pa.timestamp("s")).cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    found = np.array(times.to_numpy(zero_copy_only=False), np.int64)
    return found if found.min() >= 0 else None


def unix_time(text: str) -> int:
    """The seconds of `clock_time`."""
    return clock_time(text)[0]


def clock_time(text: str) -> tuple[int, bool]:
    """Seconds since 1970 of a text, and whether a wall clock showed it, as in `clock_times`."""
    text = text.strip()
    if text.lower() in _UNKNOWN:
        return MISSING, False
    wall = False
    try:
        if text.isascii() and text.isdigit():
            time = int(text)
        else:
            moment = datetime.fromisoformat(text)
            wall = moment.tzinfo is None
            time = int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp())
    except (ValueError, OverflowError):
        return UNREADABLE, False
    return (time, wall) if 0 <= time <= MAX_TIME else (UNREADABLE, False)


def seconds_of(text: str, *, alone: int = 60) -> int | None:
    """Seconds of `2-03:04:05`, `3:04:05`, `4:05` or `2-03`, rounded up; None where it cannot be read.

    A single number counts units of `alone` seconds; behind days the parts are hours, minutes
    and seconds. What is longer than MAX_DURATION cannot be read.
    """
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        return None
    days, *parts, fraction = match.groups()
    numbers = [int(part) for part in parts if part is not None]
    if days is not None:
        scale = (3600, 60, 1)[: len(numbers)]
    else:
        scale = ((alone,), (60, 1), (3600, 60, 1))[len(numbers) - 1]
    seconds = 86_400 * int(days or 0) + sum(a * b for a, b in zip(numbers, scale, strict=True))
    seconds += bool(fraction and int(fraction))
    return seconds if seconds <= MAX_DURATION else None


def _iso_times(letters: NDArray[np.uint8]) -> Ints:
    """Times of texts of the usual form, shape (n, 19); UNREADABLE where they are none."""
    digits = letters[:, _DIGITS].astype(np.int64) - ord("0")
    good = ((digits >= 0) & (digits <= 9)).all(axis=1)
    for position, mark in _MARKS:
        good &= letters[:, position] == mark[0]
    year = digits[:, :4] @ np.array([1000, 100, 10, 1])
    month, day, hour, minute, second = (10 * digits[:, k] + digits[:, k + 1] for k in range(4, 14, 2))
    good &= (year >= 1970) & (month >= 1) & (month <= 12) & (hour < 24) & (minute < 60) & (second <= 60)
    months = np.where(good, (year - 1970) * 12 + month - 1, 0)
    first, after = (m.astype("M8[M]").astype("M8[D]").astype(np.int64) for m in (months, months + 1))
    good &= (day >= 1) & (day <= after - first)
    return np.where(good, 86_400 * (first + day - 1) + 3600 * hour + 60 * minute + second, UNREADABLE)
