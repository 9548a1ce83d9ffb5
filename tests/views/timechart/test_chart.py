from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from tests.views.context import ViewContext, colour_at, drag, mouse, wheel
from views.raster.request import RenderRequest
from views.state.selection import Selection
from views.text.ticks import Calendar
from views.text.tooltips import tip
from views.theme.theme import DARK, LIGHT
from views.timechart.chart import TimeChart
from views.timechart.frame import GUTTER
from views.timechart.picture import ChartPicture
from views.timechart.portrait import image_of

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
ORANGE = "#d08020"


class Ramp(TimeChart):
    """Orange from time 400 to 600; a click there picks user 7."""

    colour = 0xFFD08020

    def _look(self) -> Hashable:
        return self.colour

    def _painter_of(self, request: RenderRequest) -> Callable[[], ChartPicture]:
        colour = self.colour

        def make() -> ChartPicture:
            time = request.window[0] + (np.arange(request.width) + 0.5) * request.seconds_per_pixel
            row = np.where((time >= 400) & (time < 600), colour, 0xFFFFFFFF).astype(np.uint32)
            return ChartPicture.of(request, np.repeat(row[None, :], request.height, axis=0))

        return make

    def tooltip_at(self, position: QPointF) -> str:
        return "orange" if 400 <= self.frame().scale.time(position.x()) < 600 else ""

    def _clicked(self, position: QPointF, toggle: bool) -> bool:
        if self.tooltip_at(position):
            self.selection.select_user(7, toggle)
        return bool(self.tooltip_at(position))

    def _double_clicked(self, position: QPointF) -> bool:
        if self.tooltip_at(position):
            self.clock.fit_range(400, 600, margin=0)
        return bool(self.tooltip_at(position))

    def _picked_range(self) -> tuple[float, float] | None:
        return (400, 600) if self.selection.value.users else None


@pytest.fixture
def chart(context: ViewContext) -> Ramp:
    context.clock.reset(0, 1000)
    chart = Ramp(context, LIGHT, "Ramp")
    chart.set_message("")
    chart.resize(round(GUTTER) + 1000 + 14, 200)
    context.show(chart, round(GUTTER) + 1000 + 14)
    return chart


def at(chart: TimeChart, time: float, y: float = 80) -> QPointF:
    return QPointF(chart.frame().scale.x(time) + 0.5, y)


def test_the_picture_lies_where_its_time_is(chart: Ramp, context: ViewContext) -> None:
    image = context.settle(chart)
    assert colour_at(image, at(chart, 390).x(), 80) == LIGHT.chart
    assert colour_at(image, at(chart, 410).x(), 80) == ORANGE
    assert colour_at(image, at(chart, 605).x(), 80) == LIGHT.chart


def test_the_old_picture_is_moved_until_the_new_one_is_there(chart: Ramp, context: ViewContext) -> None:
    context.clock.set_window(200, 700)
    image = chart.grab().toImage()  # nothing else was drawn since
    assert colour_at(image, at(chart, 405).x(), 80) == ORANGE
    assert colour_at(image, at(chart, 395).x(), 80) == LIGHT.chart
    assert context.executor.busy
    context.settle(chart)


def test_the_wheel_zooms_at_the_pointer(chart: Ramp, context: ViewContext) -> None:
    position = at(chart, 250)
    before = chart.frame().scale.time(position.x())
    wheel(chart, position, 2)
    assert context.clock.span == pytest.approx(640)
    assert chart.frame().scale.time(position.x()) == pytest.approx(before)
    wheel(chart, position, -2)
    assert context.clock.window == pytest.approx((0, 1000))
    wheel(chart, position, 1, CONTROL)
    assert context.clock.span == pytest.approx(950)


def test_the_wheel_moves_with_shift_or_sideways(chart: Ramp, context: ViewContext) -> None:
    context.clock.set_window(400, 500)
    wheel(chart, at(chart, 450), -1, SHIFT)
    assert context.clock.window == pytest.approx((415, 515))
    wheel(chart, at(chart, 450), 1, sideways=True)
    assert context.clock.window == pytest.approx((400, 500))


