"""When charts are painted: what changes them all at once must not hold the window."""

import time
from itertools import pairwise

from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.views.context import ViewContext, colour_at
from views.theme.theme import LIGHT
from views.timechart.chart import TimeChart
from views.timechart.frame import Frame, frame_of


class Slow(TimeChart):
    """Takes a while to be painted, in a colour of its own."""

    colour = "#102030"

    def __init__(self, context: ViewContext, seen: list[str], parent: QWidget) -> None:
        super().__init__(context, LIGHT, "slow", parent)
        self._seen = seen

    def frame(self, whole: QRectF | None = None) -> Frame:
        return frame_of(whole or QRectF(self.rect()), self.clock.window, self.font(), False, 20.0)

    def _paint_whole(self, painter: QPainter, frame: Frame) -> None:
        self._seen.append("painted")
        time.sleep(0.01)
        painter.fillRect(frame.whole, QColor(self.colour))


def shown(context: ViewContext, seen: list[str], count: int) -> tuple[QWidget, list[Slow]]:
    """A window with some charts, painted."""
    window = QWidget()
    context.qtbot.addWidget(window)
    charts = [Slow(context, seen, window) for _ in range(count)]
    column = QVBoxLayout(window)
    for chart in charts:
        column.addWidget(chart)
    window.resize(300, 100 * count)
    # Charts paint only on an exposed window.
    with context.qtbot.waitExposed(window):
        window.show()
    context.qtbot.waitUntil(lambda: seen.count("painted") >= count)
    QApplication.processEvents()
    # What was painted on the way here does not count.
    seen.clear()
    return window, charts


def test_between_the_paintings_of_two_charts_others_have_their_turn(
    qtbot: QtBot, context: ViewContext
) -> None:
    seen: list[str] = []
    window, charts = shown(context, seen, 3)
    timer = QTimer(window, interval=1)
    timer.timeout.connect(lambda: seen.append("timer"))
    timer.start()
    for chart in charts:
        chart.colour = "#405060"
        chart.refresh()
    qtbot.waitUntil(lambda: not context.idle_queue.busy)
    timer.stop()
    indices = [index for index, what in enumerate(seen) if what == "painted"]
    assert len(indices) == 3
    assert all("timer" in seen[first:second] for first, second in pairwise(indices))
    image = window.grab().toImage()
    for chart in charts:
        assert colour_at(image, chart.x() + 50, chart.y() + 50) == "#405060"
    assert seen.count("painted") == 3


def test_a_chart_that_has_its_old_size_again_is_not_painted_anew(qtbot: QtBot, context: ViewContext) -> None:
    seen: list[str] = []
    window, (chart,) = shown(context, seen, 1)
    size = chart.size()
    chart.resize(size.width() - 40, size.height())
    chart.resize(size)
    window.grab()
    assert not seen
    chart.resize(size.width() - 40, size.height())
    window.grab()
    assert seen == ["painted"]


def test_a_chart_that_is_gone_or_hidden_before_its_turn_is_left_out(
    qtbot: QtBot, context: ViewContext
) -> None:
    seen: list[str] = []
    _, (gone, hidden, kept) = shown(context, seen, 3)
    for chart in (gone, hidden, kept):
        chart.refresh()
    gone.hide()
    gone.deleteLater()
    hidden.hide()
    qtbot.waitUntil(lambda: not context.idle_queue.busy)
    assert seen.count("painted") == 1
