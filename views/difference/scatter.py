"""The wait of each job under one run against that under another: as density, with every job to be picked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from views.data.changes import spell_change
from views.data.comparison import Comparison
from views.data.moves import Points
from views.difference.plot import Plot
from views.state.context import Stage
from views.text.counts import plural
from views.text.values import duration
from views.theme.palette import Pixels, heat_colours, mix, pixel
from views.theme.theme import Theme, tick_font
from views.timechart.picture import Picture

Ints = NDArray[np.int64]

CELL = 3
"""Pixels a cell is wide and high."""

NEAR = 9.0
"""A click picks the nearest job within so many pixels."""

_APART = 46.0  # pixels between ticks
_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
VEIL = 0.85
"""How far jobs stand back behind words, which stay at 4.5 : 1."""
_SIDES = (
    (Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, "waits longer ↑"),
    (Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, "↓ waits less long"),
)
"""What lies above and below the diagonal, and in which corner that is said."""


class WaitScatter(Plot):
    """Jobs above the diagonal wait longer under the second run, those below it less long.

    Colours say how many jobs lie in a place, on a log scale. A click picks the nearest job, a
    drag all jobs in its rectangle (with ctrl in addition); what is selected is drawn on top.
    """

    def __init__(self, stage: Stage, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(stage, theme, "Wait of each job", parent)
        self._points: Points | None = None

    def set_comparison(self, comparison: Comparison | None, points: Points | None) -> None:
        """Show the waits of this pair of runs; `points` are theirs."""
        self._points = points
        super().show_comparison(comparison)

    def sizeHint(self) -> QSize:
        """About square."""
        return QSize(320, 300)

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        if self._points is None or self.comparison is None:
            return self.message
        x, y = self._points.x, self._points.y
        above, below = int((y > x).sum()), int((y < x).sum())
        first = self.comparison.first.name
        return f"Jobs that wait longer than under {first}: {above}; less long: {below}"

    def plot(self, whole: QRectF) -> QRectF:
        """Whole cells."""
        metrics = QFontMetricsF(tick_font(self.font()))
        left, bottom = metrics.horizontalAdvance("1000 d") + 26, 2 * metrics.height() + 10
        top = metrics.height() + 10
        width = max(int((whole.width() - left - 12) // CELL), 1) * CELL
        height = max(int((whole.height() - top - bottom) // CELL), 1) * CELL
        return QRectF(whole.left() + left, whole.top() + top, width, height)

    def painter_of(self, size: QSize) -> Callable[[], Picture] | None:
        """What draws the density."""
        points, theme = self._points, self.theme
        if points is None:
            return None
        bright, want = self.bright(), self.want(size)

        def make() -> Picture:
            return Picture.of(want, paint_density(points, bright(points.job), want.width, want.height, theme))

        return make

    def paint_over(self, painter: QPainter, plot: QRectF) -> None:
        """Axes, the diagonal, and what lies on either side of it."""
        points = self._points
        if points is None or self.comparison is None:
            return
        theme, scale = self.theme, points.scale
        low, high = scale.span
        pen = QPen(QColor(theme.faint), 1, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawLine(plot.bottomLeft(), plot.topRight())
        painter.setFont(tick_font(self.font()))
        metrics = QFontMetricsF(painter.font())
        line = metrics.height()
        painter.setPen(QColor(theme.faint))
        corner, veil = plot.adjusted(5, 3, -5, -3), QColor(theme.chart)
        veil.setAlphaF(VEIL)
        for side, text in _SIDES:
            room = painter.boundingRect(corner, side, text)
            painter.fillRect(room, veil)  # jobs may lie there
            painter.drawText(corner, side, text)
        for height, text in scale.ticks(_APART * (high - low) / plot.width()):
            x = plot.left() + (height - low) / (high - low) * plot.width()
            painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 4))
            half = metrics.horizontalAdvance(text) / 2
            left = min(x - half, self.width() - 2 * half - 2)
            painter.drawText(QRectF(left, plot.bottom() + 4, 2 * half + 2, line), _LINE, text)
        for height, text in scale.ticks(0.6 * _APART * (high - low) / plot.height()):
            y = plot.bottom() - (height - low) / (high - low) * plot.height()
            painter.drawLine(QPointF(plot.left() - 4, y), QPointF(plot.left(), y))
            room = QRectF(plot.left() - 90, y - line / 2, 84, line)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | _LINE, text)
        self._name_axes(painter, plot, line)

    def _name_axes(self, painter: QPainter, plot: QRectF, line: float) -> None:
        assert self.comparison is not None
        metrics = QFontMetricsF(painter.font())
        results = self.comparison.first, self.comparison.second
        names = [
            metrics.elidedText(f"wait under {one.name}", Qt.TextElideMode.ElideMiddle, length - 16)
            for one, length in zip(results, (self.width() - 8, plot.height()), strict=True)
        ]
        swatch = QRectF(0, 0, 9, 9)
        painter.setPen(QColor(self.theme.text))
        width = metrics.horizontalAdvance(names[0])
        left = max(min(plot.center().x() - width / 2, self.width() - width - 4), 17)
        top = plot.bottom() + 5 + line
        painter.drawText(QRectF(left, top, width + 2, line), _LINE, names[0])
        painter.fillRect(swatch.translated(left - 13, top + line / 2 - 4.5), QColor(results[0].colour))
        width = metrics.horizontalAdvance(names[1])
        painter.save()
        painter.translate(2, plot.center().y() + width / 2)
        painter.rotate(-90)
        painter.drawText(QRectF(0, 0, width + 2, line), _LINE, names[1])
        painter.fillRect(swatch.translated(-13, line / 2 - 4.5), QColor(results[1].colour))
        painter.restore()

    def tooltip_at(self, place: QPointF) -> str:
        """The nearest job, and how many lie as near."""
        points = self._points
        near = self.jobs_near(place)
        if points is None or self.comparison is None or not len(near):
            return ""
        comparison, job = self.comparison, int(near[0])
        first, second = comparison.first, comparison.second
        trace = comparison.trace
        lines = [
            f"job {trace.job_id[job]} · user {trace.user.names[trace.user.codes[job]]}",
            f"{first.name}: waits {duration(int(first.schedule.wait[job]))}",
            f"{second.name}: waits {duration(int(second.schedule.wait[job]))}",
            f"starts {spell_change(int(comparison.difference.change[job]))}",
        ]
        return "\n".join([*lines, *([f"{plural(len(near) - 1, 'job')} more here"] if len(near) > 1 else [])])

    def jobs_near(self, place: QPointF) -> Ints:
        """Jobs within reach of a place: those that lie as near as the nearest, as indices into the trace."""
        points, plot = self._points, self.plot(QRectF(self.rect()))
        if points is None or not plot.adjusted(-NEAR, -NEAR, NEAR, NEAR).contains(place):
            return np.empty(0, np.int64)
        x, y = self._spots(points, plot)
        far = (x - place.x()) ** 2 + (y - place.y()) ** 2
        nearest = float(far.min(initial=np.inf))
        if nearest > NEAR**2:
            return np.empty(0, np.int64)
        return points.job[far <= nearest + 0.5]

    def jobs_in(self, area: QRectF) -> Ints:
        """Jobs within a rectangle, as indices into the trace."""
        points = self._points
        if points is None:
            return np.empty(0, np.int64)
        x, y = self._spots(points, self.plot(QRectF(self.rect())))
        inside = (x >= area.left()) & (x <= area.right()) & (y >= area.top()) & (y <= area.bottom())
        return points.job[inside]

    def _spots(self, points: Points, plot: QRectF) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where each job lies on the screen."""
        low, high = points.scale.span
        return (
            plot.left() + (points.x - low) / (high - low) * plot.width(),
            plot.bottom() - (points.y - low) / (high - low) * plot.height(),
        )


def paint_density(
    points: Points, picked: NDArray[np.bool_] | None, width: int, height: int, theme: Theme
) -> Pixels:
    """Pixels of the scatter, shape (height, width): the more jobs in a cell, the further from the background.

    With `picked` jobs, shape (jobs,), the others stand back and these have the accent's colour.
    """
    columns, rows = max(width // CELL, 1), max(height // CELL, 1)
    count = points.cells(columns, rows)
    scale = heat_colours(theme.dark)
    level = np.log1p(count) / np.log1p(max(int(count.max(initial=1)), 1))
    colours = scale[np.minimum((level * len(scale)).astype(np.int64), len(scale) - 1)]
    if picked is not None:
        back, lit = pixel(mix(theme.faint, theme.chart, 0.7)), pixel(theme.accent)
        colours = np.where(points.cells(columns, rows, picked) > 0, np.uint32(lit), np.uint32(back))
    cells = np.where(count > 0, colours, np.uint32(pixel(theme.chart)))
    down = np.minimum(np.arange(height) * rows // height, rows - 1)
    across = np.minimum(np.arange(width) * columns // width, columns - 1)
    return np.ascontiguousarray(cells[down][:, across])
