import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QImage
from PySide6.QtWidgets import QApplication

from engine.fairness.violations import UserSteps
from engine.trace import Trace
from tests.traces import make_trace
from tests.views.context import ViewContext, colour_at
from views.data.user_order import rows_in_order
from views.data.user_rows import PINNED_HEIGHT, QueueGroup, UserRows
from views.data.violation_counts import CountColors
from views.heatmap.chart import HeatmapChart
from views.theme.palette import heat_colours
from views.theme.theme import DARK, LIGHT

HOUR = 3600


def steps_of(*users: list[tuple[int, int]]) -> UserSteps:
    """(minute, count) pairs of each user."""
    offset = np.concatenate(([0], np.cumsum([len(rows) for rows in users]))).astype(np.int64)
    table = np.array([pair for rows in users for pair in rows], np.int64).reshape(-1, 2)
    return UserSteps(offset, np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]))


def users(*names: str) -> Trace:
    return make_trace([0] * len(names), [60] * len(names), user=names)


TRACE = users("ann", "bob", "cat", "user10")
STEPS = steps_of([(60, 1), (120, 0)], [(0, 5), (300, 50), (420, 0)], [], [(480, 2), (481, 0)])


@pytest.fixture
def chart(context: ViewContext) -> HeatmapChart:
    context.clock.reset(0, 10 * HOUR)
    chart = HeatmapChart(context, LIGHT)
    chart.set_data(TRACE, STEPS)
    context.show(chart, 700, 200)
    return chart


def at(chart: HeatmapChart, hour: float, row: float, rows: int = 3) -> QPointF:
    frame = chart.frame()
    return QPointF(frame.scale.x(hour * HOUR), frame.plot.top() + row / rows * frame.plot.height())


def hue(chart: HeatmapChart, image: QImage, hour: float, row: float, rows: int = 3) -> str:
    position = at(chart, hour, row, rows)
    return colour_at(image, position.x(), position.y())


def colour_of(count: float, most: int = 50, least: float = 1) -> str:
    (value,) = CountColors(least, most).paint(np.array([count]), False, LIGHT.chart)
    return f"#{int(value) & 0xFFFFFF:06x}"


def test_rows_are_the_users_with_violations_the_most_hurt_on_top(
    chart: HeatmapChart, context: ViewContext
) -> None:
    image = context.settle(chart)
    assert hue(chart, image, 2.4, 0.5) == colour_of(5)  # bob
    assert hue(chart, image, 6.4, 0.5) == colour_of(50)
    assert hue(chart, image, 7.4, 0.5) == LIGHT.chart
    assert hue(chart, image, 1.4, 1.5) == colour_of(1)  # ann
    assert hue(chart, image, 2.4, 1.5) == LIGHT.chart


def test_one_violated_minute_is_seen_at_any_zoom(chart: HeatmapChart, context: ViewContext) -> None:
    image = context.settle(chart)
    position = at(chart, 8, 2.5)
    found = {colour_at(image, position.x() + k, position.y()) for k in (-1, 0, 1, 2)}
    assert len(found) > 1, "user10's minute is lost"
    context.clock.set_window(480 * 60 - 30, 480 * 60 + 90)
    image = context.settle(chart)
    assert hue(chart, image, (480 * 60 + 20) / HOUR, 2.5) == colour_of(2)
    assert hue(chart, image, (480 * 60 - 20) / HOUR, 2.5) == LIGHT.chart
    assert hue(chart, image, (480 * 60 + 80) / HOUR, 2.5) == LIGHT.chart


def test_a_click_picks_the_user_and_dims_the_others(chart: HeatmapChart, context: ViewContext) -> None:
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 4, 1.5).toPoint())
    assert context.selection.value.users == {0}
    image = context.settle(chart)
    assert hue(chart, image, 1.4, 1.5) == colour_of(1)
    assert hue(chart, image, 6.4, 0.5) != colour_of(50)
    top = at(chart, 4.4, 1)
    assert LIGHT.accent in {colour_at(image, top.x(), top.y() + k) for k in (-2, -1, 0, 1)}


def test_no_lines_are_around_the_rows_where_all_users_are_selected(
    chart: HeatmapChart, context: ViewContext
) -> None:
    def column() -> set[str]:
        image, top = context.settle(chart), at(chart, 4.4, 0)
        return {colour_at(image, top.x(), top.y() + k) for k in range(int(at(chart, 4.4, 3).y() - top.y()))}

    context.selection.select_users((0, 1))
    assert LIGHT.accent in column()
    context.selection.select_users((0, 1, 2, 3))
    assert LIGHT.accent not in column()


