"""Relative gains over a baseline run as bars, by several weights (Tang et al. 2013, figure 12)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from views.data.results import Result
from views.data.scores import OWN, gain_range
from views.scores.told import ToldChart
from views.text.values import signed_percent
from views.theme.theme import Theme, tick_font

Floats = NDArray[np.float64]

EMPTY = "Gains are over a baseline run: they need another one."
_LEFT, _TOP, _RIGHT = 56.0, 28.0, 10.0
_GAP = 0.25
"""Room between groups of bars, as a share of a group."""

_CENTRE = Qt.AlignmentFlag.AlignCenter


class GainBars(ToldChart):
    """A group of bars for each set of weights, a bar a run other than the baseline, in its colour."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._runs: Sequence[Result] = ()
        self._gains: dict[str, list[float]] = {}
        self._title = "Relative gain"

    def set_gains(self, results: Sequence[Result], baseline: int, gains: Mapping[str, Floats]) -> None:
        """Show the gains in % of all runs, by the name of the weights, over the one at place `baseline`."""
        others = [place for place in range(len(results)) if place != baseline]
        self._runs = [results[place] for place in others]
        self._gains = {name: [float(gain[place]) for place in others] for name, gain in gains.items()}
        self._title = f"Relative gain over {results[baseline].name}" if others else "Relative gain"
        self.setAccessibleName(self._title)
        self.update()

    def sizeHint(self) -> QSize:
        """A comfortable size."""
        return QSize(560, 300)

    def bar(self, group: str, run: int) -> QRectF:
        """Where the bar of a run (by its place among those shown) lies in the group of that name."""
        plot, gain = self._plot(), self._gains[group][run]
        across = plot.width() / len(self._gains)
        wide = across * (1 - _GAP) / len(self._runs)
        left = plot.left() + (list(self._gains).index(group) + _GAP / 2) * across + run * wide
        top, bottom = (self._y(max(value, self._range()[0])) for value in (gain, 0.0))
        return QRectF(QPointF(left, top), QPointF(left + max(wide - 1, 1.0), bottom)).normalized()

    def tooltip_at(self, place: QPointF) -> str:
        """The gains of the run whose bar stands over or under that place."""
        if not self._runs or not self._plot().contains(place):
            return ""
        for group in self._gains:
            for run, result in enumerate(self._runs):
                bar = self.bar(group, run) if not math.isnan(self._gains[group][run]) else QRectF()
                if bar.left() <= place.x() <= bar.right():
                    lines = [f"{name}: {signed_percent(gains[run])}" for name, gains in self._gains.items()]
                    return "\n".join([result.name, *lines])
        return ""

    def _plot(self) -> QRectF:
        line = QFontMetricsF(tick_font(self.font())).height()
        tall = max(self.height() - _TOP - 1.5 * line - 8, 20.0)
        return QRectF(_LEFT, _TOP, self.width() - _LEFT - _RIGHT, tall)

    def _range(self) -> tuple[float, float]:
        return gain_range([gain for gains in self._gains.values() for gain in gains])

    def _y(self, gain: float) -> float:
        plot, (low, high) = self._plot(), self._range()
        return plot.bottom() - (gain - low) / (high - low) * plot.height()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Lines at round gains, then bars with their values."""
        painter = QPainter(self)
        self.paint_title(painter, self._title)
        if not self._runs:
            self.paint_empty(painter, EMPTY)
            return
        painter.fillRect(self._plot(), QColor(self.theme.chart))
        self._paint_lines(painter)
        for place, group in enumerate(self._gains):
            self._paint_group(painter, group, place)

    def _paint_lines(self, painter: QPainter) -> None:
        plot, (low, high) = self._plot(), self._range()
        line = QFontMetricsF(painter.font()).height()
        apart = (high - low) * 2.5 * line / plot.height()
        step = next((s for s in (5, 10, 20, 25, 50, 100) if s >= apart), 200)
        for gain in range(math.ceil(low / step) * step, math.floor(high) + 1, step):
            y = round(self._y(gain)) + 0.5
            painter.setPen(QColor(self.theme.faint if gain == 0 else self.theme.grid))
            painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
            painter.setPen(QColor(self.theme.faint))
            room = QRectF(0, y - line / 2, plot.left() - 6, line)
            text = f"{gain} %".replace("-", "−")
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_group(self, painter: QPainter, group: str, place: int) -> None:
        plot, metrics = self._plot(), QFontMetricsF(painter.font())
        line, across = metrics.height(), plot.width() / len(self._gains)
        left = plot.left() + place * across
        if group == OWN:
            painter.setPen(QColor(self.theme.border))
            painter.drawLine(QLineF(round(left) + 0.5, plot.top(), round(left) + 0.5, plot.bottom()))
        painter.setPen(QColor(self.theme.text))
        shown = metrics.elidedText(group, Qt.TextElideMode.ElideRight, across - 2)
        painter.drawText(QRectF(left, plot.bottom() + 3, across, line), _CENTRE, shown)
        written = QRectF()
        for run, result in enumerate(self._runs):
            gain = self._gains[group][run]
            if math.isnan(gain):
                continue
            bar = self.bar(group, run)
            painter.fillRect(bar, QColor(result.colour))
            text = f"{gain:.0f}".replace("-", "−")
            wide = metrics.horizontalAdvance(text)
            y = bar.top() - line if gain >= 0 else min(bar.bottom(), plot.bottom() - line)
            room = QRectF(bar.center().x() - wide / 2, y, wide, line)
            if wide <= bar.width() + 4 and not room.intersects(written):
                written = room
                painter.setPen(QColor(self.theme.text))
                painter.drawText(room.adjusted(-2, 0, 2, 0), _CENTRE, text)
