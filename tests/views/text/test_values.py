"""Numbers as charts write them where there is little room."""

import pytest

from views.text.values import brief, compact, energy, memory, minutes


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (12.34, "12.34"),
        (-99_999, "−99\u202f999"),
        (100_000, "100 k"),
        (999_499, "999 k"),
        (999_960, "1 M"),
        (7_946_018.4, "7.95 M"),
        (-3.2e9, "−3.2 G"),
        (1e12, "1 T"),
    ],
)
def test_large_numbers_in_three_digits(value: float, text: str) -> None:
    assert compact(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (45, "45 s"),
        (724, "12.1 min"),
        (3600, "1 h"),
        (54_300, "15.1 h"),
        (1_000.5 * 86_400, "1\u202f000.5 d"),
        (-7_200, "−2 h"),
        (None, "–"),
    ],
)
def test_durations_of_narrow_columns_have_one_unit(seconds: float | None, text: str) -> None:
    assert brief(seconds) == text


@pytest.mark.parametrize(
    ("mebibytes", "text"),
    [
        (0, "0 MiB"),
        (512, "512 MiB"),
        (1536, "1.5 GiB"),
        (5017.6, "4.9 GiB"),
        (14.065 * 1024**2, "14.1 TiB"),
        (20 * 1024**2, "20 TiB"),
        (1023.99 * 1024, "1 TiB"),
        (1010.4 * 1024, "1\u202f010 GiB"),
    ],
)
def test_memory_has_one_decimal_at_most(mebibytes: float, text: str) -> None:
    assert memory(mebibytes) == text


@pytest.mark.parametrize(
    ("joules", "text"),
    [
        (0, "0 J"),
        (540, "540 J"),
        (54_200, "54.20 kJ"),
        (360_000, "0.100 kWh"),
        (4_500_000, "1.25 kWh"),
        (3.6e8, "100 kWh"),
        (1.116e10, "3.10 MWh"),
        (None, "–"),
        (float("nan"), "–"),
    ],
)
def test_energy_in_the_unit_that_fits(joules: float | None, text: str) -> None:
    assert energy(joules) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.500 min"),
        (42, "42 min"),
        (99_300, "99\u202f300 min"),
        (144_000, "100 d"),
        (1e7, "6\u202f944 d"),
        (-1e7, "−6\u202f944 d"),
    ],
)
def test_many_minutes_are_days(value: float, text: str) -> None:
    assert minutes(value) == text
