"""The bounds of advice."""

import pytest

from engine.claims.advice import is_harm, is_worth
from engine.now.what_if import Outcome


@pytest.mark.parametrize(
    ("saved", "wait", "worth"),
    [
        (60, 60, True),
        (59, 60, False),
        (60, 1200, True),
        (60, 1201, False),
        (200, 100_000, False),  # 0.2 %
        (5000, 100_000, True),
        (-500, 100, False),
    ],
)
def test_what_saves_a_minute_and_a_twentieth_is_advice(saved: int, wait: int, worth: bool) -> None:
    assert is_worth(saved, wait) is worth
    assert Outcome("half the processors", 0, None, saved, None, wait).helps is worth


def test_what_makes_a_job_start_at_all_is_advice() -> None:
    assert Outcome("a shorter limit", 100, None, None, None).helps
    assert not Outcome("a shorter limit", None, None, None, None).helps


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (0, 3600, True),
        (0, 3599, False),
        (36_000, 39_600, True),
        (36_010, 39_610, False),  # less than a tenth
        (259_200, 4_190_400, True),  # from 3 days to 48.5
        (500, 400, False),
    ],
)
def test_a_longest_wait_that_rises_by_an_hour_and_a_tenth_is_told(
    before: int, after: int, told: bool
) -> None:
    assert is_harm(before, after) is told
