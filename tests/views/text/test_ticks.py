from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces import make_trace
from views.raster.time_scale import TimeScale
from views.text.ticks import DAY, GAP, HOUR, AxisTicks, Calendar, Hours, TimeAxis, axis_of

WIDTH = 900.0


def width_of(text: str) -> float:
    return 6.0 * len(text)


def unix(*when: int, zone: str = "UTC") -> int:
    return int(datetime(*when, tzinfo=ZoneInfo(zone)).timestamp())  # type: ignore[misc, arg-type]


def axis(kind: TimeAxis, start: float, span: float, width: float = WIDTH) -> AxisTicks:
    return kind.axis(TimeScale(start, start + span, 0, width), width_of)


def labels(found: AxisTicks) -> list[str]:
    return [tick.label for tick in found.ticks if tick.label]


ZERO = unix(2013, 1, 31, 22, 0, 0)
CALENDAR = Calendar(ZERO, "UTC")


@pytest.mark.parametrize(
    ("span", "first", "larger"),
    [
        (5, ["22:00:00", "22:00:01", "22:00:02"], ["Thu 31 Jan 2013"]),
        (60, ["22:00:00", "22:00:05", "22:00:10"], ["Thu 31 Jan 2013"]),
        (HOUR, ["22:00", "22:05", "22:10"], ["Thu 31 Jan 2013"]),
        (12 * HOUR, ["22:00", "23:00", "00:00"], ["Thu 31 Jan 2013", "Fri 1 Feb 2013"]),
        (7 * DAY, ["00:00", "12:00"], ["Thu 31 Jan 2013", "Fri 1 Feb 2013"]),
        (12 * DAY, ["Fri 1", "Sat 2", "Sun 3"], ["January 2013", "February 2013"]),
        (30 * DAY, ["1", "3", "5"], ["January 2013", "February 2013"]),
        (90 * DAY, ["4 Feb", "11 Feb", "18 Feb"], ["2013"]),
        (180 * DAY, ["1 Feb", "15 Feb", "1 Mar"], ["2013"]),
        (400 * DAY, ["Feb", "Mar", "Apr"], ["2013", "2014"]),
        (4 * 365 * DAY, ["Apr", "Jul", "Oct", "Jan"], ["2013", "2014", "2015", "2016", "2017"]),
        (12 * 365 * DAY, ["Jul", "Jan"], ["2013", "2014"]),
        (20 * 365 * DAY, ["2014", "2015", "2016"], []),
        (60 * 365 * DAY, ["2015", "2020", "2025"], []),
        (900 * 365 * DAY, ["2050", "2100", "2150"], []),
    ],
)
def test_dates_at_every_zoom(span: float, first: list[str], larger: list[str]) -> None:
    found = axis(CALENDAR, 0, span)
    assert labels(found)[: len(first)] == first
    assert [stretch.text for stretch in found.stretches][: len(larger)] == larger
    assert bool(found.stretches) == bool(larger)


def test_ticks_stand_at_the_times_that_they_tell() -> None:
    found = axis(CALENDAR, 0, 12 * HOUR)
    assert [tick.time for tick in found.ticks if tick.label][:3] == [0, HOUR, 2 * HOUR]
    assert [tick.time for tick in found.ticks if tick.boundary] == [2 * HOUR]
    assert found.stretches[1].time == 2 * HOUR


def test_ticks_between_labels_divide_them() -> None:
    found = axis(CALENDAR, 0, 12 * HOUR)
    assert [tick.time for tick in found.ticks[:5]] == [0, 900, 1800, 2700, HOUR]


def test_times_are_reported_in_the_trace_s_own_zone() -> None:
    stockholm = Calendar(ZERO, "Europe/Stockholm")
    assert stockholm.format(0) == "Thu 31 Jan 2013 23:00:00"
    assert stockholm.name == "Europe/Stockholm"
    assert [tick.time for tick in axis(stockholm, 0, 12 * HOUR).ticks if tick.boundary] == [HOUR]


@pytest.mark.parametrize("name", ["", "Nowhere/City", "../etc/passwd", "Europe", "\0", "x" * 5000])
def test_an_unknown_zone_is_taken_as_utc(name: str) -> None:
    calendar = Calendar(ZERO, name)
    assert calendar.name == "UTC"
    assert calendar.format(1) == "Thu 31 Jan 2013 22:00:01"


def test_clocks_put_forward_skip_an_hour() -> None:
    start = unix(2013, 3, 31, 0, 0, 0, zone="Europe/Stockholm")
    found = axis(Calendar(start, "Europe/Stockholm"), 0, 6 * HOUR, 600)
    hours = [(tick.label, tick.time) for tick in found.ticks if tick.label.endswith(":00")]
    assert hours[:4] == [("00:00", 0), ("01:00", HOUR), ("03:00", 2 * HOUR), ("04:00", 3 * HOUR)]


def test_clocks_put_back_leave_two_hours_between_labels() -> None:
    start = unix(2013, 10, 27, 0, 0, 0, zone="Europe/Stockholm")
    found = axis(Calendar(start, "Europe/Stockholm"), 0, 6 * HOUR, 600)
    hours = [(tick.label, tick.time) for tick in found.ticks if tick.label.endswith(":00")]
    assert hours[:4] == [("00:00", 0), ("01:00", HOUR), ("02:00", 2 * HOUR), ("03:00", 4 * HOUR)]


