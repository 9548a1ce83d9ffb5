import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.trace.generate.lublin import (
    LublinModel,
    day_cycle,
    draw_gaps,
    draw_runtimes,
    draw_sizes,
    off_the_clock,
    on_the_clock,
)

MODEL = LublinModel()
DAY = 86_400


def distance(first: np.ndarray, second: np.ndarray) -> float:
    at = np.union1d(first, second)
    shares = [np.searchsorted(np.sort(x), at, side="right") / len(x) for x in (first, second)]
    return float(np.abs(shares[0] - shares[1]).max())


def slow_size(chance: random.Random, cpus: int) -> int:
    """A size as section 3 of the paper says it."""
    kind, high = chance.random(), math.log2(cpus)
    if kind < 0.244:
        return 1
    middle = high - 2.5
    exponent = chance.uniform(0.8, middle) if chance.random() < 0.86 else chance.uniform(middle, high)
    if kind < 0.244 + 0.576:
        exponent = math.floor(exponent + 0.5)
    return math.floor(2**exponent + 0.5)


def slow_runtime(chance: random.Random, size: int) -> float:
    """A runtime in seconds as section 4 of the paper says it."""
    short = chance.random() < min(1.0, max(0.0, 0.78 - 0.0054 * size))
    while True:
        log = chance.gammavariate(4.2, 0.94) if short else chance.gammavariate(312, 0.03)
        if log <= 12:
            return math.exp(log)


def slow_clock(gaps: list[float], cycle: list[float]) -> list[float]:
    """Times of arrivals, half hour by half hour: each takes as much of a gap as it is busy."""
    now, slot, left, seen = 0.0, 0, cycle[0] * 1800, []
    for gap in gaps:
        while gap > left:
            gap -= left
            slot += 1
            now, left = slot * 1800.0, cycle[slot % 48] * 1800
        now += gap / cycle[slot % 48]
        left -= gap
        seen.append(now)
    return seen


@pytest.mark.parametrize("cpus", [128, 1024])
def test_sizes_are_those_of_the_slow_twin(cpus: int) -> None:
    chance = random.Random(1)
    slow = np.array([slow_size(chance, cpus) for _ in range(20_000)])
    sizes = draw_sizes(MODEL, cpus, 20_000, np.random.default_rng(2))
    assert distance(sizes, slow) < 0.02
    assert np.mean(sizes == 1) == pytest.approx(0.244, abs=0.01)
    assert sizes.max() <= cpus


@pytest.mark.parametrize("size", [1, 32, 200])
def test_runtimes_are_those_of_the_slow_twin(size: int) -> None:
    chance = random.Random(1)
    slow = np.array([slow_runtime(chance, size) for _ in range(20_000)])
    runtimes = draw_runtimes(MODEL, np.full(20_000, size), np.random.default_rng(2))
    assert distance(runtimes, slow) < 0.02
    assert runtimes.max() <= math.exp(12)


def test_all_jobs_of_a_small_machine_fit() -> None:
    for cpus in (1, 2, 3, 5):
        sizes = draw_sizes(MODEL, cpus, 1000, np.random.default_rng(1))
        assert (sizes.min(), sizes.max()) == (1, cpus)


def test_most_jobs_come_about_noon_and_fewest_before_dawn() -> None:
    cycle = day_cycle(MODEL)
    assert cycle.mean() == pytest.approx(1.0)
    assert 10 <= cycle.argmax() / 2 <= 16
    assert 3 <= cycle.argmin() / 2 <= 6
    assert cycle.max() > 1.7
    assert cycle.min() < 0.2


def test_all_jobs_may_come_within_minutes_of_a_day() -> None:
    """Where the day's power alone is beyond the range of floats."""
    cycle = day_cycle(replace(MODEL, day=(30.0**2, 1 / 30.0)))
    assert cycle.mean() == pytest.approx(1.0)
    assert cycle.argmax() == 29  # of half hours: from 14:30 on
    assert np.isfinite(cycle).all()


@given(st.lists(st.floats(0.01, 200_000), min_size=1, max_size=30))
def test_the_clock_passes_as_the_slow_twin_walks_through_half_hours(gaps: list[float]) -> None:
    cycle = day_cycle(MODEL)
    times = np.cumsum(gaps)
    assert on_the_clock(times, cycle) == pytest.approx(slow_clock(gaps, cycle.tolist()), rel=1e-9, abs=1e-3)
    assert off_the_clock(on_the_clock(times, cycle), cycle) == pytest.approx(times, rel=1e-9, abs=1e-3)


def test_the_mean_gap_is_that_of_the_exponential_of_a_gamma_variable() -> None:
    shape, scale = 20.0, 0.2
    gaps = draw_gaps(replace(MODEL, gap=(shape, scale)), 100_000, np.random.default_rng(3))
    assert np.log(gaps).mean() == pytest.approx(shape * scale, rel=0.01)
    assert gaps.mean() == pytest.approx((1 - scale) ** -shape, rel=0.1)
