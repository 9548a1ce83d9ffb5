"""Queue depth and utilization of several runs, a line for each run and average."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from views.data.run_series import AVERAGES, RunSeries
from views.data.scales import Scale
from views.plot.layers import Layer
from views.plotting.clock_plot import ClockPlot
from views.state.context import ViewContext
from views.text.counts import plural
from views.text.ticks import axis_of
from views.text.values import number, percent
from views.theme.fonts import tick_font
from views.theme.palette import mix
from views.theme.theme import Theme
from views.timechart.frame import Frame
from views.timeline.heights import Heights
from views.timeline.plots import (
    PALE,
    THICK,
    DepthLines,
    UtilizationLines,
    depth_lines,
    utilization_lines,
)

EMPTY = (
    "The timeline shows queue and utilization of all runs. It appears when the first run is finished "
    "and compared."
)
_HIDDEN = "All runs are hidden: switch on a run above"


class SeriesPlot(ClockPlot):
    """A plot over time of some of the runs; they are given in the order of the study."""

    def __init__(self, context: ViewContext, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, name, parent)
        self.runs: Sequence[RunSeries] = ()

    def set_runs(self, runs: Sequence[RunSeries], hidden: bool = False) -> None:
        """Show these runs; `hidden` is True if there are other runs, which are hidden."""
        self.runs = runs
        if runs:
            self.time_axis = axis_of(runs[0].schedule.trace)
        self.message = "" if runs else _HIDDEN if hidden else EMPTY
        self.refresh()

    def tooltip_at(self, position: QPointF) -> str:
        """The time at the position, and the values of every run at that time."""
        frame = self.frame()
        if not frame.plot.contains(position):
            return ""
        time = frame.scale.time(position.x())
        lines = [f"{run.name}: {self._describe(run, time)}" for run in self.runs]
        return "\n".join([self.time_axis.format(time), *lines])

    def _describe(self, run: RunSeries, time: float) -> str:
        """A run at a time, in a few words."""
        return ""


class DepthPlot(SeriesPlot):
    """Queue depth: the minutes that all waiting jobs have waited so far (Tang et al. 2013, figures 5, 6).

    The line is the mean of each pixel's time, the tint reaches from the least to the most; a dashed
    line is the threshold of a run that tunes by the depth.
    """

    brief = "Depth"

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        self._log = False
        super().__init__(context, theme, "Queue depth", parent)

    def set_log(self, on: bool) -> None:
        """Have logarithmic heights, or not."""
        self._log = on
        self.refresh()

    def summary(self) -> str:
        """A sentence that describes the content."""
        most = format_minutes(self._y().most)
        return self.message or f"{plural(len(self.runs), 'run')}, up to {most} min deep"

    def _describe(self, series: RunSeries, time: float) -> str:
        return f"{format_minutes(series.depth.at(time))} min"

    def _y(self) -> Heights:
        scale = self._lines.y
        assert isinstance(scale, Heights)
        return scale

    @property
    def _lines(self) -> DepthLines:
        return depth_lines(self.runs, self._log, self.low)

    def _layers(self) -> Sequence[Layer]:
        return self._lines.layers(self.theme)


class UtilizationPlot(SeriesPlot):
    """The share of the processors in use, now and on average over the hours before (figures 7 to 10)."""

    brief = "Use"

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        self.averages: tuple[str, ...] = ("now", "10 h", "24 h")
        super().__init__(context, theme, "Utilization", parent)

    def set_averages(self, names: Sequence[str]) -> None:
        """Draw these lines, by the names of AVERAGES."""
        self.averages = tuple(name for name in AVERAGES if name in names)
        self.refresh()

    def summary(self) -> str:
        """A sentence that describes the content."""
        return self.message or f"{plural(len(self.runs), 'run')}: {', '.join(self.averages)}"

    def _describe(self, series: RunSeries, time: float) -> str:
        return ", ".join(
            f"{percent(100 * series.use_at(over, time))} {'now' if not over else 'over ' + name}"
            for name, over in AVERAGES.items()
            if name in self.averages
        )

    def _y(self) -> Scale:
        return self._lines.y

    @property
    def _lines(self) -> UtilizationLines:
        return utilization_lines(self.runs, self.averages)

    def _layers(self) -> Sequence[Layer]:
        return self._lines.layers(self.theme)

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """Paint the line width of each average beside the name."""
        super()._paint_name(painter, frame)
        if self.message or self.low or not self.averages:
            return
        painter.setFont(tick_font(self.font()))
        metrics = QFontMetricsF(painter.font())
        # From the right edge to the left: the name of an average, and before it a sample of its line.
        x = frame.plot.right()
        for name in reversed(self.averages):
            x -= metrics.horizontalAdvance(name)
            painter.setPen(QColor(self.theme.faint))
            painter.drawText(QPointF(x, frame.title.center().y() + metrics.ascent() / 2 - 1), name)
            x -= 26
            colour = mix(self.theme.text, self.theme.chart, max(PALE[name], 0.2))
            y = round(frame.title.center().y())
            painter.fillRect(int(x), int(y - THICK[name] / 2), 20, max(round(THICK[name]), 1), QColor(colour))
            x -= 14


def format_minutes(minutes: float) -> str:
    """Minutes with meaningful digits; whole minutes from 10 on."""
    return number(round(minutes)) if minutes >= 9.5 else number(round(minutes, 1))
