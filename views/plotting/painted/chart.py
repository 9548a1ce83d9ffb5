"""The widget that shows a plot: painted elsewhere, read by the mouse, marked by the selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QToolTip, QWidget

from views.plotting.painted.plot import Mark, Plot, PlotFrame, Reading, paint_plot, plot_frame
from views.text.tooltips import tip
from views.theme.theme import Theme, tick_font
from views.work.async_memo import AsyncMemo
from views.work.executor import Executor
from views.work.lazy import Once

SMALLEST_PANEL = (200, 180)
"""Pixels of a panel of plots at least, however its charts are arranged: else the window would jump."""

_DIAMOND = 5.5
_RING = 5.0


@dataclass(frozen=True, eq=False)
class Drawn:
    """A plot as it was painted."""

    plot: Plot
    frame: PlotFrame
    image: QImage


class PlotChart(QWidget):
    """Shows one plot. `picked` carries the units that were clicked, and whether ctrl was held.

    `enlarged` is sent by a double click: the reader wants to see this one alone, or others again.
    """

    picked = Signal(object, bool)
    enlarged = Signal()

    SMALLEST = 170
    """Narrower than this, in pixels, a chart says too little."""

    def __init__(self, executor: Executor, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(120, 90)
        self.setAccessibleName(name)
        self._theme = theme
        self._source: Once[Plot] | None = None
        self._version = 0
        self._units: Sequence[int] = ()
        self._reading: Reading | None = None
        self._memo: AsyncMemo[Drawn] = AsyncMemo(executor, name, self)
        self._memo.ready.connect(self._show)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.update()

    def set_plot(self, make: Callable[[], Plot] | None) -> None:
        """Show what `make` gives, called in another thread; the plot before stays until it is there."""
        self._source = None if make is None else Once(make)
        self._version += 1
        self._reading = None
        if make is None:
            self._memo.forget()
        self.update()

    def mark(self, units: Sequence[int]) -> None:
        """Mark these users, jobs..."""
        self._units = units
        self.update()

    @property
    def drawn(self) -> Drawn | None:
        """What is shown now."""
        return self._memo.value

    def sizeHint(self) -> QSize:
        """A comfortable size."""
        return QSize(280, 220)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture, stretched until one of this size is there, and over it what is picked."""
        self._request()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.chart))
        drawn = self._memo.value
        if drawn is None:
            return
        painter.drawImage(QRectF(self.rect()), drawn.image)
        if drawn.frame.whole.size() == QSizeF(self.size()):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            marks = drawn.plot.marks(self._units)
            for mark in marks:
                self._paint_mark(painter, drawn.frame.spot(mark.x, mark.y))
            if len(self._units) == 1:
                self._paint_labels(painter, drawn.frame, marks)
            if self._reading is not None and self._reading.spot is not None:
                painter.setPen(QPen(QColor(self._theme.text), 1.6))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(self._reading.spot, _RING, _RING)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what lies under the mouse."""
        reading = self.read(event.position())
        ringed = None if self._reading is None else self._reading.spot
        self._reading = reading
        if ringed != (reading.spot if reading else None):
            self.update()
        picks = reading is not None and reading.units is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if picks else Qt.CursorShape.ArrowCursor)
        if reading is not None:
            QToolTip.showText(event.globalPosition().toPoint(), tip(reading.text), self)
        else:
            QToolTip.hideText()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pick what was clicked."""
        reading = self.read(event.position())
        if event.button() == Qt.MouseButton.LeftButton and reading is not None and reading.units is not None:
            control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self.picked.emit(reading.units(), control)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show this one alone."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.enlarged.emit()

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse is elsewhere."""
        self._reading = None
        self.update()
        super().leaveEvent(event)

    def read(self, place: QPointF) -> Reading | None:
        """What lies at a place of the widget."""
        drawn = self._memo.value
        if drawn is None or drawn.frame.whole.size() != QSizeF(self.size()):
            return None
        if place.y() < drawn.frame.plot.top():
            return Reading(drawn.plot.words.text) if drawn.plot.words.text else None
        return None if drawn.plot.words.message else drawn.plot.read(drawn.frame, place)

    def _request(self) -> None:
        source, theme, font = self._source, self._theme, self.font()
        if source is None:
            return
        size, ratio = self.size(), self.devicePixelRatioF()
        key = (self._version, size.width(), size.height(), ratio, theme.name, font.key())
        self._memo.request(key, lambda: draw_plot(source(), QSizeF(size), ratio, theme, font))

    def _show(self) -> None:
        if self._memo.value is not None:
            words = self._memo.value.plot.words
            self.setAccessibleDescription(f"{words.title}. {words.message or words.text}")
        self.update()

    def _paint_mark(self, painter: QPainter, centre: QPointF) -> None:
        corners = ((0.0, -_DIAMOND), (_DIAMOND, 0.0), (0.0, _DIAMOND), (-_DIAMOND, 0.0))
        painter.setPen(QPen(QColor(self._theme.chart), 1.5))
        painter.setBrush(QColor(self._theme.text))
        painter.drawPolygon(QPolygonF([centre + QPointF(x, y) for x, y in corners]))

    def _paint_labels(self, painter: QPainter, frame: PlotFrame, marks: Sequence[Mark]) -> None:
        """The values beside the marks; none where they would lie over one another."""
        painter.setFont(tick_font(self.font()))
        boxes = [self._label_box(frame, mark) for mark in marks]
        if any(one.intersects(other) for one, other in combinations(boxes, 2)):
            return
        ground = QColor(self._theme.chart)
        ground.setAlpha(215)
        for box, mark in zip(boxes, marks, strict=True):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(QColor(self._theme.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, mark.text)

    def _label_box(self, frame: PlotFrame, mark: Mark) -> QRectF:
        """Above the mark, or below it where that would be cut off; empty without a text."""
        centre = frame.spot(mark.x, mark.y)
        metrics = QFontMetricsF(tick_font(self.font()))
        if not mark.text:
            return QRectF()
        width, height = metrics.horizontalAdvance(mark.text) + 6, metrics.height()
        top = centre.y() - _DIAMOND - 2 - height
        if top < frame.plot.top():
            top = centre.y() + _DIAMOND + 2
        left = min(max(centre.x() - width / 2, frame.plot.left()), frame.whole.right() - width)
        return QRectF(left, top, width, height)


def draw_plot(plot: Plot, size: QSizeF, ratio: float, theme: Theme, font: QFont) -> Drawn:
    """Paint a plot in a size of pixels, `ratio` device pixels each."""
    image = QImage((size * ratio).toSize(), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    frame = plot_frame(plot, size, font)
    painter = QPainter(image)
    paint_plot(painter, plot, frame, theme)
    painter.end()
    return Drawn(plot, frame, image)
