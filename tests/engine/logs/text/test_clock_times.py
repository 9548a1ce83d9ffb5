from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.limits import MAX_DURATION, MAX_TIME
from engine.logs.text.clock_times import UNREADABLE, unix_time, unix_times
from engine.logs.text.lengths import seconds_of
from engine.trace.trace import MISSING


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2015-06-26T13:57:00", 1_435_327_020),
        ("2016-02-29T23:59:59", 1_456_790_399),
        ("2015-02-29T00:00:00", UNREADABLE),
        ("2015-13-01T00:00:00", UNREADABLE),
        ("2015-12-01T24:00:00", UNREADABLE),
        ("2015-12-01 at noon", UNREADABLE),
        ("0001-01-01T00:00:00", UNREADABLE),
        ("2015-06-26 13:57:00", 1_435_327_020),
        ("2015-06-26T13:57:00+02:00", 1_435_319_820),
        ("1435327020", 1_435_327_020),
        (str(MAX_TIME), MAX_TIME),
        (str(MAX_TIME + 1), UNREADABLE),
        ("9" * 5000, UNREADABLE),
        ("٣", UNREADABLE),
        ("tomorrow", UNREADABLE),
        ("Unknown", MISSING),
        ("None", MISSING),
        ("", MISSING),
        ("0", MISSING),
    ],
)
def test_times(text, time):
    column = pa.array([b"2015-06-26T13:57:00", text.encode(), b"Unknown"], pa.binary())
    assert unix_times(column).tolist() == [1_435_327_020, time, MISSING]
    assert unix_times(column[1:2]).tolist() == [time]


def test_no_times():
    assert unix_times(pa.array([], pa.binary())).tolist() == []
    assert unix_times(pa.array([b"", b""], pa.binary())).tolist() == [MISSING] * 2


@given(st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 31)))
def test_every_date_is_the_calendars(moment):
    text = moment.isoformat(timespec="seconds")
    expected = int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
    assert unix_times(pa.array([text.encode()], pa.binary())).tolist() == [expected]
    assert unix_time(text) == expected


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3-00:00:00", 259_200),
        ("14:20:00", 51_600),
        ("22:32:22", 81_142),
        ("00:17", 17),
        ("30", 1800),
        ("2-03", 183_600),
        ("2-03:30", 185_400),
        ("01:02.5", 63),
        ("UNLIMITED", None),
        ("Partition_Limit", None),
        ("", None),
        ("-1", None),
        ("1:2:3:4", 93_784),
        (f"{MAX_DURATION // 86_400 + 1}-0", None),
    ],
)
def test_lengths(text, seconds):
    assert seconds_of(text) == seconds


def test_a_number_alone_counts_what_the_field_counts():
    assert seconds_of("90", alone=1) == 90
    assert seconds_of("90") == 5400
