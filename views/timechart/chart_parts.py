"""The parts of a chart that depend on the shown time: the plot, the axis below it, and the line under the
mouse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QWidget

from views.data.view_options import ViewOptions
from views.state.clock import Clock
from views.state.selection import Selection
from views.text.ticks import TimeAxis
from views.theme.fonts import tick_font
from views.theme.theme import Theme
from views.timechart.axis import axis_marks, paint_axis, paint_grid, paint_reading
from views.timechart.frame import (
    Frame,
    paint_message,
    paint_note,
    paint_outside,
    paint_picked,
)
from views.timechart.marks import paint_flags, paint_marks
from views.timechart.picture import ChartPicture


@dataclass(frozen=True)
class Inside:
    """The visible parts inside a chart besides its picture.

    With a `message` no data are shown. There are no data outside of `bounds`, and data outside of `known` are
    not computed yet, both in s.
    """

    axis: TimeAxis
    options: ViewOptions
    selection: Selection
    bounds: tuple[float, float]
    known: tuple[float, float] | None
    rows: tuple[float, float]  # shares of all
    message: str
    note: str


def paint_inside(
    painter: QPainter,
    frame: Frame,
    picture: ChartPicture | None,
    inside: Inside,
    over: Callable[[QPainter, Frame], None],
    theme: Theme,
    font: QFont,
) -> None:
    """Paint the axis, and the plot with its picture; `over` paints on top of the picture."""
    painter.setFont(tick_font(font))
    # Grid and axis share a list of marks, so that the lines meet the ticks exactly.
    marks = axis_marks(inside.axis, frame.scale, painter.font())
    if frame.axis.height():
        paint_axis(painter, frame.axis, marks, theme, inside.axis.name)
        paint_flags(painter, frame, marks, inside.options.marks, theme)
    painter.save()
    # Wide boxes and long captions end at the plot's edge; gutter and title must stay as they are.
    painter.setClipRect(frame.plot)
    painter.fillRect(frame.plot, QColor(theme.chart))
    if picture is not None:
        picture.paint(painter, frame, inside.rows)
    if inside.message:
        paint_message(painter, frame, inside.message, theme)
    else:
        # Hatching comes after the picture: an old picture that is still shown for a new range may reach over
        # times without data.
        for known in (inside.bounds, inside.known or inside.bounds):
            paint_outside(painter, frame, known, theme)
        paint_grid(painter, frame.plot, marks, theme)
        over(painter, frame)
        if inside.note:
            paint_note(painter, frame, inside.note, theme)
    # Marks and the selection are painted even over a message: they do not depend on the data.
    paint_marks(painter, frame, inside.options.marks, theme)
    paint_picked(painter, frame, inside.selection, inside.options, theme)
    painter.restore()


class CursorLine:
    """The line at the time under the mouse, in whichever chart that is, and its reading on the axis."""

    def __init__(self, chart: QWidget, clock: Clock) -> None:
        self._chart, self._clock = chart, clock
        self._drawn: float | None = None

    def paint(self, painter: QPainter, frame: Frame, axis: TimeAxis | None, theme: Theme) -> None:
        """Paint the line, and its reading if there is an `axis`."""
        clock = self._clock
        # Kept for `move`: when it is called, the clock has the new time, and the line is still here.
        self._drawn = clock.hover
        if clock.hover is None or not clock.start <= clock.hover <= clock.end:
            return
        x, colour = int(frame.scale.x(clock.hover)) + 0.5, QColor(theme.cursor)
        colour.setAlpha(150)
        painter.setPen(colour)
        painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom() - 1))
        if axis is not None:
            painter.setFont(tick_font(self._chart.font()))
            paint_reading(painter, frame.axis, clock.hover, axis, frame.scale, theme)

    def move(self, frame: Frame, axis: QRectF | None) -> None:
        """Have only the strips of the old and the new line, and the reading on the axis, painted again."""
        clock, plot = self._clock, frame.plot
        for moment in (self._drawn, clock.hover):
            # Zoomed far in, other times are more pixels away than a rectangle can say.
            if moment is not None and clock.start <= moment <= clock.end:
                x = round(frame.scale.x(moment))
                self._chart.update(QRect(x - 2, round(plot.top()), 4, round(plot.height()) + 1))
        if axis is not None:
            self._chart.update(axis.toAlignedRect())
