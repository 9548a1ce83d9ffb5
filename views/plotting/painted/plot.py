"""Charts that are not over time: what one is, and the axes around it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from views.data.scales import Scale
from views.theme.theme import Theme, fitted, tick_font, title_font

Floats = NDArray[np.float64]

_RIGHT, _TOP, _APART = 12.0, 6.0, 26.0
_MOST_TICKS = 24
"""Labels of an axis as tall as a screen: room is kept for the widest of these."""

_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_LEFT, _CENTRE, _END = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight


@dataclass(frozen=True, eq=False)
class PlotFrame:
    """Where the parts of a plot lie, in pixels; heights of the scales map onto `plot`."""

    whole: QRectF
    plot: QRectF
    x: Scale
    y: Scale
    font: QFont  # of the window

    @property
    def line(self) -> float:
        """Height of a line of small text."""
        return QFontMetricsF(tick_font(self.font)).height()

    def xs(self, heights: Floats) -> Floats:
        """Places across, in pixels, of heights of the scale across."""
        low, high = self.x.span
        return self.plot.left() + (heights - low) / (high - low) * self.plot.width()

    def ys(self, heights: Floats) -> Floats:
        """Places down, in pixels, of heights of the scale up."""
        low, high = self.y.span
        return self.plot.bottom() - (heights - low) / (high - low) * self.plot.height()

    def spot(self, x: float, y: float) -> QPointF:
        """Where two heights meet."""
        return QPointF(float(self.xs(np.array(x))), float(self.ys(np.array(y))))

    def x_height(self, x: float) -> float:
        """The height of the scale across at a pixel."""
        low, high = self.x.span
        return low + (x - self.plot.left()) / max(self.plot.width(), 1e-9) * (high - low)


@dataclass(frozen=True)
class Reading:
    """What lies under the mouse, in words; the units that a click picks, if any, and where it is ringed."""

    text: str
    units: Callable[[], Sequence[int]] | None = None
    spot: QPointF | None = None


@dataclass(frozen=True)
class Mark:
    """A picked unit: heights on both scales, and its value in words."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Words:
    """What is written around a plot: `title` and `y_name` above, `x_name` below; `text` explains them.

    With a `message` there is nothing else to see.
    """

    title: str
    text: str = ""
    x_name: str = ""
    y_name: str = ""
    message: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Plot(ABC):
    """What a chart shows, immutable: it is painted away from the GUI thread and read on it."""

    words: Words
    x: Scale
    y: Scale

    @abstractmethod
    def paint(self, painter: QPainter, frame: PlotFrame, theme: Theme) -> None:
        """The data, within the axes."""

    @abstractmethod
    def read(self, frame: PlotFrame, place: QPointF) -> Reading | None:
        """What lies at a place in pixels."""

    def marks(self, units: Sequence[int]) -> list[Mark]:
        """Where picked units stand."""
        return []

    def below(self, width: float, font: QFont) -> float:
        """Pixels that are needed under a plot of this width: by default for ticks and their name."""
        lines = 2 if self.words.x_name else 1
        return lines * QFontMetricsF(tick_font(font)).height() + 8

    def paint_below(self, painter: QPainter, frame: PlotFrame, theme: Theme) -> None:
        """What stands under the plot: by default ticks and their name."""
        paint_ticks_across(painter, frame, theme, self.words.x_name)


def plot_frame(plot: Plot, size: QSizeF, font: QFont) -> PlotFrame:
    """Divide a size: title and axis name above, labels at the left, ticks or names below."""
    small, bold = QFontMetricsF(tick_font(font)), QFontMetricsF(title_font(font))
    low, high = plot.y.span
    widest = max((small.horizontalAdvance(t) for _, t in plot.y.ticks((high - low) / _MOST_TICKS)), default=0)
    left, top = widest + 12, bold.height() + small.height() + _TOP + 4
    width = max(float(int(size.width() - left - _RIGHT)), 1.0)
    height = max(float(int(size.height() - top - plot.below(width, font))), 1.0)
    whole = QRectF(0, 0, size.width(), size.height())
    return PlotFrame(whole, QRectF(left, top, width, height), plot.x, plot.y, font)


