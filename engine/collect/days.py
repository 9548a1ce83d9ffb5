"""The days of a log: portions that are collected one by one, and only once when they are over."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import NamedTuple

from engine.errors import InputError

MOST_DAYS = 3660


class Day(NamedTuple):
    """A portion of a log: from `begin` to `end`, which is not part of it; `whole` if it was over by now."""

    begin: datetime
    end: datetime
    whole: bool

    @property
    def name(self) -> str:
        """A name for its file, by which files are in order of time."""
        return f"{self.begin:%Y-%m-%d}" + ("" if self.whole else f"-until-{self.end:%H%M%S}")

    @property
    def stem(self) -> str:
        """How the names of earlier files of the same day begin, which were collected before it was over."""
        return f"{self.begin:%Y-%m-%d}-until-"


def days_between(begin: datetime, end: datetime, now: datetime) -> Iterator[Day]:
    """The days of a time, of which the last ends `now` at the latest. Raises InputError."""
    end = min(end, now)
    if begin >= end:
        raise InputError(f"there is no time between {begin:%Y-%m-%d %H:%M} and {end:%Y-%m-%d %H:%M}")
    if (end - begin).days > MOST_DAYS:
        raise InputError(f"{(end - begin).days:,} days are more than {MOST_DAYS:,}, the most at once")
    day = datetime.combine(begin.date(), time())
    while day < end:
        after = day + timedelta(days=1)
        yield Day(day, min(after, now), after <= now)
        day = after
