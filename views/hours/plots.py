"""Lanes of waits: one lane per run, with the mean wait of what was submitted in each hour, or on each day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.metrics.groups import GROUPINGS
from views.data.results import Result
from views.data.scales import LaneScale, NamedSteps
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.area import PlotArea, Point
from views.plot.lane_plot import LanePlot
from views.plot.layers import LaneColumns, LaneHeads, Layer, ReferenceLine
from views.plot.page import PlotPage, with_jobs
from views.plot.plot import HoverText, PlotWords
from views.text.counts import plural
from views.text.values import duration
from views.theme.theme import Theme


@dataclass(frozen=True, eq=False)
class HourLane:
    """A run: the mean wait, s, and the number of measured jobs of each step, shape (steps,); NaN for none."""

    name: str
    colour: str
    wait: Floats
    jobs: Floats


def wait_lanes(results: Sequence[Result], by: str) -> tuple[list[HourLane], tuple[str, ...]]:
    """A lane for each run, of which there is at least one, and the names of the steps that group jobs, `by`
    hour or day.
    """
    groups = GROUPINGS[by](results[0].schedule.trace)
    count, lanes = len(groups.names), []
    for result in results:
        chosen = result.measured
        codes = groups.codes[chosen]
        jobs = np.bincount(codes, minlength=count).astype(np.float64)
        waited = np.bincount(codes, result.schedule.wait[chosen], count)
        wait = np.where(jobs > 0, waited / np.maximum(jobs, 1), np.nan)
        lanes.append(HourLane(result.name, result.colour, wait, jobs))
    return lanes, tuple(groups.names)


def longest(lanes: Sequence[HourLane]) -> float:
    """The longest mean wait of some lanes, s."""
    return max((float(lane.wait[lane.jobs > 0].max(initial=0)) for lane in lanes), default=0.0)


_TALL = 0.62
"""The lower part of a lane, which bars may take; a name has the rest."""

_WIDE = 0.8
"""Width of a bar, as a part of its step."""

_TEXT = (
    "The mean wait of the jobs submitted at that time (local time of the machine), on the same scale "
    "for all runs."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class WaitLanes(LanePlot):
    """Bars of mean waits in a lane for each run; `steps` names the hours or days."""

    lanes: Sequence[HourLane]
    steps: tuple[str, ...]

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Names with the longest mean, and the bars as a picture."""
        tops = np.array([self.bottom(k) + 1 for k in range(len(self.lanes))])
        notes = [f"up to {duration(longest([lane]))}" for lane in self.lanes]
        names, colours = [lane.name for lane in self.lanes], [lane.colour for lane in self.lanes]
        steps, unit = np.arange(len(self.steps), dtype=np.float64), _TALL / max(longest(self.lanes), 1.0)
        feet = [ReferenceLine(self.bottom(k), theme.border, dashed=False) for k in range(len(self.lanes))]
        bars = [
            LaneColumns(steps, unit * np.nan_to_num(lane.wait), self.bottom(k), _WIDE, lane.colour)
            for k, lane in enumerate(self.lanes)
        ]
        return [*feet, *bars, LaneHeads(tops, names, colours, notes)]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The mean wait of a step, and of how many jobs it is."""
        if not area.box.contains(position):
            return None
        lane = self.lanes[self.lane_at(area, position.y)]
        step = min(max(round(area.x_at(position.x)), 0), len(self.steps) - 1)
        jobs = plural(int(lane.jobs[step]), "job")
        text = f"mean wait {duration(float(lane.wait[step]))} of {jobs}" if lane.jobs[step] else "no job"
        return HoverText(f"{lane.name}\n{self.steps[step]}: {text}")


def hour_page(shown: ShownRuns, _: ViewOptions) -> PlotPage:
    """Both plots; lanes are named, and need no legend."""
    return with_jobs(PlotPage(hour_plots(shown.results)), shown.results)


def hour_plots(results: Sequence[Result]) -> tuple[WaitLanes, WaitLanes]:
    """Mean waits of the runs, at least one, by hour of the day and by day of the week."""
    return _lanes(results, "hour", "Mean wait by hour of the day"), _lanes(
        results, "weekday", "Mean wait by day of the week"
    )


def _lanes(results: Sequence[Result], by: str, title: str) -> WaitLanes:
    lanes, names = wait_lanes(results, by)
    words = PlotWords(f"{title}, up to {duration(longest(lanes))}", _TEXT, "submitted", terms=("wait",))
    x, y = NamedSteps(names), LaneScale(len(lanes), max(longest(lanes), 1.0), _TALL)
    return WaitLanes(words=words, x=x, y=y, lanes=lanes, steps=names)
