"""The bound of advice."""

from __future__ import annotations

import pytest

from engine.claims.advice import is_worth
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
