"""The filling of a user's share, second by second (Toth & Klusacek 2014, figures 2 to 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from views.data.fairshare import UserFilling
from views.data.results import Result
from views.data.scales import LinearScale, Scale
from views.fairshare.plots import ShareFilling, share_filling
from views.plot.layers import Layer
from views.plotting.clock_plot import ClockPlot
from views.state.context import ViewContext
from views.text.counts import plural
from views.text.ticks import axis_of
from views.theme.theme import Theme


class FillingPlot(ClockPlot):
    """The blocks of a share, a tint for each job; jobs that end late in red. A click selects a job."""

    brief = "Share"

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, "Share", parent)
        self._result: Result | None = None
        self._plot: ShareFilling | None = None

    @property
    def filling(self) -> UserFilling | None:
        """The filling of the share; None if nothing is shown."""
        return self._plot.filling if self._plot is not None else None

    def set_filling(self, result: Result | None, filling: UserFilling | None, message: str) -> None:
        """Show how the share of a user fills, or say why nothing is shown."""
        self._result, self._plot, self.message = result, None, message
        self.title = "The share by which ends are expected"
        if result is not None and filling is not None:
            self._plot = share_filling(result, filling)
            self.time_axis = axis_of(result.schedule.trace)
            self.title = self._plot.words.title
        self.refresh()

    def job_at(self, position: QPointF) -> int | None:
        """The job, an index into the trace, whose block is at the position."""
        filling, frame = self.filling, self.frame()
        if filling is None or not frame.plot.contains(position):
            return None
        time, level = frame.scale.time(position.x()), self.area(frame).y_at(position.y())
        blocks = filling.blocks
        inside = (blocks.start <= time) & (time < blocks.end)
        inside &= (blocks.base <= level) & (level < blocks.base + blocks.amount)
        under = np.flatnonzero(inside)
        return int(filling.jobs[blocks.job[under[0]]]) if len(under) else None

    def tooltip_at(self, position: QPointF) -> str:
        """The job there, when it is expected to end and when it does."""
        job, result = self.job_at(position), self._result
        frame = self.frame()
        if not frame.plot.contains(position):
            return ""
        lines = [self.time_axis.format(frame.scale.time(position.x()))]
        if job is not None and result is not None and result.violations is not None:
            schedule = result.schedule
            lines += [
                f"job {schedule.trace.shown_id(job)}, {plural(int(schedule.procs[job]), 'processor')}",
                f"is expected to end at {self.time_axis.format(float(result.violations.eet[job]))}",
                f"ends at {self.time_axis.format(float(schedule.end[job]))}",
            ]
        return "\n".join(lines)

    def summary(self) -> str:
        """A sentence that describes the content."""
        filling = self.filling
        return self.message or (f"{self.title}, {plural(len(filling.jobs), 'job')}" if filling else "")

    def _y(self) -> Scale:
        return self._plot.y if self._plot is not None else LinearScale(0.0, 1.0)

    def _layers(self) -> Sequence[Layer]:
        return self._plot.layers(self.theme) if self._plot is not None else ()

    def _click(self, position: QPointF, toggle: bool) -> None:
        job = self.job_at(position)
        if job is None or self._result is None:
            super()._click(position, toggle)
        else:
            self.selection.select_job(self._result.schedule.trace, job, toggle)
