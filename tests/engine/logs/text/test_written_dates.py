"""Dates of many forms, alone and in columns, and the order of day and month in them."""

from datetime import UTC, datetime
from time import process_time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.logs.text.clock_times import UNREADABLE, clock_time, clock_times, look_at_orders
from engine.logs.text.written_dates import DateOrders, split_moment

FORMS = {
    "%Y-%m-%d %H:%M:%S": "",
    "%Y/%m/%d %H:%M:%S": "",
    "%d.%m.%Y %H:%M:%S": "",
    "%d/%m/%Y %H:%M:%S": "dmy",
    "%m/%d/%Y %I:%M:%S %p": "mdy",
    "%d-%m-%y %H:%M:%S": "dmy",
    "%y/%m/%d %H:%M:%S": "ymd",
    "%d %b %Y %H:%M:%S": "",
    "%B %d, %Y %I:%M:%S %p": "",
    "%a %b %d %H:%M:%S %Y": "",
    "%a, %d %b %Y %H:%M:%S": "",
    "%d-%b-%Y %H:%M:%S": "",
    "%Y%m%dT%H%M%S": "",
    "%H:%M:%S %d/%m/%Y": "dmy",
}
ZONES = {"": 0, "Z": 0, " UTC": 0, "+01:00": 3600, " +0530": 19_800, "-07": -25_200, " CET": 3600, " CST": 0}
"""What may stand behind a time of day, and how far it is ahead of UTC; CST names several zones."""

MOMENTS = st.datetimes(datetime(1970, 1, 2), datetime(2069, 12, 31))  # as far as two digits of a year reach


def column(texts: list[str]) -> pa.Array:
    return pa.array([text.encode() for text in texts], pa.binary())


@given(MOMENTS, st.sampled_from(list(FORMS)), st.booleans())
def test_what_strftime_writes_is_read(moment, form, many):
    """The twin is the calendar of Python; a hundred texts are read in parts, one alone."""
    text = moment.strftime(form)
    expected = int(moment.replace(microsecond=0, tzinfo=UTC).timestamp())
    texts = [text, *(f"no date {k}" for k in range(100 if many else 0))]
    times, wall = clock_times(column(texts), FORMS[form])
    assert (times.tolist()[0], wall.tolist()[0]) == (expected, True)
    assert set(times.tolist()[1:]) <= {UNREADABLE}
    assert clock_time(text, FORMS[form]) == (expected, True)
    if FORMS[form]:
        assert clock_time(text) == (UNREADABLE, False)


@given(MOMENTS, st.sampled_from(sorted(ZONES)), st.booleans())
def test_zones_behind_times(moment, zone, many):
    text = moment.strftime("%Y-%m-%d %H:%M:%S") + zone
    expected = int(moment.replace(microsecond=0, tzinfo=UTC).timestamp()) - ZONES[zone]
    wall = zone in ("", " CST")
    found = (expected, wall) if expected >= 0 else (UNREADABLE, False)
    assert clock_time(text) == found
    times, walls = clock_times(column([text, *(f"x{k}" for k in range(100 if many else 0))]))
    assert (times.tolist()[0], walls.tolist()[0]) == found


@given(st.text(max_size=30))
def test_any_text_alone_is_what_it_is_among_many(text):
    alone = clock_time(text, "mdy")
    times, wall = clock_times(column([text, *(f"2024-01-01 10:00:{k} PM" for k in range(100))]), "mdy")
    assert (times.tolist()[0], wall.tolist()[0]) == alone


@pytest.mark.parametrize(
    ("texts", "order", "is_open"),
    [
        (["01/02/2024"], "dmy", True),
        (["01/02/2024", "02/02/2024"], "dmy", True),
        (["02/02/2024", "03/03/2024 10:00"], "dmy", False),
        (["13/02/2024", "01/02/2024"], "dmy", False),
        (["13/02/24", "28/02/24"], "dmy", True),
        (["13/02/24", "28/02/24", "01/03/24"], "dmy", False),
        (["24/02/13", "24/02/28", "24/03/01"], "ymd", False),
        (["02/13/2024", "01/02/2024"], "mdy", False),
        (["02/13/2024", "13/02/2024"], "", False),
        (["99/12/31", "99/01/02"], "ymd", False),
        (["24/12/31", "24/01/02"], "dmy", True),
        (["12/13/24"], "mdy", False),
        (["99/99/2024", "2024-01-01", "01.02.2024", "Jan 1, 2024", ""], "dmy", False),
        (["10:00 13/02/2024", "Tue 13/02/2024"], "dmy", False),
    ],
)
def test_the_order_of_day_and_month(texts, order, is_open):
    orders = DateOrders()
    look_at_orders(column(texts), orders)
    assert (orders.found, orders.open) == (order, is_open)


@given(
    st.lists(st.dates(datetime(2000, 1, 1).date(), datetime(2049, 12, 31).date()), min_size=1), st.booleans()
)
def test_an_order_that_is_found_reads_every_date(days, month_first):
    form, order = ("%m/%d/%Y", "mdy") if month_first else ("%d/%m/%Y", "dmy")
    texts = [day.strftime(form) for day in days]
    orders = DateOrders()
    look_at_orders(column(texts), orders)
    assert order in orders.orders
    if not orders.open:
        expected = [int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) for day in days]
        assert clock_times(column(texts), orders.found)[0].tolist() == expected


def test_a_long_text_takes_no_longer_than_its_length() -> None:
    before = process_time()
    assert split_moment(f"2024-03-01T08:00:00{'x' * 200_000}:z") is None
    assert process_time() - before < 1  # its square would be minutes