def paint_plot(painter: QPainter, plot: Plot, frame: PlotFrame, theme: Theme) -> None:
    """Everything: title, axes, data."""
    painter.fillRect(frame.whole, QColor(theme.chart))
    _paint_title(painter, plot, frame, theme)
    painter.setFont(tick_font(frame.font))
    if plot.words.message:
        painter.setPen(QColor(theme.faint))
        painter.drawText(
            frame.whole, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, plot.words.message
        )
        return
    _paint_ticks_up(painter, frame, theme)
    _paint_grid_across(painter, frame, theme)
    painter.save()
    painter.setClipRect(frame.plot.adjusted(-1, -1, 1, 1))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    plot.paint(painter, frame, theme)
    painter.restore()
    plot.paint_below(painter, frame, theme)


def _paint_title(painter: QPainter, plot: Plot, frame: PlotFrame, theme: Theme) -> None:
    room = QRectF(8, 2, frame.whole.width() - 16, QFontMetricsF(title_font(frame.font)).height())
    for told, font, colour in (
        (plot.words.title, title_font(frame.font), theme.text),
        (plot.words.y_name, tick_font(frame.font), theme.faint),
    ):
        font = fitted(font, told, room.width())
        painter.setFont(font)
        painter.setPen(QColor(colour))
        text = QFontMetricsF(font).elidedText(told, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, _LEFT | _LINE, text)
        room = QRectF(8, room.bottom(), frame.whole.width() - 16, frame.line)


def _paint_ticks_up(painter: QPainter, frame: PlotFrame, theme: Theme) -> None:
    plot = frame.plot
    low, high = frame.y.span
    for height, text in frame.y.ticks(_APART * (high - low) / max(plot.height(), 1.0)):
        y = round(float(frame.ys(np.array(height)))) + 0.5
        painter.setPen(QColor(theme.grid))
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        painter.setPen(QColor(theme.faint))
        room = QRectF(0, y - frame.line / 2, plot.left() - 5, frame.line)
        painter.drawText(room, _END | _LINE, text)
    if frame.y.gap is not None:
        painter.setPen(QPen(QColor(theme.faint), 1, Qt.PenStyle.DashLine))
        y = round(float(frame.ys(np.array(frame.y.gap)))) + 0.5
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
    painter.setPen(QColor(theme.border))
    painter.drawLine(QLineF(plot.left() - 0.5, plot.top(), plot.left() - 0.5, plot.bottom()))


def _ticks_across(painter: QPainter, frame: PlotFrame) -> list[tuple[float, str]]:
    """Where labels under the plot have room, in pixels, and what they say."""
    low, high = frame.x.span
    least = QFontMetricsF(painter.font()).horizontalAdvance("1 000 000 d") + 16
    ticks = frame.x.ticks(least * (high - low) / max(frame.plot.width(), 1.0))
    return [(round(float(frame.xs(np.array(height)))) + 0.5, text) for height, text in ticks]


def _paint_grid_across(painter: QPainter, frame: PlotFrame, theme: Theme) -> None:
    plot = frame.plot
    painter.setPen(QColor(theme.grid))
    painter.drawLines([QLineF(x, plot.top(), x, plot.bottom()) for x, _ in _ticks_across(painter, frame)])
    if frame.x.gap is not None:
        painter.setPen(QPen(QColor(theme.faint), 1, Qt.PenStyle.DashLine))
        x = round(float(frame.xs(np.array(frame.x.gap)))) + 0.5
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))


def paint_ticks_across(painter: QPainter, frame: PlotFrame, theme: Theme, name: str) -> None:
    """Ticks with their labels under the plot, and what they are."""
    plot, metrics = frame.plot, QFontMetricsF(painter.font())
    painter.setPen(QColor(theme.border))
    painter.drawLine(QLineF(plot.left(), plot.bottom() + 0.5, plot.right(), plot.bottom() + 0.5))
    painter.setPen(QColor(theme.faint))
    for x, text in _ticks_across(painter, frame):
        painter.drawLine(QLineF(x, plot.bottom(), x, plot.bottom() + 4))
        width = metrics.horizontalAdvance(text) + 2
        left = min(max(x - width / 2, 0.0), frame.whole.right() - width)
        painter.drawText(QRectF(left, plot.bottom() + 4, width, frame.line), _CENTRE | _LINE, text)
    room = QRectF(4, plot.bottom() + 4 + frame.line, frame.whole.width() - 8, frame.line)
    shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, _CENTRE | _LINE, shown)
