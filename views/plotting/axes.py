"""Pyqtgraph axes with the ticks of our scales, and category names below slots."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from engine.shown_text import html_text
from views.data.scales import ClockScale, LinearScale, Scale
from views.plot.plot import Category
from views.plotting.items import pen_of
from views.raster.time_scale import TimeScale
from views.theme.fonts import tick_font
from views.theme.palette import square_of
from views.theme.theme import Theme
from views.timechart.axis import axis_height, axis_marks, paint_axis, paint_grid

_APART = 26.0
"""Pixels between labels beside a plot at least."""

_MOST_TICKS = 24
"""Labels of an axis as tall as a screen: the axis has room for the widest of these."""

_FEW = 3
"""Labels of an axis at least, if they are short enough for a part of the usual distance."""

_CLOSER = 0.5

_BEYOND = 12
"""Pixels by which labels may reach beyond the ends of an axis."""

_SWATCH = 4.0
_MOST_LINES = 3
_LINES_OF_WORDS = 2
"""Of what is written out: a third line would take its height from low plots."""
_CUT = Qt.TextElideMode.ElideRight


class ScaleAxis(pg.AxisItem):
    """An axis with the ticks of a scale and faint grid lines through the plot.

    Labels stay `within` the length of the axis if there is no room beyond it.
    """

    def __init__(self, orientation: str, within: bool = False) -> None:
        super().__init__(orientation, maxTickLength=4 if orientation == "bottom" else 0)
        self._scale: Scale = LinearScale()
        self._within = within
        self._texts: dict[float, str] = {}
        self._name, self._swatch, self._base = "", "", QFont()
        self.needed = 0
        """Pixels of width that labels beside a plot need."""
        self.enableAutoSIPrefix(False)
        self.setStyle(autoExpandTextSpace=False, tickAlpha=255, hideOverlappingLabels=False)
        self.setStyle(tickTextOffset=0 if orientation == "bottom" else 5)
        self.setGrid(255)

    def dress(self, theme: Theme, base: QFont) -> None:
        """Use these colours, and a font a little smaller than the window's own."""
        self._base = base
        self.setTickFont(tick_font(base))
        self.setPen(pen_of(theme.border))
        self.setTickPen(pen_of(theme.grid))
        self.setTextPen(pen_of(theme.faint))
        self.label.setFont(tick_font(base))
        self.label.setDefaultTextColor(QColor(theme.faint))
        self.resizeEvent()  # pens of pyqtgraph's own axes write a name of theirs

    def set_scale(self, scale: Scale, name: str = "", swatch: str = "") -> None:
        """Show the ticks of this scale; `name` is shown below the ticks under a plot, after a swatch."""
        self._scale, self._name, self._swatch = scale, name, swatch
        self.label.setVisible(bool(name))
        self.needed = self._widest(scale.ticks((scale.full_range[1] - scale.full_range[0]) / _MOST_TICKS))
        self._show_name()
        self.update()

    def set_room(self, room: QRectF) -> None:
        """Stand there; pyqtgraph would keep an axis as narrow as it thinks that labels are."""
        self.setWidth(room.width()) if self.orientation == "left" else self.setHeight(room.height())
        self.setGeometry(room)

    def tall(self, width: float) -> int:
        """Pixels that are needed below a plot of this width; with a name as many as for dates, at least."""
        return int(max(2 * self._line() + 8, axis_height(self._base)) if self._name else self._line() + 8)

    def make_room(self) -> bool:
        """Make room if labels have become wider, because zooming in adds digits."""
        needed = self._widest(self._ticks(self.range[0], self.range[1], self.size().height()))
        wider, self.needed = needed > self.needed, max(needed, self.needed)
        return wider

    def boundingRect(self) -> QRectF:
        """Labels at the ends of the axis reach beyond it."""
        beyond = (_BEYOND, 0) if self.orientation == "bottom" else (0, _BEYOND)
        return super().boundingRect().adjusted(-beyond[0], -beyond[1], *beyond)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        self._texts = dict(self._ticks(minVal, maxVal, size))
        return [(1.0, list(self._texts))]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [self._texts[value] for value in values]

    def generateDrawSpecs(self, painter: QPainter) -> Any:
        specs = super().generateDrawSpecs(painter)
        if specs is not None and self._within:
            for room, _, _ in specs[2]:
                room.moveTop(min(max(room.top(), 0.0), self.size().height() - room.height()))
        return specs

    def resizeEvent(self, event: Any = None) -> None:
        if self.label is not None and hasattr(self, "_name"):  # else not made yet, or closed
            self._show_name()

    def _show_name(self) -> None:
        """Show the name, cut where it finds no room."""
        room = max(self.size().width() - 8, 0.0)
        metrics = QFontMetricsF(self.label.font())
        square = f'<span style="color: {self._swatch}">{square_of(self._swatch)}</span> '
        mark = square if self._swatch else ""
        name = metrics.elidedText(self._name, Qt.TextElideMode.ElideRight, room - (16 if mark else 0))
        self.label.setHtml(mark + html_text(name))
        bounds = self.label.boundingRect()
        self.label.setPos(int((self.size().width() - bounds.width()) / 2), int(self._name_top()))
        self.picture = None

    def _name_top(self) -> float:
        """The upper edge of the name's box, in pixels from the plot."""
        return self._line()

    def _ticks(self, low: float, high: float, size: float) -> list[tuple[float, str]]:
        """Ticks as far apart as the widest label of the scale is wide; if these are few, closer ticks.

        Closer ticks are taken only if their own labels, which may be shorter, have room.
        """
        pixel, apart = (high - low) / max(size, 1.0), self._apart()
        ticks = self._scale.ticks(apart * pixel, (low, high))
        if len(ticks) >= _FEW or self.orientation == "left":
            return ticks
        closer = self._scale.ticks(_CLOSER * apart * pixel, (low, high))
        return closer if self._widest(closer) <= _CLOSER * apart else ticks

    def _widest(self, ticks: Sequence[tuple[float, str]]) -> int:
        metrics = QFontMetricsF(tick_font(self._base))
        return int(max((metrics.horizontalAdvance(text) for _, text in ticks), default=0) + 12)

    def _apart(self) -> float:
        if self.orientation == "left":
            return _APART
        return QFontMetricsF(tick_font(self._base)).horizontalAdvance(self._scale.widest) + 16

    def _line(self) -> float:
        return QFontMetricsF(tick_font(self._base)).height()


