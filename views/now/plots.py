"""The map of starts: how long a job that is submitted now would wait, over its size and its time limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from views.data.named_rows import NamedRows
from views.data.scales import Categories
from views.plot.area import PlotArea, Point
from views.plot.layers import Computed, Labels, Layer, Raster
from views.plot.plot import Category, HoverText, Plot, PlotWords, PrintRoom
from views.text.counts import format_seconds, plural
from views.text.values import brief
from views.theme.palette import heat_colours, mix, rgb, text_on
from views.theme.theme import Theme

if TYPE_CHECKING:
    from engine.now.start_map import StartMap

_LOW = 13.0  # pixels of a row without room for words
_SOON = 60
"""Jobs that start within so many seconds start now, as people say."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StartMapPlot(Plot):
    """A cell a size and time limit, whose unit is `size * limits + limit`; a click picks it."""

    map: StartMap

    @property
    def paper(self) -> PrintRoom:
        """As in the window, but for the room."""
        return PrintRoom(2.6, 3.0)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """A pixel a cell, darker (on dark: lighter) where a job waits longer, and the delays over them."""
        delay = self.map.delay
        colours = [[self._colour(int(value), theme) for value in row] for row in delay]
        # Rows of pixels go down, rows of the map go up.
        pixels = np.array([[(*rgb(colour), 255) for colour in row] for row in colours[::-1]], np.uint8)
        down, across = np.indices(delay.shape)

        def labels(area: PlotArea) -> Labels:
            """Where rows are too low for words there are none."""
            low = area.height / max(area.y[1] - area.y[0], 1e-9) < _LOW
            return Labels(
                across.ravel().astype(np.float64),
                down.ravel().astype(np.float64),
                ["" if low else _format_delay(int(value)) for value in delay.ravel()],
                width=0.98,
                colours=[text_on(colour) for row in colours for colour in row],
                clear=False,
            )

        return [Raster(pixels, self.x.full_range, self.y.full_range), Computed(labels)]

    def _colour(self, delay: int, theme: Theme) -> str:
        if delay < 0:
            return mix(theme.faint, theme.chart, 0.6)
        most = np.log1p(max(int(self.map.delay.max()), 3600) / _SOON)
        scale = heat_colours(theme.dark)
        level = np.log1p(delay / _SOON) / most if delay >= _SOON else 0.0
        return f"#{int(scale[int(level * (len(scale) - 1))]) & 0xFFFFFF:06x}"

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The cell there in words."""
        if not area.box.contains(position):
            return None
        at = round(area.x_at(position.x)), round(area.y_at(position.y))
        sizes, limits = self.map.delay.shape
        if not (0 <= at[0] < limits and 0 <= at[1] < sizes):
            return None
        delay = int(self.map.delay[at[1], at[0]])
        job = f"{plural(self.map.sizes[at[1]], 'processor')} for {format_seconds(self.map.limits[at[0]])}"
        start = "would never start: it fits on no nodes" if delay < 0 else f"planned start {_ahead(delay)}"
        return HoverText(f"{job}\n{start}", lambda: [at[1] * limits + at[0]], (float(at[0]), float(at[1])))


def _ahead(delay: int) -> str:
    return "now" if delay < _SOON else f"in {format_seconds(delay)}"


def _format_delay(delay: int) -> str:
    return "never" if delay < 0 else "now" if delay < _SOON else brief(delay)


def start_map_plot(start_map: StartMap) -> StartMapPlot:
    """The plot of a map that was worked out."""
    holes = int(((start_map.delay >= 0) & (start_map.delay < _SOON)).sum())
    words = PlotWords(
        title="Planned start by size and walltime" + (", in coarse steps" if start_map.coarse else ""),
        text=f"How long after now a job would be planned to start; {holes} of "
        f"{start_map.delay.size} start now. A click takes size and walltime over into the fields.",
        x_name="walltime",
        y_name="processors",
    )
    return StartMapPlot(
        words=words,
        x=Categories(len(start_map.limits)),
        y=NamedRows(tuple(f"{size:,}" for size in start_map.sizes)),
        slots=[Category(format_seconds(limit)) for limit in start_map.limits],
        map=start_map,
    )
