"""What is drawn of many points: their density, and the corners of steps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from views.plot.area import NEAR, PlotArea
from views.plot.layers import Curve, Dots, Raster, StepLayer
from views.plot.sampling import MANY, count_points, is_sampled, sampled
from views.theme.palette import rgb

RED = "#d55e00"
AREA = PlotArea(10, 20, 80, 40, (0.0, 80.0), (0.0, 40.0))  # a pixel is 1 on both scales


def density(x: list[float], y: list[float], ratio: float = 1.0) -> np.ndarray:
    """The pixels of these dots and of so many elsewhere that they are many."""
    outside = [-50.0] * MANY
    area = PlotArea(AREA.left, AREA.top, AREA.width, AREA.height, AREA.x, AREA.y, ratio)
    dots = Dots(np.array([*x, *outside]), np.array([*y, *outside]), RED, run=3)
    assert is_sampled(dots)
    raster = sampled(dots, area)
    assert isinstance(raster, Raster)
    assert (raster.x, raster.y, raster.run) == (area.x, area.y, 3)
    return raster.pixels


def test_a_dot_is_a_disc_where_its_point_lies() -> None:
    pixels = density([50.5], [10.5])
    assert pixels.shape == (40, 80, 4)
    rows, columns = np.nonzero(pixels[..., 3])
    assert set(zip(columns.tolist(), rows.tolist(), strict=True)) == {
        (50 + dx, 29 + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)
    }
    assert tuple(pixels[29, 50, :3]) == rgb(RED)


def test_denser_places_are_stronger() -> None:
    pixels = density([20.5] + [60.5] * 40, [10.5] * 41)
    assert pixels[29, 60, 3] == 255
    assert 150 < pixels[29, 20, 3] < 220


def test_missing_points_are_left_out_and_sharp_screens_have_the_same_dots() -> None:
    assert not density([5, np.nan, 50], [np.nan, 10, 90])[..., 3].any()
    sharp = density([50.5], [10.5], ratio=2.0)
    assert sharp.shape == (80, 160, 4)
    assert sharp[59, 101, 3]
    assert not sharp[59, 120, 3]


def test_few_dots_are_drawn_as_they_are() -> None:
    dots = Dots(np.zeros(MANY), np.zeros(MANY), RED)
    assert not is_sampled(dots)
    assert sampled(dots, AREA) is dots


@given(st.lists(st.tuples(st.floats(-3, 13), st.floats(-3, 8)), max_size=30))
def test_every_point_counts_in_its_pixel(points: list[tuple[float, float]]) -> None:
    x, y = (np.array([point[k] for point in points], float) for k in (0, 1))
    expected = np.zeros((5, 10), int)
    for across, down in points:
        if 0 <= across < 10 and 0 <= down < 5:
            expected[int(down), int(across)] += 1
    assert (count_points(x, y, 10, 5) == expected).all()


@given(
    st.lists(
        st.tuples(st.floats(-20, 100), st.floats(0, 40)),
        max_size=12,
        unique_by=lambda each_tuple: each_tuple[0],
    )
)
def test_steps_have_their_value_at_every_pixel(corners: list[tuple[float, float]]) -> None:
    corners.sort()
    x, y = (np.array([corner[k] for corner in corners], float) for k in (0, 1))
    curve = sampled(StepLayer(x, y, RED, run=2), AREA)
    assert isinstance(curve, Curve)
    assert curve.run == 2
    assert len(curve.x) <= 81
    assert (curve.x[0], curve.x[-1]) == AREA.x
    for pixel in range(81):
        value = next((height for at, height in reversed(corners) if at <= pixel), 0.0)
        assert np.interp(pixel, curve.x, curve.y) == value


@given(
    st.lists(st.tuples(st.integers(0, 80), st.integers(0, 40)), max_size=20),
    st.tuples(st.integers(0, 80), st.integers(0, 40)),
)
def test_the_nearest_point_is_found(points: list[tuple[int, int]], at: tuple[int, int]) -> None:
    x, y = (np.array([*(point[k] for point in points), np.nan], float) for k in (0, 1))
    distances = [float(np.hypot(px - at[0], py - at[1])) for px, py in points]
    found = AREA.nearest(x, y, AREA.point(*at))
    if min(distances, default=NEAR + 1) > NEAR + 1e-6:
        assert found is None
    elif min(distances) < NEAR - 1e-6:
        assert found is not None
        assert distances[found] == min(distances)
