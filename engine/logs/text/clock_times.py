"""Times as batch systems and tables write them: seconds since 1970, and dates of many forms."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints, Mask
from engine.limits import MAX_TIME
from engine.logs.text.written_dates import SPLIT, DateOrders, clock_of, day_and_zone, split_moment
from engine.trace.sentinels import NO_VALUES
from engine.trace.trace import MISSING

if TYPE_CHECKING:
    import pyarrow as pa


UNREADABLE = -2
"""Stands for a time that is given but cannot be read."""

_DAY = 86_400
_ISO = len("2015-06-26T13:57:00")
_DIGITS = (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18)
_MARKS = ((4, b"-"), (7, b"-"), (10, b"T "), (13, b":"), (16, b":"))
_UNKNOWN = frozenset(
    (
        "",
        "unknown",
        "none",
        "n/a",
        "-1",
        "0",
        "invalid",
        "null",
        "na",
        "nan",
        "nat",
        "(null)",
        "none assigned",
    )
)
_LONGEST = 100  # characters of a time
_FEW = 64  # different texts up to which each is read by itself
_MARK = "\x00"
_ORDERED = rb"(?:^|\s)[0-9]{1,2}[-/][0-9]{1,2}[-/][0-9]{1,4}(?:$|[^0-9])"


def unix_times(column: pa.BinaryArray) -> Ints:
    """The seconds of `clock_times`, shape (n,)."""
    return clock_times(column)[0]


def clock_times(column: pa.BinaryArray, order: str = "") -> tuple[Ints, Mask]:
    """Times of dates, also with a zone or offset, or of seconds since 1970; both shape (n,).

    The first array holds seconds since 1970, those of local time read as UTC: MISSING for words like
    `Unknown` and for NO_VALUES; UNREADABLE for invalid texts, or times beyond MAX_TIME. The second marks
    local times: dates without an offset from UTC. `order` is that of day and month (as in ORDERS) for
    ambiguous dates; without it such dates are UNREADABLE, and `look_at_orders` finds it.
    """
    n = len(column)
    offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + n + 1]
    times, wall = np.full(n, MISSING, np.int64), np.zeros(n, np.bool_)
    if not n or offsets[-1] == offsets[0]:
        return times, wall
    # Texts of the usual length are read as digits, all rows at once.
    usual = np.flatnonzero(np.diff(offsets) == _ISO)
    if len(usual) == n and (found := _all_iso_times(column)) is not None:
        return found, np.ones(n, np.bool_)
    data = np.frombuffer(column.buffers()[2], np.uint8)
    times[usual] = _iso_times(data[offsets[usual, None] + np.arange(_ISO)])
    wall[usual] = times[usual] >= 0
    others = np.ones(n, np.bool_)
    # The right length, but no time of this form: such texts are read singly.
    others[usual] = times[usual] == UNREADABLE
    rows = np.flatnonzero(others)
    if len(rows):
        times[rows], wall[rows] = _other_times(column.take(rows), order)
    return times, wall


def ordered(column: pa.BinaryArray) -> pa.BooleanArray:
    """True for texts with dates whose order of day and month is ambiguous, shape (n,)."""
    import pyarrow.compute as pc

    return pc.match_substring_regex(column, _ORDERED)


def look_at_orders(column: pa.BinaryArray, orders: DateOrders) -> None:
    """Give `orders` the dates of a column in which the order of day and month is ambiguous."""
    import pyarrow.compute as pc

    some = column.filter(ordered(column))
    if len(some):
        days = pc.extract_regex(some, rb"(?P<day>" + _ORDERED + rb")").field("day")
        orders.add(text.decode("ascii", "replace") for text in days.unique().to_pylist())


def unix_time(text: str) -> int:
    """The seconds of `clock_time`."""
    return clock_time(text)[0]


def clock_time(text: str, order: str = "") -> tuple[int, bool]:
    """Seconds since 1970 of a text, and whether a wall clock showed it, as in `clock_times`."""
    text = text.strip()
    if text.lower() in _UNKNOWN:
        return MISSING, False
    # Plain digits are seconds since 1970.
    if text.isascii() and text.isdigit():
        seconds = int(text[:30])
        return (MISSING, False) if seconds in NO_VALUES else _bounded(seconds, wall=False)
    parts = split_moment(text)
    day = day_and_zone(text if parts is None else parts[0], "" if parts is None else parts[2], order)
    clock = 0 if parts is None else clock_of(parts[1])
    if day is None or clock is None:
        return _iso_time(text)
    return _bounded(_DAY * day[0] + clock - (day[1] or 0), wall=day[1] is None)


def _other_times(column: pa.BinaryArray, order: str) -> tuple[Ints, Mask]:
    """The times of a column of any forms: each different text is read once."""
    import pyarrow as pa

    encoded = column.dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    texts = encoded.dictionary
    times, wall = np.full(len(texts), UNREADABLE, np.int64), np.zeros(len(texts), np.bool_)
    single = np.ones(len(texts), np.bool_)
    if len(texts) > _FEW:
        with suppress(pa.ArrowInvalid):  # bytes that are no UTF-8
            times, wall, single = _times_in_parts(texts.cast(pa.string()), order)
    rows = np.flatnonzero(single)
    for row, text in zip(rows.tolist(), texts.take(rows).to_pylist(), strict=True):
        times[row], wall[row] = clock_time(text[:_LONGEST].decode("utf-8", "replace"), order)
    return times[codes], wall[codes]


def _times_in_parts(texts: pa.StringArray, order: str) -> tuple[Ints, Mask, Mask]:
    """Times, and a mask of local times, for texts that often share days and times of day; shape (n,).

    The third array marks texts that do not have these parts and have to be read separately.
    """
    import pyarrow.compute as pc

    # A log has few different days and at most 86,400 times of day: each is read once, and the sums are taken
    # by arrays.
    parts = pc.extract_regex(texts, SPLIT)
    single = np.asarray(parts.is_null().to_numpy(zero_copy_only=False), np.bool_)
    before, clocks, after = (pc.fill_null(parts.field(k), "") for k in range(3))

    def each(column: pa.StringArray, read: Callable[[str], int | None]) -> tuple[Ints, Mask]:
        encoded = column.dictionary_encode()
        found = [read(text[:_LONGEST]) for text in encoded.dictionary.to_pylist()]
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        known = np.array([value is not None for value in found], np.bool_)
        return np.array([value or 0 for value in found], np.int64)[codes], known[codes]

    # Two arrays are made of each date: `day` reads it, and `on_wall` looks up what was read.
    days: dict[str, tuple[int, int | None] | None] = {}

    def day(text: str) -> int | None:
        before, _, after = text.partition(_MARK)
        days[text] = day_and_zone(before, after, order)
        found = days[text]
        return None if found is None else _DAY * found[0] - (found[1] or 0)

    def on_wall(text: str) -> int | None:
        found = days[text]
        return None if found is None else int(found[1] is None)

    dates = pc.binary_join_element_wise(before, after, _MARK)
    begin, dated = each(dates, day)
    wall, _ = each(dates, on_wall)
    clock, timed = each(clocks, clock_of)
    times = begin + clock
    # What is not read in parts may still be a date for the slow reader.
    single |= ~(dated & timed)
    beyond = (times < 0) | (times > MAX_TIME)
    return np.where(beyond, UNREADABLE, times), (wall > 0) & ~beyond, single


def _iso_time(text: str) -> tuple[int, bool]:
    """A time in a rarer form of ISO 8601, such as `20240101T100000`."""
    try:
        moment = datetime.fromisoformat(text)
        time = int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp())
        return _bounded(time, wall=moment.tzinfo is None)
    except (ValueError, OverflowError):
        return UNREADABLE, False


def _bounded(time: int, *, wall: bool) -> tuple[int, bool]:
    return (time, wall) if 0 <= time <= MAX_TIME else (UNREADABLE, False)


def _all_iso_times(column: pa.BinaryArray) -> Ints | None:
    """Times of a column in which all have the length of the usual form; None unless all have that form."""
    import pyarrow as pa

    try:
        times = column.cast(pa.string()).cast(pa.timestamp("s")).cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    found = np.array(times.to_numpy(zero_copy_only=False), np.int64)
    return found if found.min() >= 0 else None


def _iso_times(letters: NDArray[np.uint8]) -> Ints:
    """Times of texts of the usual form, shape (n, 19); UNREADABLE for other texts."""
    digits = letters[:, _DIGITS].astype(np.int64) - ord("0")
    good = ((digits >= 0) & (digits <= 9)).all(axis=1)
    for position, mark in _MARKS:
        good &= (letters[:, position] == mark[0]) | (letters[:, position] == mark[-1])
    year = digits[:, :4] @ np.array([1000, 100, 10, 1])
    month, day, hour, minute, second = (10 * digits[:, k] + digits[:, k + 1] for k in range(4, 14, 2))
    # Up to 60 seconds, as a leap second has.
    good &= (year >= 1970) & (month >= 1) & (month <= 12) & (hour < 24) & (minute < 60) & (second <= 60)
    months = np.where(good, (year - 1970) * 12 + month - 1, 0)
    # The length of the month follows from the first days of it and of the next month.
    first, after = (m.astype("M8[M]").astype("M8[D]").astype(np.int64) for m in (months, months + 1))
    good &= (day >= 1) & (day <= after - first)
    return np.where(good, _DAY * (first + day - 1) + 3600 * hour + 60 * minute + second, UNREADABLE)