def test_a_drag_moves_the_time_under_the_hand(chart: Ramp, context: ViewContext) -> None:
    context.clock.set_window(200, 700)
    start, end = at(chart, 300), at(chart, 400)
    time = chart.frame().scale.time(start.x())
    drag(chart, start, end)
    assert chart.frame().scale.time(end.x()) == pytest.approx(time)
    assert context.clock.window == pytest.approx((100, 600))
    context.clock.back()
    assert context.clock.window == (200, 700)


def test_a_shift_drag_selects_a_range(chart: Ramp, context: ViewContext) -> None:
    drag(chart, at(chart, 700), at(chart, 300), SHIFT)
    assert context.selection.value.time_range == pytest.approx((300, 700), abs=1.1)
    assert context.clock.window == (0, 1000)
    image = context.settle(chart)
    assert colour_at(image, at(chart, 650).x(), 80) not in (LIGHT.chart, ORANGE)
    assert colour_at(image, at(chart, 750).x(), 80) == LIGHT.chart


def test_a_control_drag_zooms_to_the_range(chart: Ramp, context: ViewContext) -> None:
    drag(chart, at(chart, 300), at(chart, 500), CONTROL)
    assert context.clock.window == pytest.approx((300, 500), abs=1.1)
    assert context.selection.value.empty


def test_escape_drops_a_drag(chart: Ramp, context: ViewContext) -> None:
    mouse(chart, QEvent.Type.MouseButtonPress, at(chart, 300), keys=SHIFT)
    mouse(chart, QEvent.Type.MouseMove, at(chart, 500), keys=SHIFT)
    context.qtbot.keyClick(chart, Qt.Key.Key_Escape)
    mouse(chart, QEvent.Type.MouseButtonRelease, at(chart, 500), keys=SHIFT)
    assert context.selection.value.empty


def test_a_range_beyond_the_edge_ends_there(chart: Ramp, context: ViewContext) -> None:
    drag(chart, at(chart, 900), QPointF(5000, 80), SHIFT)
    assert context.selection.value.time_range == pytest.approx((900, 1000), abs=1.1)


@pytest.mark.parametrize("from_left", [True, False])
def test_a_range_is_within_the_trace_wherever_the_drag_begins(
    chart: Ramp, context: ViewContext, from_left: bool
) -> None:
    first, last = (20.0, 5000.0) if from_left else (5000.0, 20.0)
    # From beside the plot, where the window shows all.
    drag(chart, QPointF(first, 80), at(chart, 500), SHIFT)
    whole = (0, 500) if from_left else (500, 1000)
    assert context.selection.value.time_range == pytest.approx(whole, abs=1.1)
    # From within the plot, where the window shows time before and after the trace.
    context.clock.set_window(-50, 1050)
    drag(chart, at(chart, -30 if from_left else 1030), QPointF(last, 80), SHIFT)
    assert context.selection.value.time_range == (0, 1000)
    drag(chart, at(chart, -30), at(chart, -10), SHIFT)
    assert context.selection.value.time_range == (0, 1000)  # there is nothing to select
    # A zoom goes no further than the window did.
    drag(chart, QPointF(first, 80), at(chart, 500), CONTROL)
    assert context.clock.window == pytest.approx((-50, 500) if from_left else (500, 1050), abs=1.1)


def test_a_range_keeps_its_start_where_the_wheel_moves_it_out_of_view(
    chart: Ramp, context: ViewContext
) -> None:
    mouse(chart, QEvent.Type.MouseButtonPress, at(chart, 100), keys=SHIFT)
    mouse(chart, QEvent.Type.MouseMove, at(chart, 600), keys=SHIFT)
    context.clock.set_window(500, 700)
    mouse(chart, QEvent.Type.MouseMove, at(chart, 650), keys=SHIFT)
    mouse(chart, QEvent.Type.MouseButtonRelease, at(chart, 650), keys=SHIFT)
    assert context.selection.value.time_range == pytest.approx((100, 650), abs=1.1)


def test_a_click_selects_and_one_beside_clears(chart: Ramp, context: ViewContext) -> None:
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 500).toPoint())
    assert context.selection.value == Selection(users=frozenset({7}))
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, CONTROL, at(chart, 100).toPoint())
    assert context.selection.value.users == {7}
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, CONTROL, at(chart, 500).toPoint())
    assert context.selection.value.empty
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 500).toPoint())
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 100).toPoint())
    assert context.selection.value.empty


