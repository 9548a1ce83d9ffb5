"""What charts over time need around them in a test."""

from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

import views.state.context
from views.inspector import Inspector
from views.plotting.pyqtgraph_loader import load
from views.state.clock import Clock
from views.state.filter import FilterModel
from views.state.selection import SelectionModel
from views.theme.theme import LIGHT
from views.timechart.chart import TimeChart
from views.work.executor import Executor
from views.work.idle_queue import IdleQueue

NO_KEY = Qt.KeyboardModifier.NoModifier


@dataclass(frozen=True)
class ViewContext(views.state.context.ViewContext):
    """What charts share, and what could not be drawn."""

    clock: Clock = field(default_factory=Clock)
    selection: SelectionModel = field(default_factory=SelectionModel)
    filter: FilterModel = field(default_factory=FilterModel)
    executor: Executor = field(default_factory=Executor)
    idle_queue: IdleQueue = field(default_factory=IdleQueue)
    qtbot: QtBot = field(kw_only=True)
    failures: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.executor.failed.connect(lambda _, error: self.failures.append(error))
        load()  # plots are shown at once

    def show(self, chart: TimeChart, width: int = 600, height: int = 200) -> None:
        """Show a chart and wait until it is drawn."""
        self.qtbot.addWidget(chart)
        chart.resize(width, height)
        with self.qtbot.waitExposed(chart):
            chart.show()
        self.settle(chart)

    def settle(self, chart: QWidget) -> QImage:
        """Wait until the chart shows what it should, and give its picture."""
        for _ in range(10):
            QApplication.processEvents()
            image = chart.grab().toImage()
            if not self.busy:
                assert not self.failures, self.failures
                return image
            self.qtbot.waitUntil(lambda: not self.busy)
        raise AssertionError("the chart never came to rest")

    @property
    def busy(self) -> bool:
        """True if anything is worked out in a thread, or waits for its turn in this one."""
        return self.executor.busy or self.idle_queue.busy

    def close(self) -> None:
        """Stop all work."""
        self.clock.release()
        assert self.executor.shutdown()


class Told(Inspector):
    """An inspector on a context, whose pages are waited for."""

    def __init__(self, context: ViewContext, width: int = 420, height: int = 900) -> None:
        super().__init__(context, LIGHT)
        self.context = context
        context.qtbot.addWidget(self)
        self.resize(width, height)
        self.show()

    def lines(self) -> list[str]:
        """What is seen, a table cell or a sentence each."""
        self.context.settle(self)
        text = self.browser.toPlainText().replace("\u200b", "").replace("\ufffc", "").replace("\u00a0", " ")
        return [line.strip() for line in text.split("\n") if line.strip()]


def after(words: list[str], label: str, count: int = 1) -> list[str]:
    """The words of a page that follow a label."""
    position = words.index(label)
    return words[position + 1 : position + 1 + count]


def colour_at(image: QImage, x: float, y: float) -> str:
    """The colour of a pixel, `#rrggbb`."""
    return QColor(image.pixel(int(x), int(y))).name()


def mouse(
    chart: QWidget,
    kind: QEvent.Type,
    position: QPointF,
    button: Qt.MouseButton = Qt.MouseButton.LeftButton,
    keys: Qt.KeyboardModifier = NO_KEY,
) -> None:
    """A mouse event as the window system sends it, with keys held."""
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else button
    pressed = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else button
    QApplication.sendEvent(
        chart, QMouseEvent(kind, position, chart.mapToGlobal(position), pressed, held, keys)
    )


def drag(chart: QWidget, start: QPointF, end: QPointF, keys: Qt.KeyboardModifier = NO_KEY) -> None:
    """Press, move in four steps, release."""
    mouse(chart, QEvent.Type.MouseButtonPress, start, keys=keys)
    for step in range(1, 5):
        mouse(chart, QEvent.Type.MouseMove, start + (end - start) * (step / 4), keys=keys)
    mouse(chart, QEvent.Type.MouseButtonRelease, end, keys=keys)


def wheel(
    chart: QWidget,
    position: QPointF,
    notches: float,
    keys: Qt.KeyboardModifier = NO_KEY,
    sideways: bool = False,
) -> None:
    """Turn the wheel, away from the hand for positive notches."""
    delta = QPoint(round(120 * notches), 0) if sideways else QPoint(0, round(120 * notches))
    QApplication.sendEvent(
        chart,
        QWheelEvent(
            position,
            chart.mapToGlobal(position),
            QPoint(),
            delta,
            Qt.MouseButton.NoButton,
            keys,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        ),
    )
