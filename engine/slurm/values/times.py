"""Lengths of time as Slurm writes them, in its files and in what it prints."""

from __future__ import annotations

import re

from engine.errors import InputError
from engine.spelling import DAY, HOUR, MINUTE
from engine.words import clip

UNLIMITED_SECONDS = 4_294_967_236
"""s for which slurmctld 22.05 takes PriorityMaxAge=UNLIMITED: -1 minutes in an unsigned number of 32 bits."""

LONGEST_SECONDS = 24_855 * DAY
"""The longest time in whole days that slurmctld takes: it counts seconds in a signed number of 32 bits."""

_CLOCK = re.compile(r"(?:(\d{1,8})-)?(\d{1,12})(?::(\d{1,10}))?(?::(\d{1,10}))?(?:[.,](\d{1,9}))?", re.ASCII)
_NO_LIMIT = ("UNLIMITED", "INFINITE", "-1")


def clock_seconds(text: str, *, alone: int = MINUTE) -> int | None:
    """Seconds of `2-03:04:05`, `3:04:05`, `4:05` or `2-03`, rounded up; None for other texts.

    A single number counts units of `alone` seconds; after days the parts are hours, minutes and seconds.
    """
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    days, *parts, fraction = match.groups()
    numbers = [int(part) for part in parts if part is not None]
    # After days, slurm's grammar reads hours first; without days the last part is always seconds, but for a
    # single number.
    if days is not None:
        scale = (HOUR, MINUTE, 1)[: len(numbers)]
    else:
        scale = ((alone,), (MINUTE, 1), (HOUR, MINUTE, 1))[len(numbers) - 1]
    seconds = DAY * int(days or 0) + sum(a * b for a, b in zip(numbers, scale, strict=True))
    # Rounded up, so that a limit is never shorter than it was written.
    return seconds + bool(fraction and int(fraction))


def is_unlimited(text: str) -> bool:
    """Whether a text means that there is no limit."""
    return text.strip().upper() in _NO_LIMIT


def read_time(name: str, text: str) -> int:
    """Seconds of `90` (minutes), `1:30:00`, `7-0` or UNLIMITED, rounded up to minutes. Raises InputError."""
    if is_unlimited(text):
        return UNLIMITED_SECONDS
    seconds = None if "." in text or "," in text else clock_seconds(text)
    if seconds is None:
        raise InputError(f"{name}={clip(text)} is not a duration")
    if seconds >= LONGEST_SECONDS + DAY:
        raise InputError(f"{name}={clip(text)}: Slurm takes no time over {LONGEST_SECONDS // DAY:,} days")
    return -(-seconds // MINUTE) * MINUTE


def format_time(seconds: int) -> str:
    """The time as `7-00:00:00`: whole minutes, rounded up, at least one, at most Slurm's maximum."""
    if seconds >= UNLIMITED_SECONDS:
        return "UNLIMITED"
    seconds = min(max(-(-seconds // MINUTE) * MINUTE, MINUTE), LONGEST_SECONDS)
    days, rest = divmod(seconds, DAY)
    return f"{days}-{rest // HOUR:02}:{rest // MINUTE % 60:02}:00"
