"""The plot of a sweep: a metric over two keys of a policy (Tang et al. 2013, figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from views.data.named_rows import NamedRows
from views.data.scales import Categories
from views.data.shown_runs import ShownRuns
from views.data.sweep_cells import BEST, WORST, SweepCells
from views.data.view_options import ViewOptions
from views.plot.layers import Curve, Labels, Layer, Raster
from views.plot.page import PlotPage
from views.plot.plot import Category, Plot, PlotWords, PrintRoom
from views.text.metrics import format_value
from views.theme.palette import rgb, text_on
from views.theme.theme import Theme

_HALF = 0.49
"""From the middle of a cell to its frame, in cells."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SweepPlot(Plot):
    """A cell for each pair of values; better cells are darker. The best is framed, the worst by dashes."""

    cells: SweepCells

    @property
    def paper(self) -> PrintRoom:
        """Rows of a legible height."""
        return PrintRoom(max(0.34 * len(self.cells.grid.rows.values), 1.2))

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """A pixel a cell, the values over them, and the frames."""
        grid, cells = self.cells.grid, self.cells
        wide, tall = len(grid.columns.values), len(grid.rows.values)
        # A cell that is not computed yet has no colour and is painted as empty ground.
        colours = [
            cells.colour(float(value)) if (value := cells.values.get(index)) is not None else ""
            for index in range(len(grid.policies))
        ]
        pixels = [(*rgb(colour or theme.alternate), 255) for colour in colours]
        places = [self._place(index) for index in range(len(colours))]
        labels = Labels(
            np.array([x for x, _ in places]),
            np.array([y for _, y in places]),
            [cells.text(index) for index in range(len(colours))],
            width=0.96,
            colours=[text_on(colour) if colour else theme.faint for colour in colours],
            clear=False,
        )
        raster = Raster(
            np.array(pixels, np.uint8).reshape(tall, wide, 4), self.x.full_range, self.y.full_range
        )
        return [raster, labels, *self._frames(theme)]

    def pictured(self) -> Sequence[Mapping[str, float | str]]:
        """The value of each finished cell, with the values of both keys."""
        grid = self.cells.grid
        return [
            {
                "is": "cell",
                "series": self.cells.metric.name,
                grid.rows.key: grid.rows.values[index // len(grid.columns.values)],
                grid.columns.key: grid.columns.values[index % len(grid.columns.values)],
                "value": float(value),
            }
            for index, value in sorted(self.cells.values.items())
            if value is not None
        ]

    def _place(self, index: int) -> tuple[float, float]:
        """The middle of a cell; the first row is on top."""
        row, column = divmod(index, len(self.cells.grid.columns.values))
        return float(column), float(len(self.cells.grid.rows.values) - 1 - row)

    def _frames(self, theme: Theme) -> Iterator[Layer]:
        for index, dashed in ((self.cells.worst, True), (self.cells.best, False)):
            if index is not None:
                x, y = self._place(index)
                across, up = np.array([-1, 1, 1, -1, -1]), np.array([-1, -1, 1, 1, -1])
                yield Curve(x + _HALF * across, y + _HALF * up, theme.text, 2.4, dashed)


def sweep_page(shown: ShownRuns, _: ViewOptions) -> PlotPage:
    """The plot, and the colours of the worst and the best value."""
    cells = shown.own.get(SweepCells)
    rows, columns = cells.grid.rows, cells.grid.columns
    words = PlotWords(
        title=cells.title,
        text=cells.metric.definition,
        y_name=f"{rows.key} down, {columns.key} across, better is darker",
    )
    plot = SweepPlot(
        words=words,
        x=Categories(len(columns.values)),
        # Rows go up in a plot and down in a table.
        y=NamedRows(tuple(rows.values[::-1])),
        slots=[Category(value) for value in columns.values],
        cells=cells,
    )
    legend = [
        Category(f"{mark} {word}: {format_value(cells.metric, value)}", cells.colour(value))
        for mark, word, value in zip((WORST, BEST), ("worst", "best"), cells.ends or (), strict=False)
    ]
    return PlotPage([plot], legend)
