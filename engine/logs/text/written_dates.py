"""Dates in written forms, and the order of day and month in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

ORDERS = ("dmy", "mdy", "ymd")
"""The orders of day, month and year that dates like 1/2/2024 or 1/2/24 may have."""

SPLIT = (
    r"^(?P<before>[^:]*?)(?P<clock>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?"
    r"(?:\s*[AaPp]\.?[Mm]\b\.?)?)(?P<after>[^:]*(?::[0-9]{2}[^:]*)?)$"
)
"""A moment: its date, the time of day, and what follows, as a zone or a year. Also RE2 reads this."""

_EPOCH = date(1970, 1, 1).toordinal()
_SPLIT = re.compile(SPLIT, re.ASCII | re.DOTALL)
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d*)?)?\s*(?:([ap])\.?m\.?)?", re.ASCII | re.I)
_ZONE = re.compile(r"\s*\(?(z|[a-z]{2,5})?\s*(?:([+-])(\d\d?)(?::?(\d\d))?)?\)?(?:\[[^\]]*\])?", re.ASCII)
_WEEKDAY = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+", re.ASCII)
_NUMBERS = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})", re.ASCII)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)", re.ASCII)
_DAY_FIRST = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th)?[-\s/]*\.?\s*([a-z]{3,9})\.?[-\s,/]*(\d{4}|\d\d)", re.ASCII
)
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.?[-\s]*(\d{1,2})(?:st|nd|rd|th)?(?:,\s*|\s+|-)(\d{4})", re.ASCII)
_YEAR_FIRST = re.compile(r"(\d{4})[-\s/]([a-z]{3,9})\.?[-\s/](\d{1,2})", re.ASCII)
_FILLERS = re.compile(r"^[\s,]+|(?:[\s,]|\bat\b|(?<=\d)t)+$", re.ASCII)

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_MONTH = {name[:k]: number for number, name in enumerate(_MONTHS, 1) for k in range(3, len(name) + 1)}
_MONTH["sept"] = 9
_HOURS = {
    **{"z": 0, "utc": 0, "gmt": 0, "wet": 0, "west": 1, "cet": 1, "cest": 2, "mez": 1, "mesz": 2},
    **{"eet": 2, "eest": 3, "msk": 3, "jst": 9, "kst": 9, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13},
    **{"est": -5, "edt": -4, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7},
}
"""Hours ahead of UTC of zones by short names that mean one zone."""

_SEVERAL = frozenset(("cst", "cdt", "bst", "ist", "ast"))
"""Short names of several zones, as CST of Chicago and Shanghai: they name no distance to UTC."""

_OWN, _OPEN = "", "?"

_SCATTERED = 3  # times as many years as by another order


@dataclass
class DateOrders:
    """The orders in which all dates so far can be read.

    `example` is a date that several orders read differently, `against` a date that each rejected order cannot
    read, `years` the years of the dates under each order.
    """

    orders: frozenset[str] = frozenset(ORDERS)
    example: str = ""
    against: dict[str, str] = field(default_factory=dict)
    years: dict[str, set[int]] = field(default_factory=dict)

    def add(self, dates: Iterable[str]) -> None:
        """Add dates, which may have a time of day before or after them."""
        for text in dates:
            match = _NUMBERS.search(text)
            days = {} if match is None else _days_by_order(match)
            if match is None or not days:
                continue
            for order in self.orders - days.keys():
                self.against.setdefault(order, match[0])
            self.orders &= days.keys()
            for order in self.orders:
                year = date.fromordinal(days[order] + _EPOCH).year
                self.years.setdefault(order, set()).add(year)
            if len(set(days.values())) > 1:
                self.example = self.example or match[0]

    @property
    def left(self) -> frozenset[str]:
        """The orders that read all dates, without orders that scatter them over the years.

        In 13/02/24 and 28/02/24 the year is 24: no log has jobs in February of 2013 and of 2028 only.
        """
        fewest = min((len(self.years[order]) for order in self.orders if order in self.years), default=0)
        return frozenset(o for o in self.orders if len(self.years.get(o, ())) < max(1, fewest) * _SCATTERED)

    @property
    def open(self) -> bool:
        """True if several orders remain, and differ."""
        return len(self.left) > 1 and bool(self.example)

    @property
    def found(self) -> str:
        """The order that reads all dates, or any of equivalent orders; empty if none does."""
        return next((order for order in ORDERS if order in self.left), "")

    @property
    def trouble(self) -> str:
        """The error message if no order, or more than one, reads all dates; otherwise empty."""
        if self.open:
            left = " or ".join(f"dates = '{order}'" for order in ORDERS if order in self.left)
            return (
                f"like {self.example!r} do not show the order of day and month; "
                f"say it with a line {left} in --columns FILE.toml"
            )
        if self.found:
            return ""
        examples = " and ".join(sorted(set(self.against.values())))
        return (
            f"have day and month in different orders, as {examples}; say which one counts "
            "with a line dates = 'dmy' or dates = 'mdy' in --columns FILE.toml"
        )


def split_moment(text: str) -> tuple[str, str, str] | None:
    """Date, time of day, and what follows; None where there is no time of day."""
    match = _SPLIT.match(text)
    return None if match is None else (match["before"], match["clock"], match["after"])


def clock_of(text: str) -> int | None:
    """Seconds of a time of day, as `10:00`, `10:00:30.5` or `10:00 PM`; None where there is no such time."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if match[4] is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match[4].lower() == "p" else 0)
    return 3600 * hour + 60 * minute + second if hour < 24 and minute < 60 and second <= 60 else None


