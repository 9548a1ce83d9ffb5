"""A histogram of the changes of job starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.arrays import Ints, Mask
from views.data.scales import CountScale
from views.data.start_changes import EDGES, MoveScale, StartChanges, format_move, move_colours
from views.plot.area import PixelBox, PlotArea, Point
from views.plot.layers import Bars, Layer
from views.plot.plot import HoverText, Plot, PlotWords
from views.text.counts import plural
from views.theme.palette import hex_colour, mix
from views.theme.theme import Theme

TITLE = "Jobs by change of start"

BACK = 0.75
"""Strength of the bars of faded jobs."""


def change_plot(moves: StartChanges, bright: Mask | None) -> ChangePlot:
    """The histogram of the changes; `bright` marks the jobs of the trace that are not faded."""
    # Classes of changes are numbered from the earliest, below 0, over 0, no change, to the latest.
    lines = [
        f"{plural(int(count), 'job')}: {format_move(class_)}"
        for class_, count in enumerate(moves.total, start=-len(EDGES))
        if count
    ]
    return ChangePlot(
        words=PlotWords(TITLE, ", ".join(lines), x_name="← earlier · same · later →", y_name="jobs"),
        x=MoveScale(),
        y=CountScale(int(moves.total.max(initial=1))),
        moves=moves,
        bright=None if bright is None else moves.counts(bright[moves.job]),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangePlot(Plot):
    """Bars of jobs by how much earlier or later they start, on a log scale."""

    moves: StartChanges
    bright: Ints | None  # jobs in each class that are not faded, if some are

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """All jobs, and over them those that are not faded."""
        colours = [hex_colour(int(colour)) for colour in move_colours(theme.dark)]
        if self.bright is None:
            return [self._bars(self.moves.total, colours)]
        pale = [mix(colour, theme.chart, BACK) for colour in colours]
        return [self._bars(self.moves.total, pale), self._bars(self.bright, colours)]

    def _bars(self, counts: Ints, colours: Sequence[str]) -> Bars:
        there = np.flatnonzero(counts)
        left, tops = there.astype(np.float64), self.y.coordinates_of(counts[there].astype(np.float64))
        return Bars(left, left + 1.0, tops, [colours[k] for k in there.tolist()])

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The bar there, and its count; a click picks its jobs."""
        if not area.box.contains(position):
            return None
        class_ = self._class_at(area, position.x)
        count = int(self.moves.total[class_ + len(EDGES)])
        text = f"{plural(count, 'job')}: {format_move(class_)}"
        return HoverText(text, partial(self._jobs_of, class_, class_) if count else None)

    def units_in(self, area: PlotArea, box: PixelBox) -> Sequence[int]:
        """The jobs of all bars that a rectangle meets, whatever its height."""
        return self._jobs_of(self._class_at(area, box.left), self._class_at(area, box.right))

    def _class_at(self, area: PlotArea, x: float) -> int:
        return int(self.x.value(area.x_at(x)))

    def _jobs_of(self, low: int, high: int) -> Sequence[int]:
        """The jobs of some classes, as indices into the trace."""
        inside = (self.moves.of_job >= low) & (self.moves.of_job <= high)
        jobs: list[int] = self.moves.job[inside].tolist()
        return jobs
