"""Dragging a slider of the panel that explores, and what is painted meanwhile."""

import hashlib
import math
import time
from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSlider, QStyle, QStyleOptionSlider, QWidget

EVENT_S = 0.008
"""A mouse tells of its position 125 times a second."""


class Painted(QObject):
    """Looks at (an `area` of) a widget when it has been painted: `seen` has (time, what it shows).

    What the window has painted is copied: painting it once more would take longer than the first time.
    """

    def __init__(self, widget: QWidget, area: QRect | None = None) -> None:
        super().__init__(widget)
        self.seen: list[tuple[float, str]] = []
        self._widget, self._area, self._looking = widget, area or widget.rect(), False
        for part in (widget, *widget.findChildren(QWidget)):
            part.installEventFilter(self)

    def changes(self, since: float = 0.0, until: float = math.inf) -> list[float]:
        """When it showed something else than before, in that time."""
        when = [when for (_, first), (when, second) in pairwise(self.seen) if first != second]
        return [moment for moment in when if since < moment < until]

    @property
    def different(self) -> int:
        """How many times it showed something else than before."""
        return len(self.changes())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Look when all that is painted with it is seen."""
        if event.type() == QEvent.Type.Paint and not self._looking:
            self._looking = True
            QTimer.singleShot(0, self, self._look)
        return False

    def _look(self) -> None:
        self._looking, painted, window = False, time.perf_counter(), self._widget.window()
        corner, size = self._widget.mapTo(window, self._area.topLeft()), self._area.size()
        shown = window.screen().grabWindow(
            window.winId(), corner.x(), corner.y(), size.width(), size.height()
        )
        self.seen.append((painted, hashlib.sha1(bytes(shown.toImage().constBits())).hexdigest()))


def handle_of(slider: QSlider) -> QPoint:
    """The middle of what a hand takes hold of."""
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    return slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider).center()


def drag(slider: QSlider, seconds: float, each: Callable[[], object] = lambda: None) -> None:
    """Drag the handle to and fro for some time, and let go at the left third."""
    position = handle_of(slider)
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=position)
    low, high = 8, slider.width() - 8
    step, x, end = -1, position.x(), time.perf_counter() + seconds
    # The drag ends at a known place, whatever time it had.
    while time.perf_counter() < end or x != (low + high) // 3:
        x += step
        if not low < x < high:
            step = -step
        QTest.mouseMove(slider, QPoint(x, position.y()))
        each()
        until = time.perf_counter() + EVENT_S
        # Real time passes between two moves, in which the window may paint, as under a hand.
        while (left := until - time.perf_counter()) > 0:
            QApplication.processEvents()
            time.sleep(min(left, 0.001))
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(x, position.y()))
