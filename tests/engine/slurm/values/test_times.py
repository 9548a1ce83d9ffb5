import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.slurm.values.times import (
    LONGEST_SECONDS,
    UNLIMITED_SECONDS,
    clock_seconds,
    format_time,
    is_unlimited,
    read_time,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 5400),
        ("90:30", 5430),
        ("1:00:00", 3600),
        ("0-00:01:30", 90),
        ("14-0", 14 * 86_400),
        ("1-12:30", 131_400),
        ("03:04.567", 185),
        ("00:00:01.000", 1),
        ("UNLIMITED", None),
        ("1-2-3", None),
        ("", None),
        ("1 day", None),
    ],
)
def test_clocks(text: str, seconds: int | None) -> None:
    assert clock_seconds(text) == seconds


def test_a_single_number_counts_units() -> None:
    assert (clock_seconds("7"), clock_seconds("7", alone=1)) == (420, 7)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("UNLIMITED", UNLIMITED_SECONDS),
        ("infinite", UNLIMITED_SECONDS),
        ("-1", UNLIMITED_SECONDS),
        ("90:30", 5460),
        ("0-00:01:30", 120),
        ("24855-0", 24_855 * 86_400),
    ],
)
def test_times_of_files_are_whole_minutes(text: str, seconds: int) -> None:
    assert read_time("MaxTime", text) == seconds
    assert is_unlimited(text) == (seconds == UNLIMITED_SECONDS)


@pytest.mark.parametrize(("text", "says"), [("soon", "is not a duration"), ("49700-0", "24,855 days")])
def test_what_slurmctld_refuses(text: str, says: str) -> None:
    with pytest.raises(InputError, match=f"PriorityMaxAge={text}.*{says}"):
        read_time("PriorityMaxAge", text)


@given(st.integers(60, LONGEST_SECONDS))
def test_what_is_written_is_read_back(seconds: int) -> None:
    assert read_time("x", format_time(seconds)) == min(-(-seconds // 60) * 60, LONGEST_SECONDS)
