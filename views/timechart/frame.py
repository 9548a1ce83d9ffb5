"""The frame of a chart over time: where its parts lie, and what is painted around the data."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen

from views.data.view_options import ViewOptions
from views.raster.time_scale import TimeScale
from views.state.selection import Selection
from views.theme.fonts import tick_font, title_font
from views.theme.swatch import paint_swatch
from views.theme.theme import Theme
from views.timechart.axis import axis_height, line_height
from views.timechart.legend import Legend, paint_legend

GUTTER = 84.0
"""Least room at the left for row labels: the same in all charts, so that times line up."""

_GUTTER_LINES = 6.4  # the name of a strip beside its numbers, in heights of a line

RIGHT = 14.0
TITLE = 24.0
BOTTOM = 4.0

_COLOURED = 16.0  # what the colour before a title takes
_NAME = 0.55  # share of the gutter that the name of a strip takes at most
_MEASURED = 3.0  # height of the bar over what is measured

_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


@dataclass(frozen=True)
class Frame:
    """The rectangles of the parts of a chart; `axis` is empty where none is shown."""

    whole: QRectF
    title: QRectF
    gutter: QRectF
    plot: QRectF
    axis: QRectF
    scale: TimeScale


def frame_of(
    whole: QRectF, window: tuple[float, float], font: QFont, shows_axis: bool, title_height: float = TITLE
) -> Frame:
    """Divide `whole` of a widget with that font; the plot has whole pixels."""
    axis, gutter = axis_height(font) if shows_axis else 0.0, gutter_of(font)
    bottom = axis or BOTTOM
    # Whole pixels: a picture of fractional size would be scaled with each frame, which is slow and blurred.
    width = max(float(int(whole.width() - gutter - RIGHT)), 1.0)
    height = max(float(int(whole.height() - title_height - bottom)), 1.0)
    plot = QRectF(whole.left() + gutter, whole.top() + title_height, width, height)
    return Frame(
        whole=whole,
        title=QRectF(whole.left(), whole.top(), whole.width(), title_height),
        gutter=QRectF(whole.left(), plot.top(), gutter, height),
        plot=plot,
        axis=QRectF(whole.left(), plot.bottom(), whole.width(), axis),
        scale=TimeScale(*window, plot.left(), width),
    )


def gutter_of(font: QFont) -> float:
    """Room at the left of the charts of a window with this font: large letters need more."""
    return max(GUTTER, float(round(_GUTTER_LINES * line_height(font.toString()))))


def rows_in_plot(frame: Frame, part: tuple[float, float], shown: tuple[float, float]) -> tuple[float, float]:
    """Top and bottom, in pixels, of a part of the rows where `shown` of them are seen: shares of all."""
    low, high = shown
    down = frame.plot.height() / (high - low)
    return frame.plot.top() + (part[0] - low) * down, frame.plot.top() + (part[1] - low) * down


def paint_title(
    painter: QPainter,
    frame: Frame,
    title: str,
    colour: str,
    legend: Legend | None,
    theme: Theme,
    font: QFont,
) -> QRectF:
    """Paint the title, with the colour of its run, and the legend if there is room for it.

    Returns the rectangle of the title if it was cut, otherwise nothing.
    """
    room = frame.title.adjusted(8, 0, -RIGHT, 0)
    if colour:
        paint_swatch(painter, QRectF(room.left(), room.center().y() - 5, 10, 10), colour)
        room.setLeft(room.left() + _COLOURED)
    # The legend is painted first, because only its real width tells what is left for the title.
    metrics = QFontMetricsF(title_font(font))
    rest = legend_room(frame, title, colour, font)
    if legend is not None and rest.width() > 0:
        painter.setFont(tick_font(font))
        room.setRight(paint_legend(painter, rest, legend, theme) - 12)
    painter.setFont(title_font(font))
    painter.setPen(QColor(theme.text))
    text = metrics.elidedText(title, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | _LINE, text)
    return room if text != title else QRectF()


def beside_title(frame: Frame, title: str, colour: str, font: QFont) -> float:
    """The width available to a legend if the title is not cut, in pixels."""
    taken = QFontMetricsF(title_font(font)).horizontalAdvance(title) + 24 + (_COLOURED if colour else 0)
    return frame.title.width() - 8 - taken - RIGHT


def legend_room(frame: Frame, title: str, colour: str, font: QFont) -> QRectF:
    """The room that the title leaves to a legend: a long title is cut to half of the line."""
    line = frame.title.adjusted(8, 0, -RIGHT, 0)
    return line.adjusted(
        line.width() - max(beside_title(frame, title, colour, font), line.width() / 2), 0, 0, 0
    )


def paint_side_name(painter: QPainter, frame: Frame, name: str, theme: Theme, font: QFont) -> None:
    """The name in the gutter: a strip has no room for a title line."""
    painter.setFont(tick_font(title_font(font)))
    painter.setPen(QColor(theme.text))
    room = QRectF(
        frame.gutter.left() + 4, frame.plot.top(), _NAME * frame.gutter.width(), frame.plot.height()
    )
    painter.drawText(room, _LINE, name)


def paint_message(painter: QPainter, frame: Frame, message: str, theme: Theme) -> None:
    """Paint the reason why nothing is shown, in the middle of a hatched plot."""
    paint_hatch(painter, frame.plot, theme)
    metrics = QFontMetricsF(painter.font())
    room = frame.plot.width() - 40
    text = metrics.elidedText(message, Qt.TextElideMode.ElideRight, max(room, 0.0))
    box = QRectF(0, 0, metrics.horizontalAdvance(text) + 24, metrics.height() + 8)
    box.moveCenter(frame.plot.center())
    painter.setPen(QColor(theme.border))
    painter.setBrush(QColor(theme.chart))
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(QColor(theme.faint))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter | _LINE, text)


def paint_note(painter: QPainter, frame: Frame, note: str, theme: Theme) -> None:
    """Paint a note about the data in a box in the upper right corner of the plot."""
    metrics = QFontMetricsF(painter.font())
    text = metrics.elidedText(note, Qt.TextElideMode.ElideRight, max(frame.plot.width() - 20, 0.0))
    box = QRectF(
        0, 0, metrics.horizontalAdvance(text) + 12, min(metrics.height() + 2, frame.plot.height() - 2)
    )
    box.moveTopRight(frame.plot.topRight() + QPointF(-1.5, 1.5))
    painter.setPen(QColor(theme.accent))
    painter.setBrush(QColor(theme.chart))
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(QColor(theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter | _LINE, text)


def paint_outside(painter: QPainter, frame: Frame, bounds: tuple[float, float], theme: Theme) -> None:
    """Hatch the time before the first submission and after the last end: nothing is known there."""
    plot = frame.plot
    start, end = (frame.scale.x(time) for time in bounds)
    if start > plot.left():
        paint_hatch(painter, QRectF(plot.left(), plot.top(), start - plot.left(), plot.height()), theme)
    if end < plot.right():
        paint_hatch(painter, QRectF(end, plot.top(), plot.right() - end, plot.height()), theme)


def paint_hatch(painter: QPainter, area: QRectF, theme: Theme) -> None:
    """Paint a hatch over a part without data."""
    painter.fillRect(area, QColor(theme.window))
    painter.fillRect(area, QBrush(QColor(theme.unknown), Qt.BrushStyle.BDiagPattern))


def paint_border(painter: QPainter, frame: Frame, theme: Theme) -> None:
    """A line around the plot."""
    painter.setPen(QColor(theme.border))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(frame.plot.adjusted(-0.5, -0.5, 0.5, 0.5))


def paint_focus(painter: QPainter, whole: QRectF, theme: Theme) -> None:
    """A frame around the chart that the keys go to."""
    painter.setPen(QColor(theme.accent))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(whole.adjusted(0.5, 0.5, -0.5, -0.5))


def paint_range(
    painter: QPainter,
    frame: Frame,
    picked: tuple[float, float],
    theme: Theme,
    part: tuple[float, float] | None = None,
) -> None:
    """A picked range of time: a veil and its two edges; with a `part` (y from, to) a rectangle."""
    plot = frame.plot
    left, right = (frame.scale.x(time) for time in picked)
    veil = QColor(theme.accent)
    veil.setAlpha(45)
    top, bottom = part or (plot.top(), plot.bottom())
    area = QRectF(left, top, right - left, bottom - top) & plot
    painter.fillRect(area, veil)
    # A rectangle is drawn whole even where it meets an edge of the plot; a range has an edge only where its
    # end is in view.
    painter.setPen(QColor(theme.accent))
    if part is not None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(area.toRect()).adjusted(0.5, 0.5, -0.5, -0.5))
        return
    edges = [int(x) + 0.5 for x in (left, right) if plot.left() <= x <= plot.right()]
    painter.drawLines([QLineF(x, plot.top(), x, plot.bottom() - 1) for x in edges])


def paint_picked(
    painter: QPainter, frame: Frame, picked: Selection, options: ViewOptions, theme: Theme
) -> None:
    """The range that is measured alone, and the range or instant that is picked, if there are such."""
    if options.measured is not None:
        paint_measured(painter, frame, options.measured, theme)
    if picked.time_range is not None:
        paint_range(painter, frame, picked.time_range, theme)
    if picked.instant is not None:
        paint_instant(painter, frame, picked.instant, theme)


def paint_measured(painter: QPainter, frame: Frame, span: tuple[float, float], theme: Theme) -> None:
    """The range of time that is measured alone: a bar along the top, and a dashed line at both ends."""
    plot = frame.plot
    left, right = (frame.scale.x(time) for time in span)
    painter.fillRect(QRectF(left, plot.top(), right - left, _MEASURED) & plot, QColor(theme.accent))
    painter.setPen(QPen(QColor(theme.accent), 1, Qt.PenStyle.DashLine))
    edges = [int(x) + 0.5 for x in (left, right) if plot.left() <= x <= plot.right()]
    painter.drawLines([QLineF(x, plot.top(), x, plot.bottom() - 1) for x in edges])


def paint_instant(painter: QPainter, frame: Frame, time: float, theme: Theme) -> None:
    """A picked instant: a line of two pixels."""
    x = round(frame.scale.x(time))
    if frame.plot.left() <= x <= frame.plot.right():
        painter.fillRect(QRectF(x - 1, frame.plot.top(), 2, frame.plot.height()), QColor(theme.accent))


def paint_upright(painter: QPainter, frame: Frame, text: str, top: float, height: float) -> None:
    """A text along the left edge, from bottom to top, in the middle of its stretch; none without room."""
    metrics = QFontMetricsF(painter.font())
    if height < metrics.horizontalAdvance(text) + 4:
        return
    painter.save()
    painter.translate(frame.gutter.left() + 4, top + height)
    painter.rotate(-90)
    painter.drawText(QRectF(0, 0, height, metrics.height()), Qt.AlignmentFlag.AlignHCenter | _LINE, text)
    painter.restore()


def row_label_room(frame: Frame) -> float:
    """The available width of a text beside the rows, in pixels; longer texts are cut."""
    return frame.gutter.width() - 27


def paint_row_label(
    painter: QPainter,
    frame: Frame,
    text: str,
    middle: float,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    """Paint a text at the right end of the gutter, within the height of the plot; it is cut if it is too
    long.
    """
    metrics = QFontMetricsF(painter.font())
    half = metrics.height() / 2
    # A label of the first or the last row is pushed inwards, so that it is not cut by the title or the axis.
    middle = max(min(middle, frame.plot.bottom() - half), frame.plot.top() + half)
    room = QRectF(frame.gutter.left() + 20, middle - half, row_label_room(frame), 2 * half)
    shown = metrics.elidedText(text, elide, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignRight | _LINE, shown)