def test_the_lines_around_a_low_row_leave_it_free(context: ViewContext) -> None:
    trace = users(*(f"u{k}" for k in range(60)))
    steps = steps_of(*([(60, k + 1), (540, 0)] for k in range(60)))  # from the first hour to the ninth
    context.clock.reset(0, 10 * HOUR)
    chart = HeatmapChart(context, LIGHT)
    chart.set_data(trace, steps)
    context.show(chart, 700, 80)
    rows = rows_in_order(trace, steps.totals)
    frame = chart.frame()
    assert frame.plot.height() < 60
    for user in (59, 30, 5):
        context.selection.select_user(user)
        image = context.settle(chart)
        (top, end) = rows.span(user, frame.plot.height()) or (0.0, 0.0)
        y = int(frame.plot.top() + (top + end) / 2)
        x = frame.scale.x(5.2 * HOUR)
        around = [colour_at(image, x, y + k) for k in range(-4, 5)]
        assert around[4] != LIGHT.accent
        assert LIGHT.accent in around[:4] or user == 59  # above the uppermost there is no room
        assert LIGHT.accent in around[5:]
        lines = [k for k, colour in enumerate(around) if colour == LIGHT.accent]
        assert len(lines) == 1 or lines[1] - lines[0] > 3


def test_the_mouse_tells_user_minute_and_count(chart: HeatmapChart) -> None:
    assert chart.tooltip_at(at(chart, 6.01, 0.5)) == "user bob\n6:00:00 h\n50 violated jobs"
    assert chart.tooltip_at(at(chart, 1.5, 1.5)).endswith("\n1 violated job")
    assert chart.tooltip_at(at(chart, 3, 1.5)).endswith("\n0 violated jobs")
    assert chart.tooltip_at(QPointF(2, 60)) == ""


def test_rows_in_an_order_from_outside(chart: HeatmapChart, context: ViewContext) -> None:
    chart.set_data(TRACE, STEPS, UserRows(np.array([2, 0, 1, 3]), 4))
    image = context.settle(chart)
    assert hue(chart, image, 1.4, 1.5, 4) == colour_of(1)
    assert hue(chart, image, 6.4, 2.5, 4) == colour_of(50)
    assert hue(chart, image, 6.4, 0.5, 4) == LIGHT.chart


def test_a_scale_that_several_runs_share(chart: HeatmapChart, context: ViewContext) -> None:
    chart.set_scale_max(1000)
    assert hue(chart, context.settle(chart), 6.4, 0.5) == colour_of(50, 1000) != colour_of(50)
    chart.set_scale_max(10)  # counts beyond it have the last colour
    assert hue(chart, context.settle(chart), 6.4, 0.5) == colour_of(10, 10)
    assert chart.accessibleDescription() == "3 users, up to 10 violated jobs at a time"


def test_a_double_click_zooms_to_the_user_s_violations(chart: HeatmapChart, context: ViewContext) -> None:
    context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 1.5, 1.5).toPoint())
    assert context.clock.window == pytest.approx((57 * 60, 123 * 60))
    context.qtbot.keyClick(chart, Qt.Key.Key_Home)
    context.selection.select_users([1, 3])
    context.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert context.clock.window == pytest.approx((-0.05 * 481 * 60, 1.05 * 481 * 60))


def names_in_gutter(chart: HeatmapChart, image: QImage) -> int:
    """Pixel rows of the gutter in which something is written."""
    frame = chart.frame()
    columns = range(30, int(frame.plot.left()) - 6)
    return sum(
        len({image.pixel(x, y) for x in columns}) > 1
        for y in range(int(frame.plot.top()), int(frame.plot.bottom()))
    )


def test_names_stand_beside_rows_that_are_tall_enough(context: ViewContext) -> None:
    context.clock.reset(0, 10 * HOUR)
    many = users(*(f"u{k}" for k in range(60)))
    steps = steps_of(*([(0, 1 + k), (100, 0)] for k in range(60)))
    chart = HeatmapChart(context, DARK)
    chart.set_data(many, steps)
    context.show(chart, 500, 200)
    first = names_in_gutter(chart, context.settle(chart))
    assert 5 < first < 20  # the most hurt user alone
    for user in (59, 30, 0):  # the uppermost row, one amid others, the lowest one
        context.selection.select_user(user)
        assert 5 < names_in_gutter(chart, context.settle(chart)) < 20
    context.selection.clear()
    chart.resize(500, 60 * 12 + 80)
    assert names_in_gutter(chart, context.settle(chart)) > 300


