"""A plot of a composed figure: what makes its layers, and what the mouse finds in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from views.plot.area import PlotArea, Point
from views.plot.layers import Layer
from views.plot.plot import HoverText, Plot, PrintRoom
from views.theme.theme import Theme

_NEAR = 12.0
"""Pixels within which a mark is hit: there are few."""


@dataclass(frozen=True)
class MarkSpot:
    """A mark at coordinates of both scales, in words, with the row of the table that a click opens."""

    x: float
    y: float
    text: str
    row: int


@dataclass(frozen=True, eq=False, kw_only=True)
class ComposedPlot(Plot):
    """A plot of a composed figure. A click picks the row nearest to the mean of a mark."""

    made: Callable[[Theme], Sequence[Layer]]
    spots: Sequence[MarkSpot] = ()
    fills: bool = False
    """Whether a mark fills the room of its column and row, as cells do."""

    @property
    def paper(self) -> PrintRoom:
        """At most four are side by side."""
        return PrintRoom(1.9, 1.4)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The layers; only whiskers over bars have a colour of the theme."""
        return self.made(theme)

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The mark there in words."""
        if not self.spots or not area.box.contains(position):
            return None
        x, y = (np.array([getattr(spot, name) for spot in self.spots]) for name in ("x", "y"))
        if self.fills:
            inside = (np.abs(x - area.x_at(position.x)) < 0.5) & (np.abs(y - area.y_at(position.y)) < 0.5)
            hit = int(np.argmax(inside)) if inside.any() else None
        else:
            hit = area.nearest(x, y, position, _NEAR)
        if hit is None:
            return None
        spot = self.spots[hit]
        return HoverText(spot.text, lambda: [spot.row], (spot.x, spot.y))
