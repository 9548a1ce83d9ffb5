import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness import usage as parts
from engine.fairness.usage import SIGNIFICANT_BITS, Usage, make_usage
from tests.parts import from_python

usage_ended = from_python(parts.usage_ended)
overall_factor = from_python(parts.overall_factor)
usage_factor = from_python(parts.usage_factor)
usage_started = from_python(parts.usage_started)

DAY = 86_400


class Use(NamedTuple):
    """A job: whose, when, and what part of the machine."""

    user: int
    start: int
    end: int
    weight: float


def definition(jobs: list[Use], user: int, now: int, half_life: int, at_end: bool) -> float:
    """Usage of a user, second by second: each second's use is halved every half-life.

    With `at_end` a job's use is that of its end, as a whole.
    """
    total = 0.0
    for job in jobs:
        if job.user != user or job.start >= now:
            continue
        if at_end:
            if job.end <= now:
                total += job.weight * (job.end - job.start) * decay(now - job.end, half_life)
            continue
        begin, end = job.start, min(job.end, now)
        if half_life == 0:
            total += job.weight * (end - begin)
        else:
            mean_life = half_life / math.log(2)
            # As 1 - 2^-(end - begin), which loses no digits where a run is short beside the half-life.
            new = -math.expm1(-(end - begin) / mean_life)
            total += job.weight * mean_life * new * decay(now - end, half_life)
    return total


def decay(age: int, half_life: int) -> float:
    return 0.5 ** (age / half_life) if half_life else 1.0


def play(jobs: list[Use], looks: list[int], half_life: int, at_end: bool = False) -> list[list[float]]:
    """The factors at each look, jobs ending before others start in one second."""
    usage = make(jobs, half_life, at_end)
    # The kinds sort within a second: ends, starts, then looks.
    events = [(job.end, 0, number) for number, job in enumerate(jobs)]
    events += [(job.start, 1, number) for number, job in enumerate(jobs)]
    events += [(time, 2, 0) for time in looks]
    seen = []
    for time, kind, number in sorted(events):
        if kind == 0:
            usage_ended(usage, number, jobs[number].start, time)
        elif kind == 1:
            usage_started(usage, number, time)
        else:
            seen.append(factors_at(usage, time))
    return seen


def factors_at(usage: Usage, now: int) -> list[float]:
    return [usage_factor(usage, user, now) for user in range(len(usage.share) - 1)]


def make(jobs: list[Use], half_life: int, at_end: bool) -> Usage:
    return make_usage(
        weight=np.array([job.weight for job in jobs]),
        user=np.array([job.user for job in jobs], np.int64),
        share=np.ones(max(job.user for job in jobs) + 1),
        half_life=half_life,
        at_end=at_end,
    )


def near(used: float) -> object:
    """What is the same to the bits that count, or one in the last of them more or less."""
    return pytest.approx(used, rel=2.0 ** (1 - SIGNIFICANT_BITS), abs=0.0)


def test_without_decay_usage_is_the_area_so_far() -> None:
    jobs = [Use(0, 10, 110, 0.25), Use(1, 0, 20, 0.5)]
    looks = [[0, 2.5], [2.5, 10], [12.5, 10], [25, 10], [25, 10]]
    assert play(jobs, [5, 20, 60, 110, 10**6], half_life=0) == looks


def test_usage_at_the_end_is_nothing_before() -> None:
    assert play([Use(0, 10, 110, 0.25)], [60, 109, 110], half_life=0, at_end=True) == [[0], [0], [25]]


@pytest.mark.parametrize("at_end", [False, True])
def test_past_usage_loses_half_in_each_half_life(at_end: bool) -> None:
    jobs = [Use(0, 0, 1000, 1.0)]
    first, second, third = (row[0] for row in play(jobs, [1000, 1000 + DAY, 1000 + 2 * DAY], DAY, at_end))
    assert second == near(first / 2)
    assert third == near(first / 4)


def test_a_machine_that_always_runs_never_passes_its_mean_life() -> None:
    """The integral of 2^(-t / h) over all the past is h / ln 2."""
    ((used,),) = play([Use(0, 0, 100 * DAY, 1.0)], [60 * DAY], half_life=DAY)
    assert used == near(DAY / math.log(2))


def test_use_long_ago_is_forgotten_and_nothing_overflows() -> None:
    years = 100_000 * 3600  # so many half-lives that powers of two overflow
    jobs = [Use(0, 0, 3600, 1.0), Use(1, years, years + 3600, 1.0)]
    first, last = play(jobs, [3600, years + 3600], half_life=3600)
    assert first[0] == last[1] > 0
    assert first[1] == last[0] == 0


