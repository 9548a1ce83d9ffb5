"""Numbers as charts write them where there is little room."""

from __future__ import annotations

import pytest

from views.format import compact


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
