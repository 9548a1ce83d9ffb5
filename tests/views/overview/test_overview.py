"""The overview bar: what it shows of the whole, and what the mouse does to the window."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QImage

from engine.fairness.violations import UserSteps
from engine.metrics.series import usage
from tests.traces import make_trace
from tests.views.context import ViewContext, colour_at, drag, mouse, wheel
from tests.views.results import make_result
from views.data.violation_counts import CountColors
from views.overview import OverviewBar
from views.overview.bar import NARROWEST, drawn_edges, part_at
from views.text.ticks import axis_of
from views.theme.theme import DARK, LIGHT

HOUR = 3600
CTRL = Qt.KeyboardModifier.ControlModifier
TRACE = make_trace([0, 0], [5 * HOUR, 10 * HOUR], [60, 20], user=["ann", "bob"])
RESULT = make_result(TRACE, [0, 0])
STEPS = UserSteps(np.array([0, 2, 4]), np.array([60, 180, 120, 240]), np.array([3, 0, 40, 0]))


@pytest.fixture
def bar(context: ViewContext) -> OverviewBar:
    context.clock.reset(0, 10 * HOUR)
    bar = OverviewBar(context, LIGHT)
    bar.set_run(RESULT, usage(RESULT.schedule).processors, STEPS)
    context.qtbot.addWidget(bar)
    bar.resize(1098, 44)  # a plot of 1000 pixels
    with context.qtbot.waitExposed(bar):
        bar.show()
    return bar


def at(bar: OverviewBar, hour: float, share: float = 0.5) -> QPointF:
    plot = bar.frame().plot
    return QPointF(bar.frame().scale.x(hour * HOUR), plot.top() + share * plot.height())


def hue(bar: OverviewBar, image: QImage, hour: float, share: float) -> str:
    position = at(bar, hour, share)
    return colour_at(image, position.x(), position.y())


def hours(context: ViewContext) -> tuple[float, float]:
    return round(context.clock.start / HOUR, 2), round(context.clock.end / HOUR, 2)


def test_the_run_is_named_in_full_beside_the_picture(bar: OverviewBar) -> None:
    assert bar.tooltip_at(QPointF(30, 12)) == f"{RESULT.name}\nClick: choose another run"


def test_use_is_an_area_and_violations_are_a_band(bar: OverviewBar, context: ViewContext) -> None:
    image = context.settle(bar)
    used = hue(bar, image, 2.5, 0.7)
    assert hue(bar, image, 2.5, 0.4) == used != LIGHT.chart
    assert hue(bar, image, 7.5, 0.4) == LIGHT.chart
    assert hue(bar, image, 7.5, 0.72) == used
    band = [hue(bar, image, hour, 0.9) for hour in (0.5, 1.5, 2.5, 3.5, 4.5)]
    seen = CountColors(1, 43).paint(np.array([0, 3, 43, 40, 0]), False, LIGHT.chart)
    assert band == [f"#{int(value) & 0xFFFFFF:06x}" for value in seen]


def test_the_mouse_tells_use_and_violations(bar: OverviewBar, context: ViewContext) -> None:
    context.settle(bar)
    assert bar.tooltip_at(at(bar, 2.5)) == (
        "2:30:00 h, easy\nprocessors in use: 80 of 100 (80 %)\n43 violated jobs of all users"
    )
    assert bar.tooltip_at(QPointF(1095, 5)) == ""


def test_what_is_not_shown_lies_under_a_veil(bar: OverviewBar, context: ViewContext) -> None:
    bright = hue(bar, context.settle(bar), 2.5, 0.6)
    context.clock.set_window(6 * HOUR, 8 * HOUR)
    image = context.settle(bar)
    assert hue(bar, image, 2.5, 0.6) != bright
    assert hue(bar, image, 7, 0.75) == bright
    assert LIGHT.accent in {colour_at(image, at(bar, 6).x() + k, 4) for k in (-1, 0, 1)}


def test_a_drag_moves_the_window_as_one_step(bar: OverviewBar, context: ViewContext) -> None:
    context.clock.set_window(4 * HOUR, 6 * HOUR)
    drag(bar, at(bar, 5), at(bar, 7))
    assert hours(context) == (6, 8)
    context.clock.back()
    assert hours(context) == (4, 6)


def test_a_drag_of_an_edge_resizes_it_even_past_the_other(bar: OverviewBar, context: ViewContext) -> None:
    context.clock.set_window(4 * HOUR, 6 * HOUR)
    drag(bar, at(bar, 6), at(bar, 7))
    assert hours(context) == (4, 7)
    drag(bar, at(bar, 4), at(bar, 3))
    assert hours(context) == (3, 7)
    drag(bar, at(bar, 3), at(bar, 9))
    assert hours(context) == (7, 9)
    drag(bar, at(bar, 9), at(bar, 10.5))
    assert hours(context) == (7, 10)


def test_a_drag_beside_the_window_makes_a_new_one(bar: OverviewBar, context: ViewContext) -> None:
    context.clock.set_window(4 * HOUR, 6 * HOUR)
    drag(bar, at(bar, 9), at(bar, 8))
    assert hours(context) == (8, 9)
    drag(bar, at(bar, 8.2), at(bar, 8.4), CTRL)  # with ctrl within it, too
    assert hours(context) == (8.2, 8.4)


def test_where_all_is_shown_a_drag_makes_a_window_and_a_click_nothing(
    bar: OverviewBar, context: ViewContext
) -> None:
    context.qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=at(bar, 3).toPoint())
    assert hours(context) == (0, 10)
    drag(bar, at(bar, 2), at(bar, 5))
    assert hours(context) == (2, 5)


def test_a_click_brings_the_window_there_and_a_double_click_shows_all(
    bar: OverviewBar, context: ViewContext
) -> None:
    context.clock.set_window(4 * HOUR, 6 * HOUR)
    context.qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=at(bar, 8).toPoint())
    assert hours(context) == (7, 9)
    context.qtbot.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=at(bar, 8).toPoint())
    assert hours(context) == (0, 10)


def test_wheel_and_keys(bar: OverviewBar, context: ViewContext) -> None:
    wheel(bar, at(bar, 5), 1)
    assert hours(context) == (1, 9)
    context.qtbot.keyClick(bar, Qt.Key.Key_Right)
    assert hours(context) == (2.2, 10.2)
    context.qtbot.keyClick(bar, Qt.Key.Key_Home)
    assert hours(context) == (0, 10)
    context.selection.select_time_range(2 * HOUR, 4 * HOUR)
    context.qtbot.keyClick(bar, Qt.Key.Key_F)
    assert hours(context) == (1.9, 4.1)


def test_escape_puts_the_window_back(bar: OverviewBar, context: ViewContext) -> None:
    context.clock.set_window(4 * HOUR, 6 * HOUR)
    mouse(bar, QEvent.Type.MouseButtonPress, at(bar, 5))
    mouse(bar, QEvent.Type.MouseMove, at(bar, 8))
    assert hours(context) == (7, 9)
    context.qtbot.keyClick(bar, Qt.Key.Key_Escape)
    mouse(bar, QEvent.Type.MouseMove, at(bar, 2))
    assert hours(context) == (4, 6)


def test_the_picked_time_is_seen(bar: OverviewBar, context: ViewContext) -> None:
    context.clock.set_window(4 * HOUR, 6 * HOUR)
    before = hue(bar, context.settle(bar), 8.5, 0.2)
    context.selection.select_time_range(8 * HOUR, 9 * HOUR)
    assert hue(bar, context.settle(bar), 8.5, 0.2) != before
    context.selection.select_instant(2 * HOUR)
    assert hue(bar, context.settle(bar), 2, 0.2) == LIGHT.accent


def test_the_cursor_says_what_a_drag_would_do(bar: OverviewBar, context: ViewContext) -> None:
    context.clock.set_window(4 * HOUR, 6 * HOUR)
    seen = []
    for hour in (2, 4, 5, 6):
        mouse(bar, QEvent.Type.MouseMove, at(bar, hour), Qt.MouseButton.NoButton)
        seen.append(bar.cursor().shape())
        assert context.clock.hover == pytest.approx(hour * HOUR, abs=40)
    shapes = Qt.CursorShape
    assert seen == [
        shapes.CrossCursor,
        shapes.SizeHorCursor,
        shapes.OpenHandCursor,
        shapes.SizeHorCursor,
    ]


def test_before_any_run_is_judged(bar: OverviewBar, context: ViewContext) -> None:
    there = context.settle(bar)
    bar.clear(axis_of(TRACE))
    bar.set_theme(DARK)
    image = context.settle(bar)
    assert hue(bar, image, 2.5, 0.9) == DARK.chart
    assert image != there
    assert bar.tooltip_at(at(bar, 2.5)) == ""


def test_days_stand_beside_the_month_that_they_are_of(bar: OverviewBar, context: ViewContext) -> None:
    bar.clear(axis_of(make_trace([0], [1], zero=1_359_504_000)))  # 30 January 2013
    context.clock.reset(0, 20 * 24 * HOUR)
    image = context.settle(bar)
    axis = bar.frame().axis

    def months(begin: float, end: float) -> bool:
        """Whether the name of a larger unit stands between two days after the log's first."""
        left, right = (bar.frame().scale.x(day * 24 * HOUR) for day in (begin, end))
        rows = range(int(axis.top()) + 2, int(axis.bottom()))
        return LIGHT.text in {colour_at(image, x, y) for x in range(int(left), int(right)) for y in rows}

    assert months(0, 1.5)  # January
    assert months(2, 3.6)  # February
    assert not months(4, 19)


@given(st.floats(0, 500), st.floats(0, 500), st.floats(-20, 1020))
def test_every_part_of_the_window_can_be_grasped(left: float, wide: float, x: float) -> None:
    low, high = drawn_edges(left, left + wide)
    assert high - low >= NARROWEST - 1e-6
    assert part_at(low, low, high) == "start"
    assert part_at(high, low, high) == "end"
    assert part_at((low + high) / 2, low, high) == "inside"
    if not low - 5 <= x <= high + 5:
        assert part_at(x, low, high) == "outside"
