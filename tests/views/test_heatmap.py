from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage

from engine.fairness.violations import Steps
from engine.trace import Trace
from tests.traces import make_trace
from tests.views.stage import Stage, colour_at
from views.heatmap import HeatmapChart, user_order
from views.heatmap.paint import count_colours, count_marks
from views.heatmap.rows import UserRows
from views.style import DARK, LIGHT

HOUR = 3600


def steps_of(*users: list[tuple[int, int]]) -> Steps:
    """(minute, count) pairs of each user."""
    offset = np.concatenate(([0], np.cumsum([len(rows) for rows in users]))).astype(np.int64)
    table = np.array([pair for rows in users for pair in rows], np.int64).reshape(-1, 2)
    return Steps(offset, np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]))


def users(*names: str) -> Trace:
    return make_trace([0] * len(names), [60] * len(names), user=names)


TRACE = users("ann", "bob", "cat", "user10")
STEPS = steps_of([(60, 1), (120, 0)], [(0, 5), (300, 50), (420, 0)], [], [(480, 2), (481, 0)])


@pytest.fixture
def chart(stage: Stage) -> HeatmapChart:
    stage.clock.reset(0, 10 * HOUR)
    chart = HeatmapChart(stage.clock, stage.selection, stage.renderer, LIGHT)
    chart.set_data(TRACE, STEPS)
    stage.show(chart, 700, 200)
    return chart


def at(chart: HeatmapChart, hour: float, row: float, rows: int = 3) -> QPointF:
    frame = chart.frame()
    return QPointF(frame.scale.x(hour * HOUR), frame.plot.top() + row / rows * frame.plot.height())


def hue(chart: HeatmapChart, image: QImage, hour: float, row: float, rows: int = 3) -> str:
    place = at(chart, hour, row, rows)
    return colour_at(image, place.x(), place.y())


def colour_of(count: int, most: int = 50) -> str:
    return f"#{int(count_colours(most, LIGHT)[count]) & 0xFFFFFF:06x}"


def test_rows_are_the_users_with_violations_the_most_hurt_on_top(chart: HeatmapChart, stage: Stage) -> None:
    image = stage.settle(chart)
    assert hue(chart, image, 2.4, 0.5) == colour_of(5)  # bob
    assert hue(chart, image, 6.4, 0.5) == colour_of(50)
    assert hue(chart, image, 7.4, 0.5) == LIGHT.chart
    assert hue(chart, image, 1.4, 1.5) == colour_of(1)  # ann
    assert hue(chart, image, 2.4, 1.5) == LIGHT.chart


def test_one_violated_minute_is_seen_at_any_zoom(chart: HeatmapChart, stage: Stage) -> None:
    image = stage.settle(chart)
    place = at(chart, 8, 2.5)
    found = {colour_at(image, place.x() + k, place.y()) for k in (-1, 0, 1, 2)}
    assert len(found) > 1, "user10's minute is lost"
    stage.clock.set_window(480 * 60 - 30, 480 * 60 + 90)
    image = stage.settle(chart)
    assert hue(chart, image, (480 * 60 + 20) / HOUR, 2.5) == colour_of(2)
    assert hue(chart, image, (480 * 60 - 20) / HOUR, 2.5) == LIGHT.chart
    assert hue(chart, image, (480 * 60 + 80) / HOUR, 2.5) == LIGHT.chart


def test_a_click_picks_the_user_and_dims_the_others(chart: HeatmapChart, stage: Stage) -> None:
    stage.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 4, 1.5).toPoint())
    assert stage.selection.value.users == {0}
    image = stage.settle(chart)
    assert hue(chart, image, 1.4, 1.5) == colour_of(1)
    assert hue(chart, image, 6.4, 0.5) != colour_of(50)
    top = at(chart, 4.4, 1)
    assert LIGHT.accent in {colour_at(image, top.x(), top.y() + k) for k in (-2, -1, 0, 1)}


def test_the_mouse_tells_user_minute_and_count(chart: HeatmapChart) -> None:
    assert chart.tooltip_at(at(chart, 6.01, 0.5)) == "user bob\n6:00:00 h\n50 violated jobs"
    assert chart.tooltip_at(at(chart, 1.5, 1.5)).endswith("\n1 violated job")
    assert chart.tooltip_at(at(chart, 3, 1.5)).endswith("\n0 violated jobs")
    assert chart.tooltip_at(QPointF(2, 2)) == ""


def test_rows_in_an_order_from_outside(chart: HeatmapChart, stage: Stage) -> None:
    chart.set_data(chart._trace, chart._steps, np.array([2, 0, 1, 3]))
    image = stage.settle(chart)
    assert hue(chart, image, 1.4, 1.5, 4) == colour_of(1)
    assert hue(chart, image, 6.4, 2.5, 4) == colour_of(50)
    assert hue(chart, image, 6.4, 0.5, 4) == LIGHT.chart


def test_a_scale_that_several_runs_share(chart: HeatmapChart, stage: Stage) -> None:
    chart.set_scale_max(1000)
    assert hue(chart, stage.settle(chart), 6.4, 0.5) == colour_of(50, 1000) != colour_of(50)
    chart.set_scale_max(10)  # counts beyond it have the last colour
    assert hue(chart, stage.settle(chart), 6.4, 0.5) == colour_of(10, 10)
    assert chart.accessibleDescription() == "3 users, up to 10 violated jobs at a time"


