"""Times as people type them: `21 Mar 14:00`, `2013-02`, `3 weeks in`, `1 Feb to 14 Feb`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.dates import date_of, zone_of
from engine.trace import Trace
from views.text.ticks import Calendar, TimeAxis, axis_of

Bounds = tuple[float, float]

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
_LONGEST = 80
"""Characters that are read: no time needs more."""

_CLOCK = r"(?:[ ,T] ?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?)?"
_FORMS = tuple(
    re.compile(rf"(?:(?P<weekday>(?:{'|'.join(_DAYS)})[a-z]{{0,6}}),? )?{date}{_CLOCK}", re.IGNORECASE)
    for date in (
        r"(?P<year>\d{4})(?:-(?P<month>\d\d?)(?:-(?P<day>\d\d?))?)?",
        r"(?P<day>\d{1,2})\.? (?P<name>[a-z]{3,9})\.?(?: (?P<year>\d{4}))?",
        r"(?P<name>[a-z]{3,9})\.? (?P<day>\d{1,2})(?:,? (?P<year>\d{4}))?",
        r"(?P<name>[a-z]{3,9})\.?(?: (?P<year>\d{4}))?",
    )
)
_SINCE = re.compile(
    r"(?P<count>\d{1,9}(?:\.\d{1,3})?) ?"
    r"(?P<unit>s|m|h|d|w|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?)(?: in)?",
    re.IGNORECASE,
)
_HOURS = re.compile(r"(?P<hour>\d{1,9}):(?P<minute>\d\d)(?::(?P<second>\d\d))? ?h", re.IGNORECASE)
_DAYS_IN = re.compile(
    r"(?P<day>\d{1,9}) ?d (?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?", re.IGNORECASE
)
_ELAPSED = ("day", "hour", "minute", "second")
_BETWEEN = re.compile(r"\s+(?:to|until|-|–)\s+|\s*(?:\.\.|…)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class TypedTime:
    """A time that was typed: [start, end) in seconds from the trace's zero, or the instant `start`."""

    start: float
    end: float

    @property
    def is_instant(self) -> bool:
        """True if a time of day was given, and no range."""
        return self.start == self.end

    def format(self, axis: TimeAxis) -> str:
        """The time in words, both ends of a range as on the axis."""
        if self.is_instant:
            return axis.format(self.start)
        return f"{axis.format(self.start)} – {axis.format(self.end)}"


def typed_times(text: str, trace: Trace, bounds: Bounds) -> list[TypedTime]:
    """The possible meanings of a typed time that overlap `bounds`, in order.

    `bounds` go from the first submission to the last end, in seconds from the trace's zero. A month or a day
    means its whole duration, in each year if no year is given; a time of day is an instant. `A to B` goes
    from the start of A to the end of B. Dates are in the time zone of the trace, and mean nothing where it
    has none; `3 weeks in` counts from the first submission, as do the hours of a trace without dates.
    """
    # Blanks are joined, and a text that was pasted is cut: it may be pages long.
    parts = _BETWEEN.split(" ".join(text.split())[:_LONGEST])
    if len(parts) > 2:
        return []
    ends = [_all_of(part, trace, bounds) for part in parts]
    times = ends[0] if len(ends) == 1 else _ranges(*ends)
    there = (time for time in times if time.start <= bounds[1] and time.end >= bounds[0])
    return sorted(there, key=lambda time: (time.start, time.end))


def _ranges(begins: list[TypedTime], ends: list[TypedTime]) -> list[TypedTime]:
    """From each beginning to the next end: `1 Feb to 14 Feb` is never more than a year."""
    ranges = []
    for begin in begins:
        later = [end.end for end in ends if end.end > begin.start]
        if later:
            ranges.append(TypedTime(begin.start, min(later)))
    return ranges


def _all_of(text: str, trace: Trace, bounds: Bounds) -> list[TypedTime]:
    text, first = text.strip(), bounds[0]
    # Times counted from the first submission need no date, and have a meaning in every log.
    if match := _SINCE.fullmatch(text):
        since = first + float(match["count"]) * _UNITS[match["unit"][0].lower()]
        return [TypedTime(since, since)]
    if match := _HOURS.fullmatch(text) or _DAYS_IN.fullmatch(text):
        parts = match.groupdict()
        days, hours, minutes, seconds = (int(parts.get(part) or 0) for part in _ELAPSED)
        since = first + days * 86_400 + hours * 3600 + minutes * 60 + seconds
        return [TypedTime(since, since)]
    # What remains is a date, which has no meaning in a log without dates.
    if not isinstance(axis_of(trace), Calendar):
        return []
    for form in _FORMS:
        if match := form.fullmatch(text):
            return _dates(match, trace, bounds)
    return []


def _dates(match: re.Match[str], trace: Trace, bounds: Bounds) -> list[TypedTime]:
    """The stretches of time that a date means, in each year of the trace where it names none."""
    parts = match.groupdict()
    month = int(parts.get("month") or 0)
    # A month by its name, of which the first three letters are looked at.
    if name := parts.get("name"):
        month = next((k for k, known in enumerate(_MONTHS, 1) if _names(name, known)), 0)
        if not month:
            return []
    years = [int(parts["year"])] if parts["year"] else _years(trace, bounds)
    dates = []
    for year in years:
        # Only some years have a 29 February, and a date of a given weekday: the others are skipped.
        try:
            begin = datetime(year, month or 1, int(parts.get("day") or 1))
            end = _following(begin, bool(month), bool(parts.get("day")))
            # A time of day makes an instant of the date.
            if parts["hour"]:
                hour, minute, second = (int(parts[part] or 0) for part in ("hour", "minute", "second"))
                begin = end = begin.replace(hour=hour, minute=minute, second=second)
        except (ValueError, OverflowError):  # no such day
            continue
        weekday = parts["weekday"]
        if weekday and not _names(weekday, _DAYS[begin.weekday()]):
            continue
        # The wall's time is converted at each end by itself: a day may have 23 or 25 hours.
        zone = zone_of(trace)
        ends = (float(wall.replace(tzinfo=zone).timestamp() - trace.zero) for wall in (begin, end))
        dates.append(TypedTime(*ends))
    return dates


def _names(word: str, short: str) -> bool:
    return word.lower().startswith(short)


def _years(trace: Trace, bounds: Bounds) -> list[int]:
    """The years that the bounds touch."""
    first, last = (date_of(trace, time) for time in bounds)
    return [] if first is None or last is None else list(range(first.year, last.year + 1))


def _following(begin: datetime, has_month: bool, has_day: bool) -> datetime:
    """The end of the day, month or year that begins at a time."""
    if has_day:
        return begin + timedelta(days=1)
    if has_month:
        # 32 days after the first of a month lie in the next month, whatever its length.
        return (begin + timedelta(days=32)).replace(day=1)
    return begin.replace(year=begin.year + 1)
