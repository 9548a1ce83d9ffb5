"""Box-plots: a box a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from views.data.choices import Points
from views.data.measures import OVERS
from views.data.picks import unit_name
from views.data.samples import BOX_WIDTH, Dots, RunValues, Spread
from views.data.scales import Slots
from views.distribution.words import words_of
from views.plotting.painted.plot import Mark, Plot, PlotFrame, Reading
from views.plotting.painted.points import NEAR, nearest, paint_points
from views.text.counts import plural
from views.theme.theme import Theme, tick_font

_SWATCH = 4.0
_MOST_LINES = 3
_BEYOND = 0.08
"""By how much the box of before is wider at either side; boxes stand 1 apart."""


def box_plot(spread: Spread, points: Points = "outliers") -> BoxPlot:
    """The box-plot of a spread."""
    return BoxPlot(
        words=words_of(spread, y_name=spread.measure.axis),
        x=Slots(len(spread.runs)),
        y=spread.scale,
        spread=spread,
        points=points,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class BoxPlot(Plot):
    """The boxes of a spread, and its outliers, all of its values, or none as dots."""

    spread: Spread
    points: Points

    @property
    def dots(self) -> Dots | None:
        """The values that are shown one by one."""
        return {"outliers": self.spread.outliers, "all": self.spread.all_dots, "off": None}[self.points]

    def paint(self, painter: QPainter, frame: PlotFrame, theme: Theme) -> None:
        """Boxes in front of all values, behind outliers."""
        if self.points == "all":
            self._paint_dots(painter, frame, 0.55)
        for place, run in enumerate(self.spread.runs):
            self._paint_box(painter, frame, place, run, theme)
            self._paint_ghost(painter, frame, place, run, theme)
        if self.points == "outliers":
            self._paint_dots(painter, frame, 1.0)

    def _paint_dots(self, painter: QPainter, frame: PlotFrame, strength: float) -> None:
        dots, ratio = self.dots, painter.device().devicePixelRatioF()
        assert dots is not None
        for place, run in enumerate(self.spread.runs):
            own = dots.run == place
            xs, ys = frame.xs(dots.x[own]), frame.ys(dots.y[own])
            paint_points(painter, frame.plot, xs, ys, run.colour, ratio, strength)

    def _paint_box(
        self, painter: QPainter, frame: PlotFrame, place: int, run: RunValues, theme: Theme
    ) -> None:
        if run.box is None:
            return
        numbers = np.array([run.box.low, run.box.q1, run.box.median, run.box.q3, run.box.high])
        low, q1, median, q3, high = frame.ys(self.spread.scale.place(numbers)).tolist()
        places = np.array([place - BOX_WIDTH / 2, place, place + BOX_WIDTH / 2])
        left, middle, right = frame.xs(places).tolist()
        cap = (right - left) / 4
        colour = QColor(run.colour)
        painter.setPen(QPen(colour, 1.4))
        painter.drawLines(
            [
                QLineF(middle, q3, middle, high),
                QLineF(middle, q1, middle, low),
                QLineF(middle - cap, high, middle + cap, high),
                QLineF(middle - cap, low, middle + cap, low),
            ]
        )
        inside = QColor(colour)
        inside.setAlpha(80)
        painter.setBrush(inside)
        painter.drawRect(QRectF(left, q3, right - left, max(q1 - q3, 1.0)))
        painter.setPen(QPen(QColor(theme.text), 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QLineF(left, median, right, median))

    def _paint_ghost(
        self, painter: QPainter, frame: PlotFrame, place: int, run: RunValues, theme: Theme
    ) -> None:
        """The box as it was before the run was explored: a thin outline, wider than the one of now."""
        if run.ghost is None:
            return
        numbers = np.array([run.ghost.q1, run.ghost.median, run.ghost.q3])
        q1, median, q3 = frame.ys(self.spread.scale.place(numbers)).tolist()
        half = BOX_WIDTH / 2 + _BEYOND
        left, right = frame.xs(np.array([place - half, place + half])).tolist()
        painter.setPen(QPen(QColor(theme.text), 1.0, Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(left, q3, right - left, max(q1 - q3, 1.0)))
        painter.drawLine(QLineF(left, median, right, median))

    def read(self, frame: PlotFrame, place: QPointF) -> Reading | None:
        """The dot there, else the box, else the run below it."""
        dots = self.dots
        if dots is not None and frame.plot.adjusted(-NEAR, -NEAR, NEAR, NEAR).contains(place):
            xs, ys = frame.xs(dots.x), frame.ys(dots.y)
            found = nearest(xs, ys, place)
            if found is not None:
                return self._read_dot(dots, found, QPointF(float(xs[found]), float(ys[found])))
        run = round(frame.x_height(place.x()))
        if not 0 <= run < len(self.spread.runs):
            return None
        if place.y() > frame.plot.bottom() or self._on_box(frame, run, place):
            return Reading(self.box_text(run))
        return None

    def _read_dot(self, dots: Dots, dot: int, spot: QPointF) -> Reading:
        unit, run = int(dots.unit[dot]), self.spread.runs[dots.run[dot]]
        name = unit_name(self.spread.trace, self.spread.over, unit)
        value = self.spread.measure.show(float(dots.value[dot]))
        return Reading(f"{name}: {value}\n{run.name}", lambda: [unit], spot)

    def _on_box(self, frame: PlotFrame, run: int, place: QPointF) -> bool:
        box = self.spread.runs[run].box
        if box is None or abs(frame.x_height(place.x()) - run) > BOX_WIDTH / 2:
            return False
        low, high = frame.ys(self.spread.scale.place(np.array([box.low, box.high]))).tolist()
        return bool(high - NEAR <= place.y() <= low + NEAR)

    def box_text(self, run: int) -> str:
        """The run's name and the five numbers of its box."""
        one = self.spread.runs[run]
        if one.box is None:
            return one.name
        numbers = (
            ("maximum", one.box.maximum),
            ("upper quartile", one.box.q3),
            ("median", one.box.median),
            ("lower quartile", one.box.q1),
            ("minimum", one.box.minimum),
        )
        lines = [f"{label}: {self.spread.measure.show(value)}" for label, value in numbers]
        counted = f"{one.box.count} {OVERS[self.spread.over]}, {plural(len(one.box.outliers), 'outlier')}"
        was = [f"median before: {self.spread.measure.show(one.ghost.median)}"] if one.ghost else []
        return "\n".join([one.name, *lines, *was, counted])

    def marks(self, units: Sequence[int]) -> list[Mark]:
        """A picked unit on each box."""
        return [self._mark(place, value) for place, value in self.spread.of_units(units)]

    def _mark(self, place: int, value: float) -> Mark:
        return Mark(place, float(self.spread.scale.place(np.array(value))), self.spread.measure.show(value))

    def below(self, width: float, font: QFont) -> float:
        """A swatch a run, and its name where all names fit."""
        lines = max(map(len, self._names(width, font)), default=0)
        return _SWATCH + 8 + lines * QFontMetricsF(tick_font(font)).height()

    def paint_below(self, painter: QPainter, frame: PlotFrame, theme: Theme) -> None:
        """The swatches and names."""
        slot = frame.plot.width() / max(len(self.spread.runs), 1)
        names = self._names(frame.plot.width(), frame.font)
        for place, run in enumerate(self.spread.runs):
            middle = frame.plot.left() + (place + 0.5) * slot
            half = min(slot / 4, 13.0)
            top = frame.plot.bottom() + 3
            painter.fillRect(QRectF(middle - half, top, 2 * half, _SWATCH), QColor(run.colour))
            painter.setPen(QColor(theme.text))
            for k, text in enumerate(names[place] if names else ()):
                room = QRectF(middle - slot / 2, top + _SWATCH + 2 + k * frame.line, slot, frame.line)
                painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)

    def _names(self, width: float, font: QFont) -> list[list[str]]:
        """The lines of each name; nothing where one does not fit: the legend tells them too."""
        slot = width / max(len(self.spread.runs), 1) - 6
        metrics = QFontMetricsF(tick_font(font))
        names = [wrap(run.name, slot, metrics) for run in self.spread.runs]
        return [] if any(name is None for name in names) else [name for name in names if name is not None]


def wrap(name: str, width: float, metrics: QFontMetricsF) -> list[str] | None:
    """A policy's spelling in lines of at most `width` pixels, broken behind `-` `:` `,`; None: too long."""
    lines = [""]
    for part in re.findall(r"[^-:,]+[-:,]?|[-:,]", name):
        if metrics.horizontalAdvance(lines[-1] + part) <= width:
            lines[-1] += part
        else:
            lines.append(part)
    lines = [line for line in lines if line]
    fits = len(lines) <= _MOST_LINES and all(metrics.horizontalAdvance(line) <= width for line in lines)
    return lines if fits else None