def test_a_double_click_zooms_to_what_is_there_else_to_all(chart: Ramp, context: ViewContext) -> None:
    context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 500).toPoint())
    assert context.clock.window == (400, 600)
    context.clock.set_window(600, 900)
    context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 800).toPoint())
    assert context.clock.window == (0, 1000)


@pytest.mark.parametrize(
    ("key", "window"),
    [
        (Qt.Key.Key_W, (420, 580)),
        (Qt.Key.Key_Up, (420, 580)),
        (Qt.Key.Key_S, (375, 625)),
        (Qt.Key.Key_Down, (375, 625)),
        (Qt.Key.Key_A, (370, 570)),
        (Qt.Key.Key_Left, (370, 570)),
        (Qt.Key.Key_D, (430, 630)),
        (Qt.Key.Key_Right, (430, 630)),
        (Qt.Key.Key_Home, (0, 1000)),
        (Qt.Key.Key_Backspace, (0, 1000)),
        (Qt.Key.Key_Q, (400, 600)),
    ],
)
def test_keys_move_and_zoom(chart: Ramp, context: ViewContext, key: Qt.Key, window: tuple) -> None:
    context.clock.set_window(400, 600)
    context.qtbot.keyClick(chart, key)
    assert context.clock.window == pytest.approx(window)


def test_backspace_goes_back(chart: Ramp, context: ViewContext) -> None:
    context.clock.set_window(400, 600)
    context.qtbot.keyClick(chart, Qt.Key.Key_Backspace)
    assert context.clock.window == (0, 1000)
    context.clock.set_window(400, 600)
    context.qtbot.keyClick(chart, Qt.Key.Key_W, CONTROL)
    assert context.clock.window == (400, 600)


def test_f_fits_the_range_else_what_is_picked(chart: Ramp, context: ViewContext) -> None:
    context.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert context.clock.window == (0, 1000)
    context.selection.select_user(7)
    context.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert context.clock.window == pytest.approx((390, 610))
    context.selection.select_time_range(100, 200)
    context.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert context.clock.window == pytest.approx((95, 205))
    context.qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert context.selection.value.empty


def test_the_line_under_the_mouse_is_in_every_chart(chart: Ramp, context: ViewContext) -> None:
    other = Ramp(context, LIGHT, "Other")
    other.set_message("")
    context.show(other, chart.width())
    before = context.settle(other)
    mouse(chart, QEvent.Type.MouseMove, at(chart, 200), Qt.MouseButton.NoButton)
    assert context.clock.hover == pytest.approx(200.5, abs=0.6)
    image = context.settle(other)
    x = other.frame().scale.x(200) + 0.5
    assert colour_at(image, x, 60) != colour_at(before, x, 60)
    QApplication.sendEvent(chart, QEvent(QEvent.Type.Leave))
    assert context.clock.hover is None
    assert context.settle(other) == before


def test_the_line_may_be_years_away_from_a_second_that_fills_the_chart(
    chart: Ramp, context: ViewContext
) -> None:
    context.clock.set_hover(500)
    context.clock.reset(0, 3e9)
    context.clock.set_window(2e9, 2e9 + 1)
    context.clock.set_hover(1e9)  # an exception in a slot fails the test
    context.clock.set_hover(None)
    context.settle(chart)


def test_the_mouse_over_something_tells_what_it_is(chart: Ramp, context: ViewContext) -> None:
    mouse(chart, QEvent.Type.MouseMove, at(chart, 500), Qt.MouseButton.NoButton)
    assert QToolTip.text() == tip("orange")
    mouse(chart, QEvent.Type.MouseMove, at(chart, 100), Qt.MouseButton.NoButton)
    context.qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_a_right_click_says_where(chart: Ramp, context: ViewContext) -> None:
    position = at(chart, 300).toPoint()
    with context.qtbot.waitSignal(chart.context_requested) as asked:
        QApplication.sendEvent(
            chart, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, position, chart.mapToGlobal(position))
        )
    assert asked.args is not None
    assert asked.args[0] == chart.mapToGlobal(position)
    assert asked.args[1].time == pytest.approx(300, abs=1)


