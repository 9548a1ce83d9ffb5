"""A plot on the clock of several lines, each a function of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from views.data.scales import LinearScale, Scale
from views.plot.area import PlotArea
from views.plot.layers import Computed, Curve, Floats, Layer, ReferenceLine
from views.plotting.clock_plot import ClockPlot
from views.state.context import ViewContext
from views.text.ticks import TimeAxis
from views.theme.theme import Theme


@dataclass(frozen=True, eq=False)
class TimeLine:
    """A function of time: `at` gives its value at ascending times, s, in any thread.

    `marked` is a value that it is compared with.
    """

    name: str
    colour: str
    at: Callable[[Floats], Floats]
    dashed: bool = False
    marked: float | None = None
    run: int | None = None


@dataclass(frozen=True, eq=False)
class Steps:
    """A step function: `value[i]` holds from `time[i]` on, and NaN before."""

    time: Floats
    value: Floats

    def __call__(self, times: Floats) -> Floats:
        """The value at each of some times."""
        return np.append(np.nan, self.value)[np.searchsorted(self.time, times, "right")]

    def extremes(self, edges: Floats) -> tuple[Floats, Floats]:
        """The least and the greatest value from each of n edges to the next, both of shape (n - 1,)."""
        held = np.concatenate(([np.nan], self.value, [np.nan]))
        index = np.searchsorted(self.time, edges, "right")
        spans = np.column_stack((index[:-1], index[1:] + 1)).ravel()
        return np.fmin.reduceat(held, spans)[::2], np.fmax.reduceat(held, spans)[::2]


class LinesPlot(ClockPlot):
    """Lines over time from 0 up; `spell` tells a value in words."""

    def __init__(
        self,
        context: ViewContext,
        theme: Theme,
        name: str,
        spell: Callable[[float], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(context, theme, name, parent)
        self.lines: Sequence[TimeLine] = ()
        self.spell = spell
        self._most = 1.0

    def set_lines(self, lines: Sequence[TimeLine], most: float, axis: TimeAxis | None, message: str) -> None:
        """Show these, the first on top, up to a value; or say why there are none."""
        self.lines, self._most = lines, most if most > 0 else 1.0
        if axis is not None:
            self.time_axis = axis
        self.message = message
        self.refresh()

    def tooltip_at(self, position: QPointF) -> str:
        """The time, and the value of each line there."""
        frame = self.frame()
        if not frame.plot.contains(position):
            return ""
        time = frame.scale.time(position.x())
        told = [(line, float(line.at(np.array([time]))[0])) for line in self.lines]
        lines = [f"{line.name}: {self.spell(value)}" for line, value in told if np.isfinite(value)]
        return "\n".join([self.time_axis.spell(time), *lines])

    def summary(self) -> str:
        """What is shown, in a sentence."""
        return self.message or f"{self.title}: {', '.join(line.name for line in self.lines)}"

    def _y(self) -> Scale:
        return LinearScale(0.0, self._most)

    def _layers(self) -> list[Layer]:
        marks: list[Layer] = [
            ReferenceLine(line.marked, line.colour, run=line.run)
            for line in self.lines
            if line.marked is not None
        ]
        return [*marks, *(Computed(partial(curve_of, line)) for line in reversed(self.lines))]


def curve_of(line: TimeLine, area: PlotArea) -> Curve:
    """The line at each pixel; where it steps up and down within one, all that it comes to there."""
    time = np.linspace(*area.x, max(round(area.width * area.ratio), 1) + 1)
    value = line.at(time)
    if isinstance(line.at, Steps):
        middle = (time[:-1] + time[1:]) / 2
        within = np.column_stack((value[:-1], *line.at.extremes(time))).ravel()
        time = np.append(np.column_stack((time[:-1], middle, middle)).ravel(), time[-1])
        value = np.append(within, value[-1])
    return Curve(time, value, line.colour, 1.0, line.dashed, run=line.run)
