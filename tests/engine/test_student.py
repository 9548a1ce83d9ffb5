from itertools import pairwise

import pytest

from engine.student import student_quantile


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [  # Abramowitz & Stegun 1964, table 26.10
        (1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980), (1e9, 1.960),
    ],
)  # fmt: skip
def test_quantiles_are_those_of_the_table(freedom: float, expected: float) -> None:
    assert student_quantile(freedom) == pytest.approx(expected, abs=6e-4)


def test_between_whole_numbers_they_fall() -> None:
    values = [student_quantile(1 + k / 10) for k in range(300)]
    assert all(first > second for first, second in pairwise(values))
