import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.packing import area_weighted, response_norm, specific_response
from tests.engine.metrics import naive

jobs = st.lists(
    st.builds(
        naive.Job,
        user=st.just(0),
        submit=st.just(0),
        wait=st.integers(0, 10**8),
        runtime=st.integers(1, 10**6),
        procs=st.integers(1, 10**5),
    ),
    min_size=1,
    max_size=20,
)


def specific(jobs: list[naive.Job], alpha: float) -> float | None:
    wait, runtime, procs = (
        np.array([getattr(j, name) for j in jobs], np.int64) for name in ("wait", "runtime", "procs")
    )
    return specific_response(wait, runtime, procs, alpha)


@given(jobs, st.integers(0, 5))
def test_specific_response_as_in_fractions(jobs: list[naive.Job], alpha: int) -> None:
    exact = naive.specific_response(jobs, alpha)
    assert specific(jobs, alpha) == pytest.approx(float(exact), rel=1e-13)


@given(jobs, st.floats(0, 12))
def test_any_power_as_in_decimals(jobs: list[naive.Job], alpha: float) -> None:
    assert specific(jobs, alpha) == pytest.approx(float(naive.real_specific_response(jobs, alpha)), rel=1e-12)


@pytest.mark.parametrize("alpha", [0.5, 2.5, 7, 40, 1000])
def test_neither_long_waits_nor_large_powers_lose_digits(alpha: float) -> None:
    jobs = [naive.Job(0, 0, 3 * 10**8, 1, 1), naive.Job(0, 0, 0, 10**6, 9), naive.Job(0, 0, 10**4, 1, 10**5)]
    exact = float(naive.real_specific_response(jobs, alpha))
    assert specific(jobs, alpha) == pytest.approx(exact, rel=1e-12)


def test_jobs_that_take_no_time_weigh_nothing() -> None:
    wait, runtime, procs = np.array([5, 0, 9]), np.array([0, 0, 3]), np.array([1, 1, 2])
    for alpha in (1.0, 1.5):
        alone = specific_response(wait[2:], runtime[2:], procs[2:], alpha)
        assert specific_response(wait, runtime, procs, alpha) == pytest.approx(alone)
    assert specific_response(wait[:2], runtime[:2], procs[:2], 1.5) is None


def test_a_long_wait_of_a_short_job_does_not_cancel() -> None:
    job = naive.Job(0, 0, 3 * 10**8, 1, 1)
    exact = float(naive.specific_response([job], 3))
    assert specific([job], 3) == pytest.approx(exact, rel=1e-14)
    q, f = float(job.wait), float(job.response)
    assert 4 / 5 * (f**5 - q**5) / (f**4 - q**4) != pytest.approx(exact, rel=1e-9)


def test_level_0_is_the_mean_of_both_area_weighted_times() -> None:
    wait, runtime, procs = np.array([5, 40, 0]), np.array([10, 3, 70]), np.array([1, 8, 2])
    area = procs * runtime
    awf, awq = area_weighted(area, wait + runtime), area_weighted(area, wait)
    assert awf is not None
    assert awq is not None
    assert specific_response(wait, runtime, procs, 0) == pytest.approx((awf + awq) / 2)


def test_norms() -> None:
    response = np.array([3, 4])
    assert response_norm(response) == pytest.approx(5.0)
    assert response_norm(response, 1) == pytest.approx(7.0)
    assert response_norm(np.array([10**9, 1]), 100) == pytest.approx(1e9)  # 10^900 is no float64
    assert response_norm(np.array([0, 0])) == 0.0


def test_nothing_to_weigh() -> None:
    none = np.empty(0, np.int64)
    assert area_weighted(none, none) is None
    assert specific_response(none, none, none, 2) is None
    assert response_norm(none) is None
