"""The widget of a plot on the clock of several lines, each a function of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from views.data.scales import Scale
from views.plot.layers import Layer
from views.plot.plot import PlotWords
from views.plot.time_plot import TimeFunction, TimeLines, time_lines
from views.plotting.clock_plot import ClockPlot
from views.state.context import ViewContext
from views.text.ticks import TimeAxis
from views.theme.theme import Theme


class LinesPlot(ClockPlot):
    """Lines over time from 0 up; `format` formats a value."""

    def __init__(
        self,
        context: ViewContext,
        theme: Theme,
        name: str,
        format: Callable[[float], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(context, theme, name, parent)
        self.format = format
        self._plot = self._nothing()

    @property
    def lines(self) -> Sequence[TimeFunction]:
        """The lines that are shown, the first on top."""
        return self._plot.lines

    def _nothing(self) -> TimeLines:
        return time_lines(PlotWords(self.title), (), 1.0, self.clock.bounds, self.time_axis)

    def show_message(self, message: str) -> None:
        """Show nothing, and say why."""
        self._plot, self.message = self._nothing(), message
        self.refresh()

    def set_plot(self, plot: TimeLines, axis: TimeAxis) -> None:
        """Show a plot, or the message that it has in its place."""
        self.time_axis, self._plot, self.message = axis, plot, plot.words.message
        self.title = plot.words.title
        self.refresh()

    def tooltip_at(self, position: QPointF) -> str:
        """The time, and the value of each line there."""
        frame = self.frame()
        if not frame.plot.contains(position):
            return ""
        time = frame.scale.time(position.x())
        parts = [(line, float(line.at(np.array([time]))[0])) for line in self.lines]
        lines = [f"{line.name}: {self.format(value)}" for line, value in parts if np.isfinite(value)]
        return "\n".join([self.time_axis.format(time), *lines])

    def summary(self) -> str:
        """A sentence that describes the content."""
        return self.message or f"{self.title}: {', '.join(line.name for line in self.lines)}"

    def _y(self) -> Scale:
        return self._plot.y

    def _layers(self) -> Sequence[Layer]:
        return self._plot.layers(self.theme)
