import pytest
from hypothesis import given
from hypothesis import strategies as st

from views.raster.time_scale import TimeScale


@pytest.mark.parametrize(
    ("scale", "time", "x"),
    [
        (TimeScale(0, 100, 0, 100), 0, 0),
        (TimeScale(0, 100, 0, 100), 100, 100),
        (TimeScale(0, 100, 84, 500), 50, 334),
        (TimeScale(1000, 1010, 10, 5), 1004, 12),
        (TimeScale(-50, 50, 0, 200), -100, -100),
        (TimeScale(1e9, 1e9 + 1, 0, 1600), 1e9 + 0.25, 400),
    ],
)
def test_time_and_pixels(scale: TimeScale, time: float, x: float) -> None:
    assert scale.x(time) == pytest.approx(x)
    assert scale.time(x) == pytest.approx(time)


@given(st.floats(-1e9, 1e9), st.floats(1, 1e9), st.floats(0, 1000), st.floats(1, 4000), st.floats(-100, 5000))
def test_there_and_back(start: float, span: float, left: float, width: float, x: float) -> None:
    scale = TimeScale(start, start + span, left, width)
    assert scale.x(scale.time(x)) == pytest.approx(x, abs=1e-3 + abs(start) / scale.seconds_per_pixel * 1e-9)


def test_no_width_is_no_error() -> None:
    assert TimeScale(0, 10, 5, 0).seconds_per_pixel > 0
