"""The tuned values of each policy: balance factor and window as steps, each change with its reason."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from engine.spelling import format_number
from views.data.run_series import RunSeries
from views.plot.layers import Layer
from views.state.context import ViewContext
from views.theme.theme import Theme
from views.timechart.frame import Frame
from views.timeline.heights import EqualLanes
from views.timeline.lines import SeriesPlot
from views.timeline.plots import tunable_lines
from views.timeline.triggers import measured

NOTHING_TUNED = "No run here tunes its balance factor or its window; add a policy such as tuned-2d"
_NEAR = 6.0
"""Pixels within which the mouse means a trigger."""


class TunablesPlot(SeriesPlot):
    """One lane per tunable, one line per run; a mark over the lane at each check that changed it."""

    brief = "Tuning"

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        self._lines = tunable_lines(())
        super().__init__(context, theme, "Tuning", parent)

    def set_runs(self, runs: Sequence[RunSeries], hidden: bool = False) -> None:
        """Show the tunables of these runs."""
        self._lines = tunable_lines(runs)
        super().set_runs(runs, hidden)
        if runs and not self.lanes:
            self.message = NOTHING_TUNED
            self.refresh()

    @property
    def lanes(self) -> tuple[str, ...]:
        """The tunables that any run tunes, from top to bottom."""
        return self._lines.lanes

    def tooltip_at(self, position: QPointF) -> str:
        """The reason why the tunable changed there, or else its value and the last measurement."""
        frame = self.frame()
        lane = self._y().lane_at((frame.plot.bottom() - position.y()) / frame.plot.height())
        if lane is None or not frame.plot.contains(position):
            return ""
        time = frame.scale.time(position.x())
        near = self._near(lane.name, time, _NEAR * frame.scale.seconds_per_pixel)
        if near:
            return "\n".join(near)
        runs = [run for run in self.runs if lane.name in run.tunables]
        lines = [line for run in runs for line in _state(run, lane.name, time)]
        return "\n".join([self.time_axis.format(time), *lines])

    def summary(self) -> str:
        """A sentence that describes the content."""
        changes = sum(len(trigger.check) for trigger in self._lines.triggers)
        return self.message or f"{' and '.join(self.lanes)}, changed {changes} times"

    def _near(self, lane: str, time: float, within: float) -> list[str]:
        """The triggers of a lane near a time, each with its run and reason."""
        texts = []
        for trigger in self._lines.triggers:
            index = trigger.nearest(time, within) if trigger.tunable == lane else None
            if index is not None:
                moment = self.time_axis.format(float(trigger.time[index]))
                texts.append(f"{moment}, {trigger.series.name}:\n{trigger.reason(index)}")
        return texts

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """Paint the name; low charts show only the names of their lanes."""
        if not (self.low and self.lanes):
            super()._paint_name(painter, frame)

    def _y(self) -> EqualLanes:
        return self._lines.y

    def _layers(self) -> Sequence[Layer]:
        return self._lines.layers(self.theme)


def _state(series: RunSeries, lane: str, time: float) -> list[str]:
    """The value of a tunable at a time, and what the check before it measured."""
    times, values = series.steps(lane)
    row = int(np.searchsorted(times, time, "right")) - 1
    if row < 0:
        return []
    text = f"{series.name}: {lane} {format_number(values[row])}"
    return [text if row == 0 else f"{text}, checked: {measured(series, lane, row - 1)}"]
