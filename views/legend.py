"""What colours mean: swatches with names, or a bar with numbers, in the title line of a chart."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from views.palette import Pixels
from views.style import Theme

SWATCH = 10.0
BAR = 120.0
PAD = 6.0


@dataclass(frozen=True)
class Swatches:
    """Colours with their names, the most important first; those that find no room are left out."""

    entries: tuple[tuple[str, str], ...]  # colour, name


@dataclass(frozen=True, eq=False)
class Bar:
    """A range of colours; `marks` are places along it (0..1) with their text, from left to right."""

    colours: Pixels
    marks: tuple[tuple[float, str], ...]
    title: str = ""


Legend = Swatches | Bar


def paint_legend(painter: QPainter, room: QRectF, legend: Legend, theme: Theme) -> float:
    """Paint at the right end of `room`; returns the left edge of what was painted."""
    if isinstance(legend, Bar):
        return _paint_bar(painter, room, legend, theme)
    metrics = QFontMetricsF(painter.font())
    chosen, width = 0, 0.0
    for _, name in legend.entries:
        needs = SWATCH + 4 + metrics.horizontalAdvance(name) + 2 * PAD
        if width + needs > room.width():
            break
        chosen, width = chosen + 1, width + needs
    left = x = room.right() - width
    for colour, name in legend.entries[:chosen]:
        painter.fillRect(QRectF(x, room.center().y() - SWATCH / 2, SWATCH, SWATCH), QColor(colour))
        painter.setPen(QColor(theme.faint))
        advance = metrics.horizontalAdvance(name)
        text = QRectF(x + SWATCH + 4, room.top(), advance + 1, room.height())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, name)
        x = text.right() + 2 * PAD
    return left


def _paint_bar(painter: QPainter, room: QRectF, bar: Bar, theme: Theme) -> float:
    """The bar with its marks' texts beside one another in front of and behind it: first, bar, last."""
    metrics = QFontMetricsF(painter.font())
    first, last = bar.marks[0][1], bar.marks[-1][1]
    widths = [metrics.horizontalAdvance(text) for text in (bar.title, first, last)]
    title_room = widths[0] + 2 * PAD if bar.title else 0.0
    width = title_room + widths[1] + PAD + BAR + PAD + widths[2]
    if width > room.width():
        return room.right()
    left = room.right() - width
    line = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
    painter.setPen(QColor(theme.faint))
    if bar.title:
        painter.drawText(QRectF(left, room.top(), widths[0] + 1, room.height()), line, bar.title)
    x = left + title_room
    painter.drawText(QRectF(x, room.top(), widths[1] + 1, room.height()), line, first)
    strip = QRectF(x + widths[1] + PAD, room.center().y() - SWATCH / 2, BAR, SWATCH)
    painter.drawText(QRectF(strip.right() + PAD, room.top(), widths[2] + 1, room.height()), line, last)
    row = bar.colours.reshape(1, -1).copy()
    painter.drawImage(strip, QImage(row.data, row.shape[1], 1, QImage.Format.Format_RGB32))
    _paint_inner_marks(painter, strip, bar, metrics)
    return left


def _paint_inner_marks(painter: QPainter, strip: QRectF, bar: Bar, metrics: QFontMetricsF) -> None:
    """Short lines on the bar where its inner marks are."""
    painter.setPen(QColor(0, 0, 0, 130))
    for place, _ in bar.marks[1:-1]:
        x = strip.left() + place * strip.width()
        painter.drawLine(QPointF(x, strip.top()), QPointF(x, strip.bottom()))