def test_more_users_than_pixels(context: ViewContext) -> None:
    context.clock.reset(0, 10 * HOUR)
    trace = users(*(f"u{k}" for k in range(1000)))
    steps = steps_of(*([(0, 1000 if k == 777 else 1), (600, 0)] for k in range(1000)))
    chart = HeatmapChart(context, LIGHT)
    chart.set_data(trace, steps, UserRows(np.arange(1000), 1000))
    context.show(chart, 500, 164)
    image = context.settle(chart)
    most = colour_of(1000, 1000)
    plot = chart.frame().plot
    rows = [
        y for y in range(int(plot.height())) if colour_at(image, plot.left() + 43, plot.top() + y) == most
    ]
    assert len(rows) == 1
    position = QPointF(plot.left() + 43, plot.top() + rows[0])
    assert chart.tooltip_at(position).startswith("user u777\n")
    context.selection.select_user(778)
    assert colour_at(context.settle(chart), position.x(), position.y()) != most


def test_nobody_was_late(context: ViewContext) -> None:
    chart = HeatmapChart(context, LIGHT)
    context.show(chart)
    assert chart.message == "Nothing to show yet"
    chart.set_data(None, None)
    assert chart.message == chart.summary() == "Not computed yet"
    chart.set_data(TRACE, steps_of([], [], [], []))
    context.settle(chart)
    assert chart.message == "No job ended late"
    chart.set_data(TRACE, STEPS)
    assert chart.message == ""


def test_orders() -> None:
    trace = make_trace([0] * 4, [60] * 4, [1, 9, 4, 2], user=["user2", "user10", "ann", "bob"])
    totals = np.array([5, 7, 7, 0])
    assert rows_in_order(trace, totals).order.tolist() == [1, 2, 0]
    assert rows_in_order(trace, totals, "name").order.tolist() == [2, 0, 1]
    assert rows_in_order(trace, totals, "usage").order.tolist() == [1, 2, 0]
    assert rows_in_order(trace, totals, pinned=[3, 0]).order.tolist() == [3, 0, 1, 2]


def test_users_stand_in_groups_by_the_queue_that_they_use_most() -> None:
    trace = make_trace(
        [0] * 5,
        [60, 60, 60, 60, 10],
        [1, 9, 4, 2, 8],
        user=["ann", "bob", "cat", "dan", "ann"],
        queue=["short", "long", "short", "long", "long"],
    )
    rows = rows_in_order(trace, np.array([3, 2, 9, 8]), by_queue=True)
    assert rows.groups == (QueueGroup("long", 0, 3), QueueGroup("short", 3, 1))  # ann: 80 against 60
    assert rows.order.tolist() == [3, 0, 1, 2]
    rows = rows_in_order(trace, np.array([3, 2, 9, 8]), "name", True, [2])
    assert rows.groups == (QueueGroup("long", 1, 3),)
    assert (rows.order.tolist(), rows.pinned) == ([2, 0, 1, 3], 1)


def test_groups_are_named_told_apart_and_reported(context: ViewContext) -> None:
    context.clock.reset(0, 10 * HOUR)
    trace = make_trace([0] * 4, [60] * 4, user=list("abcd"), queue=["left", "right"] * 2)
    chart = HeatmapChart(context, LIGHT)
    steps = steps_of(*([(0, 1), (100, 0)] for _ in range(4)))
    chart.set_data(trace, steps, rows_in_order(trace, steps.totals))
    context.show(chart, 700, 260)
    plain = context.settle(chart)
    chart.set_data(trace, steps, rows_in_order(trace, steps.totals, by_queue=True))
    image = context.settle(chart)
    middle = at(chart, 8, 2, 4)
    line = {colour_at(image, middle.x(), middle.y() + k) for k in (-2, -1, 0)}
    assert LIGHT.faint in line
    assert LIGHT.faint not in {colour_at(plain, middle.x(), middle.y() + k) for k in (-2, -1, 0)}
    assert chart.tooltip_at(at(chart, 1, 0.5, 4)).endswith("queue: left")
    assert chart.tooltip_at(at(chart, 1, 2.5, 4)).endswith("queue: right")


def test_pinned_rows_stay_on_top_and_can_be_read(context: ViewContext) -> None:
    context.clock.reset(0, 10 * HOUR)
    trace = users(*(f"u{k}" for k in range(500)))
    steps = steps_of(*([(0, 1), (600, 0)] for _ in range(500)))
    chart = HeatmapChart(context, LIGHT)
    chart.set_data(trace, steps, rows_in_order(trace, steps.totals, pinned=[400, 3]))
    context.show(chart, 500, 200)
    image = context.settle(chart)
    plot = chart.frame().plot
    for user, y in ((400, 2), (400, PINNED_HEIGHT - 2), (3, PINNED_HEIGHT + 2), (0, 2 * PINNED_HEIGHT)):
        assert chart.tooltip_at(QPointF(plot.left() + 5, plot.top() + y)).startswith(f"user u{user}\n")
    edge = plot.top() + 2 * PINNED_HEIGHT
    assert LIGHT.accent in {colour_at(image, plot.left() + 43, edge + k) for k in (-2, -1, 0)}
    assert LIGHT.accent in {colour_at(image, plot.left() - 5, plot.top() + y) for y in (5, 6, 7)}
    assert names_in_gutter(chart, image) > 12


