"""Times of a trace as dates in its own time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine.errors import InputError
from engine.trace import Trace

FIRST_UNIX_TIME = 10**8
"""Numbers of seconds above this are Unix times (1973); smaller ones count from the log's begin."""


LONGEST_LOG = 500_000_000
"""Seconds, 16 years, that no log lasts: a submission later than this is a Unix time."""


def zone_of(trace: Trace) -> ZoneInfo:
    """The time zone of the trace; UTC if this computer does not know it."""
    try:
        return ZoneInfo(trace.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def date_of(trace: Trace, seconds: float) -> datetime | None:
    """The moment that is `seconds` after the trace's zero, in its time zone; None beyond the calendar."""
    try:
        moment = datetime.fromtimestamp(0, UTC) + timedelta(seconds=trace.zero + int(seconds))
        return moment.astimezone(zone_of(trace))
    except (ValueError, OverflowError, OSError):
        return None


def parse_time(text: str, trace: Trace) -> int:
    """Seconds from the trace's zero of an ISO date (in the trace's time zone) or of plain seconds.

    Raises InputError.
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"cannot read the time {text!r}; give seconds or an ISO date like 2013-02-28"
        ) from None
    # A date without a time zone is read on the log's own clock.
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone_of(trace))
    return int(moment.timestamp()) - trace.zero
