"""Queue depth and utilization of several runs, one line a run and average."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from views.data.run_series import AVERAGES, RunSeries
from views.plot.area import PlotArea
from views.plot.layers import Computed, Layer, Raster, ReferenceLine
from views.plotting.clock_plot import ClockPlot
from views.state.context import ViewContext
from views.text.counts import plural
from views.text.ticks import axis_of
from views.text.values import compact, number, percent
from views.theme.fonts import tick_font
from views.theme.palette import mix
from views.theme.theme import Theme
from views.timechart.frame import Frame
from views.timeline.heights import Heights
from views.timeline.paint import PaintedLine, paint_lines, raster_of, size_of

EMPTY = (
    "The timeline shows queue and utilization of all runs. It fills when the first run is done and judged."
)
_HIDDEN = "All runs are hidden: switch one on above"

_THICK = {"now": 1.0, "1 h": 1.2, "10 h": 1.7, "24 h": 3.0}
_BAND = {"now": 0.15, "1 h": 0.2, "10 h": 0.3, "24 h": 0.3}
_PALE = {"now": 0.45, "1 h": 0.3, "10 h": 0.0, "24 h": 0.0}
"""Share of the background in the colour of a line; averages stand out from what they average."""


class SeriesPlot(ClockPlot):
    """A plot over time of some of the runs; they are given in the order of the study."""

    def __init__(self, context: ViewContext, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, name, parent)
        self.runs: Sequence[RunSeries] = ()

    def set_runs(self, runs: Sequence[RunSeries], hidden: bool = False) -> None:
        """Show these runs; `hidden` tells that there are others, which are not wanted."""
        self.runs = runs
        if runs:
            self.time_axis = axis_of(runs[0].schedule.trace)
        self.message = "" if runs else _HIDDEN if hidden else EMPTY
        self.refresh()

    def tooltip_at(self, position: QPointF) -> str:
        """The time there, and what is told of every run at it."""
        frame = self.frame()
        if not frame.plot.contains(position):
            return ""
        time = frame.scale.time(position.x())
        lines = [f"{one.name}: {self._told(one, time)}" for one in self.runs]
        return "\n".join([self.time_axis.spell(time), *lines])

    def _told(self, one: RunSeries, time: float) -> str:
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
        super().__init__(context, theme, "Queue depth, minutes", parent)

    def set_log(self, on: bool) -> None:
        """Have logarithmic heights, or not."""
        self._log = on
        self.refresh()

    def summary(self) -> str:
        """What is shown, in a sentence."""
        most = spell_minutes(self._y().most)
        return self.message or f"{plural(len(self.runs), 'run')}, up to {most} min deep"

    def _told(self, one: RunSeries, time: float) -> str:
        return f"{spell_minutes(one.depth.at(time))} min"

    def _y(self) -> Heights:
        most = max(1.0, *(one.deepest for one in self.runs)) if self.runs else 1.0
        return Heights(most, self._log, _brief if self.low else compact)

    def _layers(self) -> list[Layer]:
        scale = self._y()
        rules = [
            ReferenceLine(float(scale.coordinates_of(np.array(threshold))), one.colour, run=one.run_id)
            for one in self.runs
            for threshold in one.thresholds
        ]
        return [Computed(partial(_depths, self.runs, scale, self.theme)), *rules]


def _depths(runs: Sequence[RunSeries], scale: Heights, theme: Theme, area: PlotArea) -> Raster:
    """The lines of queue depth where this is seen."""
    width, height = size_of(area)
    lines = [
        PaintedLine(scale.coordinates_of(one.depth_statistics(area.x, width)), one.colour) for one in runs
    ]
    return raster_of(paint_lines(width, height, area.ratio, lines, theme), area)


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
        """What is shown, in a sentence."""
        return self.message or f"{plural(len(self.runs), 'run')}: {', '.join(self.averages)}"

    def _told(self, one: RunSeries, time: float) -> str:
        return ", ".join(
            f"{percent(100 * one.use_at(over, time))} {'now' if not over else 'over ' + name}"
            for name, over in AVERAGES.items()
            if name in self.averages
        )

    def _y(self) -> Heights:
        return Heights(1.0, spell=_share)

    def _layers(self) -> list[Layer]:
        return [Computed(partial(_uses, self.runs, self.averages, self._y(), self.theme))]

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """Beside the name, how thick the line of which average is."""
        super()._paint_name(painter, frame)
        if self.message or self.low or not self.averages:
            return
        painter.setFont(tick_font(self.font()))
        metrics = QFontMetricsF(painter.font())
        x = frame.plot.right()
        for name in reversed(self.averages):
            x -= metrics.horizontalAdvance(name)
            painter.setPen(QColor(self.theme.faint))
            painter.drawText(QPointF(x, frame.title.center().y() + metrics.ascent() / 2 - 1), name)
            x -= 26
            colour = mix(self.theme.text, self.theme.chart, max(_PALE[name], 0.2))
            y = round(frame.title.center().y())
            painter.fillRect(
                int(x), int(y - _THICK[name] / 2), 20, max(round(_THICK[name]), 1), QColor(colour)
            )
            x -= 14


def _uses(
    runs: Sequence[RunSeries], averages: Sequence[str], scale: Heights, theme: Theme, area: PlotArea
) -> Raster:
    """The lines of utilization where this is seen, the longest averages on top."""
    width, height = size_of(area)
    lines = [
        PaintedLine(
            scale.coordinates_of(one.use_statistics(AVERAGES[name], area.x, width)),
            mix(one.colour, theme.chart, _PALE[name]),
            _THICK[name],
            _BAND[name],
        )
        for name in reversed(averages)
        for one in runs
    ]
    return raster_of(paint_lines(width, height, area.ratio, lines, theme), area)


def spell_minutes(minutes: float) -> str:
    """Minutes to the digits that say something; whole ones from 10 on."""
    return number(round(minutes)) if minutes >= 9.5 else number(round(minutes, 1))


def _brief(value: float) -> str:
    """A depth that finds room beside a name."""
    return f"{value / 1000:.0f} k" if 10_000 <= value < 100_000 else compact(value)


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"
