"""Numbers and times as Slurm's configuration writes them, read and written."""

from __future__ import annotations

import re

from engine.errors import InputError
from engine.spelling import DAY, HOUR, MINUTE
from engine.words import clip

UNLIMITED_SECONDS = 4_294_967_236
"""s for which slurmctld 22.05 takes PriorityMaxAge=UNLIMITED: -1 minutes in an unsigned number of 32 bits."""

LONGEST_SECONDS = 24_855 * DAY
"""The longest time in whole days that slurmctld takes: it counts seconds in a signed number of 32 bits."""

_COUNT = re.compile(r"(\d{1,15})([kmgt]?)", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_TIME = re.compile(r"(?:(\d{1,6})-)?(\d{1,10})(?::(\d{1,10}))?(?::(\d{1,10}))?", re.ASCII)


def read_count(name: str, text: str) -> int:
    """A whole number, which may end in k, m, g or t, powers of 1024. Raises InputError."""
    match = _COUNT.fullmatch(text)
    if match is None:
        raise InputError(f"{name}={clip(text)} is not a whole number")
    return int(match[1]) * _UNITS[match[2].lower()]


def read_time(name: str, text: str) -> int:
    """Seconds of `90` (minutes), `1:30:00`, `7-0` or UNLIMITED, rounded up to minutes. Raises InputError."""
    if text.upper() in ("UNLIMITED", "INFINITE", "-1"):
        return UNLIMITED_SECONDS
    match = _TIME.fullmatch(text)
    if match is None:
        raise InputError(f"{name}={clip(text)} is not a duration")
    days, *parts = match.groups()
    numbers = [int(part) for part in parts if part is not None]
    scale = (HOUR, MINUTE, 1) if days is not None or len(numbers) == 3 else (MINUTE, 1)
    seconds = DAY * int(days or 0) + sum(a * b for a, b in zip(numbers, scale, strict=False))
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
