"""The wait of a job under several runs as a plot: a lane for each run, on a common time axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.schedule.explain import Promise
from views.data.scales import Categories, ClockScale
from views.data.wait_kinds import KIND_COLOURS
from views.inspector.lanes import (
    JobLane,
    describe_interval,
    describe_lane,
    describe_promise,
    describe_run,
    describe_wait,
    window_of,
)
from views.plot.area import PlotArea, Point
from views.plot.lane_plot import LanePlot
from views.plot.layers import POINTER, BarLook, LaneBars, LaneHeads, Layer, Pointers
from views.plot.plot import HoverText, PlotWords
from views.text.ticks import TimeAxis
from views.theme.theme import Theme

_BAR, _RUN = 10.0, 14.0
"""Heights of a reason and of the run, in pixels."""

_MIDDLE = 0.27
"""Height of the middle of a bar within its lane; names are above the share _NAME."""

_NAME = 0.58

_NEAR = 0.5
"""Pixels beside a bar that still hit it: some are a pixel wide."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ReasonLanes(LanePlot):
    """Under each run's name the reasons for waiting, then the run in its colour, from top to bottom.

    Pointers are the starts that reservations promised. A click anywhere picks its time, in seconds.
    """

    lanes: Sequence[JobLane]
    axis: TimeAxis

    @classmethod
    def of(cls, lanes: Sequence[JobLane], axis: TimeAxis) -> ReasonLanes:
        """The plot of a job under these runs, at least one; `axis` formats times."""
        start, end = window_of(lanes)
        words = PlotWords(
            "Why the job waited", "Reasons for waiting under each run, then the run in its colour"
        )
        x, y = ClockScale(float(start), float(end), axis), Categories(len(lanes))
        return cls(words=words, x=x, y=y, lanes=lanes, axis=axis)

    def promises(self, lane: int) -> list[Promise]:
        """The planned starts in view, each at its latest value."""
        start, end = self.x.full_range
        latest = {promise.start: promise for promise in self.lanes[lane].explanation.promises}
        return [promise for at, promise in sorted(latest.items()) if start <= at <= end]

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Names, bars, and pointers over them."""
        lanes = range(len(self.lanes))
        heads = LaneHeads(
            np.array([self.bottom(lane) + 1 for lane in lanes]),
            [lane.name for lane in self.lanes],
            [lane.colour for lane in self.lanes],
            [f"waited {lane.wait}" for lane in self.lanes],
        )
        bars = [layer for lane in lanes for layer in self._bars(lane, theme)]
        marks = [
            (promise.start, self.bottom(lane) + _MIDDLE) for lane in lanes for promise in self.promises(lane)
        ]
        x, y = np.array(marks, np.float64).reshape(-1, 2).T
        return [heads, *bars, Pointers(x, y, _RUN)]

    def _bars(self, lane: int, theme: Theme) -> list[LaneBars]:
        waiting = self.lanes[lane]
        explanation, y = waiting.explanation, self.bottom(lane) + _MIDDLE
        bars = []
        if waiting.reason_unknown:
            bars.append(
                _lane_bars([(explanation.submit, explanation.start, theme.unknown)], y, _BAR, "hatched")
            )
        # Shorter bars are drawn last, so that a bar of a single pixel is not hidden by its neighbour.
        longest_first = sorted(explanation.intervals, key=lambda interval: -interval.seconds)
        reasons = [
            (reason_interval.begin, reason_interval.end, KIND_COLOURS[reason_interval.kind])
            for reason_interval in longest_first
        ]
        bars.append(_lane_bars(reasons, y, _BAR))
        if waiting.end > explanation.start:
            bars.append(_lane_bars([(explanation.start, waiting.end, waiting.colour)], y, _RUN, "outlined"))
        return bars

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The reason, promise, run or name in the lane at a position."""
        if not area.box.contains(position):
            return None
        time = self.x.value(area.x_at(position.x))
        lane = self.lane_at(area, position.y)
        on_name = area.y_at(position.y) - self.bottom(lane) > _NAME
        waiting = self.lanes[lane]
        text = describe_lane(waiting) if on_name else self._describe(lane, area, position.x)
        return HoverText(text, lambda: [round(time)])

    def _describe(self, lane: int, area: PlotArea, x: float) -> str:
        """Describe the bar of a lane at an x; of bars narrower than a pixel the longest."""
        waiting, explanation = self.lanes[lane], self.lanes[lane].explanation
        promises = self.promises(lane)
        # Promises are drawn over the bars, as single lines, and so are asked first; half the pointer's width
        # is near enough.
        distances = np.abs(area.xs(np.array([promise.start for promise in promises])) - x)
        if len(promises) and distances.min() <= POINTER / 2:
            return describe_promise(waiting, promises[int(distances.argmin())], self.axis)

        def holds(begin: float, end: float) -> bool:
            left, right = area.xs(np.array([begin, end]))
            return bool(left - _NEAR <= x <= max(right, left + 1) + _NEAR)

        # Several intervals may be narrower than the pointer: the longest is most probably meant.
        hit = [interval for interval in explanation.intervals if holds(interval.begin, interval.end)]
        if hit:
            return describe_interval(waiting, max(hit, key=lambda interval: interval.seconds), self.axis)
        if holds(explanation.start, waiting.end):
            return describe_run(waiting, self.axis)
        if explanation.start > explanation.submit and holds(explanation.submit, explanation.start):
            return describe_wait(waiting, self.axis)
        return describe_lane(waiting)


def _lane_bars(
    bars: Sequence[tuple[int, int, str]], y: float, tall: float, look: BarLook = "filled"
) -> LaneBars:
    """Bars from one time to another in a colour, all at the same height."""
    times = np.array([bar[:2] for bar in bars], np.float64).reshape(-1, 2)
    return LaneBars(times[:, 0], times[:, 1], np.full(len(bars), y), [bar[2] for bar in bars], tall, look)
