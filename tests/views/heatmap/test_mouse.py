"""What the mouse tells and picks in a heatmap is what its pixels show, however low the rows are."""

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from tests.engine.metrics.test_difference import steps_of
from tests.traces import make_trace
from tests.views.context import ViewContext, colour_at
from views.data.user_rows import UserRows
from views.data.violation_counts import CountColors
from views.heatmap.chart import HeatmapChart
from views.theme.theme import LIGHT

MINUTES = 600
ROOMS = [(67, 39), (35, 208), (3, 100), (40, 40), (41, 40), (150, 31)]
"""Users, and pixels for them."""


def counts_of(users: int) -> list[list[int]]:
    """Counts of each user from minute to minute; every other user has none for most of the time."""
    rng = np.random.default_rng(users)
    counts = rng.integers(1, 2 + users, (users, MINUTES))
    counts *= rng.random((users, MINUTES)) < 0.02
    return np.where(np.arange(users)[:, None] % 2 == 0, np.arange(1, users + 1)[:, None], counts).tolist()


def make_chart(context: ViewContext, users: int, pixels: int) -> HeatmapChart:
    chart = HeatmapChart(context, LIGHT)
    context.clock.reset(0, MINUTES * 60)
    trace = make_trace([0] * users, [60] * users, user=[f"u{k}" for k in range(users)])
    chart.set_data(trace, steps_of(counts_of(users), 0), UserRows(np.arange(users), users))
    context.show(chart, 420, 200)
    chart.resize(420, 200 + pixels - int(chart.frame().plot.height()))
    assert chart.frame().plot.height() == pixels
    return chart


def colour_of(count: int, most: int) -> str:
    (value,) = CountColors(1, most).paint(np.array([count]), False, LIGHT.chart)
    return f"#{int(value) & 0xFFFFFF:06x}"


@pytest.mark.parametrize(("users", "pixels"), ROOMS)
def test_the_mouse_tells_the_count_that_a_pixel_shows(context: ViewContext, users: int, pixels: int) -> None:
    chart = make_chart(context, users, pixels)
    most = max(max(row) for row in counts_of(users))
    image, plot = context.settle(chart), chart.frame().plot.toRect()
    for hour in (0.37, 3.4, 7.61):  # between the lines of the grid
        x = int(chart.frame().scale.x(hour * 3600))
        for y in range(plot.top(), plot.top() + pixels):
            user, _, count = chart.tooltip_at(QPointF(x, y)).split("\n")
            assert colour_at(image, x, y) == colour_of(int(count.split()[0]), most), (y, user)


@pytest.mark.parametrize(("users", "pixels"), ROOMS)
def test_a_click_picks_the_user_that_the_mouse_tells(context: ViewContext, users: int, pixels: int) -> None:
    chart = make_chart(context, users, pixels)
    plot, picked = chart.frame().plot.toRect(), set()
    for y in range(plot.top(), plot.top() + pixels):
        context.selection.clear()
        context.settle(chart)
        position = QPoint(plot.left() + 123, y)
        text = chart.tooltip_at(QPointF(position)).split("\n")[0]
        context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=position)
        (user,) = context.selection.value.users
        assert text == f"user u{user}"
        picked.add(user)
    assert len(picked) == min(users, pixels)


def test_where_rows_share_a_pixel_the_selected_user_counts(
    context: ViewContext,
) -> None:
    chart = make_chart(context, 150, 31)
    plot = chart.frame().plot.toRect()
    position = QPointF(plot.left() + 123, plot.top() + 9)
    others = chart.tooltip_at(position)
    context.selection.select_user(9 * 150 // 31 + 1)
    context.settle(chart)
    assert chart.tooltip_at(position) != others
    assert chart.tooltip_at(position).startswith(f"user u{9 * 150 // 31 + 1}\n")


def test_a_mean_of_several_users_is_reported_as_such(context: ViewContext) -> None:
    chart = make_chart(context, 80, 40)
    chart.set_aggregate("mean")
    context.settle(chart)
    plot = chart.frame().plot.toRect()
    found = chart.tooltip_at(QPointF(plot.left() + 123, plot.top() + 10)).split("\n")
    assert found[0] == "user u20"
    assert found[2] == "21 violated jobs on average, at most 21"
    assert found[3].endswith(" on average of the 2 users here")


def test_a_step_on_the_edge_of_a_pixel_is_reported_where_it_is_shown(context: ViewContext) -> None:
    """A pixel shows a third of a minute, which floating numbers do not hold."""
    context.clock.reset(0, MINUTES * 60)
    chart = HeatmapChart(context, LIGHT)
    counts = [[1 + minute % 2 for minute in range(MINUTES)]]
    chart.set_data(make_trace([0], [60], user=["ann"]), steps_of(counts, 0))
    context.show(chart, 398, 100)
    plot = chart.frame().plot.toRect()
    assert plot.width() == 300
    context.clock.set_window(71 * 60, 171 * 60)
    image = context.settle(chart)
    lines = [chart.tooltip_at(QPointF(plot.left() + x, plot.top() + 9))[-16:] for x in range(300)]
    assert [line.split("\n")[1] for line in lines] == [
        "1 violated job" if (71 + x // 3) % 2 == 0 else "2 violated jobs" for x in range(300)
    ]
    shown = [colour_at(image, plot.left() + x, plot.top() + 9) for x in range(300)]
    edges = [x for x, (first, second) in enumerate(pairwise(shown)) if first != second]
    assert edges[:3] == [2, 5, 8]
