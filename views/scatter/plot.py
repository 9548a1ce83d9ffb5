"""The scatter of two measures under one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF

from views.data.measures import MEASURES, Over
from views.data.picks import unit_name
from views.data.results import Result
from views.data.samples import Samples, samples_of
from views.plotting.area import PlotArea
from views.plotting.layers import Dots, Layer
from views.plotting.plot import Pick, Plot, Reading, Words
from views.theme.theme import Theme

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class ScatterPlot(Plot):
    """Two measures of the same run and units; units that lack either value have no dot.

    `xs` and `ys` are the coordinates of all units, NaN where one lacks the value.
    """

    across: Samples
    up: Samples
    xs: Floats
    ys: Floats

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The dots, in the colour of the run."""
        return [Dots(self.xs, self.ys, self.across.runs[0].colour)]

    def read(self, area: PlotArea, position: QPointF) -> Reading | None:
        """The unit there, and its two values."""
        unit = area.nearest(self.xs, self.ys, position)
        if unit is None:
            return None
        told = [
            f"{one.measure.title_over(one.over)}: {one.measure.show(float(one.runs[0].values[unit]))}"
            for one in (self.across, self.up)
        ]
        name = unit_name(self.across.trace, self.across.over, unit)
        return Reading("\n".join([name, *told]), lambda: [unit], (float(self.xs[unit]), float(self.ys[unit])))

    def marks(self, units: Sequence[int]) -> list[Pick]:
        """The picked units."""
        there = [unit for unit in units if unit < len(self.xs) and np.isfinite(self.xs[unit] + self.ys[unit])]
        return [Pick(float(self.xs[unit]), float(self.ys[unit]), "") for unit in there]


def scatter_plot(across: str, up: str, over: Over, result: Result, log: bool) -> ScatterPlot:
    """Two measures, by name, of a run; takes time in the number of jobs."""
    both = [samples_of(MEASURES[name], over, [result], log) for name in (across, up)]
    names = [one.measure.title_over(over) for one in both]
    words = Words(
        title=f"{names[1]} against {names[0][:1].lower()}{names[0][1:]}",
        text="\n\n".join(one.measure.text for one in both),
        x_name=f"{names[0]}, {both[0].measure.axis}",
        y_name=f"{names[1]}, {both[1].measure.axis}",
        message=next((one.lacking for one in both if one.lacking), ""),
    )
    first, second = both
    xs, ys = (one.scale.coordinates_of(one.runs[0].values) for one in both)
    return ScatterPlot(words=words, x=first.scale, y=second.scale, across=first, up=second, xs=xs, ys=ys)
