"""How a user's share fills, second by second (Toth & Klusacek 2014, figures 2 to 4)."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from views.data.fairshare import TINTS, UserFilling
from views.data.results import Result
from views.data.scales import LinearScale, Scale
from views.plot.area import PlotArea
from views.plot.layers import Computed, Layer, Raster, ReferenceLine
from views.plotting.clock_plot import ClockPlot
from views.state.context import ViewContext
from views.text.counts import plural
from views.text.ticks import axis_of
from views.theme.palette import mix, rgb
from views.theme.theme import Theme


class FillingPlot(ClockPlot):
    """Blocks of the share, a job's in one tint; those of jobs that end late in red. A click picks a job."""

    brief = "Share"

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, "Share", parent)
        self._result: Result | None = None
        self.filling: UserFilling | None = None

    def set_filling(self, result: Result | None, filling: UserFilling | None, message: str) -> None:
        """Show how the share of a user fills, or say why nothing is shown."""
        self._result, self.filling, self.message = result, filling, message
        self.title = "The share by which ends are expected"
        if result is not None and filling is not None:
            self.time_axis = axis_of(result.schedule.trace)
            self.title = f"Share of user {filling.name}: {plural(filling.capacity, 'processor')}"
        self.refresh()

    def job_at(self, position: QPointF) -> int | None:
        """The job, an index into the trace, whose block lies there."""
        filling, frame = self.filling, self.frame()
        if filling is None or not frame.plot.contains(position):
            return None
        time, level = frame.scale.time(position.x()), self.area(frame).y_at(position.y())
        blocks = filling.blocks
        inside = (blocks.start <= time) & (time < blocks.end)
        inside &= (blocks.base <= level) & (level < blocks.base + blocks.amount)
        found = np.flatnonzero(inside)
        return int(filling.jobs[blocks.job[found[0]]]) if len(found) else None

    def tooltip_at(self, position: QPointF) -> str:
        """The job there, when it is expected to end and when it does."""
        job, result = self.job_at(position), self._result
        frame = self.frame()
        if not frame.plot.contains(position):
            return ""
        told = [self.time_axis.spell(frame.scale.time(position.x()))]
        if job is not None and result is not None and result.violations is not None:
            schedule = result.schedule
            told += [
                f"job {schedule.trace.job_id[job]}, {plural(int(schedule.procs[job]), 'processor')}",
                f"is expected to end at {self.time_axis.spell(float(result.violations.eet[job]))}",
                f"ends at {self.time_axis.spell(float(schedule.end[job]))}",
            ]
        return "\n".join(told)

    def summary(self) -> str:
        """What is shown, in a sentence."""
        filling = self.filling
        return self.message or (f"{self.title}, {plural(len(filling.jobs), 'job')}" if filling else "")

    def _y(self) -> Scale:
        return LinearScale(0.0, float(self.filling.capacity if self.filling is not None else 1))

    def _layers(self) -> list[Layer]:
        filling = self.filling
        if filling is None:
            return []
        return [
            Computed(partial(_paint, filling, self.theme)),
            ReferenceLine(float(filling.capacity), self.theme.faint),
        ]

    def _click(self, position: QPointF, toggle: bool) -> None:
        job = self.job_at(position)
        if job is None or self._result is None:
            super()._click(position, toggle)
        else:
            self.selection.select_job(self._result.schedule.trace, job, toggle)


def _paint(filling: UserFilling, theme: Theme, area: PlotArea) -> Raster:
    """The blocks that are seen: each at least a pixel wide."""
    width, height = (max(round(size * area.ratio), 1) for size in (area.width, area.height))
    pixels = np.zeros((height, width, 4), np.uint8)
    blocks, ratio = filling.blocks, area.ratio
    seen = np.flatnonzero((blocks.end > area.x[0]) & (blocks.start < area.x[1]))
    left = np.floor((area.xs(blocks.start[seen].astype(np.float64)) - area.left) * ratio).astype(int).clip(0)
    right = np.ceil((area.xs(blocks.end[seen].astype(np.float64)) - area.left) * ratio).astype(int)
    top = np.round((area.ys((blocks.base + blocks.amount)[seen].astype(np.float64)) - area.top) * ratio)
    low = np.round((area.ys(blocks.base[seen].astype(np.float64)) - area.top) * ratio)
    tops, lows = top.astype(int).clip(0), low.astype(int)
    job = blocks.job[seen]
    colours = np.array(
        [
            [(*rgb(mix(colour, theme.chart, tint)), 255) for tint in TINTS]
            for colour in (filling.colour, theme.bad)
        ],
        np.uint8,
    )
    chosen = colours[filling.late[job].astype(int), job % len(TINTS)]
    rows = zip(left.tolist(), right.tolist(), tops.tolist(), lows.tolist(), chosen, strict=True)
    for begin, end, high, deep, colour in rows:
        pixels[high : max(deep, high + 1), begin : max(end, begin + 1)] = colour
    return Raster(pixels, area.x, area.y)
