"""What of each policy was tuned: its balance factor and its window as steps, each change with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from engine.policy.tuning import RANGES, TUNABLES
from engine.spelling import spell_number
from views.data.run_series import RunSeries
from views.plot.area import PlotArea
from views.plot.layers import Computed, Layer, Raster, ReferenceLine
from views.state.context import ViewContext
from views.theme.palette import pixel
from views.theme.theme import Theme
from views.timechart.frame import Frame
from views.timeline.heights import Lanes, Subplot
from views.timeline.lines import SeriesPlot
from views.timeline.paint import PaintedLine, paint_lines, raster_of, size_of
from views.timeline.triggers import Triggers, measured

NOTHING_TUNED = "No run here tunes its balance factor or its window; add one like tuned-2d"
_NEAR = 6.0
"""Pixels within which the mouse means a trigger."""

_MARK, _ABOVE = 5.0, 2.0
"""Height of the mark of a trigger, and its distance from the top of the lane, in pixels."""

_THICK, _THICKER, _THICKEST = 1.6, 2.4, 9.0
"""Pixels of the first run's line, how much thicker each line below it is, and the most.

Lines that have the same value are all seen so, and each lies at its value.
"""


class TunablesPlot(SeriesPlot):
    """A lane a tunable, a line a run; a mark over the lane at each check that changed it."""

    brief = "Tuning"

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        self._triggers: list[Triggers] = []
        super().__init__(context, theme, "Tuning", parent)

    def set_runs(self, runs: Sequence[RunSeries], hidden: bool = False) -> None:
        """Show the tunables of these runs."""
        self._triggers = [Triggers.of(one, name) for one in runs for name in one.tuned]
        super().set_runs(runs, hidden)
        if runs and not self._triggers:
            self.message = NOTHING_TUNED
            self.refresh()

    @property
    def lanes(self) -> tuple[str, ...]:
        """The tunables that any run tunes, from top to bottom."""
        return tuple(name for name in TUNABLES if any(name == one.tunable for one in self._triggers))

    def tooltip_at(self, position: QPointF) -> str:
        """Why the tunable changed there; else what it is, and what the check before measured."""
        frame = self.frame()
        lane = self._y().lane_at((frame.plot.bottom() - position.y()) / frame.plot.height())
        if lane is None or not frame.plot.contains(position):
            return ""
        time = frame.scale.time(position.x())
        near = self._near(lane.name, time, _NEAR * frame.scale.seconds_per_pixel)
        if near:
            return "\n".join(near)
        runs = [one for one in self.runs if lane.name in one.tunables]
        lines = [line for one in runs for line in _state(one, lane.name, time)]
        return "\n".join([self.time_axis.spell(time), *lines])

    def summary(self) -> str:
        """What is shown, in a sentence."""
        changes = sum(len(one.check) for one in self._triggers)
        return self.message or f"{' and '.join(self.lanes)}, changed {changes} times"

    def _near(self, lane: str, time: float, within: float) -> list[str]:
        """The triggers of a lane near a time, each with its run and reason."""
        found = []
        for one in self._triggers:
            index = one.nearest(time, within) if one.tunable == lane else None
            if index is not None:
                moment = self.time_axis.spell(float(one.time[index]))
                found.append(f"{moment}, {one.series.name}:\n{one.reason(index)}")
        return found

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """A low one has the names of its lanes alone."""
        if not (self.low and self.lanes):
            super()._paint_name(painter, frame)

    def _y(self) -> Lanes:
        return Lanes(tuple(_lane(self.runs, name) for name in self.lanes), spell_number)

    def _layers(self) -> list[Layer]:
        scale, count = self._y(), len(self.lanes)
        rules = [ReferenceLine(index / count, self.theme.border, dashed=False) for index in range(1, count)]
        return [Computed(partial(_steps, self.runs, scale, self._triggers, self.theme)), *rules]


def _state(series: RunSeries, lane: str, time: float) -> list[str]:
    """The value of a tunable at a time, and what the check before it measured."""
    times, values = series.steps(lane)
    row = int(np.searchsorted(times, time, "right")) - 1
    if row < 0:
        return []
    told = f"{series.name}: {lane} {spell_number(values[row])}"
    return [told if row == 0 else f"{told}, checked: {measured(series, lane, row - 1)}"]


def _lane(runs: Sequence[RunSeries], name: str) -> Subplot:
    """Least and greatest value that a lane shows: of a window, up to what any run ever had."""
    if name == "bf":
        return Subplot(name, *RANGES[name])
    most = max(2.0, *(float(one.steps(name)[1].max()) for one in runs if name in one.tunables))
    return Subplot(name, 1.0, most)


def _steps(
    runs: Sequence[RunSeries], scale: Lanes, triggers: Sequence[Triggers], theme: Theme, area: PlotArea
) -> Raster:
    """Each lane with its marks as a picture of its own, one under the other."""
    from views.raster.columns import column_statistics

    width, height = size_of(area)
    edges = np.linspace(0, height, len(scale.lanes) + 1).round().astype(int)
    pixels = np.full((height, width), pixel(theme.chart), np.uint32)
    for lane, top, bottom in zip(scale.lanes, edges[:-1], edges[1:], strict=True):
        tall = int(bottom - top)
        shown = [one for one in runs if lane.name in one.tunables]
        lines = []
        for index, one in enumerate(shown):
            time, value = one.steps(lane.name)
            found = column_statistics(np.require(time, np.int64, ["C", "W"]), value, area.x, width)
            share = (np.maximum(found, lane.low) - lane.low) / (lane.high - lane.low)
            heights = scale.BELOW + (1 - scale.ABOVE - scale.BELOW) * share
            lines.append(PaintedLine(heights, one.colour, thick=min(_THICK + index * _THICKER, _THICKEST)))
        pixels[top:bottom] = paint_lines(width, tall, area.ratio, lines, theme)
        above, below = (top + round(down * area.ratio) for down in (_ABOVE, _ABOVE + _MARK))
        for trigger in triggers:
            if trigger.tunable == lane.name:
                pixels[above:below, _columns(trigger, area, width)] = pixel(trigger.series.colour)
    return raster_of(pixels, area)


def _columns(triggers: Triggers, area: PlotArea, width: int) -> np.ndarray:
    """The columns in which anything was triggered."""
    first, last = np.searchsorted(triggers.time, area.x)
    columns = (triggers.time[first:last] - area.x[0]) / (area.x[1] - area.x[0]) * width
    return np.unique(np.minimum(columns.astype(np.int64), width - 1))
