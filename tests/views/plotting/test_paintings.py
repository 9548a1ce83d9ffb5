"""How often plots are painted: each time costs milliseconds, and there may be many plots side by side."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QGraphicsView

from tests.views.context import ViewContext, colour_at, mouse
from tests.views.plotting.plots import WHOLE, FiveDots, shown
from views.data.scales import LinearScale, LogScale
from views.plot.plot import PlotWords
from views.plotting.widget import PlotWidget
from views.theme.theme import LIGHT


class Paintings(QObject):
    """Counts how often what a widget shows is painted."""

    def __init__(self, chart: PlotWidget) -> None:
        super().__init__(chart)
        self.count = 0
        (view,) = chart.findChildren(QGraphicsView)
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() == QEvent.Type.Paint
        return False


def rest(context: ViewContext) -> None:
    """Let the event loop do all that there is to do, without painting anything for the test."""
    context.qtbot.waitUntil(lambda: not context.executor.busy)
    for _ in range(10):
        QApplication.processEvents()


@pytest.fixture
def chart(context: ViewContext) -> PlotWidget:
    return shown(context)


def test_another_plot_is_painted_once(context: ViewContext, chart: PlotWidget) -> None:
    paintings = Paintings(chart)
    wider = LinearScale(0.0, 4000.0)
    broken = LogScale.of(np.array([0.0, 5.0, 2000.0]), False)
    for number, scale in enumerate((wider, broken, LogScale.of(np.array([0.0, 9e5]), False)), 1):
        chart.set_plot(lambda scale=scale: FiveDots(words=PlotWords("Dots"), x=scale, y=scale))
        rest(context)
        assert paintings.count == number


def test_what_is_not_marked_or_ringed_is_not_painted_for_that(
    context: ViewContext, chart: PlotWidget
) -> None:
    paintings = Paintings(chart)
    chart.mark([])
    mouse(chart, QEvent.Type.MouseMove, chart.area.spot(300.0, 700.0))
    rest(context)
    assert paintings.count == 0
    chart.mark([2])
    rest(context)
    assert paintings.count == 1
    chart.mark([])
    rest(context)
    assert paintings.count == 2


def test_dots_beyond_the_plot_and_those_without_a_place_are_left_out(context: ViewContext) -> None:
    chart = shown(
        context, FiveDots(words=PlotWords("Dots"), x=WHOLE, y=WHOLE, at=np.array([500.0, 1e30, np.nan]))
    )
    image, middle = context.settle(chart), chart.area.spot(500.0, 500.0)
    assert colour_at(image, middle.x(), middle.y()) not in (LIGHT.chart, LIGHT.grid)
    assert not chart.zoomed
