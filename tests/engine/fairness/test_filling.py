import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fairness.eet import expected_end_times
from engine.fairness.filling import share_filling

JOBS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9), st.integers(-1, 6)), max_size=12)


@settings(deadline=None)
@given(JOBS, st.integers(1, 8), st.booleans())
def test_blocks_are_what_each_second_leaves(
    jobs: list[tuple[int, int, int]], capacity: int, exact_last: bool
) -> None:
    submit, runtime, amount = np.array(jobs, np.int64).reshape(-1, 3).T
    submit = np.cumsum(submit)
    taken: dict[tuple[int, int], tuple[int, int]] = {}  # of job and second, the base and the amount
    used: dict[int, int] = {}
    for job in range(len(jobs)):
        need, second = max(int(amount[job]), 0) * int(runtime[job]), int(submit[job])
        while need > 0:
            below = used.get(second, 0)
            rate = min(capacity - below, int(amount[job]))
            if rate > 0:
                added = min(rate, need) if exact_last else rate
                taken[job, second] = below, added
                used[second] = below + added
                need -= rate
            second += 1
    found = share_filling(submit, runtime, amount, capacity, exact_last)
    values = {
        (job, second): (base, some)
        for job, start, end, base, some in zip(*(column.tolist() for column in found), strict=True)
        for second in range(start, end)
    }
    assert values == taken


@settings(deadline=None)
@given(JOBS, st.integers(1, 8), st.sampled_from((0, 3, 20)))
def test_the_last_block_of_a_job_ends_when_the_job_is_expected_to(
    jobs: list[tuple[int, int, int]], capacity: int, half_life: int
) -> None:
    submit, runtime, amount = np.array(jobs, np.int64).reshape(-1, 3).T
    submit = np.cumsum(submit)
    user = np.zeros(len(jobs), np.int64)
    room = np.array([[capacity]], np.int64)
    eet = expected_end_times(submit, user, runtime, amount[:, None], room, False, half_life or None)
    found = share_filling(submit, runtime, amount, capacity, False, half_life)
    for job in range(len(jobs)):
        own = found.job == job
        assert own.any() == (amount[job] > 0 and runtime[job] > 0)
        if own.any():
            assert found.end[own].max() == eet[job]
            assert (found.base[own] + found.amount[own]).max() <= capacity


def test_table_1_of_the_paper() -> None:
    found = share_filling(np.array([0, 1]), np.array([4, 1]), np.array([2, 2]), 3)
    assert list(zip(*(column.tolist() for column in found), strict=True)) == [
        (0, 0, 4, 0, 2),
        (1, 1, 3, 2, 1),
    ]


@pytest.mark.parametrize("jobs", [0, 1])
def test_no_jobs_or_one_without_a_need(jobs: int) -> None:
    nothing = np.zeros(jobs, np.int64)
    assert len(share_filling(nothing, nothing, nothing, 4).job) == 0
