"""The radar: an axis a metric, a polygon a run; the smaller, the better (Tang et al. 2013, figure 11)."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from engine.metrics.catalog import METRICS
from views.data.scores import Scores, tunes
from views.scores.told import ToldChart
from views.theme.theme import Theme, tick_font

TITLE = "Scores: 100 is the worst run"
EMPTY = "The radar compares runs: it needs two that are done."
_RINGS = (100, 25, 50, 75)
_ASIDE = 0.55
"""Share of the width that names of metrics take beside the rings."""

_NUMBERED = 60.0
"""Pixels of radius from which on rings have their numbers."""

_NEAR = 14.0
"""Pixels within which the mouse means a corner."""


class Radar(ToldChart):
    """Runs that tune nothing are dashed where others tune."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName(TITLE)
        self._scores = Scores.of(())

    def set_scores(self, scores: Scores) -> None:
        """Show these runs."""
        self._scores = scores
        self.update()

    def sizeHint(self) -> QSize:
        """A comfortable size."""
        return QSize(380, 300)

    def place(self, run: int, axis: int) -> QPointF | None:
        """Where a run lies on an axis; None where its score is not known."""
        score = float(self._scores.scores[run, axis])
        return None if math.isnan(score) else self._at(axis, score)

    def tooltip_at(self, place: QPointF) -> str:
        """All scores of the runs that have a corner there."""
        texts = []
        for run, result in enumerate(self._scores.results):
            corners = [self.place(run, axis) for axis in range(len(self._scores.axes))]
            if any(c is not None and (c - place).manhattanLength() < _NEAR for c in corners):
                lines = [self._scores.spell(run, axis) for axis in range(len(self._scores.axes))]
                texts.append("\n".join([result.name, *lines]))
        return "\n\n".join(texts)

    def _middle(self) -> tuple[QPointF, float]:
        """Centre and radius of the outermost ring; labels stand around it."""
        line = QFontMetricsF(tick_font(self.font())).height()
        top = 26 + 2 * line
        below = self.height() - top - 2 * line - 4
        tall = below / 2 if len(self._scores.axes) % 2 == 0 else (below + line) / 1.85
        radius = max(min(self.width() * (1 - _ASIDE) / 2, tall), 24.0)
        return QPointF(self.width() / 2, top + radius + max(tall - radius, 0.0)), radius

    def _at(self, axis: int, score: float) -> QPointF:
        centre, radius = self._middle()
        angle = 2 * math.pi * axis / len(self._scores.axes) - math.pi / 2
        far = radius * score / 100
        return centre + QPointF(far * math.cos(angle), far * math.sin(angle))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Rings, axes with their names, and polygons, the first run on top."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_title(painter, TITLE)
        results = self._scores.results
        if len(results) < 2:
            self.paint_empty(painter, EMPTY)
            return
        self._paint_rings(painter)
        adaptive = any(map(tunes, results))
        for run in reversed(range(len(results))):
            self._paint_run(painter, run, adaptive and not tunes(results[run]))

    def _paint_rings(self, painter: QPainter) -> None:
        axes = range(len(self._scores.axes))
        for ring in _RINGS:
            painter.setPen(QColor(self.theme.border if ring == 100 else self.theme.grid))
            painter.setBrush(QColor(self.theme.chart) if ring == 100 else Qt.BrushStyle.NoBrush)
            painter.drawPolygon(QPolygonF([self._at(axis, ring) for axis in axes]))
        for ring in _RINGS[1:] if self._middle()[1] >= _NUMBERED else ():
            painter.setPen(QColor(self.theme.faint))
            painter.drawText(self._at(0, ring) + QPointF(4, 4), str(ring))
        for axis in axes:
            painter.setPen(QColor(self.theme.grid))
            painter.drawLine(self._at(axis, 0), self._at(axis, 100))
            self._paint_name(painter, axis)

    def _paint_name(self, painter: QPainter, axis: int) -> None:
        """The metric, and what a score of 100 is, outside of the end of its axis."""
        metrics = QFontMetricsF(painter.font())
        line, end = metrics.height(), self._at(axis, 100)
        across = end.x() - self._middle()[0].x()
        beside = abs(across) > 5
        room = self.width() / 2 - abs(across) - 10 if beside else self.width() - 4
        name = wrapped(METRICS[self._scores.axes[axis]].label, metrics, room)
        texts = [*((text, self.theme.text) for text in name)]
        texts.append((f"100: {self._scores.worst(axis)}", self.theme.faint))
        width = min(max(metrics.horizontalAdvance(text) for text, _ in texts) + 2, room)
        high = len(texts) * line
        if beside:
            left = end.x() + 8 if across > 0 else end.x() - 8 - width
            top = min(end.y() - high / 2, self.height() - high - 2)
        else:
            left = end.x() - width / 2
            top = end.y() + 4 if end.y() > self._middle()[0].y() else end.y() - high - 4
        left = min(max(left, 2.0), self.width() - 2 - width)
        for place, (text, colour) in enumerate(texts):
            painter.setPen(QColor(colour))
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            row = QRectF(left, top + place * line, width, line)
            painter.drawText(row, Qt.AlignmentFlag.AlignCenter, shown)

    def _paint_run(self, painter: QPainter, run: int, dashed: bool) -> None:
        corners = [self.place(run, axis) for axis in range(len(self._scores.axes))]
        known = [corner for corner in corners if corner is not None]
        colour = QColor(self._scores.results[run].colour)
        tint = QColor(colour)
        tint.setAlpha(22)
        painter.setPen(QPen(colour, 2.0, Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine))
        painter.setBrush(tint)
        if len(known) == len(corners):
            painter.drawPolygon(QPolygonF(known))
        else:
            for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
                if one is not None and other is not None:
                    painter.drawLine(one, other)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for corner in known:
            painter.drawEllipse(corner, 3.0, 3.0)


def wrapped(text: str, metrics: QFontMetricsF, width: float) -> list[str]:
    """Lines of whole words, as many as fit the width."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and metrics.horizontalAdvance(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
