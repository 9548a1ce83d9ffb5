"""What mouse, wheel and menu do in a plot, and what is seen of it."""

import subprocess
import sys
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QAction, QContextMenuEvent, QFontMetricsF, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.views.context import ViewContext, colour_at, drag, wheel
from tests.views.plotting.plots import BLUE, WHOLE, five_dots, shown
from views.data.scales import LinearScale
from views.plotting.widget import PlotWidget
from views.theme.fonts import tick_font
from views.theme.theme import DARK, LIGHT

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def chart(context: ViewContext) -> PlotWidget:
    return shown(context)


def middle(chart: PlotWidget) -> QPointF:
    return chart.area.spot(500.0, 500.0)


def test_dots_stand_where_their_heights_say(context: ViewContext, chart: PlotWidget) -> None:
    image = context.settle(chart)
    for at in (100.0, 300.0, 900.0):
        spot = chart.area.spot(at, at)
        assert colour_at(image, spot.x(), spot.y()) not in (LIGHT.chart, LIGHT.grid)
        beside = chart.area.spot(at + 45.0, at + 30.0)
        assert colour_at(image, beside.x(), beside.y()) == LIGHT.chart


def test_the_wheel_zooms_at_the_pointer_and_a_double_click_fits(
    context: ViewContext, chart: PlotWidget
) -> None:
    position = chart.area.spot(300.0, 700.0)
    wheel(chart, position, 3)
    area = chart.area
    assert chart.zoomed
    assert area.x[1] - area.x[0] == pytest.approx(0.8**3 * (WHOLE.full_range[1] - WHOLE.full_range[0]))
    assert (area.x_at(position.x()), area.y_at(position.y())) == pytest.approx((300.0, 700.0))
    context.qtbot.mouseDClick(chart, LEFT, pos=position.toPoint())
    assert not chart.zoomed
    wheel(chart, position, -5)
    assert chart.area.x == pytest.approx(WHOLE.full_range)  # there is nothing beyond


def test_beside_the_plot_the_wheel_zooms_one_scale(chart: PlotWidget) -> None:
    wheel(chart, QPointF(10, middle(chart).y()), 2)
    assert chart.area.x == pytest.approx(WHOLE.full_range)
    assert chart.area.y != pytest.approx(WHOLE.full_range)
    chart.fit()
    wheel(chart, QPointF(middle(chart).x(), chart.height() - 5), 2)
    assert chart.area.x != pytest.approx(WHOLE.full_range)
    assert chart.area.y == pytest.approx(WHOLE.full_range)


def test_a_drag_moves_what_was_zoomed_and_is_no_click(context: ViewContext, chart: PlotWidget) -> None:
    picked: list[object] = []
    chart.picked.connect(lambda units, control: picked.append(units))
    wheel(chart, middle(chart), 4)
    before = chart.area
    dot = before.spot(500.0, 500.0)
    drag(chart, dot, dot + QPointF(40, -30))
    moved = chart.area.spot(500.0, 500.0) - dot
    assert (moved.x(), moved.y()) == pytest.approx((40, -30))
    assert not picked
    drag(chart, dot, dot + QPointF(10_000, 0))
    assert chart.area.x[0] == pytest.approx(WHOLE.full_range[0])


def test_a_drag_with_ctrl_zooms_to_a_rectangle(chart: PlotWidget) -> None:
    area = chart.area
    drag(chart, area.spot(200.0, 800.0), area.spot(600.0, 400.0), CONTROL)
    assert chart.area.x == pytest.approx((200.0, 600.0))
    assert chart.area.y == pytest.approx((400.0, 800.0))
    chart.fit()
    drag(chart, area.spot(200.0, 800.0), area.spot(600.0, 800.0), CONTROL)
    assert chart.area.x == pytest.approx((200.0, 600.0))
    assert chart.area.y == pytest.approx(WHOLE.full_range)