def test_a_right_click_picks_the_row_that_the_menu_is_meant_for(
    chart: HeatmapChart, context: ViewContext
) -> None:
    asked: list[float] = []
    chart.context_requested.connect(lambda _, spot: asked.append(spot.time))
    for expected in ({1}, {1}):
        position = at(chart, 2, 0.5).toPoint()
        reason = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(chart, QContextMenuEvent(reason, position, chart.mapToGlobal(position)))
        assert context.selection.value.users == expected
    assert len(asked) == 2


def test_a_pixel_shows_the_mean_on_demand(chart: HeatmapChart, context: ViewContext) -> None:
    chart.set_aggregate("mean")
    image = context.settle(chart)
    assert hue(chart, image, 6.4, 0.5) == colour_of(50, 50, 0.1)
    context.clock.set_window(0, 1000 * HOUR)  # clamped to a little more than all
    context.clock.set_window(60 * 60, 60 * 60 + 60)
    assert hue(chart, context.settle(chart), 1.01, 1.5) == colour_of(1, 50, 0.1)
    chart.resize(99, 200)  # one pixel wide: ann has one hour of the ten
    context.clock.set_window(0, 10 * HOUR)
    assert hue(chart, context.settle(chart), 0, 1.5) == colour_of(0.1, 50, 0.1)
    found = chart.tooltip_at(QPointF(chart.frame().plot.left(), at(chart, 0, 1.5).y()))
    assert found.endswith("0.100 violated jobs on average, at most 1")


def test_the_legend_becomes_shorter_before_it_goes(chart: HeatmapChart, context: ViewContext) -> None:
    """Its colours are there even where four runs stand beside one another."""
    chart.set_scale_max(1277)
    colours = {f"#{int(value) & 0xFFFFFF:06x}" for value in heat_colours(dark=False)}
    found = []
    for width in (900, 500, 380, 240):
        chart.resize(width, 120)
        image = context.settle(chart)
        found.append(sum(colour_at(image, x, 9) in colours for x in range(width // 3, width)))
    assert found[0] == 117  # without three marks
    assert found[0] > found[1] >= found[2] >= found[3] >= 17


def test_the_title_tells_what_colours_mean(chart: HeatmapChart) -> None:
    position = QPointF(300, 10)
    assert chart.tooltip_at(position) == (
        "Colours: most violated jobs of a user within a pixel, 1 to 50, logarithmic; own scale"
    )
    chart.set_scale_max(90)
    chart.set_aggregate("mean")
    assert "mean violated jobs of a user within a pixel, 0.1 to 90" in chart.tooltip_at(position)
    assert chart.tooltip_at(position).endswith("same scale in all runs")


def test_the_scale_of_colours_names_powers_of_ten() -> None:
    assert CountColors(1, 1).marks() == ((1.0, "1"), (1.0, "1"))
    marks = CountColors(1, 437).marks()
    assert [text for _, text in marks] == ["1", "10", "100", "437"]
    heights = [height for height, _ in marks]
    assert heights == sorted(heights)
    assert (heights[0], heights[-1]) == (0, 1)
    assert [text for _, text in CountColors(0.1, 10).marks()] == ["0.1", "1", "10"]


@given(st.integers(1, 150), st.integers(0, 150), st.integers(4, 130), st.sampled_from([1.0, 1.25, 2.0]))
def test_the_mouse_finds_the_users_that_are_drawn(count: int, pinned: int, height: int, ratio: float) -> None:
    rows = UserRows(np.random.default_rng(0).permutation(count), count, min(pinned, count))
    of_user, of_pixel = rows.lines(height, ratio)
    assert len(of_pixel) == height
    assert sorted(set(of_pixel.tolist())) == list(range(int(of_pixel.max()) + 1))
    for pixel in range(height):
        drawn = np.flatnonzero(of_user == of_pixel[pixel]).tolist()
        assert sorted(rows.at(pixel, height, ratio).tolist()) == drawn


def test_rows_and_their_users() -> None:
    rows = UserRows(np.array([2, 0]), 3)
    assert rows.span(0, 100) == (50, 100)
    assert rows.span(1, 100) is None
    assert rows.lines(100)[0].tolist() == [1, -1, 0]
    pinned = UserRows(np.array([2, 0, 1]), 3, 1)
    assert pinned.span(2, 20) == (0, 10)  # at most half
    assert pinned.span(1, 20) == (15, 20)
    assert pinned.lines(40, 2.0)[1].tolist() == [0] * 20 + [1] * 10 + [2] * 10
