"""Lengths of time as batch systems, tables and people write them."""

from __future__ import annotations

import re

from engine.limits import MAX_DURATION
from engine.slurm.values.times import clock_seconds
from engine.trace.sentinels import NO_VALUES

_FIRST = re.compile(r"(?:\d+-)?(\d+)", re.ASCII)  # after days
_DAYS = re.compile(
    r"([+-]?\d{1,8})\s*(?:d|days?)\.?,?\s*(?:and\s+)?(\d{1,9}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?",
    re.ASCII,
)
_COLONS = re.compile(r"(?:(\d{1,5}):)?(\d{0,9}):(\d{0,9}):(\d{0,9})", re.ASCII)
"""Days, hours, minutes and seconds, as Torque prints them, of which Grid Engine leaves some out: `24::`."""

_PIECE = re.compile(r"(\d{1,12}(?:[.,]\d{1,9})?)\s*([a-z]+)\.?(?:\s*,|\s+and\b)?\s*", re.ASCII)
_ISO = re.compile(
    r"p(?:(\d{1,6})w)?(?:(\d{1,8})d)?(?:t(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,12}(?:[.,]\d{1,9})?)s)?)?",
    re.ASCII,
)
_SECONDS = {
    **dict.fromkeys(("ms", "msec", "msecs", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604_800.0),
}

UNLIMITED = frozenset(
    (
        *("unlimited", "infinite", "infinity", "inf", "+inf", "partition_limit", "partition limit"),
        *("no limit", "no_limit", "nolimit", "not set", "not_set", "invalid"),
    )
)
"""Words for "no limit", in small letters."""


def seconds_of(text: str, *, alone: int = 60) -> int | None:
    """Seconds of `2-03:04:05`, `3:04:05`, `4:05`, `2-03` or of a length in words, rounded up.

    A single number counts units of `alone` seconds; after days the parts are hours, minutes and seconds. In
    words these are `1:02:00:00` (a day, two hours), `24::` (hours), `1 day, 0:00:00`, `3 days 02:00:00`,
    `90 min`, `1h 30m` and ISO's `PT1H30M`. None if it is invalid, longer than MAX_DURATION, or one of
    NO_VALUES.
    """
    text = text.strip()
    if len(text) == 8 and text[2] == text[5] == ":":  # as most are
        digits = text[:2] + text[3:5] + text[6:]
        if digits.isascii() and digits.isdigit():
            return 3600 * int(digits[:2]) + 60 * int(digits[2:4]) + int(digits[4:])
    seconds = clock_seconds(text, alone=alone)
    if seconds is None:
        return _in_words(text.lower()) if len(text) <= 100 else None
    first = _FIRST.match(text)
    return None if first is not None and int(first[1]) in NO_VALUES else _bounded(seconds)


def _in_words(text: str) -> int | None:
    if (match := _COLONS.fullmatch(text)) and any(match.groups()):
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return _bounded(86_400 * days + 3600 * hours + 60 * minutes + seconds)
    if match := _DAYS.fullmatch(text):
        days, hours, minutes, seconds, fraction = (int(part or 0) for part in match.groups())
        return _bounded(86_400 * days + 3600 * hours + 60 * minutes + seconds + bool(fraction))
    if (match := _ISO.fullmatch(text)) and any(match.groups()):
        scale = (604_800, 86_400, 3600, 60, 1)
        amounts = (float((part or "0").replace(",", ".")) for part in match.groups())
        return _bounded(-int(-sum(a * b for a, b in zip(amounts, scale, strict=True)) // 1))
    total, position = 0.0, 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None or piece[2] not in _SECONDS:
            return None
        total += float(piece[1].replace(",", ".")) * _SECONDS[piece[2]]
        position = piece.end()
    return _bounded(-int(-total // 1)) if position else None


def _bounded(seconds: int) -> int | None:
    return seconds if 0 <= seconds <= MAX_DURATION else None
