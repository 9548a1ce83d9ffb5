"""The outcome of jobs under several runs, as plots: violated expected end times over time, and boxes of
waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.metrics.compare import BoxStatistics
from views.data.scales import Categories, ClockScale, LogScale
from views.inspector.outcomes import RunOutcome, column_maxima, describe_late, describe_waits, most_at_once
from views.plot.area import PlotArea, Point
from views.plot.lane_plot import LanePlot
from views.plot.layers import BoxOutline, Computed, Dots, LaneHeads, Layer, Raster
from views.plot.plot import HoverText, PlotWords
from views.text.counts import format_count
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

    outcomes: Sequence[RunOutcome]
    axis: TimeAxis

    @classmethod
    def of(cls, outcomes: Sequence[RunOutcome], window: tuple[float, float], axis: TimeAxis) -> ViolationPlot:
        """The plot over `window`, in seconds; `axis` formats times."""
        most = most_at_once(outcomes)
        title = f"Violated EETs, up to {format_count(most)}" if most else "No violated EETs"
        words = PlotWords(title, "Jobs that should have ended by then, under each run")
        return cls(
            words=words,
            x=ClockScale(*window, axis),
            y=Categories(len(outcomes)),
            outcomes=outcomes,
            axis=axis,
        )

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Names, and the curves as a picture: a clock that moves has them drawn often."""
        tops = np.array([self.bottom(lane) + 1 for lane in range(len(self.outcomes))])
        names, colours = (
            [outcome.name for outcome in self.outcomes],
            [outcome.colour for outcome in self.outcomes],
        )
        heads = LaneHeads(tops, names, colours, [""] * len(self.outcomes))
        return [heads, Computed(partial(_curves, self.outcomes, theme))]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The number of violated jobs at a time; on a name, the waits of the jobs."""
        if not area.box.contains(position):
            return None
        lane = self.lane_at(area, position.y)
        if area.y_at(position.y) - self.bottom(lane) > CURVE:
            return HoverText(describe_waits(self.outcomes[lane]))
        time = self.x.value(area.x_at(position.x))
        return HoverText(describe_late(self.outcomes[lane], time, self.axis), lambda: [round(time)])


def _curves(outcomes: Sequence[RunOutcome], theme: Theme, area: PlotArea) -> Raster:
    """The most violated jobs in each column of pixels, at least a pixel high, over a line for each run."""
    width, height = (max(round(size * area.ratio), 1) for size in (area.width, area.height))
    pixels = np.zeros((height, width, 4), np.uint8)
    bottoms = np.linspace(0, height - 1, len(outcomes) + 1).round()[1:].astype(np.int64)
    unit = CURVE * height / len(outcomes) / max(most_at_once(outcomes), 1)
    for outcome, bottom in zip(outcomes, bottoms.tolist(), strict=True):
        pixels[bottom] = (*rgb(theme.border), 255)
        if outcome.late is not None:
            tall = np.ceil(unit * column_maxima(outcome.late, area.x, width))
            up = bottom - np.arange(bottom)[:, np.newaxis]
            pixels[:bottom][up <= tall] = (*rgb(outcome.colour), 255)
    return Raster(pixels, area.x, area.y)


@dataclass(frozen=True, eq=False, kw_only=True)
class WaitBoxPlot(LanePlot):
    """A horizontal box of the waits of each run, and a dot at the longest wait beyond the whiskers."""

    outcomes: Sequence[RunOutcome]

    @classmethod
    def of(cls, outcomes: Sequence[RunOutcome]) -> WaitBoxPlot:
        """The plot of these runs, on a common scale of seconds."""
        boxes = [outcome.waits for outcome in outcomes if outcome.waits is not None]
        scale = LogScale.of(np.array([_ends(box) for box in boxes], np.float64).ravel(), durations=True)
        words = PlotWords("Waits", "Quartiles of waits under each run", x_name="logarithmic")
        return cls(words=words, x=scale, y=Categories(len(outcomes)), outcomes=outcomes)

    def middle(self, lane: int) -> float:
        """The coordinate of the middle of a lane's box."""
        return self.bottom(lane) + CURVE / 2

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Boxes, and a dot beside some."""
        drawn = list[Layer]()
        for lane, outcome in enumerate(self.outcomes):
            if outcome.waits is None:
                continue
            y, box = self.middle(lane), outcome.waits
            _, low, q1, median, q3, high, longest = self.x.coordinates_of(np.array(_ends(box))).tolist()
            drawn.append(BoxOutline(y, low, q1, median, q3, high, outcome.colour, _BOX, lies=True))
            if box.maximum > box.high:
                drawn.append(Dots(np.array([longest]), np.array([y]), outcome.colour))
        return drawn

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The numbers of the box in a lane."""
        if not area.box.contains(position):
            return None
        return HoverText(describe_waits(self.outcomes[self.lane_at(area, position.y)]))


def _ends(box: BoxStatistics) -> tuple[float, ...]:
    """The least value, the parts of the box from the left, and the greatest value."""
    return box.minimum, box.low, box.q1, box.median, box.q3, box.high, box.maximum
