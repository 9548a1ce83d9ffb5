import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.spelling import format_duration, parse_duration

durations = st.integers(1, 10**9)


@given(durations)
def test_durations_round_trip_in_the_largest_unit_that_is_whole(seconds: int) -> None:
    text = format_duration(seconds)
    assert parse_duration(text) == seconds
    unit = next((unit for unit, size in (("d", 86_400), ("h", 3600), ("m", 60)) if seconds % size == 0), "")
    assert text.lstrip("0123456789") == unit


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200), ("3d", 259_200), ("0", 0)]
)
def test_durations(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "3w", "1.5h", "-2h", "2 h", "h", "1h30m", "9" * 13])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(InputError, match="cannot read the duration"):
        parse_duration(text)
