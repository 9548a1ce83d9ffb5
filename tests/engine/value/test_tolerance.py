import math

import numpy as np
import pytest

from engine.value.tolerance import TOLERANCES, exponential, linear


def test_linear() -> None:
    delay = np.array([0.5, 1, 2, 3.5, 6, 7, 1e9])
    assert linear(delay, 5).tolist() == [1, 1, 0.8, 0.5, 0, 0, 0]


def test_exponential() -> None:
    left = exponential(np.array([0.5, 1, 3.5, 6]), 5)
    assert left == pytest.approx([1, 1, math.exp(-1), math.exp(-2)])


@pytest.mark.parametrize("delta", [0.5, 5, 20])
def test_both_leave_the_same_over_all_delays(delta: float) -> None:
    delay = np.linspace(1, 1 + 30 * delta, 200_001)
    areas = [np.trapezoid(shape(delay, delta), delay) for shape in TOLERANCES.values()]
    assert areas == pytest.approx([delta / 2, delta / 2], rel=1e-4)
