"""The wait of each job under one run against its wait under another run: as density, with selectable jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from engine.arrays import Mask
from views.data.changes import format_change
from views.data.comparison import Comparison
from views.data.start_changes import Points
from views.plot.area import PixelBox, PlotArea, Point
from views.plot.layers import Computed, Curve, Layer, Raster, TextOverlay
from views.plot.plot import HoverText, Plot, PlotWords
from views.plot.sampling import count_points
from views.text.counts import plural
from views.text.values import duration
from views.theme.palette import heat_colours, mix, pixel
from views.theme.theme import Theme

TITLE = "Wait of each job"

CELL = 3
"""Pixels a cell is wide and high."""

NEAR = 9.0
"""A click picks the nearest job within so many pixels."""

_SAME = 0.5
"""Jobs within so many pixels of each other lie at the same point."""

_FROM_CORNER = (5.0, 3.0)
"""Pixels between a corner of the plot and the words in it."""


def wait_plot(comparison: Comparison, points: Points, bright: Mask | None) -> WaitScatter:
    """The scatter of a pair of runs; `bright` marks the jobs of the trace that are not faded."""
    first, second = comparison.first, comparison.second
    above, below = int((points.y > points.x).sum()), int((points.y < points.x).sum())
    words = PlotWords(
        title=TITLE,
        text=f"Jobs that wait longer than under {first.name}: {above}; less long: {below}",
        x_name=f"wait under {first.name}",
        y_name=f"wait under {second.name}",
        x_colour=first.colour,
        y_colour=second.colour,
    )
    return WaitScatter(
        words=words,
        # Both axes have the same scale, so that jobs with equal waits lie on the diagonal.
        x=points.scale,
        y=points.scale,
        comparison=comparison,
        points=points,
        bright=None if bright is None else bright[points.job],
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class WaitScatter(Plot):
    """Jobs above the diagonal wait longer under the second run, those below it less long.

    Colours say how many jobs lie at a point, on a log scale.
    """

    comparison: Comparison
    points: Points
    bright: Mask | None  # of the points

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The jobs, the diagonal, and labels on either side of it."""
        ends = np.array(self.points.scale.full_range)
        return [
            Computed(lambda area: density(self.points, self.bright, area, theme)),
            Curve(ends, ends, theme.faint, 1.0, dashed=True),
            Computed(lambda area: _corner(area, "longer wait ↑", 0)),
            Computed(lambda area: _corner(area, "↓ shorter wait", 1)),
        ]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The nearest job, and how many lie at the same point: a click picks them all."""
        nearest = area.nearest(self.points.x, self.points.y, position, NEAR)
        if nearest is None:
            return None
        x, y = float(self.points.x[nearest]), float(self.points.y[nearest])
        jobs = self.units_in(area, PixelBox(*area.point(x, y), *area.point(x, y)).grown(_SAME))
        more = [f"{plural(len(jobs) - 1, 'job')} more here"] if len(jobs) > 1 else []
        return HoverText(
            "\n".join([*self._describe(int(self.points.job[nearest])), *more]), lambda: jobs, (x, y)
        )

    def _describe(self, job: int) -> list[str]:
        first, second, trace = self.comparison.first, self.comparison.second, self.comparison.trace
        return [
            f"job {trace.shown_id(job)} · user {trace.user.shown[trace.user.codes[job]]}",
            f"{first.name}: waits {duration(int(first.schedule.wait[job]))}",
            f"{second.name}: waits {duration(int(second.schedule.wait[job]))}",
            f"starts {format_change(int(self.comparison.difference.change[job]))}",
        ]

    def units_in(self, area: PlotArea, box: PixelBox) -> Sequence[int]:
        """Jobs within a rectangle, as indices into the trace."""
        x, y = area.xs(self.points.x), area.ys(self.points.y)
        inside = (x >= box.left) & (x <= box.right) & (y >= box.top) & (y <= box.bottom)
        jobs: list[int] = self.points.job[inside].tolist()
        return jobs


def density(points: Points, bright: Mask | None, area: PlotArea, theme: Theme) -> Raster:
    """The density in the visible part of the scatter: the more jobs in a cell, the stronger the contrast.

    Where some jobs are `bright`, shape (jobs,), they have the accent's colour, and the others are faded.
    """
    columns, rows = ceil(area.width / CELL), ceil(area.height / CELL)
    x, y = (area.xs(points.x) - area.left) / CELL, (area.ys(points.y) - area.top) / CELL
    count = count_points(x, y, columns, rows)
    scale = heat_colours(theme.dark)
    level = np.log1p(count) / np.log1p(max(int(count.max(initial=1)), 1))
    colours = scale[np.minimum((level * len(scale)).astype(np.int64), len(scale) - 1)]
    if bright is not None:
        back, lit = pixel(mix(theme.faint, theme.chart, 0.7)), pixel(theme.accent)
        colours = np.where(count_points(x[bright], y[bright], columns, rows) > 0, lit, back)
    cells = np.where(count > 0, colours, 0).astype(np.uint32)
    pixels = np.stack([cells >> shift & 0xFF for shift in (16, 8, 0, 24)], axis=-1).astype(np.uint8)
    right, low = area.x_at(area.left + columns * CELL), area.y_at(area.top + rows * CELL)
    return Raster(pixels, (area.x[0], right), (low, area.y[1]))


def _corner(area: PlotArea, text: str, corner: int) -> TextOverlay:
    """Text in the top left corner (0) of the visible part, or in its bottom right corner (1)."""
    across, down = _FROM_CORNER
    x = area.box.right - across if corner else area.box.left + across
    y = area.box.bottom - down if corner else area.box.top + down
    return TextOverlay(area.x_at(x), area.y_at(y), text, (corner, corner))