def test_a_click_picks_and_the_dot_is_ringed_under_the_mouse(context: ViewContext, chart: PlotWidget) -> None:
    picked: list[tuple[list[int], bool]] = []
    chart.picked.connect(lambda units, control: picked.append((units, control)))
    spot = chart.area.spot(300.0, 300.0).toPoint()
    before = context.settle(chart)
    context.qtbot.mouseMove(chart, spot)
    context.qtbot.waitUntil(lambda: "dot 1" in QToolTip.text())
    assert context.settle(chart) != before
    context.qtbot.mouseClick(chart, LEFT, pos=spot)
    context.qtbot.mouseClick(chart, LEFT, CONTROL, pos=spot)
    assert picked == [([1], False), ([1], True)]
    QToolTip.hideText()
    context.qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_a_picked_run_draws_the_others_back(context: ViewContext, chart: PlotWidget) -> None:
    line, dot = chart.area.spot(200.0, 500.0), chart.area.spot(300.0, 300.0)
    assert colour_at(context.settle(chart), line.x(), line.y()) == BLUE
    chart.pick_runs(frozenset({1}))
    image = context.settle(chart)
    assert colour_at(image, line.x(), line.y()) not in (BLUE, LIGHT.chart)
    strong = colour_at(image, dot.x(), dot.y())
    chart.pick_runs(frozenset())
    image = context.settle(chart)
    assert colour_at(image, line.x(), line.y()) == BLUE
    assert colour_at(image, dot.x(), dot.y()) == strong


def test_the_one_menu_has_what_the_owner_adds_first(context: ViewContext, chart: PlotWidget) -> None:
    own = QAction("Only this one", chart)
    chart.addAction(own)
    wheel(chart, middle(chart), 2)
    menu = opened_menu(chart)
    assert [action.text() for action in menu.actions()] == [
        "Only this one",
        "",
        "View all",
        "Drag moves",
        "Drag zooms to a rectangle",
        "",
        "Copy as a picture",
    ]
    menu.actions()[-1].trigger()
    assert QGuiApplication.clipboard().image().width() == chart.width()
    menu.actions()[4].trigger()
    menu.actions()[2].trigger()
    menu.close()
    assert not chart.zoomed
    area = chart.area
    drag(chart, area.spot(200.0, 800.0), area.spot(600.0, 400.0))
    assert chart.area.x == pytest.approx((200.0, 600.0))
    chart.fit()
    menu = opened_menu(chart)
    assert not menu.actions()[2].isEnabled()
    menu.close()


def opened_menu(chart: PlotWidget) -> QMenu:
    position = middle(chart).toPoint()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(chart, QContextMenuEvent(reason, position, chart.mapToGlobal(position)))
    (menu,) = [menu for menu in chart.findChildren(QMenu) if menu.isVisible()]
    return menu


def test_a_plot_of_the_same_name_keeps_the_part_that_is_seen(context: ViewContext, chart: PlotWidget) -> None:
    wheel(chart, middle(chart), 3)
    part = chart.area.x
    chart.set_plot(five_dots)
    context.settle(chart)
    assert chart.area.x == pytest.approx(part)
    chart.set_plot(lambda: five_dots(title="Other dots"))
    context.settle(chart)
    assert not chart.zoomed


def test_a_message_stands_in_place_of_a_plot(context: ViewContext, chart: PlotWidget) -> None:
    chart.set_plot(lambda: five_dots("Not computed"))
    image = context.settle(chart)
    assert chart.read(middle(chart)) is None
    assert "Not computed" in chart.accessibleDescription()
    inked = {colour_at(image, x, image.height() / 2 + y) for x in range(150, 350) for y in range(0, 60)}
    assert len(inked) > 2  # the words
    wheel(chart, middle(chart), 3)
    assert not chart.zoomed
    chart.set_plot(five_dots)
    assert context.settle(chart) != image
    assert chart.plot is not None
    chart.set_plot(None)
    assert chart.plot is None


def test_the_title_tells_what_is_shown(chart: PlotWidget) -> None:
    reading = chart.read(QPointF(30, 8))
    assert reading is not None
    assert reading.text == "Five of them."
    enlarged: list[bool] = []
    chart.enlarged.connect(lambda: enlarged.append(True))
    wheel(chart, middle(chart), 3)
    QtBot.mouseDClick(chart, LEFT, pos=QPoint(30, 8))
    assert enlarged
    assert chart.zoomed


def test_it_takes_the_colours_of_another_theme(context: ViewContext, chart: PlotWidget) -> None:
    chart.set_theme(DARK)
    image = context.settle(chart)
    assert colour_at(image, image.width() - 2, 30) == DARK.chart
    spot = chart.area.spot(300.0, 300.0)
    assert colour_at(image, spot.x(), spot.y()) != DARK.chart
    rows = range(image.height() - 16, image.height())  # the name of the axis is still there
    assert any(colour_at(image, x, y) != DARK.chart for x in range(image.width()) for y in rows)


