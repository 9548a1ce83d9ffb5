"""How many jobs start how much earlier or later."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from views.data.comparison import Comparison
from views.data.moves import EDGES, TICKS, Moves, move_colours, spell_move
from views.difference.plot import Plot
from views.state.context import Stage
from views.text.counts import plural, spell_count
from views.theme.palette import Pixels, mix, pixel
from views.theme.theme import Theme, tick_font
from views.timechart.picture import Picture

Ints = NDArray[np.int64]

_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_LEAST_GAP = 6  # pixels between two texts
_TALL = 0.92  # of the plot has the tallest bar


class ChangeHistogram(Plot):
    """Bars of jobs by how much earlier or later they start, on a log scale.

    A click on a bar picks its jobs, a drag those of several; selected jobs stay bright.
    """

    def __init__(self, stage: Stage, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(stage, theme, "Jobs by change of start", parent)
        self._moves: Moves | None = None

    def set_comparison(self, comparison: Comparison | None, moves: Moves | None) -> None:
        """Show the changes of this pair of runs; `moves` are theirs."""
        self._moves = moves
        super().show_comparison(comparison)

    def sizeHint(self) -> QSize:
        """Wide enough for all moves."""
        return QSize(380, 300)

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        if self._moves is None:
            return self.message
        return ", ".join(
            f"{plural(int(count), 'job')}: {spell_move(k - len(EDGES))}"
            for k, count in enumerate(self._moves.total)
            if count
        )

    def plot(self, whole: QRectF) -> QRectF:
        """Room for counts at the left and times below."""
        metrics = QFontMetricsF(tick_font(self.font()))
        left, bottom = metrics.horizontalAdvance("100 000") + 14, 2 * metrics.height() + 10
        top = metrics.height() + 10
        return QRectF(
            whole.left() + left,
            whole.top() + top,
            max(float(int(whole.width() - left - 12)), 1.0),
            max(float(int(whole.height() - top - bottom)), 1.0),
        )

    def painter_of(self, size: QSize) -> Callable[[], Picture] | None:
        """What draws the bars."""
        moves, theme = self._moves, self.theme
        if moves is None:
            return None
        bright, want = self.bright(), self.want(size)

        def make() -> Picture:
            return Picture.of(want, paint_bars(moves, bright(moves.job), want.width, want.height, theme))

        return make

    def paint_over(self, painter: QPainter, plot: QRectF) -> None:
        """Counts at the left, times below."""
        if self._moves is None:
            return
        theme = self.theme
        painter.setFont(tick_font(self.font()))
        metrics = QFontMetricsF(painter.font())
        line = metrics.height()
        painter.setPen(QColor(theme.faint))
        most = int(self._moves.total.max(initial=1))
        for count in (10**k for k in range(10) if 10**k <= most):
            y = plot.bottom() - _height(np.array([count]), most)[0] * plot.height()
            painter.drawLine(QPointF(plot.left() - 4, y), QPointF(plot.left(), y))
            room = QRectF(0, y - line / 2, plot.left() - 6, line)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | _LINE, spell_count(count))
        wide = plot.width() / (2 * len(EDGES) + 1)
        taken: list[tuple[float, float]] = []
        for edges, text in TICKS:
            half = metrics.horizontalAdvance(text) / 2 + 3
            spots = [plot.left() + edge * wide for edge in edges]
            rooms = [(x - half, x + half) for x in spots]
            if all(b <= c or d <= a for k, (a, b) in enumerate(rooms) for c, d in (*taken, *rooms[:k])):
                taken += rooms  # never a text over another
                for x in spots:
                    painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 4))
                    _centred(painter, x, plot.bottom() + 4, text)
        painter.setPen(QColor(theme.text))
        for x, text in self.directions(plot, metrics):
            _centred(painter, x, plot.bottom() + 5 + line, text)

    def directions(self, plot: QRectF, metrics: QFontMetricsF) -> list[tuple[float, str]]:
        """What lies at the sides and between, each with its middle in pixels, as far as there is room."""
        told = [
            (plot.left() + plot.width() * 0.22, "← earlier"),
            (plot.left() + plot.width() * 0.78, "later →"),
        ]
        side = max(metrics.horizontalAdvance(text) for _, text in told)
        between = told[1][0] - told[0][0] - side - 2 * _LEAST_GAP
        if metrics.horizontalAdvance("same") <= between:
            told.insert(1, (plot.center().x(), "same"))
        return told

    def tooltip_at(self, place: QPointF) -> str:
        """The bar there, and its count."""
        found = self._class_at(place.x()) if self._inside(place) else None
        if found is None or self._moves is None:
            return ""
        return f"{plural(int(self._moves.total[found + len(EDGES)]), 'job')}: {spell_move(found)}"

    def jobs_near(self, place: QPointF) -> Ints:
        """The jobs of the bar there."""
        if self._moves is None or not self._inside(place):
            return np.empty(0, np.int64)
        found = self._class_at(place.x())
        return self._jobs_of(found, found)

    def jobs_in(self, area: QRectF) -> Ints:
        """The jobs of all bars that a rectangle meets, whatever its height."""
        if self._moves is None:
            return np.empty(0, np.int64)
        return self._jobs_of(self._class_at(area.left()), self._class_at(area.right()))

    def _jobs_of(self, low: int, high: int) -> Ints:
        assert self._moves is not None
        found = (self._moves.of_job >= low) & (self._moves.of_job <= high)
        return np.asarray(self._moves.job[found], np.int64)

    def _inside(self, place: QPointF) -> bool:
        return self.plot(QRectF(self.rect())).contains(place)

    def _class_at(self, x: float) -> int:
        plot = self.plot(QRectF(self.rect()))
        moves = 2 * len(EDGES) + 1
        return min(max(int((x - plot.left()) / plot.width() * moves), 0), moves - 1) - len(EDGES)


def paint_bars(
    moves: Moves, picked: NDArray[np.bool_] | None, width: int, height: int, theme: Theme
) -> Pixels:
    """Pixels of the bars, shape (height, width); what is not picked stands back."""
    counts = moves.total
    most = int(counts.max(initial=1))
    colours = move_colours(theme.dark)
    column = np.arange(width) * len(counts) // width
    gap = np.append(column[1:] != column[:-1], False)
    up = (height - np.arange(height))[:, None] / height
    pixels = np.full((height, width), pixel(theme.chart), np.uint32)
    layers = [(counts, colours)]
    if picked is not None:
        back = [pixel(mix(f"#{int(c) & 0xFFFFFF:06x}", theme.chart, 0.75)) for c in colours]
        layers = [(counts, np.array(back, np.uint32)), (moves.counts(picked), colours)]
    for many, paint in layers:
        covered = (up <= _height(many, most)[column][None, :]) & ~gap[None, :]
        pixels = np.where(covered, paint[column][None, :], pixels)
    return np.ascontiguousarray(pixels, np.uint32)


def _height(count: Ints, most: int) -> NDArray[np.float64]:
    """How much of the plot a bar takes, 0 to 1, on a log scale from 0 jobs on."""
    return np.asarray(_TALL * np.log1p(count) / np.log1p(max(most, 1)))


def _centred(painter: QPainter, x: float, top: float, text: str) -> None:
    metrics = QFontMetricsF(painter.font())
    width = metrics.horizontalAdvance(text) + 2
    painter.drawText(QRectF(x - width / 2, top, width, metrics.height()), _LINE, text)
