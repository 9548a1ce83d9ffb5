"""The base of plots with a lane for each run, from top to bottom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from views.plot.area import PlotArea
from views.plot.plot import Plot, PrintRoom

LANE = 42
"""Height of a lane in pixels: a name, and what is drawn below it."""

_LANE_INCHES, _LANE_LINES = 0.6, 2.6

AROUND = 68
"""Pixels of a plot's title and axis."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LanePlot(Plot):
    """A plot of lanes a unit of height each; `y` is their `Categories`. It is always seen whole."""

    zooms: ClassVar[bool] = False

    @property
    def paper(self) -> PrintRoom:
        """Each lane has a name and what is drawn below it."""
        return PrintRoom(_LANE_INCHES * self.lane_count, 2.2)

    @property
    def lane_count(self) -> int:
        """The number of lanes."""
        return round(self.y.full_range[1] - self.y.full_range[0])

    @property
    def least_lines(self) -> float:
        """A line for each name, and what is drawn below it."""
        return _LANE_LINES * self.lane_count

    def bottom(self, lane: int) -> float:
        """The coordinate of the lower edge of a lane."""
        return self.lane_count - lane - 1.5

    def lane_at(self, area: PlotArea, y: float) -> int:
        """The lane at a pixel, or the nearest lane."""
        return min(max(int(self.lane_count - 0.5 - area.y_at(y)), 0), self.lane_count - 1)
