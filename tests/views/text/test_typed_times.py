"""Times as people type them."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from engine.trace import Trace
from tests.traces import make_trace
from views.text.ticks import axis_of
from views.text.typed_times import TypedTime, typed_times

PRAGUE = ZoneInfo("Europe/Prague")
ZERO = int(datetime(2012, 11, 1, tzinfo=PRAGUE).timestamp())
DAY = 86_400.0
BOUNDS = (100.0, 500 * DAY)  # to March 2014


@pytest.fixture
def trace() -> Trace:
    return replace(make_trace([100, 200], [50, 50], zero=ZERO), timezone="Europe/Prague")


def at(*wall: int) -> float:
    """Seconds from the zero to a time on a clock in Prague."""
    return datetime(*wall, tzinfo=PRAGUE).timestamp() - ZERO  # type: ignore[arg-type, misc]


def spans(text: str, trace: Trace) -> list[tuple[float, float]]:
    return [(time.start, time.end) for time in typed_times(text, trace, BOUNDS)]


@pytest.mark.parametrize(
    "text",
    [
        "2013-03-21 14:00", "2013-03-21T14:00", "21 Mar 14:00", "Mar 21 14:00", "21. march 2013, 14:00:00",
        "  21  mar   14:00 ", "Thu 21 Mar 2013 14:00:00", "Thursday, 21 March 14:00",
    ],
)  # fmt: skip
def test_a_time_of_day_is_an_instant(text: str, trace: Trace) -> None:
    assert spans(text, trace) == [(at(2013, 3, 21, 14),) * 2]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2013", (2013, 1, 1), (2014, 1, 1)),
        ("2013-02", (2013, 2, 1), (2013, 3, 1)),
        ("February", (2013, 2, 1), (2013, 3, 1)),
        ("feb 2013", (2013, 2, 1), (2013, 3, 1)),
        ("31 Mar", (2013, 3, 31), (2013, 4, 1)),  # of 23 hours
        ("2013-02-28 to 2013-03-02", (2013, 2, 28), (2013, 3, 3)),
        ("feb to mar", (2013, 2, 1), (2013, 4, 1)),
        ("21 Mar 14:00 – 22 Mar 9:30", (2013, 3, 21, 14), (2013, 3, 22, 9, 30)),
        ("20 Dec 2012..5 Jan", (2012, 12, 20), (2013, 1, 6)),
    ],
)
def test_a_date_is_all_of_it(text: str, first: tuple[int, ...], last: tuple[int, ...], trace: Trace) -> None:
    assert (at(*first), at(*last)) in spans(text, trace)


def test_a_date_without_a_year_is_meant_in_each(trace: Trace) -> None:
    assert spans("25 Dec 8:00", trace) == [(at(2012, 12, 25, 8),) * 2, (at(2013, 12, 25, 8),) * 2]
    assert spans("Tue 25 Dec 8:00", trace) == [(at(2012, 12, 25, 8),) * 2]  # the other is a Wednesday
    assert spans("20 Dec to 5 Jan", trace) == [
        (at(2012, 12, 20), at(2013, 1, 6)),
        (at(2013, 12, 20), at(2014, 1, 6)),
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3 weeks in", 21 * DAY), ("3w", 21 * DAY), ("1.5 days in", 1.5 * DAY), ("90 min", 5400), ("30s", 30)],
)
def test_time_since_the_first_submission(text: str, seconds: float, trace: Trace) -> None:
    assert spans(text, trace) == [(100 + seconds,) * 2]
    assert spans(f"{text} to 400 d", trace) == [(100 + seconds, 100 + 400 * DAY)]


@pytest.mark.parametrize(
    "text",
    [
        "", "alice", "12", "2013-02-30", "2013-13", "21 Foo", "2019-01-01", "30 Feb", "21 Mar 25:00",
        "999999999 w", "a to b", "feb to mar to apr", "0000", "9999-12-31", "9999", "Mon 21 Mar 2013",
        "mar .. feb 2012",
    ],
)  # fmt: skip
def test_what_is_no_time_of_the_trace_is_none(text: str, trace: Trace) -> None:
    assert spans(text, trace) == []


def test_a_trace_without_dates_has_hours() -> None:
    bare = make_trace([100, 200], [50, 50])
    assert spans("2013-02", bare) == []
    assert spans("36:15:00 h", bare) == [(100 + 36.25 * 3600,) * 2]
    assert spans("1 d 12:15:00", bare) == [(100 + 36.25 * 3600,) * 2]
    assert spans("2 d to 3 d", bare) == [(100 + 2 * DAY, 100 + 3 * DAY)]


def test_what_the_axis_spells_is_read_back(trace: Trace) -> None:
    time = TypedTime(at(2013, 10, 3, 4, 5, 6), at(2013, 10, 3, 4, 5, 6))
    assert typed_times(time.format(axis_of(trace)), trace, BOUNDS) == [time]
    stretch = TypedTime(at(2013, 10, 3), at(2013, 10, 4))
    assert typed_times(stretch.format(axis_of(trace)), trace, BOUNDS) == [stretch]