@pytest.mark.parametrize(
    ("start", "span", "first"),
    [
        (100, 5, ["0:00:00", "0:00:01"]),
        (100, 600, ["0:00", "0:01", "0:02"]),
        (100, HOUR, ["0:00", "0:05", "0:10"]),
        (100, DAY, ["0", "1", "2"]),
        (100 - 120, 300, ["-0:02:00", "-0:01:30", "-0:01:00", "-0:00:30", "0:00:00"]),
        (100 - 2 * HOUR, 10 * HOUR, ["-2", "-1", "0", "1"]),
        (100, 4 * DAY, ["0", "1", "2"]),
        (100, 200 * DAY, ["0", "10", "20"]),
        (100, 3000 * DAY, ["0", "200", "400"]),
        (100, 20_000 * DAY, ["0", "2\u202f000", "4\u202f000"]),
    ],
)
def test_hours_since_the_first_submission(start: float, span: float, first: list[str]) -> None:
    found = axis(Hours(100), start, span)
    assert labels(found)[: len(first)] == first
    unit = "days" if span > 3 * DAY else "hours"
    assert [stretch.text for stretch in found.stretches] == [f"{unit} since the first submission"]


def test_hours_after_the_first_day_have_their_days_below() -> None:
    """As a time is written in full: 1 d 6:00:00, and not as hour 30."""
    found = axis(Hours(100), 100, 2 * DAY)
    assert labels(found) == [*2 * [f"{hour}:00" for hour in range(0, 24, 3)], "0:00"]
    assert [tick.time for tick in found.ticks if tick.boundary] == [100, 100 + DAY, 100 + 2 * DAY]
    assert [(stretch.time, stretch.text) for stretch in found.stretches] == [
        (100, "0 d since the first submission"),
        (100 + DAY, "1 d"),
        (100 + 2 * DAY, "2 d"),
    ]
    late = axis(Hours(0), 30 * DAY + 20 * HOUR, 8 * HOUR)
    assert labels(late)[:4] == ["20:00", "20:30", "21:00", "21:30"]
    assert [stretch.text for stretch in late.stretches] == ["30 d since the first submission", "31 d"]
    soon = axis(Hours(0), -2 * HOUR, 27 * HOUR)
    assert labels(soon)[:3] == ["-2:00", "0:00", "2:00"]
    assert [stretch.text for stretch in soon.stretches][:2] == [
        "before",
        "0 d since the first submission",
    ]


def test_hours_in_full() -> None:
    hours = Hours(100)
    assert hours.format(100 + 26 * HOUR + 61) == "1 d 2:01:01"
    assert hours.format(100 - 61) == "-0:01:01 h"


@pytest.mark.parametrize(
    ("zero", "submit", "hours", "kind"),
    [
        (ZERO, 0, False, Calendar),
        (ZERO, 0, True, Hours),
        (0, 0, False, Hours),
        (0, 5000, False, Hours),
        (0, ZERO, False, Calendar),  # submissions are Unix times themselves
        (10**15, 0, False, Hours),  # a year that no calendar has
    ],
)
def test_which_axis_a_trace_has(zero: int, submit: int, hours: bool, kind: type) -> None:
    assert type(axis_of(make_trace([submit], [10], zero=zero), hours)) is kind


@pytest.mark.parametrize(
    ("submits", "kind"),
    [
        ([3600, 2_147_480_000], Calendar),  # B124: 1970 to 2038
        ([0, 1_700_000_000], Calendar),
        ([0, 5 * 365 * DAY], Hours),  # five years from a zero of its own
    ],
)
def test_a_log_with_jobs_of_1970_has_dates(submits: list[int], kind: type) -> None:
    found = axis_of(make_trace(submits, [10, 10]))
    assert type(found) is kind
    labels = {tick.label for tick in axis(found, submits[0], submits[1] - submits[0]).ticks}
    assert ({"1980", "2000"} <= labels) == (kind is Calendar)


@given(
    st.sampled_from(["UTC", "Europe/Stockholm", "America/Sao_Paulo", "Asia/Kathmandu", "hours"]),
    st.integers(-10 * 365 * DAY, 30 * 365 * DAY),
    st.floats(1, 40 * 365 * DAY),
    st.floats(60, 3000),
    st.floats(4, 9),
)
def test_labels_never_touch_and_ticks_ascend(
    zone: str, start: int, span: float, width: float, letter: float
) -> None:
    kind: TimeAxis = Hours(1000) if zone == "hours" else Calendar(ZERO, zone)
    scale = TimeScale(start, start + span, 84, width)
    found = kind.axis(scale, lambda text: letter * len(text))
    right = -1e9
    for tick in found.ticks:
        assert start <= tick.time <= start + span
        if tick.label:
            half = letter * len(tick.label) / 2
            assert scale.x(tick.time) - half >= right + GAP * 0.999
            right = scale.x(tick.time) + half
    times = [tick.time for tick in found.ticks]
    assert times == sorted(set(times))
    assert len(times) <= width / 4 + 10
    assert all(
        first.time < second.time for first, second in zip(found.stretches, found.stretches[1:], strict=False)
    )


@given(st.integers(-(10**12), 10**12), st.floats(1, 1e11))
def test_no_window_breaks_the_calendar(start: int, span: float) -> None:
    axis(Calendar(ZERO, "Europe/Paris"), start, span)


def test_every_tick_tells_the_hour_that_the_calendar_gives() -> None:
    for tick in axis(CALENDAR, 12345, 9 * HOUR).ticks:
        if tick.label:
            found = datetime.fromtimestamp(ZERO + tick.time, UTC)
            assert tick.label == f"{found:%H:%M}"