def day_and_zone(before: str, after: str, order: str = "") -> tuple[int, int | None] | None:
    """Days since 1970 of a date, and the offset of its zone from UTC in s, None if it has none.

    `before` and `after` are the texts around the time of day. `order` is that of day and month; without it,
    ambiguous dates cannot be read. None if the date cannot be read.
    """
    before, after = _FILLERS.sub("", before.lower()), after.lower()
    zone, offset = _ZONE.match(after), None
    if zone is not None and (zone[1] or zone[2]):
        if zone[1] and zone[1] not in _HOURS and zone[1] not in _SEVERAL:
            return None
        minutes = 60 * int(zone[3] or 0) + int(zone[4] or 0)
        if minutes > 24 * 60 or int(zone[4] or 0) > 59:
            return None
        if zone[2] or zone[1] in _HOURS:
            offset = 3600 * _HOURS.get(zone[1] or "z", 0) + 60 * (-minutes if zone[2] == "-" else minutes)
        after = after[zone.end() :]
    day = day_of(" ".join(part for part in (before, after.strip(" ,")) if part), order)
    return None if day is None else (day, offset)


def day_of(text: str, order: str = "") -> int | None:
    """Days since 1970 of a date without a time of day, in small letters; None where it cannot be read."""
    text = _WEEKDAY.sub("", text.strip(), count=1)
    if match := _NUMBERS.fullmatch(text):
        own = _own_order(match)
        return None if own == _OPEN and not order else _day(match, order if own == _OPEN else own)
    if match := _COMPACT.fullmatch(text):
        return _ordinal(int(match[1]), int(match[2]), int(match[3]))
    if match := _DAY_FIRST.fullmatch(text):
        return _ordinal(_year(match[3]), _MONTH.get(match[2], 0), int(match[1]))
    if match := _MONTH_FIRST.fullmatch(text):
        return _ordinal(_year(match[3]), _MONTH.get(match[1], 0), int(match[2]))
    if match := _YEAR_FIRST.fullmatch(text):
        return _ordinal(int(match[1]), _MONTH.get(match[2], 0), int(match[3]))
    return None


def _own_order(match: re.Match[str]) -> str:
    """The order that a date of three numbers has by its form; _OPEN where it may have several."""
    first, mark, _, last = match.groups()
    if len(first) == 4:
        return "ymd"
    if len(first) > 2 or len(last) not in (1, 2, 4):
        return _OWN
    return "dmy" if mark == "." else _OPEN  # nobody writes months before days with dots


def _days_by_order(match: re.Match[str]) -> dict[str, int]:
    """The days of a date under each order in which it can be read; empty if its form determines the order."""
    if _own_order(match) != _OPEN:
        return {}
    days = {order: _day(match, order) for order in ORDERS}
    return {order: day for order, day in days.items() if day is not None}


def _day(match: re.Match[str], order: str) -> int | None:
    """Days since 1970 of a date of three numbers in this order."""
    if order not in ORDERS:
        return None
    texts = dict(zip(order, (match[1], match[3], match[4]), strict=True))
    if len(texts["y"]) not in (2, 4) or max(len(texts["m"]), len(texts["d"])) > 2:
        return None
    return _ordinal(_year(texts["y"]), int(texts["m"]), int(texts["d"]))


def _year(text: str) -> int:
    """A year; two digits mean 1970 to 2069."""
    year = int(text)
    return year if len(text) > 2 else year + (1900 if year >= 70 else 2000)


def _ordinal(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        return None
