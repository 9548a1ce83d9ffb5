"""The scatter of two measures under one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from views.data.measures import MEASURES, Over
from views.data.picks import unit_name
from views.data.results import Result
from views.data.samples import Spread, spread_of
from views.plotting.plot import Mark, Plot, PlotFrame, Reading, Words
from views.plotting.points import nearest, paint_points
from views.theme.theme import Theme


@dataclass(frozen=True, eq=False, kw_only=True)
class ScatterPlot(Plot):
    """`across` and `up` are of the same run and units; units that lack either value have no dot."""

    across: Spread
    up: Spread

    def paint(self, painter: QPainter, frame: PlotFrame, theme: Theme) -> None:
        """The dots, in the colour of the run."""
        xs, ys = self._places(frame)
        ratio = painter.device().devicePixelRatioF()
        paint_points(painter, frame.plot, xs, ys, self.across.runs[0].colour, ratio)

    def read(self, frame: PlotFrame, place: QPointF) -> Reading | None:
        """The unit there, and its two values."""
        xs, ys = self._places(frame)
        unit = nearest(xs, ys, place)
        if unit is None:
            return None
        told = [
            f"{one.measure.title_over(one.over)}: {one.measure.show(float(one.runs[0].values[unit]))}"
            for one in (self.across, self.up)
        ]
        name = unit_name(self.across.trace, self.across.over, unit)
        return Reading("\n".join([name, *told]), lambda: [unit], QPointF(float(xs[unit]), float(ys[unit])))

    def marks(self, units: Sequence[int]) -> list[Mark]:
        """The picked units."""
        return [mark for unit in units if (mark := self._mark(unit)) is not None]

    def _mark(self, unit: int) -> Mark | None:
        x, y = (one.scale.place(one.runs[0].values[unit : unit + 1]) for one in (self.across, self.up))
        return Mark(float(x[0]), float(y[0]), "") if len(x) and np.isfinite(x + y).all() else None

    def _places(self, frame: PlotFrame) -> tuple[np.ndarray, np.ndarray]:
        """Pixels of every unit, NaN where it lacks a value."""
        across, up = self.across, self.up
        xs = frame.xs(across.scale.place(across.runs[0].values))
        return xs, frame.ys(up.scale.place(up.runs[0].values))


def scatter_plot(across: str, up: str, over: Over, result: Result, log: bool) -> ScatterPlot:
    """Two measures, by name, of a run; takes time in the number of jobs."""
    spreads = [spread_of(MEASURES[name], over, [result], log) for name in (across, up)]
    names = [one.measure.title_over(over) for one in spreads]
    words = Words(
        title=f"{names[1]} against {names[0][:1].lower()}{names[0][1:]}",
        text="\n\n".join(one.measure.text for one in spreads),
        x_name=f"{names[0]}, {spreads[0].measure.axis}",
        y_name=f"{names[1]}, {spreads[1].measure.axis}",
        message=next((one.lacking for one in spreads if one.lacking), ""),
    )
    return ScatterPlot(words=words, x=spreads[0].scale, y=spreads[1].scale, across=spreads[0], up=spreads[1])
