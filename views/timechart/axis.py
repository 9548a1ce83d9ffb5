"""Paints a time axis: labelled ticks, the larger units below them, and the lines across the charts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from views.raster.time_scale import TimeScale
from views.text.ticks import TimeAxis
from views.theme.fonts import tick_font
from views.theme.theme import Theme

_LEAST = 36.0
_TICK = 4.0
_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_MIDDLE, _RIGHT = (side | _LINE for side in (Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight))


def axis_height(font: QFont) -> float:
    """Pixels of an axis with two lines, under a widget with this font."""
    return max(_LEAST, _TICK + 2 * line_height(font.toString()))


@lru_cache(maxsize=4)
def line_height(font: str) -> int:
    """Pixels of a line of labels, for a widget with the font that this spells."""
    base = QFont()
    base.fromString(font)
    return math.ceil(QFontMetricsF(tick_font(base)).height())


@dataclass(frozen=True)
class PixelTick:
    """A tick, in pixels: `x` is the middle of a pixel. `width` is the width of its label, which may be
    empty.
    """

    x: float
    label: str
    width: float


@dataclass(frozen=True)
class UnitName:
    """The name of a larger unit, from `x` on; `width` is the text's own."""

    x: float
    text: str
    width: float


@dataclass(frozen=True)
class AxisMarks:
    """An axis in pixels, for a given font: `faint` lines at labelled ticks, `strong` lines at larger
    units.
    """

    scale: TimeScale
    ticks: tuple[PixelTick, ...]
    names: tuple[UnitName, ...]
    faint: tuple[float, ...]
    strong: tuple[float, ...]


@lru_cache(maxsize=8)
def _marks(kind: TimeAxis, scale: TimeScale, font: str) -> AxisMarks:
    """Cached marks: all stacked charts share them."""
    # The axis decides which labels fit by their widths, so it must measure with the font that paints them.
    width = _widths(font)
    axis = kind.axis(scale, width)
    ticks = tuple(PixelTick(_sharp(scale.x(tick.time)), tick.label, width(tick.label)) for tick in axis.ticks)
    names = tuple(
        UnitName(scale.x(stretch.time), stretch.text, width(stretch.text)) for stretch in axis.stretches
    )
    labelled = [(mark.x, tick.boundary) for mark, tick in zip(ticks, axis.ticks, strict=True) if tick.label]
    faint, strong = (tuple(x for x, large in labelled if large == wanted) for wanted in (False, True))
    return AxisMarks(scale, ticks, names, faint, strong)


@lru_cache(maxsize=4)
def _widths(font: str) -> Callable[[str], float]:
    """The width of a text, in pixels; cached, because the same few texts recur while the time moves."""
    measured = QFont()
    measured.fromString(font)
    metrics = QFontMetricsF(measured)

    @lru_cache(maxsize=512)
    def width(text: str) -> float:  # of its own: to wrap a method of Qt loads the words of its help, in 40 ms
        return metrics.horizontalAdvance(text)

    return width


def axis_marks(kind: TimeAxis, scale: TimeScale, font: QFont) -> AxisMarks:
    """Ticks and larger units for this font."""
    return _marks(kind, scale, font.toString())


def paint_grid(painter: QPainter, plot: QRectF, marks: AxisMarks, theme: Theme) -> None:
    """Paint faint lines through the chart at labelled ticks, stronger lines where a larger unit begins."""
    # A plot's right and bottom edges are the first pixels outside of it.
    left, right, top, bottom = plot.left(), plot.right() - 1, plot.top(), plot.bottom() - 1
    for xs, strength in ((marks.faint, 28), (marks.strong, 70)):
        colour = QColor(theme.text)
        colour.setAlpha(strength)
        painter.setPen(colour)
        painter.drawLines([QLineF(x, top, x, bottom) for x in xs if left < x < right])


def paint_axis(painter: QPainter, room: QRectF, marks: AxisMarks, theme: Theme, name: str) -> None:
    """The axis under a chart: `room` reaches over the whole width of the widget."""
    metrics, scale = QFontMetricsF(painter.font()), marks.scale
    painter.setPen(QColor(theme.faint))
    left, right, top, line = room.left(), room.right(), room.top(), metrics.height()
    painter.drawLine(QPointF(scale.left, top), QPointF(scale.left + scale.width - 1, top))
    painter.drawLines(
        [QLineF(tick.x, top, tick.x, top + (_TICK if tick.label else _TICK / 2)) for tick in marks.ticks]
    )
    for tick in marks.ticks:
        # A label that does not fit entirely is left out: Qt would clip it at the edge of the widget.
        half = tick.width / 2
        if tick.label and left <= tick.x - half and tick.x + half <= right:
            box = QRectF(tick.x - half - 1, top + _TICK, 2 * half + 2, line)
            painter.drawText(box, _MIDDLE, tick.label)
    _paint_names(painter, QRectF(left, top + _TICK + line, room.width(), line), marks, theme)
    gutter = axis_gutter(room, scale.left, line)
    city = name.rpartition("/")[2].replace("_", " ")  # Stockholm is enough of Europe/Stockholm
    shown = metrics.elidedText(city, Qt.TextElideMode.ElideRight, gutter.width())
    painter.setPen(QColor(theme.faint))
    painter.drawText(gutter, _RIGHT, shown)


def axis_gutter(room: QRectF, left: float, line: float) -> QRectF:
    """The place beside the lower of an axis' two lines, both `line` high, up to where the plot begins."""
    return QRectF(room.left() + 4, room.top() + _TICK + line, left - room.left() - 12, line)


def _paint_names(painter: QPainter, room: QRectF, marks: AxisMarks, theme: Theme) -> None:
    """Paint days, months or years: each name where it begins, the first at the left edge, without
    overlaps.
    """
    painter.setPen(QColor(theme.text))
    right = marks.scale.left + marks.scale.width
    # A name may reach up to where the next begins, with 6 pixels between them; the last up to the edge of the
    # widget.
    limits = [*(name.x - 6 for name in marks.names[1:]), room.right()]
    for k, (name, limit) in enumerate(zip(marks.names, limits, strict=False)):
        if name.x + name.width + 3 > limit:
            continue
        painter.drawText(QRectF(name.x + 3, room.top(), name.width + 1, room.height()), _LINE, name.text)
        # The first name stands at the left edge, where its unit need not begin, so it has no line.
        if k:
            x = _sharp(name.x)
            painter.drawLine(QPointF(x, room.top() + 2), QPointF(x, room.bottom()))
        if name.x >= right:
            break


def paint_reading(
    painter: QPainter, room: QRectF, time: float, kind: TimeAxis, scale: TimeScale, theme: Theme
) -> None:
    """The time under the mouse, on the axis."""
    text = kind.format(time)
    metrics = QFontMetricsF(painter.font())
    width = metrics.horizontalAdvance(text) + 10
    # At both ends of the axis the box stops, and only the line above it goes on to the edge.
    left = min(max(scale.x(time) - width / 2, room.left()), room.right() - width)
    box = QRectF(left, room.top() + 1, width, metrics.height() + 3)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.cursor))
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(QColor(theme.chart))
    painter.drawText(box, _MIDDLE, text)


def _sharp(x: float) -> float:
    """The middle of a pixel, so that a line of one pixel is not blurred over two."""
    return float(int(x)) + 0.5