def test_the_labels_of_ticks_are_whole_wherever_one_zooms(context: ViewContext, chart: PlotWidget) -> None:
    wheel(chart, middle(chart), 20)
    area = chart.area
    texts = [text for _, text in WHOLE.ticks((area.y[1] - area.y[0]) / 10, area.y)]
    assert len(texts) > 2
    widest = max(chart.fontMetrics().horizontalAdvance(text) for text in texts)
    assert area.left >= 0.88 * widest


def test_the_labels_of_ticks_are_whole_in_a_taller_plot(context: ViewContext, chart: PlotWidget) -> None:
    """A tall one has labels like 62.5, which are wider than those of other heights."""
    plot = replace(five_dots(), y=LinearScale(0.0, 62.5))
    chart.set_plot(lambda: plot)
    for height in (300, 500, 1000, 700, 880):
        chart.resize(500, height)
        context.settle(chart)
        area, font = chart.area, QFontMetricsF(tick_font(chart.font()))
        texts = [text for _, text in plot.y.ticks(26.0 * 62.5 * 1.1 / area.height, area.y)]
        assert area.left >= max(font.horizontalAdvance(text) for text in texts) + 5, (height, texts)
    assert "62.5" in texts


def test_pyqtgraph_is_loaded_for_the_first_plot_and_not_before() -> None:
    code = (
        "import sys, app.shell.window;"
        "print([m for m in ('pyqtgraph', 'numba', 'pandas', 'pyarrow', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


_FIRST_PLOT = """
import sys, threading
from PySide6.QtWidgets import QApplication
app = QApplication([])
hooks = sys.excepthook, threading.excepthook
from tests.views.plotting.plots import five_dots
from views.plotting.widget import PlotWidget
from views.state.clock import Clock
from views.state.context import ViewContext
from views.state.filter import FilterModel
from views.state.selection import SelectionModel
from views.theme.theme import LIGHT
from views.work.executor import Executor
from views.work.idle_queue import IdleQueue

assert "pyqtgraph" not in sys.modules
context = ViewContext(Clock(), SelectionModel(), FilterModel(), Executor(), IdleQueue())
charts = [PlotWidget(context, LIGHT, f"plot {k}") for k in range(3)]
for chart in charts:
    chart.resize(300, 200)
    chart.show()
    chart.set_plot(five_dots)
while not all(chart.plot for chart in charts):
    app.processEvents()
assert "pyqtgraph" in sys.modules
assert hooks == (sys.excepthook, threading.excepthook)
for chart in charts:
    chart.close()
    chart.deleteLater()
assert context.executor.shutdown()
"""


def test_first_plots_come_while_pyqtgraph_is_loaded_and_the_process_ends_well() -> None:
    script = [sys.executable, "-X", "faulthandler", "-c", _FIRST_PLOT]
    done = subprocess.run(script, capture_output=True, text=True, timeout=120, check=False)
    lines = [line for line in done.stderr.splitlines() if "This plugin does not support" not in line]
    assert (done.returncode, lines) == (0, [])


def test_plots_that_are_shown_together_are_painted_in_turns_of_their_own(context: ViewContext) -> None:
    page = QWidget()
    context.qtbot.addWidget(page)
    column = QVBoxLayout(page)
    charts = [shown(context), shown(context)]
    for chart in charts:
        column.addWidget(chart)
    page.resize(500, 500)
    page.show()
    context.settle(page)
    page.hide()
    seen: list[str] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
            if event.type() == QEvent.Type.Paint:
                seen.append("plot" if watched is not page else "page")
                QTimer.singleShot(0, self, lambda: seen.append("turn"))
            return False

    watch = Watch()
    for part in (page, *(chart._canvas.viewport() for chart in charts if chart._canvas is not None)):
        part.installEventFilter(watch)
    page.show()
    context.qtbot.waitUntil(lambda: seen.count("plot") >= 2)
    page.hide()
    assert seen[: seen.index("plot")].count("page")
    between = seen[seen.index("plot") + 1 :]
    assert "turn" in between[: between.index("plot")]
    assert all(chart._canvas is not None and chart._canvas.size() == chart.size() for chart in charts)
