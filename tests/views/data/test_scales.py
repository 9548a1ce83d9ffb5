"""Coordinates and ticks of axes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from views.data.scales import LinearScale, LogScale


def scale_of(*values: float, durations: bool = True) -> LogScale:
    return LogScale.of(np.array(values, float), durations)


def test_zero_has_a_line_of_its_own_below_all_positive_values() -> None:
    scale = scale_of(0, 5, 7200)
    coordinates = scale.coordinates_of(np.array([0.0, 5.0, 7200.0]))
    assert scale.has_zero
    assert coordinates[0] < scale.gap < coordinates[1] < coordinates[2]
    assert scale.ticks(0.01)[0] == (coordinates[0], "0")


def test_no_line_for_zero_where_no_value_is_zero() -> None:
    scale = scale_of(5, 7200)
    assert not scale.has_zero
    assert "0" not in [text for _, text in scale.ticks(0.01)]
    low, _ = scale.full_range
    assert low < np.log10(5)


def test_only_zeros() -> None:
    scale = scale_of(0, 0)
    low, high = scale.full_range
    assert low < scale.coordinates_of(np.array([0.0]))[0] < high
    assert scale.ticks(0.1)[0][1] == "0"


def test_values_that_are_missing_are_left_out() -> None:
    assert scale_of(np.nan, 10, 100) == scale_of(10, 100)
    assert np.isnan(scale_of(10, 100).coordinates_of(np.array([np.nan]))[0])


def test_duration_ticks_are_minutes_hours_and_days() -> None:
    texts = [text for _, text in scale_of(1, 400_000).ticks(0.5)]
    assert texts == ["1 s", "10 s", "1 min", "10 min", "1 h", "5 h", "1 d", "5 d"]
    texts = [text for _, text in scale_of(3600, 1e9).ticks(0.5)]
    assert texts == ["1 h", "5 h", "1 d", "10 d", "100 d", "1\u202f000 d", "10\u202f000 d"]


def test_a_narrow_range_still_has_ticks() -> None:
    texts = [text for _, text in scale_of(12 * 60, 17 * 60).ticks(0.02)]
    assert len(texts) >= 3
    assert all(text.endswith(" min") for text in texts)
    texts = [text for _, text in scale_of(4.2, 4.9, durations=False).ticks(0.02)]
    assert len(texts) >= 2


def test_durations_of_a_narrow_range_are_reported_as_people_do() -> None:
    scale = LogScale.of(np.array([20 * 3600.0, 40 * 3600.0]), durations=True)
    texts = [text for _, text in scale.ticks(0.02)]
    assert "1 d 11 h" in texts
    assert not any("." in text for text in texts)


def test_percentages_lie_between_0_and_100() -> None:
    scale = LinearScale()
    assert [text for _, text in scale.ticks(19)] == ["0", "20", "40", "60", "80", "100"]
    assert [text for _, text in scale.ticks(60)] == ["0", "100"]
    low, high = scale.full_range
    assert low < 0 < 100 < high


@given(
    st.lists(st.floats(0, 1e12).map(lambda v: 0.0 if v < 1e-4 else v), min_size=1, max_size=20),
    st.booleans(),
    st.floats(0.02, 2.0),
)
def test_heights_keep_the_order_and_ticks_their_distance(
    values: list[float], durations: bool, apart: float
) -> None:
    scale = LogScale.of(np.array(values), durations)
    ordered = scale.coordinates_of(np.sort(values))
    low, high = scale.full_range
    assert (np.diff(ordered) >= 0).all()
    assert low <= ordered[0]
    assert ordered[-1] <= high
    ticks = scale.ticks(apart)
    coordinates = [coordinate for coordinate, _ in ticks]
    assert all(low <= coordinate <= high for coordinate in coordinates)
    assert all(after - before >= apart * 0.999 for before, after in pairwise(coordinates))
    assert len({text for _, text in ticks}) == len(ticks)


@pytest.mark.parametrize("value", [1.0, 1e-3, 1e9])
def test_one_value_is_inside(value: float) -> None:
    scale = scale_of(value)
    low, high = scale.full_range
    assert low < scale.coordinates_of(np.array([value]))[0] < high


@pytest.mark.parametrize("value", [0.0, 1.0, -3.0, 100.0, 1e12])
def test_a_range_without_an_extent_has_room_around_it(value: float) -> None:
    low, high = LinearScale(value, value).full_range
    assert low < value < high


def test_processor_time_is_reported_in_hours_at_round_numbers() -> None:
    hour = 3600.0
    scale = LinearScale.of(np.array([0.0, 1.4e6 * hour]), hours=True)
    assert [text for _, text in scale.ticks(4e5 * hour)] == ["0", "500 k", "1 M"]
    assert [text for _, text in LinearScale(0.0, 3 * hour, hours=True).ticks(0.9 * hour)] == [
        "0",
        "1",
        "2",
        "3",
    ]
    decades = LogScale.of(np.array([0.0, 36.0, 5e9]), durations=False, hours=True)
    texts = [text.replace("\u202f", "") for _, text in decades.ticks(0.9)]
    assert texts == ["0", "0.01", "0.1", "1", "10", "100", "1000", "10000", "100 k", "1 M"]
    assert decades.ticks(0.9)[3][0] == pytest.approx(np.log10(hour))
    close = LogScale.of(np.array([4.2 * hour, 4.9 * hour]), durations=False, hours=True)
    assert "4.5" in [text for _, text in close.ticks(0.01)]
