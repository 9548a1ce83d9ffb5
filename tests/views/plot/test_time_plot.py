"""Step functions over time, as plots show them."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from views.plot.area import PlotArea
from views.plot.time_plot import StepCurve, TimeFunction, curve_of
from views.theme.theme import LIGHT

NUMBERS = st.integers(-5, 5)


@given(
    st.lists(st.integers(0, 20), unique=True, max_size=20).map(sorted),
    st.lists(NUMBERS | st.none(), min_size=20, max_size=20),
    st.lists(st.integers(-3, 25), min_size=2, max_size=8, unique=True).map(sorted),
)
def test_extremes_are_those_of_all_that_holds_between_two_edges(
    time: list[int], values: list[int | None], edges: list[int]
) -> None:
    value = [np.nan if each_value is None else float(each_value) for each_value in values[: len(time)]]
    low, high = StepCurve(np.array(time, float), np.array(value)).extremes(np.array(edges, float))
    for column, (left, right) in enumerate(pairwise(edges)):
        held = [v for begin, v in zip(time, value, strict=True) if left < begin <= right]
        held += [v for begin, v in zip(time, value, strict=True) if begin <= left][-1:]
        known = [v for v in held if not np.isnan(v)]
        assert np.array_equal(
            [low[column], high[column]], [min(known), max(known)] if known else [np.nan] * 2, equal_nan=True
        )


def test_a_step_that_is_narrower_than_a_pixel_is_seen() -> None:
    steps = StepCurve(np.array([0.0, 500.2, 500.4]), np.array([1.0, 9.0, 1.0]))
    area = PlotArea(0, 0, 1000, 100, (0.0, 1000.0), (0.0, 10.0))
    curve = curve_of(TimeFunction("a", "#000000", steps), LIGHT, area)
    assert np.nanmax(curve.y) == 9.0
    assert curve.y[np.searchsorted(curve.x, 400.0)] == 1.0
