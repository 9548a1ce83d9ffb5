import numpy as np
import pytest

from engine.estimate.estimators import fixed_estimates, parse_estimate

RUNTIME = np.array([1, 3, 5, 100], np.int64)
WALLTIME = np.array([10, 3, 60, 120], np.int64)


@pytest.mark.parametrize(
    ("name", "estimates"),
    [
        ("requested", [10, 3, 60, 120]),
        ("actual", [1, 3, 5, 100]),
        ("scaled2", [2, 6, 10, 200]),
        ("scaled1.5", [2, 5, 8, 150]),  # 1.5, 4.5 and 7.5 are rounded up; beyond the walltime
        ("scaled0.5", [1, 2, 3, 50]),
        ("scaled0.1", [1, 1, 1, 10]),
    ],
)
def test_estimates_that_do_not_change(name: str, estimates: list[int]) -> None:
    found = fixed_estimates(parse_estimate(name), RUNTIME, WALLTIME)
    assert found is not None
    assert found.dtype == np.int64
    assert found.tolist() == estimates
    assert not parse_estimate(name).learns


def test_the_estimates_can_be_written_to() -> None:
    walltime = WALLTIME.copy()
    walltime.setflags(write=False)
    found = fixed_estimates(parse_estimate("requested"), RUNTIME, walltime)
    assert found is not None
    found[0] = 7


@pytest.mark.parametrize("name", ["last2", "hierarchy", "survival2", "survival2.5", "linear"])
def test_estimates_that_are_learned(name: str) -> None:
    assert parse_estimate(name).learns
    assert fixed_estimates(parse_estimate(name), RUNTIME, WALLTIME) is None
