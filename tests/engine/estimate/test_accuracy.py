import numpy as np
import pytest

from engine.estimate.accuracy import EstimateAccuracy, estimate_accuracy


def accuracy(estimate: list[int], runtime: list[int], jobs: list[bool] | None = None) -> EstimateAccuracy:
    chosen = np.array(jobs if jobs is not None else [True] * len(runtime), np.bool_)
    return estimate_accuracy(np.array(estimate, np.int64), np.array(runtime, np.int64), chosen)


def test_by_hand() -> None:
    # Mean 20; (10, 0, -10) around it: 200. Missed by 5, 0, -10: 125.
    assert accuracy([15, 20, 20], [10, 20, 30]) == (pytest.approx(1 - 125 / 200), pytest.approx(1 / 3))


def test_perfect_and_useless() -> None:
    assert accuracy([10, 20], [10, 20]) == (1, 0)
    assert accuracy([15, 15], [10, 20]).r2 == 0
    assert accuracy([100, 1], [10, 20]).r2 == pytest.approx(1 - (90**2 + 19**2) / 50)


def test_only_the_chosen_jobs_count() -> None:
    assert accuracy([10, 20, 999], [10, 20, 30], [True, True, False]) == (1, 0)


def test_what_has_no_value_is_none() -> None:
    assert accuracy([], []) == (None, None)
    assert accuracy([1, 2], [1, 2], [False, False]) == (None, None)
    assert accuracy([4, 6], [5, 5]) == (None, 0.5)
