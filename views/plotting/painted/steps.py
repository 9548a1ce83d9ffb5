"""Curves that rise in steps: cumulative shares of users, jobs or work, a curve a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from views.plotting.painted.plot import Plot, PlotFrame, Reading
from views.theme.theme import Theme

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Line:
    """A step function: `y[i]` holds from value `x[i]` up to `x[i + 1]`, 0 before; `x` ascends."""

    name: str
    colour: str
    x: Floats
    y: Floats

    def at(self, values: Floats) -> Floats:
        """The function at some values."""
        return np.append(0.0, self.y)[np.searchsorted(self.x, values, "right")]


@dataclass(frozen=True, eq=False, kw_only=True)
class StepPlot(Plot):
    """Several step functions on common scales; `show_x` and `show_y` spell values."""

    lines: Sequence[Line]
    show_x: Callable[[float | None], str]
    show_y: Callable[[float | None], str]

    def paint(self, painter: QPainter, frame: PlotFrame, theme: Theme) -> None:
        """Each line with a corner a pixel at most, so that its cost follows the width."""
        left, right = int(frame.plot.left()), int(frame.plot.right())
        columns = np.arange(left, right + 1, dtype=np.float64)
        values = np.array([self.x.value(frame.x_height(float(x))) for x in columns])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for line in self.lines:
            heights = frame.ys(self.y.place(line.at(values)))
            painter.setPen(QPen(QColor(line.colour), 1.6))
            points = [QPointF(x, y) for x, y in zip(columns.tolist(), heights.tolist(), strict=True)]
            painter.drawPolyline(QPolygonF(points))

    def read(self, frame: PlotFrame, place: QPointF) -> Reading | None:
        """The value of every line there."""
        if not frame.plot.contains(place):
            return None
        value = self.x.value(frame.x_height(place.x()))
        told = [f"{line.name}: {self.show_y(float(line.at(np.array(value))))}" for line in self.lines]
        return Reading("\n".join([f"up to {self.show_x(value)}", *told]))
