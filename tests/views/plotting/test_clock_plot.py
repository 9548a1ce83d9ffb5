"""A plot on the clock: it is set from the clock and asks it for changes."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication

from tests.views.context import ViewContext, colour_at, drag, mouse, wheel
from views.data.scales import LinearScale, Scale
from views.plot.area import PlotArea
from views.plot.layers import Computed, Curve, Layer
from views.plotting.clock_plot import ClockPlot
from views.theme.theme import LIGHT
from views.timechart.frame import GUTTER

RED = "#d55e00"


class Flat(ClockPlot):
    """A line at half of the height, computed for what is seen, from 1000 s on."""

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, LIGHT, "Flat")
        self.areas: list[PlotArea] = []
        self.message = ""

    def _y(self) -> Scale:
        return LinearScale()

    def _layers(self) -> list[Layer]:
        def make(area: PlotArea) -> Layer:
            self.areas.append(area)
            return Curve(np.array([1000.0, 1e6]), np.array([50.0, 50.0]), RED, 3.0)

        return [Computed(make)]


@pytest.fixture
def plot(context: ViewContext) -> Flat:
    context.clock.reset(0, 10_000)
    plot = Flat(context)
    context.qtbot.addWidget(plot)
    plot.resize(600, 200)
    plot.show()
    plot.refresh()
    context.settle(plot)
    return plot


def at(plot: Flat, time: float) -> QPointF:
    frame = plot.frame()
    return QPointF(frame.scale.x(time), frame.plot.center().y())


def drawn_at(plot: Flat, context: ViewContext, time: float) -> bool:
    image, position = context.settle(plot), at(plot, time)
    return RED in {colour_at(image, position.x(), position.y() + y) for y in range(-4, 5)}


def test_data_stand_where_the_clock_says(plot: Flat, context: ViewContext) -> None:
    assert plot.frame().plot.left() == GUTTER  # as in all charts on the clock
    assert [drawn_at(plot, context, time) for time in (850, 1150, 8400)] == [False, True, True]
    context.clock.set_window(500, 1500)
    assert [drawn_at(plot, context, time) for time in (900, 1100)] == [False, True]
    assert plot.areas[-1].x == (500, 1500)
    assert len(plot.areas) == len(set(plot.areas))  # nothing is computed twice


def test_numbers_stand_beside_a_plot_that_had_a_message_first(context: ViewContext) -> None:
    context.clock.reset(0, 10_000)
    plot, same = Flat(context), Flat(context)
    plot.message = "Nothing yet"
    pictures = []
    for chart in (plot, same):
        context.qtbot.addWidget(chart)
        chart.resize(600, 200)
        chart.show()
        chart.refresh()
        context.settle(chart)
    plot.message = ""
    plot.refresh()
    for chart in (plot, same):
        pictures.append(context.settle(chart).copy(plot.frame().gutter.toRect()))
    assert pictures[0] == pictures[1]


def test_wheel_and_drag_ask_the_clock(plot: Flat, context: ViewContext) -> None:
    wheel(plot, at(plot, 5000), 1)
    assert context.clock.window == pytest.approx((1000, 9000))
    drag(plot, at(plot, 5000), at(plot, 4000))
    assert context.clock.window == pytest.approx((2000, 10_000))
    drag(plot, at(plot, 3000), at(plot, 4000), Qt.KeyboardModifier.ShiftModifier)
    assert context.selection.value.time_range == pytest.approx((3000, 4000))
    context.qtbot.mouseDClick(plot, Qt.MouseButton.LeftButton, pos=at(plot, 5000).toPoint())
    assert context.clock.window == (0, 10_000)


def test_what_is_picked_and_the_mouse_are_seen(plot: Flat, context: ViewContext) -> None:
    veil = at(plot, 2500) + QPointF(0, 20)
    before = colour_at(context.settle(plot), veil.x(), veil.y())
    context.selection.select_time_range(2000, 3000)
    assert colour_at(context.settle(plot), veil.x(), veil.y()) != before
    context.selection.clear()
    assert colour_at(context.settle(plot), veil.x(), veil.y()) == before
    axis = QPoint(round(at(plot, 4000).x()), plot.height() - 10)
    context.qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=axis)
    assert context.selection.value.instant == pytest.approx(4000, abs=20)
    line = at(plot, 4000) + QPointF(0, 20)
    assert LIGHT.accent in {colour_at(context.settle(plot), line.x() + x, line.y()) for x in (-1, 0, 1)}
    context.clock.set_hover(7000)  # in another chart
    hovered = at(plot, 7000) + QPointF(0, 20)
    image = context.settle(plot)
    beside = {colour_at(image, hovered.x() + x, hovered.y()) for x in (-1, 0, 1)}
    assert beside != {LIGHT.chart}
    mouse(plot, QEvent.Type.MouseMove, at(plot, 6000))
    assert context.clock.hover == pytest.approx(6000, abs=20)


def test_a_message_stands_in_place_of_data(plot: Flat, context: ViewContext) -> None:
    plot.message = "Nothing to see"
    plot.refresh()
    assert not drawn_at(plot, context, 5000)
    assert plot.accessibleDescription() == "Nothing to see"
    plot.message = ""
    plot.refresh()
    assert drawn_at(plot, context, 5000)


def test_the_menu_is_asked_for_with_the_time(plot: Flat, context: ViewContext) -> None:
    asked: list[float] = []
    plot.context_requested.connect(lambda _, spot: asked.append(spot.time))
    position = at(plot, 3000).toPoint()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(plot, QContextMenuEvent(reason, position, plot.mapToGlobal(position)))
    assert asked == [pytest.approx(3000, abs=20)]
