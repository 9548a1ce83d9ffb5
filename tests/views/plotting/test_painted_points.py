"""Dots: what is painted where points lie, and which one the mouse finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from tests.views.context import colour_at
from views.plotting.painted.points import NEAR, nearest, paint_points
from views.theme.palette import rgb

RED = "#d55e00"


def painted(x: list[float], y: list[float], ratio: float = 1.0) -> QImage:
    image = QImage(round(100 * ratio), round(60 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    paint_points(painter, QRectF(10, 10, 80, 40), np.array(x), np.array(y), RED, ratio)
    painter.end()
    return image


def test_a_dot_is_a_disc_where_its_point_lies() -> None:
    image = painted([50.5], [30.5])
    coloured = [
        (x, y)
        for y in range(image.height())
        for x in range(image.width())
        if colour_at(image, x, y) != "#ffffff"
    ]
    assert (50, 30) in coloured
    assert all((x - 50) ** 2 + (y - 30) ** 2 <= 2.5**2 for x, y in coloured)
    assert len(coloured) == 21


def test_denser_places_are_stronger() -> None:
    image = painted([20.5] + [60.5] * 40, [30.5] * 41)
    single, many = (QColor(image.pixel(x, 30)) for x in (20, 60))
    assert (many.red(), many.green(), many.blue()) == rgb(RED)
    assert single.green() > many.green()


def test_points_outside_and_missing_ones_are_left_out() -> None:
    assert painted([5, 95, 50, np.nan], [30, 30, 55, 30]) == painted([], [])


def test_sharp_screens_have_the_same_dots() -> None:
    image = painted([50.5], [30.5], ratio=2.0)
    assert QColor(image.pixel(101, 61)).name() != "#ffffff"
    assert QColor(image.pixel(120, 61)).name() == "#ffffff"


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=20),
    st.tuples(st.integers(0, 60), st.integers(0, 60)),
)
def test_the_nearest_point_is_found(points: list[tuple[int, int]], place: tuple[int, int]) -> None:
    x, y = (np.array([point[k] for point in points], float) for k in (0, 1))
    distances = [float(np.hypot(px - place[0], py - place[1])) for px, py in points]
    found = nearest(x, y, QPointF(*place))
    if min(distances, default=NEAR + 1) > NEAR:
        assert found is None
    else:
        assert found is not None
        assert distances[found] == min(distances)
