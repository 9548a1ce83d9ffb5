import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fairness.use_over_time import UseOverTime


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 20), st.sampled_from((0.25, 0.5, 1.0)))),
    st.none() | st.integers(1, 30),
    st.lists(st.integers(0, 80), max_size=12),
)
def test_it_is_the_sum_over_jobs(
    jobs: list[tuple[int, int, float]], half_life: int | None, times: list[int]
) -> None:
    def used(time: float) -> float:
        total = 0.0
        for start, length, weight in jobs:
            end = min(time, start + length)
            if time <= start:
                continue
            if half_life is None:
                total += weight * (end - start)
            else:
                mean = half_life / math.log(2)
                total += (
                    weight * mean * (2 ** (-(time - end) / half_life) - 2 ** (-(time - start) / half_life))
                )
        return total

    start, length, weight = np.array(jobs, float).reshape(-1, 3).T
    use = UseOverTime(start.astype(int), (start + length).astype(int), weight, half_life)
    time = np.sort(np.array(times, float))
    assert use.at(time) == pytest.approx([used(moment) for moment in time.tolist()], abs=1e-9)
    assert use.most == pytest.approx(max((used(s + d) for s, d, _ in jobs), default=0.0), abs=1e-9)
