"""How jobs fare under several runs, as plots: violated expected end times over time, and boxes of waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.metrics.compare import Box
from views.data.scales import Categories, LogScale, TimeLine
from views.inspector.fares import Fare, column_maxima, describe_late, describe_waits, most_at_once
from views.plot.area import PlotArea, Point
from views.plot.lane_plot import LanePlot
from views.plot.layers import BoxOutline, Computed, Dots, LaneHeads, Layer, Raster
from views.plot.plot import Reading, Words
from views.text.counts import spell_count
from views.text.ticks import TimeAxis
from views.theme.palette import rgb
from views.theme.theme import Theme

CURVE = 0.57
"""The lower part of a lane, which a curve may take; a name has the rest."""

_BOX = 0.33
"""Height of a box, as a part of a lane."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ViolationPlot(LanePlot):
    """A filled curve a run of violated jobs over time, the same height for the same number in all lanes.

    A click on a curve picks its time, in seconds.
    """

    fares: Sequence[Fare]
    axis: TimeAxis

    @classmethod
    def of(cls, fares: Sequence[Fare], window: tuple[float, float], axis: TimeAxis) -> ViolationPlot:
        """The plot over `window`, in seconds; `axis` says how times are told."""
        most = most_at_once(fares)
        title = f"Violated EETs, up to {spell_count(most)}" if most else "No violated EETs"
        words = Words(title, "Jobs that should have ended by then, under each run")
        return cls(words=words, x=TimeLine(*window, axis), y=Categories(len(fares)), fares=fares, axis=axis)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Names, and the curves as a picture: a clock that moves has them drawn often."""
        tops = np.array([self.bottom(lane) + 1 for lane in range(len(self.fares))])
        names, colours = [fare.name for fare in self.fares], [fare.colour for fare in self.fares]
        heads = LaneHeads(tops, names, colours, [""] * len(self.fares))
        return [heads, Computed(partial(_curves, self.fares, theme))]

    def read(self, area: PlotArea, position: Point) -> Reading | None:
        """How many jobs are violated at a time; on a name, how long jobs waited."""
        if not area.box.contains(position):
            return None
        lane = self.lane_at(area, position.y)
        if area.y_at(position.y) - self.bottom(lane) > CURVE:
            return Reading(describe_waits(self.fares[lane]))
        time = self.x.value(area.x_at(position.x))
        return Reading(describe_late(self.fares[lane], time, self.axis), lambda: [round(time)])


def _curves(fares: Sequence[Fare], theme: Theme, area: PlotArea) -> Raster:
    """The most violated jobs in each column of pixels, at least a pixel high, over a line for each run."""
    width, height = (max(round(size * area.ratio), 1) for size in (area.width, area.height))
    pixels = np.zeros((height, width, 4), np.uint8)
    bottoms = np.linspace(0, height - 1, len(fares) + 1).round()[1:].astype(np.int64)
    unit = CURVE * height / len(fares) / max(most_at_once(fares), 1)
    for fare, bottom in zip(fares, bottoms.tolist(), strict=True):
        pixels[bottom] = (*rgb(theme.border), 255)
        if fare.late is not None:
            tall = np.ceil(unit * column_maxima(fare.late, area.x, width))
            up = bottom - np.arange(bottom)[:, np.newaxis]
            pixels[:bottom][up <= tall] = (*rgb(fare.colour), 255)
    return Raster(pixels, area.x, area.y)


@dataclass(frozen=True, eq=False, kw_only=True)
class WaitBoxPlot(LanePlot):
    """A box a run of its waits, lying down, and a dot at the longest one beyond the whiskers."""

    fares: Sequence[Fare]

    @classmethod
    def of(cls, fares: Sequence[Fare]) -> WaitBoxPlot:
        """The plot of these runs, on one scale of seconds."""
        boxes = [fare.waits for fare in fares if fare.waits is not None]
        scale = LogScale.of(np.array([_ends(box) for box in boxes], np.float64).ravel(), durations=True)
        words = Words("Waits", "Quartiles of waits under each run", x_name="logarithmic")
        return cls(words=words, x=scale, y=Categories(len(fares)), fares=fares)

    def middle(self, lane: int) -> float:
        """The coordinate of the middle of a lane's box."""
        return self.bottom(lane) + CURVE / 2

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Boxes, and a dot beside some."""
        drawn = list[Layer]()
        for lane, fare in enumerate(self.fares):
            if fare.waits is None:
                continue
            y, box = self.middle(lane), fare.waits
            _, low, q1, median, q3, high, longest = self.x.coordinates_of(np.array(_ends(box))).tolist()
            drawn.append(BoxOutline(y, low, q1, median, q3, high, fare.colour, _BOX, lies=True))
            if box.maximum > box.high:
                drawn.append(Dots(np.array([longest]), np.array([y]), fare.colour))
        return drawn

    def read(self, area: PlotArea, position: Point) -> Reading | None:
        """The numbers of the box in a lane."""
        if not area.box.contains(position):
            return None
        return Reading(describe_waits(self.fares[self.lane_at(area, position.y)]))


def _ends(box: Box) -> tuple[float, ...]:
    """The least value, the parts of the box from the left, and the greatest value."""
    return box.minimum, box.low, box.q1, box.median, box.q3, box.high, box.maximum