def test_a_double_click_zooms_to_the_user_s_violations(chart: HeatmapChart, stage: Stage) -> None:
    stage.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 1.5, 1.5).toPoint())
    assert stage.clock.window == pytest.approx((57 * 60, 123 * 60))
    stage.qtbot.keyClick(chart, Qt.Key.Key_Home)
    stage.selection.select_users([1, 3])
    stage.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert stage.clock.window == pytest.approx((-0.05 * 481 * 60, 1.05 * 481 * 60))


def names_in_gutter(chart: HeatmapChart, image: QImage) -> int:
    """Pixel rows of the gutter in which something is written."""
    frame = chart.frame()
    columns = range(30, int(frame.plot.left()) - 6)
    return sum(
        len({image.pixel(x, y) for x in columns}) > 1
        for y in range(int(frame.plot.top()), int(frame.plot.bottom()))
    )


def test_names_stand_beside_rows_that_are_tall_enough(stage: Stage) -> None:
    stage.clock.reset(0, 10 * HOUR)
    many = users(*(f"u{k}" for k in range(60)))
    steps = steps_of(*([(0, 1 + k), (100, 0)] for k in range(60)))
    chart = HeatmapChart(stage.clock, stage.selection, stage.renderer, DARK)
    chart.set_data(many, steps)
    stage.show(chart, 500, 200)
    assert names_in_gutter(chart, stage.settle(chart)) == 0
    stage.selection.select_user(30)
    assert 5 < names_in_gutter(chart, stage.settle(chart)) < 20
    stage.selection.clear()
    chart.resize(500, 60 * 12 + 80)
    assert names_in_gutter(chart, stage.settle(chart)) > 300


def test_more_users_than_pixels(stage: Stage) -> None:
    stage.clock.reset(0, 10 * HOUR)
    trace = users(*(f"u{k}" for k in range(1000)))
    steps = steps_of(*([(0, 1000 if k == 777 else 1), (600, 0)] for k in range(1000)))
    chart = HeatmapChart(stage.clock, stage.selection, stage.renderer, LIGHT)
    chart.set_data(trace, steps, np.arange(1000))
    stage.show(chart, 500, 164)
    image = stage.settle(chart)
    most = colour_of(1000, 1000)
    plot = chart.frame().plot
    rows = [
        y for y in range(int(plot.height())) if colour_at(image, plot.left() + 43, plot.top() + y) == most
    ]
    assert len(rows) == 1
    place = QPointF(plot.left() + 43, plot.top() + rows[0])
    assert chart.tooltip_at(place).startswith("user u777\n")
    stage.selection.select_user(778)
    assert colour_at(stage.settle(chart), place.x(), place.y()) != most


def test_nobody_was_late(stage: Stage) -> None:
    chart = HeatmapChart(stage.clock, stage.selection, stage.renderer, LIGHT)
    stage.show(chart)
    assert chart.message == "Nothing to show yet"
    chart.set_data(None, None)
    assert chart.message == chart.summary() == "Not judged yet"
    chart.set_data(TRACE, steps_of([], [], [], []))
    stage.settle(chart)
    assert chart.message.startswith("No job ended later")
    chart.set_data(TRACE, STEPS)
    assert chart.message == ""


def test_orders() -> None:
    trace = make_trace([0] * 4, [60] * 4, [1, 9, 4, 2], user=["user2", "user10", "ann", "bob"])
    totals = np.array([5, 7, 7, 0])
    assert user_order(trace, totals).tolist() == [1, 2, 0]
    assert user_order(trace, totals, "name").tolist() == [2, 0, 1]
    assert user_order(trace, totals, "usage").tolist() == [1, 2, 0]


def test_the_scale_of_colours_names_powers_of_ten() -> None:
    assert count_marks(1) == ((1.0, "1"), (1.0, "1"))
    assert [text for _, text in count_marks(437)] == ["1", "10", "100", "437"]
    places = [place for place, _ in count_marks(437)]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, 1)


def test_counts_without_end_have_a_table_of_bounded_size() -> None:
    assert len(count_colours(10**9, LIGHT)) <= 65_537


@given(st.integers(1, 50), st.integers(1, 60), st.floats(0, 0.999))
def test_the_mouse_finds_the_users_that_are_drawn(count: int, height: int, where: float) -> None:
    rows = UserRows(np.random.default_rng(0).permutation(count), count)
    y = int(where * height)
    line, lines = rows.lines(height)
    drawn = rows.stretch(lines, height)[y]
    found = rows.at(y, height)
    assert len(found)
    if count <= height:
        assert abs(int(line[found[0]]) - int(drawn)) <= 1
    else:
        assert drawn in line[found]


def test_rows_and_their_users() -> None:
    rows = UserRows(np.array([2, 0]), 3)
    assert rows.span(0, 100) == (50, 100)
    assert rows.span(1, 100) is None
    assert rows.lines(100)[0].tolist() == [1, -1, 0]
