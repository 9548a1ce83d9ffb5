"""The pyqtgraph scene of a plot over time, framed as all charts on the clock are. It takes no events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from views.data.marks import TimeMark
from views.data.scales import Scale
from views.plotting.axes import ScaleAxis
from views.plotting.items import LayerItems, pen_of, tint_of
from views.text.ticks import TimeAxis
from views.theme.fonts import tick_font
from views.theme.theme import Theme
from views.timechart.axis import axis_marks, paint_axis, paint_grid, paint_reading
from views.timechart.frame import Frame, paint_border, paint_focus, paint_message, paint_outside
from views.timechart.marks import paint_flags, paint_marks

_GRID = 28
"""How opaque lines of the grid are, 0..255; they lie over the data."""

_SURROUND, _OUTSIDE, _AXES, _FOCUS = -1000, 1, 2, 3
"""Stacking order; the data are at -100, like pyqtgraph's ViewBox."""

_CURSOR, _INSTANT, _RANGE = 1000, 999, 998
"""The same among the things that lie within the plot."""


@dataclass(frozen=True)
class ClockLook:
    """The surroundings of a plot on the clock: its frame, scales, axis and message."""

    frame: Frame
    y: Scale
    time_axis: TimeAxis
    shows_axis: bool
    bounds: tuple[float, float]  # beyond these times nothing is known
    message: str = ""
    focused: bool = False
    marks: tuple[TimeMark, ...] = ()


class ClockCanvas(pg.GraphicsView):
    """Shows layers over the window of a clock, which the owner sets; `paint_name` paints the title line."""

    def __init__(
        self, theme: Theme, font: QFont, paint_name: Callable[[QPainter, Frame], None], parent: QWidget
    ) -> None:
        super().__init__(parent, useOpenGL=False, background=theme.window)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # The plot above it handles the mouse, and the canvas only shows.
        for widget in (self, self.viewport()):
            widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._theme, self._font, self._paint_name = theme, font, paint_name
        self._dressed: object = None  # the theme and the font that it has
        self._look: ClockLook | None = None
        self._box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.layers = LayerItems(self._box)
        self._left = ScaleAxis("left", within=True)
        self._axis = _TimeAxisItem()
        self._surround = _Painted(self._paint_surround, _SURROUND)
        self._outside = _Painted(self._paint_outside, _OUTSIDE)
        self._focus = _Painted(self._paint_focus, _FOCUS)
        self._cursor, self._instant = (pg.InfiniteLine(angle=90, movable=False) for _ in range(2))
        self._ranges = [pg.LinearRegionItem(movable=False) for _ in range(2)]  # picked, and being drawn
        # pyqtgraph would lay a central item out by itself: the parts are placed by the frame that all charts
        # share.
        self.setCentralItem(None)
        for item in (self._surround, self._box, self._outside, self._left, self._axis, self._focus):
            self.addItem(item)
        marks = (
            (self._cursor, _CURSOR),
            (self._instant, _INSTANT),
            *((span, _RANGE) for span in self._ranges),
        )
        for item, height in marks:
            item.setZValue(height)
            # The lines and ranges must not widen the scales of the data.
            self._box.addItem(item, ignoreBounds=True)
        self._left.linkToView(self._box)
        self._left.setZValue(_AXES)
        self._axis.setZValue(_AXES)
        self.set_theme(theme, font)

    def set_theme(self, theme: Theme, font: QFont) -> None:
        """Use other colours; layers come in theirs when they are shown next."""
        if (theme, font) == self._dressed:
            return
        self._dressed = self._theme, self._font = theme, font
        self.setBackground(theme.window)
        self._box.setBackgroundColor(theme.chart)
        self._left.dress(theme, font)
        self._left.setTickPen(pen_of(theme.text))
        self._left.setStyle(tickAlpha=_GRID)
        self._axis.dress(theme, font)
        cursor = tint_of(theme.cursor, 0.6)
        self._cursor.setPen(pg.mkPen(cursor, width=1))
        self._instant.setPen(pg.mkPen(theme.accent, width=2))
        for span in self._ranges:
            span.setBrush(tint_of(theme.accent, 0.18))
            for line in span.lines:
                line.setPen(pg.mkPen(theme.accent))

    def show_look(self, look: ClockLook) -> None:
        """Lay everything out, and show this part of time."""
        before, self._look = self._look, look
        frame, plot = look.frame, look.frame.plot
        for item in (self._box, self._left):
            item.setVisible(not look.message)
        # A hidden axis loses its room.
        is_known = before is not None and bool(before.message) != bool(look.message)
        if before is None or is_known or before.frame.plot != plot or before.frame.whole != frame.whole:
            self._box.setGeometry(plot)
            self._left.set_room(QRectF(frame.gutter.left(), plot.top(), frame.gutter.width(), plot.height()))
        if before is None or before.y != look.y:
            self._left.set_scale(look.y)
        self._box.setRange(xRange=(frame.scale.start, frame.scale.end), yRange=look.y.full_range, padding=0)
        self._axis.show_look(look)
        for item in (self._surround, self._outside, self._focus):
            item.set_room(frame.whole)

    def show_cursor(self, time: float | None) -> None:
        """The time under the mouse, in whichever chart it is."""
        self._cursor.setVisible(time is not None)
        self._axis.show_cursor(time)
        if time is not None:
            self._cursor.setPos(time)

    def show_picked(
        self, instant: float | None, picked: tuple[float, float] | None, drawn: tuple[float, float] | None
    ) -> None:
        """The instant and the range that are picked, and the range that is being drawn."""
        self._instant.setVisible(instant is not None)
        if instant is not None:
            self._instant.setPos(instant)
        for item, limits in zip(self._ranges, (picked, drawn), strict=True):
            item.setVisible(limits is not None)
            if limits is not None:
                item.setRegion(limits)

    def _paint_surround(self, painter: QPainter) -> None:
        if self._look is not None:
            paint_border(painter, self._look.frame, self._theme)
            painter.setFont(tick_font(self._font))
            self._paint_name(painter, self._look.frame)
            if self._look.message:
                painter.setFont(tick_font(self._font))
                painter.setClipRect(self._look.frame.plot)
                paint_message(painter, self._look.frame, self._look.message, self._theme)

    def _paint_outside(self, painter: QPainter) -> None:
        if self._look is not None and not self._look.message:
            painter.setClipRect(self._look.frame.plot)
            paint_outside(painter, self._look.frame, self._look.bounds, self._theme)
            paint_marks(painter, self._look.frame, self._look.marks, self._theme)

    def _paint_focus(self, painter: QPainter) -> None:
        if self._look is not None and self._look.focused:
            paint_focus(painter, self._look.frame.whole, self._theme)


