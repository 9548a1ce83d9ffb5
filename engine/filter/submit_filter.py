"""The filter of a stretch of submissions, spelled with dates where the trace has them."""

from __future__ import annotations

from datetime import datetime

from engine.dates import FIRST_UNIX_TIME, date_of, zone_of
from engine.filter.expression import Compare, Expression, join
from engine.trace import Trace


def submitted_in(trace: Trace, first: int, last: int) -> Expression:
    """The condition of jobs submitted in [first, last), in seconds from the trace's zero."""
    bounds = (">=", first), ("<", last)
    return join("and", *(Compare("submit", operator, (_moment(trace, end),)) for operator, end in bounds))


def _moment(trace: Trace, seconds: int) -> int | datetime:
    """A time as a date in the local time of the machine; in seconds if the time zone is unknown."""
    date = date_of(trace, seconds) if trace.zero + int(trace.submit[0]) > FIRST_UNIX_TIME else None
    if date is None:
        return max(seconds, 0)
    wall = date.replace(tzinfo=None, fold=0)
    again = wall.replace(tzinfo=zone_of(trace)).timestamp() - trace.zero
    return wall if again == seconds else max(seconds, 0)
