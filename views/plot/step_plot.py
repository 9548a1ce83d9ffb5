"""Curves over a value, in steps or joined: cumulative shares of users, jobs or work, a curve a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from views.plot.area import PlotArea, Point
from views.plot.layers import Curve, Layer, ReferenceLine, StepLayer
from views.plot.plot import HoverText, Plot
from views.theme.theme import Theme


@dataclass(frozen=True, eq=False)
class StepFunction:
    """A step function of values: `y[i]` holds from `x[i]` up to `x[i + 1]`, 0 before; `x` ascends.

    If `joined`, values are interpolated linearly between the x. `run` is the id of the run that it belongs
    to, if any.
    """

    name: str
    colour: str
    x: Floats
    y: Floats
    run: int | None = None
    joined: bool = False
    dashed: bool = False

    def at(self, values: Floats) -> Floats:
        """The function at some values."""
        if self.joined:
            return np.asarray(np.interp(values, self.x, self.y))
        return np.append(0.0, self.y)[np.searchsorted(self.x, values, "right")]


@dataclass(frozen=True, eq=False, kw_only=True)
class StepPlot(Plot):
    """Several step functions on common scales; `show_x` and `show_y` spell values."""

    lines: Sequence[StepFunction]
    show_x: Callable[[float | None], str]
    show_y: Callable[[float | None], str]
    marked: float | None = None  # a value of x with a line through it
    says: str = "up to "  # before a value of x

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The curves, the first on top."""
        return [*self._mark(theme), *(self._layer_of(line) for line in reversed(self.lines))]

    def _mark(self, theme: Theme) -> list[Layer]:
        if self.marked is None:
            return []
        (at,) = self.x.coordinates_of(np.array([self.marked]))
        return [ReferenceLine(float(at), theme.faint, upright=True)]

    def _layer_of(self, line: StepFunction) -> Layer:
        x, y = self.x.coordinates_of(line.x), self.y.coordinates_of(line.y)
        if line.joined:
            return Curve(x, y, line.colour, dashed=line.dashed, run=line.run)
        return StepLayer(x, y, line.colour, run=line.run)

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The value of every line there."""
        if not area.box.contains(position):
            return None
        value = self.x.value(area.x_at(position.x))
        lines = [f"{line.name}: {self.show_y(float(line.at(np.array(value))))}" for line in self.lines]
        return HoverText("\n".join([f"{self.says}{self.show_x(value)}", *lines]))
