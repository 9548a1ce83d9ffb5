"""The plot of a twin: the wait that each job had against the wait that it has in the simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from views.data.scales import LogScale
from views.data.shown_runs import ShownRuns
from views.data.twin_look import TwinLook
from views.data.view_options import ViewOptions
from views.plot.area import PixelBox, PlotArea, Point
from views.plot.layers import Curve, Dots, Layer
from views.plot.page import PlotPage
from views.plot.plot import HoverText, Pick, Plot, PlotWords, PrintRoom
from views.text.counts import plural
from views.text.values import duration
from views.theme.theme import Theme

TITLE = "Recorded and simulated waits"


@dataclass(frozen=True, eq=False, kw_only=True)
class TwinPlot(Plot):
    """A dot a job, which is its unit; on the diagonal it waits in the simulation as long as it did."""

    look: TwinLook
    xs: Floats
    ys: Floats

    @property
    def paper(self) -> PrintRoom:
        """As high as it is wide."""
        return PrintRoom(3.2, 3.2, square=True)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The jobs, and the line on which both waits are the same."""
        ends = np.array(self.x.full_range)
        return [
            Dots(self.xs, self.ys, theme.accent, 0.5),
            Curve(ends, ends, theme.faint, 1.0, dashed=True),
        ]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The job there."""
        nearest = area.nearest(self.xs, self.ys, position)
        if nearest is None:
            return None
        job = int(self.look.jobs[nearest])
        trace, schedule = self.look.schedule.trace, self.look.schedule
        text = (
            f"job {trace.shown_id(job)} · user {trace.user.shown[trace.user.codes[job]]}\n"
            f"waited {duration(int(trace.wait[job]))}; in the simulation {duration(int(schedule.wait[job]))}"
        )
        return HoverText(text, lambda: [job], (float(self.xs[nearest]), float(self.ys[nearest])))

    def units_in(self, area: PlotArea, box: PixelBox) -> Sequence[int]:
        """The jobs within a rectangle of pixels."""
        xs, ys = area.xs(self.xs), area.ys(self.ys)
        inside = (xs >= box.left) & (xs <= box.right) & (ys >= box.top) & (ys <= box.bottom)
        jobs: list[int] = self.look.jobs[inside].tolist()
        return jobs

    def marks(self, units: Sequence[int]) -> list[Pick]:
        """The marks of selected jobs."""
        places = np.searchsorted(self.look.jobs, np.array(units, np.int64))
        known = [k for k, unit in zip(places.tolist(), units, strict=True) if self._is(k, unit)]
        trace = self.look.schedule.trace
        return [
            Pick(float(self.xs[k]), float(self.ys[k]), f"job {trace.shown_id(self.look.jobs[k])}")
            for k in known[:_MOST_MARKS]
        ]

    def _is(self, place: int, unit: int) -> bool:
        return place < len(self.look.jobs) and int(self.look.jobs[place]) == unit


_MOST_MARKS = 200


def twin_plot(look: TwinLook) -> TwinPlot:
    """The plot of all jobs that ran both by the log and in the simulation."""
    schedule, jobs = look.schedule, look.jobs
    recorded: NDArray[np.float64] = schedule.trace.wait[jobs].astype(np.float64)
    simulated: NDArray[np.float64] = schedule.wait[jobs].astype(np.float64)
    # Both axes have the same scale: jobs on the diagonal wait as long as recorded.
    scale = LogScale.of(np.concatenate((recorded, simulated)), durations=True)
    longer = int((simulated > recorded).sum())
    words = PlotWords(
        title=TITLE,
        text=f"{plural(len(jobs), 'job')}, of which {longer:,} wait longer in the simulation",
        x_name="recorded wait",
        y_name="simulated wait",
    )
    return TwinPlot(
        words=words,
        x=scale,
        y=scale,
        look=look,
        xs=scale.coordinates_of(recorded),
        ys=scale.coordinates_of(simulated),
    )


def twin_page(shown: ShownRuns, _: ViewOptions) -> PlotPage:
    """The plot for print, with the verdict below it."""
    look = shown.own.get(TwinLook)
    return PlotPage([twin_plot(look)], title=f"twin of {look.site}", notes=[look.twin.verdict])