class CategoryAxis(ScaleAxis):
    """The axis of categories: their names, in lines, and cut if a word does not fit.

    Categories with a swatch are named only if all names fit, because a legend names them too.
    """

    _categories: Sequence[Category] = ()  # the base class lays out what there is before it is made

    def __init__(self) -> None:
        super().__init__("bottom")
        self._text_colour = QColor()

    def dress(self, theme: Theme, base: QFont) -> None:
        """Use these colours; names have the colour of text, not of numbers."""
        super().dress(theme, base)
        self._text_colour = QColor(theme.text)

    def set_slots(self, slots: Sequence[Category]) -> None:
        """Show the names of these, at 0, 1, 2, ... of the scale."""
        self._categories = slots

    def tall(self, width: float) -> int:
        """Swatches, as many lines as the longest name needs, and the name of the axis."""
        return int(self._below_names(width) + (self._line() if self._name else 0))

    def _below_names(self, width: float) -> float:
        """Pixels from the plot to below the names of categories."""
        return self._swatches + 8 + max(map(len, self._names(width)), default=0) * self._line()

    def _name_top(self) -> float:
        return self._below_names(self.size().width()) - 8

    def drawPicture(self, painter: QPainter, *specs: Any) -> None:
        super().drawPicture(painter, *specs)
        if not self._categories:
            return
        low, high = self.range
        slot, line = self.size().width() / (high - low), self._line()
        names = self._names(self.size().width())
        # pyqtgraph has painted the axis without names: they wrap, which its own labels cannot.
        painter.setFont(tick_font(self._base))
        for k, category in enumerate(self._categories):
            middle, half = (k - low) * slot, min(slot / 4, 13.0)
            if category.colour:
                painter.fillRect(QRectF(middle - half, 3, 2 * half, _SWATCH), QColor(category.colour))
            painter.setPen(self._text_colour)
            for row, text in enumerate(names[k] if names else ()):
                room = QRectF(middle - slot / 2, 5 + self._swatches + row * line, slot, line)
                painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)

    @property
    def _swatches(self) -> float:
        """Their height; 0 where there are none."""
        return _SWATCH if any(category.colour for category in self._categories) else 0.0

    def _names(self, width: float) -> list[list[str]]:
        """The lines of each name; nothing where the names are left out."""
        if not self._categories:
            return []
        # Some pixels between two names.
        low, high = self._scale.full_range
        metrics, room = QFontMetricsF(tick_font(self._base)), width / (high - low) - 6
        # Longer words for names are taken if all of them fit in a few lines.
        if any(category.words for category in self._categories):
            words = [wrap(category.words or category.name, room, metrics) for category in self._categories]
            if all(lines is not None and len(lines) <= _LINES_OF_WORDS for lines in words):
                return [lines or [] for lines in words]
        names = [wrap(category.name, room, metrics) for category in self._categories]
        # Without swatches a name may be cut, as nothing else tells what a slot is; with them all names go.
        if not self._swatches:
            cut = (metrics.elidedText(category.name, _CUT, room) for category in self._categories)
            return [lines or [text] for lines, text in zip(names, cut, strict=True)]
        return [] if any(name is None for name in names) else [name for name in names if name is not None]


class TimeLineAxis(ScaleAxis):
    """The axis of a `ClockScale`, as under charts on the clock: ticks, and below them larger units."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self._theme: Theme | None = None

    def dress(self, theme: Theme, base: QFont) -> None:
        """Use these colours and a font a little smaller than this."""
        super().dress(theme, base)
        self._theme = theme

    def tall(self, width: float) -> int:
        """Pixels of both lines."""
        return int(axis_height(self._base))

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Both lines, and the lines across the plot."""
        line, theme = self._scale, self._theme
        if theme is None or not isinstance(line, ClockScale):
            return
        font, whole = tick_font(self._base), self.boundingRect()
        scale = TimeScale(float(self.range[0]), float(self.range[1]), 0.0, self.size().width())
        marks = axis_marks(line.axis, scale, font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(font)
        # The grid belongs to the axis, so it lies below the data.
        paint_grid(painter, QRectF(0, whole.top(), scale.width, -whole.top()), marks, theme)
        room = QRectF(whole.left(), 0, whole.width(), self.size().height())
        paint_axis(painter, room, marks, theme, "")


def wrap(name: str, width: float, metrics: QFontMetricsF) -> list[str] | None:
    """A name in lines of at most `width` pixels, broken after `-` `:` `,` and spaces; None if too long."""
    lines = [""]
    for part in re.findall(r"(?:\d+ )?[^-:, ]+[-:, ]?|[-:, ]", name):  # a number stays with its unit
        if metrics.horizontalAdvance((lines[-1] + part).rstrip()) <= width:
            lines[-1] += part
        else:
            lines.append(part)
    lines = [line.strip() for line in lines if line.strip()]
    fits = len(lines) <= _MOST_LINES and all(metrics.horizontalAdvance(line) <= width for line in lines)
    return lines if fits else None
