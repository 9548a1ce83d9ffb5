"""Lanes of waits: a lane a run, with the mean wait of what was submitted in each hour, or on each day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from views.data.results import Result
from views.data.scales import Categories, NamedSteps
from views.data.wait_lanes import Lane, longest, wait_lanes
from views.plot.area import PlotArea, Point
from views.plot.lane_plot import LanePlot
from views.plot.layers import Computed, LaneHeads, Layer, Raster
from views.plot.plot import Reading, Words
from views.text.counts import plural
from views.text.values import duration
from views.theme.palette import rgb
from views.theme.theme import Theme

_TALL = 0.62
"""The lower part of a lane, which bars may take; a name has the rest."""

_APART = 0.1
"""What is left free on either side of a bar, as a part of its step."""

_TEXT = "The mean wait of the jobs submitted then, by the clock of the machine, on one scale for all runs."


@dataclass(frozen=True, eq=False, kw_only=True)
class WaitLanes(LanePlot):
    """Bars of mean waits in a lane a run; `steps` names what they stand for."""

    lanes: Sequence[Lane]
    steps: tuple[str, ...]

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Names with the longest mean, and the bars as a picture."""
        tops = np.array([self.bottom(k) + 1 for k in range(len(self.lanes))])
        notes = [f"up to {duration(longest([lane]))}" for lane in self.lanes]
        names, colours = [lane.name for lane in self.lanes], [lane.colour for lane in self.lanes]
        return [LaneHeads(tops, names, colours, notes), Computed(partial(_bars, self.lanes, theme))]

    def read(self, area: PlotArea, position: Point) -> Reading | None:
        """The mean wait of a step, and of how many jobs it is."""
        if not area.box.contains(position):
            return None
        lane = self.lanes[self.lane_at(area, position.y)]
        step = min(max(round(area.x_at(position.x)), 0), len(self.steps) - 1)
        jobs = plural(int(lane.jobs[step]), "job")
        told = f"mean wait {duration(float(lane.wait[step]))} of {jobs}" if lane.jobs[step] else "no job"
        return Reading(f"{lane.name}\n{self.steps[step]}: {told}")


def hour_plots(results: Sequence[Result]) -> tuple[WaitLanes, WaitLanes]:
    """Waits of some runs by hour of the day and by day of the week; there is at least one run."""
    return _lanes(results, "hour", "Mean wait by hour of the day"), _lanes(
        results, "weekday", "Mean wait by day of the week"
    )


def _lanes(results: Sequence[Result], by: str, title: str) -> WaitLanes:
    lanes, names = wait_lanes(results, by)
    words = Words(f"{title}, up to {duration(longest(lanes))}", _TEXT, "submitted", terms=("wait",))
    x, y = NamedSteps(names), Categories(len(lanes))
    return WaitLanes(words=words, x=x, y=y, lanes=lanes, steps=names)


def _bars(lanes: Sequence[Lane], theme: Theme, area: PlotArea) -> Raster:
    """A bar a step over a line for each run, at least a pixel high where jobs waited at all."""
    width, height = (max(round(size * area.ratio), 1) for size in (area.width, area.height))
    pixels = np.zeros((height, width, 4), np.uint8)
    middle = np.linspace(*area.x, width, endpoint=False) + (area.x[1] - area.x[0]) / width / 2
    step = np.clip(np.round(middle).astype(np.int64), 0, len(lanes[0].wait) - 1)
    within = np.abs(middle - step) < 0.5 - _APART
    bottoms = np.linspace(0, height - 1, len(lanes) + 1).round()[1:].astype(np.int64)
    unit = _TALL * height / len(lanes) / max(longest(lanes), 1.0)
    for lane, bottom in zip(lanes, bottoms.tolist(), strict=True):
        pixels[bottom] = (*rgb(theme.border), 255)
        tall = np.where(within, np.ceil(unit * np.nan_to_num(lane.wait)[step]), 0)
        up = bottom - np.arange(bottom)[:, np.newaxis]
        pixels[:bottom][up <= tall] = (*rgb(lane.colour), 255)
    return Raster(pixels, area.x, area.y)