class _Painted(pg.GraphicsObject):
    """A part of the scene that a function paints, in pixels."""

    def __init__(self, paint: Callable[[QPainter], None], height: float) -> None:
        super().__init__()
        self._paint, self._room = paint, QRectF()
        self.setZValue(height)

    def set_room(self, room: QRectF) -> None:
        """Say where it is painted, and have it painted anew."""
        if room != self._room:
            self.prepareGeometryChange()
            self._room = room
        self.update()

    def boundingRect(self) -> QRectF:
        return self._room

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        # Lines as thin as a pixel stay sharp.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.save()
        self._paint(painter)
        painter.restore()


class _TimeAxisItem(pg.AxisItem):
    """The axis of dates or hours with its lines through the plot, and the time under the mouse on it."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self._look: ClockLook | None = None
        self._time: float | None = None
        self._theme: Theme | None = None
        self._font = QFont()

    def dress(self, theme: Theme, font: QFont) -> None:
        """Use these colours."""
        self._theme, self._font = theme, font
        self.update()

    def show_look(self, look: ClockLook) -> None:
        """Show this part of time."""
        self.prepareGeometryChange()
        self._look = look
        self.update()

    def show_cursor(self, time: float | None) -> None:
        """Show the time under the mouse; None: it is elsewhere."""
        self._time = time
        # The axis alone is painted again: the reading moves with each step of the mouse.
        if self._look is not None and self._look.shows_axis:
            self.update(self._look.frame.axis)

    def boundingRect(self) -> QRectF:
        """The plot, and the whole width of the widget below it."""
        return QRectF() if self._look is None else self._look.frame.plot | self._look.frame.axis

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Ticks, the larger units below them, lines across, and the reading."""
        look, theme = self._look, self._theme
        if look is None or theme is None:
            return
        font, frame = tick_font(self._font), look.frame
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(font)
        marks = axis_marks(look.time_axis, frame.scale, font)
        # A message in place of data has no grid.
        if not look.message:
            paint_grid(painter, frame.plot, marks, theme)
        if look.shows_axis:
            paint_axis(painter, frame.axis, marks, theme, look.time_axis.name)
            paint_flags(painter, frame, marks, look.marks, theme)
            # The time under the mouse may be out of sight in this chart, as clocks are shifted.
            if self._time is not None and frame.scale.start <= self._time <= frame.scale.end:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                paint_reading(painter, frame.axis, self._time, look.time_axis, frame.scale, theme)
