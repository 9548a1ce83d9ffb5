"""Plots over time: what they have in common, and lines that are functions of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from engine.arrays import Floats
from views.data.scales import ClockScale, LinearScale, Scale
from views.plot.area import PlotArea
from views.plot.layers import Computed, Curve, Layer, ReferenceLine
from views.plot.plot import Plot, PlotWords, PrintRoom
from views.text.ticks import TimeAxis
from views.theme.palette import mix
from views.theme.theme import Theme


@dataclass(frozen=True, eq=False, kw_only=True)
class TimePlot(Plot):
    """A plot over time. It is drawn for any window of time: `x` spans all that it shows."""

    on_clock: ClassVar[bool] = True

    @property
    def paper(self) -> PrintRoom:
        """As wide as the page: the lowest of several plots has the time axis."""
        return PrintRoom(1.3)

    def apart(self) -> Sequence[TimePlot]:
        """The plots that show its lines one by one, in greys that do not tell several apart; else itself."""
        return [self]

    def in_ink(self) -> TimePlot | None:
        """The plot of a single run, which its title names, in the first colour; None of other plots."""
        return None


@dataclass(frozen=True, eq=False)
class TimeFunction:
    """A function of time: `at` gives its value at ascending times, s, in any thread.

    `marked` is a value that it is compared with. `pale` is the share of the background in its colour.
    """

    name: str
    colour: str
    at: Callable[[Floats], Floats]
    dashed: bool = False
    marked: float | None = None
    run: int | None = None
    pale: float = 0.0


@dataclass(frozen=True, eq=False)
class StepCurve:
    """A step function: `value[i]` holds from `time[i]` on, and NaN before."""

    time: Floats
    value: Floats

    def __call__(self, times: Floats) -> Floats:
        """The value at each of some times."""
        return np.append(np.nan, self.value)[np.searchsorted(self.time, times, "right")]

    def extremes(self, edges: Floats) -> tuple[Floats, Floats]:
        """The least and the greatest value from each of n edges to the next, both of shape (n - 1,)."""
        held = np.concatenate(([np.nan], self.value, [np.nan]))
        index = np.searchsorted(self.time, edges, "right")
        spans = np.column_stack((index[:-1], index[1:] + 1)).ravel()
        return np.fmin.reduceat(held, spans)[::2], np.fmax.reduceat(held, spans)[::2]


@dataclass(frozen=True, eq=False, kw_only=True)
class TimeLines(TimePlot):
    """Functions of time, the first on top."""

    lines: Sequence[TimeFunction]

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The values that lines are compared with, and the lines."""
        marks = [
            ReferenceLine(line.marked, line.colour, run=line.run)
            for line in self.lines
            if line.marked is not None
        ]
        return [*marks, *(Computed(partial(curve_of, line, theme)) for line in reversed(self.lines))]


def time_lines(
    words: PlotWords,
    lines: Sequence[TimeFunction],
    most: float,
    span: tuple[float, float],
    axis: TimeAxis,
    durations: bool = False,
) -> TimeLines:
    """The plot of some lines from 0 up to a value, over a span of time, s; values may be `durations`, s."""
    y: Scale = LinearScale(0.0, most if most > 0 else 1.0, durations)
    return TimeLines(words=words, x=ClockScale(*span, axis), y=y, lines=lines)


def curve_of(line: TimeFunction, theme: Theme, area: PlotArea) -> Curve:
    """The line at each pixel; where it jumps within a pixel, the whole range of its values."""
    time = np.linspace(*area.x, max(round(area.width * area.ratio), 1) + 1)
    value = line.at(time)
    if isinstance(line.at, StepCurve):
        middle = (time[:-1] + time[1:]) / 2
        within = np.column_stack((value[:-1], *line.at.extremes(time))).ravel()
        time = np.append(np.column_stack((time[:-1], middle, middle)).ravel(), time[-1])
        value = np.append(within, value[-1])
    colour = mix(line.colour, theme.chart, line.pale) if line.pale else line.colour
    return Curve(time, value, colour, 1.0, line.dashed, run=line.run)