def test_use_after_a_long_run_keeps_what_was_used() -> None:
    later = 33 * 3600
    jobs = [Use(0, 0, 3600, 0.5), Use(0, 0, later, 0.5)]
    ((used,),) = play(jobs, [later], half_life=3600)
    assert used == near(definition(jobs, 0, later, 3600, at_end=False))


def test_a_second_of_use_is_as_exact_as_a_month_of_it() -> None:
    """Told by definition, not by the difference of two powers of two that are nearly the same."""
    ((used,),) = play([Use(0, 10**7, 10**7 + 50, 0.01)], [10**7 + 1], half_life=30 * DAY)
    x = math.log(2) / (30 * DAY)
    assert used == near(0.01 * (1 - x / 2 + x * x / 6))


def test_a_user_without_running_jobs_has_no_rate_left_of_rounding() -> None:
    jobs = [Use(0, 0, 7, 0.1), Use(0, 1, 9, 0.7), Use(0, 2, 8, 0.2)]
    usage = make(jobs, half_life=0, at_end=False)
    for number, job in enumerate(jobs):
        usage_started(usage, number, job.start)
    for number, job in sorted(enumerate(jobs), key=lambda pair: pair[1].end):
        usage_ended(usage, number, job.start, job.end)
    assert usage.rate[0] == 0.0


def test_a_larger_share_makes_usage_count_less() -> None:
    jobs = [Use(0, 0, 100, 0.5), Use(1, 0, 100, 0.5)]
    usage = make(jobs, half_life=0, at_end=False)
    usage.share[1] = 2.0
    for number in (0, 1):
        usage_started(usage, number, 0)
    assert factors_at(usage, 100) == [50, 25]


@st.composite
def uses(draw: st.DrawFn) -> list[Use]:
    jobs = []
    for _ in range(draw(st.integers(1, 12))):
        start = draw(st.integers(0, 500))
        end = start + draw(st.integers(1, 300))
        weight = draw(st.integers(1, 64)) / 64
        jobs.append(Use(draw(st.integers(0, 2)), start, end, weight))
    return jobs


@given(
    uses(),
    st.lists(st.integers(0, 3000), min_size=1, max_size=8),
    st.sampled_from([0, 1, 3, 60, 1000, DAY]),
    st.booleans(),
)
def test_as_by_the_definition(jobs: list[Use], looks: list[int], half_life: int, at_end: bool) -> None:
    looks = sorted(looks)
    for now, factors in zip(looks, play(jobs, looks, half_life, at_end), strict=True):
        expected = [definition(jobs, user, now, half_life, at_end) for user in range(len(factors))]
        assert factors == [near(used) for used in expected]


@given(uses(), st.integers(0, 3000), st.sampled_from([0, 60, 1000]), st.booleans())
def test_factors_have_so_many_significant_bits(
    jobs: list[Use], now: int, half_life: int, at_end: bool
) -> None:
    ((factors),) = play(jobs, [now], half_life, at_end)
    for factor in factors:
        assert math.ldexp(math.frexp(factor)[0], SIGNIFICANT_BITS).is_integer()
        assert factor >= 0


@given(uses(), st.integers(0, 3000), st.sampled_from([1e-5, 3.0, 1e5]))
def test_only_ratios_of_shares_count(jobs: list[Use], now: int, scale: float) -> None:
    usage = make(jobs, half_life=1000, at_end=True)
    for number, job in sorted(enumerate(jobs), key=lambda pair: pair[1].end):
        usage_ended(usage, number, job.start, job.end)
    later = now + max(job.end for job in jobs)
    before = factors_at(usage, later)
    usage.share[:-1] *= scale
    assert [factor * scale for factor in factors_at(usage, later)] == [near(factor) for factor in before]


def test_the_usage_of_all_is_over_the_shares_that_count() -> None:
    jobs = [Use(0, 0, 100, 0.5), Use(1, 0, 100, 0.25)]
    shares = np.array([1.0, 4.0, 1.0, 1.0])
    weight, user = np.array([job.weight for job in jobs]), np.array([0, 1])
    usage = make_usage(weight, user, shares, half_life=0, at_end=False, all_shares=6.0)
    for number in (0, 1):
        usage_started(usage, number, 0)
    assert overall_factor(usage, 40) == near((20 + 10) / 6)
    for number in (0, 1):
        usage_ended(usage, number, 0, 100)
    assert overall_factor(usage, 10**6) == near((50 + 25) / 6)


def test_equal_users_have_equal_factors_whatever_the_rounding() -> None:
    """Two users who use the same from different places in time are told apart by no last bit."""
    thirds = [Use(0, 0, 30, 0.1), Use(0, 0, 30, 0.2), Use(1, 0, 30, 0.3)]
    for row in play(thirds, [7, 13, 30, 100], half_life=DAY):
        assert row[0] == row[1]