def test_a_message_stands_for_data(chart: Ramp, context: ViewContext) -> None:
    plain = context.settle(chart)
    chart.set_message("Simulating")
    image = context.settle(chart)
    assert image != plain
    assert colour_at(image, at(chart, 410).x(), 150) != ORANGE
    assert chart.message == "Simulating"
    chart.set_message("")
    assert context.settle(chart) == plain


def test_another_theme_and_title(chart: Ramp, context: ViewContext) -> None:
    chart.set_theme(DARK)
    chart.set_title("easy", "#0072b2")
    image = context.settle(chart)
    assert colour_at(image, 600, 2) == DARK.window
    assert colour_at(image, 12, 12) == "#0072b2"
    assert (chart.accessibleName(), chart.title) == ("easy", "easy")


def test_time_before_and_after_the_trace_is_hatched(chart: Ramp, context: ViewContext) -> None:
    context.clock.set_window(-1e9, 1e9)
    image = context.settle(chart)
    colours = {colour_at(image, at(chart, -30).x() + k, 80) for k in range(12)}
    assert LIGHT.unknown in colours
    assert colour_at(image, at(chart, 20).x(), 80) == LIGHT.chart


def test_the_axis_names_its_zone_and_can_go(chart: Ramp, context: ViewContext) -> None:
    with_axis = chart.frame()
    chart.set_time_axis(Calendar(10**9, "Europe/Stockholm"))
    image = context.settle(chart)
    labels = image.copy(0, int(with_axis.axis.top()) + 2, image.width(), 30)
    assert len({labels.pixel(x, y) for x in range(labels.width()) for y in range(labels.height())}) > 5
    chart.show_axis(False)
    assert chart.frame().plot.height() > with_axis.plot.height()
    assert chart.frame().axis.height() == 0


def test_an_exported_picture_is_complete_at_once_and_sharper(chart: Ramp, context: ViewContext) -> None:
    context.clock.set_window(300, 700)
    image = image_of(chart, QSize(500, 150), scale=2)
    assert (image.width(), image.height()) == (1000, 300)
    assert colour_at(image, 2 * (GUTTER + (500 - GUTTER - 14) / 2), 120) == ORANGE


def test_the_focus_is_seen(chart: Ramp, context: ViewContext) -> None:
    chart.setFocus()
    context.qtbot.waitUntil(chart.hasFocus)
    assert colour_at(context.settle(chart), 300, 0) == LIGHT.accent
    chart.clearFocus()
    assert colour_at(context.settle(chart), 300, 0) == LIGHT.window


def test_a_hidden_chart_draws_nothing(context: ViewContext, qtbot: QtBot) -> None:
    chart = Ramp(context, LIGHT, "Hidden")
    qtbot.addWidget(chart)
    chart.set_message("")
    context.clock.set_window(1, 10)
    QApplication.processEvents()
    assert not context.executor.busy
    chart.close()


def test_a_chart_that_cannot_be_drawn_says_so_once(context: ViewContext) -> None:
    class Broken(Ramp):
        def _painter_of(self, request: RenderRequest) -> Callable[[], ChartPicture]:
            def fail() -> ChartPicture:
                raise ValueError("no ink")

            return fail

    chart = Broken(context, LIGHT, "Broken")
    chart.set_message("")
    context.qtbot.addWidget(chart)
    chart.resize(300, 150)
    with context.qtbot.waitSignal(context.executor.failed) as failed:
        chart.show()
    assert failed.args is not None
    assert failed.args[0] == "Broken"
    context.failures.clear()
    context.settle(chart)


def test_one_pixel_of_room_is_no_error(context: ViewContext) -> None:
    chart = Ramp(context, LIGHT, "Tiny")
    chart.set_message("")
    context.show(chart, 5, 5)
    assert chart.frame().plot.width() == 1
    wheel(chart, QPointF(2, 2), 1)
    assert chart.mapFromGlobal(chart.mapToGlobal(QPoint(1, 1))) == QPoint(1, 1)
