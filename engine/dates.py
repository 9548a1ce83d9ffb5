"""Times of a trace as dates in its own time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine.trace import Trace


def zone_of(trace: Trace) -> ZoneInfo:
    """The time zone that the trace names; UTC where this computer does not know it."""
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
